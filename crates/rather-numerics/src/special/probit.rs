//! The moments of a probit factor: the only place that computes any of them.

use super::normal::{SQRT_2_PI, pdf};
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
