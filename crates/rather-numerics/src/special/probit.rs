//! The moments of a probit factor: the only place that computes any of them.

use super::logarithm::ln;
use super::normal::{SQRT_2_PI, density_and_tail, pdf};
use super::tail::tail_fraction;

/// What inference needs to know of $\Phi$ at one point $\beta$. See [`probit_moments`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbitMoments {
    /// $\log\Phi(\beta)$.
    pub log_cdf: f64,
    /// $r=\phi(\beta)/\Phi(\beta)$, the derivative of $\log\Phi$.
    pub r: f64,
    /// $t=\beta+r$.
    pub t: f64,
    /// $w=r t$, minus the second derivative of $\log\Phi$; between 0 and 1.
    pub w: f64,
    /// $q=1-w$.
    pub q: f64,
}

/// $\log\Phi(\beta)$, $r=\phi/\Phi$, $t=\beta+r$, $w=rt$ and $q=1-w$, each with a relative error below 1e-14 as long as it does not
/// underflow, for all $\beta$.
///
/// # Formula
/// Left of 0, where $\beta+r$ and $1-w$ cancel, with $y=-\beta$ and $k_2=\frac{2}{y+}\frac{3}{y+}\frac{4}{y+}\cdots$:
/// $$ t=\frac1{y+k_2},\qquad r=y+t,\qquad w=(y+t) t,\qquad q=t (k_2-t). $$
/// Right of 0 as they are defined. For $\beta=\pm\infty$ the limits are given, $r$ for $-\infty$ as the largest number.
///
/// # References
/// Specification 1, "EP in one dimension per comparison"; Rasmussen and Williams, *Gaussian Processes for Machine
/// Learning* (2006), equations 3.82 to 3.87, for the moments' use.
///
/// # Examples
/// ```
/// use rather_numerics::special::probit::probit_moments;
///
/// let moments = probit_moments(0.0);
/// assert!((moments.log_cdf - 0.5_f64.ln()).abs() < 1e-15);
/// // Far in the tail, w = 1 - 1 / beta^2 and q keeps its digits.
/// let moments = probit_moments(-1e6);
/// assert!((moments.q * 1e12 - 1.0).abs() < 1e-11);
/// ```
pub fn probit_moments(beta: f64) -> ProbitMoments {
    let y = beta.abs().min(f64::MAX);
    let k2 = tail_fraction(y);
    let t = 1.0 / (y + k2);
    let r = y + t;
    if beta <= 0.0 {
        let log_cdf = -0.5 * beta * beta - (SQRT_2_PI * r).ln();
        return ProbitMoments { log_cdf, r, t, w: r * t, q: t * (k2 - t) };
    }
    let density = pdf(beta);
    let upper = density / r;
    let r = density / (1.0 - upper);
    let t = beta + r;
    let w = r * t.min(f64::MAX);
    ProbitMoments { log_cdf: (-upper).ln_1p(), r, t, w, q: 1.0 - w }
}

/// As [`probit_moments`], without a branch, for loops that the compiler makes into vector code; no slower there for several $\beta$ than for one.
///
/// # Formula
/// Both sides are computed and one is taken. Right of 0, with $u=1-\Phi(-\beta)$ as it is rounded, $\log\Phi(\beta)=\log u\cdot\Phi(-\beta)/(1-u)$, from which the
/// rounding of $u$ is gone.
///
/// # References
/// Goldberg, *What every computer scientist should know about floating-point arithmetic* (1991), theorem 4, for the logarithm.
///
/// # Examples
/// ```
/// use rather_numerics::special::probit::{probit_moments, probit_moments_side_by_side};
///
/// let (found, expected) = (probit_moments_side_by_side(-3.0), probit_moments(-3.0));
/// assert!((found.w / expected.w - 1.0).abs() < 1e-14 && (found.log_cdf / expected.log_cdf - 1.0).abs() < 1e-14);
/// ```
#[inline(always)]
pub fn probit_moments_side_by_side(beta: f64) -> ProbitMoments {
    let y = if beta.abs() > f64::MAX { f64::MAX } else { beta.abs() };
    let k2 = tail_fraction(y);
    let left_t = 1.0 / (y + k2);
    let left_r = y + left_t;
    let (density, upper) = density_and_tail(y);
    let lower = 1.0 - upper;
    let right_r = density / lower;
    let right_w = right_r * (y + right_r);
    let is_left = beta <= 0.0;
    let log = ln(if is_left { SQRT_2_PI * left_r } else { lower });
    let rounded = 1.0 - lower;
    let right_log = if rounded == 0.0 { -upper } else { log * (upper / rounded) };
    ProbitMoments {
        log_cdf: if is_left { -0.5 * beta * beta - log } else { right_log },
        r: if is_left { left_r } else { right_r },
        t: if is_left { left_t } else { beta + right_r },
        w: if is_left { left_r * left_t } else { right_w },
        q: if is_left { left_t * (k2 - left_t) } else { 1.0 - right_w },
    }
}

/// The third to sixth derivatives of $\log\Phi$ at $\beta\ge-6$, with a relative error below 1e-9; their terms cancel left of there.
///
/// # Formula
/// With $r=\phi/\Phi$, the first derivative, and $t=\beta+r$: $r'=-rt$ and $t'=1+r'$, and further ones by Leibniz' rule.
///
/// # References
/// Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), equation 3.16, for the first two.
///
/// # Examples
/// ```
/// use rather_numerics::special::probit::{log_cdf_derivatives, probit_moments};
///
/// // The difference of second derivatives, which are -w.
/// let [third, ..] = log_cdf_derivatives(0.3);
/// let difference = (probit_moments(0.299).w - probit_moments(0.301).w) / 0.002;
/// assert!((third - difference).abs() < 1e-6);
/// ```
pub fn log_cdf_derivatives(beta: f64) -> [f64; 4] {
    let ProbitMoments { r, t, w, q, .. } = probit_moments(beta);
    let (r1, t1) = (-w, q);
    let r2 = -(r * t1 + r1 * t);
    let r3 = -(r * r2 + 2.0 * r1 * t1 + r2 * t);
    let r4 = -(r * r3 + 3.0 * r1 * r2 + 3.0 * r2 * t1 + r3 * t);
    let r5 = -(r * r4 + 4.0 * r1 * r3 + 6.0 * r2 * r2 + 4.0 * r3 * t1 + r4 * t);
    [r2, r3, r4, r5]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_by_side_they_are_the_same() {
        let mut rng = crate::random::stream(1, 0);
        for k in 0..100_000 {
            let beta = match k {
                0 => 0.0,
                1 => -1e6,
                2 => -1e200,
                _ => 60.0 * crate::random::uniform(&mut rng) - 30.0,
            };
            let (found, expected) = (probit_moments_side_by_side(beta), probit_moments(beta));
            for (found, expected) in [
                (found.log_cdf, expected.log_cdf),
                (found.r, expected.r),
                (found.t, expected.t),
                (found.w, expected.w),
                (found.q, expected.q),
            ] {
                let is_same = found == expected || (found / expected - 1.0).abs() < 1e-14;
                assert!(is_same, "{beta}: {found} {expected}");
            }
        }
        for beta in [f64::INFINITY, f64::NEG_INFINITY] {
            let (found, expected) = (probit_moments_side_by_side(beta), probit_moments(beta));
            assert_eq!((found.log_cdf, found.r, found.w), (expected.log_cdf, expected.r, expected.w));
        }
        assert!(probit_moments_side_by_side(f64::NAN).w.is_nan());
    }
}
