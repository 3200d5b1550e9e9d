//! `rather predict`: what is expected of pairs, of single items and of sets of options.

mod options;
mod singles;
mod threshold;

use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::{Output, object};
use crate::people::People;
use crate::pool::Pool;
use crate::table::{Side, Table, number};
use rather::Person;
use rather::context::Sides;
use rather::points::Points;
use rather::watch::Steps;
use rather_io::{ItemTable, options_of, singles_of};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// One answer.
#[derive(Serialize)]
struct Prediction<'a> {
    /// Whose answer, of a model of many users.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    left: &'a str,
    right: &'a str,
    probability: f64,
    /// What may be said, if that is more than which is preferred.
    #[serde(serialize_with = "object", skip_serializing_if = "Vec::is_empty")]
    outcomes: Vec<(String, f64)>,
    /// That the left is preferred if there is no tie, where there may be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability_without_tie: Option<f64>,
    /// Of utilities, with its 95 % interval.
    difference: f64,
    difference_lower: f64,
    difference_upper: f64,
    /// Where differences were reported: the one that will be.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    reported: Option<Reported>,
}

/// By how much the left will be reported to be better, with its 95 % predictive interval.
#[derive(Debug, Clone, Serialize)]
struct Reported {
    reported_difference: f64,
    reported_lower: f64,
    reported_upper: f64,
}

/// Half the width of a 95 % interval, in standard deviations.
const Z95: f64 = 1.959963984540054;

/// The 95 % interval of a Gaussian.
fn interval(mean: f64, sd: f64) -> [f64; 2] {
    [mean - Z95 * sd, mean + Z95 * sd]
}

/// Each row by its own user; what is believed about a user is computed once.
fn by_user<T: Clone + Default>(
    people: &People<'_>,
    names: &[String],
    of: impl Fn(&Person<'_>, &[usize]) -> Result<Vec<T>, Failure>,
) -> Result<Vec<T>, Failure> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, name) in names.iter().enumerate() {
        rows.entry(name).or_default().push(row);
    }
    let mut out = vec![T::default(); names.len()];
    for (name, rows) in rows {
        let found = of(&people.named(name)?, &rows)?;
        rows.into_iter().zip(found).for_each(|(row, found)| out[row] = found);
    }
    Ok(out)
}

/// Runs the command.
pub(crate) fn run(args: &PredictArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    let mut fitted = Fitted::open(&args.model, &mut out)?;
    fitted.look_at(&args.at)?;
    if let Some(column) = &args.threshold {
        return threshold::run(&fitted, column, args, seed, out);
    }
    let Some(asked) = &args.pairs else {
        return Err(Failure::User("give a table of pairs or of items, or --threshold".to_owned()));
    };
    // The second value is where a key is looked for, in the words of an error.
    let (pool, place) = match &args.items {
        Some(path) => {
            let both = format!("{} or {}", path.display(), args.model.display());
            (Pool::read(Some(path), fitted.items())?.with_model(fitted.items()), both.into())
        }
        None => (Pool::of_model(fitted.items()), args.model.clone()),
    };
    let people = People::read(&fitted, &args.who, &mut out)?;
    let items = ItemTable::new(place, "item".to_owned(), pool.keys.clone(), Vec::new())?;
    let context = fitted.items().context().map_or(Vec::new(), |context| context.names());
    let many = fitted.many().is_some();
    let table = match options_of(rather_io::Table::open(asked)?.with_roles(&args.who.columns)?, &items)? {
        Err(table) => table,
        Ok(table) => {
            not_sharp(args, "sets of options")?;
            one_user(args, asked, table.users.is_some() && many)?;
            let asked = options::Asked { pool: &pool, people: &people, user: args.who.user.as_deref(), many };
            return options::run(table, &asked, args.csv, out);
        }
    };
    let table = match singles_of(table, &items)? {
        Err(table) => rather_io::pairs_of(table, &items, &context)?,
        Ok(table) => {
            not_sharp(args, "single items")?;
            one_user(args, asked, table.users.is_some() && many)?;
            let naming = match fitted.many() {
                Some(population) => population.naming(),
                None => fitted.single()?.naming(),
            };
            let user = args.who.user.as_deref();
            let asked = singles::Asked { pool: &pool, people: &people, levels: &naming.levels, user, many };
            return singles::run(table, &asked, args.csv, out);
        }
    };
    let sides = table.sides.as_ref().map(|sides| in_context(&fitted, sides, (asked, args))).transpose()?;
    for note in &table.notes {
        out.warn(note);
    }
    let (pairs, teams, users) = (table.pairs, table.teams, table.users.filter(|_| many));
    one_user(args, asked, users.is_some())?;
    let (points, at) = match &sides {
        Some(sides) => (sides, (0..pairs.len()).map(|row| (2 * row, 2 * row + 1)).collect()),
        None => (&pool.points, pairs.clone()),
    };
    let asked = Asked { pool: &pool, teams: &teams, pairs: &pairs, points, at: &at, sharp: args.sharp };
    let found = match &users {
        None => asked.of(&people.asked()?, &(0..pairs.len()).collect::<Vec<_>>())?,
        Some(names) => by_user(&people, names, |person, rows| asked.of(person, rows))?,
    };
    let user = |row: usize| users.as_ref().map(|names| names[row].as_str()).or(args.who.user.as_deref());
    let predictions: Vec<Prediction<'_>> = found
        .into_iter()
        .enumerate()
        .map(|(row, found)| {
            let [left, right] = [pairs[row].0, pairs[row].1].map(|side| name(&pool, &teams, side));
            let [difference_lower, difference_upper] = interval(found.difference, found.sd);
            Prediction {
                user: user(row),
                left,
                right,
                probability: found.probability,
                probability_without_tie: without_tie(&found.outcomes),
                outcomes: found.outcomes,
                difference: found.difference,
                difference_lower,
                difference_upper,
                reported: found.reported,
            }
        })
        .collect();
    print(&predictions, args.csv, many, out)
}

