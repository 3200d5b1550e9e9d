//! How far are variances by messages from the exact ones?

use serde::{Deserialize, Serialize};

use super::Precision;
use rather_numerics::random::{stream, uniform};

/// The errors of variances by messages, at items drawn by lot.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Number of items drawn.
    pub items: usize,
    /// The largest error of a variance, relative to the exact one.
    pub largest: f64,
    /// The mean relative error, with its sign: negative if the variances are too small.
    pub mean: f64,
}

/// Errors of messages are far above what this leaves of the exact ones.
const TOLERANCE: f64 = 1e-7;

/// Holds the variances of nodes, `items` times one drawn under `seed`, against the exact ones: one system `Q x = u_i` each, by conjugate
/// gradients. `None` if they do not converge.
pub fn probe(precision: &Precision, items: usize, seed: u64) -> Option<Probe> {
    let nodes = precision.graph().nodes();
    let variances = precision.node_variances();
    let mut rng = stream(seed, 0);
    let mut drawn: Vec<usize> = (0..items).map(|_| (uniform(&mut rng) * nodes as f64) as usize).collect();
    drawn.sort_unstable();
    drawn.dedup();
    let (mut largest, mut total): (f64, f64) = (0.0, 0.0);
    for &i in &drawn {
        let mut unit = vec![0.0; nodes];
        unit[i] = 1.0;
        let exact = precision.solve_within(&unit, None, TOLERANCE)?[i];
        let error = variances[i] / exact - 1.0;
        largest = largest.max(error.abs());
        total += error;
    }
    Some(Probe { items: drawn.len(), largest, mean: total / drawn.len().max(1) as f64 })
}

/// The largest error of the variance of a difference by messages, relative to the exact one: of `pairs` edges and of as many pairs of nodes, drawn under
/// `seed`. Probabilities are about differences, in which what all nodes have in common, and messages lose on their way around loops, cancels. `None` if the
/// exact ones do not converge.
pub fn of_differences(precision: &Precision, pairs: usize, seed: u64) -> Option<f64> {
    let (graph, variances, along) =
        (precision.graph(), precision.node_variances(), precision.edge_variances());
    let mut rng = stream(seed, 1);
    let mut below = |n: usize| (uniform(&mut rng) * n as f64) as usize;
    let edges = (0..pairs).filter(|_| graph.edges() > 0).map(|_| graph.ends_of(below(graph.edges())));
    let edges: Vec<(usize, usize)> = edges.collect();
    let others: Vec<(usize, usize)> =
        (0..pairs).map(|_| (below(graph.nodes()), below(graph.nodes()))).collect();
    let mut largest: f64 = 0.0;
    for (i, j) in edges.into_iter().chain(others).filter(|(i, j)| i != j) {
        let mut apart = vec![0.0; graph.nodes()];
        (apart[i], apart[j]) = (1.0, -1.0);
        let x = precision.solve_within(&apart, None, TOLERANCE)?;
        let near = graph.edge(i, j).map_or(variances[i] + variances[j], |edge| along[edge]);
        largest = largest.max((near / (x[i] - x[j]) - 1.0).abs());
    }
    Some(largest)
}
