//! The maximally uncertain challenger.

use super::{AcquisitionFunction, Contrast, Goal, Score};
use rather_numerics::special::normal::{cdf, pdf};
use rather_numerics::special::owen::{t, t_by_a, t_by_h};

/// The variance of the probability that the challenger is preferred, for what is not known of the utilities.
///
/// # Formula
/// With $M=m/s$, $V=v/s^2$, $u=M/\sqrt{1+V}$, $a=1/\sqrt{1+2V}$ and Owen's function $T$
/// $$ \operatorname{var}\Phi(z/s)=\Phi(u) \Phi(-u)-2 T(u,a). $$
///
/// # References
/// Fauvel and Chalk, *Efficient exploration in binary and preferential Bayesian optimization* (2021), arXiv:2110.09361,
/// "maximally uncertain challenge".
pub fn score(contrast: &Contrast, s: f64) -> Score {
    let (total, v) = (s * s + contrast.variance, contrast.variance / (s * s));
    let (u, a) = (contrast.mean / total.sqrt(), 1.0 / (1.0 + 2.0 * v).sqrt());
    let value = cdf(u) * cdf(-u) - 2.0 * t(u, a);
    let by_u = pdf(u) * (cdf(-u) - cdf(u)) - 2.0 * t_by_h(u, a);
    // da/dV = -a^3.
    let by_variance = 2.0 * t_by_a(u, a) * a.powi(3) / (s * s);
    let through_u = Score::of_standardised(contrast, s, value.max(0.0), by_u);
    Score { d_variance: through_u.d_variance + by_variance, ..through_u }
}

/// `uncertain`: [`score`].
#[derive(Debug)]
pub struct VarianceOfProbability;

impl AcquisitionFunction for VarianceOfProbability {
    fn name(&self) -> &'static str {
        "uncertain"
    }

    fn title(&self) -> &'static str {
        "least certain probability"
    }

    fn meaning(&self) -> &'static str {
        "the variance of the probability that the right item is preferred"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn score(&self, contrast: &Contrast, s: f64, _setting: f64) -> Option<Score> {
        Some(score(contrast, s))
    }
}
