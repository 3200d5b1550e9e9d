//! The upper confidence bound of the difference.

use super::contrast::{Contrast, Score};

/// $m+\kappa\sqrt v$: how much better than the opponent the challenger may well be. Of the difference, not of the
/// challenger's utility, whose level is unknown and nearly as uncertain everywhere.
///
/// # References
/// Srinivas, Krause, Kakade and Seeger, *Gaussian process optimization in the bandit setting* (2010), ICML, for the bound on
/// a utility.
pub fn score(contrast: &Contrast, kappa: f64) -> Score {
    let sd = contrast.variance.sqrt();
    let d_variance = if sd > 0.0 { 0.5 * kappa / sd } else { 0.0 };
    Score { value: contrast.mean + kappa * sd, d_mean: 1.0, d_variance, d_base: 0.0 }
}
