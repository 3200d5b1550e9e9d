//! How far the Gaussian is from the exact posterior, point by point.

use super::Posterior;
use crate::inference::{Method, ratio};
use crate::points::Points;

impl Posterior {
    /// The items that answers are about: those whose utilities [`Posterior::log_ratio`] takes.
    pub(crate) fn compared(&self) -> &Points {
        &self.points
    }

    /// Whether [`Posterior::log_ratio`] tells: the Gaussian is one of expectation propagation, and no answer is about a set.
    pub(crate) fn has_log_ratio(&self) -> bool {
        self.method == Method::Ep
            && !self.observations.has_sets()
            && self.outcome.sites.tau.len() == self.observations.merged.len()
    }

    /// The log of the exact posterior over this Gaussian, but for a constant, at these utilities of [`Posterior::compared`].
    pub(crate) fn log_ratio(&self, utilities: &[f64]) -> f64 {
        let edges = &self.observations.edges;
        let z: Vec<f64> = edges
            .iter()
            .map(|e| utilities[e.plus()] - e.minus().map_or(0.0, |minus| utilities[minus]))
            .collect();
        ratio::log_ratio(&self.prior, &self.outcome.sites, &self.observations.merged, &self.likelihoods, &z)
    }
}
