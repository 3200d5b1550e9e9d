//! The votes of a table, or those of a saved board and later ones.

use crate::args::ArenaArgs;
use crate::failure::Failure;
use crate::output::Output;
use rather_arena::{Options, Votes};
use rather_io::{Saved, Table};
use std::path::Path;

/// Reads what the flags ask for.
pub(super) fn votes(args: &ArenaArgs, options: &Options, out: &mut Output) -> Result<Votes, Failure> {
    if is_board(&args.votes) { board(args, options, out) } else { table(args, options, out) }
}

/// Whether a file is a saved model, by its name.
fn is_board(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("rather"))
}

fn table(args: &ArenaArgs, options: &Options, out: &mut Output) -> Result<Votes, Failure> {
    if !args.add.is_empty() {
        return Err(Failure::User(format!(
            "--add adds votes to a board that -o saved (board.rather), and {} is a table of votes; save its board first",
            args.votes.display()
        )));
    }
    // Opened once, so that the table may come through a pipe; which columns there are is known then.
    let table = Table::open(&args.votes)?;
    Ok(Votes::of_table(table, &name(&args.votes), options, &mut |note| out.warn(note))?)
}

fn board(args: &ArenaArgs, options: &Options, out: &mut Output) -> Result<Votes, Failure> {
    let path = args.votes.display().to_string();
    let Saved::Single(model) = rather_io::load_saved(&args.votes)? else {
        return Err(Failure::User(format!(
            "{path} is a model of many users, and no board; learn one with rather arena -o"
        )));
    };
    let later = args.add.iter().map(|path| named(path)).collect::<Result<_, _>>()?;
    Ok(Votes::of_board(*model, &path, later, options, &mut |note| out.warn(note))?)
}

/// A table with its name.
fn named(path: &Path) -> Result<(String, Table), rather_io::Error> {
    Ok((name(path), Table::open(path)?))
}

/// What a table is called.
fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}
