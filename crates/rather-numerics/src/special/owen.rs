//! Owen's T function.

use super::exponential::exp_minus;
use super::legendre::{POINTS, panel};
use super::normal::{cdf, pdf};
use crate::simd::vectorised;

/// $T(h,a)=\frac1{2\pi}\int_0^a\frac{e^{-h^2(1+x^2)/2}}{1+x^2}dx$ for $0\le a\le1$.
///
/// # Formula
/// With independent standard normal $u,v$ it is $P(u>h,\ 0<v<au)$. The integrand is smooth, so a Gauss rule of
/// 20 points has an absolute error below 1e-15 for $|h|\le6$; beyond, $T$ itself is below 1e-9, and its error with it.
///
/// # References
/// Owen, *Tables for computing bivariate normal probabilities* (1956), Annals of Mathematical Statistics 27.
///
/// # Examples
/// ```
/// // T(h, 1) = Phi(h) Phi(-h) / 2.
/// assert!((rather_numerics::special::owen::t(0.0, 1.0) - 0.125).abs() < 1e-15);
/// ```
pub fn t(h: f64, a: f64) -> f64 {
    let half = 0.5 * h * h;
    let (mut at, mut weights) = ([0.0; POINTS], [0.0; POINTS]);
    at.iter_mut()
        .zip(&mut weights)
        .zip(panel(0.0, a))
        .for_each(|((at, weight), point)| (*at, *weight) = point);
    vectorised(
        #[inline(always)]
        || {
            at.iter_mut().for_each(|x| {
                let y = 1.0 + *x * *x;
                *x = exp_minus(half * y) / y;
            });
        },
    );
    at.iter().zip(&weights).map(|(value, weight)| value * weight).sum::<f64>() / std::f64::consts::TAU
}

/// $\partial T/\partial h=-\phi(h) (\Phi(ah)-\tfrac12)$.
pub fn t_by_h(h: f64, a: f64) -> f64 {
    -pdf(h) * (cdf(a * h) - 0.5)
}

/// $\partial T/\partial a=\frac1{2\pi}\frac{e^{-h^2(1+a^2)/2}}{1+a^2}$.
pub fn t_by_a(h: f64, a: f64) -> f64 {
    let y = 1.0 + a * a;
    (-0.5 * h * h * y).exp() / (y * std::f64::consts::TAU)
}
