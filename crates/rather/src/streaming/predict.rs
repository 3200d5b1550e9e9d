//! What a streaming model says about any items.

use super::model::StreamingModel;
use crate::likelihood::{Lapse, Likelihood, Probit};
use crate::points::Points;
use crate::posterior::Moments;
use rather_numerics::linalg::{Matrix, dot, product, squared_distance, transpose_product};

/// Items as the basis sees them.
struct Seen {
    /// `phi`, one item a column.
    features: Matrix,
    /// `Sigma phi`.
    spread: Matrix,
    mean: Vec<f64>,
}

impl StreamingModel {
    fn see(&self, points: &Points) -> Seen {
        let features = self.basis.features(points);
        let spread = product(&self.belief.covariance, &features);
        let mean = features.transpose_times(&self.belief.mean);
        Seen { features, spread, mean }
    }

    /// Means and variances of the utilities of `points`. The prior mean is 0 and the level is hardly known: only differences say
    /// something.
    ///
    /// # Panics
    /// Here and in the others: if the points lack a feature of the basis' points.
    pub fn utilities(&self, points: &Points) -> Moments {
        let seen = self.see(points);
        let own = self.kernel().diagonal(points);
        let variance = (0..points.len()).map(|i| {
            let phi = seen.features.col(i);
            (own[i] - dot(phi, phi)).max(0.0) + dot(phi, seen.spread.col(i)).max(0.0)
        });
        Moments { variance: variance.collect(), mean: seen.mean }
    }

    /// The share of the prior variance of `points` that the basis leaves open, on average: how much of the utility no answer
    /// can reach.
    pub fn open(&self, points: &Points) -> f64 {
        let (features, own) = (self.basis.features(points), self.kernel().diagonal(points));
        let all: f64 = own.iter().sum();
        let taken: f64 = (0..points.len()).map(|i| dot(features.col(i), features.col(i)).min(own[i])).sum();
        if all > 0.0 { 1.0 - taken / all } else { 0.0 }
    }

    /// The joint covariance of the utilities of `points`, $k-\varphi^\top\varphi+\varphi^\top\Sigma\varphi$.
    pub fn covariance(&self, points: &Points) -> Matrix {
        let seen = self.see(points);
        let own = self.kernel().matrix(points);
        let taken = transpose_product(&seen.features, &seen.features);
        let left = transpose_product(&seen.features, &seen.spread);
        Matrix::from_fn(points.len(), points.len(), |i, j| {
            let residual = own[(i, j)] - taken[(i, j)];
            let residual = if i == j { residual.max(0.0) } else { residual };
            residual + 0.5 * (left[(i, j)] + left[(j, i)])
        })
    }

    /// Utilities relative to the average over `reference`: for plots, all of `points`; for a contrast with one item, that item.
    pub fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
        let (seen, base) = (self.see(points), self.see(reference));
        let n = reference.len() as f64;
        let average = |m: &Matrix| m.times(&vec![1.0 / n; reference.len()]);
        let phi0 = average(&base.features);
        let mean0 = base.mean.iter().sum::<f64>() / n;
        let k00 = self.kernel().matrix(reference).data().iter().sum::<f64>() / (n * n);
        let cross = self.kernel().cross(reference, points);
        let own = self.kernel().diagonal(points);
        let variance = (0..points.len()).map(|i| {
            let prior = own[i] - 2.0 * cross.col(i).iter().sum::<f64>() / n + k00;
            let left = prior - squared_distance(seen.features.col(i), &phi0);
            left.max(0.0) + self.variance_along(seen.features.col(i), &phi0)
        });
        Moments { variance: variance.collect(), mean: seen.mean.iter().map(|m| m - mean0).collect() }
    }

    /// Means and variances of the contrasts $g(x)-g(\hat x)$ of all `points` with the one at `incumbent`; 0 for itself.
    pub fn contrasts(&self, points: &Points, incumbent: usize) -> Moments {
        self.relative_utilities(points, &points.select(&[incumbent]))
    }

    /// Means and variances of `f(left) - f(right)` for pairs of positions in `points`.
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        let seen = self.see(points);
        let own = self.kernel().diagonal(points);
        let mut out = Moments { mean: Vec::new(), variance: Vec::new() };
        for &(a, b) in pairs {
            let k_ab = self.kernel().cross(&points.select(&[a]), &points.select(&[b]))[(0, 0)];
            let (phi_a, phi_b) = (seen.features.col(a), seen.features.col(b));
            let left = own[a] + own[b] - 2.0 * k_ab - squared_distance(phi_a, phi_b);
            out.mean.push(seen.mean[a] - seen.mean[b]);
            out.variance.push(left.max(0.0) + self.variance_along(phi_a, phi_b));
        }
        out
    }

    /// The joint covariance of the differences of many pairs.
    pub fn difference_covariance(&self, points: &Points, pairs: &[(usize, usize)]) -> Matrix {
        let c = self.covariance(points);
        Matrix::from_fn(pairs.len(), pairs.len(), |m, n| {
            let ((a, b), (p, q)) = (pairs[m], pairs[n]);
            c[(a, p)] - c[(a, q)] - c[(b, p)] + c[(b, q)]
        })
    }

    /// The probability that the left item of each pair is preferred, lapses included.
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.chances(Probit::comparison(self.settings.noise), &self.differences(points, pairs))
    }

    /// The probability that each of `points` is of the positive class, lapses included.
    pub fn label_probabilities(&self, points: &Points) -> Vec<f64> {
        self.chances(Probit::label(self.settings.noise), &self.utilities(points))
    }

    fn chances(&self, probit: Probit, z: &Moments) -> Vec<f64> {
        let likelihood = Lapse::new(probit, self.settings.lapse);
        z.mean.iter().zip(&z.variance).map(|(&m, &v)| likelihood.probability(m, v)).collect()
    }

    /// The variance of $(\varphi-\varphi')^\top w$.
    fn variance_along(&self, phi: &[f64], other: &[f64]) -> f64 {
        let p: Vec<f64> = phi.iter().zip(other).map(|(a, b)| a - b).collect();
        dot(&p, &self.belief.covariance.times(&p)).max(0.0)
    }
}
