//! `rather fit` of a model of many users.

use super::tables::Tables;
use super::units;
use crate::args::{FitArgs, ModelArgs};
use crate::commands::fit::check_output;
use crate::data;
use crate::failure::Failure;
use crate::output::{Output, object};
use crate::pool::Line;
use crate::table::{Side, Table, count, counted, number, wrap};
use rather::inference::Status;
use rather::learn::choice::Tried;
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// So many items are shown whole; of more, the first [`SHOWN`].
const SHOWN_WHOLE: usize = 20;
const SHOWN: usize = 10;

/// Runs the command.
pub(crate) fn run(args: &FitArgs, kind: Kind, seed: u64, mut out: Output) -> Result<(), Failure> {
    let start = Instant::now();
    let mut settings = settings(&args.model, kind, seed)?;
    settings.response_model = data::response_model(settings.response_model, &args.answers);
    if let Some(output) = &args.output {
        let inputs: Vec<&PathBuf> = [&args.items, &args.comparisons]
            .into_iter()
            .chain(&args.many.users)
            .chain(&args.answers.also)
            .collect();
        check_output(output, &inputs)?;
    }
    let users = args.many.users.as_deref();
    let paths = (args.items.as_path(), &args.comparisons, users);
    let tables = Tables::read(paths, (&args.answers, &args.tables), &mut out)?;
    let model = learn(&tables, &settings).map_err(|e| data::explain(e, &args.model))?;
    for notice in model.notices() {
        out.warn(notice);
    }
    if let Some(output) = &args.output {
        rather_io::save_population(output, &model)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    if out.json {
        let report = Report::new(&model, out.warnings().to_vec(), seconds)?;
        return out.json(&report);
    }
    let mut text = describe(&model, seconds)?;
    if let Some(output) = &args.output {
        text += &format!("\nsaved as {}\n", output.display());
    }
    out.text(&text)
}

/// The library's settings for these flags.
pub(super) fn settings(args: &ModelArgs, kind: Kind, seed: u64) -> Result<PopulationSettings, Failure> {
    crate::inference::check_many(args, kind)?;
    let single = data::settings(args, seed)?;
    Ok(PopulationSettings {
        kernel: single.kernel,
        response_model: single.response_model,
        fixed: single.fixed,
        priors: single.priors,
        raw_features: single.raw_features,
        memory: single.memory,
        seed,
        ..PopulationSettings::new(kind)
    })
}

fn learn(tables: &Tables, settings: &PopulationSettings) -> Result<Population, rather::Error> {
    let data = PopulationData { items: &tables.items, users: &tables.users, answers: &tables.answers };
    Population::fit(&data, settings, &|_| ())?.with_naming(tables.naming.clone())
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    items: usize,
    comparisons: u64,
    users: usize,
    model: Kind,
    inference: &'static str,
    kernel: String,
    #[serde(serialize_with = "object")]
    hyperparameters: Vec<(String, f64)>,
    log_evidence: f64,
    sweeps: usize,
    residual: f64,
    converged: bool,
    seconds: f64,
    warnings: Vec<String>,
    functions: Option<usize>,
    skipped: usize,
    tried: &'a [Tried],
    ranking: Vec<Line<'a>>,
}

impl<'a> Report<'a> {
    fn new(model: &'a Population, warnings: Vec<String>, seconds: f64) -> Result<Self, Failure> {
        let report = model.model().report();
        Ok(Self {
            items: model.items().keys().len(),
            comparisons: model.answers().total() as u64,
            users: model.users().keys().len(),
            model: model.kind(),
            inference: "ep",
            kernel: model.kernel_expression(),
            hyperparameters: model.reported_hyperparameters(),
            log_evidence: report.log_evidence,
            sweeps: report.cycles,
            residual: report.residual,
            converged: report.status != Status::Limit,
            seconds,
            warnings,
            functions: model.functions(),
            skipped: report.skipped,
            tried: model.tried(),
            ranking: ranking(model)?,
        })
    }
}

/// Items as users like them on average.
fn ranking(model: &Population) -> Result<Vec<Line<'_>>, Failure> {
    let all = model.average_user()?.rank(&model.model().items().known());
    let line = |(rank, place): (usize, rather::model::Ranked)| {
        Line::new(rank, place, &model.items().keys()[place.item], model.items().label(place.item))
    };
    Ok((1..).zip(all).map(line).collect())
}

fn describe(model: &Population, seconds: f64) -> Result<String, Failure> {
    let items = counted(model.items().keys().len() as u64, "item");
    let noun = if model.answers().is_plain() { "comparison" } else { "answer" };
    let comparisons = counted(model.answers().total() as u64, noun);
    let users = counted(model.users().keys().len() as u64, "user");
    let head = wrap(&format!("{items}, {comparisons} by {users}, {} model", model.kind().name()));
    let functions = match model.functions() {
        Some(n) => format!(", up to {}", counted(n as u64, "latent function")),
        None => String::new(),
    };
    let mut table = Table::new([("hyperparameter", Side::Left), ("value", Side::Right)]);
    for (name, value) in model.reported_hyperparameters() {
        table.push([name, number(value)]);
    }
    let report = model.model().report();
    let how = if report.status == Status::Limit { "did NOT converge" } else { "converged" };
    let run = wrap(&format!(
        "kernel {}{functions}; log evidence {:.3}; {how} (residual {:.1e}, {}); {seconds:.2} seconds",
        model.kernel_expression(),
        report.log_evidence,
        report.residual,
        counted(report.cycles as u64, "cycle")
    ));
    let lines = ranking(model)?;
    let shown = if lines.len() <= SHOWN_WHOLE { lines.len() } else { SHOWN };
    let mut best = format!("Users on average:\n{}", Line::table(&lines[..shown]));
    if shown < lines.len() {
        best += &format!("… and {} more\n", count((lines.len() - shown) as u64));
    }
    let end = wrap(&format!(
        "{} The sd includes the variation between users; rank --user U shows one user.",
        units(model)
    ));
    Ok([head, table.render(), run, best, end].join("\n"))
}
