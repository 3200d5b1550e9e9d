//! Products of probits under beliefs that are much narrower than their noise: what is said of pairs among thousands, several pairs side by side.

use super::few_points;
use super::lanes::{Exponents, LANES, Lanes, each};
use super::probit_series::{ASIDE, POINTS, near};
use super::quadrature::{Part, site};
use super::{Interval, LOG_NOISE, Likelihood, NO_SLOPES, Slopes, Tilted};
use rather_numerics::simd::vectorised;
use rather_numerics::special::logarithm::ln;
use rather_numerics::special::normal::density_and_tail;

/// A probit between two thresholds, $\Phi\big((u-z)/s\big)-\Phi\big((l-z)/s\big)$.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Between {
    /// The standard deviation of the noise.
    pub s: f64,
    /// The thresholds $l<u$, which may be infinite.
    pub thresholds: [f64; 2],
    /// Whether the thresholds are parameters.
    pub has_slots: bool,
}

/// The kinds of answers about a pair in both directions (chosen, a tie, better, much better), and the thresholds between them.
pub(crate) const MOST_KINDS: usize = 8;
const MOST_THRESHOLDS: usize = 6;
/// The largest $(|\alpha|+h) h$ of a threshold at $\alpha$ and a point at $h$, in standard deviations of the noise.
const WITHIN: f64 = 1.0;
/// The least mass between two thresholds, as a share of what it is the difference of: it loses two digits.
const LEAST_SHARE: f64 = 0.01;
/// The least mass beyond a threshold.
const LEAST_MASS: f64 = 1e-200;
/// The distance of the nearest zero of a difference of two $\Phi$ from the real line ([`Interval`]).
pub(super) const ANALYTIC_WITHIN: f64 = 2.6;

/// A kind of answer in the orientation of the projection.
#[derive(Debug, Clone, Copy)]
struct Kind {
    sign: f64,
    /// Which thresholds are below and above; none if infinite.
    ends: [Option<usize>; 2],
    has_slots: bool,
}

/// The first derivative of the log of a probit between two thresholds and minus the second, in units of the noise, and the derivative in the logarithm of
/// that, from the densities at its ends in shares of the mass between them.
#[inline(always)]
fn derivatives([below, above]: [f64; 2], [lower, upper]: [f64; 2]) -> [f64; 3] {
    let slope = below - above;
    [slope, below * (slope - lower) - above * (slope - upper), below * lower - above * upper]
}

/// Several kinds of answers about a projection, all of them probits with the same noise.
#[derive(Debug)]
pub(crate) struct Kinds {
    s: f64,
    thresholds: Vec<f64>,
    kinds: Vec<Kind>,
}

/// Pairs that were asked about: what is believed of each without its answers, and how often it had which.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    number: usize,
    mean: Lanes,
    variance: Lanes,
    counts: [Lanes; MOST_KINDS],
}

impl Asked {
    pub(crate) fn none() -> Self {
        Self { number: 0, mean: [0.0; LANES], variance: [0.0; LANES], counts: [[0.0; LANES]; MOST_KINDS] }
    }

    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Takes the belief in another pair; what is counted next is about it. Its lane.
    pub(crate) fn push(&mut self, mean: f64, variance: f64) -> usize {
        let lane = self.number;
        // Lanes that are not used are like the first.
        let lanes = if lane == 0 { 0..LANES } else { lane..lane + 1 };
        self.mean[lanes.clone()].fill(mean);
        self.variance[lanes].fill(variance);
        self.number += 1;
        lane
    }

    /// The last pair had so many answers of a kind, besides those that were counted.
    pub(crate) fn count(&mut self, kind: usize, count: f64) {
        self.counts[kind][self.number - 1] += count;
    }
}

/// The moments of some pairs' products.
#[derive(Debug)]
pub(crate) struct Moments {
    asked: Asked,
    s: f64,
    /// Whether the series serve a pair.
    serves: [bool; LANES],
    log_z: Lanes,
    /// The derivative of `log_z` in the mean and minus the second one, in units of the noise.
    slope: Lanes,
    bend: Lanes,
    /// Of each kind the averages of the shares at its ends and of the derivative in the logarithm of the noise.
    averages: [[Lanes; 3]; MOST_KINDS],
}

