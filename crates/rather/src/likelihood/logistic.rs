//! The logistic link: Bradley and Terry's model, with thresholds.

use super::quadrature::Height;
use super::{Curvatures, Interval, LOG_NOISE, Likelihood, LogDensity, NO_SLOPES, Slopes};

/// $t(z)=\sigma\big(\tfrac{u-z}{k}\big)-\sigma\big(\tfrac{l-z}{k}\big)$ with the logistic function $\sigma$: $z$ with logistic noise lies
/// between the thresholds $l<u$. The scale is $k=s\sqrt3/\pi$, so that the noise has the standard deviation $s$ of the probit's.
///
/// # Formula
/// $\sigma(b)-\sigma(a)=\sigma(b) \sigma(-a) (1-e^{a-b})$, so the log has no cancellation. Moments by quadrature.
///
/// # References
/// Bradley and Terry, *Rank analysis of incomplete block designs* (1952), Biometrika 39; with ties Rao and Kupper (1967).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logistic {
    lower: f64,
    upper: f64,
    k: f64,
    /// $\log(1-e^{-h})$ with $h=(u-l)/k$, and its derivative in $h$.
    gap: [f64; 2],
}

impl Logistic {
    /// Between `lower` and `upper`, which is larger, with noise of standard deviation `s > 0`.
    pub fn new(lower: f64, upper: f64, s: f64) -> Self {
        let k = s * 3.0_f64.sqrt() / std::f64::consts::PI;
        let h = (upper - lower) / k;
        let gap = if h == f64::INFINITY { [0.0; 2] } else { [ln_1m_exp(h), 1.0 / h.exp_m1()] };
        Self { lower, upper, k, gap }
    }

    /// $k$.
    pub(super) fn scale(&self) -> f64 {
        self.k
    }

    /// $l$ and $u$.
    pub(super) fn thresholds(&self) -> [f64; 2] {
        [self.lower, self.upper]
    }

    /// $h=(u-l)/k$.
    pub(super) fn width(&self) -> f64 {
        (self.upper - self.lower) / self.k
    }

    /// $\log(1-e^{-h})$, by which the density is more than its two logistic functions,
    pub(super) fn gap(&self) -> f64 {
        self.gap[0]
    }

    /// and its derivative in $h$.
    pub(super) fn d_gap(&self) -> f64 {
        self.gap[1]
    }
}

/// $\log\sigma(x)$ at the distance $x$ of a threshold in units of $k$.
#[derive(Clone, Copy)]
struct Side {
    x: f64,
    value: f64,
    /// The derivative $\sigma(-x)$,
    slope: f64,
    /// and minus the second one.
    bend: f64,
}

impl Side {
    fn at(x: f64) -> Self {
        if x == f64::INFINITY {
            return Self { x, value: 0.0, slope: 0.0, bend: 0.0 };
        }
        let e = (-x.abs()).exp();
        let (value, share) = (-e.ln_1p(), (1.0 + e).recip());
        let (value, slope) = if x >= 0.0 { (value, e * share) } else { (value + x, share) };
        Self { x, value, slope, bend: e * share * share }
    }

    /// The derivative of the value in the logarithm of the scale.
    fn in_scale(self) -> f64 {
        if self.x == f64::INFINITY { 0.0 } else { -self.x * self.slope }
    }
}

impl Logistic {
    fn sides(&self, z: f64) -> [Side; 2] {
        [Side::at((z - self.lower) / self.k), Side::at((self.upper - z) / self.k)]
    }

    /// The log density with two derivatives, and the derivatives of its value in the slots.
    fn density(&self, [below, above]: [Side; 2]) -> (Height, Slopes) {
        let (k, [gap, d_gap]) = (self.k, self.gap);
        let height = Height {
            value: below.value + above.value + gap,
            first: (below.slope - above.slope) / k,
            precision: (below.bend + above.bend) / (k * k),
        };
        let mut slopes = NO_SLOPES;
        if self.lower.is_finite() {
            slopes[Interval::LOWER] = (-below.slope - d_gap) / k;
        }
        if self.upper.is_finite() {
            slopes[Interval::UPPER] = (above.slope + d_gap) / k;
        }
        let h = self.width();
        let gap_by_scale = if h == f64::INFINITY { 0.0 } else { h * d_gap };
        slopes[LOG_NOISE] = below.in_scale() + above.in_scale() - gap_by_scale;
        (height, slopes)
    }
}

impl Likelihood for Logistic {
    fn log_density(&self, z: f64) -> LogDensity {
        let k = self.k;
        let sides @ [below, above] = self.sides(z);
        let (Height { value, first, precision }, value_d) = self.density(sides);
        let third = |side: Side| side.bend * (1.0 - 2.0 * side.slope);
        let mut out = LogDensity {
            value,
            first,
            precision,
            third: (third(below) - third(above)) / (k * k * k),
            value_d,
            first_d: NO_SLOPES,
            precision_d: NO_SLOPES,
        };
        if self.lower.is_finite() {
            out.first_d[Interval::LOWER] = below.bend / (k * k);
            out.precision_d[Interval::LOWER] = third(below) / (k * k * k);
        }
        if self.upper.is_finite() {
            out.first_d[Interval::UPPER] = above.bend / (k * k);
            out.precision_d[Interval::UPPER] = -third(above) / (k * k * k);
        }
        let by_scale = |side: Side, of: f64| if side.x == f64::INFINITY { 0.0 } else { side.x * of };
        let first = |side: Side| -side.slope + by_scale(side, side.bend);
        out.first_d[LOG_NOISE] = (first(below) - first(above)) / k;
        let precision = |side: Side| -2.0 * side.bend + by_scale(side, third(side));
        out.precision_d[LOG_NOISE] = (precision(below) + precision(above)) / (k * k);
        out
    }

    fn height(&self, z: f64) -> (Height, Slopes) {
        self.density(self.sides(z))
    }

    fn as_logistic(&self) -> Option<&Logistic> {
        Some(self)
    }

    fn bends(&self) -> Curvatures {
        Curvatures { at: [self.lower, self.upper], width: 4.0 * self.k }
    }

    /// $e^{-z/k}=-1$ at the distance $\pi k$.
    fn analytic_within(&self) -> f64 {
        std::f64::consts::PI * self.k
    }

    fn is_probability(&self) -> bool {
        true
    }
}

/// `log(1 - e^-h)` for `h > 0`.
fn ln_1m_exp(h: f64) -> f64 {
    if h < std::f64::consts::LN_2 { (-(-h).exp_m1()).ln() } else { (-(-h).exp()).ln_1p() }
}
