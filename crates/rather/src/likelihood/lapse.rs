//! A person who sometimes answers at random.

use super::{LAPSE, Likelihood, LogDensity, Probit, Slopes, Tilted};

/// $t(z)=\epsilon\gamma+(1-\epsilon) t_0(z)$: with probability $\epsilon$, the lapse rate, the answer is drawn at random, and
/// this one comes up with the chance $\gamma$.
///
/// # Formula
/// With $\log Z_0$ of $t_0$, its derivatives $a_0$ and $-b_0$ in the mean $m$, $Z=\epsilon\gamma+(1-\epsilon)Z_0$ and the share
/// $\rho=(1-\epsilon)Z_0/Z$ of answers that were meant,
/// $$ a=\rho a_0,\qquad b=\rho b_0-\rho(1-\rho) a_0^2,\qquad \tau=\frac{b}{1-vb},\qquad \nu=\frac{a+mb}{1-vb},\qquad
///    1-vb=(1-vb_0)+v(1-\rho)(b_0+\rho a_0^2). $$
/// The factor is not log-concave: for a surprising answer $b$, and so the precision, may be negative. The variance after the
/// answer stays positive, and may be larger than before.
///
/// # References
/// The lapse rate of psychometric functions (Wichmann and Hill, *The psychometric function* (2001)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lapse<L = Probit> {
    meant: L,
    rate: f64,
    chance: f64,
}

impl Lapse<Probit> {
    /// The `probit` of one who answers at random, by a fair coin, at `rate`, from 0 to below 1.
    pub fn new(probit: Probit, rate: f64) -> Self {
        Self::of(probit, rate, 0.5)
    }
}

impl<L: Likelihood> Lapse<L> {
    /// The likelihood `meant` of one who answers at random at `rate`, from 0 to below 1; the answer then comes up with `chance`.
    pub fn of(meant: L, rate: f64, chance: f64) -> Self {
        Self { meant, rate, chance }
    }

    /// `log Z` and the share of meant answers, from `log Z0`.
    fn mix(&self, log_z: f64) -> (f64, f64) {
        let meant = (1.0 - self.rate) * log_z.exp();
        let z = self.rate * self.chance + meant;
        (z.ln(), meant / z)
    }
}

impl<L: Likelihood> Likelihood for Lapse<L> {
    fn tilt(&self, mean: f64, variance: f64) -> Tilted {
        let site = self.meant.tilt(mean, variance);
        if self.rate == 0.0 {
            return site;
        }
        let (log_z, share) = self.mix(site.log_z);
        let narrowing = 1.0 / (1.0 + site.tau * variance);
        let (a0, b0) = ((site.nu - site.tau * mean) * narrowing, site.tau * narrowing);
        let a = share * a0;
        let b = share * (b0 - (1.0 - share) * a0 * a0);
        let left = narrowing + variance * (1.0 - share) * (b0 + share * a0 * a0);
        let mut d = site.d.map(|d| share * d);
        d[LAPSE] = 1.0 - self.rate - share;
        Tilted { log_z, tau: b / left, nu: (a + mean * b) / left, d }
    }

    fn log_density(&self, z: f64) -> LogDensity {
        let at = self.meant.log_density(z);
        if self.rate == 0.0 {
            return at;
        }
        let (value, share) = self.mix(at.value);
        let (f, p) = (at.first, at.precision);
        // The share's derivatives in z.
        let first = share * (1.0 - share) * f;
        let second = share * (1.0 - share) * ((1.0 - 2.0 * share) * f * f - p);
        let map = |of: &dyn Fn(usize) -> f64| -> Slopes { std::array::from_fn(of) };
        let mut out = LogDensity {
            value,
            first: share * f,
            precision: share * p - first * f,
            third: share * at.third - 2.0 * first * p + second * f,
            value_d: at.value_d.map(|d| share * d),
            first_d: map(&|k| share * at.first_d[k] + first * at.value_d[k]),
            precision_d: map(&|k| {
                share * at.precision_d[k] - 2.0 * first * at.first_d[k] - second * at.value_d[k]
            }),
        };
        out.value_d[LAPSE] = 1.0 - self.rate - share;
        out.first_d[LAPSE] = -first;
        out.precision_d[LAPSE] = second;
        out
    }

    fn bends(&self) -> super::Curvatures {
        self.meant.bends()
    }

    /// As what is meant: of the logistic link, which alone knows it, the mixture is 0 where the link is a negative number, which is at the same
    /// distance as its poles ($\cosh z<-1$ has the imaginary part $\pi$).
    fn analytic_within(&self) -> f64 {
        self.meant.analytic_within()
    }

    fn is_log_concave(&self) -> bool {
        self.rate == 0.0 && self.meant.is_log_concave()
    }

    fn is_probability(&self) -> bool {
        self.meant.is_probability()
    }
}
