//! A measured value.

use super::{LOG_NOISE, Likelihood, LogDensity, NO_SLOPES, Tilted};

/// $t(z)=\mathcal N(y;c+az,\sigma^2)$: the value $y$ was measured of $c+az$, $a>0$, with noise of standard deviation $\sigma>0$. Unless
/// said otherwise, $c=0$ and $a=1$.
///
/// # Formula
/// The factor is its own site: $\tau=a^2/\sigma^2$, $\nu=a (y-c)/\sigma^2$, whatever is believed before.
///
/// # References
/// Rasmussen and Williams (2006), section 2.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaussian {
    value: f64,
    offset: f64,
    scale: f64,
    noise: f64,
}

impl Gaussian {
    /// The slot of the derivative in $c$.
    pub const OFFSET: usize = 1;
    /// The slot of the derivative in $\log a$.
    pub const LOG_SCALE: usize = 2;

    /// A measurement of `value` with noise of standard deviation `noise`.
    pub fn new(value: f64, noise: f64) -> Self {
        Self { value, offset: 0.0, scale: 1.0, noise }
    }

    /// The same measurement of `offset + scale z`.
    #[must_use]
    pub fn of_line(self, [offset, scale]: [f64; 2]) -> Self {
        Self { offset, scale, ..self }
    }
}

impl Likelihood for Gaussian {
    fn tilt(&self, mean: f64, variance: f64) -> Tilted {
        let Self { value, offset, scale, noise } = *self;
        let s2 = noise * noise;
        let spread = scale * scale * variance;
        let total = s2 + spread;
        let error = value - offset - scale * mean;
        let error2 = error * error / total;
        let mut d = NO_SLOPES;
        d[LOG_NOISE] = (error2 - 1.0) * s2 / total;
        d[Self::OFFSET] = error / total;
        d[Self::LOG_SCALE] = error * scale * mean / total + (error2 - 1.0) * spread / total;
        Tilted {
            log_z: -0.5 * (error2 + (std::f64::consts::TAU * total).ln()),
            tau: scale * scale / s2,
            nu: scale * (value - offset) / s2,
            d,
        }
    }

    fn log_density(&self, z: f64) -> LogDensity {
        let Self { value, offset, scale, noise } = *self;
        let s2 = noise * noise;
        let error = value - offset - scale * z;
        let mut out = LogDensity {
            value: -0.5 * (error * error / s2 + (std::f64::consts::TAU * s2).ln()),
            first: scale * error / s2,
            precision: scale * scale / s2,
            third: 0.0,
            value_d: NO_SLOPES,
            first_d: NO_SLOPES,
            precision_d: NO_SLOPES,
        };
        out.value_d[LOG_NOISE] = error * error / s2 - 1.0;
        out.first_d[LOG_NOISE] = -2.0 * scale * error / s2;
        out.precision_d[LOG_NOISE] = -2.0 * scale * scale / s2;
        out.value_d[Self::OFFSET] = error / s2;
        out.first_d[Self::OFFSET] = -scale / s2;
        out.value_d[Self::LOG_SCALE] = error * scale * z / s2;
        out.first_d[Self::LOG_SCALE] = scale * (error - scale * z) / s2;
        out.precision_d[Self::LOG_SCALE] = 2.0 * scale * scale / s2;
        out
    }

    fn is_gaussian(&self) -> bool {
        true
    }
}
