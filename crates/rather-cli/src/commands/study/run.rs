//! `rather study run`: comparisons in the terminal.

use super::ask::comparison;
use super::best;
use super::keys::{Key, MOST_KEYS, read_key};
use super::tell::{sentence, undone};
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::output::{Output, printable};
use crate::table::counted;
use rather_study::{Ask, Error, Study};
use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Runs the command.
pub(super) fn run(args: &RunArgs, mut out: Output) -> Result<(), Failure> {
    if out.json {
        let problem = "run talks to a person; programs use `rather study ask` and `rather study tell`";
        return Err(Failure::User(problem.to_owned()));
    }
    let (mut study, participant) = args.which.open(&mut out)?;
    let definition = study.definition().clone();
    let mut lines = io::stdin().lock().take(MOST_KEYS).lines();
    let mut screen = out.interactive();
    loop {
        let asked = match study.ask(&participant)? {
            Ask::Duel(asked) => asked,
            Ask::Finished { answers } => {
                writeln!(screen, "{} given, thank you\n", counted(answers.into(), "answer"))?;
                break;
            }
        };
        writeln!(screen, "{}", comparison(&study, &asked))?;
        let key = meanwhile(args, &study, &participant, || read_key(&definition, &mut lines, &mut screen))?;
        let done = match key {
            Key::Answer(answer) => {
                study.tell(&participant, Some(asked.number), answer, None).map(|t| sentence(&t))
            }
            Key::Undo => study.undo(&participant, None).map(|t| undone(&t)),
            Key::Quit => break,
        };
        match done {
            Ok(sentence) => writeln!(screen, "{}\n", printable(&sentence))?,
            // Pressed once too often, or answered in another window: the next comparison shows where things are.
            Err(error @ (Error::NothingToUndo { .. } | Error::NotOpen { .. } | Error::NoOpenDuel { .. })) => {
                writeln!(screen, "{}\n", printable(&error.to_string()))?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    match study.advice(&participant) {
        Ok(advice) => write!(screen, "{}", best::text(&study, &advice, 5))?,
        Err(Error::NoAnswers { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(screen.flush()?)
}

/// Chooses ahead while `work`, which waits for a person, goes on.
fn meanwhile<T>(
    args: &RunArgs,
    study: &Study,
    participant: &str,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (answered, name) = (AtomicBool::new(false), study.name());
    thread::scope(|scope| {
        scope.spawn(|| {
            // What is not ready in time is chosen when it is asked for.
            if let Ok(mut study) = Study::open(&args.which.file, Some(name)) {
                let _ = study.plan_ahead(participant, &|| !answered.load(Ordering::Relaxed));
            }
        });
        let done = work();
        answered.store(true, Ordering::Relaxed);
        done
    })
}
