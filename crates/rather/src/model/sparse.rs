//! [`Representation::Sparse`](crate::representation::Representation::Sparse): items known by name only.

use serde::{Deserialize, Serialize};

use super::notice::bound_notices;
use super::{FitReport, FitSettings, Items, Model, Notice, positions};
use crate::Error;
use crate::belief::Belief;
use crate::features::{Column, Encoder};
use crate::inference::observations::Observations;
use crate::inference::sites::Sites;
use crate::inference::sparse::{Field, Limits, SparsePrior, probe};
use crate::inference::{Outcome, Settings, Status, ep};
use crate::kernel::{Kernel, parse};
use crate::lbfgs;
use crate::learn::choice::{KernelChoice, KernelSpec, Options, Tried};
use crate::learn::watch::Steps;
use crate::learn::{Hyperparameters, Setting, Watch, climb};
use crate::likelihood::Likelihoods;
use crate::points::Points;
use crate::posterior::SparsePosterior;
use crate::representation::Held;

/// How a sparse precision was solved for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum SparseFit {
    /// A sparse Cholesky factor: exact.
    Factor {
        /// Entries that the factor is held in.
        entries: usize,
    },
    /// Messages and conjugate gradients.
    Messages {
        /// Entries that the factor would have.
        entries: usize,
        /// The error of the variances; `None` if the exact ones were out of reach.
        error: Option<probe::Probe>,
    },
}

