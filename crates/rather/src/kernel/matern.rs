//! The Matérn kernels of half-integer order.

use super::process::Process;
use super::stationary::{Profile, Stationary};
use super::{AtomKind, Domain};
use rather_numerics::special::exponential::exp_minus;

const SQRT_3: f64 = 1.732_050_807_568_877_2;
const SQRT_5: f64 = 2.236_067_977_499_79;

/// $k(r^2)=\exp(-r)$: samples are continuous and nowhere differentiable (Ornstein-Uhlenbeck in one dimension).
///
/// Its slope by $r^2$, $-e^{-r}/2r$, is infinite at $r=0$; the gradient by a lengthscale is 0 there all the same.
///
/// # References
/// Rasmussen and Williams (2006), equation 4.14 with $\nu=1/2$.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matern12;

impl Profile for Matern12 {
    const NAME: &'static str = "matern12";
    const PROCESS: Option<Process> = Some(Process::Matern12);

    #[inline(always)]
    fn evaluate(&self, r2: f64) -> (f64, f64) {
        let r = r2.sqrt();
        let value = exp_minus(r);
        (value, if r > 0.0 { -0.5 * value / r } else { 0.0 })
    }
}

/// $k(r^2)=(1+s)e^{-s}$ with $s=\sqrt3 r$: samples are once differentiable. The slope is $-\frac32e^{-s}$.
///
/// # References
/// Rasmussen and Williams (2006), equation 4.17.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matern32;

impl Profile for Matern32 {
    const NAME: &'static str = "matern32";
    const PROCESS: Option<Process> = Some(Process::Matern32);

    #[inline(always)]
    fn evaluate(&self, r2: f64) -> (f64, f64) {
        let s = SQRT_3 * r2.sqrt();
        let decay = exp_minus(s);
        ((1.0 + s) * decay, -1.5 * decay)
    }
}

/// $k(r^2)=(1+s+s^2/3)e^{-s}$ with $s=\sqrt5 r$: samples are twice differentiable. The slope is
/// $-\frac56(1+s)e^{-s}$.
///
/// # References
/// Rasmussen and Williams (2006), equation 4.17.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matern52;

impl Profile for Matern52 {
    const NAME: &'static str = "matern52";
    const PROCESS: Option<Process> = Some(Process::Matern52);

    #[inline(always)]
    fn evaluate(&self, r2: f64) -> (f64, f64) {
        let s = SQRT_5 * r2.sqrt();
        let decay = exp_minus(s);
        ((1.0 + s + s * s / 3.0) * decay, -5.0 / 6.0 * (1.0 + s) * decay)
    }
}

pub(super) static MATERN12: AtomKind = AtomKind {
    name: "matern12",
    aliases: &[],
    key: "matern12",
    domain: Domain::Differences,
    meaning: "continuous functions that are nowhere smooth",
    make: |active| Box::new(Stationary::new(active, Matern12)),
};

pub(super) static MATERN32: AtomKind = AtomKind {
    name: "matern32",
    aliases: &[],
    key: "matern32",
    domain: Domain::Differences,
    meaning: "functions that are once differentiable",
    make: |active| Box::new(Stationary::new(active, Matern32)),
};

pub(super) static MATERN52: AtomKind = AtomKind {
    name: "matern52",
    aliases: &[],
    key: "matern52",
    domain: Domain::Differences,
    meaning: "functions that are twice differentiable",
    make: |active| Box::new(Stationary::new(active, Matern52)),
};
