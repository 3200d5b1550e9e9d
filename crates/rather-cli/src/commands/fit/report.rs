//! What `rather fit --json` prints.

use super::Learned;
use crate::output::object;
use crate::ranking::Line;
use crate::sampled::Sampled;
use crate::table::counted;
use rather::inference::prior::Space;
use rather::inference::{Method, Status};
use rather::learn::Scale;
use rather::learn::choice::Tried;
use rather::likelihood::{Reply, Responses};
use rather::many::{self, Kind, Population};
use rather::model::{FitReport, LowRankFit, Model, SparseFit, StreamingFit};
use rather::representation::Decision;
use rather_io::{ColumnTold, Saved};
use serde::Serialize;

/// The report of a fit: what all models have, and what some have.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    items: usize,
    comparisons: u64,
    users: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Kind>,
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
    #[serde(flatten)]
    more: More,
    tried: &'a [Tried],
    ranking: &'a [Line<'a>],
    answers: Kinds,
    levels: &'a [f64],
    columns: &'a [ColumnTold],
}

/// What only some models have.
#[derive(Serialize)]
#[serde(untagged)]
enum More {
    One(Box<OfOne>),
    Many(OfMany),
}

#[derive(Serialize)]
struct OfOne {
    #[serde(skip_serializing_if = "Option::is_none")]
    log_evidence_correction: Option<f64>,
    ard: bool,
    space: Space,
    representation: Option<Decision>,
    /// The number of settings of kernel and hyperparameters that predictions average over.
    settings: usize,
    #[serde(serialize_with = "ordered")]
    priors: Vec<(String, Option<Prior>)>,
    exact: Option<Exact>,
    streaming: Option<StreamingFit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low_rank: Option<LowRankFit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sparse: Option<SparseFit>,
    /// What a unit of each column of `linear` is worth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    weights: Vec<Weight>,
    /// The share of the differences between items that features explain.
    explained: Option<f64>,
    /// After how many others an answer counts half.
    #[serde(skip_serializing_if = "Option::is_none")]
    half_life: Option<f64>,
}

/// The utility of one unit of a column.
#[derive(Serialize)]
struct Weight {
    column: String,
    mean: f64,
    sd: f64,
}

impl Weight {
    fn new((column, mean, sd): (String, f64, f64)) -> Self {
        Self { column, mean, sd }
    }
}

#[derive(Serialize)]
struct OfMany {
    /// What its log evidence is.
    evidence: &'static str,
    functions: Option<usize>,
    skipped: usize,
}

/// How many answers of which kind.
#[derive(Serialize, Default, Clone, Copy)]
pub(super) struct Kinds {
    comparisons: u64,
    ties: u64,
    ratings: u64,
    values: u64,
    labels: u64,
    #[serde(skip_serializing_if = "is_zero")]
    good_or_bad: u64,
    /// Rankings and choices of several, each taken as one answer.
    #[serde(skip_serializing_if = "is_zero")]
    joint: u64,
}

fn is_zero(&count: &u64) -> bool {
    count == 0
}

impl Kinds {
    pub(super) fn of(responses: &Responses) -> Self {
        let of = |wanted: &dyn Fn(&Reply) -> bool| {
            let all = responses.replies.iter().zip(&responses.counts);
            // Parts of answers add up to whole ones.
            all.filter(|(said, _)| wanted(said)).map(|(_, count)| count).sum::<f64>().round() as u64
        };
        let named = |name: &'static str| of(&|said| said.kind.0.name() == name);
        let is_tie = |said: &Reply| said.kind == Reply::TIE.kind && said.datum == 0.0;
        let (ratings, values, labels, good_or_bad) =
            (named("rating"), named("measured"), named("label"), named("good"));
        let ties = of(&is_tie);
        let joint = named("set");
        let others = ["rating", "measured", "label", "good", "set"];
        let comparisons = of(&|said| !is_tie(said) && !others.contains(&said.kind.0.name()));
        Self { comparisons, ties, ratings, values, labels, good_or_bad, joint }
    }

