//! `rather predict`: the probability that the left item of a pair is preferred.

use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::{Output, object};
use crate::people::People;
use crate::pool::Pool;
use crate::table::{Side, Table};
use rather::Person;
use rather::context::Sides;
use rather::points::Points;
use rather::watch::Steps;
use rather_io::ItemTable;
use serde::Serialize;
use std::collections::BTreeMap;

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
    #[serde(serialize_with = "ordered", skip_serializing_if = "Vec::is_empty")]
    outcomes: Vec<(String, f64)>,
}

fn ordered<S: serde::Serializer>(entries: &[(String, f64)], to: S) -> Result<S::Ok, S::Error> {
    object(entries, to)
}

/// Runs the command.
pub(crate) fn run(args: &PredictArgs, mut out: Output) -> Result<(), Failure> {
    let mut fitted = Fitted::open(&args.model, &mut out)?;
    fitted.look_at(&args.at)?;
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
    let table = rather_io::Table::open(&args.pairs)?.with_roles(&args.who.columns)?;
    let table = rather_io::pairs_of(table, &items, &context)?;
    let sides = table.sides.as_ref().map(|sides| in_context(&fitted, sides, args)).transpose()?;
    for note in &table.notes {
        out.warn(note);
    }
    let many = fitted.many().is_some();
    let (pairs, teams, users) = (table.pairs, table.teams, table.users.filter(|_| many));
    if let (Some(_), Some(_)) = (&users, &args.who.user) {
        return Err(Failure::User(format!(
            "{} has a column \"user\", and --user names one, too; keep one of them",
            args.pairs.display()
        )));
    }
    let (points, at) = match &sides {
        Some(sides) => (sides, (0..pairs.len()).map(|row| (2 * row, 2 * row + 1)).collect()),
        None => (&pool.points, pairs.clone()),
    };
    let asked = Asked { pool: &pool, teams: &teams, pairs: &pairs, points, at: &at, sharp: args.sharp };
    let found = match &users {
        None => asked.of(&people.asked()?, &(0..pairs.len()).collect::<Vec<_>>())?,
        Some(names) => asked.by_user(&people, names)?,
    };
    let user = |row: usize| users.as_ref().map(|names| names[row].as_str()).or(args.who.user.as_deref());
    let predictions: Vec<Prediction<'_>> = found
        .into_iter()
        .enumerate()
        .map(|(row, (probability, outcomes))| Prediction {
            user: user(row),
            left: name(&pool, &teams, pairs[row].0),
            right: name(&pool, &teams, pairs[row].1),
            probability,
            outcomes,
        })
        .collect();
    print(&predictions, args.csv, many, out)
}

/// What an item is called, or a team, which is numbered after the items.
fn name<'a>(pool: &'a Pool, teams: &'a [String], side: usize) -> &'a str {
    pool.keys.get(side).unwrap_or_else(|| &teams[side - pool.keys.len()])
}

/// The sides of pairs whose columns say where they are compared.
fn in_context(fitted: &Fitted<'_>, sides: &Sides, args: &PredictArgs) -> Result<Points, Failure> {
    let known = fitted.items().keys().len();
    let members = (0..sides.items.len()).flat_map(|side| sides.members(side));
    if args.items.is_some() && members.into_iter().any(|(item, _)| item as usize >= known) {
        return Err(Failure::User(format!(
            "{} has columns of comparisons or teams, which are for items of the model; leave them out, and name them by --at",
            args.pairs.display()
        )));
    }
    Ok(fitted.single()?.encode_sides(sides)?)
}

/// The probability that the left item is preferred, and what may be said with its probability.
type Found = (f64, Vec<(String, f64)>);

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
    /// Each row by its own user; what is believed about a user is computed once.
    fn by_user(&self, people: &People<'_>, names: &[String]) -> Result<Vec<Found>, Failure> {
        let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (row, name) in names.iter().enumerate() {
            rows.entry(name).or_default().push(row);
        }
        let mut out = vec![Found::default(); self.pairs.len()];
        for (name, rows) in rows {
            let found = self.of(&people.named(name)?, &rows)?;
            rows.into_iter().zip(found).for_each(|(row, p)| out[row] = p);
        }
        Ok(out)
    }

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
        Ok(probabilities.into_iter().zip(outcomes).collect())
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
    let first = predictions.first().map_or(&[][..], |p| &p.outcomes);
    let outcomes = || first.iter().map(|(name, _)| name.as_str());
    let names = |p: &Prediction<'_>| {
        let user = users.then(|| p.user.unwrap_or_default().to_owned());
        user.into_iter().chain([p.left, p.right].map(str::to_owned))
    };
    let numbers = |p: &Prediction<'_>| {
        std::iter::once(p.probability).chain(p.outcomes.iter().map(|(_, p)| *p)).collect()
    };
    let head = |preferred| users.then_some("user").into_iter().chain(["left", "right", preferred]);
    if csv {
        let row = |p: &Prediction<'_>| {
            let numbers: Vec<f64> = numbers(p);
            names(p).chain(numbers.iter().map(f64::to_string)).collect::<Vec<String>>()
        };
        // The sides are named in columns of the same names.
        let outcomes = outcomes().map(|name| format!("probability of {name}"));
        let columns = head("probability").map(str::to_owned).chain(outcomes);
        return out.csv(columns, predictions.iter().map(row));
    }
    let named = if users { 3 } else { 2 };
    let columns = head("left is preferred").chain(outcomes()).enumerate();
    let mut table =
        Table::new(columns.map(|(k, name)| (name, if k < named { Side::Left } else { Side::Right })));
    for p in predictions {
        let numbers: Vec<f64> = numbers(p);
        table.push(names(p).chain(numbers.iter().map(|p| format!("{:.1} %", 100.0 * p))));
    }
    out.text(&table.render())
}
