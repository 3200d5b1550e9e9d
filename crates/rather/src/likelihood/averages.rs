//! Averages of the probabilities of answers over a Gaussian belief, for many beliefs one after the other.

use std::f64::consts::LN_2;
use std::sync::OnceLock;

use super::answer_model::{Average, Averages, Source};
use rather_numerics::linalg::dot;
use rather_numerics::special::hermite::GaussHermite;
use rather_numerics::special::normal::{cdf, pdf};

/// Steps of the grid within the distance over which a likelihood bends: the trapezoidal rule then errs by less than 1e-12 for functions
/// that are analytic half that distance away from the real line.
const FINENESS: f64 = 6.0;
/// The least standard deviation of a belief that the grid is fine enough for, in steps: a narrower normal density is not
/// integrated by the trapezoidal rule to $e^{-2\pi^2 1.25^2}=4\cdot10^{-14}$.
const NARROWEST: f64 = 1.25;
/// The standard deviation of a belief, in distances over which a likelihood bends, up to which ten points of Gauss and Hermite's rule are as good as
/// more: the nearest singularity of a likelihood or its logarithm is then 15 standard deviations away, and $10! 15^{-20}=10^{-17}$.
const NARROW: f64 = 0.05;
/// Standard deviations of the belief beyond which nothing is left of it.
const REACH: f64 = 9.0;
/// Where tails have arrived: so many of these distances beyond the last bend, and within so little of their limits before.
const FAR: f64 = 60.0;
const ARRIVED: f64 = 1e-12;
/// The most steps between the first bend and the last: with thresholds further apart than ten thousand times the noise the grid is coarser.
const MOST: f64 = 60_000.0;

/// The probabilities of the answers, their entropy and the sum of their squares on a grid, as what is left of them beside a smooth step
/// from their limit on the left to that on the right.
pub(super) struct Table {
    start: f64,
    step: f64,
    /// One row a function, one column a node.
    rest: Vec<Vec<f64>>,
    low: Vec<f64>,
    high: Vec<f64>,
    /// Where the smooth step is, and how wide.
    centre: f64,
    width: f64,
}

/// The functions that are averaged, at one place: their values and derivatives.
fn functions(source: &Source, z: f64) -> Vec<[f64; 4]> {
    let mut out = source.at(z);
    let (mut entropy, mut squares) = ([0.0; 4], [0.0; 4]);
    for &[p, first, second, _] in &out {
        if p > 0.0 {
            let log = p.ln();
            // The derivatives of all p add up to 0, so that a constant beside the logarithm does not count.
            entropy[0] -= p * log / LN_2;
            entropy[1] -= first * log / LN_2;
            entropy[2] -= (second * log + first * first / p) / LN_2;
        }
        squares[0] += p * p;
        squares[1] += 2.0 * p * first;
        squares[2] += 2.0 * (p * second + first * first);
    }
    out.extend([entropy, squares]);
    out
}

impl Table {
    pub(super) fn new(source: &Source) -> Self {
        let (first, last, width) = source.bends();
        let values = |z: f64| functions(source, z).into_iter().map(|f| f[0]).collect::<Vec<f64>>();
        let (low, high) = (values(first - FAR * width), values(last + FAR * width));
        let centre = 0.5 * (first + last);
        let mut table = Self { start: centre, step: 0.0, rest: Vec::new(), low, high, centre, width };
        table.step = (width / FINENESS).max((last - first) / MOST);
        let rest = |z: f64| {
            let moved =
                values(z).into_iter().enumerate().map(|(f, value)| value - table.smooth(f, z, 0.0)[0]);
            moved.collect::<Vec<f64>>()
        };
        // Outwards from the middle until both tails have arrived.
        let far = |k: usize| {
            let (below, above) = (centre - k as f64 * table.step, centre + k as f64 * table.step);
            let beyond = above > last + width;
            let (below, above) = (rest(below), rest(above));
            let arrived = below.iter().chain(&above).all(|r| r.abs() < ARRIVED);
            (below, above, beyond && arrived)
        };
        let most = ((0.5 * (last - first) + FAR * width) / table.step).ceil() as usize;
        let (mut left, mut right): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for k in 1..=most {
            let (below, above, arrived) = far(k);
            left.push(below);
            right.push(above);
            if arrived {
                break;
            }
        }
        let start = centre - left.len() as f64 * table.step;
        let nodes: Vec<Vec<f64>> = left.into_iter().rev().chain([rest(centre)]).chain(right).collect();
        let rest = (0..table.low.len()).map(|f| nodes.iter().map(|node| node[f]).collect()).collect();
        Self { start, rest, ..table }
    }

