//! The posterior over utilities under a prior with a sparse precision.
//!
//! Where the precision is factorised, everything is exact. Where messages are passed, means are exact, and so is a covariance that
//! takes one system of equations; the variance of an item and of a difference that was asked for are those of messages, and the
//! difference of two items never compared has the sum of their variances: exact as the loops between them grow.

use std::collections::HashMap;

use super::Moments;
use crate::Error;
use crate::inference::Outcome;
use crate::inference::sparse::Precision;
use crate::likelihood::{AnswerIndex, Likelihoods, Preference};
use crate::points::Points;
use rather_numerics::linalg::dot;

/// A Gaussian approximation of the posterior over items that are known by name, or by their neighbours.
#[derive(Debug, Clone)]
pub struct SparsePosterior {
    likelihoods: Likelihoods,
    outcome: Outcome,
    precision: Precision,
    /// Which node an item is, by its identity.
    nodes: HashMap<u64, usize>,
    /// The prior variance of an item that nothing is known of.
    variance: f64,
    variances: Vec<f64>,
    /// The variance of the difference along each edge.
    along: Vec<f64>,
}

impl SparsePosterior {
    /// The posterior that inference found under a [`SparsePrior`](crate::inference::sparse::SparsePrior), whose nodes are `points`. `variance` is
    /// the prior variance of any other item.
    ///
    /// # Errors
    /// [`Error::Inference`] if the outcome is that of another prior.
    pub fn new(
        points: &Points,
        mut outcome: Outcome,
        variance: f64,
        likelihoods: Likelihoods,
    ) -> Result<Self, Error> {
        let precision = *outcome.posterior.precision.take().ok_or(Error::Inference)?;
        Ok(Self {
            likelihoods,
            nodes: (0..points.len()).map(|node| (points.id(node), node)).collect(),
            variance,
            variances: precision.node_variances(),
            along: precision.edge_variances(),
            precision,
            outcome,
        })
    }

    /// How inference went.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The posterior precision.
    pub fn precision(&self) -> &Precision {
        &self.precision
    }

    /// The standard deviation `s` of the noise of a difference.
    pub fn s(&self) -> f64 {
        self.likelihoods.comparison.s()
    }

    fn node(&self, points: &Points, i: usize) -> Option<usize> {
        self.nodes.get(&points.id(i)).copied()
    }

    fn mean(&self, points: &Points, i: usize) -> f64 {
        self.node(points, i).map_or(0.0, |node| self.outcome.posterior.weights[node])
    }

    fn own_variance(&self, points: &Points, i: usize) -> f64 {
        self.node(points, i).map_or(self.variance, |node| self.variances[node])
    }

    /// Means and variances of the utilities of `points`. The prior mean is 0: only differences say something.
    pub fn utilities(&self, points: &Points) -> Moments {
        Moments {
            mean: (0..points.len()).map(|i| self.mean(points, i)).collect(),
            variance: (0..points.len()).map(|i| self.own_variance(points, i)).collect(),
        }
    }

    /// Utilities relative to the average utility of `reference`: `f_i - r'f` has the variance
    /// `v_i - 2 (Q^-1 r)_i + r' Q^-1 r`, one system of equations for all.
    pub fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
        let share = 1.0 / reference.len().max(1) as f64;
        let mut weights = vec![0.0; self.variances.len()];
        let mut strangers: HashMap<u64, f64> = HashMap::new();
        for i in 0..reference.len() {
            match self.node(reference, i) {
                Some(node) => weights[node] += share,
                None => *strangers.entry(reference.id(i)).or_default() += share,
            }
        }
        // If the equations cannot be solved, what an item has in common with the others counts for nothing, as for items far apart.
        let with_average = self
            .precision
            .solve(&weights, None)
            .unwrap_or_else(|| weights.iter().zip(&self.variances).map(|(w, v)| w * v).collect());
        let average = dot(&weights, &self.outcome.posterior.weights);
        let outside: f64 = strangers.values().map(|w| w * w).sum::<f64>() * self.variance;
        let of_average = dot(&weights, &with_average) + outside;
        let variance = |i: usize| {
            let common = match self.node(points, i) {
                Some(node) => with_average[node],
                None => strangers.get(&points.id(i)).map_or(0.0, |w| w * self.variance),
            };
            (self.own_variance(points, i) - 2.0 * common + of_average).max(0.0)
        };
        Moments {
            mean: (0..points.len()).map(|i| self.mean(points, i) - average).collect(),
            variance: (0..points.len()).map(variance).collect(),
        }
    }

    /// Means and variances of `f(left) - f(right)` for pairs of positions in `points`.
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        let mean = pairs.iter().map(|&(a, b)| self.mean(points, a) - self.mean(points, b)).collect();
        // Pairs of two different nodes, and where they stand among the pairs.
        let mut known = Vec::new();
        let mut variance: Vec<f64> = Vec::with_capacity(pairs.len());
        for (at, &(a, b)) in pairs.iter().enumerate() {
            let apart = if points.id(a) == points.id(b) { 0.0 } else { 1.0 };
            variance.push(apart * (self.own_variance(points, a) + self.own_variance(points, b)));
            if let (Some(a), Some(b)) = (self.node(points, a), self.node(points, b))
                && a != b
            {
                known.push((at, (a, b)));
            }
        }
        let (places, nodes): (Vec<usize>, Vec<(usize, usize)>) = known.into_iter().unzip();
        if let Some(exact) = self.precision.difference_variances(&nodes) {
            places.iter().zip(exact).for_each(|(&at, v)| variance[at] = v);
        } else {
            for (&at, &(a, b)) in places.iter().zip(&nodes) {
                if let Some(edge) = self.precision.graph().edge(a, b) {
                    variance[at] = self.along[edge];
                }
            }
        }
        Moments { mean, variance }
    }

    /// As [`Posterior::probabilities`](super::Posterior::probabilities).
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.of(AnswerIndex::CHOICE, points, pairs)
    }

    /// As [`Posterior::shown_probabilities`](super::Posterior::shown_probabilities).
    pub fn shown_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.of(self.likelihoods.shown()[0], points, pairs)
    }

    fn of(&self, answer: AnswerIndex, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        let z = self.differences(points, pairs);
        let likelihood = self.likelihoods.of(answer);
        z.mean.iter().zip(&z.variance).map(|(&m, &v)| likelihood.probability(m, v)).collect()
    }

    /// As [`Posterior::outcomes`](super::Posterior::outcomes).
    pub fn outcomes(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<Vec<(Preference, f64)>> {
        let z = self.differences(points, pairs);
        let one = |(&m, &v)| self.likelihoods.outcome_probabilities(m, v);
        z.mean.iter().zip(&z.variance).map(one).collect()
    }

    /// As [`Posterior::ratings`](super::Posterior::ratings).
    pub fn ratings(&self, points: &Points) -> Vec<Vec<f64>> {
        let f = self.utilities(points);
        f.mean.iter().zip(&f.variance).map(|(&m, &v)| self.likelihoods.levels(m, v)).collect()
    }
}
