//! Scores of the challenger's own utility: the baselines that fail.
//!
//! Comparisons leave the level of utilities unknown, so the variance of a utility is mostly that of the level, and nearly
//! the same everywhere: the mean decides, and the same two items meet again and again. Both functions take a [`Contrast`]
//! whose variance is that of $f(x)$ itself. They are here to be compared with, not to be used.

use super::contrast::{Contrast, Score};
use super::improvement;

/// $\mu+\alpha\sigma^2$, mean and variance of the challenger's utility, as printed: a variance is added to a mean.
///
/// # References
/// Schoonderbeek, *A factor graph approach to Gaussian process preference learning* (2014), equation 31.
pub fn upper_bound(contrast: &Contrast, alpha: f64) -> Score {
    let value = contrast.base + contrast.mean + alpha * contrast.variance;
    Score { value, d_mean: 1.0, d_variance: alpha, d_base: 1.0 }
}

/// The formula of expected improvement with the standard deviation of the challenger's utility in the place of that of the
/// difference. It is no expectation of anything.
///
/// # References
/// Schoonderbeek (2014), section VI, which speaks of expected improvement.
pub fn expected_improvement(contrast: &Contrast) -> Score {
    improvement::score(contrast)
}
