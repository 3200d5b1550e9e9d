//! A prior of low rank plus a diagonal: a function of the features by inducing items, and an effect of each item's own.
//!
//! Utilities are `f = F'w + e` with `w ~ N(0, I)` and `e ~ N(0, D)`, where `D` also has what the features leave of an item's variance (FITC: Snelson and
//! Ghahramani 2006). Given `w` the answers leave `e` the precision `Q = D^-1 + Lambda`, as sparse as the comparisons are. With `H = Q^-1 D^-1 F'` the weights
//! have the precision `M = I + F Lambda H` and, under shifts `s`, the mean `M^-1 H's`, so that `Cov f = Q^-1 + H M^-1 H'` and `E f = Q^-1 s + H E w`
//! (Woodbury's identity). A sweep takes a sparse factor, the entries of its inverse along the comparisons, as many solves as there are features, and what a
//! prior of low rank takes.

use super::Outcome;
use super::low_rank_gradient::{self, Fixpoint};
use super::observations::{Edge, Observation};
use super::prior::{Absorbed, GaussianPrior, Prior};
use super::sparse::{Field, Precision};
use crate::kernel::Kernel;
use crate::points::Points;
use rather_numerics::linalg::{
    self, Matrix, dot, solve_lower, solve_lower_transposed, solve_lower_transposed_vec, squared_distance,
};

/// The prior at one setting of its hyperparameters.
#[derive(Debug, Clone)]
pub struct LowRankDiagonal<'a> {
    features: Prior,
    field: &'a Field,
    /// The variance of the items' own effects.
    variance: f64,
    /// The diagonal, item by item.
    diagonal: Vec<f64>,
}

impl<'a> LowRankDiagonal<'a> {
    /// The prior of low rank `features` of `kernel` plus own effects of the given variance, for the items and the projections of the graph of `field`.
    pub fn new(features: Prior, kernel: &Kernel, points: &Points, field: &'a Field, variance: f64) -> Self {
        let mut diagonal = kernel.diagonal(points);
        for (node, &item) in features.order.iter().enumerate() {
            let column = features.features.col(node);
            diagonal[item] = variance + (diagonal[item] - dot(column, column)).max(0.0);
        }
        Self { features: Prior { rest: Vec::new(), ..features }, field, variance, diagonal }
    }

    /// `H'`, a column a node.
    fn moved(&self, own: &Precision) -> Option<Matrix> {
        let Prior { features, order, .. } = &self.features;
        let (rank, nodes) = (features.rows(), features.cols());
        let mut solved = Matrix::zeros(nodes, rank);
        for (node, &item) in order.iter().enumerate() {
            let of_item = self.diagonal[item];
            features.col(node).iter().enumerate().for_each(|(k, x)| solved[(item, k)] = x / of_item);
        }
        own.solve_all(&mut solved)?;
        Some(Matrix::from_fn(rank, nodes, |k, node| solved[(order[node], k)]))
    }

    /// The gradient of the log evidence at a fixpoint in the logarithms of the parameters of `kernel`, of which the features are, and of the variance of
    /// the own effects. Both go through the derivatives in the diagonal, `(a a' - Lambda + Lambda Cov(f) Lambda)_ii / 2` with `a` the scatter of
    /// `b = nu - tau z`. `None` if the posterior is not one of such a prior.
    pub fn gradient(
        &self,
        kernel: &Kernel,
        points: &Points,
        observations: &[Observation],
        outcome: &Outcome,
    ) -> Option<(Vec<f64>, f64)> {
        let prior = &self.features;
        let at = Fixpoint::of(outcome, observations, prior.edges.len());
        let Absorbed { half, variance, precision, factor, .. } = &outcome.posterior;
        let mut taken = Matrix::zeros(half.rows(), half.cols());
        prior.times_laplacian(half, &at.tau, &mut taken);
        let a = prior.scatter(&at.b);
        let without = self.without_features(precision.as_deref()?, &at.tau, half, variance);
        let mut of_items = vec![0.0; prior.order.len()];
        for (node, &item) in prior.order.iter().enumerate() {
            let column = taken.col(node);
            of_items[item] =
                0.5 * (a[node] * a[node] + dot(column, column) - without[item] / self.diagonal[item]);
        }
        solve_lower_transposed(factor, &mut taken);
        let own = self.variance * of_items.iter().sum::<f64>();
        Some((low_rank_gradient::in_kernel_of_items(kernel, points, prior, &at, taken, &of_items), own))
    }

