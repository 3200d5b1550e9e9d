//! `rather evaluate`: how well comparisons are predicted that were not learned from.

use crate::args::EvaluateArgs;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Side, Table, count, counted, wrap};
use rather::evaluate::{Scores, cross_validate, hold_out};
use serde::Serialize;
use std::time::Instant;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    accuracy: f64,
    log_loss: f64,
    brier: f64,
    comparisons: u64,
    folds: u32,
    seconds: f64,
}

/// Runs the command.
pub(crate) fn run(args: &EvaluateArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    let start = Instant::now();
    let settings = data::settings(&args.model)?;
    let data = Data::read(&args.items, &args.comparisons, &args.tables, &mut out)?;
    let test = match &args.test {
        Some(path) => Some(data::read_comparisons(path, &data.table, args.tables.ties, &mut out)?.0),
        None => {
            check_folds(args.folds, data.comparisons.len())?;
            None
        }
    };
    let folds = if test.is_some() { 1 } else { args.folds };
    let progress = Progress::start("evaluating", u64::from(folds), out.shows_progress());
    let scores = match &test {
        Some(test) => hold_out(&data.items, &data.comparisons, test, &settings),
        None => {
            let folds = folds as usize;
            cross_validate(&data.items, &data.comparisons, folds, seed, &settings, &|_| progress.step())
        }
    };
    drop(progress);
    let scores = scores.map_err(|error| data::explain(error, &args.model))?;
    let report = Report {
        accuracy: scores.accuracy,
        log_loss: scores.log_loss,
        brier: scores.brier,
        comparisons: scores.comparisons as u64,
        folds,
        seconds: start.elapsed().as_secs_f64(),
    };
    if out.json { out.json(&report) } else { out.text(&describe(&report, test.is_some())) }
}

fn check_folds(folds: u32, comparisons: usize) -> Result<(), Failure> {
    if comparisons >= folds as usize {
        return Ok(());
    }
    let there = if comparisons == 1 { "there is" } else { "there are only" };
    Err(Failure::User(format!(
        "{folds} folds need at least {folds} comparisons, and {there} {}; {}",
        counted(comparisons as u64, "comparison"),
        if comparisons >= 2 { "ask for fewer --folds" } else { "give --test PAIRS" }
    )))
}

fn describe(report: &Report, held_out: bool) -> String {
    let guess = Scores::GUESSING;
    let mut table = Table::new([("", Side::Left), ("predicted", Side::Right), ("guessing", Side::Right)]);
    let percent = |x: f64| format!("{:.2} %", 100.0 * x);
    let four = |x: f64| format!("{x:.4}");
    table.push(["accuracy".into(), percent(report.accuracy), percent(guess.accuracy)]);
    table.push(["log loss, in nats".into(), four(report.log_loss), four(guess.log_loss)]);
    table.push(["Brier score".into(), four(report.brier), four(guess.brier)]);
    let how =
        if held_out { "one model".to_owned() } else { format!("{} folds", count(u64::from(report.folds))) };
    let tested = counted(report.comparisons, "comparison");
    format!("{}\n{}", table.render(), wrap(&format!("{tested} tested, {how}, {:.2} seconds", report.seconds)))
}
