//! The logistic link: Bradley and Terry's model, with thresholds.

use super::{Curvatures, Interval, LOG_NOISE, Likelihood, LogDensity, NO_SLOPES};

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
}

/// `log sigma(x)`, and `sigma(-x)`, its derivative.
fn log_sigma(x: f64) -> (f64, f64) {
    let e = (-x.abs()).exp();
    if x >= 0.0 { (-e.ln_1p(), e / (1.0 + e)) } else { (x - e.ln_1p(), 1.0 / (1.0 + e)) }
}

impl Likelihood for Logistic {
    fn log_density(&self, z: f64) -> LogDensity {
        let k = self.k;
        // log sigma at a distance: its value and derivatives in that distance over k.
        let part = |x: f64| {
            if x == f64::INFINITY {
                return [0.0; 5];
            }
            let (value, p) = log_sigma(x);
            let w = p * (1.0 - p);
            [value, p, -w, w * (1.0 - 2.0 * p), x]
        };
        let below = part((z - self.lower) / k);
        let above = part((self.upper - z) / k);
        let (h, [gap, d_gap]) = ((self.upper - self.lower) / k, self.gap);
        let mut out = LogDensity {
            value: below[0] + above[0] + gap,
            first: (below[1] - above[1]) / k,
            precision: -(below[2] + above[2]) / (k * k),
            third: (below[3] - above[3]) / (k * k * k),
            value_d: NO_SLOPES,
            first_d: NO_SLOPES,
            precision_d: NO_SLOPES,
        };
        if self.lower.is_finite() {
            out.value_d[Interval::LOWER] = (-below[1] - d_gap) / k;
            out.first_d[Interval::LOWER] = -below[2] / (k * k);
            out.precision_d[Interval::LOWER] = below[3] / (k * k * k);
        }
        if self.upper.is_finite() {
            out.value_d[Interval::UPPER] = (above[1] + d_gap) / k;
            out.first_d[Interval::UPPER] = -above[2] / (k * k);
            out.precision_d[Interval::UPPER] = -above[3] / (k * k * k);
        }
        let (x, y) = (below[4], above[4]);
        let gap_by_scale = if h == f64::INFINITY { 0.0 } else { h * d_gap };
        out.value_d[LOG_NOISE] = -(x * below[1] + y * above[1]) - gap_by_scale;
        out.first_d[LOG_NOISE] = (-(below[1] + x * below[2]) + (above[1] + y * above[2])) / k;
        out.precision_d[LOG_NOISE] =
            ((2.0 * below[2] + x * below[3]) + (2.0 * above[2] + y * above[3])) / (k * k);
        out
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
