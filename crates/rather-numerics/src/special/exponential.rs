//! The exponential function without a branch, for loops that the compiler makes into vector code.

use std::f64::consts::LOG2_E;

/// $\log2$ in two parts, the first with so few digits that its products with whole numbers are exact.
pub(super) const LN_2: [f64; 2] =
    [f64::from_bits(0x3fe6_2e42_fee0_0000), f64::from_bits(0x3dea_39ef_3579_3c76)];
/// What moves a number's whole part into the last digits: $3\cdot2^{51}$.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// Beyond it $e^{-x}$ is too small for a number of full precision.
const LARGEST: f64 = 708.0;
/// $1/k!$ from the last term of the series down to that of $k=0$.
const SERIES: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// $e^{-x}$ for $x\ge-708$, within a unit or two of the last digit; 0 beyond 708.
///
/// # Formula
/// $e^{-x}=2^ke^r$ with $k$ the whole number nearest to $-x/\log2$, and the series of $e^r$ for $|r|\le\tfrac12\log2$.
///
/// # Examples
/// ```
/// use rather_numerics::special::exponential::exp_minus;
///
/// assert_eq!((exp_minus(0.0), exp_minus(1e300)), (1.0, 0.0));
/// assert!((exp_minus(1.0) * std::f64::consts::E - 1.0).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn exp_minus(x: f64) -> f64 {
    let shifted = SHIFT - x * LOG2_E;
    let k = shifted - SHIFT;
    let r = (-x - k * LN_2[0]) - k * LN_2[1];
    let series = SERIES.iter().fold(0.0, |sum, c| sum * r + c);
    // `k` are the last digits of `shifted`, and the exponent's are the first twelve.
    let value = f64::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 52));
    if x > LARGEST { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential() {
        let mut rng = crate::random::stream(1, 0);
        for _ in 0..100_000 {
            let x = 1_408.0 * crate::random::uniform(&mut rng) - 700.0;
            assert!((exp_minus(x) / libm::exp(-x) - 1.0).abs() < 5e-16, "{x}");
        }
    }

    #[test]
    fn at_the_ends() {
        assert_eq!(exp_minus(f64::INFINITY), 0.0);
        assert!(exp_minus(f64::NAN).is_nan());
        assert!(exp_minus(708.0) > 0.0 && exp_minus(708.0) < 1e-307);
    }
}