    /// `(Lambda Q^-1)_ii` of all items: a sum over the projections at an item, of variances of which none is much larger than the difference that is asked
    /// for.
    fn without_features(&self, own: &Precision, tau: &[f64], half: &Matrix, variance: &[f64]) -> Vec<f64> {
        let of_items = own.node_variances();
        let mut out = vec![0.0; of_items.len()];
        let Prior { edges, item_edges, .. } = &self.features;
        for (((edge, item), tau), variance) in edges.iter().zip(item_edges).zip(tau).zip(variance) {
            let between = variance - along(half, edge);
            let plus = item.plus();
            match item.minus() {
                None => out[plus] += tau * of_items[plus],
                Some(minus) => {
                    let apart = of_items[plus] - of_items[minus];
                    out[plus] += 0.5 * tau * (between + apart);
                    out[minus] += 0.5 * tau * (between - apart);
                }
            }
        }
        out
    }
}

impl GaussianPrior for LowRankDiagonal<'_> {
    fn projections(&self) -> usize {
        self.features.edges.len()
    }

    fn absorb_into(&self, tau: &[f64], nu: &[f64], earlier: Absorbed) -> Option<Absorbed> {
        let Absorbed { mut factor, variance, .. } = earlier;
        let inverse = self.diagonal.iter().map(|d| 1.0 / d).collect();
        let own = self.field.precision(inverse, Vec::new(), tau, None)?;
        let of_items = own.solve(&self.field.scatter(nu))?;
        let prior = &self.features;
        let mut half = self.moved(&own)?;
        let mut seen = Matrix::zeros(half.rows(), half.cols());
        prior.times_laplacian(&half, tau, &mut seen);
        factor.resize(half.rows(), half.rows());
        linalg::identity_plus_symmetric_product(&prior.features, &seen, prior.triangular, &mut factor);
        if !linalg::cholesky(&mut factor) {
            return None;
        }
        solve_lower(&factor, &mut half);
        let mut weights = half.times(&prior.scatter(nu));
        let mut nodes = half.transpose_times(&weights);
        nodes.iter_mut().zip(&prior.order).for_each(|(sum, &item)| *sum += of_items[item]);
        solve_lower_transposed_vec(&factor, &mut weights);
        let mut variance = self.field.variances(&own, variance);
        variance.iter_mut().zip(&prior.edges).for_each(|(sum, edge)| *sum += along(&half, edge));
        let of_weights = 2.0 * (0..half.rows()).map(|i| factor[(i, i)].ln()).sum::<f64>();
        let before: f64 = self.diagonal.iter().map(|d| d.ln()).sum();
        Some(Absorbed {
            mean: prior.project(&nodes),
            variance,
            log_det: of_weights + own.log_det() + before,
            precision: Some(Box::new(own)),
            weights,
            half,
            factor,
            ..Absorbed::default()
        })
    }

    /// All of it: the gradient asks for what the features add.
    fn keep(&self, posterior: Absorbed) -> Absorbed {
        posterior
    }

    fn shift(&self, posterior: &Absorbed, x: &[f64]) -> Vec<f64> {
        let Absorbed { half, precision, .. } = posterior;
        let mut nodes = half.transpose_times(&half.times(&self.features.scatter(x)));
        if let Some(own) = precision.as_ref().and_then(|own| own.solve(&self.field.scatter(x))) {
            nodes.iter_mut().zip(&self.features.order).for_each(|(sum, &item)| *sum += own[item]);
        }
        self.features.project(&nodes)
    }
}

/// What the features add to the variance of a projection.
fn along(half: &Matrix, edge: &Edge) -> f64 {
    let plus = half.col(edge.plus());
    edge.minus().map_or_else(|| dot(plus, plus), |minus| squared_distance(plus, half.col(minus)))
}
