//! `rather evaluate`: how well answers are predicted that were not learned from.

mod column;
mod kinds;

use crate::args::{By, EvaluateArgs, Ties};
use crate::data::{self, Sided, Tables, Users};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{Side, Table, count, counted, wrap};
use column::Parts;
use rather::Error;
use rather::answers::{Answer, Answers};
use rather::context::Sides;
use rather::evaluate::{self, Calibration, Data, Fold, Scores, Tested, without_features};
use rather::model::FitSettings;
use rather::watch::Steps;
use rather_io::{ItemTable, Reading, Tied};
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Instant;

/// Parts, if nothing else is asked for.
const FOLDS: u32 = 5;

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
    /// By a column: each level or period.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<column::Part>,
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
            parts: Vec::new(),
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
    let kernel = Some(args.model.kernel.as_str());
    let any_column = settings.tries_columns();
    let sided = Sided { kernel, teams: true, by: args.by.column(), any_column };
    let mut tables = Tables::read(&args.items, &args.comparisons, Users::Pooled, flags, sided, &mut out)?;
    if args.period.is_some() && args.by.column().is_none() {
        return Err(Failure::User("--period is for --by COLUMN, a column of dates; name it".to_owned()));
    }
    let parts = args.by.column().map(|name| Parts::of(args, name, &mut tables)).transpose()?;
    let data = Data {
        items: &tables.items,
        sides: tables.context.as_ref(),
        answers: &tables.answers,
        users: &tables.users.keys,
    };
    let test = match &args.test {
        Some(_) => Some(read_test(args, &tables, &mut out)?),
        None => None,
    };
    let made;
    let folds: &[Fold] = match (&parts, &test) {
        (_, Some(_)) => &[],
        (Some(parts), None) => &parts.folds,
        (None, None) => {
            made = random_folds(args, &data, seed)?;
            &made
        }
    };
    let number = folds.len().max(1);
    let models = if args.no_baseline { 1 } else { 2 };
    // A single fit tells itself how far it is.
    let steps = test.is_none().then(|| Steps::start("evaluating", models * number));
    let fold_done = || {
        if let Some(steps) = &steps {
            steps.add(1);
        }
    };
    let tested = |settings: &FitSettings| -> Result<Vec<Vec<Tested>>, Error> {
        match &test {
            Some((test, sides)) => Ok(vec![data.hold_out((test, sides.as_ref()), settings)?]),
            None => data.validate(folds, settings, &|_| fold_done()),
        }
    };
    let both = tested(&settings).and_then(|model| {
        let baseline = if args.no_baseline { None } else { Some(tested(&without_features(&settings))?) };
        Ok((model, baseline))
    });
    let (model, baseline) = both.map_err(|error| data::explain(error, &args.model))?;
    let baseline = baseline.map(|tested| Baseline::new(&tested.concat()));
    let seconds = start.elapsed().as_secs_f64();
    let mut report = Report::new(&model.concat(), baseline, number as u32, args.by.clone(), seconds);
    report.parts = parts.map_or(Vec::new(), |parts| parts.scores(&model));
    if out.json { out.json(&report) } else { out.text(&describe(&report, test.is_some())) }
}

/// The answers to test on, whose ratings and words of strength are those learned from.
fn read_test(
    args: &EvaluateArgs,
    data: &Tables,
    out: &mut Output,
) -> Result<(Answers, Option<Sides>), Failure> {
    let Some(path) = &args.test else { return Ok(Default::default()) };
    let table = ItemTable::new(args.items.clone(), "item".to_owned(), data.items.keys.clone(), Vec::new())?;
    let tied = match args.tables.ties {
        // Of ties that nobody gave in what is learned from there is nothing to test.
        Ties::Learn if data.ties > 0 => Tied::Kept,
        ties => data::without_ties(ties),
    };
    let rankings = data::rankings(args.answers.rankings);
    let context: Vec<String> =
        data.context.iter().flat_map(|sides| &sides.columns).map(|c| c.column.name.clone()).collect();
    let teams = data.context.as_ref().is_some_and(|sides| !sides.teams.is_empty());
    let reading = Reading { rankings, context: &context, teams, roles: &args.tables.columns, ..Reading::ANY };
    let (read, sides) = data::read_as(path, &table, (tied, &reading), &data.naming, out)?;
    // Where the kernel is chosen it may name none of them.
    let is_chosen = args.model.kernel.trim().eq_ignore_ascii_case("auto");
    if data.context.is_some() && sides.is_none() && !is_chosen {
        return Err(Failure::User(format!(
            "{} has none of the columns of {}; give it the same",
            path.display(),
            args.comparisons.display()
        )));
    }
    // Somebody who is not in the table of answers has nothing that was learned.
    let known = |user: usize| data.users.keys.iter().position(|name| *name == read.users[user]);
    let of = |answer: Answer| {
        let user = answer.user().and_then(known).and_then(|user| u32::try_from(user).ok());
        Answer { reply: rather::likelihood::Reply { user, ..answer.reply }, ..answer }
    };
    Ok((read.answers.iter().map(of).collect(), sides))
}

/// As many folds as there should be, at random.
fn random_folds(args: &EvaluateArgs, data: &Data<'_>, seed: u64) -> Result<Vec<Fold>, Failure> {
    let folds = args.folds.unwrap_or(FOLDS);
    if args.by == By::Items && data.sides.is_some_and(|sides| !sides.teams.is_empty()) {
        let sentence =
            "--by items holds out items, and here teams are compared; take --by comparisons or a column";
        return Err(Failure::User(sentence.to_owned()));
    }
    let answers = data.about_entrants();
    let (by, n, noun) = match args.by {
        By::Items => (evaluate::By::Items, evaluate::compared(&answers).len(), "compared item"),
        _ => (evaluate::By::Comparisons, distinct(evaluate::projections(&answers)), "compared pair"),
    };
    if n < folds as usize {
        let there = if n == 1 { "there is" } else { "there are only" };
        return Err(Failure::User(format!(
            "{folds} folds need at least {folds} {noun}s, and {there} {}; {}",
            counted(n as u64, noun),
            if n >= 2 { "ask for fewer --folds" } else { "give --test PAIRS" }
        )));
    }
    let found = data.folds(by, folds as usize, seed, args.model.raw_features);
    found.map_err(|error| data::explain(error, &args.model))
}

fn distinct<T: Ord>(all: Vec<T>) -> usize {
    all.into_iter().collect::<BTreeSet<T>>().len()
}

fn describe(report: &Report, held_out: bool) -> String {
    let how = match &report.by {
        _ if held_out => "one model".to_owned(),
        By::Comparisons => format!("{} folds", count(u64::from(report.folds))),
        By::Items => format!("{} folds of unseen items", count(u64::from(report.folds))),
        By::Column(name) => format!("{} by {name}", counted(u64::from(report.folds), "fold")),
    };
    let noun = if report.kinds.is_empty() { "comparison" } else { "answer" };
    let tested = counted(report.comparisons, noun);
    let last = wrap(&format!("{tested} tested, {how}, {:.2} seconds", report.seconds));
    let kinds = if report.kinds.is_empty() { None } else { Some(kinds(report)) };
    let parts = match &report.by {
        By::Column(name) if !report.parts.is_empty() => Some(column::describe(name, &report.parts)),
        _ => None,
    };
    [Some(scores(report)), parts, kinds, Some(reliability(report)), Some(last)]
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