    /// In words.
    pub(super) fn sentence(self) -> String {
        let kinds = [
            (self.comparisons, "comparison"),
            (self.ties, "tie"),
            (self.ratings, "rating"),
            (self.values, "value"),
            (self.labels, "label"),
            (self.good_or_bad, "good-or-bad answer"),
            (self.joint, "joint answer"),
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
pub(super) struct Prior {
    pub(super) median: f64,
    pub(super) log_sd: f64,
}

fn ordered<V: Serialize, S: serde::Serializer>(entries: &[(String, V)], to: S) -> Result<S::Ok, S::Error> {
    object(entries, to)
}

impl<'a> Report<'a> {
    pub(super) fn new(learned: &'a Learned<'a>, warnings: Vec<String>) -> Self {
        let run = Run::of(learned.model);
        let kinds = Kinds::of(learned.person.responses());
        let (model, inference, hyperparameters, more) = match learned.model {
            Saved::Single(m) => (None, m.method(), m.reported_hyperparameters(), More::of_one(m)),
            Saved::Many(m) => (Some(m.kind()), Method::Ep, m.reported_hyperparameters(), More::of_many(m)),
        };
        Self {
            items: learned.person.items().keys().len(),
            comparisons: kinds.comparisons,
            users: learned.users,
            model,
            inference,
            kernel: learned.person.kernel_expression(),
            hyperparameters,
            log_evidence: run.log_evidence,
            sweeps: run.sweeps,
            residual: run.residual,
            converged: run.status == Status::Converged,
            seconds: learned.seconds,
            warnings,
            more,
            tried: tried(learned.model),
            ranking: &learned.ranking,
            answers: kinds,
            levels: learned.levels,
            columns: learned.columns,
        }
    }
}

impl More {
    fn of_one(model: &Model) -> Self {
        let report = model.report();
        Self::One(Box::new(OfOne {
            log_evidence_correction: report.evidence_correction,
            ard: chosen(&report.tried).is_some_and(|t| t.kernel.ard),
            space: model.belief().space(),
            representation: report.representation,
            settings: model.belief().mixture().map_or(1, |mixture| mixture.components().len()),
            priors: Parameter::all(model).into_iter().map(|p| (p.name, p.prior)).collect(),
            exact: Exact::of(model),
            streaming: report.streaming,
            low_rank: report.low_rank,
            sparse: report.sparse,
            weights: model.weights().into_iter().map(Weight::new).collect(),
            explained: model.explained(),
            half_life: report.half_life,
        }))
    }

    fn of_many(model: &Population) -> Self {
        let skipped = model.model().report().skipped;
        let evidence = model.kind().evidence_name();
        Self::Many(OfMany { evidence, functions: model.functions(), skipped })
    }
}

/// How inference went.
pub(super) struct Run {
    pub(super) log_evidence: f64,
    pub(super) sweeps: usize,
    pub(super) residual: f64,
    pub(super) status: Status,
}

impl Run {
    pub(super) fn of(model: &Saved) -> Self {
        match model {
            Saved::Single(model) => {
                let &FitReport { log_evidence, sweeps, residual, status, .. } = model.report();
                Self { log_evidence, sweeps, residual, status }
            }
            Saved::Many(model) => {
                let &many::Report { log_evidence, cycles, residual, status, .. } = model.model().report();
                Self { log_evidence, sweeps: cycles, residual, status }
            }
        }
    }
}

/// The kernels that were tried.
pub(super) fn tried(model: &Saved) -> &[Tried] {
    match model {
        Saved::Single(model) => &model.report().tried,
        Saved::Many(model) => model.tried(),
    }
}

/// The one of them that was chosen.
pub(super) fn chosen(tried: &[Tried]) -> Option<&Tried> {
    tried.iter().max_by(|a, b| a.score.total_cmp(&b.score))
}

/// A hyperparameter as its user sees it.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) prior: Option<Prior>,
    pub(super) fixed: bool,
    pub(super) scale: Scale,
}

impl Parameter {
    pub(super) fn all(model: &Model) -> Vec<Self> {
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
