//! Inference: a Gaussian prior multiplied by one-dimensional factors on projections of it.

pub mod anderson;
pub mod blocks;
pub mod correction;
pub mod ep;
pub mod gradient;
pub mod laplace;
pub mod latent;
pub mod low_rank;
pub mod low_rank_diagonal;
pub mod low_rank_gradient;
pub mod observations;
pub mod prior;
pub(crate) mod ratio;
pub(crate) mod sample;
pub mod sequential;
pub(crate) mod set_factor;
pub mod sites;
pub mod sparse;
pub mod sweep;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::likelihood::{Likelihoods, Link};
use observations::Observation;
use prior::{Absorbed, GaussianPrior};
use sites::Sites;

/// How the posterior is approximated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Expectation propagation.
    Ep,
    /// Laplace: a Gaussian at the posterior mode.
    Laplace,
    /// Samples of the exact posterior ([`crate::exact`]). Its own evidence has Monte Carlo noise, so hyperparameters are
    /// learned by [`Method::Ep`], which is also what [`run`] does for it.
    Exact,
    /// One pass over the answers in their order, on a basis ([`crate::streaming`]). Where a batch is asked for ([`run`]),
    /// expectation propagation stands in, to which it is the nearest.
    Streaming,
}

impl Method {
    /// The Gaussian approximation by whose evidence hyperparameters are learned.
    pub fn approximation(self) -> Self {
        match self {
            Self::Ep | Self::Exact | Self::Streaming => Self::Ep,
            Self::Laplace => Self::Laplace,
        }
    }

    /// The link whose noise answers about sets of items must have: normal noise has moments, by expectation propagation inside an answer, and Gumbel noise
    /// has closed derivatives.
    pub(crate) fn link_of_sets(self) -> Link {
        match self.approximation() {
            Self::Laplace => Link::Logistic,
            _ => Link::Probit,
        }
    }
}

/// Which answers are one factor of expectation propagation, with one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Factors {
    /// All answers about the same projection: what was said of one pair, or of one item. Its moments are by quadrature where it is more than
    /// one answer.
    #[default]
    Pair,
    /// Every answer, as published (Takeno; Wang and McKenna 2010): another fixpoint, whose intervals are the narrower the more often a pair is
    /// compared.
    Answer,
}

/// How far to go, and by which factors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Largest mismatch of moments (EP) or largest relative Newton step (Laplace) that counts as converged.
    pub tolerance: f64,
    /// Largest number of parallel sweeps (EP) or Newton steps (Laplace).
    pub sweeps: usize,
    /// Largest number of sequential sweeps, tried when the parallel ones do not converge.
    pub sequential_sweeps: usize,
    /// What has a site (EP).
    pub factors: Factors,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-8, sweeps: 200, sequential_sweeps: 200, factors: Factors::Pair }
    }
}

impl Settings {
    /// Whether the tolerance is one.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is not positive, or so large that what has converged is not to be trusted.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.tolerance > 0.0 && self.tolerance <= ROUNDING {
            return Ok(());
        }
        let requirement = "it must be positive and at most 0.001";
        Err(Error::Parameter { name: "tolerance".into(), value: self.tolerance, requirement })
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The residual is within the tolerance.
    Converged,
    /// The residual no longer goes down, and is at most 0.001: rounding is all that is left of it.
    Stalled,
    /// The limit of sweeps was reached first; the residual tells how far the result is from a fixpoint.
    Limit,
}

/// The largest residual that rounding may be to blame for.
const ROUNDING: f64 = 1e-3;
/// Nats by which rounding may lift the evidence of answers of probability 1.
const CERTAIN: f64 = 1e-6;

/// Whether a run that ended with this residual may be taken for one at a fixpoint, as far as that was asked for.
fn is_trustworthy(
    residual: f64,
    tolerance: f64,
    log_evidence: f64,
    observations: &[Observation],
    likelihoods: &Likelihoods,
) -> bool {
    let counted = || observations.iter().all(|o| likelihoods.of(o.answer).is_probability());
    residual <= ROUNDING.max(tolerance) && log_evidence.is_finite() && (log_evidence <= CERTAIN || !counted())
}

/// `x`, or the nearest number if it is none.
fn as_number(x: f64) -> f64 {
    if x.is_nan() { f64::MAX } else { x.clamp(f64::MIN, f64::MAX) }
}

/// What inference found.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Log evidence (log marginal likelihood), in nats.
    pub log_evidence: f64,
    /// Its derivatives in the log of the noise, and in the other values of the likelihoods' parameters.
    pub d_values: Vec<f64>,
    /// How the run ended.
    pub status: Status,
    /// Largest mismatch left; the largest number if there is no telling.
    pub residual: f64,
    /// Whether this is near a fixpoint: the residual is at most 0.001, or the tolerance, and the log evidence a number, not above 0 where answers are counted.
    /// If not, the evidence is none, and neither are the moments.
    pub trustworthy: bool,
    /// Factors whose cavity rounding has eaten (EP): their sites say nearly all that is known of their projections.
    pub clipped: usize,
    /// Sweeps used.
    pub sweeps: usize,
    /// The sites.
    pub sites: Sites,
    /// The posterior under them.
    pub posterior: Absorbed,
    /// Laplace only: how the log determinant pulls on each projection of the mode (for the gradient).
    pub implicit: Option<Vec<f64>>,
    /// Expectation propagation with a prior of low rank only: the derivative of the log evidence in what the features leave of each
    /// projection's variance; else empty.
    pub d_rest: Vec<f64>,
}

impl Outcome {
    /// The derivative of the log evidence in the log of the noise.
    pub fn d_log_noise(&self) -> f64 {
        self.d_values.first().copied().unwrap_or(0.0)
    }
}

/// Runs inference from `start`. `None` if the numbers broke down (a covariance that is not one), and for answers about sets of items with a noise that this
/// way of inference is not for: Gumbel noise is for Laplace's approximation, normal noise for the others.
pub fn run(
    method: Method,
    prior: &dyn GaussianPrior,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    start: Sites,
    settings: &Settings,
) -> Option<Outcome> {
    if !likelihoods.sets_have(method.link_of_sets()) {
        return None;
    }
    match method {
        Method::Ep | Method::Exact | Method::Streaming => {
            ep::run(prior, observations, likelihoods, start, settings)
        }
        Method::Laplace => laplace::run(prior, observations, likelihoods, start, settings),
    }
}
