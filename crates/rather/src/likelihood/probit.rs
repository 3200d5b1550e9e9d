//! The probit: a comparison with Gaussian noise on each side, or a class label with Gaussian noise.

use super::lanes::{LANES, Lanes};
use super::probits::Between;
use super::quadrature::Height;
use super::{Curvatures, LOG_NOISE, Likelihood, LogDensity, NO_SLOPES, Slopes, Tilted};
use rather_numerics::special::probit::{probit_moments, probit_moments_side_by_side};

/// `t(z) = Phi(z / s)`: `z` with normal noise of standard deviation `s` is positive.
///
/// - A comparison has `s = sqrt(2) noise`: the winner's noisy utility exceeds the loser's, each with independent noise of
///   standard deviation `noise` (Chu and Ghahramani 2005; Wang and McKenna 2010, eq. 2).
/// - A class label has `s = noise`: the item's noisy utility has the label's sign (Rasmussen and Williams 2006, eq. 3.5,
///   where `noise = 1`).
///
/// The site is computed without a subtraction of nearly equal numbers: with `beta = m / sqrt(s^2 + v)` and
/// `t, w, q` of [`probit_moments`],
/// `tau = w / (s^2 + v q)` and `nu = sqrt(s^2 + v) (t - beta q) / (s^2 + v q)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probit {
    s: f64,
}

impl Probit {
    /// The probit of a comparison, for a noise of standard deviation `noise` on each item.
    pub fn comparison(noise: f64) -> Self {
        Self { s: std::f64::consts::SQRT_2 * noise }
    }

    /// The probit of a class label, for a noise of standard deviation `noise` on the item.
    pub fn label(noise: f64) -> Self {
        Self { s: noise }
    }

    /// The probit of a noise of standard deviation `s` of `z`.
    pub(super) fn of(s: f64) -> Self {
        Self { s }
    }

    /// The standard deviation `s` of the noise of `z`.
    pub fn s(&self) -> f64 {
        self.s
    }
}

/// The sites of several probits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TiltedLanes {
    pub(crate) log_z: Lanes,
    pub(crate) tau: Lanes,
    pub(crate) nu: Lanes,
    /// The derivative of `log_z` in the logarithm of the noise.
    pub(crate) in_noise: Lanes,
}

/// [`Probit::tilt`] of several probits side by side, with noise of the standard deviations `s`.
#[inline(always)]
pub(crate) fn tilt_lanes(s: &Lanes, mean: &Lanes, variance: &Lanes) -> TiltedLanes {
    let mut out = TiltedLanes::default();
    for l in 0..LANES {
        let s2 = s[l] * s[l];
        let both = s2 + variance[l];
        let scale = both.sqrt();
        let beta = mean[l] / scale;
        let p = probit_moments_side_by_side(beta);
        let precision_scale = s2 + variance[l] * p.q;
        out.log_z[l] = p.log_cdf;
        out.tau[l] = p.w / precision_scale;
        out.nu[l] = scale * (p.t - beta * p.q) / precision_scale;
        out.in_noise[l] = -p.r * beta * s2 / both;
    }
    out
}

impl Likelihood for Probit {
    fn tilt(&self, mean: f64, variance: f64) -> Tilted {
        let s2 = self.s * self.s;
        let scale = (s2 + variance).sqrt();
        let beta = mean / scale;
        let p = probit_moments(beta);
        let precision_scale = s2 + variance * p.q;
        let mut d = NO_SLOPES;
        d[LOG_NOISE] = -p.r * beta * s2 / (s2 + variance);
        Tilted {
            log_z: p.log_cdf,
            tau: p.w / precision_scale,
            nu: scale * (p.t - beta * p.q) / precision_scale,
            d,
        }
    }

    fn log_density(&self, z: f64) -> LogDensity {
        let u = z / self.s;
        let p = probit_moments(u);
        // r' = -w, t' = q, so w' = r q - w t.
        let dw = p.r * p.q - p.w * p.t;
        let (s, s2) = (self.s, self.s * self.s);
        let mut out = LogDensity {
            value: p.log_cdf,
            first: p.r / s,
            precision: p.w / s2,
            third: -dw / (s2 * s),
            value_d: NO_SLOPES,
            first_d: NO_SLOPES,
            precision_d: NO_SLOPES,
        };
        out.value_d[LOG_NOISE] = -p.r * u;
        out.first_d[LOG_NOISE] = (p.w * u - p.r) / s;
        out.precision_d[LOG_NOISE] = -(dw * u + 2.0 * p.w) / s2;
        out
    }

    fn height(&self, z: f64) -> (Height, Slopes) {
        let u = z / self.s;
        let p = probit_moments(u);
        let mut slopes = NO_SLOPES;
        slopes[LOG_NOISE] = -p.r * u;
        let first = p.r / self.s;
        (Height { value: p.log_cdf, first, precision: p.w / (self.s * self.s) }, slopes)
    }

    fn between(&self) -> Option<Between> {
        Some(Between { s: self.s, thresholds: [0.0, f64::INFINITY], has_slots: false })
    }

    fn bends(&self) -> Curvatures {
        Curvatures { at: [0.0, f64::INFINITY], width: self.s }
    }

    /// The zeros of $\Phi$ nearest to the real line are $1.916\pm2.8164i$.
    fn analytic_within(&self) -> f64 {
        2.8164 * self.s
    }

    fn is_probability(&self) -> bool {
        true
    }
}
