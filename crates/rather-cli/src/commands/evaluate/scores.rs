//! Scores as they are printed.

use rather::evaluate::{Calibration, Scores, Tested};
use serde::Serialize;

/// The scores of predictions; null where there is none of that sort.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Numbers {
    pub(super) accuracy: Option<f64>,
    pub(super) log_loss: f64,
    pub(super) brier: Option<f64>,
    pub(super) ece: f64,
    #[serde(flatten)]
    pub(super) more: More,
}

/// Scores of ordered outcomes and of measured numbers.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct More {
    /// Ranked probability score.
    pub(super) rps: Option<f64>,
    /// Continuous ranked probability score.
    pub(super) crps: Option<f64>,
    /// Share within predictive intervals.
    pub(super) coverage_50: Option<f64>,
    pub(super) coverage_95: Option<f64>,
}

impl Numbers {
    pub(super) fn new(tested: &[Tested]) -> Self {
        let scores = Scores::of(&comparable(tested));
        Self {
            accuracy: number(scores.accuracy),
            log_loss: scores.log_loss,
            brier: number(scores.brier),
            ece: Calibration::default_bins(tested).error(),
            more: More::new(tested),
        }
    }
}

impl More {
    pub(super) fn new(tested: &[Tested]) -> Self {
        let Scores { rps, crps, coverage, .. } = Scores::of(tested);
        let [coverage_50, coverage_95] = [0, 1].map(|at| coverage.map(|shares| shares[at]));
        Self { rps: number(rps), crps, coverage_50, coverage_95 }
    }
}

/// Answers whose scores have an average: those with probabilities, or densities where there is nothing else.
fn comparable(tested: &[Tested]) -> Vec<Tested> {
    let listed: Vec<Tested> = tested.iter().filter(|t| t.given.is_some()).cloned().collect();
    if listed.is_empty() { tested.to_vec() } else { listed }
}

/// What is a number.
pub(super) fn number(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
