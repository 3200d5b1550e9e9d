//! How sampling went, and when it is to be trusted.

use rather_numerics::linalg::Matrix;
use rather_numerics::watch::Steps;
use rather_numerics::{parallel, watch};
use serde::{Deserialize, Serialize};

use super::diagnostics::{effective_samples, r_hat};
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
    /// The report of draws that nobody has judged yet: one matrix a chain, one draw a column.
    pub(super) fn of(sampler: Sampler, drawn: &[Matrix], acceptance: Option<f64>) -> Self {
        Self {
            sampler,
            draws: drawn.iter().map(Matrix::cols).sum(),
            acceptance,
            effective_samples: f64::NAN,
            effective_differences: f64::NAN,
            r_hat: f64::NAN,
        }
    }

    /// Takes in what [`worst`] found for the utilities and for the noisy differences.
    pub(super) fn judge(&mut self, of_utilities: (f64, f64), of_differences: (f64, f64)) {
        self.effective_samples = of_utilities.0;
        self.effective_differences = of_differences.0;
        // Chains that stand still have an infinite one, which a file cannot hold.
        self.r_hat = of_utilities.1.max(of_differences.1).min(f64::MAX);
    }

    /// Whether the draws may be trusted: [`LARGEST_R_HAT`] and [`FEWEST_EFFECTIVE`] are kept.
    pub fn mixed(&self) -> bool {
        self.r_hat <= LARGEST_R_HAT && self.effective_samples >= FEWEST_EFFECTIVE
    }
}

/// The fewest effective draws and the largest R-hat among `n` quantities.
pub(super) fn worst(n: usize, chains: impl Fn(usize) -> Vec<Vec<f64>> + Sync) -> (f64, f64) {
    let steps = Steps::start("judging draws", n);
    let each = parallel::map(n, 1, |i| {
        steps.add(1);
        if watch::ends() {
            return (f64::NAN, f64::NAN);
        }
        let chains = chains(i);
        (effective_samples(&chains), r_hat(&chains))
    });
    each.into_iter().fold((f64::INFINITY, 1.0), |(e, r), (ei, ri)| (e.min(ei), r.max(ri)))
}

/// What exact inference adds to the report of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ExactFit {
    /// How sampling went.
    pub sampling: Report,
    /// The exact log evidence; `None` if it is out of reach: of other answers than plain comparisons and orders of sets, of the best and the worst of a set, and of more than
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
