//! Scores of the challenger's own utility: the baselines that fail.
//!
//! Comparisons leave the level of utilities unknown, so the variance of a utility is mostly that of the level, and nearly
//! the same everywhere: the mean decides, and the same two items meet again and again. Both functions take a [`Contrast`]
//! whose variance is that of $f(x)$ itself. They are here to be compared with, not to be used.

use super::improvement;
use super::{AcquisitionFunction, AnswerModel, Contrast, Goal, Score, Setting};

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

/// `absolute-ucb:1`: [`upper_bound`] with such a weight of the variance.
#[derive(Debug)]
pub struct AbsoluteUpperBound;

impl AcquisitionFunction for AbsoluteUpperBound {
    fn name(&self) -> &'static str {
        "absolute-ucb"
    }

    fn title(&self) -> &'static str {
        "upper bound of the utility itself"
    }

    fn meaning(&self) -> &'static str {
        "as published, on absolute utilities"
    }

    fn goal(&self) -> Goal {
        Goal::Baseline
    }

    fn setting(&self) -> Setting {
        Setting::Number { default: 1.0 }
    }

    fn needs_opponent(&self) -> bool {
        true
    }

    fn is_absolute(&self) -> bool {
        true
    }

    fn score(&self, contrast: &Contrast, _answers: &AnswerModel, alpha: f64) -> Option<Score> {
        Some(upper_bound(contrast, alpha))
    }
}

/// `absolute-improvement`: [`expected_improvement`].
#[derive(Debug)]
pub struct AbsoluteImprovement;

impl AcquisitionFunction for AbsoluteImprovement {
    fn name(&self) -> &'static str {
        "absolute-improvement"
    }

    fn title(&self) -> &'static str {
        "improvement of the utility itself"
    }

    fn meaning(&self) -> &'static str {
        "as published, on absolute utilities"
    }

    fn goal(&self) -> Goal {
        Goal::Baseline
    }

    fn needs_opponent(&self) -> bool {
        true
    }

    fn is_absolute(&self) -> bool {
        true
    }

    fn score(&self, contrast: &Contrast, _answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(expected_improvement(contrast))
    }
}