/// Refuses ratios of evidences of what has none.
fn not_sharp(args: &PredictArgs, of: &str) -> Result<(), Failure> {
    match args.sharp {
        true => Err(Failure::User(format!(
            "--sharp is for pairs, whose probabilities are ratios of evidences; leave it out for {of}"
        ))),
        false => Ok(()),
    }
}

/// Refuses a user who is named twice.
fn one_user(args: &PredictArgs, table: &Path, has_users: bool) -> Result<(), Failure> {
    match (has_users, &args.who.user) {
        (true, Some(_)) => Err(Failure::User(format!(
            "{} has a column \"user\", and --user names one, too; keep one of them",
            table.display()
        ))),
        _ => Ok(()),
    }
}

/// The probability that the left is preferred, by whatever grade, if there is no tie; `None` where there is none.
fn without_tie(outcomes: &[(String, f64)]) -> Option<f64> {
    let tie = outcomes.iter().position(|(name, _)| name == "tie")?;
    let sum = |of: &[(String, f64)]| of.iter().map(|(_, p)| p).sum::<f64>();
    let (left, right) = (sum(&outcomes[..tie]), sum(&outcomes[tie + 1..]));
    (left + right > 0.0).then(|| left / (left + right))
}

/// What an item is called, or a team, which is numbered after the items.
fn name<'a>(pool: &'a Pool, teams: &'a [String], side: usize) -> &'a str {
    pool.keys.get(side).unwrap_or_else(|| &teams[side - pool.keys.len()])
}

/// The sides of pairs whose columns say where they are compared.
fn in_context(
    fitted: &Fitted<'_>,
    sides: &Sides,
    (table, args): (&Path, &PredictArgs),
) -> Result<Points, Failure> {
    let known = fitted.items().keys().len();
    let members = (0..sides.items.len()).flat_map(|side| sides.members(side));
    if args.items.is_some() && members.into_iter().any(|(item, _)| item as usize >= known) {
        return Err(Failure::User(format!(
            "{} has columns of comparisons or teams, which are for items of the model; leave them out, and name them by --at",
            table.display()
        )));
    }
    Ok(fitted.single()?.encode_sides(sides)?)
}

/// What is expected of a pair.
#[derive(Debug, Clone, Default)]
struct Found {
    /// That the left item is preferred.
    probability: f64,
    /// What may be said, with its probability.
    outcomes: Vec<(String, f64)>,
    /// Of utilities, and its standard deviation.
    difference: f64,
    sd: f64,
    reported: Option<Reported>,
}

/// What is asked: pairs of the items of a pool.
struct Asked<'a> {
    pool: &'a Pool,
    teams: &'a [String],
    pairs: &'a [(usize, usize)],
    /// The points to predict at, and the two of each pair.
    points: &'a Points,
    at: &'a [(usize, usize)],
    sharp: bool,
}

