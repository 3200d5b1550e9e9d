//! What acquisition functions look at, and what they return.

use super::PairBelief;
use crate::likelihood::Average;

/// The difference $z=f(x)-f(x')$ between a challenger $x$ and an opponent $x'$, normal with this mean and variance, on top
/// of the opponent's mean utility.
///
/// For a class label instead of a comparison, $z$ is the utility itself, and the base 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contrast {
    /// Mean $m$ of $z$.
    pub mean: f64,
    /// Variance $v$ of $z$, at least 0.
    pub variance: f64,
    /// Mean of $f(x')$.
    pub base: f64,
}

impl Contrast {
    /// The moments of a mixture.
    pub(super) fn of_mixture(parts: &[PairBelief<'_>]) -> Self {
        let average =
            |of: &dyn Fn(&Self) -> f64| parts.iter().map(|p| p.weight * of(&p.contrast)).sum::<f64>();
        let mean = average(&|c| c.mean);
        let variance = average(&|c| c.variance + (c.mean - mean).powi(2));
        Self { mean, variance, base: average(&|c| c.base) }
    }
}

/// The value of an acquisition function, and its derivatives in the three numbers of a [`Contrast`].
///
/// Where a function has a kink at $v=0$ (its slope in $v$ is infinite) the derivative is given as 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// The value: larger is better.
    pub value: f64,
    /// Derivative in the mean.
    pub d_mean: f64,
    /// Derivative in the variance.
    pub d_variance: f64,
    /// Derivative in the base.
    pub d_base: f64,
}

impl Score {
    /// The score of a function of $u=m/\sqrt{s^2+v}$, given its value and derivative there.
    pub(super) fn of_standardised(contrast: &Contrast, s: f64, value: f64, slope: f64) -> Self {
        let total = s * s + contrast.variance;
        let u = contrast.mean / total.sqrt();
        Self { value, d_mean: slope / total.sqrt(), d_variance: -0.5 * slope * u / total, d_base: 0.0 }
    }

    /// An average as a score.
    pub(super) fn of_average(average: &Average) -> Self {
        let &Average { value, d_mean, d_variance, .. } = average;
        Self { value, d_mean, d_variance, d_base: 0.0 }
    }

    /// Of a function that has no value there.
    pub(crate) const NOTHING: Self = Self { value: f64::NAN, d_mean: 0.0, d_variance: 0.0, d_base: 0.0 };

    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            value: factor * self.value,
            d_mean: factor * self.d_mean,
            d_variance: factor * self.d_variance,
            d_base: factor * self.d_base,
        }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            d_mean: self.d_mean - other.d_mean,
            d_variance: self.d_variance - other.d_variance,
            d_base: self.d_base - other.d_base,
        }
    }
}
