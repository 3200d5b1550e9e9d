//! `rather evaluate --users`: all models of many users on the same folds.

use super::column::Parts;
use super::scores::More;
use crate::args::{Baselines, By, EvaluateArgs};
use crate::data::{self, Sided, Tables, Users};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{Side, Table, counted, wrap};
use rather::Error;
use rather::answers::{Answer, Answers};
use rather::evaluate::{About, Data, Fold, Paired, Scores, Tested, projections, tested_of_user};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::watch::Steps;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    comparisons: u64,
    users: usize,
    folds: u32,
    seconds: f64,
    models: Vec<Line>,
    /// The model to use.
    best: Kind,
    /// Those whose log loss is within two standard errors of the best one's.
    as_good: Vec<Kind>,
    sentence: String,
    warnings: Vec<String>,
    #[serde(skip)]
    guessing: Scores,
}

/// One model.
#[derive(Serialize)]
struct Line {
    model: Kind,
    accuracy: f64,
    log_loss: f64,
    brier: f64,
    seconds: f64,
    #[serde(flatten)]
    more: More,
    /// Log loss above the best model's, and the standard error of that.
    behind: f64,
    behind_error: f64,
    #[serde(skip)]
    tested: Vec<Tested>,
}

/// Runs the command.
pub(super) fn run(
    args: &EvaluateArgs,
    users: Option<&Path>,
    seed: u64,
    mut out: Output,
) -> Result<(), Failure> {
    let start = Instant::now();
    let single = [("--test", args.test.is_some()), ("--baselines", args.baselines != Baselines::default())];
    if let Some((flag, _)) = single.into_iter().find(|(_, given)| *given) {
        return Err(Failure::User(format!(
            "{flag} is for a model of one person; with --users, models are compared on the same folds"
        )));
    }
    let flags = (&args.answers, &args.tables);
    let sided = Sided { by: args.by.column(), of_users: args.model.of_users(), ..Sided::default() };
    let mut tables =
        Tables::read(args.items.as_deref(), &args.comparisons, Users::Apart(users), flags, sided, &mut out)?;
    let folds = match args.by.column() {
        Some(name) => Parts::of(args, name, None, &mut tables)?.folds,
        None if args.period.is_some() => return Err(super::period_without_column()),
        None => {
            let (items, answers, users) = (&tables.items, &tables.answers, &tables.users.keys);
            super::random_folds(args, &Data { items, sides: None, answers, users }, true, seed)?
        }
    };
    let rows: Vec<Answer> = tables.answers.iter().collect();
    let steps = Steps::start("evaluating", Kind::ALL.len() * folds.len());
    let (mut lines, mut failures) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let settings = data::settings_of_many(&args.model, &args.answers, kind, seed)?;
        let begun = Instant::now();
        match tested(&tables, &settings, &folds, &steps) {
            Ok(tested) => lines.push(Line::new(kind, tested, begun.elapsed().as_secs_f64())),
            // One that fails says nothing against the others.
            Err(error) => failures.push((kind, error)),
        }
    }
    if lines.is_empty() {
        let error = failures.into_iter().next().map_or(Error::Inference, |(_, error)| error);
        return Err(data::explain(error, &args.model));
    }
    for (kind, error) in failures {
        out.warn(format!("the {} model is left out: {error}", kind.name()));
    }
    let clusters = clusters(&folds, &rows, args.by == By::Users);
    let size = (folds.len() as u32, &clusters[..]);
    let report = Report::new(lines, &tables, size, out.warnings().to_vec(), start.elapsed().as_secs_f64())?;
    if out.json { out.json(&report) } else { out.text(&describe(&report)) }
}

/// What a fold tests, one user after the other.
fn by_user(fold: &Fold, answers: &[Answer]) -> Vec<usize> {
    let mut rows = fold.test.clone();
    rows.sort_by_key(|&row| (answers[row].user(), row));
    rows
}

/// Who said what is tested, in that order, and unless whole users are held out of which pair.
fn clusters(folds: &[Fold], answers: &[Answer], by_users: bool) -> Vec<(Option<usize>, Option<About>)> {
    let rows: Vec<Answer> =
        folds.iter().flat_map(|fold| by_user(fold, answers)).map(|row| answers[row]).collect();
    let about = projections(&rows);
    rows.iter().zip(about).map(|(a, pair)| (a.user(), (!by_users).then_some(pair))).collect()
}

