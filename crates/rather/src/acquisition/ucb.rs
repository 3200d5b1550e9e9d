//! The upper confidence bound of the difference.

use super::{AcquisitionFunction, AnswerModel, Contrast, Goal, PairBelief, Score, Setting};

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

/// `ucb:2`: [`score`] with so many standard deviations.
#[derive(Debug)]
pub struct UpperConfidenceBound;

impl AcquisitionFunction for UpperConfidenceBound {
    fn name(&self) -> &'static str {
        "ucb"
    }

    fn title(&self) -> &'static str {
        "promising and uncertain (UCB)"
    }

    fn meaning(&self) -> &'static str {
        "upper confidence bound of the difference, right minus left, in units of utility"
    }

    fn goal(&self) -> Goal {
        Goal::Best
    }

    fn setting(&self) -> Setting {
        Setting::Number { default: 2.0 }
    }

    fn needs_opponent(&self) -> bool {
        true
    }

    fn score(&self, contrast: &Contrast, _answers: &AnswerModel, kappa: f64) -> Option<Score> {
        Some(score(contrast, kappa))
    }

    /// With the mean and the standard deviation of the mixture.
    fn scores_of_mixture(&self, parts: &[PairBelief<'_>], kappa: f64) -> Vec<Score> {
        let mixed = Contrast::of_mixture(parts);
        let Score { value, d_mean, d_variance, d_base } = score(&mixed, kappa);
        // The variance of the mixture has the spread of the means, too.
        let spread = |part: &PairBelief<'_>| 2.0 * (part.contrast.mean - mixed.mean);
        let one = |part: &PairBelief<'_>| {
            Score { value, d_mean: d_mean + d_variance * spread(part), d_variance, d_base }.times(part.weight)
        };
        parts.iter().map(one).collect()
    }
}
