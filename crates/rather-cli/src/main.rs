//! The program `rather`: learn what people would rather have, from tables of comparisons.

mod args;
mod commands;
mod data;
mod failure;
mod fitted;
mod follow;
mod hint;
mod inference;
mod output;
mod page;
mod people;
mod pool;
mod progress;
mod ranking;
mod sampled;
mod table;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use output::{Output, say};
use rather::watch::Watch;
use std::panic;
use std::process::ExitCode;
use std::sync::Mutex;

/// Where the last panic happened, for the one sentence that is said about it.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    // The hook only takes notes: a panic that a library catches (a damaged Parquet file) is none of ours.
    panic::set_hook(Box::new(|panic| {
        if let (Some(at), Ok(mut place)) = (panic.location(), PANIC.lock()) {
            *place = format!(" at {}:{}", at.file(), at.line());
        }
    }));
    let finished = panic::catch_unwind(|| run(Cli::parse())).unwrap_or_else(|_| {
        let place = PANIC.lock().map(|p| p.clone()).unwrap_or_default();
        Err(Failure::Internal(format!("this is a bug in rather{place}; please report it with what you ran")))
    });
    match finished {
        // Whoever closed the pipe has read enough.
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Interrupted(sentence)) => {
            if let Some(sentence) = sentence {
                say("error", &sentence);
            }
            ExitCode::from(follow::INTERRUPTED)
        }
        Err(Failure::User(sentence)) => {
            say("error", &sentence);
            ExitCode::from(2)
        }
        Err(Failure::Internal(sentence)) => {
            say("error", &sentence);
            ExitCode::FAILURE
        }
    }
}

/// The stack of a thread, in bytes. While it waits for others it takes up other work on top of its own: a studio that a hundred people use at once
/// overflowed the usual 2 MiB.
const STACK: usize = 16 << 20;

fn run(cli: Cli) -> Result<(), Failure> {
    // As many as there are cores, if 0.
    let threads = cli.global.threads.map_or(0, usize::from);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .build_global()
        .map_err(|error| Failure::Internal(format!("could not start threads: {error}")))?;
    let watch = Watch::default();
    let out = Output::new(&cli.global, watch.clone(), !cli.command.talks());
    let command = || match cli.command {
        Command::Arena(args) => commands::arena::run(&args, cli.global.seed, out),
        Command::Fit(args) => commands::fit::run(&args, cli.global.seed, out),
        Command::Segments(args) => commands::segments::run(&args, cli.global.seed, out),
        Command::Shares(args) => commands::shares::run(&args, out),
        Command::Rank(args) => commands::rank::run(&args, cli.global.seed, out),
        Command::Suggest(args) => commands::suggest::run(&args, cli.global.seed, out),
        Command::Predict(args) => commands::predict::run(&args, cli.global.seed, out),
        Command::Evaluate(args) => commands::evaluate::run(&args, cli.global.seed, out),
        Command::Explain(args) => commands::explain::run(&args, cli.global.seed, out),
        Command::Plot(args) => commands::plot::run(&args, out),
        Command::Report(args) => commands::report::run(&args, cli.global.seed, out),
        Command::Sort(args) => commands::sort::run(&args, cli.global.seed, out),
        Command::Study(args) => commands::study::run(&args, cli.global.seed, out),
        Command::Studio(args) => commands::studio::run(&args, out),
        Command::Check(args) => commands::check::run(&args, cli.global.seed, out),
        Command::Licenses => commands::licenses::run(out),
    };
    watch.run(command).map_err(rather::Error::from)?
}
