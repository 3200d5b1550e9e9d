//! The standard normal distribution above a bound.

use rand_chacha::ChaCha8Rng;

use rather_numerics::random::uniform;
use rather_numerics::special::normal;
use rather_numerics::special::probit::probit_moments;

/// From here on up the quantile is found by the tail's own formula instead of by inverting probabilities, whose
/// difference to the bound would lose digits.
const FAR: f64 = 4.0;
/// Newton's steps there; from the start below, three reach the last digit.
const STEPS: usize = 5;

/// $X\sim\mathcal N(0,1)$ given $X>c$, for any $c$ from -1e300 to 1e8 and beyond.
///
/// # Formula
/// What is drawn is the excess $d=X-c>0$, which keeps its digits where $X$ itself would lose them all: $d$ solves
/// $\log\bar\Phi(c+d)-\log\bar\Phi(c)=\log u$ for uniform $u$. Below 4 this is $-\Phi^{-1}(u \Phi(-c))-c$. Above, with
/// $r(x)=\phi(x)/\bar\Phi(x)$, Newton's method on
/// $$ -d (c+d/2)-\log\frac{r(c+d)}{r(c)}-\log u=0,\qquad\text{slope } -r(c+d), $$
/// from the exponentially tilted $d=\sqrt{c^2-2\log u}-c$; the left side is concave, so it converges from anywhere.
///
/// # References
/// Marsaglia, *Generating a variable from the tail of the normal distribution* (1964), Technometrics 6, for the start.
///
/// # Examples
/// ```
/// use rather::exact::truncated::UpperTail;
///
/// // The median of a half-normal variable.
/// assert!((UpperTail::above(0.0).excess(0.5) - 0.6744897501960817).abs() < 1e-15);
/// // Far out the excess is exponential with rate c.
/// assert!((UpperTail::above(1e8).excess(0.5) * 1e8 - 0.5_f64.ln().abs()).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct UpperTail {
    bound: f64,
    /// $\bar\Phi(c)$, or $r(c)$ if far.
    mass_or_ratio: f64,
    log_mass: f64,
}

impl UpperTail {
    /// The distribution above `bound`.
    pub fn above(bound: f64) -> Self {
        if bound < FAR {
            let mass = normal::cdf(-bound);
            return Self { bound, mass_or_ratio: mass, log_mass: mass.ln() };
        }
        let moments = probit_moments(-bound);
        Self { bound, mass_or_ratio: moments.r, log_mass: moments.log_cdf }
    }

    /// $\log P(X>c)$ of the distribution before truncation.
    pub fn log_mass(&self) -> f64 {
        self.log_mass
    }

    /// The excess over the bound that is exceeded with probability `u`; positive for `u` between 0 and 1.
    pub fn excess(&self, u: f64) -> f64 {
        let c = self.bound;
        let excess = if c < FAR { -normal::quantile(u * self.mass_or_ratio) - c } else { self.far_excess(u) };
        excess.max(f64::MIN_POSITIVE)
    }

    /// A random excess over the bound.
    pub fn sample(&self, rng: &mut ChaCha8Rng) -> f64 {
        self.excess(uniform(rng))
    }

    /// A random number of the standard normal distribution between two bounds, of which one may be infinite.
    pub(super) fn within(lower: f64, upper: f64, rng: &mut ChaCha8Rng) -> f64 {
        // From the bound that is nearer to the middle, so that tails keep their digits.
        if lower + upper < 0.0 {
            return -Self::within(-upper, -lower, rng);
        }
        let tail = Self::above(lower);
        if upper == f64::INFINITY {
            return lower + tail.sample(rng);
        }
        let beyond = (Self::above(upper).log_mass - tail.log_mass).exp();
        (lower + tail.excess(beyond + (1.0 - beyond) * uniform(rng))).min(upper)
    }

    fn far_excess(&self, u: f64) -> f64 {
        let (c, log_u) = (self.bound, u.ln());
        let mut d = -2.0 * log_u / (c + (c * c - 2.0 * log_u).sqrt());
        for _ in 0..STEPS {
            let ratio = probit_moments(-(c + d)).r;
            let step = (-d * (c + 0.5 * d) - (ratio / self.mass_or_ratio).ln() - log_u) / ratio;
            d += step;
            if step.abs() <= 1e-15 * d {
                break;
            }
        }
        d
    }
}
