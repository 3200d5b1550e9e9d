//! Sparse precisions: the factor and the inverse's entries against dense ones, messages against both.

use std::sync::Arc;

use proptest::prelude::*;
use rather::Comparison;
use rather::inference::ep;
use rather::inference::gradient;
use rather::inference::observations::Observations;
use rather::inference::prior::{GaussianPrior, Prior, Space};
use rather::inference::sites::Sites;
use rather::inference::sparse::{Field, Limits, Neighbours, Precision, SparsePrior, graph::Graph, probe};
use rather::inference::{Outcome, Settings, Status};
use rather::likelihood::Likelihoods;
use rather::linalg::sparse::SparsePattern;
use rather::linalg::{Matrix, cholesky, inverse_from_cholesky};
use rather::random::{stream, uniform};

/// Nothing is factorised: messages are passed.
const MESSAGES: Limits = Limits { work: 0.0, bytes: 0 };

/// `diag(d) + Laplacian`, dense.
fn dense(diagonal: &[f64], ends: &[(usize, usize)], weights: &[f64]) -> Matrix {
    let mut q = Matrix::zeros(diagonal.len(), diagonal.len());
    diagonal.iter().enumerate().for_each(|(i, d)| q[(i, i)] = *d);
    for (&(i, j), w) in ends.iter().zip(weights) {
        q[(i, i)] += w;
        q[(j, j)] += w;
        q[(i, j)] -= w;
        q[(j, i)] -= w;
    }
    q
}

/// The inverse and the log determinant.
fn dense_inverse(mut q: Matrix) -> (Matrix, f64) {
    assert!(cholesky(&mut q));
    let log_det = 2.0 * (0..q.rows()).map(|i| q[(i, i)].ln()).sum::<f64>();
    (inverse_from_cholesky(&q), log_det)
}

fn symmetric(c: &Matrix, i: usize, j: usize) -> f64 {
    c[(i.max(j), i.min(j))]
}

fn difference(c: &Matrix, i: usize, j: usize) -> f64 {
    c[(i, i)] + c[(j, j)] - 2.0 * symmetric(c, i, j)
}

/// `edges` different pairs of `nodes` nodes, by lot.
fn random_pairs(nodes: usize, edges: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut rng = stream(seed, 7);
    let mut draw = || (uniform(&mut rng) * nodes as f64) as usize;
    let mut ends: Vec<(usize, usize)> = (0..edges)
        .map(|_| (draw(), draw()))
        .filter(|(i, j)| i != j)
        .map(|(i, j)| (i.min(j), i.max(j)))
        .collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

fn grid(side: usize) -> Vec<(usize, usize)> {
    let right = (0..side * side).filter(|i| i % side + 1 < side).map(|i| (i, i + 1));
    right.chain((0..side * (side - 1)).map(|i| (i, i + side))).collect()
}

/// A tree: every node but the first hangs on an earlier one.
fn tree(nodes: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut rng = stream(seed, 3);
    (1..nodes).map(|i| ((uniform(&mut rng) * i as f64) as usize, i)).collect()
}

fn numbers(n: usize, low: f64, high: f64, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, 11);
    (0..n).map(|_| low * (high / low).powf(uniform(&mut rng))).collect()
}

/// Relative closeness.
fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1e-300)
}

#[test]
fn factor_and_selected_inverse_equal_dense_ones() {
    let star: Vec<(usize, usize)> = (1..60).map(|i| (0, i)).collect();
    let clique: Vec<(usize, usize)> = (0..30).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
    let chain: Vec<(usize, usize)> = (1..200).map(|i| (i - 1, i)).collect();
    let cases = [
        (1, Vec::new()),
        (5, Vec::new()),
        (60, star),
        (30, clique),
        (200, chain),
        (12 * 12, grid(12)),
        (120, random_pairs(120, 180, 1)),
        (90, random_pairs(90, 900, 2)),
        (150, random_pairs(150, 60, 3)),
        (150, tree(150, 4)),
    ];
    for (nodes, ends) in cases {
        let (d, w) = (numbers(nodes, 0.01, 1.0, 5), numbers(ends.len(), 0.1, 10.0, 6));
        let pattern = Arc::new(SparsePattern::new(nodes, &ends).unwrap());
        let factor = pattern.factorise(&d, &w).unwrap();
        let (inverse, log_det) = dense_inverse(dense(&d, &ends, &w));
        let selected = factor.selected_inverse();
        // The condition number is at most 1e5, so twelve digits less five, and a margin of a thousand.
        assert!((factor.log_det() - log_det).abs() < 1e-9 * (1.0 + log_det.abs()));
        (0..nodes).for_each(|i| assert!(near(selected.diagonal[i], inverse[(i, i)], 1e-9)));
        let pairs: Vec<(usize, usize)> = (0..nodes).map(|i| (i, (i * 7 + 3) % nodes)).collect();
        let between = factor.difference_variances(&pairs);
        for (&(i, j), &v) in pairs.iter().zip(&between).filter(|((i, j), _)| i != j) {
            assert!(near(v, difference(&inverse, i, j), 1e-8), "{v} {}", difference(&inverse, i, j));
        }
        for (&(i, j), &c) in ends.iter().zip(&selected.between) {
            assert!((c - symmetric(&inverse, i, j)).abs() < 1e-9 * inverse[(i, i)].max(inverse[(j, j)]));
        }
        let mut x = Matrix::from_fn(nodes, 2, |i, j| if i == j % nodes { 1.0 } else { 0.0 });
        factor.solve(&mut x);
        (0..nodes)
            .for_each(|i| assert!((x[(i, 0)] - symmetric(&inverse, i, 0)).abs() < 1e-9 * inverse[(0, 0)]));
    }
}