impl Moments {
    /// The site of a pair; `None` if the series do not serve it.
    pub(crate) fn site(&self, lane: usize) -> Option<Tilted> {
        let (s, Asked { mean, variance, .. }) = (self.s, &self.asked);
        let site = || {
            site(
                self.log_z[lane],
                self.slope[lane] / s,
                self.bend[lane] / (s * s),
                mean[lane],
                variance[lane],
            )
        };
        self.serves[lane].then(site)
    }
}

impl Kinds {
    /// The likelihoods with the signs with which they are about a projection; `None` unless they are probits with one noise, and no more than are worked
    /// on.
    pub(crate) fn new<'a, L: Likelihood + ?Sized + 'a>(
        said: impl Iterator<Item = (&'a L, f64)>,
    ) -> Option<Self> {
        let mut out = Self { s: f64::NAN, thresholds: Vec::new(), kinds: Vec::new() };
        for (likelihood, sign) in said {
            let Between { s, thresholds, has_slots } = likelihood.between()?;
            if out.kinds.is_empty() {
                out.s = s;
            }
            let [lower, upper] = if sign < 0.0 { [-thresholds[1], -thresholds[0]] } else { thresholds };
            let ends = [lower, upper].map(|at| at.is_finite().then(|| out.place(at)));
            out.kinds.push(Kind { sign, ends, has_slots });
            if s != out.s || out.kinds.len() > MOST_KINDS || out.thresholds.len() > MOST_THRESHOLDS {
                return None;
            }
        }
        (!out.kinds.is_empty()).then_some(out)
    }

    /// Which threshold is there, a new one unless there is one.
    fn place(&mut self, at: f64) -> usize {
        self.thresholds.iter().position(|&t| t == at).unwrap_or_else(|| {
            self.thresholds.push(at);
            self.thresholds.len() - 1
        })
    }

    /// Whether a belief of this variance is so narrow that series may serve it.
    pub(crate) fn may_serve(&self, variance: f64) -> bool {
        variance > 0.0 && is_narrow(variance.sqrt() / self.s, 0.0, 0.0)
    }

    /// The moments of the products of the answers to `asked`.
    ///
    /// # Formula
    /// By Gauss and Hermite's rule of few points. With a threshold at $\alpha$ and a point at $h$ from the mean, both in standard deviations of the noise,
    /// $\Phi(\alpha)-\Phi(\alpha-h)=\phi(\alpha)\int_0^hE$ for $E(x)=e^{\alpha x-x^2/2}$, a power series that serves all points and kinds; the mass of an
    /// answer is $1+\lambda\int E_l-\upsilon\int E_u$ times that at the mean, for the shares $\lambda$ and $\upsilon$ of the densities at its thresholds there.
    pub(crate) fn moments(&self, asked: Asked) -> Moments {
        vectorised(
            #[inline(always)]
            || self.moments_of_lanes(asked),
        )
    }

    #[inline(always)]
    fn moments_of_lanes(&self, asked: Asked) -> Moments {
        let spread = each(|l| asked.variance[l].sqrt() / self.s);
        let said = Said::new(&self.kinds, &asked);
        let at = self.thresholds_from(&asked);
        let means = self.at_the_means(&said, &asked, &at);
        let serves = self.serve(&said, &asked, &at, &spread, &means);
        let rule = few_points::seven();
        let aside: [usize; ASIDE] = std::array::from_fn(|side| ASIDE + 1 + side);
        let h = aside.map(|node| each(|l| spread[l] * rule.nodes[node]));
        let mut nearby = [const { None }; MOST_THRESHOLDS];
        for (t, near_it) in nearby.iter_mut().enumerate().filter(|(t, _)| said.has(*t)) {
            *near_it = Some(near(&at[t], &h));
        }
        let mut exponents = [Exponents::default(); MOST_KINDS];
        said.kinds().for_each(|(k, _)| exponents[k] = Exponents::new(&asked.counts[k]));
        let mut sums = Sums::default();
        let mut of_kinds = [[[0.0; LANES]; 3]; MOST_KINDS];
        for point in 0..POINTS {
            let (from_mean, weight) = match point {
                0 => ([0.0; LANES], rule.weights[ASIDE]),
                right if right % 2 == 1 => (h[right / 2], rule.weights[aside[right / 2]]),
                left => (each(|l| -h[left / 2 - 1][l]), rule.weights[aside[left / 2 - 1]]),
            };
            let (mut weights, mut slopes, mut bends) = ([weight; LANES], [0.0; LANES], [0.0; LANES]);
            for (k, kind) in said.kinds() {
                let counts = &asked.counts[k];
                let (mut mass, mut ends, mut away) = ([1.0; LANES], [[0.0; LANES]; 2], [[0.0; LANES]; 2]);
                for end in 0..2 {
                    let Some((t, near)) = kind.ends[end].and_then(|t| Some((t, nearby[t].as_ref()?))) else {
                        continue;
                    };
                    let sign = if end == 0 { 1.0 } else { -1.0 };
                    let [density, integral]: &[Lanes; 2] = &near[point];
                    for l in 0..LANES {
                        mass[l] += sign * means.shares[k][end][l] * integral[l];
                        ends[end][l] = means.shares[k][end][l] * density[l];
                        away[end][l] = at[t][l] - from_mean[l];
                    }
                }
                let [below, above, in_noise] = &mut of_kinds[k];
                for l in 0..LANES {
                    let inverse = 1.0 / mass[l];
                    (below[l], above[l]) = (ends[0][l] * inverse, ends[1][l] * inverse);
                    let [d, dd, in_log] = derivatives([below[l], above[l]], [away[0][l], away[1][l]]);
                    slopes[l] += counts[l] * d;
                    bends[l] += counts[l] * dd;
                    in_noise[l] = in_log;
                }
                let powers = exponents[k].power(&mass);
                for l in 0..LANES {
                    weights[l] *= powers[l];
                }
            }
            sums.add(&weights, &slopes, &bends, &of_kinds, &said);
        }
        sums.moments(asked, self.s, (serves, &means.masses), &said)
    }

    /// The slopes of the log of the products of the answers to `asked` and minus their curvatures, at the means.
    pub(crate) fn heights(&self, asked: &Asked) -> Heights {
        vectorised(
            #[inline(always)]
            || {
                let said = Said::new(&self.kinds, asked);
                let AtMeans { precise, slope, bend, .. } =
                    self.at_the_means(&said, asked, &self.thresholds_from(asked));
                Heights { s: self.s, precise, slope, bend }
            },
        )
    }

    /// How far the thresholds are from the means, in standard deviations of the noise.
    #[inline(always)]
    fn thresholds_from(&self, asked: &Asked) -> [Lanes; MOST_THRESHOLDS] {
        let mut at = [[0.0; LANES]; MOST_THRESHOLDS];
        for (at, threshold) in at.iter_mut().zip(&self.thresholds) {
            *at = each(|l| (threshold - asked.mean[l]) / self.s);
        }
        at
    }

    /// What is at the means.
    #[inline(always)]
    fn at_the_means(&self, said: &Said<'_>, asked: &Asked, at: &[Lanes; MOST_THRESHOLDS]) -> AtMeans {
        let mut densities = [[0.0; LANES]; MOST_THRESHOLDS];
        let mut tails = [[0.0; LANES]; MOST_THRESHOLDS];
        for t in (0..self.thresholds.len()).filter(|&t| said.has(t)) {
            for l in 0..LANES {
                (densities[t][l], tails[t][l]) = density_and_tail(at[t][l].abs());
            }
        }
        let mut means = AtMeans {
            shares: [[[0.0; LANES]; 2]; MOST_KINDS],
            masses: [[1.0; LANES]; MOST_KINDS],
            slope: [0.0; LANES],
            bend: [0.0; LANES],
            precise: [true; LANES],
        };
        for (k, kind) in said.kinds() {
            let [lower, upper] = kind.ends.map(|end| end.map(|t| (&at[t], &tails[t])));
            let (masses, least) = between(lower, upper);
            let nowhere = [0.0; LANES];
            let [below, above] = kind.ends.map(|end| end.map_or(&nowhere, |t| &densities[t]));
            let [below_at, above_at] = kind.ends.map(|end| end.map_or(&nowhere, |t| &at[t]));
            let counts = &asked.counts[k];
            let said = each(|l| if counts[l] > 0.0 { 1.0 } else { 0.0 });
            for l in 0..LANES {
                means.precise[l] &= (said[l] == 0.0) | (masses[l] > least[l]);
            }
            let masses = each(|l| if said[l] > 0.0 { masses[l] } else { 1.0 });
            let shares = [below, above].map(|densities| each(|l| said[l] * densities[l] / masses[l]));
            for l in 0..LANES {
                let [d, dd, _] = derivatives([shares[0][l], shares[1][l]], [below_at[l], above_at[l]]);
                means.slope[l] += counts[l] * d;
                means.bend[l] += counts[l] * dd;
            }
            (means.masses[k], means.shares[k]) = (masses, shares);
        }
        means
    }

    /// Whether the series serve the pairs.
    #[inline(always)]
    fn serve(
        &self,
        said: &Said<'_>,
        asked: &Asked,
        at: &[Lanes; MOST_THRESHOLDS],
        spread: &Lanes,
        means: &AtMeans,
    ) -> [bool; LANES] {
        let AtMeans { slope, bend, mut precise, .. } = *means;
        let furthest = few_points::seven().nodes[POINTS - 1];
        for (k, kind) in said.kinds() {
            for at in kind.ends.iter().flatten().map(|&t| &at[t]) {
                for l in 0..LANES {
                    let furthest = spread[l] * furthest;
                    let converges = (at[l].abs() + furthest) * furthest <= WITHIN;
                    precise[l] &= (asked.counts[k][l] == 0.0) | converges;
                }
            }
        }
        for l in 0..LANES {
            precise[l] &= is_narrow(spread[l], slope[l], bend[l]);
        }
        precise
    }

    /// The derivatives of a pair's `log_z` in the slots of the likelihood of a kind, of one answer.
    pub(crate) fn slopes(&self, kind: usize, lane: usize, moments: &Moments) -> Slopes {
        let Kind { sign, has_slots, .. } = self.kinds[kind];
        let [below, above, in_noise] = moments.averages[kind].each_ref().map(|of| of[lane]);
        let mut d = NO_SLOPES;
        d[LOG_NOISE] = in_noise;
        if has_slots {
            let [lower, upper] = if sign > 0.0 { [below, above] } else { [above, below] };
            (d[Interval::LOWER], d[Interval::UPPER]) = (-lower / self.s, upper / self.s);
        }
        d
    }
}

/// What is at the means.
struct AtMeans {
    /// Of each kind the densities at its ends in shares of the mass between them,
    shares: [[Lanes; 2]; MOST_KINDS],
    /// and that; 1 where nothing was said.
    masses: [Lanes; MOST_KINDS],
    /// The derivative of the log of the product and minus the second one, in units of the noise.
    slope: Lanes,
    bend: Lanes,
    /// Whether all masses of a pair have most of their digits.
    precise: [bool; LANES],
}

/// The slopes of some pairs' products at points.
#[derive(Debug)]
pub(crate) struct Heights {
    s: f64,
    precise: [bool; LANES],
    slope: Lanes,
    bend: Lanes,
}

impl Heights {
    /// The slope of the log of a pair's product and minus its curvature; `None` if they would have few digits.
    pub(crate) fn of(&self, lane: usize) -> Option<(f64, f64)> {
        let s = self.s;
        self.precise[lane].then(|| (self.slope[lane] / s, self.bend[lane] / (s * s)))
    }
}

/// Sums over points of the rule, by the product's mass there.
#[derive(Default)]
struct Sums {
    mass: Lanes,
    slope: Lanes,
    square: Lanes,
    bend: Lanes,
    of_kinds: [[Lanes; 3]; MOST_KINDS],
}

impl Sums {
    #[inline(always)]
    fn add(
        &mut self,
        weights: &Lanes,
        slopes: &Lanes,
        bends: &Lanes,
        of_kinds: &[[Lanes; 3]; MOST_KINDS],
        said: &Said<'_>,
    ) {
        for l in 0..LANES {
            self.mass[l] += weights[l];
            self.slope[l] += weights[l] * slopes[l];
            self.square[l] += weights[l] * slopes[l] * slopes[l];
            self.bend[l] += weights[l] * bends[l];
        }
        for (k, _) in said.kinds() {
            for (sum, x) in self.of_kinds[k].iter_mut().zip(&of_kinds[k]) {
                for l in 0..LANES {
                    sum[l] += weights[l] * x[l];
                }
            }
        }
    }