impl std::fmt::Display for SparseFit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Factor { entries } => {
                write!(f, "sparse precision, solved exactly: its factor has {entries} entries")
            }
            Self::Messages { entries, error } => {
                write!(
                    f,
                    "sparse precision, variances by messages: its factor would have {entries:.1e} entries",
                    entries = *entries as f64
                )?;
                match error {
                    Some(probe::Probe { items, largest, .. }) => {
                        write!(
                            f,
                            "; of {items} items held against exact ones the worst variance is {:.1} % off",
                            100.0 * largest
                        )
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

/// Items whose variances are held against exact ones.
const PROBED: usize = 32;
/// What draws them.
const SEED: u64 = 0;

/// The field of what was compared, and how inference asks it.
pub(super) struct Sparse<'a> {
    field: Field,
    observations: &'a Observations,
}

impl<'a> Sparse<'a> {
    pub(super) fn new(observations: &'a Observations, limits: &Limits) -> Result<Self, Error> {
        let field =
            Field::new(observations.items.len(), &observations.edges, &[], limits).ok_or(Error::Inference)?;
        Ok(Self { field, observations })
    }

    fn run(
        &self,
        kernel: &Kernel,
        noise: f64,
        start: Option<&Sites>,
        settings: &Settings,
    ) -> Result<(SparsePrior, Outcome), Error> {
        let prior = self.field.prior(variance(kernel)?, 0.0).ok_or(Error::Covariance)?;
        let merged = &self.observations.merged;
        let start = start.cloned().unwrap_or_else(|| Sites::empty(merged.len()));
        let outcome = ep::run(&prior, merged, &Likelihoods::new(noise), start, settings);
        Ok((prior, outcome.ok_or(Error::Inference)?))
    }

    /// The posterior that belongs to known sites. `compared` are the items compared.
    pub(super) fn posterior(
        &self,
        compared: &Points,
        kernel: &Kernel,
        noise: f64,
        sites: &Sites,
        settings: &Settings,
    ) -> Result<SparsePosterior, Error> {
        let (_, outcome) = self.run(kernel, noise, Some(sites), settings)?;
        SparsePosterior::new(compared, outcome, variance(kernel)?, noise)
    }

    /// Whether the evidence is no worse at a noise ten times smaller, as for the whole covariance.
    fn noise_is_open(&self, h: &Hyperparameters, outcome: &Outcome) -> bool {
        let mean = &outcome.posterior.mean;
        let consistent = self.observations.merged.iter().all(|o| o.sign * mean[o.edge] > 0.0);
        let rough = Settings { tolerance: 1e-4, ..Settings::default() };
        consistent
            && !h.free().is_empty()
            && self
                .run(&h.kernel, 0.1 * h.noise(), None, &rough)
                .is_ok_and(|(_, sharper)| sharper.log_evidence > outcome.log_evidence - 1.0)
    }

    fn how(&self, outcome: &Outcome) -> SparseFit {
        let entries = self.field.graph().entries();
        if self.field.graph().is_exact() {
            return SparseFit::Factor { entries };
        }
        let precision = outcome.posterior.precision.as_deref();
        SparseFit::Messages { entries, error: precision.and_then(|q| probe::probe(q, PROBED, SEED)) }
    }
}

/// The limits under which a saved model solves as it did when it was fitted.
pub(super) fn limits_of(fit: &SparseFit) -> Limits {
    match fit {
        SparseFit::Factor { .. } => Limits::default(),
        SparseFit::Messages { .. } => Limits::MESSAGES,
    }
}

/// The variance of a kernel that is `white` and nothing else.
fn variance(kernel: &Kernel) -> Result<f64, Error> {
    match kernel.parameters().as_slice() {
        [variance] if is_white(kernel) => Ok(variance.value),
        _ => Err(Error::SparseKernel),
    }
}

fn is_white(kernel: &Kernel) -> bool {
    let nothing = crate::kernel::Schema { names: Vec::new(), categorical: Vec::new() };
    kernel.describe(&nothing) == "white"
}

/// The kernel asked for, which must be `white`.
fn white(choice: &KernelChoice, options: &Options<'_>) -> Result<(KernelSpec, Kernel), Error> {
    let spec = match choice {
        KernelChoice::Auto { .. } => KernelSpec { expression: "white".into(), ard: false },
        KernelChoice::Given(spec) => spec.clone(),
    };
    let kernel = parse(&spec.expression, options.schema, spec.ard)?;
    variance(&kernel)?;
    Ok((spec, kernel))
}

/// Settings that a climb of the evidence usually tries.
const CLIMB: usize = 10;

impl Model {
    /// A model of items by their names. Features are kept in the table and not used.
    pub(super) fn sparse(
        items: &Items,
        (encoder, points, labels): (Encoder, Points, Option<Column>),
        sparse: &Sparse<'_>,
        (settings, options): (&FitSettings, &Options<'_>),
        (held, mut notices): (Held, Vec<Notice>),
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        let observations = sparse.observations;
        let compared = points.select(&observations.items);
        let (spec, kernel) = white(&settings.kernel, options)?;
        let start = Hyperparameters::new(kernel, &compared, options)?;
        let steps = Steps::new(watch, CLIMB);
        let (stop, goes_on) = (lbfgs::Stop::default(), || steps.next(1));
        let infer = |h: &Hyperparameters, sites: Option<&Sites>, rough: &Settings, sloped: bool| {
            let (prior, outcome) = sparse.run(&h.kernel, h.noise(), sites, rough)?;
            let gradient = match sloped {
                true => {
                    vec![
                        prior.gradient(&outcome).ok_or(Error::Inference)?.log_variance,
                        outcome.d_log_noise(),
                    ]
                }
                false => Vec::new(),
            };
            let Outcome { log_evidence, sweeps, sites, .. } = outcome;
            Ok(Setting { log_evidence, gradient, sweeps, sites })
        };
        let learned = climb(&start, &settings.inference, stop, None, &goes_on, infer)?;
        let h = learned.hyperparameters;
        let (_, outcome) = sparse.run(&h.kernel, h.noise(), Some(&learned.sites), &settings.inference)?;
        let tried = Tried {
            kernel: spec,
            log_evidence: learned.log_evidence,
            score: learned.objective - h.free().len() as f64,
        };
        watch.tried(&tried);
        if outcome.status != Status::Converged {
            notices.push(Notice::NotConverged { residual: outcome.residual, sweeps: outcome.sweeps });
        }
        if watch.stops() {
            notices.push(Notice::Interrupted);
        } else if !learned.converged {
            notices.push(Notice::NotMaximised);
        }
        notices.extend(bound_notices(&h));
        if !watch.stops() && sparse.noise_is_open(&h, &outcome) {
            notices.push(Notice::Consistent { ratio: h.ratio() });
        }
        let groups = observations.groups();
        if groups > 1 {
            notices.push(Notice::Disconnected { groups });
        }
        let report = FitReport {
            comparisons: observations.total(),
            log_evidence: outcome.log_evidence,
            sweeps: learned.sweeps + outcome.sweeps,
            residual: outcome.residual,
            status: outcome.status,
            evaluations: learned.evaluations,
            tried: vec![tried],
            notices,
            held: Some(held),
            exact: None,
            streaming: None,
            sparse: Some(sparse.how(&outcome)),
        };
        let posterior = SparsePosterior::new(&compared, outcome, variance(&h.kernel)?, h.noise())?;
        Ok(Self {
            positions: positions(&items.keys),
            labels,
            keys: items.keys.clone(),
            encoder,
            points,
            method: settings.method,
            hyperparameters: h,
            observations: observations.clone(),
            inducing: None,
            report,
            belief: Belief::Sparse(Box::new(posterior)),
        })
    }
}
