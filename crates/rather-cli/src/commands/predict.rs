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
struct Prediction<'a> {
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
            left: &pool.keys[left],
            right: &pool.keys[right],
            probability,
            outcomes,
        })
        .collect();
    if out.json {
        return out.json(&predictions);
    }
    if args.csv {
        let first = predictions.first().map_or(&[][..], |p| &p.outcomes);
        let header =
            ["left", "right", "probability"].into_iter().chain(first.iter().map(|(name, _)| name.as_str()));
        let row = |p: &Prediction<'_>| {
            let numbers = std::iter::once(&p.probability).chain(p.outcomes.iter().map(|(_, p)| p));
            let names = [p.left, p.right].map(str::to_owned);
            names.into_iter().chain(numbers.map(f64::to_string)).collect::<Vec<String>>()
        };
        return out.csv(header, predictions.iter().map(row));
    }
    out.text(&describe(&predictions))
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

/// Columns for whatever may be said: twenty grades either way and a tie. Those that are empty are not shown.
const OUTCOMES: usize = 41;

fn describe(predictions: &[Prediction<'_>]) -> String {
    let percent = |p: f64| format!("{:.1} %", 100.0 * p);
    let said = |p: &Prediction<'_>, k: usize| p.outcomes.get(k).map_or(String::new(), |(_, p)| percent(*p));
    let name = |k: usize| predictions.first().and_then(|p| p.outcomes.get(k)).map_or("", |(name, _)| name);
    let columns: [(&str, Side); 3 + OUTCOMES] = std::array::from_fn(|k| match k {
        0 => ("left", Side::Left),
        1 => ("right", Side::Left),
        2 => ("left is preferred", Side::Right),
        k => (name(k - 3), Side::Right),
    });
    let mut table = Table::new(columns);
    for p in predictions {
        table.push(std::array::from_fn(|k| match k {
            0 => p.left.to_owned(),
            1 => p.right.to_owned(),
            2 => percent(p.probability),
            k => said(p, k - 3),
        }));
    }
    table.render()
}
