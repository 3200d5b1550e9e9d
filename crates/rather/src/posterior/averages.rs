//! Averages of the utilities of many items.

use super::{BLOCK, Moments, Posterior};
use crate::Error;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, dot};
use rather_numerics::watch;

impl Posterior {
    /// Means and variances of the average utility of each of `groups` of items, relative to the average utility of `reference`.
    ///
    /// # Formula
    /// $a'f$ with weights $a$ of sum 0. Its features are the averages $\phi=\sum_ia_i\phi_i$, so that nothing but covariances with the nodes is computed of an
    /// item: mean $\phi'\operatorname{E}w$, variance $a'Ka-\phi'\phi+\phi'B^{-1}\phi$.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn relative_averages(&self, groups: &[Points], reference: &Points) -> Result<Moments, Error> {
        let of_reference = self.average_with_nodes(reference);
        let k_rr = self.average_covariance(reference, reference);
        let mut covariances = Matrix::zeros(of_reference.len(), groups.len());
        let mut prior = Vec::with_capacity(groups.len());
        for (column, group) in groups.iter().enumerate() {
            watch::check()?;
            let differences =
                self.average_with_nodes(group).into_iter().zip(&of_reference).map(|(g, r)| g - r);
            covariances.col_mut(column).iter_mut().zip(differences).for_each(|(out, d)| *out = d);
            let (own, with) =
                (self.average_covariance(group, group), self.average_covariance(group, reference));
            prior.push(own - 2.0 * with + k_rr);
        }
        let e = self.embed_covariances(covariances);
        let variance = prior.iter().enumerate().map(|(i, prior)| {
            let (phi, psi) = (e.features.col(i), e.shrunk.col(i));
            (prior - dot(phi, phi)).max(0.0) + dot(psi, psi)
        });
        Ok(Moments { variance: variance.collect(), mean: e.mean })
    }

    /// The average of the covariances of `points` with each of the nodes.
    fn average_with_nodes(&self, points: &Points) -> Vec<f64> {
        let mut sum = vec![0.0; self.prior.rank()];
        for block in blocks(points) {
            let covariances = self.covariances_with_nodes(&block);
            (0..block.len()).for_each(|j| sum.iter_mut().zip(covariances.col(j)).for_each(|(s, k)| *s += k));
        }
        sum.iter().map(|s| s / points.len() as f64).collect()
    }

    /// The average of the prior covariances of all items of `a` with all of `b`.
    fn average_covariance(&self, a: &Points, b: &Points) -> f64 {
        let sum = |block: Points| self.kernel.cross(a, &block).data().iter().sum::<f64>();
        blocks(b).map(sum).sum::<f64>() / (a.len() as f64 * b.len() as f64)
    }
}

fn blocks(points: &Points) -> impl Iterator<Item = Points> {
    let starts = (0..points.len()).step_by(BLOCK);
    starts.map(|start| points.select(&(start..points.len().min(start + BLOCK)).collect::<Vec<_>>()))
}
