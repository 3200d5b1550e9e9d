//! `rather rank`: items by utility, with intervals.

use crate::args::RankArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::people::People;
use crate::pool::Pool;
use crate::ranking::{PLACES, Placed, units};
use crate::table::wrap;

/// Runs the command.
pub(crate) fn run(args: &RankArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    args.who.check_columns(false)?;
    let mut fitted = Fitted::open(&args.model, &mut out)?;
    fitted.look_at(&args.at)?;
    let person = People::read(&fitted, &args.who, &mut out)?.asked()?;
    let pool = Pool::read(args.items.as_deref(), fitted.items())?;
    let top = args.probability_of_top.map(|top| usize::try_from(top).unwrap_or(usize::MAX));
    let lines = Placed::all(&person, &pool, top, seed)?;
    let shown =
        args.top.map_or(lines.len(), |top| lines.len().min(usize::try_from(top).unwrap_or(usize::MAX)));
    if out.json {
        return out.json(&&lines[..shown]);
    }
    if args.csv {
        let columns = if top.is_some() { Placed::HEADER.len() } else { Placed::HEADER.len() - 1 };
        let rows = lines[..shown].iter().map(|line| line.row().into_iter().take(columns));
        return out.csv(Placed::HEADER.into_iter().take(columns), rows);
    }
    let notes = format!("{}\n{PLACES}", units(person.hyperparameters()));
    out.text(&format!("{}\n{}", Placed::table(&lines, shown, top), wrap(&notes)))
}
