//! Probabilities of answers about sets of items with Gumbel noise, whose utilities are Gaussian: averages over quasi-random points.

use std::sync::OnceLock;

use crate::inference::set_factor::Differences;
use crate::likelihood::choice_set::PartialOrder;
use crate::likelihood::gumbel_set::{GumbelSet, Stage};
use rather_numerics::linalg::{
    Matrix, TriangularFeatures, axpy, cholesky, dot, solve_lower_transposed_vec, solve_lower_vec,
    symmetric_eigen,
};
use rather_numerics::sobol::{Scrambling, Sobol};
use rather_numerics::special::normal;

/// Points of an average. Where beliefs are as wide as the noise, the probability that an item is the best of four is off by some 0.0001, of twelve by 0.0003.
const POINTS: usize = 1 << 11;
/// Largest number of Newton's steps to the mode, and the size of a step that is the last.
const STEPS: usize = 50;
const NEAR: f64 = 1e-6;
/// Precisions of points around a mode are below twice those of the belief, so that weights have a variance.
const NARROWEST: f64 = 1.8;

/// Gaussian utilities as a mean and features of independent normal numbers.
struct Utilities {
    mean: Vec<f64>,
    /// One column an option.
    features: Matrix,
}

impl Utilities {
    /// Relative to the mean of all options, so that which one comes last does not matter. `None` if a covariance is no number.
    fn new(moments: &Differences) -> Option<Self> {
        let n = moments.mean.len();
        let average = |x: &[f64]| x.iter().sum::<f64>() / n as f64;
        let of_columns: Vec<f64> = (0..n).map(|j| average(moments.covariance.col(j))).collect();
        let (shift, all) = (average(&moments.mean), average(&of_columns));
        let mut centred =
            Matrix::from_fn(n, n, |i, j| moments.covariance[(i, j)] - of_columns[i] - of_columns[j] + all);
        // Rounding may leave less than nothing of a variance.
        (0..n).for_each(|i| centred[(i, i)] = centred[(i, i)].max(0.0));
        let features = TriangularFeatures::new(centred)?.in_order();
        Some(Self { mean: moments.mean.iter().map(|m| m - shift).collect(), features })
    }

    /// The utilities where the normal numbers are `w`.
    fn at(&self, w: &[f64]) -> Vec<f64> {
        self.mean.iter().enumerate().map(|(i, m)| m + dot(self.features.col(i), w)).collect()
    }

    fn rank(&self) -> usize {
        self.features.rows()
    }
}

/// Normal numbers, one point a column: scrambled Sobol points.
fn normals() -> &'static Matrix {
    static NORMALS: OnceLock<Matrix> = OnceLock::new();
    NORMALS.get_or_init(|| {
        let mut out = Matrix::zeros(PartialOrder::MOST, POINTS);
        let scrambling = Scrambling::new(0, POINTS.ilog2());
        let mut sequence = Sobol::new(PartialOrder::MOST);
        for k in 0..POINTS {
            let Some(point) = sequence.as_mut().map(Sobol::next_point) else { break };
            let normal = |(d, &x): (usize, &u32)| normal::quantile(scrambling.apply(d, x));
            out.col_mut(k).copy_from_slice(&point.iter().enumerate().map(normal).collect::<Vec<_>>());
        }
        out
    })
}

/// The logarithms of the probabilities of all answers of a form, each of which puts the items into the order of some `places`. At every point they sum to one.
pub(super) fn log_probabilities(set: &GumbelSet, moments: &Differences, all: &[Vec<usize>]) -> Vec<f64> {
    let Some(utilities) = Utilities::new(moments) else { return vec![f64::NAN; all.len()] };
    let named = |places: &Vec<usize>| -> Vec<(Stage, usize)> {
        set.order().stages().map(|(stage, chosen)| (stage.arranged(places), places[chosen])).collect()
    };
    let answers: Vec<Vec<(Stage, usize)>> = all.iter().map(named).collect();
    let mut stages: Vec<Stage> = answers.iter().flatten().map(|(stage, _)| *stage).collect();
    stages.sort_unstable();
    stages.dedup();
    // The places of the choices of each answer in a table of all choices.
    let n = utilities.mean.len();
    let place = |(stage, chosen): &(Stage, usize)| stages.partition_point(|s| s < stage) * n + chosen;
    let answers: Vec<Vec<usize>> = answers.iter().map(|answer| answer.iter().map(place).collect()).collect();
    let (mut chances, mut sums) = (vec![0.0; stages.len() * n], vec![0.0; all.len()]);
    for k in 0..POINTS {
        let mut x = utilities.at(&normals().col(k)[..utilities.rank()]);
        x.iter_mut().for_each(|x| *x /= set.scale());
        stages.iter().zip(chances.chunks_exact_mut(n)).for_each(|(stage, to)| stage.chances(&x, to));
        for (sum, answer) in sums.iter_mut().zip(&answers) {
            *sum += answer.iter().map(|&at| chances[at]).product::<f64>();
        }
    }
    sums.iter().map(|sum| (sum / POINTS as f64).ln()).collect()
}

