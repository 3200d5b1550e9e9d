//! Owen's T function.

use super::normal::{cdf, pdf};

/// Nodes and weights of the Gauss-Legendre rule of 20 points on -1 to 1, the positive half (Abramowitz and Stegun 1964,
/// table 25.4).
const LEGENDRE: [(f64, f64); 10] = [
    (0.076_526_521_133_497_33, 0.152_753_387_130_725_85),
    (0.227_785_851_141_645_07, 0.149_172_986_472_603_75),
    (0.373_706_088_715_419_56, 0.142_096_109_318_382_05),
    (0.510_867_001_950_827_1, 0.131_688_638_449_176_63),
    (0.636_053_680_726_515, 0.118_194_531_961_518_42),
    (0.746_331_906_460_150_8, 0.101_930_119_817_240_44),
    (0.839_116_971_822_218_8, 0.083_276_741_576_704_75),
    (0.912_234_428_251_326, 0.062_672_048_334_109_06),
    (0.963_971_927_277_913_8, 0.040_601_429_800_386_94),
    (0.993_128_599_185_094_9, 0.017_614_007_139_152_12),
];

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
/// assert!((rather::special::owen::t(0.0, 1.0) - 0.125).abs() < 1e-15);
/// ```
pub fn t(h: f64, a: f64) -> f64 {
    let half = 0.5 * a;
    let value = |x: f64| {
        let y = 1.0 + x * x;
        (-0.5 * h * h * y).exp() / y
    };
    let sum: f64 =
        LEGENDRE.iter().map(|&(x, w)| w * (value(half * (1.0 + x)) + value(half * (1.0 - x)))).sum();
    half * sum / std::f64::consts::TAU
}

/// $\partial T/\partial h=-\phi(h)\,(\Phi(ah)-\tfrac12)$.
pub fn t_by_h(h: f64, a: f64) -> f64 {
    -pdf(h) * (cdf(a * h) - 0.5)
}

/// $\partial T/\partial a=\frac1{2\pi}\frac{e^{-h^2(1+a^2)/2}}{1+a^2}$.
pub fn t_by_a(h: f64, a: f64) -> f64 {
    let y = 1.0 + a * a;
    (-0.5 * h * h * y).exp() / (y * std::f64::consts::TAU)
}
