//! `rather evaluate`: how well answers are predicted that were not learned from.

mod baselines;
mod column;
mod conclusion;
mod kinds;
mod scores;

use crate::args::{By, EvaluateArgs, Ties};
use crate::data::{self, Sided, Tables, Users};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{Side, Table, count, counted, wrap};
use baselines::Baseline;
use column::Parts;
use rather::Error;
use rather::answers::{Answer, Answers};
use rather::context::Sides;
use rather::evaluate::{self, Calibration, Data, Fold, OfGames, Scores, Tested};
use rather::model::FitSettings;
use rather::watch::Steps;
use rather_io::{ItemTable, Reading, Tied};
use scores::{More, Numbers, number};
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
    /// Items by name only.
    baseline: Option<Names>,
    by: By,
    #[serde(flatten)]
    more: More,
    /// All baselines on the same folds.
    baselines: Vec<Baseline>,
    /// What answers share whose errors may go together, in the standard errors of differences.
    clusters: &'static str,
    /// What the differences come to.
    conclusion: Option<String>,
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
    #[serde(flatten)]
    more: More,
    /// The log loss of equal probabilities for all that can be answered.
    guessing: Option<f64>,
}

impl KindReport {
    fn new(tested: &[Tested]) -> Self {
        let Scores { accuracy, log_loss, brier, comparisons, .. } = Scores::of(tested);
        Self {
            kind: tested[0].kind.0.name(),
            answers: comparisons as u64,
            accuracy: number(accuracy),
            log_loss,
            brier: number(brier),
            more: More::new(tested),
            guessing: number(Scores::guessing(tested).log_loss),
        }
    }