/// The logarithm of the probability of one answer, by points around where it and the belief agree most.
///
/// # Formula
/// With utilities $f=m+F'w$, $w\sim\mathcal N(0,I)$, the mode $\hat w$ of $\log p(f)-w'w/2$ and minus the Hessian $H$ there: the mean of
/// $p(f) \mathcal N(w;0,I)/\mathcal N(w;\hat w,P^{-1})$ over the second Gaussian, where $P$ has the eigenvectors of $H$ and its eigenvalues, but at most 1.8.
pub(super) fn log_probability(set: &GumbelSet, moments: &Differences) -> f64 {
    let Some(utilities) = Utilities::new(moments) else { return f64::NAN };
    if utilities.rank() == 0 {
        return set.log_probability(&utilities.mean);
    }
    let (mode, curvature) = mode(set, &utilities);
    let Some((precisions, axes)) = symmetric_eigen(&curvature) else { return f64::NAN };
    let precisions: Vec<f64> = precisions.into_iter().map(|p| p.min(NARROWEST)).collect();
    let log_width = -0.5 * precisions.iter().map(|p| p.ln()).sum::<f64>();
    let one = |k: usize| {
        let e = &normals().col(k)[..utilities.rank()];
        let mut w = mode.clone();
        for (a, (e, p)) in e.iter().zip(&precisions).enumerate() {
            axpy(e / p.sqrt(), axes.col(a), &mut w);
        }
        set.log_probability(&utilities.at(&w)) + 0.5 * (dot(e, e) - dot(&w, &w)) + log_width
    };
    let logs: Vec<f64> = (0..POINTS).map(one).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + (logs.iter().map(|log| (log - most).exp()).sum::<f64>() / POINTS as f64).ln()
}

/// The mode of the probability of an answer times the density of `w`, and minus the Hessian of its logarithm there.
fn mode(set: &GumbelSet, utilities: &Utilities) -> (Vec<f64>, Matrix) {
    let rank = utilities.rank();
    let objective = |w: &[f64]| set.log_probability(&utilities.at(w)) - 0.5 * dot(w, w);
    let mut w = vec![0.0; rank];
    for _ in 0..STEPS {
        let (mut step, mut factor) = slope_and_curvature(set, utilities, &w);
        if !cholesky(&mut factor) {
            break;
        }
        solve_lower_vec(&factor, &mut step);
        solve_lower_transposed_vec(&factor, &mut step);
        let before = objective(&w);
        let shorter = (0..STEPS).map(|k| 0.5_f64.powi(k as i32)).find_map(|share| {
            let mut there = w.clone();
            axpy(share, &step, &mut there);
            (objective(&there) > before).then_some(there)
        });
        // What no step raises is the mode.
        let Some(next) = shorter else { break };
        w = next;
        if dot(&step, &step).sqrt() <= NEAR {
            break;
        }
    }
    let (_, curvature) = slope_and_curvature(set, utilities, &w);
    (w, curvature)
}

/// The slope in `w` of the logarithm of the probability of an answer times the density of `w`, and minus its Hessian.
fn slope_and_curvature(set: &GumbelSet, utilities: &Utilities, w: &[f64]) -> (Vec<f64>, Matrix) {
    let rank = utilities.rank();
    let mut slope: Vec<f64> = w.iter().map(|w| -w).collect();
    let mut curvature = Matrix::zeros(rank, rank);
    curvature.add_diagonal(1.0);
    let densities = set.log_densities(&utilities.at(w));
    for ((a, b), density) in set.order().each_pair().zip(densities) {
        let (plus, minus) = (utilities.features.col(a), utilities.features.col(b));
        let along: Vec<f64> = plus.iter().zip(minus).map(|(p, m)| p - m).collect();
        axpy(density.first, &along, &mut slope);
        for (j, &x) in along.iter().enumerate() {
            axpy(density.precision * x, &along, curvature.col_mut(j));
        }
    }
    (slope, curvature)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items in their order, of which the belief says something else, as wide as the noise.
    fn moments(n: usize) -> Differences {
        let mean = (0..n).map(|i| (i as f64 * 2.3).cos()).collect();
        let covariance = Matrix::from_fn(n, n, |i, j| if i == j { 1.5 } else { 0.3 });
        Differences { mean, covariance }
    }

    /// Two ways to the same average; the places of items do not matter.
    #[test]
    fn one_of_all_answers_is_that_answer_alone() {
        for (n, top, bottom) in [(4, 3, 0), (5, 4, 0), (5, 1, 1), (6, 0, 2)] {
            let set = GumbelSet::new(PartialOrder::new(n, top, bottom).unwrap(), 1.0);
            let own: Vec<usize> = (0..n).collect();
            let turned: Vec<usize> = (0..n).rev().collect();
            let all = log_probabilities(&set, &moments(n), &[own, turned.clone()]);
            let alone = log_probability(&set, &moments(n));
            // The error of the points without a mode, of a small probability.
            assert!((all[0] - alone).abs() < 0.02, "{n} {top} {bottom}: {} {alone}", all[0]);
            let same = log_probability(&set, &moments(n).arranged(&turned));
            assert!((all[1] - same).abs() < 0.02, "{n} {top} {bottom}: {} {same}", all[1]);
        }
    }

    #[test]
    fn where_utilities_are_known_it_is_the_probability_there() {
        for n in [3, 12] {
            let set = GumbelSet::new(PartialOrder::new(n, n - 1, 0).unwrap(), 1.0);
            let known = Differences { covariance: Matrix::zeros(n, n), ..moments(n) };
            let own: Vec<usize> = (0..n).collect();
            let expected = set.log_probability(&known.mean);
            for found in [log_probability(&set, &known), log_probabilities(&set, &known, &[own])[0]] {
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
}
