//! The gradient of the log evidence in the prior covariance.
//!
//! `d log Z = sum_ij G_ij dC_ij` over items, with `G = (b b' - R) / 2`, `b = (I + Lambda C)^-1 h` and
//! `R = Lambda (I + C Lambda)^-1` (specification 1; EP's fixpoint makes the sites' own change vanish).
//! Laplace adds `(q b' + b q') / 2` for the curvature that moves with the mode, `q = (I + Lambda C)^-1 u`.

use super::Outcome;
use super::laplace::posterior_shift;
use super::observations::Observation;
use super::prior::{Prior, Space, scatter};
use crate::linalg::{Matrix, axpy, solve_lower, subtract_gram};

/// `G` over items (symmetric, `items x items`).
pub fn in_covariance(prior: &Prior, observations: &[Observation], outcome: &Outcome) -> Matrix {
    let (tau, nu) = outcome.sites.by_edge(observations, prior.edges.len());
    let mut g = precision_taken(prior, outcome, &tau);
    for x in g.data_mut() {
        *x *= -0.5;
    }
    let b = residual_shift(&nu, &tau, &outcome.posterior.mean);
    let b = scatter(&prior.item_edges, &b, prior.items);
    add_outer(&mut g, &b, &b, 0.5);
    if let Some(pull) = &outcome.implicit {
        let moved = posterior_shift(prior, &outcome.posterior, pull);
        let q = scatter(&prior.item_edges, &residual_shift(pull, &tau, &moved), prior.items);
        add_outer(&mut g, &q, &b, 0.5);
        add_outer(&mut g, &b, &q, 0.5);
    }
    g
}

/// `x - tau z`, edge by edge: `(I + Lambda C)^-1` applied to a shift `x` whose posterior mean is `z`.
fn residual_shift(x: &[f64], tau: &[f64], z: &[f64]) -> Vec<f64> {
    x.iter().zip(tau).zip(z).map(|((x, t), z)| x - t * z).collect()
}

/// `R = Lambda - Lambda Sigma Lambda` over items.
fn precision_taken(prior: &Prior, outcome: &Outcome, tau: &[f64]) -> Matrix {
    let nodes = prior.features.cols();
    let mut half = Matrix::zeros(prior.rank(), nodes);
    prior.features_times_laplacian(tau, &mut half);
    solve_lower(&outcome.posterior.factor, &mut half);
    let mut r = laplacian(prior, tau);
    subtract_gram(&mut r, &half);
    match prior.space {
        Space::Items => r,
        Space::Duels => over_items(prior, &r),
    }
}

fn laplacian(prior: &Prior, tau: &[f64]) -> Matrix {
    let nodes = prior.features.cols();
    let mut out = Matrix::zeros(nodes, nodes);
    for (edge, &t) in prior.edges.iter().zip(tau) {
        out[(edge.plus, edge.plus)] += t;
        if let Some(minus) = edge.minus {
            out[(minus, minus)] += t;
            out[(edge.plus, minus)] -= t;
            out[(minus, edge.plus)] -= t;
        }
    }
    out
}

/// `A' R A` for `R` over pairs.
fn over_items(prior: &Prior, r: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(prior.items, prior.items);
    for (n, right) in prior.item_edges.iter().enumerate() {
        let column = scatter(&prior.item_edges, r.col(n), prior.items);
        axpy(1.0, &column, out.col_mut(right.plus));
        if let Some(minus) = right.minus {
            axpy(-1.0, &column, out.col_mut(minus));
        }
    }
    out
}

fn add_outer(g: &mut Matrix, a: &[f64], b: &[f64], scale: f64) {
    for (j, &bj) in b.iter().enumerate() {
        axpy(scale * bj, a, g.col_mut(j));
    }
}
