//! `rather suggest`: the comparisons whose answers would tell most.

use crate::args::SuggestArgs;
use crate::commands::many;
use crate::failure::Failure;
use crate::output::Output;
use crate::pool::{Pool, check_single, open};
use crate::table::{Side, Table, count, wrap};
use rather::acquisition::pool::{Pairs, Scored};
use rather::acquisition::{Acquisition, batch, believer};
use rather::design::never;
use rather::model::Model;
use rather_io::Saved;
use serde::Serialize;
use std::path::Path;

/// The most items whose pairs are looked at: their joint covariance is 32 MB.
const MOST_ITEMS: usize = 2_000;

/// One comparison to ask.
#[derive(Serialize)]
pub(crate) struct Suggestion<'a> {
    pub(crate) left: &'a str,
    pub(crate) right: &'a str,
    pub(crate) score: f64,
}

/// Runs the command.
pub(crate) fn run(args: &SuggestArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    let model = match open(&args.model, &mut out)? {
        Saved::Many(model) => return many::suggest::run(args, &model, seed, out),
        Saved::Single(model) => *model,
    };
    check_single(&args.model, &args.who)?;
    if args.newcomer {
        return Err(Failure::User(format!(
            "{} is a model of one person and has no use for --newcomer; rather fit --model collaborative makes a model of \
             many users",
            args.model.display()
        )));
    }
    let pool = match &args.pool {
        Some(path) => Pool::read(path, &model)?,
        None => Pool::of_model(&model),
    };
    let place = args.pool.as_ref().unwrap_or(&args.model);
    check(args, pool.keys.len(), place)?;
    let (pool, opponent) = against(&args.opponent, &model, pool, place)?;
    let (pool, opponent) = thinned(pool, opponent, &mut out);
    if let Some(sentence) = model.left_out_of_scores() {
        out.warn(sentence);
    }
    let chosen = choose(args, &model, &pool, opponent, seed)?;
    let suggestions: Vec<Suggestion<'_>> = chosen
        .iter()
        .map(|s| Suggestion { left: &pool.keys[s.opponent], right: &pool.keys[s.challenger], score: s.score })
        .collect();
    show(args, &suggestions, out)
}

