//! `rather predict`: the probability that the left item of a pair is preferred.

use crate::args::PredictArgs;
use crate::commands::many;
use crate::failure::Failure;
use crate::output::Output;
use crate::pool::{Pool, check_single, open};
use crate::progress::Progress;
use crate::table::{Side, Table};
use rather::model::Model;
use rather_io::{ItemTable, Saved};
use serde::Serialize;

/// One answer.
#[derive(Serialize)]
struct Prediction<'a> {
    left: &'a str,
    right: &'a str,
    probability: f64,
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
    let probabilities = probabilities(&model, &pool, &pairs, args.sharp, out.shows_progress())?;
    let predictions: Vec<Prediction<'_>> = pairs
        .iter()
        .zip(probabilities)
        .map(|(&(left, right), probability)| Prediction {
            left: &pool.keys[left],
            right: &pool.keys[right],
            probability,
        })
        .collect();
    if out.json {
        return out.json(&predictions);
    }
    if args.csv {
        let row = |p: &Prediction<'_>| [p.left.to_owned(), p.right.to_owned(), p.probability.to_string()];
        return out.csv(["left", "right", "probability"], predictions.iter().map(row));
    }
    out.text(&describe(&predictions))
}

fn probabilities(
    model: &Model,
    pool: &Pool,
    pairs: &[(usize, usize)],
    sharp: bool,
    progress: bool,
) -> Result<Vec<f64>, Failure> {
    let probabilities = if sharp {
        let progress = Progress::start("predicting", pairs.len() as u64, progress);
        let one = |pair: &(usize, usize)| {
            let two = pool.points.select(&[pair.0, pair.1]);
            let answer = model.sharp_probabilities(&two, &[(0, 1)])?;
            progress.step();
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

fn describe(predictions: &[Prediction<'_>]) -> String {
    let mut table =
        Table::new([("left", Side::Left), ("right", Side::Left), ("left is preferred", Side::Right)]);
    for p in predictions {
        table.push([p.left.to_owned(), p.right.to_owned(), format!("{:.1} %", 100.0 * p.probability)]);
    }
    table.render()
}
