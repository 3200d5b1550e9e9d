//! Probabilities of answers about any items, whichever way the posterior was found.

use super::Model;
use crate::belief::Belief;
use crate::comparisons::Edge;
use crate::learn::Hyperparameters;
use crate::likelihood::{Likelihoods, Responses};
use crate::points::Points;
use crate::posterior::{Asked, Moments, Posterior, by_projection, of_moments};

impl Model {
    /// The probability of each answer `asked` about projections of `points` (of a measured value its density),
    /// $\int t(\pm z) p(z) dz$. `responses` are those that the model was learned from, and more.
    pub(crate) fn expected(
        &self,
        points: &Points,
        asked: &[Asked<'_>],
        responses: &Responses,
    ) -> Vec<Vec<f64>> {
        if let Belief::Exact(posterior) = self.belief() {
            return posterior.expected(points, asked, &self.likelihoods_at(&self.hyperparameters, responses));
        }
        let edges: Vec<Edge> = asked.iter().map(|(edge, _)| *edge).collect();
        let mut out: Vec<Vec<f64>> = asked.iter().map(|(_, options)| vec![0.0; options.len()]).collect();
        for (weight, moments, likelihoods) in self.components(points, &edges, responses) {
            for (sums, found) in out.iter_mut().zip(of_moments(&moments, asked, &likelihoods)) {
                sums.iter_mut().zip(found).for_each(|(sum, p)| *sum += weight * p);
            }
        }
        out
    }

    fn likelihoods_at(&self, h: &Hyperparameters, responses: &Responses) -> Likelihoods {
        responses.likelihoods(&responses.values(&self.observations.responses, &h.values()))
    }

    /// The Gaussians that the belief about projections of `points` is an average of, each with its weight and the likelihoods under it. An exact
    /// posterior is the Gaussian with its means and covariances.
    pub(crate) fn components(
        &self,
        points: &Points,
        edges: &[Edge],
        responses: &Responses,
    ) -> Vec<(f64, Moments, Likelihoods)> {
        let alone =
            |moments: Moments| vec![(1.0, moments, self.likelihoods_at(&self.hyperparameters, responses))];
        match self.belief() {
            Belief::Gaussian(posterior) => alone(posterior.projections(points, edges)),
            Belief::Mixture(mixture) => {
                let kernels = std::iter::once(&self.hyperparameters).chain(&self.rivals);
                let one = |((weight, posterior), kernel): (&(f64, Posterior), &Hyperparameters)| {
                    let moments = posterior.projections(points, edges);
                    (*weight, moments, self.likelihoods_at(kernel, responses))
                };
                mixture.components().iter().zip(kernels).map(one).collect()
            }
            Belief::Sparse(posterior) => alone(by_projection(
                edges,
                |pairs| posterior.differences(points, pairs),
                |items| posterior.utilities(&points.select(items)),
            )),
            Belief::Exact(posterior) => alone(posterior.gaussian().projections(points, edges)),
            Belief::Streaming(posterior) => alone(posterior.gaussian().projections(points, edges)),
        }
    }
}
