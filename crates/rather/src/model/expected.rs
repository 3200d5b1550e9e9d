//! Probabilities of answers about any items, whichever way the posterior was found.

use super::Model;
use crate::belief::Belief;
use crate::comparisons::Edge;
use crate::learn::Hyperparameters;
use crate::likelihood::Responses;
use crate::points::Points;
use crate::posterior::{Asked, by_projection, of_moments};

impl Model {
    /// The probability of each answer `asked` about projections of `points` (of a measured value its density),
    /// $\int t(\pm z) p(z) dz$. `responses` are those that the model was learned from, and more.
    pub(crate) fn expected(
        &self,
        points: &Points,
        asked: &[Asked<'_>],
        responses: &Responses,
    ) -> Vec<Vec<f64>> {
        let own = &self.observations.responses;
        let at = |h: &Hyperparameters| responses.likelihoods(&responses.values(own, &h.values()));
        let edges: Vec<Edge> = asked.iter().map(|(edge, _)| *edge).collect();
        match self.belief() {
            Belief::Gaussian(posterior) => {
                of_moments(&posterior.projections(points, &edges), asked, &at(&self.hyperparameters))
            }
            Belief::Mixture(mixture) => {
                let kernels = std::iter::once(&self.hyperparameters).chain(&self.rivals);
                let mut out: Vec<Vec<f64>> =
                    asked.iter().map(|(_, options)| vec![0.0; options.len()]).collect();
                for ((weight, posterior), kernel) in mixture.components().iter().zip(kernels) {
                    let found = of_moments(&posterior.projections(points, &edges), asked, &at(kernel));
                    for (sums, found) in out.iter_mut().zip(found) {
                        sums.iter_mut().zip(found).for_each(|(sum, p)| *sum += weight * p);
                    }
                }
                out
            }
            Belief::Exact(posterior) => posterior.expected(points, asked, &at(&self.hyperparameters)),
            Belief::Sparse(posterior) => {
                let moments = by_projection(
                    &edges,
                    |pairs| posterior.differences(points, pairs),
                    |items| posterior.utilities(&points.select(items)),
                );
                of_moments(&moments, asked, &at(&self.hyperparameters))
            }
            Belief::Streaming(posterior) => {
                let moments = posterior.gaussian().projections(points, &edges);
                of_moments(&moments, asked, &at(&self.hyperparameters))
            }
        }
    }
}
