//! `rather arena`: votes in, a leaderboard out that says how sure it is.

mod figure;
mod html;
mod markdown;
mod read;
mod text;

use crate::args::ArenaArgs;
use crate::failure::Failure;
use crate::follow::finish_on_ctrl_c;
use crate::hint;
use crate::output::Output;
use rather_arena::{Learned, Report};
use std::fs;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &ArenaArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    for (path, endings) in [(&args.html, ["html", "htm"]), (&args.svg, ["svg", "svg"])] {
        path.as_deref().map_or(Ok(()), |path| check_name(path, endings))?;
    }
    args.output.as_deref().map_or(Ok(()), rather_io::check_writable)?;
    let options = args.options();
    let votes = read::votes(args, &options, &mut out)?;
    finish_on_ctrl_c(out.watch().clone());
    let learned = Learned::of(votes, &options)?;
    if let Some(output) = &args.output {
        rather_io::save_model(output, &learned.model)?;
    }
    let mut report = Report::new(&learned, &options, seed)?;
    learned.model.report().notices.iter().map(hint::with_flags).for_each(|notice| out.warn(notice));
    report.warnings = out.warnings().to_vec();
    if let Some(path) = &args.svg {
        write(path, figure::board(&report)?.as_svg())?;
    }
    if let Some(path) = &args.html {
        write(path, &html::page(&report)?)?;
    }
    let failed = args.strict.then(|| report.problems()).filter(|problems| !problems.is_empty());
    let ended =
        failed.map_or(Ok(()), |problems| Err(Failure::User(format!("--strict: {}", problems.join("; ")))));
    let shown = args.top.map_or(usize::MAX, |top| usize::try_from(top).unwrap_or(usize::MAX));
    match (out.json, args.markdown) {
        (true, _) => out.json(&report),
        (_, true) => out.text(&markdown::page(&report, shown)),
        _ => out.text(&text::page(&report, shown)),
    }
    .and(ended)
}

fn check_name(path: &Path, endings: [&str; 2]) -> Result<(), Failure> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if !endings.iter().any(|ending| extension.as_deref() == Some(ending)) {
        let (path, ending) = (path.display(), endings[0]);
        return Err(Failure::User(format!("{path} is no .{ending} file; end its name in that")));
    }
    Ok(rather_io::check_writable(path)?)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text)
        .map_err(|error| Failure::User(format!("could not write {}: {error}", path.display())))
}
