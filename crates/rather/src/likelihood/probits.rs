//! Products of probits under a belief that is much narrower than their noise: what is said of a pair among thousands.

use std::array;

use super::few_points;
use super::quadrature::{Part, site};
use super::{Interval, LOG_NOISE, Likelihood, NO_SLOPES, Slopes, Tilted};
use rather_numerics::special::hermite::GaussHermite;

/// A probit between two thresholds at one point: $\log\big(\Phi(B)-\Phi(A)\big)$ with $A=(l-z)/s$, $B=(u-z)/s$.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Between {
    /// The standard deviation of the noise.
    pub s: f64,
    /// The thresholds $l<u$, which may be infinite.
    pub thresholds: [f64; 2],
    /// The log of the mass between them,
    pub log_mass: f64,
    /// and $\phi(A)$ and $\phi(B)$ in shares of it.
    pub shares: [f64; 2],
    /// Whether the thresholds are parameters.
    pub has_slots: bool,
}

/// Points of a rule that series are for, lanes in which points are worked on side by side, and thresholds that the answers about a pair have.
const MOST_POINTS: usize = 7;
const LANES: usize = 8;
const MOST_THRESHOLDS: usize = 4;
/// A number at each point.
type Lanes = [f64; LANES];

/// Terms of the series at most, and the size of those that are left out, at points whose weights are below a thousandth.
const TERMS: usize = 18;
const LEFT: f64 = 5e-14;
/// The largest $(|\alpha|+h) h$ of a threshold at $\alpha$ and a point at $h$, in standard deviations of the noise.
const WITHIN: f64 = 1.0;
/// Counts that are powers by multiplication.
const MOST_MULTIPLIED: f64 = 64.0;
/// The distance of the nearest zero of a difference of two $\Phi$ from the real line ([`Interval`]).
pub(super) const ANALYTIC_WITHIN: f64 = 2.6;

/// $E(h)=\phi(\alpha-h)/\phi(\alpha)=e^{\alpha h-h^2/2}$ and its integral from 0 to $h$, for a threshold at $\alpha$ from the mean and points side by side,
/// none of which is further than `furthest`: by the power series $E=\sum_ke_kh^k$ with $(k+1)e_{k+1}=\alpha e_k-e_{k-1}$, from $E'=(\alpha-h)E$.
fn near(at: f64, h: &Lanes, furthest: f64) -> [Lanes; 2] {
    let (mut series, mut terms) = ([1.0; TERMS], 2);
    series[1] = at;
    let (mut power, mut before) = (furthest, at.abs() * furthest);
    // After two terms that are small there are none but smaller ones.
    while terms < TERMS {
        power *= furthest;
        series[terms] = (at * series[terms - 1] - series[terms - 2]) * RECIPROCALS[terms - 1];
        let size = series[terms].abs() * power;
        terms += 1;
        if size.max(before) <= LEFT {
            break;
        }
        before = size;
    }
    let (mut density, mut integral) = ([0.0; LANES], [0.0; LANES]);
    for (term, reciprocal) in series[..terms].iter().zip(&RECIPROCALS).rev() {
        for l in 0..LANES {
            density[l] = density[l] * h[l] + term;
            integral[l] = integral[l] * h[l] + term * reciprocal;
        }
    }
    [density, array::from_fn(|l| integral[l] * h[l])]
}

/// $1/(k+1)$.
const RECIPROCALS: [f64; TERMS] = {
    let mut out = [1.0; TERMS];
    let mut k = 0;
    while k < TERMS {
        out[k] = 1.0 / (k + 1) as f64;
        k += 1;
    }
    out
};

/// A part in the orientation of the projection.
struct Said {
    sign: f64,
    count: f64,
    /// Which thresholds are below and above; none if infinite.
    ends: [Option<usize>; 2],
    /// $\phi$ of each in shares of the mass at the mean.
    shares: [f64; 2],
    has_slots: bool,
}

