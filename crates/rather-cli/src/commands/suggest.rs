//! `rather suggest`: the comparisons whose answers would tell most.

use crate::args::SuggestArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::people::{People, refuse};
use crate::pool::Pool;
use crate::table::{Side, Table, count, wrap};
use rather::acquisition::pool::{Pairs, Scored};
use rather::acquisition::{MOST_ITEMS, Request};
use rather::{Error, Person};
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
    let fitted = Fitted::open(&args.model, &mut out)?;
    refuse(&fitted, args.newcomer.then_some("--newcomer"))?;
    let known = |name: &str| fitted.many().is_some_and(|model| model.users().position(name).is_some());
    if args.newcomer && args.who.user.as_deref().is_some_and(known) {
        return Err(Failure::User(
            "--newcomer asks for the first questions to somebody new, and --user names somebody known; keep one".to_owned(),
        ));
    }
    args.who.check_columns(false)?;
    let people = People::read(&fitted, &args.who, &mut out)?;
    let new = args.newcomer || args.who.given().is_none();
    let person = if new { people.someone_new()? } else { people.asked()? };
    let place = args.pool.as_ref().unwrap_or(&args.model);
    let pool = Pool::read(args.pool.as_deref(), fitted.items())?;
    let (pool, opponent) = against(&args.opponent, &person, pool, place)?;
    let pairs = opponent.map_or(Pairs::All, Pairs::Against);
    let request = Request::new(args.acquisition, pairs, args.number as usize, seed);
    let chosen = person.suggest(&pool.points, &request).map_err(|error| match error {
        Error::PoolSize { .. } => Failure::in_file(place, &error),
        _ => error.into(),
    })?;
    show(args, &pool.keys, &chosen, out)
}

/// Says what to ask about the items called `keys`.
fn show(args: &SuggestArgs, keys: &[String], chosen: &[Scored], mut out: Output) -> Result<(), Failure> {
    if keys.len() > MOST_ITEMS {
        let (all, considered) = (count(keys.len() as u64), count(MOST_ITEMS as u64));
        out.warn(format!(
            "of {all} items, {considered} at even distances were considered; use a smaller --pool to choose them"
        ));
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
    person: &Person<'_>,
    pool: Pool,
    place: &Path,
) -> Result<(Pool, Option<usize>), Failure> {
    match opponent {
        "any" => return Ok((pool, None)),
        "best" => {
            let best = person.rank(&pool.points).first().map(|r| r.item);
            return Ok((pool, best));
        }
        _ => {}
    }
    let at = |pool: &Pool| pool.keys.iter().position(|key| key == opponent);
    let known = person.items();
    let pool =
        if at(&pool).is_none() && known.position(opponent).is_some() { pool.with_model(known) } else { pool };
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
