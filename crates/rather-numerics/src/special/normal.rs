//! The normal distribution: density, distribution function and quantiles.

use super::exponential::exp_minus;
use super::probit::probit_moments;
use super::tail::tail_ratio;

/// $\sqrt{2\pi}$.
pub(super) const SQRT_2_PI: f64 = 2.506_628_274_631_000_7;
/// Where the density is too small for a number.
const FURTHEST: f64 = 40.0;
/// $\sqrt{2/\pi}$.
const SQRT_2_BY_PI: f64 = 0.797_884_560_802_865_4;

/// The density $\phi(x)=e^{-x^2/2}/\sqrt{2\pi}$.
///
/// # Examples
/// ```
/// assert!((rather_numerics::special::normal::pdf(0.0) - 0.3989422804014327).abs() < 1e-16);
/// ```
pub fn pdf(x: f64) -> f64 {
    if x.abs() > FURTHEST {
        return 0.0;
    }
    exp_of_square(x, -0.5) / SQRT_2_PI
}

/// The density $\phi(y)$ and the tail $\Phi(-y)$ of $y\ge0$, from one exponential and without a branch; both are 0 beyond 37.6.
///
/// # Examples
/// ```
/// use rather_numerics::special::normal::{cdf, density_and_tail, pdf};
///
/// let (density, tail) = density_and_tail(2.0);
/// assert!((density / pdf(2.0) - 1.0).abs() < 1e-15 && (tail / cdf(-2.0) - 1.0).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn density_and_tail(y: f64) -> (f64, f64) {
    let (square, rest) = square_in_two(if y > FURTHEST { FURTHEST } else { y });
    let main = exp_minus(0.5 * square);
    let density = (main - main * (0.5 * rest)) / SQRT_2_PI;
    (density, density / tail_ratio(y))
}

/// The distribution function $\Phi(x)$, with a small relative error in the left tail too.
///
/// # Examples
/// ```
/// assert_eq!(rather_numerics::special::normal::cdf(0.0), 0.5);
/// ```
pub fn cdf(x: f64) -> f64 {
    if x < -1.0 {
        return pdf(x) / tail_ratio(-x); // erfc would double the argument's rounding error |x| times over
    }
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// $\log\Phi(x)$, finite for every $x$ above -1e154.
///
/// # Examples
/// ```
/// assert!((rather_numerics::special::normal::log_cdf(-1e8) + 5e15).abs() < 21.0);
/// ```
pub fn log_cdf(x: f64) -> f64 {
    probit_moments(x).log_cdf
}

/// The scaled complementary error function $e^{x^2}\operatorname{erfc}(x)$; infinite below -26.7, where it exceeds the
/// largest number.
///
/// # Examples
/// ```
/// assert!((rather_numerics::special::normal::erfcx(0.0) - 1.0).abs() < 1e-15);
/// ```
pub fn erfcx(x: f64) -> f64 {
    let right = SQRT_2_BY_PI / tail_ratio(std::f64::consts::SQRT_2 * x.abs());
    if x < 0.0 { 2.0 * exp_of_square(x.max(-FURTHEST), 1.0) - right } else { right }
}

/// The quantile function: the $x$ with $\Phi(x)=p$; infinite for $p=0$ and $p=1$, NaN outside 0 to 1.
///
/// # Formula
/// Wichura's rational approximations, of degree 7 by 7: in $0.425^2-(p-\frac12)^2$ near the middle, else in
/// $\sqrt{-\log\min(p,1-p)}$, below and above 5.
///
/// # References
/// Wichura, *Algorithm AS 241: the percentage points of the normal distribution* (1988), Applied Statistics 37,
/// doi:10.2307/2347330 (PPND16).
///
/// # Examples
/// ```
/// let x = rather_numerics::special::normal::quantile(0.975);
/// assert!((x - 1.959963984540054).abs() < 1e-15);
/// ```
pub fn quantile(p: f64) -> f64 {
    let centred = p - 0.5;
    if centred.abs() <= 0.425 {
        return centred * rational(&CENTRAL, 0.180625 - centred * centred);
    }
    let tail = if centred < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return f64::INFINITY.copysign(centred);
    }
    let depth = (-tail.ln()).sqrt();
    let size = if depth <= 5.0 { rational(&MIDDLE, depth - 1.6) } else { rational(&FAR, depth - 5.0) };
    size.copysign(centred)
}

/// $x^2$ and its rounding error (Dekker's product).
#[inline(always)]
fn square_in_two(x: f64) -> (f64, f64) {
    const SPLIT: f64 = 134_217_729.0; // 2^27 + 1
    let square = x * x;
    let shifted = SPLIT * x;
    let high = shifted - (shifted - x);
    let low = x - high;
    (square, ((high * high - square) + 2.0 * high * low) + low * low)
}

/// $e^{cx^2}$ for $|x|\le40$, with the rounding error of $x^2$ put back.
fn exp_of_square(x: f64, c: f64) -> f64 {
    let (square, rest) = square_in_two(x);
    let main = (c * square).exp();
    if main.is_finite() { main + main * (c * rest) } else { main }
}

/// The quotient of two polynomials, coefficients from the constant up.
fn rational([numerator, denominator]: &[[f64; 8]; 2], x: f64) -> f64 {
    let horner = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    horner(numerator) / horner(denominator)
}

/// Numerators and denominators, coefficients from the constant up.
const CENTRAL: [[f64; 8]; 2] = [
    [
        3.3871328727963665,
        133.14166789178438,
        1971.5909503065513,
        13731.69376550946,
        45921.95393154987,
        67265.7709270087,
        33430.57558358813,
        2509.0809287301227,
    ],
    [
        1.0,
        42.31333070160091,
        687.1870074920579,
        5394.196021424751,
        21213.794301586597,
        39307.89580009271,
        28729.085735721943,
        5226.495278852854,
    ],
];
const MIDDLE: [[f64; 8]; 2] = [
    [
        1.4234371107496835,
        4.630337846156546,
        5.769497221460691,
        3.6478483247632045,
        1.2704582524523684,
        0.2417807251774506,
        0.022723844989269184,
        0.0007745450142783414,
    ],
    [
        1.0,
        2.053191626637759,
        1.6763848301838038,
        0.6897673349851,
        0.14810397642748008,
        0.015198666563616457,
        0.0005475938084995345,
        1.0507500716444169e-09,
    ],
];
const FAR: [[f64; 8]; 2] = [
    [
        6.657904643501103,
        5.463784911164114,
        1.7848265399172913,
        0.29656057182850487,
        0.026532189526576124,
        0.0012426609473880784,
        2.7115555687434876e-05,
        2.0103343992922881e-07,
    ],
    [
        1.0,
        0.599832206555888,
        0.1369298809227358,
        0.014875361290850615,
        0.0007868691311456133,
        1.8463183175100548e-05,
        1.421511758316446e-07,
        2.0442631033899397e-15,
    ],
];
