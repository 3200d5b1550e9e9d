//! A measured value that may be an outlier.

use super::{Curvatures, LOG_NOISE, Likelihood, LogDensity, NO_SLOPES};
use rather_numerics::special::gamma::{digamma, ln_gamma};

/// $t(z)=\operatorname{St}(y; c+az, \sigma, \nu)$: the value $y$ was measured of $c+az$, with noise of Student's distribution
/// with $\nu$ degrees of freedom and scale $\sigma$. An outlier counts little: the factor is not log-concave.
///
/// # Formula
/// With $r=(y-c-az)/\sigma$,
/// $$ \log t=\log\Gamma\big(\tfrac{\nu+1}2\big)-\log\Gamma\big(\tfrac\nu2\big)-\tfrac12\log(\nu\pi\sigma^2)
///    -\tfrac{\nu+1}2\log\big(1+\tfrac{r^2}{\nu}\big). $$
/// Moments by quadrature.
///
/// # References
/// Jylänki, Vanhatalo and Vehtari, *Robust Gaussian process regression with a Student-t likelihood* (2011), Journal of Machine
/// Learning Research 12.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Student {
    value: f64,
    offset: f64,
    scale: f64,
    noise: f64,
    freedom: f64,
}

impl Student {
    /// The slot of the derivative in $c$.
    pub const OFFSET: usize = 1;
    /// The slot of the derivative in $\log a$.
    pub const LOG_SCALE: usize = 2;
    /// The slot of the derivative in $\log\nu$.
    pub const LOG_FREEDOM: usize = 3;

    /// `value` measured of `offset + scale z`, with noise of the scale `noise` and `freedom` degrees of freedom, all of the last three
    /// positive.
    pub fn new(value: f64, [offset, scale]: [f64; 2], noise: f64, freedom: f64) -> Self {
        Self { value, offset, scale, noise, freedom }
    }
}

impl Likelihood for Student {
    fn log_density(&self, z: f64) -> LogDensity {
        let Self { value, offset, scale, noise, freedom: n } = *self;
        let slope = scale / noise;
        let r = (value - offset - scale * z) / noise;
        let w = 1.0 / (n + r * r);
        // g(r) = log t + log noise and its derivatives in r.
        let half = 0.5 * (n + 1.0);
        let constant = ln_gamma(half) - ln_gamma(0.5 * n) - 0.5 * (n * std::f64::consts::PI).ln();
        let g0 = constant - half * (r * r / n).ln_1p();
        let g1 = -(n + 1.0) * r * w;
        let g2 = -(n + 1.0) * (n - r * r) * w * w;
        let g3 = 2.0 * (n + 1.0) * r * (3.0 * n - r * r) * w * w * w;
        // In log n: the value, and the derivatives in r of it.
        let by_n0 = 0.5 * n * (digamma(half) - digamma(0.5 * n)) - 0.5 - 0.5 * n * (r * r / n).ln_1p()
            + half * r * r * w;
        let by_n1 = n * r * (1.0 - r * r) * w * w;
        let by_n2 = n * (n - (3.0 * n + 3.0) * r * r + r.powi(4)) * w * w * w;
        let mut out = LogDensity {
            value: g0 - noise.ln(),
            first: -slope * g1,
            precision: -slope * slope * g2,
            third: -slope.powi(3) * g3,
            value_d: NO_SLOPES,
            first_d: NO_SLOPES,
            precision_d: NO_SLOPES,
        };
        out.value_d[LOG_NOISE] = -r * g1 - 1.0;
        out.first_d[LOG_NOISE] = slope * (g1 + r * g2);
        out.precision_d[LOG_NOISE] = slope * slope * (2.0 * g2 + r * g3);
        out.value_d[Self::OFFSET] = -g1 / noise;
        out.first_d[Self::OFFSET] = slope * g2 / noise;
        out.precision_d[Self::OFFSET] = slope * slope * g3 / noise;
        let shift = -slope * z;
        out.value_d[Self::LOG_SCALE] = shift * g1;
        out.first_d[Self::LOG_SCALE] = -slope * (g1 + shift * g2);
        out.precision_d[Self::LOG_SCALE] = -slope * slope * (2.0 * g2 + shift * g3);
        out.value_d[Self::LOG_FREEDOM] = by_n0;
        out.first_d[Self::LOG_FREEDOM] = -slope * by_n1;
        out.precision_d[Self::LOG_FREEDOM] = -slope * slope * by_n2;
        out
    }

    fn bends(&self) -> Curvatures {
        let at = (self.value - self.offset) / self.scale;
        Curvatures { at: [at, at], width: self.noise / self.scale }
    }

    fn is_log_concave(&self) -> bool {
        false
    }
}
