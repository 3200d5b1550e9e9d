//! What a model believes about one user's utilities.

use super::items::Embedded;
use crate::inference::observations::Edge;
use crate::likelihood::{Likelihood, Likelihoods, Preference};
use crate::model::Ranked;
use crate::posterior::Moments;
use rather_numerics::linalg::{Matrix, axpy, dot};

/// A Gaussian over one user's utility function `f = phi' omega + rest`: `omega ~ N(mean, covariance)` over the
/// features of [`super::Items`], and `scale` times the kernel's own covariance that the features leave.
#[derive(Debug, Clone, PartialEq)]
pub struct UserPosterior {
    /// Mean of the features' weights.
    pub mean: Vec<f64>,
    /// Their covariance.
    pub covariance: Matrix,
    /// The prior variance of this user's function, in multiples of the kernel.
    pub scale: f64,
}

impl UserPosterior {
    /// The same means, with all variances `times` as large.
    pub(crate) fn inflated(mut self, times: f64) -> Self {
        self.covariance.data_mut().iter_mut().for_each(|x| *x *= times);
        self.scale *= times;
        self
    }

    /// Means and variances of `f(left) - f(right)`, before the noise of an answer: what acquisition functions need.
    pub fn differences(&self, items: &Embedded, pairs: &[(usize, usize)]) -> Moments {
        let edges: Vec<Edge> = pairs.iter().map(|&(i, j)| Edge::between(i, j)).collect();
        self.projections(items, &edges)
    }

    /// Means and variances of projections: of `f(i) - f(j)`, or of `f(i)`.
    pub fn projections(&self, items: &Embedded, edges: &[Edge]) -> Moments {
        let mut out =
            Moments { mean: Vec::with_capacity(edges.len()), variance: Vec::with_capacity(edges.len()) };
        let mut moved = vec![0.0; self.mean.len()];
        for edge in edges {
            let phi = edge.project(&items.features);
            moved.fill(0.0);
            for (k, &x) in phi.iter().enumerate() {
                axpy(x, self.covariance.col(k), &mut moved);
            }
            out.mean.push(dot(&phi, &self.mean));
            out.variance.push(dot(&phi, &moved).max(0.0) + self.scale * items.rest_of(edge));
        }
        out
    }

    /// The joint Gaussian of the utilities of `items`: means, and covariance.
    pub fn utilities(&self, items: &Embedded) -> (Vec<f64>, Matrix) {
        let features = &items.features;
        let n = items.len();
        let mut moved = Matrix::zeros(self.mean.len(), n);
        for i in 0..n {
            let product = self.covariance.times(features.col(i));
            moved.col_mut(i).copy_from_slice(&product);
        }
        let mut covariance = Matrix::from_fn(n, n, |i, j| {
            let (i, j) = (i.max(j), i.min(j));
            dot(features.col(i), moved.col(j))
        });
        if let Some(rest) = items.rest() {
            axpy(self.scale, rest.data(), covariance.data_mut());
        }
        (features.transpose_times(&self.mean), covariance)
    }

    /// The probability that the left item of each pair is preferred where one must be chosen, with normal noise `Phi(m / sqrt(s^2 + v))`
    /// (Houlsby et al. 2012, supplement, equation 11).
    pub fn probabilities(
        &self,
        items: &Embedded,
        pairs: &[(usize, usize)],
        likelihoods: &Likelihoods,
    ) -> Vec<f64> {
        self.probabilities_of(likelihoods.choice(), items, pairs)
    }

    /// As [`UserPosterior::probabilities`], where the first item of each pair is shown on the left: a learned position bias counts.
    pub(crate) fn shown_probabilities(
        &self,
        items: &Embedded,
        pairs: &[(usize, usize)],
        likelihoods: &Likelihoods,
    ) -> Vec<f64> {
        self.probabilities_of(likelihoods.of(likelihoods.shown()[0]), items, pairs)
    }

    fn probabilities_of(
        &self,
        likelihood: &dyn Likelihood,
        items: &Embedded,
        pairs: &[(usize, usize)],
    ) -> Vec<f64> {
        let z = self.differences(items, pairs);
        z.mean.iter().zip(&z.variance).map(|(&m, &v)| likelihood.probability(m, v)).collect()
    }

    /// What may be said of each pair, the first of which is shown on the left, with its probability; empty if that is only which is preferred,
    /// and sides do not matter.
    pub fn outcomes(
        &self,
        items: &Embedded,
        pairs: &[(usize, usize)],
        likelihoods: &Likelihoods,
    ) -> Vec<Vec<(Preference, f64)>> {
        let z = self.differences(items, pairs);
        z.mean.iter().zip(&z.variance).map(|(&m, &v)| likelihoods.outcome_probabilities(m, v)).collect()
    }

    /// The probabilities of the levels of a rating, the lowest first, for each of `items`; empty for a model without ratings.
    pub fn ratings(&self, items: &Embedded, likelihoods: &Likelihoods) -> Vec<Vec<f64>> {
        let edges: Vec<Edge> = (0..items.len()).map(Edge::alone).collect();
        let z = self.projections(items, &edges);
        z.mean.iter().zip(&z.variance).map(|(&m, &v)| likelihoods.levels(m, v)).collect()
    }

    /// Items by decreasing mean utility; utilities are relative to the average over `items`.
    pub fn rank(&self, items: &Embedded) -> Vec<Ranked> {
        Ranked::all(&self.relative_utilities(items, &(0..items.len()).collect::<Vec<_>>()))
    }

    /// Means and variances of utilities relative to the average over those of `items` at the positions `reference`.
    pub(crate) fn relative_utilities(&self, items: &Embedded, reference: &[usize]) -> Moments {
        let (mean, covariance) = self.utilities(items);
        let averaged = |column: &[f64]| {
            reference.iter().map(|&i| column[i]).sum::<f64>() / reference.len().max(1) as f64
        };
        let average = averaged(&mean);
        let with_average: Vec<f64> = (0..mean.len()).map(|i| averaged(covariance.col(i))).collect();
        let of_average = averaged(&with_average);
        let variance = |i: usize| covariance[(i, i)] - 2.0 * with_average[i] + of_average;
        Moments {
            mean: mean.iter().map(|m| m - average).collect(),
            variance: (0..mean.len()).map(|i| variance(i).max(0.0)).collect(),
        }
    }
}
