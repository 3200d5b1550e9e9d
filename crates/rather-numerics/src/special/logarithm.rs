//! The natural logarithm without a branch, for loops that the compiler makes into vector code.

use super::exponential::LN_2;

/// The bits of $\sqrt{1/2}$, where the significand's range begins.
const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
/// Digits of a number's bits that are its significand.
const DIGITS: u32 = 52;
/// $2^{52}$ with a whole number in its last digits, from which it is taken as a number, and the size of the largest exponent, so that none is negative.
const WHOLE: f64 = 4_503_599_627_370_496.0;
const LARGEST: u64 = 1 << 11;
/// $2/(2k+3)$ from the last term of the series down to that of $k=0$.
const SERIES: [f64; 10] = [
    2.0 / 21.0,
    2.0 / 19.0,
    2.0 / 17.0,
    2.0 / 15.0,
    2.0 / 13.0,
    2.0 / 11.0,
    2.0 / 9.0,
    2.0 / 7.0,
    2.0 / 5.0,
    2.0 / 3.0,
];

/// $\log x$ of a positive number of full precision ($x\ge2.3\cdot10^{-308}$, finite), within a unit or two of the last digit; of others it is no number that
/// means anything.
///
/// # Formula
/// $x=2^k(1+f)$ with $1+f$ between $\sqrt{1/2}$ and $\sqrt2$, $s=f/(2+f)$ and
/// $\log(1+f)=2\operatorname{artanh}s=f-s\big(f-\sum_{k\ge1}\tfrac{2}{2k+1}s^{2k}\big)$, whose first term has no error.
///
/// # Examples
/// ```
/// use rather_numerics::special::logarithm::ln;
///
/// assert_eq!(ln(1.0), 0.0);
/// assert!((ln(10.0) / std::f64::consts::LN_10 - 1.0).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    // Beyond the root the exponent is counted from there.
    let above = x.to_bits().wrapping_sub(HALF_ROOT).wrapping_add(LARGEST << DIGITS);
    let k = above >> DIGITS;
    let f = f64::from_bits(x.to_bits().wrapping_sub(k.wrapping_sub(LARGEST) << DIGITS)) - 1.0;
    let exponent = f64::from_bits(WHOLE.to_bits() | k) - (WHOLE + LARGEST as f64);
    let s = f / (2.0 + f);
    let z = s * s;
    let series = z * SERIES.iter().fold(0.0, |sum, c| sum * z + c);
    exponent * LN_2[0] + (f - (s * (f - series) - exponent * LN_2[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_logarithm() {
        let mut rng = crate::random::stream(1, 0);
        for _ in 0..100_000 {
            let u = crate::random::uniform(&mut rng);
            for x in [(1_416.0 * u - 708.0).exp(), 0.5 + u, 1.0 + 1e-3 * (u - 0.5)] {
                let expected = libm::log(x);
                assert!((ln(x) - expected).abs() <= 5e-16 * expected.abs(), "{x}: {} {expected}", ln(x));
            }
        }
    }

    #[test]
    fn at_the_ends() {
        for x in [f64::MIN_POSITIVE, f64::MAX, 0.5_f64.sqrt(), 2.0_f64.sqrt(), 1.0 - f64::EPSILON, 2.0] {
            assert!((ln(x) / libm::log(x) - 1.0).abs() < 4e-16, "{x}");
        }
        assert_eq!(ln(1.0), 0.0);
    }
}