impl Said {
    /// The mass at each point, relative to that at the mean, and the shares there, where thresholds have `near`.
    fn at(&self, near: &[[Lanes; 2]]) -> (Lanes, [Lanes; 2]) {
        let of = |end: usize| {
            self.ends[end].map_or([[0.0; LANES]; 2], |t| near[t].map(|x| x.map(|x| self.shares[end] * x)))
        };
        let ([below, from_below], [above, from_above]) = (of(0), of(1));
        let mass: Lanes = array::from_fn(|l| 1.0 + from_below[l] - from_above[l]);
        (mass, [below, above].map(|share| array::from_fn(|l| share[l] / mass[l])))
    }

    /// The first derivative of the log at $h$ and minus the second, in units of the noise, and the derivative in the logarithm of that.
    #[inline]
    fn derivatives(&self, [below, above]: [f64; 2], thresholds: &[f64], h: f64) -> [f64; 3] {
        let at = |end: usize| self.ends[end].map_or(0.0, |t| thresholds[t] - h);
        let (lower, upper) = (at(0), at(1));
        let slope = below - above;
        [slope, below * (slope - lower) - above * (slope - upper), below * lower - above * upper]
    }

    /// The derivatives in the slots, from the averages of the shares and of the derivative in the logarithm of the noise `s`.
    fn slopes(&self, [below, above, in_noise]: [f64; 3], s: f64) -> Slopes {
        let mut d = NO_SLOPES;
        d[LOG_NOISE] = in_noise;
        if self.has_slots {
            let [lower, upper] = if self.sign > 0.0 { [below, above] } else { [above, below] };
            (d[Interval::LOWER], d[Interval::UPPER]) = (-lower / s, upper / s);
        }
        d
    }
}

/// $x^n$ at each point.
fn power(x: Lanes, count: f64) -> Lanes {
    if count.fract() != 0.0 || count > MOST_MULTIPLIED {
        return x.map(|x| x.powf(count));
    }
    let (mut out, mut square, mut left) = ([1.0; LANES], x, count as u32);
    while left > 0 {
        if left % 2 == 1 {
            out = array::from_fn(|l| out[l] * square[l]);
        }
        square = square.map(|x| x * x);
        left /= 2;
    }
    out
}

/// All parts about one projection.
struct Together {
    s: f64,
    /// From the mean, in standard deviations of the noise.
    thresholds: Vec<f64>,
    said: Vec<Said>,
    /// The log of the product at the mean.
    log_mass: f64,
}

impl Together {
    /// `None` unless all are probits with the noise `s`.
    fn new<L: Likelihood + ?Sized>(parts: &[Part<'_, L>], mean: f64, s: f64) -> Option<Self> {
        let (thresholds, said) = (Vec::with_capacity(2), Vec::with_capacity(parts.len()));
        let mut out = Self { s, thresholds, said, log_mass: 0.0 };
        for part in parts {
            let between = part.likelihood.between(part.sign * mean).filter(|b| b.s == s)?;
            let ([mut lower, mut upper], mut shares) = (between.thresholds, between.shares);
            if part.sign < 0.0 {
                (lower, upper) = (-upper, -lower);
                shares.reverse();
            }
            let ends = [lower, upper].map(|at| at.is_finite().then(|| out.place((at - mean) / s)));
            let Part { sign, count, .. } = *part;
            out.said.push(Said { sign, count, ends, shares, has_slots: between.has_slots });
            out.log_mass += count * between.log_mass;
        }
        Some(out)
    }

    /// Which threshold is there, a new one unless there is one.
    fn place(&mut self, at: f64) -> usize {
        self.thresholds.iter().position(|&t| t == at).unwrap_or_else(|| {
            self.thresholds.push(at);
            self.thresholds.len() - 1
        })
    }

    /// The rule for a belief of this standard deviation, in those of the noise, if series serve its points.
    fn rule(&self, spread: f64) -> Option<&'static GaussHermite> {
        let (mut first, mut precision) = (0.0, 0.0);
        for one in &self.said {
            let [slope, bend, _] = one.derivatives(one.shares, &self.thresholds, 0.0);
            first += one.count * slope;
            precision += one.count * bend;
        }
        let (slope, curvature) = (first.abs() * spread, precision.abs() * spread * spread);
        let rule = few_points::rule(ANALYTIC_WITHIN / spread, slope, curvature, 0)?;
        let furthest = spread * rule.nodes.last()?;
        let converges = |t: &f64| (t.abs() + furthest) * furthest <= WITHIN;
        let fits = rule.nodes.len() <= MOST_POINTS
            && self.thresholds.len() <= MOST_THRESHOLDS
            && self.thresholds.iter().all(converges);
        fits.then_some(rule)
    }

