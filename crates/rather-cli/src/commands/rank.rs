//! `rather rank`: items by utility, with intervals.

use crate::args::RankArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::pool::{Line, Pool, load};
use crate::table::{count, wrap};
use rather::model::Model;

/// Runs the command.
pub(crate) fn run(args: &RankArgs, mut out: Output) -> Result<(), Failure> {
    let model = load(&args.model, &mut out)?;
    let pool = match &args.items {
        Some(path) => Pool::read(path, &model)?,
        None => Pool::of_model(&model),
    };
    let lines = rank(&model, &pool)?;
    let shown =
        args.top.map_or(lines.len(), |top| lines.len().min(usize::try_from(top).unwrap_or(usize::MAX)));
    let (best, rest) = lines.split_at(shown);
    if out.json {
        return out.json(&best);
    }
    if args.csv {
        let row = |line: &Line<'_>| {
            [line.item.to_owned(), line.mean.to_string(), line.sd.to_string(), line.rank.to_string()]
        };
        return out.csv(["item", "mean", "sd", "rank"], best.iter().map(row));
    }
    let more =
        if rest.is_empty() { String::new() } else { format!("… and {} more\n", count(rest.len() as u64)) };
    out.text(&format!("{}{more}\n{}", Line::table(best), wrap(&Line::units(&model))))
}

fn rank<'a>(model: &'a Model, pool: &'a Pool) -> Result<Vec<Line<'a>>, Failure> {
    let ranking = model.rank(&pool.points);
    if let Some(wrong) = ranking.iter().find(|r| !(r.mean.is_finite() && r.sd.is_finite())) {
        return Err(Failure::User(format!(
            "the utility of \"{}\" is not a finite number: its features are too far from those of the items learned from",
            pool.keys[wrong.item]
        )));
    }
    let label = |key: &str| model.position(key).and_then(|i| model.label(i));
    let line = |(rank, place): (usize, rather::model::Ranked)| {
        let key = pool.keys[place.item].as_str();
        Line::new(rank, place, key, label(key))
    };
    Ok((1..).zip(ranking).map(line).collect())
}
