//! Maximum entropy sampling: the entropy of the answer.

use std::f64::consts::LN_2;

use super::{AcquisitionFunction, Contrast, Goal, Score};
use rather_numerics::special::normal::{log_cdf, pdf};

/// The entropy of the answer in bits, $h\big(\Phi(u)\big)$ with $u=m/\sqrt{s^2+v}$ and the binary entropy
/// $h(p)=-p\log_2p-(1-p)\log_2(1-p)$. It is largest where the answer is least predictable, be it for want of knowledge or for
/// noise.
///
/// # References
/// Sebastiani and Wynn, *Maximum entropy sampling and optimal Bayesian experimental design* (2000), Journal of the Royal
/// Statistical Society B 62; Houlsby et al. (2012), supplement, section 5.
pub fn score(contrast: &Contrast, s: f64) -> Score {
    let u = contrast.mean / (s * s + contrast.variance).sqrt();
    Score::of_standardised(contrast, s, of_answer(u), slope(u))
}

/// $h(\Phi(u))$ in bits.
pub fn of_answer(u: f64) -> f64 {
    let (right, left) = (log_cdf(u), log_cdf(-u));
    -(weighted(right) + weighted(left)) / LN_2
}

/// $dh(\Phi(u))/du=\phi(u)\log_2\frac{\Phi(-u)}{\Phi(u)}$.
pub(super) fn slope(u: f64) -> f64 {
    weight(pdf(u), log_cdf(-u) - log_cdf(u)) / LN_2
}

/// $p\log p$ from $\log p$.
fn weighted(log_p: f64) -> f64 {
    weight(log_p.exp(), log_p)
}

/// A product in which 0 wins over infinity.
fn weight(p: f64, x: f64) -> f64 {
    if p == 0.0 { 0.0 } else { p * x }
}

/// $h(p)$ in bits.
pub(super) fn of_share(p: f64) -> f64 {
    -(weight(p, p.ln()) + weight(1.0 - p, (-p).ln_1p())) / LN_2
}

/// `entropy`: [`score`].
#[derive(Debug)]
pub struct AnswerEntropy;

impl AcquisitionFunction for AnswerEntropy {
    fn name(&self) -> &'static str {
        "entropy"
    }

    fn title(&self) -> &'static str {
        "least predictable (entropy)"
    }

    fn meaning(&self) -> &'static str {
        "entropy of the predicted answer, in bits"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn score(&self, contrast: &Contrast, s: f64, _setting: f64) -> Option<Score> {
        Some(score(contrast, s))
    }
}
