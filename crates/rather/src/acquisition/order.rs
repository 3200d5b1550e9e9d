//! The least certain order: for sorting.

use super::{AcquisitionFunction, AnswerModel, Contrast, Goal, PairBelief, Score, entropy};
use crate::likelihood::Average;
use rather_numerics::special::normal::{cdf, pdf};

/// The entropy of the order of two items in bits, $h\big(\Phi(m/\sqrt v)\big)$ with the binary entropy $h$: what is not known of the sign of the
/// difference of their utilities, whatever the noise of an answer.
///
/// To learn utilities, pairs of which the difference is open are the best, near or far; for an order, those of which the sign is.
///
/// # References
/// The limit of a large committee (Freund, Seung, Shamir and Tishby, *Selective sampling using the query by committee algorithm*, 1997, Machine
/// Learning 28) that votes on the order.
pub fn score(contrast: &Contrast) -> Score {
    if contrast.variance > 0.0 { entropy::score(contrast, 0.0) } else { Score::default() }
}

/// The probability that the one item is better, and that the other is.
fn orders(contrast: &Contrast) -> Vec<Average> {
    if contrast.variance <= 0.0 {
        return vec![Average::default(); 2];
    }
    let sd = contrast.variance.sqrt();
    let u = contrast.mean / sd;
    let of = |sign: f64| Average {
        value: cdf(sign * u),
        d_mean: sign * pdf(u) / sd,
        d_variance: -0.5 * sign * u * pdf(u) / contrast.variance,
        ..Average::default()
    };
    [1.0, -1.0].map(of).to_vec()
}

/// `order`: [`score`].
#[derive(Debug)]
pub struct OrderEntropy;

impl AcquisitionFunction for OrderEntropy {
    fn name(&self) -> &'static str {
        "order"
    }

    fn title(&self) -> &'static str {
        "least certain order"
    }

    fn meaning(&self) -> &'static str {
        "entropy of which of the two items has the larger utility, in bits"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn score(&self, contrast: &Contrast, _answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(score(contrast))
    }

    /// Of the order that the mixture predicts.
    fn scores_of_mixture(&self, parts: &[PairBelief<'_>], _setting: f64) -> Vec<Score> {
        let predicted: Vec<_> = parts.iter().map(|part| orders(&part.contrast)).collect();
        entropy::of_mixture(parts, &predicted)
    }
}
