//! The probit of a person who sometimes answers at random.

use super::{Likelihood, LogDensity, Probit, Tilted};
use crate::special::probit::probit_moments;

/// $t(z)=\tfrac\epsilon2+(1-\epsilon)\Phi(z/s)$: with probability $\epsilon$, the lapse rate, the answer is a coin's.
///
/// # Formula
/// With $\beta=m/\sqrt{s^2+v}$, $Z=\tfrac\epsilon2+(1-\epsilon)\Phi(\beta)$, the share $\rho=(1-\epsilon)\Phi(\beta)/Z$ of answers that
/// were meant, $a=\rho\,\phi(\beta)/\Phi(\beta)$ and $b=a\,(a+\beta)$,
/// $$ \tau=\frac{b}{s^2+v(1-b)},\qquad \nu=\sqrt{s^2+v}\;\frac{a+\beta b}{s^2+v(1-b)} . $$
/// The factor is not log-concave: for a surprising answer $b$, and so the precision, may be negative. The variance after the
/// answer stays positive, and may be larger than before.
///
/// # References
/// The lapse rate of psychometric functions (Wichmann and Hill, *The psychometric function* (2001)); moments as for
/// [`Probit`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lapse {
    s: f64,
    rate: f64,
}

/// What the formulas need at one point.
struct Parts {
    log_z: f64,
    a: f64,
    b: f64,
    /// `a + beta`.
    t: f64,
}

impl Lapse {
    /// The `probit` of one who answers at random at `rate`, from 0 to below 1.
    pub fn new(probit: Probit, rate: f64) -> Self {
        Self { s: probit.s(), rate }
    }

    fn parts(&self, beta: f64) -> Parts {
        let p = probit_moments(beta);
        let (log_z, share) = if self.rate > 0.0 {
            let meant = (1.0 - self.rate) * p.log_cdf.exp();
            let z = 0.5 * self.rate + meant;
            (z.ln(), meant / z)
        } else {
            (p.log_cdf, 1.0)
        };
        // Without lapses these are the probit's own, which keep their digits in the tail.
        if share == 1.0 {
            return Parts { log_z, a: p.r, b: p.w, t: p.t };
        }
        let a = share * p.r;
        Parts { log_z, a, b: a * (a + beta), t: a + beta }
    }
}

impl Likelihood for Lapse {
    fn tilt(&self, mean: f64, variance: f64) -> Tilted {
        if self.rate == 0.0 {
            return Probit::label(self.s).tilt(mean, variance);
        }
        let s2 = self.s * self.s;
        let scale = (s2 + variance).sqrt();
        let beta = mean / scale;
        let p = self.parts(beta);
        let precision_scale = s2 + variance * (1.0 - p.b);
        Tilted {
            log_z: p.log_z,
            tau: p.b / precision_scale,
            nu: scale * (p.a + beta * p.b) / precision_scale,
            d_log_noise: -p.a * beta * s2 / (s2 + variance),
        }
    }

    fn log_density(&self, z: f64) -> LogDensity {
        let u = z / self.s;
        let p = self.parts(u);
        // a' = -b, so b' = a (1 - b) - b (a + u).
        let db = p.a * (1.0 - p.b) - p.b * p.t;
        let (s, s2) = (self.s, self.s * self.s);
        LogDensity {
            value: p.log_z,
            first: p.a / s,
            precision: p.b / s2,
            third: -db / (s2 * s),
            value_d_log_noise: -p.a * u,
            first_d_log_noise: (p.b * u - p.a) / s,
            precision_d_log_noise: -(db * u + 2.0 * p.b) / s2,
        }
    }
}
