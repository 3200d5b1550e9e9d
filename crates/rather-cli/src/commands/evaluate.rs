//! `rather evaluate`: how well answers are predicted that were not learned from.

mod kinds;

use crate::args::{By, EvaluateArgs, Ties};
use crate::data::{self, Sided, Tables, Users};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{Side, Table, count, counted, wrap};
use rather::Error;
use rather::answers::{Answer, Answers};
use rather::evaluate::{self, Calibration, Scores, Tested, cross_validate, hold_out, without_features};
use rather::model::FitSettings;
use rather::watch::Steps;
use rather_io::{ItemTable, Tied};
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Instant;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    accuracy: Option<f64>,
    log_loss: f64,
    brier: Option<f64>,
    comparisons: u64,
    folds: u32,
    seconds: f64,
    ece: f64,
    reliability: Vec<Bin>,
    baseline: Option<Baseline>,
    by: By,
    /// Each kind of answer, if there is more than plain comparisons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<KindReport>,
    #[serde(skip)]
    guessing: Scores,
}

/// The scores of one kind of answer.
#[derive(Serialize)]
struct KindReport {
    kind: &'static str,
    answers: u64,
    accuracy: Option<f64>,
    log_loss: f64,
    brier: Option<f64>,
    /// The log loss of equal probabilities for all that can be answered.
    guessing: Option<f64>,
}

impl KindReport {
    fn new(tested: &[Tested]) -> Self {
        let Scores { accuracy, log_loss, brier, comparisons } = Scores::of(tested);
        Self {
            kind: tested[0].kind.0.name(),
            answers: comparisons as u64,
            accuracy: number(accuracy),
            log_loss,
            brier: number(brier),
            guessing: number(Scores::guessing(tested).log_loss),
        }
    }

    /// One of each kind; none for comparisons alone that have two outcomes.
    fn of_each(tested: &[Tested]) -> Vec<Self> {
        if tested.iter().all(|t| t.given.is_some() && t.predicted.len() == 2) {
            return Vec::new();
        }
        let kinds: BTreeSet<&str> = tested.iter().map(|t| t.kind.0.name()).collect();
        let of = |kind: &str| tested.iter().filter(|t| t.kind.0.name() == kind).cloned().collect::<Vec<_>>();
        kinds.into_iter().map(|kind| Self::new(&of(kind))).collect()
    }
}

/// Answers whose scores have an average: those with probabilities, or densities where there is nothing else.
fn comparable(tested: &[Tested]) -> Vec<Tested> {
    let listed: Vec<Tested> = tested.iter().filter(|t| t.given.is_some()).cloned().collect();
    if listed.is_empty() { tested.to_vec() } else { listed }
}

/// What is a number.
fn number(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
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
    accuracy: Option<f64>,
    log_loss: f64,
    brier: Option<f64>,
    ece: f64,
}

impl Baseline {
    fn new(tested: &[Tested]) -> Self {
        let Scores { accuracy, log_loss, brier, .. } = Scores::of(&comparable(tested));
        let ece = Calibration::default_bins(tested).error();
        Self { accuracy: number(accuracy), log_loss, brier: number(brier), ece }
    }
}

