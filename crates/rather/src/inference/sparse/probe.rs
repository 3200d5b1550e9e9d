//! How far are variances by messages from the exact ones?

use serde::{Deserialize, Serialize};

use super::Precision;
use super::conjugate::Accuracy;
use rather_numerics::random::{stream, uniform};

/// The errors of the variances of differences by messages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Number of pairs drawn.
    pub pairs: usize,
    /// The largest error of a variance, relative to the exact one.
    pub largest: f64,
    /// The mean relative error, with its sign: negative if the variances are too small.
    pub mean: f64,
}

/// The residual of conjugate gradients, relative to the right side. A variance `b'Q^-1 b` is off by as much as its square times the condition of the scaled
/// precision: errors of messages that matter are far above.
const TOLERANCE: f64 = 1e-4;

/// Differences that are looked at before it is known whether more are needed: half along edges.
const FIRST: usize = 16;
/// An error this many times smaller than the largest allowed one, of the first, leaves no doubt.
const MARGIN: f64 = 4.0;

/// Holds the variances of differences against the exact ones: of edges and, in turn, of any two nodes, `pairs` altogether, drawn under `seed`, one system
/// `Q x = u_i - u_j` each, by conjugate gradients. No more are looked at once one is off by more than `allowed`, relative to the exact one, or the first are
/// all off by far less. Probabilities are about differences, in which what all nodes have in common, and messages lose on their way around loops, cancels.
/// `None` if they do not converge.
pub fn probe(precision: &Precision, pairs: usize, allowed: f64, seed: u64) -> Option<Probe> {
    let graph = precision.graph();
    let (variances, along) = (precision.node_variances(), precision.edge_variances());
    let mut rng = stream(seed, 1);
    let mut below = |n: usize| (uniform(&mut rng) * n as f64) as usize;
    let mut found = Probe { pairs: 0, largest: 0.0, mean: 0.0 };
    for k in 0..pairs {
        let (i, j) = match k % 2 {
            0 if graph.edges() > 0 => graph.ends_of(below(graph.edges())),
            _ => (below(graph.nodes()), below(graph.nodes())),
        };
        if i == j {
            continue;
        }
        let mut apart = vec![0.0; graph.nodes()];
        (apart[i], apart[j]) = (1.0, -1.0);
        let x = precision.solve_within(&apart, None, Accuracy::to(TOLERANCE))?;
        let near = graph.edge(i, j).map_or(variances[i] + variances[j], |edge| along[edge]);
        let error = near / (x[i] - x[j]) - 1.0;
        found.pairs += 1;
        found.largest = found.largest.max(error.abs());
        found.mean += (error - found.mean) / found.pairs as f64;
        let is_clear = found.pairs >= FIRST && found.largest <= allowed / MARGIN;
        if found.largest > allowed || is_clear {
            break;
        }
    }
    Some(found)
}
