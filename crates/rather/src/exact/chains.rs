//! Markov chains, several side by side.

use rand_chacha::ChaCha8Rng;

use rather_numerics::linalg::Matrix;
use rather_numerics::random::stream;
use rather_numerics::watch::Steps;
use rather_numerics::{parallel, watch};

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
    let Length { chains, kept, burn_in, thinning } = length;
    let steps = Steps::start("sampling", chains * (burn_in + kept * thinning));
    parallel::map(chains, 1, |chain| {
        let mut rng = stream(seed, chain as u64);
        let mut state = start(&mut rng);
        let mut advance = |iterations: usize| {
            for _ in (0..iterations).take_while(|_| !watch::ends()) {
                step(&mut state, &mut rng);
                steps.add(1);
            }
            state.clone()
        };
        let first = advance(burn_in);
        let mut out = Matrix::zeros(first.len(), kept);
        for j in (0..kept).take_while(|_| !watch::ends()) {
            out.col_mut(j).copy_from_slice(&advance(thinning));
        }
        out
    })
}
