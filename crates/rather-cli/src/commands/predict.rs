//! `rather predict`: the probability that the left item of a pair is preferred.

use crate::args::PredictArgs;
use crate::commands::many;
use crate::failure::Failure;
use crate::output::{Output, object};
use crate::pool::{Pool, check_single, open};
use crate::table::{Side, Table};
use rather::model::Model;
use rather::watch::Steps;
use rather_io::{ItemTable, Saved};
use serde::Serialize;

/// One answer.
#[derive(Serialize)]
pub(crate) struct Prediction<'a> {
    /// Whose answer, of a model of many users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<&'a str>,
    pub(crate) left: &'a str,
    pub(crate) right: &'a str,
    pub(crate) probability: f64,
    /// What may be said, if that is more than which is preferred.
    #[serde(serialize_with = "ordered", skip_serializing_if = "Vec::is_empty")]
    pub(crate) outcomes: Vec<(String, f64)>,
}

fn ordered<S: serde::Serializer>(entries: &[(String, f64)], to: S) -> Result<S::Ok, S::Error> {
    object(entries, to)
}

/// Runs the command.
pub(crate) fn run(args: &PredictArgs, mut out: Output) -> Result<(), Failure> {
    let model = match open(&args.model, &mut out)? {
        Saved::Many(model) => return many::predict::run(args, &model, out),
        Saved::Single(model) => *model,
    };
    check_single(&args.model, &args.who)?;
    // The second value is where a key is looked for, in the words of an error.
    let (pool, place) = match &args.items {
        Some(path) => {
            let both = format!("{} or {}", path.display(), args.model.display());
            (Pool::read(path, &model)?.with_model(&model), both.into())
        }
        None => (Pool::of_model(&model), args.model.clone()),
    };
    let items = ItemTable::new(place, "item".to_owned(), pool.keys.clone(), Vec::new())?;
    let table = rather_io::read_pairs(&args.pairs, &items)?;
    for note in &table.notes {
        out.warn(note);
    }
    let pairs = table.pairs;
    let probabilities = probabilities(&model, &pool, &pairs, args.sharp)?;
    let outcomes = outcomes(&model, &pool, &pairs, args.sharp)?;
    let predictions: Vec<Prediction<'_>> = pairs
        .iter()
        .zip(probabilities)
        .zip(outcomes)
        .map(|((&(left, right), probability), outcomes)| Prediction {
            user: None,
            left: &pool.keys[left],
            right: &pool.keys[right],
            probability,
            outcomes,
        })
        .collect();
    print(&predictions, args.csv, false, out)
}

/// Prints predictions, with a column of users if there are any.
pub(crate) fn print(
    predictions: &[Prediction<'_>],
    csv: bool,
    users: bool,
    out: Output,
) -> Result<(), Failure> {
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
        return out.csv(head("probability").chain(outcomes()), predictions.iter().map(row));
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

fn probabilities(
    model: &Model,
    pool: &Pool,
    pairs: &[(usize, usize)],
    sharp: bool,
) -> Result<Vec<f64>, Failure> {
    let probabilities = if sharp {
        let steps = Steps::start("predicting", pairs.len());
        let one = |pair: &(usize, usize)| {
            let two = pool.points.select(&[pair.0, pair.1]);
            let answer = model.sharp_probabilities(&two, &[(0, 1)])?;
            steps.add(1);
            Ok(answer)
        };
        pairs.iter().map(one).collect::<Result<Vec<_>, rather::Error>>()?.concat()
    } else {
        model.probabilities(&pool.points, pairs)
    };
    match probabilities.iter().position(|p| !p.is_finite()) {
        Some(i) => Err(Failure::User(format!(
            "the probability for \"{}\" and \"{}\" is not a finite number: their features are too far from those of \
             the items learned from",
            pool.keys[pairs[i].0], pool.keys[pairs[i].1]
        ))),
        None => Ok(probabilities),
    }
}

/// What may be said of each pair.
fn outcomes(
    model: &Model,
    pool: &Pool,
    pairs: &[(usize, usize)],
    sharp: bool,
) -> Result<Vec<Vec<(String, f64)>>, Failure> {
    // A streaming model no longer has the answers, and an exact one has nothing to sharpen; neither has outcomes.
    if !sharp || model.outcomes(&pool.points, &pairs[..pairs.len().min(1)]).concat().is_empty() {
        return Ok(model.outcomes(&pool.points, pairs));
    }
    let steps = Steps::start("predicting", pairs.len());
    let one = |pair: &(usize, usize)| {
        let two = pool.points.select(&[pair.0, pair.1]);
        let outcomes = model.sharp_outcomes(&two, &[(0, 1)])?;
        steps.add(1);
        Ok(outcomes)
    };
    Ok(pairs.iter().map(one).collect::<Result<Vec<_>, rather::Error>>()?.concat())
}
