//! A measured value.

use super::{Likelihood, LogDensity, Tilted};

/// $t(z)=\mathcal N(y;z,\sigma^2)$: the value was measured as $y$ with noise of standard deviation $\sigma>0$.
///
/// # Formula
/// The factor is its own site: $\tau=1/\sigma^2$, $\nu=y/\sigma^2$, whatever is believed before.
///
/// # References
/// Rasmussen and Williams (2006), section 2.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaussian {
    value: f64,
    noise: f64,
}

impl Gaussian {
    /// A measurement of `value` with noise of standard deviation `noise`.
    pub fn new(value: f64, noise: f64) -> Self {
        Self { value, noise }
    }
}

impl Likelihood for Gaussian {
    fn tilt(&self, mean: f64, variance: f64) -> Tilted {
        let s2 = self.noise * self.noise;
        let total = s2 + variance;
        let error2 = (self.value - mean) * (self.value - mean) / total;
        Tilted {
            log_z: -0.5 * (error2 + (std::f64::consts::TAU * total).ln()),
            tau: 1.0 / s2,
            nu: self.value / s2,
            d_log_noise: (error2 - 1.0) * s2 / total,
        }
    }

    fn log_density(&self, z: f64) -> LogDensity {
        let s2 = self.noise * self.noise;
        let error = self.value - z;
        LogDensity {
            value: -0.5 * (error * error / s2 + (std::f64::consts::TAU * s2).ln()),
            first: error / s2,
            precision: 1.0 / s2,
            third: 0.0,
            value_d_log_noise: error * error / s2 - 1.0,
            first_d_log_noise: -2.0 * error / s2,
            precision_d_log_noise: -2.0 / s2,
        }
    }
}
