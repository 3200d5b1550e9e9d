//! The squared exponential kernel.

use super::stationary::{Profile, Stationary};
use super::{AtomKind, Domain};
use rather_numerics::special::exponential::exp_minus;

/// $k(r^2)=\exp(-r^2/2)$: samples are infinitely differentiable.
///
/// # References
/// Rasmussen and Williams (2006), equation 4.9.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SquaredExponential;

impl Profile for SquaredExponential {
    const NAME: &'static str = "se";

    #[inline(always)]
    fn evaluate(&self, r2: f64) -> (f64, f64) {
        let value = exp_minus(0.5 * r2);
        (value, -0.5 * value)
    }
}

pub(super) static ATOM: AtomKind = AtomKind {
    name: "se",
    aliases: &[],
    key: "squared_exponential",
    domain: Domain::Differences,
    meaning: "very smooth functions",
    make: |active| Box::new(Stationary::new(active, SquaredExponential)),
};
