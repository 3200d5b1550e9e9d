//! `rather rank`: items by utility, with intervals.

use crate::args::RankArgs;
use crate::commands::many;
use crate::failure::Failure;
use crate::output::Output;
use crate::pool::{Line, Pool, check_single, open};
use crate::table::{count, wrap};
use rather::model::Model;
use rather_io::Saved;

/// Runs the command.
pub(crate) fn run(args: &RankArgs, mut out: Output) -> Result<(), Failure> {
    let model = match open(&args.model, &mut out)? {
        Saved::Many(model) => return many::rank::run(args, &model, out),
        Saved::Single(model) => model,
    };
    check_single(&args.model, &args.who)?;
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
        return out.csv(Line::HEADER, best.iter().map(Line::row));
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