    /// The site, and each part's slopes, by a rule.
    fn tilt(&self, rule: &GaussHermite, mean: f64, variance: f64) -> (Tilted, Vec<Slopes>) {
        let s = self.s;
        // Points beyond those of the rule have no weight.
        let (mut h, mut weights) = ([0.0; LANES], [0.0; LANES]);
        for (l, (x, weight)) in rule.iter().enumerate() {
            (h[l], weights[l]) = (variance.sqrt() / s * x, weight);
        }
        let furthest = h.iter().copied().fold(0.0, f64::max);
        let mut nearby = [[[0.0; LANES]; 2]; MOST_THRESHOLDS];
        nearby.iter_mut().zip(&self.thresholds).for_each(|(of, &at)| *of = near(at, &h, furthest));
        let (mut slope, mut bend) = ([0.0; LANES], [0.0; LANES]);
        let mut of_parts = Vec::with_capacity(self.said.len());
        for one in &self.said {
            let (mass, [below, above]) = one.at(&nearby);
            let mass = power(mass, one.count);
            let mut in_noise = [0.0; LANES];
            for l in 0..LANES {
                let [d, dd, in_log] = one.derivatives([below[l], above[l]], &self.thresholds, h[l]);
                weights[l] *= mass[l];
                slope[l] += one.count * d;
                bend[l] += one.count * dd;
                in_noise[l] = in_log;
            }
            of_parts.push([below, above, in_noise]);
        }
        let mass: f64 = weights.iter().sum();
        let average = |x: &Lanes| x.iter().zip(&weights).map(|(x, weight)| x * weight).sum::<f64>() / mass;
        let a = average(&slope);
        let b = average(&bend) - (average(&slope.map(|x| x * x)) - a * a);
        let tilted = site(self.log_mass + mass.ln(), a / s, b / (s * s), mean, variance);
        let slopes =
            self.said.iter().zip(&of_parts).map(|(one, of)| one.slopes(of.each_ref().map(average), s));
        (tilted, slopes.collect())
    }
}