impl Report {
    fn new(tested: &[Tested], baseline: Option<Baseline>, folds: u32, by: By, seconds: f64) -> Self {
        let scores = Scores::of(&comparable(tested));
        let calibration = Calibration::default_bins(tested);
        let bin = |b: &evaluate::Bin| {
            let &evaluate::Bin { from, to, predicted, observed, count } = b;
            Bin { from, to, predicted, observed, count: count as u64 }
        };
        Self {
            accuracy: number(scores.accuracy),
            log_loss: scores.log_loss,
            brier: number(scores.brier),
            comparisons: tested.iter().map(|t| t.count).sum::<f64>() as u64,
            folds,
            seconds,
            ece: calibration.error(),
            reliability: calibration.bins.iter().map(bin).collect(),
            baseline,
            by,
            kinds: KindReport::of_each(tested),
            guessing: Scores::guessing(tested),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &EvaluateArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    if let Some(users) = &args.users {
        return kinds::run(args, users.as_deref(), seed, out);
    }
    let start = Instant::now();
    let settings = data::settings(&args.model, &args.answers, seed)?;
    let flags = (&args.answers, &args.tables);
    let data =
        Tables::read(&args.items, &args.comparisons, Users::Pooled, flags, Sided::default(), &mut out)?;
    let test = match &args.test {
        Some(_) => Some(read_test(args, &data, &mut out)?),
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
        let (items, answers, users) = (&data.items, &data.answers, data.users.keys.as_slice());
        let folds = (by, folds as usize, seed);
        match &test {
            Some(test) => hold_out(items, answers.clone(), test, users, settings),
            None => cross_validate(items, (answers, users), folds, settings, &|_| fold_done()),
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

/// The answers to test on, whose ratings and words of strength are those learned from.
fn read_test(args: &EvaluateArgs, data: &Tables, out: &mut Output) -> Result<Answers, Failure> {
    let Some(path) = &args.test else { return Ok(Answers::default()) };
    let table = ItemTable::new(args.items.clone(), "item".to_owned(), data.items.keys.clone(), Vec::new())?;
    let tied = match args.tables.ties {
        // Of ties that nobody gave in what is learned from there is nothing to test.
        Ties::Learn if data.ties > 0 => Tied::Kept,
        ties => data::without_ties(ties),
    };
    let rankings = data::rankings(args.answers.rankings);
    let read = data::read_as(path, &table, (tied, rankings), &data.naming, out)?;
    // Somebody who is not in the table of answers has nothing that was learned.
    let known = |user: usize| data.users.keys.iter().position(|name| *name == read.users[user]);
    let of = |answer: Answer| {
        let user = answer.user().and_then(known).and_then(|user| u32::try_from(user).ok());
        Answer { reply: rather::likelihood::Reply { user, ..answer.reply }, ..answer }
    };
    Ok(read.answers.iter().map(of).collect())
}

fn check_folds(args: &EvaluateArgs, data: &Tables) -> Result<(), Failure> {
    let folds = args.folds;
    let answers: Vec<Answer> = data.answers.iter().collect();
    let (n, noun) = match args.by {
        By::Comparisons => (distinct(evaluate::projections(&answers)), "compared pair"),
        By::Items => (evaluate::compared(&answers).len(), "compared item"),
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
    let noun = if report.kinds.is_empty() { "comparison" } else { "answer" };
    let tested = counted(report.comparisons, noun);
    let last = wrap(&format!("{tested} tested, {how}, {:.2} seconds", report.seconds));
    let kinds = if report.kinds.is_empty() { None } else { Some(kinds(report)) };
    [Some(scores(report)), kinds, Some(reliability(report)), Some(last)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n")
}

fn scores(report: &Report) -> String {
    let guess = report.guessing;
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
            if own.is_some() {
                table.push([name.to_owned(), cell(own), cell(other), cell(guess)]);
            }
        };
    let other = report.baseline.as_ref();
    row("accuracy", &percent, [report.accuracy, number(guess.accuracy)], other.and_then(|b| b.accuracy));
    // Of densities there is no guess.
    let guessed = number(guess.log_loss);
    row("log loss, in nats", &four, [Some(report.log_loss), guessed], other.map(|b| b.log_loss));
    row("Brier score", &four, [report.brier, number(guess.brier)], other.and_then(|b| b.brier));
    let ece = report.accuracy.map(|_| report.ece);
    row("calibration error", &four, [ece, None], other.map(|b| b.ece));
    table.render()
}

/// The scores of each kind of answer.
fn kinds(report: &Report) -> String {
    let mut table = Table::new([
        ("kind of answer", Side::Left),
        ("answers", Side::Right),
        ("accuracy", Side::Right),
        ("log loss", Side::Right),
        ("guessing", Side::Right),
    ]);
    for kind in &report.kinds {
        let four = |x: f64| format!("{x:.4}");
        table.push([
            kind.kind.to_owned(),
            count(kind.answers),
            kind.accuracy.map(|x| format!("{:.2} %", 100.0 * x)).unwrap_or_default(),
            four(kind.log_loss),
            kind.guessing.map(four).unwrap_or_default(),
        ]);
    }
    table.render()
}

/// The bins that something was predicted in.
fn reliability(report: &Report) -> String {
    let mut table = Table::new([
        ("predicted", Side::Left),
        ("on average", Side::Right),
        ("observed", Side::Right),
        (if report.kinds.is_empty() { "comparisons" } else { "predictions" }, Side::Right),
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
