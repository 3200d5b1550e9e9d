//! Markov chains, several side by side.

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::linalg::Matrix;
use crate::random::stream;

/// How long to run.
#[derive(Debug, Clone, Copy)]
pub struct Length {
    /// Chains.
    pub chains: usize,
    /// Draws kept of each.
    pub kept: usize,
    /// Iterations before the first is kept.
    pub burn_in: usize,
    /// Iterations from one that is kept to the next.
    pub thinning: usize,
}

/// Runs chains that start at `start` and move by `step`, each on its own stream of random numbers, so that the number of
/// threads does not matter. Returns one matrix a chain, one state a column.
pub fn run(
    length: Length,
    seed: u64,
    start: impl Fn(&mut ChaCha8Rng) -> Vec<f64> + Sync,
    step: impl Fn(&mut Vec<f64>, &mut ChaCha8Rng) + Sync,
) -> Vec<Matrix> {
    (0..length.chains as u64)
        .into_par_iter()
        .map(|chain| {
            let mut rng = stream(seed, chain);
            let mut state = start(&mut rng);
            for _ in 0..length.burn_in {
                step(&mut state, &mut rng);
            }
            let mut out = Matrix::zeros(state.len(), length.kept);
            for j in 0..length.kept {
                for _ in 0..length.thinning {
                    step(&mut state, &mut rng);
                }
                out.col_mut(j).copy_from_slice(&state);
            }
            out
        })
        .collect()
}