    #[inline(always)]
    fn moments(
        self,
        asked: Asked,
        s: f64,
        (mut serves, at_means): ([bool; LANES], &[Lanes; MOST_KINDS]),
        said: &Said<'_>,
    ) -> Moments {
        let Self { mass, square, mut slope, mut bend, of_kinds: mut averages } = self;
        let mut log_z = each(|l| ln(mass[l]));
        for (k, _) in said.kinds() {
            for l in 0..LANES {
                log_z[l] += asked.counts[k][l] * ln(at_means[k][l]);
            }
        }
        for l in 0..LANES {
            slope[l] /= mass[l];
            bend[l] = bend[l] / mass[l] - (square[l] / mass[l] - slope[l] * slope[l]);
            serves[l] &= mass[l] > 0.0;
        }
        for (k, _) in said.kinds() {
            for sum in &mut averages[k] {
                for l in 0..LANES {
                    sum[l] /= mass[l];
                }
            }
        }
        Moments { asked, s, serves, log_z, slope, bend, averages }
    }
}

/// Whether the rule is for a belief of this standard deviation and a product of these derivatives of its log, in standard deviations of the noise.
fn is_narrow(spread: f64, slope: f64, bend: f64) -> bool {
    few_points::seven_serve(ANALYTIC_WITHIN / spread, slope.abs() * spread, bend.abs() * spread * spread)
}

/// The masses between two thresholds, of which the tails beyond them are known, and the least that they may be to be as precise.
#[inline(always)]
fn between(lower: Option<(&Lanes, &Lanes)>, upper: Option<(&Lanes, &Lanes)>) -> (Lanes, Lanes) {
    let beyond = |a: f64, tail: f64| if a > 0.0 { tail } else { 1.0 - tail };
    match (lower, upper) {
        (None, None) => ([1.0; LANES], [0.0; LANES]),
        (Some((a, tail)), None) => (each(|l| beyond(a[l], tail[l])), [LEAST_MASS; LANES]),
        (None, Some((b, tail))) => (each(|l| beyond(-b[l], tail[l])), [LEAST_MASS; LANES]),
        (Some((a, before)), Some((b, after))) => {
            // Both on one side of the mean, or one on either.
            let (right, left) = (|l: usize| a[l] > 0.0, |l: usize| b[l] < 0.0);
            let mass = each(|l| match (right(l), left(l)) {
                (true, _) => before[l] - after[l],
                (false, true) => after[l] - before[l],
                (false, false) => 1.0 - before[l] - after[l],
            });
            let least = each(|l| match (right(l), left(l)) {
                (true, _) => LEAST_SHARE * before[l],
                (false, true) => LEAST_SHARE * after[l],
                (false, false) => LEAST_SHARE,
            });
            (mass, least)
        }
    }
}

/// The kinds of answers that some pair of several had.
struct Said<'a> {
    kinds: &'a [Kind],
    which: ([usize; MOST_KINDS], usize),
}

