//! The rational quadratic kernel.

use super::stationary::{Profile, Stationary};
use super::{AtomKind, Domain};

/// $k(r^2)=(1+r^2/2\alpha)^{-\alpha}$: squared exponentials of many lengthscales at once. As $\alpha$ grows it becomes
/// the squared exponential.
///
/// # Formula
/// With $s=r^2/2\alpha$: slope $-\frac12k/(1+s)$, and
/// $\partial k/\partial\log\alpha=\alpha k \big(\tfrac{s}{1+s}-\log(1+s)\big)$.
///
/// # References
/// Rasmussen and Williams (2006), equation 4.19.
#[derive(Debug, Clone, Copy)]
pub(super) struct RationalQuadratic {
    /// The shape $\alpha$: small for heavy tails.
    pub(super) alpha: f64,
}

impl RationalQuadratic {
    /// $s$, kept finite.
    fn ratio(&self, r2: f64) -> f64 {
        (0.5 * r2 / self.alpha).min(f64::MAX)
    }
}

impl Profile for RationalQuadratic {
    const NAME: &'static str = "rq";

    #[inline(always)]
    fn evaluate(&self, r2: f64) -> (f64, f64) {
        let s = self.ratio(r2);
        let value = (-self.alpha * s.ln_1p()).exp();
        (value, -0.5 * value / (1.0 + s))
    }

    fn alpha(&self) -> Option<f64> {
        Some(self.alpha)
    }

    fn alpha_mut(&mut self) -> Option<&mut f64> {
        Some(&mut self.alpha)
    }

    #[inline]
    fn alpha_derivative(&self, r2: f64, value: f64) -> f64 {
        let s = self.ratio(r2);
        self.alpha * value * (s / (1.0 + s) - s.ln_1p())
    }
}

pub(super) static ATOM: AtomKind = AtomKind {
    name: "rq",
    aliases: &[],
    key: "rational_quadratic",
    domain: Domain::Differences,
    meaning: "smooth functions of many lengthscales at once",
    make: |active| Box::new(Stationary::new(active, RationalQuadratic { alpha: 1.0 })),
};
