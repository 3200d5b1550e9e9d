//! A basis that follows the items: points where answers are given, none where they carry nothing.

use super::basis::Basis;
use super::belief::Belief;
use super::model::{Answered, StreamingModel};
use super::rebase::inverse;
use super::settings::Adaptation;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, dot, product, solve_lower, transpose_product};

impl StreamingModel {
    /// What happens after an answer besides the answer: nothing, unless the settings say so.
    pub(super) fn learn_from_time_to_time(&mut self, answered: Answered, items: [(u64, &[f64]); 2]) {
        if let Some(adaptation) = self.settings.adaptation {
            self.adapt(adaptation, answered, items);
        }
        if let Some(learning) = self.settings.learning
            && self.count.is_multiple_of(learning.every as u64)
        {
            let _climbed = self.learn(learning.steps);
        }
    }

    fn adapt(&mut self, adaptation: Adaptation, answered: Answered, items: [(u64, &[f64]); 2]) {
        let prior = answered.residual + dot(&self.features, &self.features);
        if answered.residual <= adaptation.add_above * prior {
            return;
        }
        let mut left = |item| {
            let mut features = std::mem::take(&mut self.features);
            let residual = self.basis.project(item, None, &mut features);
            self.features = features;
            residual
        };
        let [a, b] = items.map(&mut left);
        let (id, row) = if a >= b { items[0] } else { items[1] };
        if self.add_basis_point(id, row).is_none() {
            return;
        }
        // Points that carry nothing go, the new one excepted; beyond the budget the one that carries least, whichever it is.
        loop {
            let losses = self.basis_losses();
            let newest = losses.len() - 1;
            let over = losses.len() > adaptation.budget;
            let candidates = 0..if over { losses.len() } else { newest };
            let least = candidates.min_by(|&i, &j| losses[i].total_cmp(&losses[j]));
            match least {
                Some(i) if over || losses[i] < adaptation.drop_below => {
                    if self.drop_basis_point(i).is_none() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// Adds a point to the basis. Its value given the others is as the prior has it; the answers kept are seen through the
    /// larger basis. `None`, and nothing is changed, if the point lies so near the others that it adds nothing.
    pub fn add_basis_point(&mut self, id: u64, row: &[f64]) -> Option<()> {
        self.settle_base();
        let points = self.basis.points();
        let n = points.len();
        let ids = (0..n).map(|i| points.id(i)).chain([id]).collect();
        let values = (0..n).flat_map(|i| points.row(i)).chain(row).copied().collect();
        let points = Points::new(ids, points.dims(), values);
        let basis = Basis::with_jitter(self.kernel().clone(), points, self.settings.jitter).ok()?;
        let at = |i: usize, j: usize| match (i < n, j < n) {
            (true, true) => self.base.covariance[(i, j)],
            (false, false) => 1.0,
            _ => 0.0,
        };
        let base = Belief {
            mean: self.base.mean.iter().copied().chain([0.0]).collect(),
            covariance: Matrix::from_fn(n + 1, n + 1, at),
        };
        self.replace(basis, base)
    }

    /// Drops a point from the basis. `None`, and nothing is changed, if it is the only one.
    pub fn drop_basis_point(&mut self, point: usize) -> Option<()> {
        let n = self.basis.len();
        if n == 1 || point >= n {
            return None;
        }
        self.settle_base();
        let rest: Vec<usize> = (0..n).filter(|&i| i != point).collect();
        let points = self.basis.points().select(&rest);
        let basis = Basis::with_jitter(self.kernel().clone(), points, self.settings.jitter).ok()?;
        let base = if self.forgotten == 0 {
            Belief::prior(n - 1)
        } else {
            // The values that stay, whitened anew.
            let l = self.basis.factor();
            let mut change = Matrix::from_fn(n - 1, n, |i, j| l[(rest[i], j)]);
            solve_lower(basis.factor(), &mut change);
            let transposed = Matrix::from_fn(n, n - 1, |i, j| change[(j, i)]);
            let covariance = transpose_product(&transposed, &product(&self.base.covariance, &transposed));
            Belief {
                mean: change.times(&self.base.mean),
                covariance: Matrix::from_fn(n - 1, n - 1, |i, j| {
                    0.5 * (covariance[(i, j)] + covariance[(j, i)])
                }),
            }
        };
        self.replace(basis, base)
    }

    fn replace(&mut self, basis: Basis, base: Belief) -> Option<()> {
        let nothing_kept = self.answers.len() == 0;
        let model = self.on(basis, base)?;
        *self = model;
        if nothing_kept {
            self.belief.clone_from(&self.base);
        }
        Some(())
    }

    /// How much each basis point carries: the Kullback-Leibler divergence, in nats, between the belief about the basis values
    /// and the nearest one in which the point's value given the others is as the prior has it.
    ///
    /// # Formula
    /// With $c=L^{-1}e_i$,
    /// $$ \tfrac12\Big[\frac{c^\top\Sigma c+(c^\top\mu)^2}{c^\top c}-1+\ln\frac{c^\top\Sigma^{-1}c}{c^\top c}\Big]. $$
    ///
    /// # References
    /// Csató and Opper (2002), section 3.3.
    pub fn basis_losses(&self) -> Vec<f64> {
        let n = self.basis.len();
        let mut unit = Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
        solve_lower(self.basis.factor(), &mut unit);
        let Some((precision, _)) = inverse(&self.belief.covariance) else { return vec![f64::INFINITY; n] };
        (0..n)
            .map(|i| {
                let c = unit.col(i);
                let size = dot(c, c);
                let spread = dot(c, &self.belief.covariance.times(c)) + dot(c, &self.belief.mean).powi(2);
                let sharp = dot(c, &precision.times(c)) / size;
                (0.5 * (spread / size - 1.0 + sharp.ln())).max(0.0)
            })
            .collect()
    }
}
