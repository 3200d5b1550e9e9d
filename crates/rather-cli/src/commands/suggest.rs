//! `rather suggest`: the comparisons whose answers would tell most.

use crate::args::SuggestArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::people::{People, refuse};
use crate::pool::Pool;
use crate::table::{Side, Table, count, wrap};
use rather::acquisition::pool::{Pairs, Scored};
use rather::acquisition::sets::ScoredSet;
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

/// A set of which to ask for the best.
#[derive(Serialize)]
struct SuggestedSet {
    items: Vec<String>,
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
    if let Some(options) = args.options {
        let found = person.suggest_sets(&pool.points, (usize::from(options), args.number as usize), seed)?;
        return show_sets(args, usize::from(options), &pool.keys, &found, out);
    }
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

/// Says which sets to ask about.
fn show_sets(
    args: &SuggestArgs,
    options: usize,
    keys: &[String],
    found: &[ScoredSet],
    mut out: Output,
) -> Result<(), Failure> {
    let (wanted, there) = (args.number as usize, found.len());
    if there < wanted {
        out.warn(format!(
            "{wanted} sets were requested, but there are only {there} without a pair that is in another"
        ));
    }
    let names = |set: &ScoredSet| set.items.iter().map(|&item| keys[item].clone()).collect::<Vec<String>>();
    if out.json {
        let sets: Vec<SuggestedSet> =
            found.iter().map(|set| SuggestedSet { items: names(set), score: set.score }).collect();
        return out.json(&sets);
    }
    let header: Vec<String> = (1..=options).map(|k| format!("option_{k}")).collect();
    if args.csv {
        let row = |set: &ScoredSet| names(set).into_iter().chain([set.score.to_string()]).collect::<Vec<_>>();
        return out.csv(header.into_iter().chain(["score".to_owned()]), found.iter().map(row));
    }
    let columns = header.iter().map(|name| (name.as_str(), Side::Left)).chain([("score", Side::Right)]);
    let mut table = Table::new(columns);
    for set in found {
        table.push(names(set).into_iter().chain([format!("{:.4}", set.score)]));
    }
    let note = "Score: the information gain of the answer which of them is the best, in nats.";
    out.text(&format!("{}\n{}", table.render(), wrap(note)))
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
