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
