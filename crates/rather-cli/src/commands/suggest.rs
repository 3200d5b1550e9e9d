//! `rather suggest`: the comparisons whose answers would tell most.

use crate::args::SuggestArgs;
use crate::commands::many;
use crate::failure::Failure;
use crate::output::Output;
use crate::pool::{Pool, check_single, open};
use crate::table::{Side, Table, count, wrap};
use rather::Error;
use rather::acquisition::pool::{Pairs, Scored};
use rather::acquisition::{MOST_ITEMS, PoolUtilities, Request, suggest};
use rather::model::Model;
use rather_io::Saved;
use serde::Serialize;
use std::path::Path;

/// One comparison to ask.
#[derive(Serialize)]
struct Suggestion<'a> {
    left: &'a str,
    right: &'a str,
    score: f64,
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
    let (pool, opponent) = against(&args.opponent, &model, pool, place)?;
    let utilities = PoolUtilities::of(model.belief(), &pool.points)?;
    let pairs = opponent.map_or(Pairs::All, Pairs::Against);
    let chosen = suggest(&utilities, &request(args, pairs, seed)).map_err(|error| match error {
        Error::PoolSize { .. } => Failure::in_file(place, &error),
        _ => error.into(),
    })?;
    show(args, &pool.keys, &chosen, "; use a smaller --pool to choose them", out)
}

/// What the flags ask for.
pub(crate) fn request<'a>(args: &SuggestArgs, pairs: Pairs<'a>, seed: u64) -> Request<'a> {
    Request::new(args.acquisition, pairs, args.number as usize, seed)
}

/// Says what to ask about the items called `keys`; with a `remedy` if they are too many to consider all.
pub(crate) fn show(
    args: &SuggestArgs,
    keys: &[String],
    chosen: &[Scored],
    remedy: &str,
    mut out: Output,
) -> Result<(), Failure> {
    if keys.len() > MOST_ITEMS {
        let (all, considered) = (count(keys.len() as u64), count(MOST_ITEMS as u64));
        out.warn(format!("of {all} items, {considered} at even distances were considered{remedy}"));
    }
    let suggestions: Vec<Suggestion<'_>> = chosen
        .iter()
        .map(|s| Suggestion { left: &keys[s.opponent], right: &keys[s.challenger], score: s.score })
        .collect();
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
    out.text(&format!(
        "{}\n{}",
        describe(&suggestions),
        wrap(&format!("Score: {}.", args.acquisition.meaning()))
    ))
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

fn describe(suggestions: &[Suggestion<'_>]) -> String {
    let mut table = Table::new([("left", Side::Left), ("right", Side::Left), ("score", Side::Right)]);
    for s in suggestions {
        table.push([s.left.to_owned(), s.right.to_owned(), format!("{:.4}", s.score)]);
    }
    table.render()
}
