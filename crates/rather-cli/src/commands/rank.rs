//! `rather rank`: items by utility, with intervals.

use crate::args::RankArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::people::People;
use crate::pool::Pool;
use crate::ranking::{Line, units};
use crate::table::wrap;

/// Runs the command.
pub(crate) fn run(args: &RankArgs, mut out: Output) -> Result<(), Failure> {
    args.who.check_columns(false)?;
    let mut fitted = Fitted::open(&args.model, &mut out)?;
    fitted.look_at(&args.at)?;
    let person = People::read(&fitted, &args.who, &mut out)?.asked()?;
    let pool = Pool::read(args.items.as_deref(), fitted.items())?;
    let lines = Line::all(&person, &pool)?;
    let shown =
        args.top.map_or(lines.len(), |top| lines.len().min(usize::try_from(top).unwrap_or(usize::MAX)));
    if out.json {
        return out.json(&&lines[..shown]);
    }
    if args.csv {
        return out.csv(Line::HEADER, lines[..shown].iter().map(Line::row));
    }
    out.text(&format!("{}\n{}", Line::table(&lines, shown), wrap(&units(person.hyperparameters()))))
}
