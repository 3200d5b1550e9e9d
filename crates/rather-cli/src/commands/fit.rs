//! `rather fit`: learn the utility of items from comparisons.

use crate::args::{FitArgs, Ties};
use crate::commands::many;
use crate::data::{self, AnsweredItems};
use crate::failure::Failure;
use crate::follow::finish_on_ctrl_c;
use crate::hint;
use crate::output::{Output, object};
use crate::pool::Line;
use crate::sampled::{Sampled, method_name};
use crate::table::{Side, Table, count, counted, number, wrap};
use rather::exact::ExactFit;
use rather::inference::prior::Space;
use rather::inference::{Method, Status};
use rather::learn::Scale;
use rather::learn::choice::Tried;
use rather::model::{FitReport, FitSettings, LowRankFit, Model, Naming, Notice, SparseFit, StreamingFit};
use rather::representation::{Because, Decision};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// So many items are shown whole; of more, the first [`SHOWN`].
const SHOWN_WHOLE: usize = 20;
const SHOWN: usize = 10;

/// Runs the command.
pub(crate) fn run(args: &FitArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    if let Some(kind) = args.many.kind() {
        return many::fit::run(args, kind, seed, out);
    }
    if args.many.users.is_some() {
        let sentence = "--model single does not use --users; keep one";
        return Err(Failure::User(sentence.to_owned()));
    }
    let start = Instant::now();
    let mut settings = data::settings(&args.model, seed)?;
    let answers = &args.answers;
    settings.response_model = data::response_model(settings.response_model, answers);
    let learns_ties = args.tables.ties == Ties::Learn;
    if let Some(output) = &args.output {
        let inputs: Vec<&PathBuf> =
            [&args.items, &args.comparisons].into_iter().chain(&answers.also).collect();
        check_output(output, &inputs)?;
    }
    let tables = (answers, &args.tables);
    let mut data = AnsweredItems::read(&args.items, &args.comparisons, tables, learns_ties, &mut out)?;
    finish_on_ctrl_c(out.watch().clone());
    let model = learn(&mut data, &settings).map_err(|e| data::explain(e, &args.model))?;
    for notice in &model.report().notices {
        out.warn(hint::with_flags(notice));
    }
    if !model.report().trustworthy {
        let sentence = "inference found no reliable posterior for these answers, so no model was saved; \
                        try --inference laplace, or a larger noise (--fix noise=...)";
        return Err(Failure::Internal(sentence.to_owned()));
    }
    if let Some(output) = &args.output {
        rather_io::save_model(output, &model)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    // Saved and shown as any other; but a script must not take it for the model that it asked for.
    let ended = if out.watch().is_ending() { Err(Failure::Interrupted(None)) } else { Ok(()) };
    if out.json {
        let report = Report::new(&model, &data, out.warnings().to_vec(), seconds);
        return out.json(&report).and(ended);
    }
    let mut text = describe(&model, &data, seconds);
    if let Some(output) = &args.output {
        text += &format!("\nsaved as {}\n", output.display());
    }
    out.text(&text).and(ended)
}

/// What would make saving fail, found before the fit rather than after.
pub(crate) fn check_output(output: &Path, inputs: &[&PathBuf]) -> Result<(), Failure> {
    rather_io::check_writable(output)?;
    let same = |input: &&&PathBuf| match (output.canonicalize(), input.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    match inputs.iter().find(same) {
        Some(_) => Err(Failure::User(format!(
            "the model would overwrite the table {}; give -o another name",
            output.display()
        ))),
        None => Ok(()),
    }
}

/// Learns from the answers, which are not kept.
fn learn(data: &mut AnsweredItems, settings: &FitSettings) -> Result<Model, rather::Error> {
    let opinions = std::mem::take(&mut data.answers.answers);
    let (levels, grades) = (data.answers.levels.clone(), data.answers.grades.clone());
    let model = Model::fit_given(&data.items, opinions, &data.answers.users, settings, &|_| ())?;
    model.with_naming(Naming { levels, grades, ..Naming::default() })
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    items: usize,
    comparisons: u64,
    users: usize,
    inference: Method,
    kernel: String,
    #[serde(serialize_with = "ordered")]
    hyperparameters: Vec<(String, f64)>,
    log_evidence: f64,
    sweeps: usize,
    residual: f64,
    converged: bool,
    seconds: f64,
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_evidence_correction: Option<f64>,
    ard: bool,
    space: Space,
    representation: Option<Decision>,
    tried: &'a [Tried],
    /// The number of settings of kernel and hyperparameters that predictions average over.
    settings: usize,
    #[serde(serialize_with = "ordered")]
    priors: Vec<(String, Option<Prior>)>,
    ranking: Vec<Line<'a>>,
    exact: Option<Exact>,
    streaming: Option<StreamingFit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low_rank: Option<LowRankFit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sparse: Option<SparseFit>,
    answers: Kinds,
    /// After how many others an answer counts half.
    #[serde(skip_serializing_if = "Option::is_none")]
    half_life: Option<f64>,
    levels: Vec<f64>,
    /// The share of the differences between items that features explain.
    explained: Option<f64>,
}

/// How many answers of which kind.
#[derive(Serialize, Default, Clone, Copy)]
struct Kinds {
    comparisons: u64,
    ties: u64,
    ratings: u64,
    values: u64,
    labels: u64,
}

impl Kinds {
    fn of(model: &Model) -> Self {
        let responses = &model.observations().responses;
        let mut out = Self::default();
        for (said, count) in responses.replies.iter().zip(&responses.counts) {
            let count = *count as u64;
            match said.kind.0.name() {
                "rating" => out.ratings += count,
                "measured" => out.values += count,
                "label" => out.labels += count,
                "graded" if said.datum == 0.0 => out.ties += count,
                _ => out.comparisons += count,
            }
        }
        out
    }

    /// In words.
    fn sentence(self) -> String {
        let kinds = [
            (self.comparisons, "comparison"),
            (self.ties, "tie"),
            (self.ratings, "rating"),
            (self.values, "value"),
            (self.labels, "label"),
        ];
        let said: Vec<String> =
            kinds.into_iter().filter(|(n, _)| *n > 0).map(|(n, noun)| counted(n, noun)).collect();
        said.join(", ")
    }
}

/// What only exact inference has.
#[derive(Serialize)]
struct Exact {
    #[serde(flatten)]
    sampler: Sampled,
    log_evidence: Option<f64>,
    log_evidence_error: Option<f64>,
    ep_log_evidence: f64,
}

impl Exact {
    fn of(model: &Model) -> Option<Self> {
        let exact = model.report().exact?;
        Some(Self {
            sampler: Sampled::new(&exact.sampling),
            log_evidence: exact.log_evidence.map(|z| z.value),
            log_evidence_error: exact.log_evidence.map(|z| z.error),
            ep_log_evidence: exact.approximate_log_evidence,
        })
    }
}

/// A log-normal prior in the units of the table.
#[derive(Clone, Serialize)]
struct Prior {
    median: f64,
    log_sd: f64,
}

fn ordered<V: Serialize, S: serde::Serializer>(entries: &[(String, V)], to: S) -> Result<S::Ok, S::Error> {
    object(entries, to)
}

impl<'a> Report<'a> {
    fn new(model: &'a Model, data: &AnsweredItems, warnings: Vec<String>, seconds: f64) -> Self {
        let report = model.report();
        Self {
            items: model.keys().len(),
            comparisons: Kinds::of(model).comparisons,
            users: data.answers.users.len(),
            inference: model.method(),
            kernel: model.kernel_expression(),
            hyperparameters: model.reported_hyperparameters(),
            log_evidence: report.log_evidence,
            log_evidence_correction: report.evidence_correction,
            sweeps: report.sweeps,
            residual: report.residual,
            converged: report.status == Status::Converged,
            seconds,
            warnings,
            ard: chosen(model).is_some_and(|t| t.kernel.ard),
            space: model.belief().space(),
            representation: report.representation,
            tried: &report.tried,
            settings: model.belief().mixture().map_or(1, |mixture| mixture.components().len()),
            priors: Parameter::all(model).into_iter().map(|p| (p.name, p.prior)).collect(),
            ranking: ranking(model),
            exact: Exact::of(model),
            streaming: report.streaming,
            low_rank: report.low_rank,
            sparse: report.sparse,
            answers: Kinds::of(model),
            half_life: report.half_life,
            levels: data.answers.levels.clone(),
            explained: model.explained(),
        }
    }
}

/// A hyperparameter as its user sees it.
struct Parameter {
    name: String,
    value: f64,
    prior: Option<Prior>,
    fixed: bool,
    scale: Scale,
}

impl Parameter {
    fn all(model: &Model) -> Vec<Self> {
        let reported = model.reported_hyperparameters();
        let entries = &model.hyperparameters().entries;
        let parameter = |((name, value), entry): ((String, f64), &rather::learn::Hyperparameter)| {
            // What makes the value one of the table makes the median one, too.
            let unit = if entry.scale == Scale::Log { value / entry.value } else { 1.0 };
            let prior = entry.prior.filter(|_| !entry.fixed);
            let prior = prior.map(|p| Prior { median: p.median * unit, log_sd: p.sd });
            Self { name, value, prior, fixed: entry.fixed, scale: entry.scale }
        };
        reported.into_iter().zip(entries).map(parameter).collect()
    }
}

fn ranking(model: &Model) -> Vec<Line<'_>> {
    let line = |(rank, place)| Line::new(rank, place, &model.keys()[place.item], model.label(place.item));
    (1..).zip(model.rank(model.points())).map(line).collect()
}

fn describe(model: &Model, data: &AnsweredItems, seconds: f64) -> String {
    let parts = [
        header(model, data),
        kernels(model),
        hyperparameters(model),
        worth(model),
        weighed(model),
        convergence(model, seconds),
        shown_ranking(model),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn header(model: &Model, data: &AnsweredItems) -> Option<String> {
    let items = model.keys().len();
    let compared = model.compared().len();
    let never = if compared < items {
        format!(" ({} never compared)", count((items - compared) as u64))
    } else {
        String::new()
    };
    let users = data.answers.users.len() as u64;
    let users = if users > 0 { format!(", {}", counted(users, "user")) } else { String::new() };
    let comparisons = Kinds::of(model).sentence();
    Some(wrap(&format!("{}{never}, {comparisons}{users}", counted(items as u64, "item"))))
}

/// The kernel that was chosen of those tried.
fn chosen(model: &Model) -> Option<&Tried> {
    model.report().tried.iter().max_by(|a, b| a.score.total_cmp(&b.score))
}

fn kernel_name(expression: &str, ard: bool) -> String {
    format!("{expression}{}", if ard { ", a lengthscale each" } else { "" })
}

/// The kernels tried, if there was a choice.
fn kernels(model: &Model) -> Option<String> {
    let tried = &model.report().tried;
    if tried.len() < 2 {
        return None;
    }
    let best = chosen(model);
    let averaged = tried.iter().any(|this| this.weight > 0.0);
    let columns = [
        ("kernel tried", Side::Left),
        ("log evidence", Side::Right),
        ("score", Side::Right),
        (if averaged { "weight" } else { "" }, if averaged { Side::Right } else { Side::Left }),
    ];
    let mut table = Table::new(columns);
    for this in tried {
        let mark = match this.weight {
            weight if weight > 0.0 => format!("{weight:.2}"),
            _ if best == Some(this) && !averaged => "chosen".to_owned(),
            _ => String::new(),
        };
        let [evidence, score] = [this.log_evidence, this.score].map(|x| format!("{x:.2}"));
        table.push([kernel_name(&this.kernel.expression, this.kernel.ard), evidence, score, mark]);
    }
    Some(table.render())
}

fn hyperparameters(model: &Model) -> Option<String> {
    let parameters = Parameter::all(model);
    let columns = [
        ("hyperparameter", Side::Left),
        ("value", Side::Right),
        ("prior median", Side::Right),
        ("prior sd", Side::Left),
    ];
    let mut table = Table::new(columns);
    for p in &parameters {
        let (median, spread) = match &p.prior {
            Some(prior) => (number(prior.median), spread(p.scale, prior.log_sd)),
            None => (String::new(), if p.fixed { "fixed" } else { "no prior" }.to_owned()),
        };
        table.push([p.name.clone(), number(p.value), median, spread]);
    }
    let ard = chosen(model).is_some_and(|t| t.kernel.ard);
    let kernels = model.report().tried.iter().filter(|tried| tried.weight > 0.0).count();
    let best = if kernels > 1 { format!(", the best of {kernels}") } else { String::new() };
    let kernel = wrap(&format!("kernel {}{best}", kernel_name(&model.kernel_expression(), ard)));
    let mut text = format!("{kernel}\n{}", table.render());
    let mut notes = vec![units(model)];
    if parameters.iter().any(|p| p.prior.is_some()) {
        notes.push("--no-priors switches the priors off, --fix NAME=VALUE fixes a value.".to_owned());
    }
    notes.extend(averaged(model, kernels));
    text += &wrap(&notes.join(" "));
    Some(text)
}

/// What predictions average over.
fn averaged(model: &Model, kernels: usize) -> Option<String> {
    let settings = model.belief().mixture()?.components().len();
    let kernels = if kernels > 1 { format!("{kernels} kernels and of their") } else { "the".to_owned() };
    Some(format!(
        "These are the values of maximal evidence; predictions average over {settings} settings of {kernels} hyperparameters, weighted by \
         their posterior probability (--hyperparameters maximise takes the best alone)."
    ))
}

/// What the features are worth.
fn worth(model: &Model) -> Option<String> {
    let share = 100.0 * model.explained()?;
    let sentence = match share {
        s if s < 0.5 => {
            "The features explain nothing of the differences between items; the effects of the items themselves explain all.".to_owned()
        }
        s if s >= 99.5 => "The features explain all of the differences between items.".to_owned(),
        _ => format!(
            "The features explain {share:.0} % of the differences between items, effects of the items themselves the rest."
        ),
    };
    Some(wrap(&sentence))
}

/// How much older answers count.
fn weighed(model: &Model) -> Option<String> {
    let half_life = model.report().half_life?;
    let total = model.observations().total();
    Some(wrap(&format!(
        "An answer counts half after {} others; all of them together count as {total:.1} new ones.",
        number(half_life)
    )))
}

/// How wide a prior is.
fn spread(scale: Scale, sd: f64) -> String {
    match scale {
        Scale::Log => format!("log-sd {sd:.2}"),
        Scale::Linear(unit) => format!("sd {}", number(sd * unit)),
        Scale::Logit => format!("logit-sd {sd:.2}"),
    }
}

/// In which units the lengthscales are.
fn units(model: &Model) -> String {
    use rather::features::Encoding;
    let roles = model.hyperparameters().kernel.parameters();
    let lengths = || roles.iter().filter(|p| p.role == rather::kernel::Role::Lengthscale);
    let features = &model.encoder().features;
    let standardised =
        features.iter().any(|(_, e)| matches!(e, Encoding::Numeric { scale, .. } if *scale != 1.0));
    match (lengths().any(|p| p.dim.is_none()), lengths().count()) {
        (_, 0) => String::new(),
        (true, _) if standardised => "A lengthscale is in standard deviations of the features.".to_owned(),
        _ => "A lengthscale is in the units of its feature.".to_owned(),
    }
}

fn convergence(model: &Model, seconds: f64) -> Option<String> {
    let report = model.report();
    if let Some(exact) = &report.exact {
        return Some(sampled(exact, seconds) + &wrap(memory(report).trim_start_matches(". ")));
    }
    if let Some(streaming) = &report.streaming {
        return Some(streamed(report, streaming, seconds));
    }
    let method = method_name(model.method());
    let over = match model.belief().space() {
        Space::Items => "items",
        Space::Pairs => "pairs of items",
    };
    let how = match report.status {
        Status::Converged => "converged",
        Status::Stalled => "stalled at rounding error",
        Status::Limit => "did NOT converge",
    };
    let sweeps = counted(report.sweeps as u64, "sweep");
    let sparse = report.sparse.map_or(String::new(), |sparse| wrap(&sparse.to_string()));
    let corrected = report.evidence_correction.filter(|nats| nats.abs() >= 0.005);
    let corrected =
        corrected.map_or(String::new(), |nats| format!(" (corrected {:.3})", report.log_evidence + nats));
    let text = wrap(&format!(
        "log evidence {:.3}{corrected}; {method} over {over} {how} (residual {:.1e}, {sweeps}); {seconds:.2} seconds{}",
        report.log_evidence,
        report.residual,
        held(report)
    ));
    // What is worth a warning has been said.
    let warned = report.notices.iter().any(|notice| matches!(notice, Notice::Rough { .. }));
    let low_rank = report
        .low_rank
        .filter(|_| !warned)
        .map_or(String::new(), |fit| wrap(&format!("Approximation: {fit}.")));
    Some(text + &low_rank + &sparse)
}

/// How the prior was held and why, where that was a decision, and in how much memory.
fn held(report: &FitReport) -> String {
    let how = match report.representation {
        Some(Decision { because: Because::Small | Because::Needed, .. }) | None => String::new(),
        Some(held) => format!(". Prior: {held}"),
    };
    how + &memory(report)
}

/// The memory that was estimated before the fit.
fn memory(report: &FitReport) -> String {
    let estimated = report.representation.and_then(|held| held.memory());
    estimated.map_or(String::new(), |estimated| format!(". Memory: {estimated}"))
}

/// How streaming inference went.
fn streamed(report: &FitReport, streaming: &StreamingFit, seconds: f64) -> String {
    let &StreamingFit { answers, kept, basis } = streaming;
    let kept =
        if kept as u64 == answers { "all kept".to_owned() } else { format!("{} kept", count(kept as u64)) };
    let sweeps = counted(report.sweeps as u64, "sweep");
    wrap(&format!(
        "log evidence {:.3}; one pass over {} on {}, {kept} and refined (residual {:.1e}, {sweeps}); {seconds:.2} \
         seconds",
        report.log_evidence,
        counted(answers, "answer"),
        counted(basis as u64, "basis point"),
        report.residual
    ))
}

/// How exact inference went.
fn sampled(exact: &ExactFit, seconds: f64) -> String {
    let ep = exact.approximate_log_evidence;
    let evidence = match exact.log_evidence {
        Some(z) => {
            format!("log evidence {:.3} ± {:.1e}, by expectation propagation {ep:.3}", z.value, z.error)
        }
        None => format!("log evidence {ep:.3} by expectation propagation"),
    };
    wrap(&format!("{evidence}; {}; {seconds:.2} seconds", Sampled::new(&exact.sampling).sentence()))
}

fn shown_ranking(model: &Model) -> Option<String> {
    let lines = ranking(model);
    let shown = if lines.len() <= SHOWN_WHOLE { lines.len() } else { SHOWN };
    let mut text = Line::table(&lines[..shown]);
    if shown < lines.len() {
        text += &format!("… and {} more\n", count((lines.len() - shown) as u64));
    }
    text += "\n";
    text += &wrap(&Line::units(model));
    Some(text)
}