/// Every comparison once, on a model of the other parts.
fn tested(
    tables: &Tables,
    settings: &PopulationSettings,
    folds: &[Fold],
    steps: &Steps,
) -> Result<Vec<Tested>, Error> {
    let answers: Vec<Answer> = tables.answers.iter().collect();
    let mut out = Vec::with_capacity(answers.len());
    for fold in folds {
        let training: Answers = fold.training.iter().map(|&row| answers[row]).collect();
        let data = PopulationData { items: &tables.items, users: &tables.users, answers: &training };
        let model = Population::fit(&data, settings, &|_| ())?;
        let rows = by_user(fold, &answers);
        for of_user in rows.chunk_by(|&a, &b| answers[a].user() == answers[b].user()) {
            let user = answers[of_user[0]].user().unwrap_or_default();
            let own: Answers = of_user.iter().map(|&row| answers[row]).collect();
            out.extend(tested_of_user(model.model(), user, &own)?);
        }
        steps.add(1);
    }
    Ok(out)
}

impl Line {
    fn new(model: Kind, tested: Vec<Tested>, seconds: f64) -> Self {
        let Scores { accuracy, log_loss, brier, .. } = Scores::of(&tested);
        let more = More::new(&tested);
        Self { model, accuracy, log_loss, brier, seconds, more, behind: 0.0, behind_error: 0.0, tested }
    }

    /// Mean and standard error of the difference of log losses.
    fn compare<K: Ord + Clone>(&mut self, best: &[Tested], clusters: &[K]) {
        let Paired { difference, error } = Paired::new(best, &self.tested, clusters);
        (self.behind, self.behind_error) = (difference, error);
    }
}

impl Report {
    fn new<K: Ord + Clone>(
        mut models: Vec<Line>,
        tables: &Tables,
        (folds, clusters): (u32, &[K]),
        warnings: Vec<String>,
        seconds: f64,
    ) -> Result<Self, Failure> {
        let at = (0..models.len()).min_by(|&a, &b| models[a].log_loss.total_cmp(&models[b].log_loss));
        let at = at.ok_or_else(|| Failure::Internal("no model could be fitted".to_owned()))?;
        let best = models[at].tested.clone();
        models.iter_mut().for_each(|line| line.compare(&best, clusters));
        let kind = models[at].model;
        let close = |l: &&Line| l.model != kind && l.behind <= 2.0 * l.behind_error;
        let as_good: Vec<Kind> = models.iter().filter(close).map(|l| l.model).collect();
        let names = as_good.iter().map(|k| k.name()).collect::<Vec<_>>().join(", ");
        let sentence = match as_good.len() {
            0 => format!("Use --model {}: its log loss is clearly the smallest.", kind.name()),
            _ => format!(
                "Use --model {}: its log loss is the smallest, but not significantly smaller than that of {names}.",
                kind.name()
            ),
        };
        let comparisons = tables.answers.iter().map(|a| a.count).sum::<f64>().round() as u64;
        let users = tables.users.keys.len();
        let guessing = Scores::guessing(&best);
        Ok(Self {
            comparisons,
            users,
            folds,
            seconds,
            models,
            best: kind,
            as_good,
            sentence,
            warnings,
            guessing,
        })
    }
}

fn describe(report: &Report) -> String {
    let mut table = Table::new([
        ("model", Side::Left),
        ("accuracy", Side::Right),
        ("log loss", Side::Right),
        ("behind the best", Side::Right),
        ("Brier", Side::Right),
        ("seconds", Side::Right),
    ]);
    // Of densities there is neither an accuracy nor a guess.
    let shown = |x: f64, text: String| if x.is_finite() { text } else { String::new() };
    let percent = |x: f64| shown(x, format!("{:.2} %", 100.0 * x));
    let four = |x: f64| shown(x, format!("{x:.4}"));
    for l in &report.models {
        let behind = if l.model == report.best {
            String::new()
        } else {
            format!("{:.4} ± {:.4}", l.behind, l.behind_error)
        };
        table.push([
            l.model.name().to_owned(),
            percent(l.accuracy),
            format!("{:.4}", l.log_loss),
            behind,
            four(l.brier),
            format!("{:.2}", l.seconds),
        ]);
    }
    let guess = report.guessing;
    table.push([
        "guessing".to_owned(),
        percent(guess.accuracy),
        four(guess.log_loss),
        String::new(),
        four(guess.brier),
        String::new(),
    ]);
    let last = wrap(&format!(
        "{} by {} tested, {} folds, {:.2} seconds",
        counted(report.comparisons, "comparison"),
        counted(report.users as u64, "user"),
        report.folds,
        report.seconds
    ));
    [table.render(), wrap(&report.sentence), last].join("\n")
}
