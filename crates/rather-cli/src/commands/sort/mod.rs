//! `rather sort`: a list in order, by a judge.

mod board;
mod judges;
mod person;
mod program;

use crate::args::SortArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{count, counted};
use rather_io::{ItemOptions, quote};
use rather_study::definition::Items;
use rather_study::sort::{Settings, Sort};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What asking judges came to, besides their answers.
#[derive(Debug, Default)]
struct Asked {
    /// Calls of judges, also those that failed.
    calls: u64,
    /// Questions that each judge failed to answer, by name.
    failures: HashMap<String, u64>,
    /// Whether Ctrl-C ended it.
    interrupted: bool,
    /// Why no judge is left, in a sentence.
    nobody: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &SortArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    if out.json && args.ask {
        let problem = "--ask talks to a person; for --json name a program with --judge";
        return Err(Failure::User(problem.to_owned()));
    }
    if out.json && args.csv {
        return Err(Failure::User(
            "--json and --csv are two forms of one output; take one of them".to_owned(),
        ));
    }
    let programs = program::Program::all(args)?;
    let file = file(args)?;
    let items = read(&args.list)?;
    let mut sort = Sort::open(&file, &items, &args.question, seed, settings(args, items.keys.len())?)?;
    let before = sort.progress()?.answers;
    if before > 0 {
        out.warn(format!(
            "going on after {} in {}",
            counted(before, "answer"),
            sort.study().path().display()
        ));
    }
    if args.ask {
        let asked = person::ask(&mut sort, args.both_orders, &mut out)?;
        return board::show(&mut sort, &asked, args, seed, out);
    }
    let asked = judges::ask(&mut sort, programs, args, &mut out)?;
    let ended = match &asked.nobody {
        _ if asked.interrupted => Err(Failure::Interrupted(None)),
        // Without an answer there is nothing to show.
        Some(sentence) if sort.answers()?.is_empty() => return Err(Failure::User(sentence.clone())),
        Some(sentence) => Err(Failure::User(sentence.clone())),
        None => Ok(()),
    };
    board::show(&mut sort, &asked, args, seed, out).and(ended)
}

fn settings(args: &SortArgs, items: usize) -> Result<Settings, Failure> {
    let mut settings = Settings::new(items);
    settings.goal = args.until.unwrap_or(settings.goal);
    settings.budget = args.budget.unwrap_or(settings.budget);
    settings.both_orders = args.both_orders;
    settings.acquisition = args.acquisition;
    // Before anybody is asked.
    settings.acquisition().check(false)?;
    Ok(settings)
}

/// The study beside the list.
fn file(args: &SortArgs) -> Result<PathBuf, Failure> {
    match &args.study {
        Some(path) => Ok(path.clone()),
        None if args.list == Path::new("-") => Err(Failure::User(
            "a list from standard input has no name; name the study with --study FILE".to_owned(),
        )),
        None => Ok(args.list.with_extension("study")),
    }
}

/// The items of a text with one a line, or of a table.
fn read(list: &Path) -> Result<Items, Failure> {
    let ending = list.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let items = if matches!(ending.as_deref(), Some("txt" | "md" | "list") | None) {
        Items { keys: lines(list)?, columns: Vec::new() }
    } else {
        let table = rather_io::read_items(list, &ItemOptions { complete: true, ..Default::default() })?;
        Items { keys: table.keys, columns: table.columns }
    };
    if items.keys.len() < 2 {
        let found = counted(items.keys.len() as u64, "item");
        return Err(Failure::User(format!("{} has {found}; sorting needs two at least", list.display())));
    }
    Ok(items)
}

/// The lines of a text, empty ones left out.
fn lines(list: &Path) -> Result<Vec<String>, Failure> {
    let shown = list.display();
    let bytes = if list == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map(|_| bytes)
    } else {
        std::fs::read(list)
    };
    let bytes = bytes.map_err(|error| Failure::User(format!("{shown} could not be read: {error}")))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::User(format!("{shown} is not UTF-8 text; save the file as UTF-8")))?;
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut keys = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let key = line.trim();
        if key.is_empty() {
            continue;
        }
        if let Some(first) = seen.insert(key, number) {
            return Err(Failure::User(format!(
                "{shown}, line {number}: {} stands in line {} already; keep one of them",
                quote(key),
                count(first as u64)
            )));
        }
        keys.push(key.to_owned());
    }
    Ok(keys)
}