    /// One of each kind; none for comparisons alone that have two outcomes.
    fn of_each(tested: &[Tested]) -> Vec<Self> {
        if tested.iter().all(|t| t.given.is_some() && t.predicted.len() == 2 && t.value.is_none()) {
            return Vec::new();
        }
        let kinds: BTreeSet<&str> = tested.iter().map(|t| t.kind.0.name()).collect();
        let of = |kind: &str| tested.iter().filter(|t| t.kind.0.name() == kind).cloned().collect::<Vec<_>>();
        kinds.into_iter().map(|kind| Self::new(&of(kind))).collect()
    }
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
struct Names {
    accuracy: Option<f64>,
    log_loss: f64,
    brier: Option<f64>,
    ece: f64,
}

impl Report {
    fn new(tested: &[Tested], baselines: Vec<Baseline>, folds: u32, by: By, seconds: f64) -> Self {
        let Numbers { accuracy, log_loss, brier, ece, more } = Numbers::new(tested);
        let calibration = Calibration::default_bins(tested);
        let bin = |b: &evaluate::Bin| {
            let &evaluate::Bin { from, to, predicted, observed, count } = b;
            Bin { from, to, predicted, observed, count: count as u64 }
        };
        let names = baselines.iter().find(|b| b.name == baselines::Name::Names).map(|b| {
            let Numbers { accuracy, log_loss, brier, ece, .. } = b.numbers;
            Names { accuracy, log_loss, brier, ece }
        });
        let against: Vec<_> = baselines.iter().map(Baseline::against).collect();
        Self {
            accuracy,
            log_loss,
            brier,
            comparisons: tested.iter().map(|t| t.count).sum::<f64>() as u64,
            folds,
            seconds,
            ece,
            reliability: calibration.bins.iter().map(bin).collect(),
            baseline: names,
            clusters: if by == By::Users { "users" } else { "pairs" },
            by,
            more,
            baselines,
            conclusion: conclusion::conclusion(log_loss, &against),
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
    let sided =
        Sided { kernel, teams: true, by: args.by.column(), any_column, of_users: args.model.of_users() };
    let mut tables =
        Tables::read(args.items.as_deref(), &args.comparisons, Users::Pooled, flags, sided, &mut out)?;
    if args.period.is_some() && args.by.column().is_none() {
        return Err(period_without_column());
    }
    let parts = args.by.column().map(|name| Parts::of(args, name, kernel, &mut tables)).transpose()?;
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
            made = random_folds(args, &data, false, seed)?;
            &made
        }
    };
    let number = folds.len().max(1);
    let has_features = !rather::features::Encoder::fit(&tables.items.columns, false).0.features.is_empty();
    let library = baselines::of_library(&args.baselines.0, &settings, (&tables.answers, has_features));
    // A single fit tells itself how far it is.
    let steps = test.is_none().then(|| Steps::start("evaluating", (1 + library.len()) * number));
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
    let model = tested(&settings).map_err(|error| data::explain(error, &args.model))?;
    let mut found = baselines::test(library, tested, &mut out)?;
    for &name in &args.baselines.0 {
        let Some(of_games) = name.of_games() else { continue };
        let predicted = match &test {
            // Teams and columns of a test table have no ratings.
            Some((_, Some(_))) => None,
            Some((test, None)) => of_test(of_games, &data, test, &model[0]),
            None => evaluate::of_folds(of_games, &data, folds, parts.as_ref().and_then(Parts::times), &model),
        };
        found.extend(predicted.map(|predicted| (name, predicted)));
    }
    // What each answer is about, or by whom: its cluster.
    let about = data.about_entrants();
    let rows: Vec<Answer> = match &test {
        Some((test, _)) => test.iter().collect(),
        None => folds.iter().flat_map(|fold| fold.test.iter().map(|&row| about[row])).collect(),
    };
    let by_users = args.by == By::Users;
    let pairs = evaluate::projections(&rows);
    let cluster = |(row, pair)| if by_users { (Answer::user(row), None) } else { (None, Some(pair)) };
    let clusters: Vec<_> = rows.iter().zip(pairs).map(cluster).collect();
    let flat = model.concat();
    let of = |(name, found): baselines::Found| Baseline::new(name, &found.concat(), &flat, &clusters);
    let baselines = found.into_iter().map(of).collect();
    let seconds = start.elapsed().as_secs_f64();
    let mut report = Report::new(&flat, baselines, number as u32, args.by.clone(), seconds);
    report.parts = parts.map_or(Vec::new(), |parts| parts.scores(&model));
    if out.json { out.json(&report) } else { out.text(&describe(&report, test.is_some())) }
}

fn period_without_column() -> Failure {
    Failure::User("--period is for --by COLUMN, a column of dates; name it".to_owned())
}

/// What a baseline that takes answers for games predicts of a test table after all answers.
fn of_test(of_games: OfGames, data: &Data<'_>, test: &Answers, like: &[Tested]) -> Option<Vec<Vec<Tested>>> {
    if data.sides.is_some() {
        return None;
    }
    let training: Vec<Answer> = data.answers.iter().collect();
    let test: Vec<Answer> = test.iter().collect();
    of_games(&training, &test, data.items.keys.len(), like).map(|found| vec![found])
}

/// The answers to test on, whose ratings and words of strength are those learned from.
fn read_test(
    args: &EvaluateArgs,
    data: &Tables,
    out: &mut Output,
) -> Result<(Answers, Option<Sides>), Failure> {
    let Some(path) = &args.test else { return Ok(Default::default()) };
    let items = args.items.as_ref().unwrap_or(&args.comparisons).clone();
    let table = ItemTable::new(items, data.key_name.clone(), data.items.keys.clone(), Vec::new())?;
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

/// As many folds as there should be, at random; users may be told apart.
fn random_folds(args: &EvaluateArgs, data: &Data<'_>, apart: bool, seed: u64) -> Result<Vec<Fold>, Failure> {
    let folds = args.folds.unwrap_or(FOLDS);
    if args.by == By::Items && data.sides.is_some_and(|sides| !sides.teams.is_empty()) {
        let sentence = "--by items holds out items, and here teams are compared; take --by pairs or a column";
        return Err(Failure::User(sentence.to_owned()));
    }
    let answers = data.about_entrants();
    let (by, n, noun) = match args.by {
        By::Items => (evaluate::By::Items, evaluate::compared(&answers).len(), "compared item"),
        By::Comparisons => (evaluate::By::Comparisons, answers.len(), "comparison"),
        By::Users => {
            let users = distinct(answers.iter().map(Answer::user).collect());
            if users < 2 {
                return Err(no_users(args));
            }
            (evaluate::By::Users, users, "user")
        }
        _ if apart => {
            let about = evaluate::projections(&answers);
            let keys = answers.iter().map(Answer::user).zip(about).collect();
            (evaluate::By::PairsOfUsers, distinct(keys), "pair that a user has compared")
        }
        _ => (evaluate::By::Pairs, distinct(evaluate::projections(&answers)), "compared pair"),
    };
    if n < folds as usize {
        let there = if n == 1 { "there is" } else { "there are only" };
        return Err(Failure::User(format!(
            "{folds} folds need at least {folds} {}, and {there} {}; {}",
            plural(noun),
            if n == 1 { format!("1 {noun}") } else { format!("{} {}", count(n as u64), plural(noun)) },
            if n >= 2 { "ask for fewer --folds" } else { "give --test PAIRS" }
        )));
    }
    let found = data.folds(by, folds as usize, seed, args.model.raw_features);
    found.map_err(|error| data::explain(error, &args.model))
}

/// More than one of them.
fn plural(noun: &str) -> String {
    match noun.split_once(" that") {
        Some((pair, rest)) => format!("{pair}s that{rest}"),
        None => format!("{noun}s"),
    }
}

fn no_users(args: &EvaluateArgs) -> Failure {
    Failure::User(format!(
        "--by users holds out whole users, and {} has no column \"user\" with at least two of them; take --by pairs",
        args.comparisons.display()
    ))
}

fn distinct<T: Ord>(all: Vec<T>) -> usize {
    all.into_iter().collect::<BTreeSet<T>>().len()
}

fn describe(report: &Report, held_out: bool) -> String {
    let how = match &report.by {
        _ if held_out => "one model".to_owned(),
        By::Pairs => format!("{} folds of pairs", count(u64::from(report.folds))),
        By::Comparisons => format!("{} folds of single comparisons", count(u64::from(report.folds))),
        By::Users => format!("{} folds of unseen users", count(u64::from(report.folds))),
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
    let sentence = report
        .conclusion
        .as_ref()
        .map(|sentence| wrap(&format!("{sentence} Standard errors are by {}.", report.clusters)));
    [Some(scores(report)), sentence, parts, kinds, Some(reliability(report)), Some(last)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n")
}

/// The model, the baselines and guessing, side by side.
fn scores(report: &Report) -> String {
    let guess = report.guessing;
    let baselines = &report.baselines;
    let heads = baselines.iter().map(|b| (b.name.heading(), Side::Right));
    let columns = [("", Side::Left), ("model", Side::Right)].into_iter().chain(heads);
    let mut table = Table::new(columns.chain([("guessing", Side::Right)]));
    let percent = |x: f64| format!("{:.2} %", 100.0 * x);
    let four = |x: f64| format!("{x:.4}");
    let own = Numbers {
        accuracy: report.accuracy,
        log_loss: report.log_loss,
        brier: report.brier,
        ece: report.ece,
        more: report.more,
    };
    let mut row = |name: &str, shown: &dyn Fn(f64) -> String, of: &dyn Fn(&Numbers) -> Option<f64>, guess| {
        let cell = |x: Option<f64>| x.map(shown).unwrap_or_default();
        if of(&own).is_some() {
            let all = std::iter::once(&own).chain(baselines.iter().map(|b| &b.numbers)).map(of);
            table.push(std::iter::once(name.to_owned()).chain(all.chain([guess]).map(cell)));
        }
    };
    row("accuracy", &percent, &|n| n.accuracy, number(guess.accuracy));
    // Of densities there is no guess.
    row("log loss, in nats", &four, &|n| Some(n.log_loss), number(guess.log_loss));
    row("Brier score", &four, &|n| n.brier, number(guess.brier));
    // Of two outcomes it is that of Brier.
    let is_ordered = report.more.rps != report.brier;
    row("ranked probability score", &four, &|n| n.more.rps.filter(|_| is_ordered), number(guess.rps));
    row("CRPS", &four, &|n| n.more.crps, None);
    row("in 50 % intervals", &percent, &|n| n.more.coverage_50, None);
    row("in 95 % intervals", &percent, &|n| n.more.coverage_95, None);
    row("calibration error", &four, &|n| n.accuracy.map(|_| n.ece), None);
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
        ("CRPS", Side::Right),
        ("in 50 %", Side::Right),
        ("in 95 %", Side::Right),
    ]);
    for kind in &report.kinds {
        let four = |x: f64| format!("{x:.4}");
        let percent = |x: f64| format!("{:.1} %", 100.0 * x);
        table.push([
            kind.kind.to_owned(),
            count(kind.answers),
            kind.accuracy.map(|x| format!("{:.2} %", 100.0 * x)).unwrap_or_default(),
            four(kind.log_loss),
            kind.guessing.map(four).unwrap_or_default(),
            kind.more.crps.map(four).unwrap_or_default(),
            kind.more.coverage_50.map(percent).unwrap_or_default(),
            kind.more.coverage_95.map(percent).unwrap_or_default(),
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
