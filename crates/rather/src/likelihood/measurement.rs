//! What somebody will measure: a number with noise, as a distribution.

use rather_numerics::special::gamma::ln_gamma;
use rather_numerics::special::normal::{cdf, pdf};

/// A measurement $y=c+az+e$ of a projection $z$ of the utilities, or the whole number next to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    /// What was measured.
    pub value: f64,
    /// $c$ and $a$.
    pub line: [f64; 2],
    /// The scale of the noise $e$: its standard deviation unless it is Student's.
    pub noise: f64,
    /// Its distribution.
    pub shape: Shape,
    /// Whether what is told is the nearest whole number.
    pub rounded: bool,
}

/// How noise is distributed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Normal.
    Normal,
    /// Student's with so many degrees of freedom.
    Student(f64),
    /// Logistic.
    Logistic,
}

impl Shape {
    /// The distribution of scale 1 as normal distributions around 0: weights that add up to 1, and variances.
    ///
    /// # Formula
    /// Student's is normal with variance $1/g$, $g$ of the gamma distribution with mean 1 and shape $\nu/2$; the logistic one of standard deviation 1 is
    /// normal with variance $12K^2/\pi^2$, $K$ of Kolmogorov's distribution. The integrals over $\log g$ and $K$ are trapezoidal sums, which
    /// for such densities converge geometrically: distribution functions are off by less than 1e-10.
    ///
    /// # References
    /// Andrews and Mallows, *Scale mixtures of normal distributions* (1974), Journal of the Royal Statistical Society B 36.
    fn normals(self) -> Vec<(f64, f64)> {
        let nodes: Vec<(f64, f64)> = match self {
            Self::Normal => return vec![(1.0, 1.0)],
            Self::Student(freedom) => {
                let shape = 0.5 * freedom;
                // The logarithm of g has about this standard deviation, and tails that fall like exp(shape u).
                let step = 0.4_f64.min(0.5 / shape.sqrt());
                let log_density = |u: f64| shape * (u - u.exp()) + shape * shape.ln() - ln_gamma(shape);
                let (low, high) = (-34.0 / shape.min(30.0) - 1.0, (1.0 + 35.0 / shape).ln() + 1.0);
                let count = ((high - low) / step).ceil() as usize;
                let node = |k: usize| low + k as f64 * step;
                (0..=count).map(|k| (log_density(node(k)).exp(), (-node(k)).exp())).collect()
            }
            Self::Logistic => {
                let density = |x: f64| {
                    let term = |k: i32| {
                        let (k2, sign) = (f64::from(k * k), if k % 2 == 1 { 1.0 } else { -1.0 });
                        8.0 * x * sign * k2 * (-2.0 * k2 * x * x).exp()
                    };
                    (1..60).map(term).sum::<f64>().max(0.0)
                };
                let variance = |x: f64| 12.0 * x * x / std::f64::consts::PI.powi(2);
                // Below 0.15 the density is less than 1e-20, and above 4.5 less than 1e-15.
                (0..=145).map(|k| 0.15 + 0.03 * f64::from(k)).map(|x| (density(x), variance(x))).collect()
            }
        };
        let total: f64 = nodes.iter().map(|(weight, _)| weight).sum();
        let kept = nodes.into_iter().filter(|(weight, _)| *weight > 1e-16 * total);
        kept.map(|(weight, variance)| (weight / total, variance)).collect()
    }
}

/// The distribution of a number to come: a mixture of normal distributions, or the whole number next to what has it.
///
/// # Formula
/// With parts $w_i,m_i,v_i$ the continuous ranked probability score is
/// $$ \mathrm{CRPS}(y)=\sum_iw_iA(y-m_i,v_i)-\tfrac12\sum_{ij}w_iw_jA(m_i-m_j,v_i+v_j),\quad
///    A(m,s^2)=2s\varphi(m/s)+m(2\Phi(m/s)-1). $$
/// Of whole numbers it is $\sum_k(F(k)-[k\ge y])^2$.
///
/// # References
/// Gneiting and Raftery, *Strictly proper scoring rules, prediction, and estimation* (2007), Journal of the American Statistical Association 102;
/// Grimit, Gneiting, Berrocal and Johnson, *The continuous ranked probability score for circular variables and its application to mesoscale
/// forecast ensemble verification* (2006), Quarterly Journal of the Royal Meteorological Society 132, for mixtures.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictive {
    /// Weight, mean and standard deviation of each part.
    parts: Vec<(f64, f64, f64)>,
    rounded: bool,
}

impl Predictive {
    /// The distribution of a measurement where the projection is a mixture: weights that add up to 1, means and variances, each with the measurement
    /// as it is under that part.
    pub(crate) fn of(parts: impl Iterator<Item = (f64, f64, f64, Measurement)>) -> Self {
        let (mut all, mut rounded) = (Vec::new(), false);
        for (weight, mean, variance, measurement) in parts {
            let Measurement { line: [offset, scale], noise, shape, .. } = measurement;
            rounded = measurement.rounded;
            let centre = offset + scale * mean;
            let sd = |share: f64| (scale * scale * variance + noise * noise * share).sqrt();
            all.extend(shape.normals().into_iter().map(|(share, v)| (weight * share, centre, sd(v))));
        }
        Self { parts: all, rounded }
    }

    /// The probability that a number as it is before it is rounded is at most `x`.
    fn raw(&self, x: f64) -> f64 {
        let one = |&(weight, mean, sd): &(f64, f64, f64)| {
            weight * if sd > 0.0 { cdf((x - mean) / sd) } else { f64::from(u8::from(x >= mean)) }
        };
        self.parts.iter().map(one).sum()
    }

    /// The probability of at most `y`.
    pub fn up_to(&self, y: f64) -> f64 {
        self.raw(if self.rounded { y.floor() + 0.5 } else { y })
    }

