//! `rather rank` on a model of many users.

use super::who::People;
use super::{Pool, too_far, units};
use crate::args::RankArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::pool::Line;
use crate::table::{count, wrap};
use rather::many::Population;

/// Runs the command.
pub(crate) fn run(args: &RankArgs, model: &Population, mut out: Output) -> Result<(), Failure> {
    let pool = match &args.items {
        Some(path) => Pool::read(path, model, false)?,
        None => Pool::of_model(model),
    };
    let people = People::read(model, &args.model, &args.who, &mut out)?;
    let ranking = people.asked()?.rank(&pool.items);
    if let Some(wrong) = ranking.iter().find(|r| !(r.mean.is_finite() && r.sd.is_finite())) {
        return Err(too_far(&format!("the utility of \"{}\"", pool.keys[wrong.item])));
    }
    let label = |key: &str| model.items().position(key).and_then(|i| model.items().label(i));
    let line = |(rank, place): (usize, rather::model::Ranked)| {
        let key = pool.keys[place.item].as_str();
        Line::new(rank, place, key, label(key))
    };
    let lines: Vec<Line<'_>> = (1..).zip(ranking).map(line).collect();
    let shown =
        args.top.map_or(lines.len(), |top| lines.len().min(usize::try_from(top).unwrap_or(usize::MAX)));
    let (best, rest) = lines.split_at(shown);
    if out.json {
        return out.json(&best);
    }
    if args.csv {
        return out.csv(Line::HEADER, best.iter().map(Line::row));
    }
    let more =
        if rest.is_empty() { String::new() } else { format!("… and {} more\n", count(rest.len() as u64)) };
    out.text(&format!("{}{more}\n{}", Line::table(best), wrap(&units(model))))
}
