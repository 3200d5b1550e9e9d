//! Samples of the exact posterior, in words.

use crate::table::{count, counted};
use rather::exact::{Report, Sampler};
use rather::inference::Method;
use serde::Serialize;

/// How sampling went, as `--json` tells.
#[derive(Serialize)]
pub(crate) struct Sampled {
    sampler: Sampler,
    draws: usize,
    effective_samples: f64,
    r_hat: f64,
}

impl Sampled {
    pub(crate) fn new(report: &Report) -> Self {
        let &Report { sampler, draws, effective_samples, r_hat, .. } = report;
        Self { sampler, draws, effective_samples, r_hat }
    }

    /// The same for people.
    pub(crate) fn sentence(&self) -> String {
        let sampler = match self.sampler {
            Sampler::Auto => "sampling",
            Sampler::MinimaxTilting => "accept-reject with minimax tilting",
            Sampler::Gibbs => "Gibbs sampling",
            Sampler::LinEss => "linear elliptical slice sampling",
            Sampler::EpSlice => "elliptical slice sampling",
        };
        format!(
            "{} by {sampler}, at least {} effective, split R-hat {:.3}",
            counted(self.draws as u64, "exact draw"),
            count(self.effective_samples as u64),
            self.r_hat
        )
    }
}

/// A way of inference by its full name.
pub(crate) fn method_name(method: Method) -> &'static str {
    match method {
        Method::Ep => "expectation propagation",
        Method::Laplace => "Laplace",
        Method::Exact => "exact inference",
        Method::Streaming => "streaming inference",
    }
}
