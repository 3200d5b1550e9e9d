//! Squared exponentials of two lengthscales.

use super::stationary::{Profile, Stationary};
use super::{AtomKind, Domain};
use rather_numerics::special::exponential::exp_minus;

/// $k(r^2)=(1-d)\,e^{-r^2/2}+d\,e^{-r^2/(2q^2)}$ with $d=0.03$ and $q=0.1$: smooth functions with small details, a tenth as long and with a
/// standard deviation of about a sixth.
///
/// # Formula
/// The slope in $r^2$ is $-\frac12\big((1-d)\,e^{-r^2/2}+dq^{-2}e^{-r^2/(2q^2)}\big)$.
///
/// # References
/// A sum of kernels is the covariance of a sum of independent functions: Rasmussen and Williams (2006), section 4.2.4, and section 5.4.3 for
/// components of several lengthscales.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Multiscale;

/// The details' share of the variance, and their lengthscale as a share of the other.
const DETAILS: f64 = 0.03;
const SHORTER: f64 = 0.1;

impl Profile for Multiscale {
    const NAME: &'static str = "multiscale";

    #[inline(always)]
    fn evaluate(&self, r2: f64) -> (f64, f64) {
        const SQUARED: f64 = 1.0 / (SHORTER * SHORTER);
        let smooth = (1.0 - DETAILS) * exp_minus(0.5 * r2);
        let details = DETAILS * exp_minus(0.5 * SQUARED * r2);
        (smooth + details, -0.5 * (smooth + SQUARED * details))
    }
}

pub(super) static ATOM: AtomKind = AtomKind {
    name: "multiscale",
    aliases: &[],
    key: "multiscale",
    domain: Domain::Differences,
    meaning: "smooth functions with small details, a tenth as long",
    make: |active| Box::new(Stationary::new(active, Multiscale)),
};
