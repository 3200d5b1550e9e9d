//! [`Representation::Sparse`](crate::representation::Representation::Sparse): items known by name only.

use serde::{Deserialize, Serialize};

use super::fit::{Found, after_learning, disconnected};
use super::{FitReport, FitSettings};
use crate::Error;
use crate::belief::Belief;
use crate::inference::observations::Observations;
use crate::inference::sites::Sites;
use crate::inference::sparse::{Field, Limits, SparsePrior, probe};
use crate::inference::{Outcome, Settings, ep};
use crate::kernel::{Kernel, parse};
use crate::learn::choice::{KernelChoice, KernelSpec, Options, Tried};
use crate::learn::{Hyperparameters, LEARNING_TOLERANCE, Learned, Setting, climb};
use crate::likelihood::Values;
use crate::points::Points;
use crate::posterior::SparsePosterior;
use crate::representation::Decision;
use rather_numerics::lbfgs;
use rather_numerics::watch::{self, Steps};

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
        /// Entries that the factor would have; 0 if the memory left no room to find out.
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
                write!(f, "sparse precision, variances by messages")?;
                if *entries > 0 {
                    write!(f, ": its factor would have {:.1e} entries", *entries as f64)?;
                }
                match error {
                    Some(probe::Probe { items, largest, .. }) => {
                        write!(
                            f,
                            "; of {items} items checked against exact variances, the largest error is {:.1} %",
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
        values: &Values,
        start: Option<Sites>,
        settings: &Settings,
    ) -> Result<(SparsePrior, Outcome), Error> {
        let prior = self.field.prior(variance(kernel)?, 0.0).ok_or(Error::Covariance)?;
        let merged = &self.observations.merged;
        let start = start.unwrap_or_else(|| Sites::empty(merged.len()));
        let likelihoods = self.observations.responses.likelihoods(values);
        let outcome = ep::run(&prior, merged, &likelihoods, start, settings);
        Ok((prior, outcome.ok_or(Error::Inference)?))
    }

    /// The posterior that belongs to known sites. `compared` are the items compared.
    pub(super) fn posterior(
        &self,
        compared: &Points,
        kernel: &Kernel,
        values: &Values,
        sites: &Sites,
        settings: &Settings,
    ) -> Result<SparsePosterior, Error> {
        let (_, outcome) = self.run(kernel, values, Some(sites.clone()), settings)?;
        self.posterior_of(compared, outcome, kernel, values)
    }

    fn posterior_of(
        &self,
        compared: &Points,
        outcome: Outcome,
        kernel: &Kernel,
        values: &Values,
    ) -> Result<SparsePosterior, Error> {
        let likelihoods = self.observations.responses.likelihoods(values);
        SparsePosterior::new(compared, outcome, variance(kernel)?, likelihoods)
    }

    /// Inference at what was learned, from the sites found on the way.
    fn finish(&self, learned: &mut Learned, settings: &Settings) -> Result<Outcome, Error> {
        let sites = std::mem::take(&mut learned.sites);
        let h = &learned.hyperparameters;
        Ok(self.run(&h.kernel, &h.values(), Some(sites), settings)?.1)
    }

    /// Whether no answer contradicts the utilities.
    fn is_consistent(&self, outcome: &Outcome) -> bool {
        let mean = &outcome.posterior.mean;
        self.observations.responses.is_plain()
            && self.observations.merged.iter().all(|o| o.sign() * mean[o.edge()] > 0.0)
    }

    /// Whether the evidence is no worse at a noise ten times smaller, as for the whole covariance.
    fn noise_is_open(&self, h: &Hyperparameters, log_evidence: f64) -> bool {
        let rough = Settings { tolerance: 1e-4, ..Settings::default() };
        !h.free().is_empty()
            && self
                .run(&h.kernel, &(0.1 * h.noise()).into(), None, &rough)
                .is_ok_and(|(_, sharper)| sharper.log_evidence > log_evidence - 1.0)
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
        [variance] if kernel.is_white() => Ok(variance.value),
        _ => Err(crate::Unsupported::Representation.into()),
    }
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

/// How far the evidence is off while learning, in nats: it is flat at the fixpoint, so every site is off by the square of the tolerance.
/// With ten million answers that is more than the last steps of a climb gain.
fn evidence_error(sites: usize) -> f64 {
    sites as f64 * LEARNING_TOLERANCE * LEARNING_TOLERANCE
}

/// Settings that a climb of the evidence usually tries.
const CLIMB: usize = 10;

impl Sparse<'_> {
    /// Learns about `compared`, the items compared. Their features are not looked at. `held` tells how the prior is held if the factor has so
    /// many entries, or if messages take its place.
    pub(super) fn fit(
        &self,
        compared: &Points,
        held: impl Fn(Option<usize>) -> Decision,
        settings: &FitSettings,
        options: &Options<'_>,
        each: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Found, Error> {
        let (spec, kernel) = white(&settings.kernel, options)?;
        let responses = &self.observations.responses;
        let start = Hyperparameters::for_answers(kernel, compared, responses, options)?;
        let steps = Steps::start("learning", CLIMB);
        let stop =
            lbfgs::Stop { error: evidence_error(self.observations.merged.len()), ..Default::default() };
        let goes_on = || steps.goes_on(1);
        let infer = |h: &Hyperparameters, sites: Option<Sites>, rough: &Settings, sloped: bool| {
            let (prior, outcome) = self.run(&h.kernel, &h.values(), sites, rough)?;
            let mut gradient = Vec::new();
            if sloped {
                gradient.push(prior.gradient(&outcome).ok_or(Error::Inference)?.log_variance);
                gradient.extend(&outcome.d_values);
            }
            let Outcome { log_evidence, sweeps, sites, trustworthy, .. } = outcome;
            Ok(Setting { log_evidence, gradient, sweeps, sites, trustworthy })
        };
        let mut learned = climb(&start, &settings.inference.convergence(), stop, None, &goes_on, infer)?;
        let (log_evidence, score) = (learned.log_evidence, learned.objective);
        let tried = Tried { kernel: spec, log_evidence, score, weight: 0.0 };
        drop(steps);
        each(&tried);
        let mut outcome = self.finish(&mut learned, &settings.inference.convergence())?;
        let mut open = false;
        if self.is_consistent(&outcome) && !watch::is_ending() {
            // One posterior at a time: the other setting's is another whole one.
            let Outcome { log_evidence, sites, sweeps, .. } = outcome;
            open = self.noise_is_open(&learned.hyperparameters, log_evidence);
            learned.sites = sites;
            outcome = Outcome { sweeps, ..self.finish(&mut learned, &settings.inference.convergence())? };
        }
        let h = &learned.hyperparameters;
        let mut notices = after_learning(&learned, &outcome, || open);
        notices.extend(disconnected(self.observations));
        let graph = self.field.graph();
        let entries = graph.is_exact().then(|| graph.entries());
        let report = FitReport {
            sparse: Some(self.how(&outcome)),
            ..FitReport::of(self.observations, &learned, &outcome, vec![tried], notices, held(entries))
        };
        let posterior = self.posterior_of(compared, outcome, &h.kernel, &h.values())?;
        let belief = Belief::Sparse(Box::new(posterior));
        Ok(Found {
            hyperparameters: learned.hyperparameters,
            inducing: None,
            report,
            belief,
            method: None,
            rivals: Vec::new(),
        })
    }
}