/// Says what to ask.
pub(crate) fn show(
    args: &SuggestArgs,
    suggestions: &[Suggestion<'_>],
    mut out: Output,
) -> Result<(), Failure> {
    let found = suggestions.len() as u64;
    if found < u64::from(args.number) {
        out.warn(format!("{} comparisons were requested, but there are only {}", args.number, count(found)));
    }
    if out.json {
        return out.json(&suggestions);
    }
    if args.csv {
        let row = |s: &Suggestion<'_>| [s.left.to_owned(), s.right.to_owned(), s.score.to_string()];
        return out.csv(["left", "right", "score"], suggestions.iter().map(row));
    }
    out.text(&format!("{}\n{}", describe(suggestions), wrap(meaning(&args.acquisition))))
}

/// What can be said without looking at the model.
pub(crate) fn check(args: &SuggestArgs, items: usize, place: &Path) -> Result<(), Failure> {
    if items < 2 {
        let place = place.display();
        return Err(Failure::User(format!("{place} holds {items} item, and a comparison takes two")));
    }
    let acquisition = args.acquisition;
    if args.opponent == "any" && acquisition.needs_opponent() {
        return Err(Failure::User(format!(
            "\"{acquisition}\" compares each item with an opponent: add --opponent best, or the name of an item"
        )));
    }
    if let Acquisition::Qeubo { q: 3.. } = acquisition {
        return Err(Failure::User(format!(
            "\"{acquisition}\" is for choices among more than two items, and a comparison has two: take qeubo:2, or eubo, \
             which is the same without sampling"
        )));
    }
    Ok(())
}

/// The item that all others are set against, by its position in the pool, to which it is added if only the model has it.
fn against(
    opponent: &str,
    model: &Model,
    pool: Pool,
    place: &Path,
) -> Result<(Pool, Option<usize>), Failure> {
    match opponent {
        "any" => return Ok((pool, None)),
        "best" => {
            let best = model.rank(&pool.points).first().map(|r| r.item);
            return Ok((pool, best));
        }
        _ => {}
    }
    let at = |pool: &Pool| pool.keys.iter().position(|key| key == opponent);
    let pool =
        if at(&pool).is_none() && model.position(opponent).is_some() { pool.with_model(model) } else { pool };
    match at(&pool) {
        Some(i) => Ok((pool, Some(i))),
        None => Err(Failure::User(format!(
            "--opponent \"{opponent}\" is not an item of {}: write any, best, or an item as it is written there",
            place.display()
        ))),
    }
}

/// The pool, or evenly picked items of a large one, with the opponent.
fn thinned(pool: Pool, opponent: Option<usize>, out: &mut Output) -> (Pool, Option<usize>) {
    let items = pool.keys.len();
    if items <= MOST_ITEMS {
        return (pool, opponent);
    }
    out.warn(format!(
        "of {} items, {} at even distances were considered; use a smaller --pool to choose them",
        count(items as u64),
        count(MOST_ITEMS as u64)
    ));
    let mut picked: Vec<usize> = (0..MOST_ITEMS).map(|k| k * items / MOST_ITEMS).chain(opponent).collect();
    picked.sort_unstable();
    picked.dedup();
    let keys = picked.iter().map(|&i| pool.keys[i].clone()).collect();
    let opponent = opponent.map(|item| picked.partition_point(|&p| p < item));
    (Pool { keys, points: pool.points.select(&picked) }, opponent)
}

/// The best comparisons one after another, each as if the earlier ones had been answered.
fn choose(
    args: &SuggestArgs,
    model: &Model,
    pool: &Pool,
    opponent: Option<usize>,
    seed: u64,
) -> Result<Vec<Scored>, Failure> {
    let posterior = model.posterior()?;
    let believed = believer::posterior(&args.acquisition, posterior, seed)?;
    let joint = believed.joint(&pool.points);
    if !joint.mean.iter().all(|m| m.is_finite()) {
        return Err(Failure::User(
            "a utility is not a finite number: the features of an item are too far from those of the items learned from"
                .into(),
        ));
    }
    let pairs = opponent.map_or(Pairs::All, Pairs::Against);
    let request = batch::Request {
        acquisition: args.acquisition,
        s: posterior.s(),
        pairs,
        allowed: &|_, _| true,
        seed,
        stop: &never,
    };
    Ok(batch::greedy(&request, joint, args.number as usize)?)
}

fn describe(suggestions: &[Suggestion<'_>]) -> String {
    let mut table = Table::new([("left", Side::Left), ("right", Side::Left), ("score", Side::Right)]);
    for s in suggestions {
        table.push([s.left.to_owned(), s.right.to_owned(), format!("{:.4}", s.score)]);
    }
    table.render()
}

/// What the scores are.
fn meaning(acquisition: &Acquisition) -> &'static str {
    use Acquisition as A;
    match acquisition {
        A::Bald | A::BaldQuadrature => {
            "Score: expected information gain of the answer about the utilities (mutual information), in bits."
        }
        A::Entropy => "Score: entropy of the predicted answer, in bits.",
        A::Committee { .. } => "Score: disagreement of draws of the utilities about the answer, in bits.",
        A::Ivm => "Score: expected decrease of the entropy of the difference by the answer, in bits.",
        A::Random => "Score: random.",
        A::Ucb { .. } => {
            "Score: upper confidence bound of the difference, right minus left, in units of utility."
        }
        A::Improvement | A::Believer => {
            "Score: expected improvement of the right item over the left one, in units of utility."
        }
        A::AbsoluteUcb { .. } | A::AbsoluteImprovement => "Score: as published, on absolute utilities.",
        A::Eubo | A::Qeubo { .. } => {
            "Score: the expected utility of the better of the two, relative to the prior's mean, in units of utility."
        }
        A::Thompson => "Score: the sum of two drawn utilities, one a side.",
        A::Uncertain => "Score: the variance of the probability that the right item is preferred.",
        A::Best => "Score: the probability that one of the two is the best of all.",
    }
}
