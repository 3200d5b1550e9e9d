//! The kernel on categories.

use super::atom::{Covariance, Pairs};
use super::{Active, AtomKind, Domain, Parameter};
use rather_numerics::simd::vectorised;
use rather_numerics::special::exponential::exp_minus;

/// Categories without an order: columns hold indices of levels, and only equality counts.
///
/// # Formula
/// $$ k=\exp\Big(-\sum_c\frac{[x_c\ne x'_c]}{l_c}\Big),\qquad
///    \frac{\partial k}{\partial\log l_c}=k \frac{[x_c\ne x'_c]}{l_c}. $$
/// With one column it is the exchangeable kernel: all pairs of different levels have correlation $e^{-1/l}$. With one
/// lengthscale for many columns it depends on the Hamming distance; with one for each it is a product of exchangeable
/// kernels.
///
/// # References
/// Hutter, Xu, Hoos and Leyton-Brown, *Algorithm runtime prediction* (2014), section 6.1 (weighted Hamming distance),
/// doi:10.1016/j.artint.2013.10.003; Pinheiro and Bates (1996) for the exchangeable form.
#[derive(Debug, Clone)]
pub(crate) struct Categorical {
    /// The active columns and their lengthscales.
    pub(crate) active: Active,
}

impl Covariance for Categorical {
    fn name(&self) -> &'static str {
        "categorical"
    }

    fn boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
    }

    fn active(&self) -> Option<&Active> {
        Some(&self.active)
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.active.parameters()
    }

    fn parameters_mut(&mut self) -> Vec<&mut f64> {
        self.active.parameters_mut()
    }

    fn values(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        for (dim, inverse) in self.active.inverse_scales() {
            let (xs, other) = pairs.feature(dim);
            for (sum, &x) in out.iter_mut().zip(xs) {
                *sum += if x == other { 0.0 } else { inverse };
            }
        }
        vectorised(
            #[inline(always)]
            || out.iter_mut().for_each(|v| *v = exp_minus(*v)),
        );
    }

    fn contract(&self, pairs: &Pairs<'_>, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let mut weighted = vec![0.0; weights.len()];
        self.values(pairs, &mut weighted);
        weighted.iter_mut().zip(weights).for_each(|(value, w)| *value *= w);
        let parts = self.active.inverse_scales().map(|(dim, inverse)| {
            let (xs, other) = pairs.feature(dim);
            let different: f64 =
                weighted.iter().zip(xs).filter(|(_, x)| **x != other).map(|(wk, _)| wk).sum();
            different * inverse
        });
        gradient.fill(0.0);
        self.active.add_gradient(parts, gradient);
        weighted.iter().sum()
    }
}

pub(super) static ATOM: AtomKind = AtomKind {
    name: "categorical",
    aliases: &[],
    key: "categorical",
    domain: Domain::Categories,
    meaning: "categories without an order",
    make: |active| Box::new(Categorical { active }),
};
