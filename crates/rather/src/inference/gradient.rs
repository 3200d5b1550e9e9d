//! The gradient of the log evidence in the prior covariance.
//!
//! `d log Z = sum_ij G_ij dC_ij` over items, with `G = (b b' - R) / 2`, `b = (I + Lambda C)^-1 h` and
//! `R = Lambda (I + C Lambda)^-1` (EP's fixpoint makes the sites' own change vanish).
//! Laplace adds `(q b' + b q') / 2` for the curvature that moves with the mode, `q = (I + Lambda C)^-1 u`.

use super::Outcome;
use super::observations::{Edge, Observation};
use super::prior::{Absorbed, GaussianPrior, Prior, Space, scatter};
use rather_numerics::linalg::{Matrix, axpy, solve_lower, subtract_gram};

/// `G` over items (symmetric, `items x items`) and the items that its rows stand for. Uses up the prior and the
/// outcome, so that no more than three matrices of that size are held at once.
pub fn in_covariance(prior: Prior, observations: &[Observation], outcome: Outcome) -> (Matrix, Vec<usize>) {
    let (tau, nu) = outcome.sites.by_edge(observations, prior.edges.len());
    let b = residual_shift(&nu, &tau, &outcome.posterior.mean);
    let q = outcome.implicit.map(|pull| {
        let moved = prior.shift(&outcome.posterior, &pull);
        residual_shift(&pull, &tau, &moved)
    });
    let (edges, order) = match prior.space {
        Space::Items => (prior.edges.clone(), prior.order.clone()),
        Space::Pairs => (prior.item_edges.clone(), (0..prior.items).collect()),
    };
    let mut g = precision_taken(prior, outcome.posterior, &tau);
    for x in g.data_mut() {
        *x *= -0.5;
    }
    let b = scatter(&edges, &b, order.len());
    add_outer(&mut g, &b, &b, 0.5);
    if let Some(q) = q {
        let q = scatter(&edges, &q, order.len());
        add_outer(&mut g, &q, &b, 0.5);
        add_outer(&mut g, &b, &q, 0.5);
    }
    (g, order)
}

/// `x - tau z`, edge by edge: `(I + Lambda C)^-1` applied to a shift `x` whose posterior mean is `z`.
pub(super) fn residual_shift(x: &[f64], tau: &[f64], z: &[f64]) -> Vec<f64> {
    x.iter().zip(tau).zip(z).map(|((x, t), z)| x - t * z).collect()
}

/// `R = Lambda - Lambda Sigma Lambda`: over nodes in item space, over items in duel space.
fn precision_taken(prior: Prior, posterior: Absorbed, tau: &[f64]) -> Matrix {
    let Absorbed { factor, half: mut half_r, .. } = posterior;
    half_r.resize(prior.rank(), prior.features.cols());
    prior.features_times_laplacian(tau, &mut half_r);
    solve_lower(&factor, &mut half_r);
    drop(factor);
    let Prior { edges, item_edges, items, space, features, order, .. } = prior;
    drop(features);
    let mut r = laplacian(&edges, half_r.cols(), tau);
    subtract_gram(&mut r, &half_r);
    match space {
        Space::Items => r,
        Space::Pairs => {
            let pairs: Vec<Edge> = order.iter().map(|&pair| item_edges[pair]).collect();
            over_items(&pairs, items, &r)
        }
    }
}

/// `A' diag(tau) A` over nodes.
pub(crate) fn laplacian(edges: &[Edge], nodes: usize, tau: &[f64]) -> Matrix {
    let mut out = Matrix::zeros(nodes, nodes);
    for (edge, &t) in edges.iter().zip(tau) {
        out[(edge.plus(), edge.plus())] += t;
        if let Some(minus) = edge.minus() {
            out[(minus, minus)] += t;
            out[(edge.plus(), minus)] -= t;
            out[(minus, edge.plus())] -= t;
        }
    }
    out
}

/// `A' R A` for `R` over pairs.
fn over_items(item_edges: &[Edge], items: usize, r: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(items, items);
    for (n, right) in item_edges.iter().enumerate() {
        let column = scatter(item_edges, r.col(n), items);
        axpy(1.0, &column, out.col_mut(right.plus()));
        if let Some(minus) = right.minus() {
            axpy(-1.0, &column, out.col_mut(minus));
        }
    }
    out
}

/// `G <- G + scale a b'`.
pub(crate) fn add_outer(g: &mut Matrix, a: &[f64], b: &[f64], scale: f64) {
    for (j, &bj) in b.iter().enumerate() {
        axpy(scale * bj, a, g.col_mut(j));
    }
}