impl<'a> Said<'a> {
    #[inline(always)]
    fn new(kinds: &'a [Kind], asked: &Asked) -> Self {
        let (mut which, mut number) = ([0; MOST_KINDS], 0);
        let is_said = |k: &usize| asked.counts[*k].iter().any(|count| *count > 0.0);
        for k in (0..kinds.len()).filter(is_said) {
            which[number] = k;
            number += 1;
        }
        Self { kinds, which: (which, number) }
    }

    #[inline(always)]
    fn kinds(&self) -> impl Iterator<Item = (usize, &'a Kind)> {
        let kinds = self.kinds;
        self.which.0[..self.which.1].iter().map(move |&k| (k, &kinds[k]))
    }

    /// Whether one of them has this threshold.
    #[inline(always)]
    fn has(&self, threshold: usize) -> bool {
        self.kinds().any(|(_, kind)| kind.ends.contains(&Some(threshold)))
    }
}

/// [`tilt_together`](super::quadrature::tilt_together) of parts that are all probits with the same noise, if the belief is narrow beside that; else `None`.
pub(super) fn tilt<L: Likelihood + ?Sized>(
    parts: &[Part<'_, L>],
    mean: f64,
    variance: f64,
) -> Option<(Tilted, Vec<Slopes>)> {
    let kinds = Kinds::new(parts.iter().map(|part| (part.likelihood, part.sign)))?;
    if !kinds.may_serve(variance) {
        return None;
    }
    let mut asked = Asked::none();
    asked.push(mean, variance);
    parts.iter().enumerate().for_each(|(kind, part)| asked.count(kind, part.count));
    let moments = kinds.moments(asked);
    let site = moments.site(0)?;
    Some((site, (0..parts.len()).map(|kind| kinds.slopes(kind, 0, &moments)).collect()))
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
            .filter(|&k| counts[k] > 0.0)
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

    proptest! {
        /// Whatever its neighbours are: the pair with the longest series decides how long it is for all.
        #[test]
        fn a_pair_among_others_is_as_alone(
            tie in 0.05..2.0_f64,
            all in prop::collection::vec((-3.0..3.0_f64, -6.0..-3.0_f64, prop::array::uniform3(0_u8..5)), 2..LANES),
        ) {
            let said = [Interval::new(tie, f64::INFINITY, 1.0), Interval::new(-tie, tie, 1.0), Interval::new(tie, f64::INFINITY, 1.0)];
            let kinds = Kinds::new(said.iter().zip([1.0, 1.0, -1.0])).unwrap();
            let ask = |asked: &mut Asked, &(mean, log_spread, counts): &(f64, f64, [u8; 3])| {
                asked.push(mean, (2.0 * log_spread).exp());
                (0..3).for_each(|kind| asked.count(kind, f64::from(counts[kind])));
            };
            let mut asked = Asked::none();
            all.iter().for_each(|pair| ask(&mut asked, pair));
            let together = kinds.moments(asked);
            for (lane, pair) in all.iter().enumerate() {
                let mut asked = Asked::none();
                ask(&mut asked, pair);
                let alone = kinds.moments(asked);
                let (found, expected) = (together.site(lane), alone.site(0));
                prop_assert_eq!(found.is_some(), expected.is_some());
                let (Some(found), Some(expected)) = (found, expected) else { continue };
                let variance = (2.0 * pair.1).exp();
                prop_assert!((found.log_z - expected.log_z).abs() <= 1e-12, "{found:?} {expected:?}");
                prop_assert!((found.tau - expected.tau).abs() * variance <= 1e-12, "{found:?} {expected:?}");
                for kind in 0..3 {
                    let slopes = kinds.slopes(kind, lane, &together).into_iter().zip(kinds.slopes(kind, 0, &alone));
                    prop_assert!(pair.2[kind] == 0 || slopes.into_iter().all(|(a, b)| (a - b).abs() <= 1e-11 * (1.0 + b.abs())));
                }
            }
        }
    }
}
