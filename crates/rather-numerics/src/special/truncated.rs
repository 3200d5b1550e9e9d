//! The standard normal distribution cut to an interval.

use super::legendre::panel;
use super::normal::SQRT_2_PI;
use super::probit::{ProbitMoments, probit_moments};

/// What inference needs to know of a standard normal $x$ given $a<x<b$. See [`truncated_moments`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TruncatedMoments {
    /// $\log P(a<x<b)$.
    pub log_mass: f64,
    /// $\phi(a)/P(a<x<b)$.
    pub lower: f64,
    /// $\phi(b)/P(a<x<b)$.
    pub upper: f64,
    /// The mean.
    pub mean: f64,
    /// How far the mean is from the end nearer to 0, $\bar x-a$ or $\bar x-b$: with its digits where the mean has lost them.
    pub beyond: f64,
    /// That end.
    pub near: f64,
    /// The variance, between 0 and 1.
    pub variance: f64,
    /// What the variance lacks to 1, with its digits where the variance has lost them.
    pub taken: f64,
    /// The third central moment.
    pub third: f64,
}

/// A panel may be this wide, and the density may fall by this many powers of e along it.
const WIDE: f64 = 4.0;
const STEEP: f64 = 8.0;

/// The moments of a standard normal variable between $a$ and $b>a$, either of which may be infinite; relative errors are below 1e-12
/// into the tails.
///
/// # Formula
/// Let $a$ be the end nearer to 0 (else all is mirrored). A short or slowly falling interval is integrated by a Gauss-Legendre rule
/// about $a$, with positive terms only. Of a long one in the tail, with $E=\Phi(-b)/\Phi(-a)\le e^{-8}$ and the half-line's
/// moments about $a$ as a mixture, share $1-E$ of the interval and $E$ of what lies beyond $b$. A long one
/// around 0 holds nearly all mass, and the textbook's $\bar x=\lambda_a-\lambda_b$ and
/// $1-v=\bar x^2-a\lambda_a+b\lambda_b$ with $\lambda_a=\phi(a)/P$, $\lambda_b=\phi(b)/P$ do.
///
/// # References
/// Johnson, Kotz and Balakrishnan, *Continuous univariate distributions* (1994), volume 1, section 13.10.1.
///
/// # Examples
/// ```
/// use rather_numerics::special::truncated::truncated_moments;
///
/// // Nearly uniform.
/// let x = truncated_moments(-0.001, 0.001);
/// assert!((x.variance * 3e6 - 1.0).abs() < 1e-6);
/// // A slice of the far tail.
/// let x = truncated_moments(40.0, 40.001);
/// assert!(x.beyond > 0.0 && x.beyond < 0.0005 && x.log_mass.is_finite());
/// ```
pub fn truncated_moments(a: f64, b: f64) -> TruncatedMoments {
    if a.abs() <= b.abs() { from_near(a, b) } else { mirrored(from_near(-b, -a)) }
}

fn mirrored(m: TruncatedMoments) -> TruncatedMoments {
    TruncatedMoments {
        lower: m.upper,
        upper: m.lower,
        mean: -m.mean,
        beyond: -m.beyond,
        near: -m.near,
        third: -m.third,
        ..m
    }
}

/// With `a` nearer to 0, so that `b > 0`.
fn from_near(a: f64, b: f64) -> TruncatedMoments {
    let h = b - a;
    if b == f64::INFINITY {
        half_line(a)
    } else if h <= WIDE && a * h <= STEEP {
        by_panel(a, h)
    } else if a > 0.0 {
        in_the_tail(a, h)
    } else {
        around_nought(a, b)
    }
}

/// $\kappa_3$ of the half-line, from the moments at $-a$.
fn third_of_half_line(p: &ProbitMoments) -> f64 {
    p.w * p.t - p.r * p.q
}

fn half_line(a: f64) -> TruncatedMoments {
    let p = probit_moments(-a);
    TruncatedMoments {
        log_mass: p.log_cdf,
        lower: p.r,
        upper: 0.0,
        mean: p.r,
        beyond: p.t,
        near: a,
        variance: p.q,
        taken: p.w,
        third: third_of_half_line(&p),
    }
}

fn by_panel(a: f64, h: f64) -> TruncatedMoments {
    // Relative to the density at a.
    let density = |y: f64| (-y * (a + 0.5 * y)).exp();
    let sum = |f: &dyn Fn(f64) -> f64| panel(0.0, h).map(|(y, w)| w * density(y) * f(y)).sum::<f64>();
    let mass = sum(&|_| 1.0);
    let beyond = sum(&|y| y) / mass;
    let variance = sum(&|y| (y - beyond).powi(2)) / mass;
    TruncatedMoments {
        log_mass: -0.5 * a * a + (mass / SQRT_2_PI).ln(),
        lower: 1.0 / mass,
        upper: density(h) / mass,
        mean: a + beyond,
        beyond,
        near: a,
        variance,
        taken: 1.0 - variance,
        third: sum(&|y| (y - beyond).powi(3)) / mass,
    }
}

fn in_the_tail(a: f64, h: f64) -> TruncatedMoments {
    let (p, q) = (probit_moments(-a), probit_moments(-a - h));
    let beyond_b = (q.log_cdf - p.log_cdf).exp();
    let inside = 1.0 - beyond_b;
    // Moments about a of the half-line from c, at a distance d from a.
    let about = |m: &ProbitMoments, d: f64| {
        let first = d + m.t;
        [first, m.q + first * first, third_of_half_line(m) + 3.0 * first * m.q + first.powi(3)]
    };
    let (all, rest) = (about(&p, 0.0), about(&q, h));
    let of = |k: usize| (all[k] - beyond_b * rest[k]) / inside;
    let (beyond, second) = (of(0), of(1));
    let variance = second - beyond * beyond;
    TruncatedMoments {
        log_mass: p.log_cdf + (-beyond_b).ln_1p(),
        lower: p.r / inside,
        upper: q.r * beyond_b / inside,
        mean: a + beyond,
        beyond,
        near: a,
        variance,
        taken: 1.0 - variance,
        third: of(2) - 3.0 * beyond * second + 2.0 * beyond.powi(3),
    }
}

fn around_nought(a: f64, b: f64) -> TruncatedMoments {
    let (below, above) = (probit_moments(a), probit_moments(-b));
    let (under, over) = (below.log_cdf.exp(), above.log_cdf.exp());
    let mass = 1.0 - under - over;
    let (lower, upper) = (below.r * under / mass, above.r * over / mass);
    let mean = lower - upper;
    // m_k about 0 by integration by parts.
    let second = 1.0 + a * lower - b * upper;
    let third = 2.0 * mean + a * a * lower - b * b * upper;
    TruncatedMoments {
        log_mass: (-under - over).ln_1p(),
        lower,
        upper,
        mean,
        beyond: mean - a,
        near: a,
        variance: second - mean * mean,
        taken: mean * mean - a * lower + b * upper,
        third: third - 3.0 * mean * second + 2.0 * mean.powi(3),
    }
}
