//! `rather evaluate`: how well comparisons are predicted that were not learned from.

use crate::args::{By, EvaluateArgs};
use crate::commands::many;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{Side, Table, count, counted, wrap};
use rather::Error;
use rather::evaluate::{self, Calibration, Scores, Tested, cross_validate, hold_out, without_features};
use rather::model::FitSettings;
use rather::watch::Steps;
use serde::Serialize;
use std::collections::BTreeSet;
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
    ece: f64,
    reliability: Vec<Bin>,
    baseline: Option<Baseline>,
    by: By,
}

#[derive(Serialize)]
struct Bin {
    from: f64,
    to: f64,
    predicted: Option<f64>,
    observed: Option<f64>,
    count: u64,
}

/// A model without features.
#[derive(Serialize)]
struct Baseline {
    accuracy: f64,
    log_loss: f64,
    brier: f64,
    ece: f64,
}

impl Baseline {
    fn new(tested: &[Tested]) -> Self {
        let Scores { accuracy, log_loss, brier, .. } = Scores::of(tested);
        Self { accuracy, log_loss, brier, ece: Calibration::default_bins(tested).error() }
    }
}

impl Report {
    fn new(tested: &[Tested], baseline: Option<Baseline>, folds: u32, by: By, seconds: f64) -> Self {
        let scores = Scores::of(tested);
        let calibration = Calibration::default_bins(tested);
        let bin = |b: &evaluate::Bin| {
            let &evaluate::Bin { from, to, predicted, observed, count } = b;
            Bin { from, to, predicted, observed, count: count as u64 }
        };
        Self {
            accuracy: scores.accuracy,
            log_loss: scores.log_loss,
            brier: scores.brier,
            comparisons: scores.comparisons as u64,
            folds,
            seconds,
            ece: calibration.error(),
            reliability: calibration.bins.iter().map(bin).collect(),
            baseline,
            by,
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &EvaluateArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    if let Some(users) = &args.users {
        return many::evaluate::run(args, users.as_deref(), seed, out);
    }
    let start = Instant::now();
    let settings = data::settings(&args.model, seed)?;
    let data = Data::read(&args.items, &args.comparisons, &args.tables, &mut out)?;
    let test = match &args.test {
        Some(path) => Some(data::read_comparisons(path, &data.table, args.tables.ties, &mut out)?),
        None => {
            check_folds(args, &data)?;
            None
        }
    };
    let folds = if test.is_some() { 1 } else { args.folds };
    let models = if args.no_baseline { 1 } else { 2 };
    // A single fit tells itself how far it is.
    let steps = test.is_none().then(|| Steps::start("evaluating", models * folds as usize));
    let fold_done = || {
        if let Some(steps) = &steps {
            steps.add(1);
        }
    };
    let by = match args.by {
        By::Comparisons => evaluate::By::Comparisons,
        By::Items => evaluate::By::Items,
    };
    let tested = |settings: &FitSettings| -> Result<Vec<Tested>, Error> {
        let (items, comparisons) = (&data.items, &data.comparisons);
        match &test {
            Some(test) => hold_out(items, comparisons, test, settings),
            None => cross_validate(items, comparisons, by, folds as usize, seed, settings, &|_| fold_done()),
        }
    };
    let both = tested(&settings).and_then(|model| {
        let baseline = if args.no_baseline { None } else { Some(tested(&without_features(&settings))?) };
        Ok((model, baseline))
    });
    let (model, baseline) = both.map_err(|error| data::explain(error, &args.model))?;
    let baseline = baseline.map(|tested| Baseline::new(&tested));
    let report = Report::new(&model, baseline, folds, args.by, start.elapsed().as_secs_f64());
    if out.json { out.json(&report) } else { out.text(&describe(&report, test.is_some())) }
}

fn check_folds(args: &EvaluateArgs, data: &Data) -> Result<(), Failure> {
    let folds = args.folds;
    let (n, noun) = match args.by {
        By::Comparisons => (distinct(evaluate::pairs(&data.comparisons)), "compared pair"),
        By::Items => (evaluate::compared(&data.comparisons).len(), "compared item"),
    };
    if n >= folds as usize {
        return Ok(());
    }
    let there = if n == 1 { "there is" } else { "there are only" };
    Err(Failure::User(format!(
        "{folds} folds need at least {folds} {noun}s, and {there} {}; {}",
        counted(n as u64, noun),
        if n >= 2 { "ask for fewer --folds" } else { "give --test PAIRS" }
    )))
}

fn distinct<T: Ord>(all: Vec<T>) -> usize {
    all.into_iter().collect::<BTreeSet<T>>().len()
}

fn describe(report: &Report, held_out: bool) -> String {
    let how = match report.by {
        _ if held_out => "one model".to_owned(),
        By::Comparisons => format!("{} folds", count(u64::from(report.folds))),
        By::Items => format!("{} folds of unseen items", count(u64::from(report.folds))),
    };
    let tested = counted(report.comparisons, "comparison");
    let last = wrap(&format!("{tested} tested, {how}, {:.2} seconds", report.seconds));
    [scores(report), reliability(report), last].join("\n")
}

fn scores(report: &Report) -> String {
    let guess = Scores::GUESSING;
    let mut table = Table::new([
        ("", Side::Left),
        ("model", Side::Right),
        ("no features", Side::Right),
        ("guessing", Side::Right),
    ]);
    let percent = |x: f64| format!("{:.2} %", 100.0 * x);
    let four = |x: f64| format!("{x:.4}");
    let mut row =
        |name: &str, shown: &dyn Fn(f64) -> String, [own, guess]: [Option<f64>; 2], other: Option<f64>| {
            let cell = |x: Option<f64>| x.map(shown).unwrap_or_default();
            table.push([name.to_owned(), cell(own), cell(other), cell(guess)]);
        };
    let other = report.baseline.as_ref();
    row("accuracy", &percent, [report.accuracy, guess.accuracy].map(Some), other.map(|b| b.accuracy));
    row("log loss, in nats", &four, [report.log_loss, guess.log_loss].map(Some), other.map(|b| b.log_loss));
    row("Brier score", &four, [report.brier, guess.brier].map(Some), other.map(|b| b.brier));
    row("calibration error", &four, [Some(report.ece), None], other.map(|b| b.ece));
    table.render()
}

/// The bins that something was predicted in.
fn reliability(report: &Report) -> String {
    let mut table = Table::new([
        ("predicted", Side::Left),
        ("on average", Side::Right),
        ("observed", Side::Right),
        ("comparisons", Side::Right),
    ]);
    let percent = |x: f64| format!("{:.1} %", 100.0 * x);
    for bin in &report.reliability {
        if let (Some(predicted), Some(observed)) = (bin.predicted, bin.observed) {
            let range = format!("{:.0} to {:.0} %", 100.0 * bin.from, 100.0 * bin.to);
            table.push([range, percent(predicted), percent(observed), count(bin.count)]);
        }
    }
    table.render()
}
