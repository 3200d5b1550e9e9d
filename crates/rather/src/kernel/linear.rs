//! The linear kernel.

use super::atom::{Covariance, Pairs};
use super::{Active, AtomKind, Domain, Latent, Parameter};
use rather_numerics::linalg::{Matrix, dot};

/// A utility that is a weighted sum of features, each weight normal with standard deviation $1/l_c$.
///
/// # Formula
/// $$ k=\sum_c\frac{x_cx'_c}{l_c^2},\qquad \frac{\partial k}{\partial\log l_c}=-2 \frac{x_cx'_c}{l_c^2},\qquad
///    \frac{\partial k}{\partial x'_c}=\frac{x_c}{l_c^2}. $$
/// Without lengthscales (all 1) it has no parameter: the variance of a scaled kernel is its scale. With one for each
/// column (ARD) that variance and the lengthscales share one degree of freedom, which a prior must settle.
///
/// # References
/// Rasmussen and Williams (2006), section 4.2.2 (dot product kernels).
#[derive(Debug, Clone)]
pub(super) struct Linear {
    /// The active columns, with no lengthscale or one for each.
    pub(crate) active: Active,
}

impl Covariance for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
    }

    fn typical_variance(&self, spreads: &[f64]) -> f64 {
        let effect = |(dim, inverse): (usize, f64)| spreads.get(dim).map_or(1.0, |s| s * inverse);
        self.active.inverse_scales().map(|one| effect(one).powi(2)).sum()
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

    fn latent(&self) -> Option<Latent> {
        Some(Latent::Weights(self.active.dims.clone()))
    }

    fn values(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        for (dim, inverse) in self.active.inverse_scales() {
            let (xs, other) = pairs.feature(dim);
            let slope = other * inverse;
            out.iter_mut().zip(xs).for_each(|(sum, x)| *sum += (x * inverse) * slope);
        }
    }

    fn contract(&self, pairs: &Pairs<'_>, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        let parts = self.active.inverse_scales().map(|(dim, inverse)| {
            let (xs, other) = pairs.feature(dim);
            let part = dot(weights, xs) * inverse * (other * inverse);
            sum += part;
            -2.0 * part
        });
        gradient.fill(0.0);
        self.active.add_gradient(parts, gradient);
        sum
    }

    fn add_input_gradient(&self, pairs: &Pairs<'_>, weights: &[f64], out: &mut Matrix) {
        for (dim, inverse) in self.active.inverse_scales() {
            let (xs, _) = pairs.feature(dim);
            for (i, (x, w)) in xs.iter().zip(weights).enumerate() {
                out[(dim, i)] += w * (x * inverse) * inverse;
            }
        }
    }
}

pub(super) static ATOM: AtomKind = AtomKind {
    name: "linear",
    aliases: &[],
    key: "linear",
    domain: Domain::Numbers,
    meaning: "weighted sums of the features",
    make: linear,
};

/// One lengthscale for all columns is left to the variance.
fn linear(Active { dims, lengthscales }: Active) -> Box<dyn Covariance> {
    let lengthscales = if lengthscales.len() > 1 { lengthscales } else { Vec::new() };
    Box::new(Linear { active: Active { dims, lengthscales } })
}