    /// The probability of less than `y`.
    pub fn below(&self, y: f64) -> f64 {
        self.raw(if self.rounded { y.ceil() - 0.5 } else { y })
    }

    /// The expected number.
    pub fn mean(&self) -> f64 {
        self.parts.iter().map(|(weight, mean, _)| weight * mean).sum()
    }

    /// The smallest number that what comes is at most with the probability `p`.
    pub fn quantile(&self, p: f64) -> f64 {
        let edge = |sign: f64| {
            let ends = self.parts.iter().map(|(_, mean, sd)| sign * mean + 40.0 * sd);
            sign * ends.fold(f64::NEG_INFINITY, f64::max)
        };
        let (mut low, mut high) = (edge(-1.0), edge(1.0));
        // To the last bit, or nearly.
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.raw(middle) < p { low = middle } else { high = middle }
        }
        if self.rounded { (high - 0.5).ceil() } else { high }
    }

    /// The continuous ranked probability score of `y`: in its unit, lower is better, and for a number that is known for sure the absolute error.
    pub fn crps(&self, y: f64) -> f64 {
        if self.rounded { self.crps_of_whole(y) } else { self.crps_of_any(y) }
    }

    fn crps_of_any(&self, y: f64) -> f64 {
        let expected = |m: f64, s: f64| {
            if s > 0.0 { 2.0 * s * pdf(m / s) + m * (2.0 * cdf(m / s) - 1.0) } else { m.abs() }
        };
        let (mut error, mut spread) = (0.0, 0.0);
        for (i, &(weight, mean, sd)) in self.parts.iter().enumerate() {
            error += weight * expected(y - mean, sd);
            spread += weight * weight * expected(0.0, std::f64::consts::SQRT_2 * sd);
            for &(other, centre, own) in &self.parts[..i] {
                spread += 2.0 * weight * other * expected(mean - centre, sd.hypot(own));
            }
        }
        error - 0.5 * spread
    }

    fn crps_of_whole(&self, y: f64) -> f64 {
        let mut total = 0.0;
        let mut add = |k: f64| {
            let gap = self.up_to(k) - f64::from(u8::from(k >= y));
            total += gap * gap;
            gap * gap
        };
        // Outwards from what came until nothing is left, on either side of all parts.
        let (low, high) = (self.quantile(0.01).min(y), self.quantile(0.99).max(y));
        for (first, step, last) in [(y - 1.0, -1.0, low), (y, 1.0, high)] {
            let mut k = first;
            for _ in 0..MOST_WHOLE {
                let left = add(k);
                if left < 1e-18 && (k - last) * step >= 0.0 {
                    break;
                }
                k += step;
            }
        }
        total
    }
}

/// Whole numbers that are looked at on either side of what came.
const MOST_WHOLE: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(shape: Shape, rounded: bool) -> Predictive {
        let m = Measurement { value: 0.0, line: [1.0, 2.0], noise: 1.5, shape, rounded };
        Predictive::of([(1.0, 0.5, 0.0, m)].into_iter())
    }

    /// By integrating $(F-[x\ge y])^2$ with the midpoint rule, whose error for the kink at `y` is of the order of the step squared.
    fn integrated(p: &Predictive, y: f64) -> f64 {
        let step = 2e-3;
        let gap = |k: i32| {
            let x = step * (f64::from(k) + 0.5);
            step * (p.up_to(x) - f64::from(u8::from(x >= y))).powi(2)
        };
        (-50_000..50_000).map(gap).sum()
    }

    #[test]
    fn scores_are_integrals_of_the_distribution_function() {
        for shape in [Shape::Normal, Shape::Student(4.0), Shape::Logistic] {
            for rounded in [false, true] {
                let p = alone(shape, rounded);
                for y in [2.0, -3.0, 9.0] {
                    let (found, expected) = (p.crps(y), integrated(&p, y));
                    assert!((found - expected).abs() < 2e-6, "{shape:?} {rounded} {y}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn noise_is_what_its_name_says() {
        // Student's with 4 degrees of freedom has F(t) = 1/2 + 3/8 (s - s^3/3) with s = t / sqrt(1 + t^2/4) in closed form.
        let student = Predictive { parts: parts(Shape::Student(4.0)), rounded: false };
        let logistic = Predictive { parts: parts(Shape::Logistic), rounded: false };
        for t in [-6.0, -1.3, 0.2, 2.5] {
            let s: f64 = t / (1.0 + t * t / 4.0_f64).sqrt();
            let expected = 0.5 + 3.0 / 8.0 * s * (1.0 - s * s / 12.0);
            assert!((student.up_to(t) - expected).abs() < 1e-10, "{t}: {} {expected}", student.up_to(t));
            let expected = 1.0 / (1.0 + (-std::f64::consts::PI / 3.0_f64.sqrt() * t).exp());
            assert!((logistic.up_to(t) - expected).abs() < 1e-10, "{t}: {} {expected}", logistic.up_to(t));
        }
    }

    fn parts(shape: Shape) -> Vec<(f64, f64, f64)> {
        shape.normals().into_iter().map(|(w, v)| (w, 0.0, v.sqrt())).collect()
    }

    #[test]
    fn quantiles_invert_the_distribution_function() {
        for (shape, rounded) in [(Shape::Normal, false), (Shape::Student(3.0), false), (Shape::Normal, true)]
        {
            let p = alone(shape, rounded);
            for q in [0.025, 0.25, 0.975] {
                let x = p.quantile(q);
                if rounded {
                    assert!(p.up_to(x) >= q && p.below(x) < q && x.fract() == 0.0);
                } else {
                    assert!((p.up_to(x) - q).abs() < 1e-12, "{q}");
                }
            }
        }
    }
}
