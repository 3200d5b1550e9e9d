//! The posterior over the utilities of items by name, under a prior with a sparse precision.
//!
//! Where the precision is factorised, everything is exact. Where messages are passed, means are exact, and so is a covariance that
//! takes one system of equations; the variance of an item and of a difference that was asked for are those of messages, and the
//! difference of two items never compared has the sum of their variances: exact as the loops between them grow.

use std::collections::HashMap;

use super::Moments;
use crate::Error;
use crate::inference::Outcome;
use crate::inference::sparse::Precision;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, dot};

/// Items known by name, or by their neighbours.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    precision: Precision,
    /// Which node an item is, by its identity.
    nodes: HashMap<u64, usize>,
    /// The prior variance of an item that nothing is known of.
    variance: f64,
    means: Vec<f64>,
    variances: Vec<f64>,
    /// The variance of the difference along each edge.
    along: Vec<f64>,
}

impl Names {
    /// What inference found under a [`SparsePrior`](crate::inference::sparse::SparsePrior), whose nodes are `points`. `variance` is
    /// the prior variance of any other item.
    ///
    /// # Errors
    /// [`Error::Inference`] if the outcome is that of another prior.
    pub(crate) fn new(points: &Points, outcome: &mut Outcome, variance: f64) -> Result<Self, Error> {
        let precision = *outcome.posterior.precision.take().ok_or(Error::Inference)?;
        Ok(Self {
            nodes: (0..points.len()).map(|node| (points.id(node), node)).collect(),
            variance,
            means: outcome.posterior.weights.clone(),
            variances: precision.node_variances(),
            along: precision.edge_variances(),
            precision,
        })
    }

    /// The posterior precision.
    pub(crate) fn precision(&self) -> &Precision {
        &self.precision
    }

    pub(super) fn node(&self, points: &Points, i: usize) -> Option<usize> {
        self.nodes.get(&points.id(i)).copied()
    }

    fn mean(&self, points: &Points, i: usize) -> f64 {
        self.node(points, i).map_or(0.0, |node| self.means[node])
    }

    fn own_variance(&self, points: &Points, i: usize) -> f64 {
        self.node(points, i).map_or(self.variance, |node| self.variances[node])
    }

    /// Means and variances of the utilities of `points`. The prior mean is 0: only differences say something.
    pub(crate) fn utilities(&self, points: &Points) -> Moments {
        Moments {
            mean: (0..points.len()).map(|i| self.mean(points, i)).collect(),
            variance: (0..points.len()).map(|i| self.own_variance(points, i)).collect(),
        }
    }

    /// Utilities relative to the average utility of `reference`: `f_i - r'f` has the variance
    /// `v_i - 2 (Q^-1 r)_i + r' Q^-1 r`, one system of equations for all.
    pub(crate) fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
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
            .solve(&weights)
            .unwrap_or_else(|| weights.iter().zip(&self.variances).map(|(w, v)| w * v).collect());
        let average = dot(&weights, &self.means);
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

    /// The covariance of the utilities of `points`; `None` where messages are passed.
    pub(super) fn covariance(&self, points: &Points) -> Option<Matrix> {
        let nodes: Vec<Option<usize>> = (0..points.len()).map(|i| self.node(points, i)).collect();
        let known: Vec<usize> = nodes.iter().copied().flatten().collect();
        let of_known = self.precision.covariances(&known)?;
        let mut next = 0..known.len();
        let places: Vec<Option<usize>> = nodes.iter().map(|node| node.and_then(|_| next.next())).collect();
        Some(Matrix::from_fn(points.len(), points.len(), |i, j| match (places[i], places[j]) {
            (Some(a), Some(b)) => of_known[(a, b)],
            (None, None) if points.id(i) == points.id(j) => self.variance,
            _ => 0.0,
        }))
    }

    /// Means and variances of `f(left) - f(right)` for pairs of positions in `points`.
    pub(crate) fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        let mean = pairs.iter().map(|&(a, b)| self.mean(points, a) - self.mean(points, b)).collect();
        // Pairs of two different nodes that were never compared, and where they stand among the pairs.
        let mut others = Vec::new();
        let mut variance: Vec<f64> = Vec::with_capacity(pairs.len());
        for (at, &(a, b)) in pairs.iter().enumerate() {
            let apart = if points.id(a) == points.id(b) { 0.0 } else { 1.0 };
            let own = || apart * (self.own_variance(points, a) + self.own_variance(points, b));
            let nodes = self.node(points, a).zip(self.node(points, b)).filter(|(a, b)| a != b);
            let compared = nodes.and_then(|(a, b)| self.precision.graph().edge(a, b));
            variance.push(compared.map_or_else(own, |edge| self.along[edge]));
            others.extend(nodes.filter(|_| compared.is_none()).map(|nodes| (at, nodes)));
        }
        let (places, nodes): (Vec<usize>, Vec<(usize, usize)>) = others.into_iter().unzip();
        if let Some(exact) = self.precision.difference_variances(&nodes) {
            places.iter().zip(exact).for_each(|(&at, v)| variance[at] = v);
        }
        Moments { mean, variance }
    }
}