impl Asked<'_> {
    /// These rows by one person.
    fn of(&self, person: &Person<'_>, rows: &[usize]) -> Result<Vec<Found>, Failure> {
        let pairs: Vec<(usize, usize)> = rows.iter().map(|&row| self.at[row]).collect();
        let points = self.points;
        let probabilities = if self.sharp {
            self.one_by_one(&pairs, |two| person.sharp_probabilities(two, &[(0, 1)]))?
        } else {
            person.probabilities(points, &pairs)
        };
        if let Some(i) = probabilities.iter().position(|p| !p.is_finite()) {
            let (left, right) = self.pairs[rows[i]];
            let [left, right] = [left, right].map(|side| name(self.pool, self.teams, side));
            return Err(Failure::User(format!(
                "the probability for \"{left}\" and \"{right}\" is not a finite number: their features are too far from \
                 those of the items learned from"
            )));
        }
        let plain = person.outcomes(points, &pairs);
        // A streaming model no longer has the answers, and an exact one has nothing to sharpen; neither has outcomes.
        let outcomes = if self.sharp && plain.first().is_some_and(|first| !first.is_empty()) {
            self.one_by_one(&pairs, |two| person.sharp_outcomes(two, &[(0, 1)]))?
        } else {
            plain
        };
        let differences = person.differences(points, &pairs);
        let reported = person.reported_differences(points, &pairs);
        let one = |(k, (probability, outcomes)): (usize, (f64, Vec<(String, f64)>))| Found {
            probability,
            outcomes,
            difference: differences.mean[k],
            sd: differences.variance[k].sqrt(),
            reported: reported.as_ref().map(|reported| Reported {
                reported_difference: reported[k].mean(),
                reported_lower: reported[k].quantile(0.025),
                reported_upper: reported[k].quantile(0.975),
            }),
        };
        Ok(probabilities.into_iter().zip(outcomes).enumerate().map(one).collect())
    }

    /// What takes a while for each pair.
    fn one_by_one<T>(
        &self,
        pairs: &[(usize, usize)],
        one: impl Fn(&Points) -> Result<Vec<T>, rather::Error>,
    ) -> Result<Vec<T>, rather::Error> {
        let steps = Steps::start("predicting", pairs.len());
        let mut out = Vec::with_capacity(pairs.len());
        for &(left, right) in pairs {
            out.extend(one(&self.points.select(&[left, right]))?);
            steps.add(1);
        }
        Ok(out)
    }
}

/// Prints predictions, with a column of users if there are any.
fn print(predictions: &[Prediction<'_>], csv: bool, users: bool, out: Output) -> Result<(), Failure> {
    if out.json {
        return out.json(&predictions);
    }
    let names = |p: &Prediction<'_>| {
        let user = users.then(|| p.user.unwrap_or_default().to_owned());
        user.into_iter().chain([p.left, p.right].map(str::to_owned))
    };
    let head = || users.then_some("user").into_iter().chain(["left", "right"]).map(str::to_owned);
    if csv {
        let numbers = |p: &Prediction<'_>| {
            // The sides are named in columns of the same names.
            let outcomes = p.outcomes.iter().map(|(name, p)| (format!("probability of {name}"), *p));
            let mut all: Vec<(String, f64)> =
                std::iter::once(("probability".to_owned(), p.probability)).chain(outcomes).collect();
            let mut add = |name: &str, x: f64| all.push((name.to_owned(), x));
            p.probability_without_tie.iter().for_each(|&p| add("probability_without_tie", p));
            add("difference", p.difference);
            add("difference_lower", p.difference_lower);
            add("difference_upper", p.difference_upper);
            if let Some(Reported { reported_difference, reported_lower, reported_upper }) = p.reported {
                add("reported_difference", reported_difference);
                add("reported_lower", reported_lower);
                add("reported_upper", reported_upper);
            }
            all
        };
        let columns = predictions.first().map(numbers).unwrap_or_default().into_iter().map(|(name, _)| name);
        let row = |p: &Prediction<'_>| {
            names(p).chain(numbers(p).into_iter().map(|(_, x)| x.to_string())).collect::<Vec<String>>()
        };
        return out.csv(head().chain(columns), predictions.iter().map(row));
    }
    let first = predictions.first();
    // The sides are named in columns of the same names.
    let outcomes = first.iter().flat_map(|p| &p.outcomes).map(|(name, _)| match name.as_str() {
        side @ ("left" | "right") => format!("{side} wins"),
        other => other.to_owned(),
    });
    let words = ["left, no tie", "difference", "95 % interval", "reported difference", "95 % of those"];
    let columns: Vec<(String, Side)> = head()
        .map(|name| (name, Side::Left))
        .chain(
            std::iter::once("left is preferred".to_owned()).chain(outcomes).map(|name| (name, Side::Right)),
        )
        .chain(words.map(|name| (name.to_owned(), Side::Right)))
        .collect();
    let mut table = Table::new(columns.iter().map(|(name, side)| (name.as_str(), *side)));
    let percent = |p: f64| format!("{:.1} %", 100.0 * p);
    let range = |low: f64, high: f64| format!("{} to {}", number(low), number(high));
    for p in predictions {
        let probabilities = std::iter::once(p.probability).chain(p.outcomes.iter().map(|(_, p)| *p));
        table.push(
            names(p).chain(probabilities.map(percent)).chain([
                p.probability_without_tie.map(percent).unwrap_or_default(),
                number(p.difference),
                range(p.difference_lower, p.difference_upper),
                p.reported.as_ref().map(|reported| number(reported.reported_difference)).unwrap_or_default(),
                p.reported
                    .as_ref()
                    .map(|reported| range(reported.reported_lower, reported.reported_upper))
                    .unwrap_or_default(),
            ]),
        );
    }
    out.text(&table.render())
}
