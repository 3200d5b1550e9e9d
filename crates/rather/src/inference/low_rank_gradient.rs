//! The gradient of the log evidence in the kernel's parameters, and in where the inducing items are, for a prior of low rank.
//!
//! With `b = nu - tau z`, `B = I + Phi Lambda Phi'` and `a` the scatter of `b` over the items, the evidence changes with the features as
//! `G = (Phi a) a' - B^-1 Phi Lambda`, and with each `d` as `d log Z / d d_e` (the sites do not count: they are at their fixpoint). Through
//! `d_e = k_pref - |p|^2` comes `- 2 Phi Lambda_d`, the Laplacian weighted with these derivatives. As the evidence depends on inner products of
//! features only, `d phi = T^-T dk - T^-T dK T^-1 phi / 2` says how they change with the kernel.

use super::Outcome;
use super::gradient::residual_shift;
use super::observations::Observation;
use super::prior::Prior;
use crate::kernel::Kernel;
use crate::linalg::{Matrix, axpy, product_transposed, solve_lower, solve_lower_transposed};
use crate::points::Points;

/// How the evidence changes with the covariances that features are made of.
struct Weights {
    /// With those between inducing items and all nodes.
    across: Matrix,
    /// With those among inducing items.
    among: Matrix,
}

impl Weights {
    /// `V = T^-1 G` and, with `A = T^-1 Phi`, the symmetric part of `-V A' / 2`.
    fn new(prior: &Prior, outcome: &Outcome, tau: &[f64], b: &[f64]) -> Self {
        let rank = prior.rank();
        let pivots = Matrix::from_fn(rank, rank, |i, j| prior.features[(i, j)]);
        let (mut v, mut a) = (in_features(prior, outcome, tau, b, &outcome.d_rest), prior.features.clone());
        solve_lower(&pivots, &mut v);
        solve_lower(&pivots, &mut a);
        let half = product_transposed(&v, &a);
        let among = Matrix::from_fn(rank, rank, |i, j| -0.25 * (half[(i, j)] + half[(j, i)]));
        Self { across: v, among }
    }
}

/// The gradient in the logarithms of the kernel's parameters. `points` are those that the prior was made of.
pub fn in_kernel(
    kernel: &Kernel,
    points: &Points,
    prior: &Prior,
    observations: &[Observation],
    outcome: &Outcome,
) -> Vec<f64> {
    let (tau, nu) = outcome.sites.by_edge(observations, prior.edges.len());
    let b = residual_shift(&nu, &tau, &outcome.posterior.mean);
    let left = &outcome.d_rest;
    let weights = Weights::new(prior, outcome, &tau, &b);
    let nodes = points.select(&prior.order);
    let inducing = points.select(&prior.order[..prior.rank()]);
    let mut out = kernel.gradient_across(&inducing, &nodes, &weights.across);
    let mut add = |part: Vec<f64>| out.iter_mut().zip(part).for_each(|(sum, g)| *sum += g);
    add(kernel.gradient(&inducing, &weights.among));
    let mut own = vec![0.0; points.len()];
    for (edge, &d) in prior.item_edges.iter().zip(left) {
        own[edge.plus] += d;
        if let Some(minus) = edge.minus {
            own[minus] += d;
        }
    }
    add(kernel.gradient_of_diagonal(points, &own));
    let between: Vec<f64> = left.iter().map(|d| -2.0 * d).collect();
    add(kernel.gradient_between_pairs(points, &prior.item_edges, &between));
    out
}

/// The gradient in the features of the inducing items, `points.dims() x rank`, column `r` for the item `prior.order[r]` of `points`: how the
/// evidence changes if it is moved, and the items compared stay where they are. Inducing items need not be compared: they may stand
/// after the compared ones in `points`, anywhere.
pub fn in_inducing_inputs(
    kernel: &Kernel,
    points: &Points,
    prior: &Prior,
    observations: &[Observation],
    outcome: &Outcome,
) -> Matrix {
    let (tau, nu) = outcome.sites.by_edge(observations, prior.edges.len());
    let b = residual_shift(&nu, &tau, &outcome.posterior.mean);
    let Weights { across, among } = Weights::new(prior, outcome, &tau, &b);
    let nodes = points.select(&prior.order);
    let mut out = Matrix::zeros(points.dims(), prior.rank());
    for r in 0..prior.rank() {
        let slopes = kernel.gradient_in_inputs(&points.select(&[prior.order[r]]), &nodes);
        let column = out.col_mut(r);
        for j in 0..nodes.len() {
            let with_itself = if j < prior.rank() { 2.0 * among[(r, j)] } else { 0.0 };
            axpy(across[(r, j)] + with_itself, slopes.col(j), column);
        }
    }
    out
}

/// `G` in the features of all nodes.
fn in_features(prior: &Prior, outcome: &Outcome, tau: &[f64], b: &[f64], left: &[f64]) -> Matrix {
    let (rank, nodes) = (prior.rank(), prior.features.cols());
    let mut g = Matrix::zeros(rank, nodes);
    prior.features_times_laplacian(tau, &mut g);
    let factor = &outcome.posterior.factor;
    solve_lower(factor, &mut g);
    solve_lower_transposed(factor, &mut g);
    g.data_mut().iter_mut().for_each(|x| *x = -*x);
    let a = prior.scatter(b);
    let weights = prior.features.times(&a);
    let mut rest = Matrix::zeros(rank, nodes);
    prior.features_times_laplacian(left, &mut rest);
    for (node, &a) in a.iter().enumerate() {
        let column = g.col_mut(node);
        axpy(a, &weights, column);
        axpy(-2.0, rest.col(node), column);
    }
    g
}
