//! The probit between two thresholds: ties, grades, ratings and censored values.

use super::probits::{ANALYTIC_WITHIN, Between};
use super::{Curvatures, LOG_NOISE, Likelihood, LogDensity, NO_SLOPES, Tilted};
use rather_numerics::special::truncated::truncated_moments;

/// $t(z)=\Phi\big(\tfrac{u-z}{s}\big)-\Phi\big(\tfrac{l-z}{s}\big)$: $z$ with normal noise of standard deviation $s$ lies between the
/// thresholds $l<u$, either of which may be infinite.
///
/// # Formula
/// With $S^2=s^2+v$, $A=(l-m)/S$, $B=(u-m)/S$ the integral over $\mathcal N(m,v)$ is $\Phi(B)-\Phi(A)$, and with the mean
/// $\mu$ and the variance $Q$ of a standard normal between $A$ and $B$ ([`truncated_moments`])
/// $$ \tau=\frac{1-Q}{s^2+vQ},\qquad \nu=S \frac{(\mu-A)+l/S-\tfrac mSQ}{s^2+vQ} , $$
/// in terms of the threshold nearer to $m$. With $l=0$, $u=\infty$ this is [`Probit`](super::Probit).
///
/// # References
/// Chu and Ghahramani, *Gaussian processes for ordinal regression* (2005), Journal of Machine Learning Research 6, equation 4; Rao
/// and Kupper, *Ties in paired-comparison experiments* (1967), Journal of the American Statistical Association 62, for a tie as a
/// difference below a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    lower: f64,
    upper: f64,
    s: f64,
}

impl Interval {
    /// The slot of the derivative in the lower threshold.
    pub const LOWER: usize = 1;
    /// The slot of the derivative in the upper threshold.
    pub const UPPER: usize = 2;

    /// Between `lower` and `upper`, which is larger, with noise of standard deviation `s > 0`.
    pub fn new(lower: f64, upper: f64, s: f64) -> Self {
        Self { lower, upper, s }
    }
}

/// `x y`, where nought is stronger than infinity: a threshold at infinity has no weight.
fn weighed(x: f64, weight: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { x * weight }
}

impl Likelihood for Interval {
    fn tilt(&self, mean: f64, variance: f64) -> Tilted {
        let s2 = self.s * self.s;
        let scale = (s2 + variance).sqrt();
        let (a, b) = ((self.lower - mean) / scale, (self.upper - mean) / scale);
        let x = truncated_moments(a, b);
        let near = if x.near == a { self.lower } else { self.upper };
        let precision_scale = s2 + variance * x.variance;
        let mut d = NO_SLOPES;
        d[LOG_NOISE] = (weighed(a, x.lower) - weighed(b, x.upper)) * s2 / (s2 + variance);
        d[Self::LOWER] = -x.lower / scale;
        d[Self::UPPER] = x.upper / scale;
        Tilted {
            log_z: x.log_mass,
            tau: x.taken / precision_scale,
            nu: (scale * x.beyond + near - mean * x.variance) / precision_scale,
            d,
        }
    }

    fn log_density(&self, z: f64) -> LogDensity {
        let s = self.s;
        let (to_lower, to_upper) = (self.lower - z, self.upper - z);
        let x = truncated_moments(to_lower / s, to_upper / s);
        // A threshold's share and its first two derivatives in z.
        let at = |distance: f64, weight: f64| {
            if weight == 0.0 {
                return [0.0; 3];
            }
            let off = distance / s - x.mean;
            [weight / s, weight * off / (s * s), weight * (off * off - x.variance) / (s * s * s)]
        };
        let lower = at(to_lower, x.lower).map(|d| -d);
        let upper = at(to_upper, x.upper);
        let along = |k: usize| weighed(to_lower, lower[k]) + weighed(to_upper, upper[k]);
        let mut out = LogDensity {
            value: x.log_mass,
            first: x.mean / s,
            precision: x.taken / (s * s),
            third: x.third / (s * s * s),
            value_d: NO_SLOPES,
            first_d: NO_SLOPES,
            precision_d: NO_SLOPES,
        };
        for (slot, d) in [(Self::LOWER, lower), (Self::UPPER, upper)] {
            out.value_d[slot] = d[0];
            out.first_d[slot] = d[1];
            out.precision_d[slot] = -d[2];
        }
        // All depends on (threshold - z) / s, so the derivative in log s follows from those in the thresholds.
        out.value_d[LOG_NOISE] = -along(0);
        out.first_d[LOG_NOISE] = lower[0] + upper[0] - along(1);
        out.precision_d[LOG_NOISE] = along(2) - 2.0 * (lower[1] + upper[1]);
        out
    }

    fn between(&self) -> Option<Between> {
        Some(Between { s: self.s, thresholds: [self.lower, self.upper], has_slots: true })
    }

    fn bends(&self) -> Curvatures {
        Curvatures { at: [self.lower, self.upper], width: self.s }
    }

    /// Zeros of $\Phi$ are $2.8164$ from the real line; those of a difference of two were not found within 2.6 of it, for thresholds .1 to 12 apart (by
    /// the argument principle).
    fn analytic_within(&self) -> f64 {
        ANALYTIC_WITHIN * self.s
    }

    fn is_probability(&self) -> bool {
        true
    }
}
