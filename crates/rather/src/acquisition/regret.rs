//! When to stop: what is still to be lost by taking the recommendation.

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::posterior::Sampler;

/// What a recommendation is expected to lose, by draws of the utilities.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Regret {
    /// The expected difference between the best utility and the recommended item's; at least 0, in units of utility.
    pub expected: f64,
    /// The probability that the recommended item is within the margin of the best.
    pub within: f64,
    /// What it loses at most with a probability of [`BOUND`]: the quantile of the difference.
    pub most: f64,
}

/// The probability with which a loss is below [`Regret::most`].
pub const BOUND: f64 = 0.9;

/// The posterior expected regret of recommending item `recommended`, and the probability that it is within `margin` of the
/// best item.
///
/// # Formula
/// $$ \frac1S\sum_s\Big(\max_if^{(s)}_ i-f^{(s)}_ {\text{rec}}\Big),\qquad
///    \frac1S\sum_s\Big[\max_if^{(s)}_ i-f^{(s)}_ {\text{rec}}\le\text{margin}\Big]. $$
/// A maximum of expectations (no challenger has an expected improvement above something) is smaller, and stops too early.
pub fn regret(
    sampler: &Sampler,
    recommended: usize,
    margin: f64,
    draws: usize,
    rng: &mut ChaCha8Rng,
) -> Regret {
    let lost = (0..draws).map(|_| {
        let utilities = sampler.draw(rng);
        (utilities.iter().fold(f64::MIN, |a, &b| a.max(b)) - utilities[recommended], 1.0)
    });
    Regret::of(lost, margin)
}

impl Regret {
    /// Of draws of what is lost, with their weights.
    pub(crate) fn of(lost: impl Iterator<Item = (f64, f64)>, margin: f64) -> Self {
        let mut lost: Vec<(f64, f64)> = lost.collect();
        lost.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = lost.iter().map(|(_, weight)| weight).sum();
        let (mut expected, mut within, mut below) = (0.0, 0.0, 0.0);
        let mut most = None;
        for &(lost, weight) in &lost {
            let share = weight / total;
            expected += lost * share;
            within += if lost <= margin { share } else { 0.0 };
            below += share;
            if below > BOUND {
                most = most.or(Some(lost));
            }
        }
        let most = most.or(lost.last().map(|last| last.0)).unwrap_or(0.0);
        Self { expected, within: within.min(1.0), most }
    }
}