    /// The smooth step of function `f` averaged over a normal distribution, with its derivatives in the mean; the last times the variance.
    fn smooth(&self, f: usize, mean: f64, variance: f64) -> [f64; 5] {
        let height = self.high[f] - self.low[f];
        let scale = (self.width * self.width + variance).sqrt();
        let u = (mean - self.centre) / scale;
        let density = height * pdf(u) / scale;
        [
            self.low[f] + height * cdf(u),
            density,
            -density * u / scale,
            density * (u * u - 1.0) / (scale * scale),
            -density * (u * u - 3.0) * u * variance / scale.powi(3),
        ]
    }

    /// The averages, with the first two derivatives in the mean, or with the first four if `all`.
    pub(super) fn averages(&self, source: &Source, mean: f64, variance: f64, all: bool) -> Averages {
        let sd = variance.sqrt();
        let mut found = if sd >= NARROWEST * self.step {
            self.on_grid(mean, sd, all)
        } else {
            self.near(source, mean, sd)
        };
        let squares = found.pop().unwrap_or_default();
        let entropy = found.pop().unwrap_or_default();
        Averages { answers: found, entropy, squares }
    }

    /// By the trapezoidal rule.
    fn on_grid(&self, mean: f64, sd: f64, all: bool) -> Vec<Average> {
        let nodes = self.rest[0].len();
        let place = |z: f64| ((z - self.start) / self.step).clamp(0.0, nodes as f64);
        let (from, to) = (place(mean - REACH * sd).ceil() as usize, place(mean + REACH * sd).ceil() as usize);
        let first = (self.start + from as f64 * self.step - mean) / sd;
        let apart = self.step / sd;
        let weights = normal_weights(first, apart, to.saturating_sub(from));
        // Times Hermite's polynomials.
        let times = |hermite: fn(f64) -> f64| -> Vec<f64> {
            weights.iter().enumerate().map(|(k, w)| w * hermite(first + k as f64 * apart)).collect()
        };
        let higher: [fn(f64) -> f64; 2] = [|t| t * (t * t - 3.0), |t| t * t * (t * t - 6.0) + 3.0];
        let higher = if all { higher.map(times) } else { [Vec::new(), Vec::new()] };
        let [one, two] = [times(|t| t), times(|t| t * t - 1.0)];
        let (by, by2) = (1.0 / sd, 1.0 / (sd * sd));
        let average = |(f, rest): (usize, &Vec<f64>)| {
            let smooth = self.smooth(f, mean, sd * sd);
            let rest = &rest[from.min(to)..to];
            let further = |by: &[f64]| if all { dot(by, rest) } else { 0.0 };
            Average {
                value: smooth[0] + dot(&weights, rest),
                d_mean: smooth[1] + by * dot(&one, rest),
                d_variance: 0.5 * (smooth[2] + by2 * dot(&two, rest)),
                third: smooth[3] + by * by2 * further(&higher[0]),
                fourth: smooth[4] + by2 * further(&higher[1]),
            }
        };
        self.rest.iter().enumerate().map(average).collect()
    }

    /// By Gauss-Hermite quadrature, for a belief within which nothing bends much.
    fn near(&self, source: &Source, mean: f64, sd: f64) -> Vec<Average> {
        let mut sums: Vec<Average> = Vec::new();
        let mut add = |x: f64, weight: f64| {
            let here = functions(source, mean + sd * x);
            sums.resize(here.len(), Average::default());
            for (sum, [value, first, second, third]) in sums.iter_mut().zip(here) {
                sum.value += weight * value;
                sum.d_mean += weight * first;
                sum.d_variance += 0.5 * weight * second;
                sum.third += weight * third;
                sum.fourth += weight * third * x * sd;
            }
        };
        if sd == 0.0 {
            add(0.0, 1.0);
        } else {
            static TEN: OnceLock<GaussHermite> = OnceLock::new();
            let is_narrow = sd <= NARROW * self.width;
            let rule =
                if is_narrow { TEN.get_or_init(|| GaussHermite::new(10)) } else { GaussHermite::standard() };
            rule.iter().for_each(|(x, weight)| add(x, weight));
        }
        sums
    }
}

/// The standard normal density at `n` places that are `apart`, times that distance, by its ratios from one to the next.
fn normal_weights(first: f64, apart: f64, n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    // Downhill on either side of the place nearest to the middle, where nothing overflows and errors stay small.
    let top = ((-first / apart).round().max(0.0) as usize).min(n.saturating_sub(1));
    let at = first + top as f64 * apart;
    let (height, bend) = (apart * pdf(at), (-apart * apart).exp());
    let ratio = |towards: f64| (-towards * at * apart - 0.5 * apart * apart).exp();
    let mut go = |places: &mut dyn Iterator<Item = usize>, mut ratio: f64| {
        let mut weight = height;
        for k in places {
            out[k] = weight;
            weight *= ratio;
            ratio *= bend;
        }
    };
    go(&mut (top..n), ratio(1.0));
    go(&mut (0..=top.min(n.saturating_sub(1))).rev().take(n), ratio(-1.0));
    out
}