/// [`tilt_together`](super::quadrature::tilt_together) of parts that are all probits with the same noise, if the belief is narrow beside that; else `None`.
///
/// # Formula
/// By Gauss and Hermite's rule of few points. With a threshold at $\alpha$ and a point at $h$ from the mean, both in standard deviations of the noise,
/// $\Phi(\alpha)-\Phi(\alpha-h)=\phi(\alpha)\int_0^hE$ for $E(x)=e^{\alpha x-x^2/2}$, a power series that serves all points and parts; the mass of a part is
/// $1+\lambda\int E_l-\upsilon\int E_u$ times that at the mean, for the shares $\lambda$ and $\upsilon$ of the densities at its thresholds there.
pub(super) fn tilt<L: Likelihood + ?Sized>(
    parts: &[Part<'_, L>],
    mean: f64,
    variance: f64,
) -> Option<(Tilted, Vec<Slopes>)> {
    let s = parts.first()?.likelihood.probit_noise()?;
    let spread = variance.sqrt() / s;
    few_points::rule(ANALYTIC_WITHIN / spread, 0.0, 0.0, 0).filter(|rule| rule.nodes.len() <= MOST_POINTS)?;
    let together = Together::new(parts, mean, s)?;
    let rule = together.rule(spread)?;
    Some(together.tilt(rule, mean, variance))
}

#[cfg(test)]
mod tests {
    use super::super::quadrature::tilt_together;
    use super::super::{LogDensity, Probit};
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;
    use std::cell::Cell;

    /// A likelihood that does not say what it is, so that it is integrated by its own densities.
    struct Plain(Box<dyn Likelihood>);

    impl Likelihood for Plain {
        fn log_density(&self, z: f64) -> LogDensity {
            self.0.log_density(z)
        }
    }

    /// What was drawn for one product.
    #[derive(Debug, Clone)]
    struct Case {
        mean: f64,
        log_spread: f64,
        log_noise: f64,
        tie: f64,
        counts: [u8; 3],
        is_plain: bool,
    }

    fn case() -> impl Strategy<Value = Case> {
        let counts = prop::array::uniform3(0_u8..5);
        let all = (-3.0..3.0_f64, -6.0..-2.5_f64, -1.0..1.0_f64, 0.05..2.0_f64, counts, any::<bool>());
        all.prop_map(|(mean, log_spread, log_noise, tie, counts, is_plain)| Case {
            mean,
            log_spread,
            log_noise,
            tie,
            counts,
            is_plain,
        })
    }

    /// Holds the moments of one product against quadrature of its parts' own densities; whether they were by series. Rounding of up to a hundred terms; the
    /// precision is a small difference of two averages.
    fn moments_are_those_of_densities(case: &Case) -> Result<bool, TestCaseError> {
        let Case { mean, tie, counts: [wins, ties, losses], is_plain, .. } = *case;
        let s = case.log_noise.exp();
        let win = || -> Box<dyn Likelihood> {
            if is_plain { Box::new(Probit::of(s)) } else { Box::new(Interval::new(tie, f64::INFINITY, s)) }
        };
        let all: [Box<dyn Likelihood>; 3] = [win(), Box::new(Interval::new(-tie, tie, s)), win()];
        let plain = all.map(Plain);
        let signs = [1.0, -1.0, -1.0];
        let counts = [wins + 1, ties, losses].map(f64::from);
        let (narrow, wide): (Vec<_>, Vec<_>) = (0..3)
            .map(|k| {
                let (sign, count) = (signs[k], counts[k]);
                (Part { likelihood: &*plain[k].0, sign, count }, Part { likelihood: &plain[k], sign, count })
            })
            .unzip();
        let variance = (s * case.log_spread.exp()).powi(2);
        let Some((found, slopes)) = tilt(&narrow, mean, variance) else { return Ok(false) };
        let (expected, expected_slopes) = tilt_together(&wide, mean, variance);
        let near = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-11 * (b.abs() + size);
        let off = mean.abs() / variance.sqrt();
        prop_assert!(near(found.log_z, expected.log_z, 1.0), "{found:?} {expected:?}");
        prop_assert!((found.tau - expected.tau).abs() * variance <= 1e-11, "{found:?} {expected:?}");
        let pull = (found.nu - expected.nu).abs() * variance.sqrt();
        prop_assert!(pull <= 1e-11 * (1.0 + off), "{found:?} {expected:?}");
        for (found, expected) in slopes.iter().zip(&expected_slopes) {
            let alike = found.iter().zip(expected).all(|(a, b)| near(*a, *b, 1.0));
            prop_assert!(alike, "{found:?} {expected:?}");
        }
        Ok(true)
    }

    #[test]
    fn moments_are_those_of_quadrature() {
        let (cases, by_series) = (Cell::new(0), Cell::new(0));
        let checked = TestRunner::default().run(&case(), |case| {
            cases.set(cases.get() + 1);
            by_series.set(by_series.get() + u32::from(moments_are_those_of_densities(&case)?));
            Ok(())
        });
        checked.unwrap();
        let (cases, by_series) = (cases.get(), by_series.get());
        assert!(2 * by_series >= cases, "only {by_series} of {cases} products are by series");
    }
}
