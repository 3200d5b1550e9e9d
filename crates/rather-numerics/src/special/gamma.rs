//! The gamma function's logarithm and its derivative.

/// $\log\Gamma(x)$ for $x>0$.
///
/// # Examples
/// ```
/// assert!((rather_numerics::special::gamma::ln_gamma(5.0) - 24.0_f64.ln()).abs() < 1e-14);
/// ```
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// Terms of the asymptotic series: Bernoulli numbers $B_{2k}/2k$.
const SERIES: [f64; 7] =
    [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];

/// The digamma function $\psi(x)=\frac{d}{dx}\log\Gamma(x)$ for $x>0$.
///
/// # Formula
/// $\psi(x)=\psi(x+1)-1/x$ up to 10, and there $\log x-\frac1{2x}-\sum_kB_{2k}/(2k x^{2k})$.
///
/// # References
/// Abramowitz and Stegun (1964), 6.3.5 and 6.3.18.
///
/// # Examples
/// ```
/// // Minus Euler's constant.
/// assert!((rather_numerics::special::gamma::digamma(1.0) + 0.5772156649015329).abs() < 1e-14);
/// ```
pub fn digamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 10.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = SERIES.iter().rev().fold(0.0, |all, c| (all + c) * y);
    sum + x.ln() - 0.5 / x - series
}
