//! Probabilities of answers about projections whose distribution is Gaussian.

use super::{Moments, Posterior};
use crate::comparisons::Edge;
use crate::likelihood::{AnswerIndex, Likelihoods};
use crate::points::Points;

/// A projection, and answers about it, each with its sign.
pub(crate) type Asked<'a> = (Edge, &'a [(AnswerIndex, f64)]);

impl Posterior {
    /// Means and variances of what answers about projections are about: of a pair with its random effect, if there are any.
    pub(crate) fn projections(&self, points: &Points, edges: &[Edge]) -> Moments {
        by_projection(
            edges,
            |pairs| self.with_pair_effects(points, pairs),
            |items| self.utilities(&points.select(items)),
        )
    }
}

/// The moments of projections, from those of pairs and of single items.
pub(crate) fn by_projection(
    edges: &[Edge],
    of_pairs: impl FnOnce(&[(usize, usize)]) -> Moments,
    of_items: impl FnOnce(&[usize]) -> Moments,
) -> Moments {
    let pairs: Vec<(usize, usize)> = edges.iter().filter_map(|e| Some((e.plus(), e.minus()?))).collect();
    let items: Vec<usize> = edges.iter().filter(|e| e.minus().is_none()).map(Edge::plus).collect();
    let nothing = || Moments { mean: Vec::new(), variance: Vec::new() };
    let of_pairs = if pairs.is_empty() { nothing() } else { of_pairs(&pairs) };
    let of_items = if items.is_empty() { nothing() } else { of_items(&items) };
    let mut pairs = of_pairs.mean.into_iter().zip(of_pairs.variance);
    let mut items = of_items.mean.into_iter().zip(of_items.variance);
    let one = |e: &Edge| if e.minus().is_some() { pairs.next() } else { items.next() };
    let (mean, variance) = edges.iter().filter_map(one).unzip();
    Moments { mean, variance }
}

/// The probabilities of answers about Gaussian projections.
pub(crate) fn of_moments(moments: &Moments, asked: &[Asked<'_>], likelihoods: &Likelihoods) -> Vec<Vec<f64>> {
    let of = |(k, (_, options)): (usize, &Asked<'_>)| {
        let (mean, variance) = (moments.mean[k], moments.variance[k]);
        options
            .iter()
            .map(|&(answer, sign)| likelihoods.of(answer).probability(sign * mean, variance))
            .collect()
    };
    asked.iter().enumerate().map(of).collect()
}
