//! Probabilities of answers about any items, whichever way the posterior was found.

use super::Model;
use crate::Error;
use crate::belief::Belief;
use crate::comparisons::Edge;
use crate::learn::Hyperparameters;
use crate::likelihood::Responses;
use crate::points::Points;
use crate::posterior::{Asked, by_projection, of_moments};

impl Model {
    /// The probability of each answer `asked` about projections of `points` (of a measured value its density),
    /// $\int t(\pm z) p(z) dz$. `responses` are those that the model was learned from, and more.
    ///
    /// # Errors
    /// [`Error::OnlyDuels`] for a streaming model and other answers than plain comparisons.
    pub(crate) fn expected(
        &self,
        points: &Points,
        asked: &[Asked<'_>],
        responses: &Responses,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let own = &self.observations.responses;
        let at = |h: &Hyperparameters| responses.likelihoods(&responses.values(own, &h.values()));
        let edges: Vec<Edge> = asked.iter().map(|(edge, _)| *edge).collect();
        Ok(match self.belief() {
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
            // The rate of lapses and what else a stream knows of answers is its own.
            Belief::Streaming(_) => {
                let pair = |(edge, options): &Asked<'_>| match (edge.minus(), options.len()) {
                    (Some(minus), 2) => Ok((edge.plus(), minus)),
                    _ => Err(Error::OnlyDuels),
                };
                let pairs = asked.iter().map(pair).collect::<Result<Vec<_>, Error>>()?;
                self.belief().probabilities(points, &pairs).into_iter().map(|p| vec![p, 1.0 - p]).collect()
            }
        })
    }
}
