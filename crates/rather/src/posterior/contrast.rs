//! Differences to one fixed item, and how they change with the other item's features.

use super::{Moments, Posterior};
use crate::inference::observations::Edge;
use crate::inference::prior::Space;
use crate::points::Points;
use rather_numerics::linalg::{
    Matrix, axpy, dot, solve_lower_transposed_vec, solve_lower_vec, squared_distance,
};

/// The differences $z=f(x)-f(x')$ between any item $x$ and one fixed item $x'$.
#[derive(Debug, Clone)]
pub struct Contrasts<'a> {
    posterior: &'a Posterior,
    reference: Points,
    /// `phi'`, `R^-1 phi'`.
    features: Vec<f64>,
    shrunk: Vec<f64>,
    base: f64,
    own: f64,
    /// `T^-1 E w`: the mean of an item is its covariances with the nodes times this.
    weights: Vec<f64>,
}

/// Moments of a difference at one item, and their gradients in its features.
#[derive(Debug, Clone, PartialEq)]
pub struct ContrastGradient {
    /// Mean of $z$.
    pub mean: f64,
    /// Variance of $z$.
    pub variance: f64,
    /// Gradient of the mean, which is that of the mean of $f(x)$ too.
    pub d_mean: Vec<f64>,
    /// Gradient of the variance.
    pub d_variance: Vec<f64>,
    /// Variance of $f(x)$ itself.
    pub own_variance: f64,
    /// Its gradient.
    pub d_own_variance: Vec<f64>,
}

impl Posterior {
    /// The differences to `reference`, which is one item.
    ///
    /// # Panics
    /// If `reference` is not one item.
    pub fn contrasts(&self, reference: &Points) -> Contrasts<'_> {
        assert!(reference.len() == 1, "the reference must be one item");
        let e = self.embed(reference);
        let mut weights = self.outcome.posterior.weights.clone();
        solve_lower_vec(&self.pivots, &mut weights);
        Contrasts {
            posterior: self,
            reference: reference.clone(),
            features: e.features.col(0).to_vec(),
            shrunk: e.shrunk.col(0).to_vec(),
            base: e.mean[0],
            own: self.kernel.diagonal(reference)[0],
            weights,
        }
    }

    /// The gradient of the covariances of `x` (one item) with the nodes, `dims x rank`.
    pub(super) fn node_gradient(&self, x: &Points) -> Matrix {
        let nodes = &self.prior.order[..self.prior.rank()];
        if self.prior.space == Space::Items {
            return self.kernel.gradient_in_inputs(x, &self.points.select(nodes));
        }
        let ends: Vec<Edge> = nodes.iter().map(|&e| self.prior.item_edges[e]).collect();
        let plus: Vec<usize> = ends.iter().map(Edge::plus).collect();
        let mut out = self.kernel.gradient_in_inputs(x, &self.points.select(&plus));
        for (column, minus) in ends.iter().enumerate().filter_map(|(c, e)| Some((c, e.minus()?))) {
            let other = self.kernel.gradient_in_inputs(x, &self.points.select(&[minus]));
            axpy(-1.0, other.col(0), out.col_mut(column));
        }
        out
    }

    /// `T^-1 (R^-T b - a)`: with the features `a` and the shrunk features `b` of a quantity, the change of half its variance with
    /// covariances with the nodes, prior variance aside.
    fn pull(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut u = b.to_vec();
        solve_lower_transposed_vec(&self.outcome.posterior.factor, &mut u);
        axpy(-1.0, a, &mut u);
        solve_lower_vec(&self.pivots, &mut u);
        u
    }
}

impl Contrasts<'_> {
    /// The mean of $f(x')$.
    pub fn base(&self) -> f64 {
        self.base
    }

    /// Means and variances of the differences of `points` to the reference.
    pub fn moments(&self, points: &Points) -> Moments {
        self.posterior.relative_utilities(points, &self.reference)
    }

    /// The difference at `x`, one item, with its gradients in the features of $x$:
    /// $$ \nabla m=G T^{-1}\bar w,\qquad
    ///    \nabla v=\nabla k(x,x)-2\nabla k(x,x')+2G T^{-1}\big(R^{-\top}(\psi-\psi')-(\varphi-\varphi')\big), $$
    /// with $G$ the gradient of the covariances with the nodes, $\varphi=T^{-\top}k$ and $\psi=R^{-1}\varphi$. It follows from
    /// $v=k(x,x)+k(x',x')-2k(x,x')-|\varphi-\varphi'|^2+|\psi-\psi'|^2$.
    ///
    /// # Panics
    /// If `x` is not one item.
    pub fn gradient(&self, x: &Points) -> ContrastGradient {
        let (posterior, kernel) = (self.posterior, &self.posterior.kernel);
        let e = posterior.embed(x);
        let (phi, psi) = (e.features.col(0), e.shrunk.col(0));
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let g = posterior.node_gradient(x);
        let own = kernel.diagonal(x)[0];
        let prior = own + self.own - 2.0 * kernel.cross(x, &self.reference)[(0, 0)];
        let left = (prior - squared_distance(phi, &self.features)).max(0.0);

        // By symmetry both ends of k(x, x) contribute the same.
        let d_own: Vec<f64> = kernel.gradient_in_inputs(x, x).col(0).iter().map(|g| 2.0 * g).collect();
        let mut d_variance = d_own.clone();
        axpy(-2.0, kernel.gradient_in_inputs(x, &self.reference).col(0), &mut d_variance);
        let along = posterior.pull(&minus(phi, &self.features), &minus(psi, &self.shrunk));
        axpy(2.0, &g.times(&along), &mut d_variance);
        let mut d_own_variance = d_own;
        axpy(2.0, &g.times(&posterior.pull(phi, psi)), &mut d_own_variance);
        ContrastGradient {
            mean: e.mean[0] - self.base,
            variance: left + squared_distance(psi, &self.shrunk),
            d_mean: g.times(&self.weights),
            d_variance,
            own_variance: (own - dot(phi, phi)).max(0.0) + dot(psi, psi),
            d_own_variance,
        }
    }
}
