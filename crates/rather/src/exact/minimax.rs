//! Exact, independent draws by accept-reject with minimax tilting.

use rand_chacha::ChaCha8Rng;

use super::tilting::MinimaxTilting;
use crate::Error;
use rather_numerics::linalg::Matrix;
use rather_numerics::random::{stream, uniform};
use rather_numerics::watch::Steps;
use rather_numerics::{parallel, watch};

/// Comparisons up to which accept-reject is worth a try.
pub const MOST_VARIABLES: usize = 200;
/// Proposals from which the rate of acceptance is judged.
const PILOT: usize = 1_000;

/// What accept-reject gave.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// Draws of the noisy differences, one a column; one matrix a chain.
    pub chains: Vec<Matrix>,
    /// The share of proposals that were accepted.
    pub acceptance: f64,
}

/// Draws `samples` times `chains` independent vectors $y\sim\mathcal N(0,S)$ given $y>0$: a proposal of weight
/// $e^{\psi}$ is accepted with probability $e^{\psi-\psi^\ast}$, $\psi^\ast$ the largest.
///
/// # Errors
/// [`Error::Acceptance`] if the acceptance is below `lowest_acceptance`, judged on 1,000 proposals or on the first
/// sample's cost, whichever is more.
pub fn sample(
    tilting: &MinimaxTilting,
    samples: usize,
    chains: usize,
    seed: u64,
    lowest_acceptance: f64,
) -> Result<Accepted, Error> {
    let most = |accepted: usize| PILOT + (accepted as f64 / lowest_acceptance) as usize;
    let steps = Steps::start("sampling", samples * chains);
    let run = |chain: usize| {
        let mut rng = stream(seed, chain as u64);
        let mut out = Matrix::zeros(tilting.len(), samples);
        let mut z = vec![0.0; tilting.len()];
        let (mut accepted, mut proposals) = (0, 0);
        while accepted < samples {
            watch::check()?;
            if proposals >= most(accepted) {
                return Err(Error::Acceptance { accepted, proposals });
            }
            proposals += 1;
            if accept(tilting, &mut z, out.col_mut(accepted), &mut rng) {
                accepted += 1;
                steps.add(1);
            }
        }
        Ok((out, proposals))
    };
    let runs = parallel::map(chains, 1, run).into_iter().collect::<Result<Vec<_>, _>>()?;
    let proposals: usize = runs.iter().map(|(_, n)| n).sum();
    let acceptance = (samples * chains) as f64 / proposals as f64;
    Ok(Accepted { chains: runs.into_iter().map(|(y, _)| y).collect(), acceptance })
}

/// Makes one proposal; whether it is accepted.
fn accept(tilting: &MinimaxTilting, z: &mut [f64], y: &mut [f64], rng: &mut ChaCha8Rng) -> bool {
    let log_weight = tilting.propose(|_| uniform(rng), z, y);
    uniform(rng).ln() < log_weight - tilting.bound()
}
