//! `rather evaluate --users`: all models of many users on the same folds.

use crate::args::{By, EvaluateArgs};
use crate::data::{self, Sided, Tables, Users};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{Side, Table, counted, wrap};
use rather::Error;
use rather::answers::{Answer, Answers};
use rather::evaluate::{Scores, Tested, projections, split_by, tested_of_user};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::watch::Steps;
use serde::Serialize;
use std::collections::BTreeSet;
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
    let single = [
        ("--test", args.test.is_some()),
        ("--by", args.by != By::Comparisons),
        ("--period", args.period.is_some()),
        ("--no-baseline", args.no_baseline),
    ];
    if let Some((flag, _)) = single.into_iter().find(|(_, given)| *given) {
        return Err(Failure::User(format!(
            "{flag} is for a model of one person; with --users, models are compared on --folds of the comparisons"
        )));
    }
    let folds = args.folds.unwrap_or(super::FOLDS);
    let flags = (&args.answers, &args.tables);
    let sided = Sided { of_users: args.model.of_users(), ..Sided::default() };
    let tables = Tables::read(&args.items, &args.comparisons, Users::Apart(users), flags, sided, &mut out)?;
    // What one user said of one pair is held out together, however many rows it takes.
    let rows: Vec<Answer> = tables.answers.iter().collect();
    let about = projections(&rows);
    let keys: Vec<_> = rows.iter().zip(about).map(|(answer, about)| (answer.user(), about)).collect();
    let pairs = keys.iter().collect::<BTreeSet<_>>().len();
    if pairs < folds as usize {
        return Err(Failure::User(format!(
            "{} folds need at least as many pairs that a user has compared, and there are only {}; ask for fewer --folds",
            folds,
            counted(pairs as u64, "such pair")
        )));
    }
    let parts = split_by(&keys, folds as usize, seed);
    let steps = Steps::start("evaluating", Kind::ALL.len() * folds as usize);
    let (mut lines, mut failures) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let settings = data::settings_of_many(&args.model, &args.answers, kind, seed)?;
        let begun = Instant::now();
        match tested(&tables, &settings, &parts, &steps) {
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
    let report = Report::new(lines, &tables, folds, out.warnings().to_vec(), start.elapsed().as_secs_f64())?;
    if out.json { out.json(&report) } else { out.text(&describe(&report)) }
}

/// Every comparison once, on a model of the other parts.
fn tested(
    tables: &Tables,
    settings: &PopulationSettings,
    parts: &[Vec<usize>],
    steps: &Steps,
) -> Result<Vec<Tested>, Error> {
    let answers: Vec<Answer> = tables.answers.iter().collect();
    let mut out = Vec::with_capacity(answers.len());
    for part in parts {
        let mut held = vec![false; answers.len()];
        part.iter().for_each(|&row| held[row] = true);
        let training: Answers =
            answers.iter().zip(&held).filter(|(_, held)| !**held).map(|(a, _)| *a).collect();
        let data = PopulationData { items: &tables.items, users: &tables.users, answers: &training };
        let model = Population::fit(&data, settings, &|_| ())?;
        let mut rows = part.clone();
        rows.sort_by_key(|&row| (answers[row].user(), row));
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
        Self { model, accuracy, log_loss, brier, seconds, behind: 0.0, behind_error: 0.0, tested }
    }

    /// Mean and standard error of the difference of log losses, answer by answer.
    fn compare(&mut self, best: &[Tested]) {
        let difference = |(a, b): (&Tested, &Tested)| (b.of_answer().ln() - a.of_answer().ln(), a.count);
        let all: Vec<(f64, f64)> = self.tested.iter().zip(best).map(difference).collect();
        let total: f64 = all.iter().map(|(_, n)| n).sum();
        let mean = all.iter().map(|(d, n)| d * n).sum::<f64>() / total;
        let square = all.iter().map(|(d, n)| n * n * (d - mean).powi(2)).sum::<f64>();
        (self.behind, self.behind_error) = (mean, square.sqrt() / total);
    }
}

impl Report {
    fn new(
        mut models: Vec<Line>,
        tables: &Tables,
        folds: u32,
        warnings: Vec<String>,
        seconds: f64,
    ) -> Result<Self, Failure> {
        let at = (0..models.len()).min_by(|&a, &b| models[a].log_loss.total_cmp(&models[b].log_loss));
        let at = at.ok_or_else(|| Failure::Internal("no model could be fitted".to_owned()))?;
        let best = models[at].tested.clone();
        models.iter_mut().for_each(|line| line.compare(&best));
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
