//! How sampling went, and when it is to be trusted.

use serde::{Deserialize, Serialize};

use super::orthant::LogProbability;
use super::posterior::ExactPosterior;
use super::settings::Sampler;

/// Above this split R-hat the chains have not mixed.
pub const LARGEST_R_HAT: f64 = 1.05;
/// With fewer effective draws, a mean is off by a tenth of a standard deviation or more.
pub const FEWEST_EFFECTIVE: f64 = 100.0;

/// How sampling went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The sampler that drew.
    pub sampler: Sampler,
    /// Draws kept.
    pub draws: usize,
    /// Share of proposals accepted, for minimax tilting; the other samplers reject nothing.
    pub acceptance: Option<f64>,
    /// Effective draws of the compared item whose mean utility has the fewest.
    #[serde(with = "crate::any_float")]
    pub effective_samples: f64,
    /// Effective draws of the noisy difference that has the fewest.
    #[serde(with = "crate::any_float")]
    pub effective_differences: f64,
    /// The largest split R-hat of these utilities and differences.
    #[serde(with = "crate::any_float")]
    pub r_hat: f64,
}

impl Report {
    /// Whether the draws may be trusted: [`LARGEST_R_HAT`] and [`FEWEST_EFFECTIVE`] are kept.
    pub fn mixed(&self) -> bool {
        self.r_hat <= LARGEST_R_HAT && self.effective_samples >= FEWEST_EFFECTIVE
    }
}

/// What exact inference adds to the report of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ExactFit {
    /// How sampling went.
    pub sampling: Report,
    /// The exact log evidence; `None` if it is out of reach: of other answers than plain comparisons, and of more than
    /// [`orthant::MOST_VARIABLES`](super::orthant::MOST_VARIABLES).
    pub log_evidence: Option<LogProbability>,
    /// The log evidence by expectation propagation, which the hyperparameters maximise.
    #[serde(with = "crate::any_float")]
    pub approximate_log_evidence: f64,
}

impl ExactFit {
    /// The report of `posterior`, its evidence computed; `approximate` is that of expectation propagation.
    pub fn new(posterior: &ExactPosterior, approximate: f64) -> Self {
        Self {
            sampling: *posterior.report(),
            log_evidence: posterior.log_evidence(),
            approximate_log_evidence: approximate,
        }
    }
}
