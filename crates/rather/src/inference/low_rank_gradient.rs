//! The gradient of the log evidence in the kernel's parameters, for a prior of low rank.
//!
//! With `b = nu - tau z`, `B = I + Phi Lambda Phi'` and `a` the scatter of `b` over the items, the evidence changes with the features as
//! `G = (Phi a) a' - B^-1 Phi Lambda` (and `Phi a` is the mean of the weights), and with each `d` as `d log Z / d d_e` (the sites do not count: they are at their fixpoint). Through
//! `d_e = k_pref - |p|^2` comes `- 2 Phi Lambda_d`, the Laplacian weighted with these derivatives. As the evidence depends on inner products of
//! features only, `d phi = T^-T dk - T^-T dK T^-1 phi / 2` says how they change with the kernel.

use super::Outcome;
use super::gradient::residual_shift;
use super::observations::Observation;
use super::prior::Prior;
use crate::kernel::Kernel;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, axpy, product_transposed, solve_lower, solve_lower_transposed};

/// What the gradient needs of a fixpoint of expectation propagation. With all comparisons in one place it is that of an [`Outcome`]; a block
/// of comparisons has its own, under the belief that all blocks share.
#[derive(Debug, Clone)]
pub struct Fixpoint<'a> {
    /// Cholesky factor of `B`.
    pub factor: &'a Matrix,
    /// The mean of the features' weights, which is `Phi a`.
    pub weights: &'a [f64],
    /// Precision of the sites on each projection.
    pub tau: Vec<f64>,
    /// `nu - tau z` of each projection.
    pub b: Vec<f64>,
    /// The derivative of the log evidence in each `d`.
    pub left: &'a [f64],
}

impl<'a> Fixpoint<'a> {
    /// That of all comparisons together.
    pub fn of(outcome: &'a Outcome, observations: &[Observation], projections: usize) -> Self {
        let (tau, nu) = outcome.sites.by_edge(observations, projections);
        let posterior = &outcome.posterior;
        let b = residual_shift(&nu, &tau, &posterior.mean);
        Self { factor: &posterior.factor, weights: &posterior.weights, tau, b, left: &outcome.d_rest }
    }
}

/// How the evidence changes with the covariances that features are made of.
struct Weights {
    /// With those between inducing items and all nodes.
    across: Matrix,
    /// With those among inducing items.
    among: Matrix,
}

impl Weights {
    /// `V = T^-1 G` and, with `A = T^-1 Phi`, the symmetric part of `-V A' / 2`.
    fn new(prior: &Prior, g: Matrix) -> Self {
        let rank = prior.rank();
        let pivots = Matrix::from_fn(rank, rank, |i, j| prior.features[(i, j)]);
        let (mut v, mut a) = (g, prior.features.clone());
        solve_lower(&pivots, &mut v);
        solve_lower(&pivots, &mut a);
        let half = product_transposed(&v, &a);
        let among = Matrix::from_fn(rank, rank, |i, j| -0.25 * (half[(i, j)] + half[(j, i)]));
        Self { across: v, among }
    }
}

/// The gradient in the logarithms of the kernel's parameters. `points` are those that the prior was made of.
pub fn in_kernel(kernel: &Kernel, points: &Points, prior: &Prior, at: &Fixpoint<'_>) -> Vec<f64> {
    let mut taken = Matrix::zeros(prior.rank(), prior.features.cols());
    prior.features_times_laplacian(&at.tau, &mut taken);
    solve_lower(at.factor, &mut taken);
    solve_lower_transposed(at.factor, &mut taken);
    let mut g = in_features(prior, at, taken);
    let mut rest = Matrix::zeros(prior.rank(), prior.features.cols());
    prior.features_times_laplacian(at.left, &mut rest);
    axpy(-2.0, rest.data(), g.data_mut());
    let mut own = vec![0.0; points.len()];
    for (edge, &d) in prior.item_edges.iter().zip(at.left) {
        own[edge.plus()] += d;
        if let Some(minus) = edge.minus() {
            own[minus] += d;
        }
    }
    let mut out = through_features(kernel, points, prior, g);
    let mut add = |part: Vec<f64>| out.iter_mut().zip(part).for_each(|(sum, g)| *sum += g);
    add(kernel.gradient_of_diagonal(points, &own));
    let between: Vec<f64> = at.left.iter().map(|d| -2.0 * d).collect();
    add(kernel.gradient_between_pairs(points, &prior.item_edges, &between));
    out
}

/// As [`in_kernel`], given `B^-1 Phi Lambda`, where what the features leave is of every item instead of every projection: `left` are the derivatives of the
/// log evidence in that.
pub(super) fn in_kernel_of_items(
    kernel: &Kernel,
    points: &Points,
    prior: &Prior,
    at: &Fixpoint<'_>,
    taken: Matrix,
    left: &[f64],
) -> Vec<f64> {
    let mut g = in_features(prior, at, taken);
    for (node, &item) in prior.order.iter().enumerate() {
        axpy(-2.0 * left[item], prior.features.col(node), g.col_mut(node));
    }
    let mut out = through_features(kernel, points, prior, g);
    out.iter_mut().zip(kernel.gradient_of_diagonal(points, left)).for_each(|(sum, g)| *sum += g);
    out
}

/// The part of the gradient that goes through the features, `G` that in them.
fn through_features(kernel: &Kernel, points: &Points, prior: &Prior, g: Matrix) -> Vec<f64> {
    let weights = Weights::new(prior, g);
    let nodes = points.select(&prior.order);
    let inducing = points.select(&prior.order[..prior.rank()]);
    let mut out = kernel.gradient_across(&inducing, &nodes, &weights.across);
    out.iter_mut().zip(kernel.gradient(&inducing, &weights.among)).for_each(|(sum, g)| *sum += g);
    out
}

/// `G` in the features of all nodes, given `B^-1 Phi Lambda`, but for what goes through that which they leave.
fn in_features(prior: &Prior, at: &Fixpoint<'_>, taken: Matrix) -> Matrix {
    let mut g = taken;
    g.data_mut().iter_mut().for_each(|x| *x = -*x);
    let a = prior.scatter(&at.b);
    a.iter().enumerate().for_each(|(node, &a)| axpy(a, at.weights, g.col_mut(node)));
    g
}
