//! The choice among the samplers.

use rand_chacha::ChaCha8Rng;

use super::chains::{self, Length};
use super::differences::NoisyDifferences;
use super::ep_slice::EpSlice;
use super::gibbs::Gibbs;
use super::liness;
use super::minimax::{self, Accepted};
use super::settings::{ExactSettings, Sampler};
use super::tilting::MinimaxTilting;
use crate::Error;
use rather_numerics::linalg::Matrix;
use rather_numerics::watch;

/// Share of proposals that minimax tilting must accept to be chosen by [`Sampler::Auto`].
const WORTHWHILE: f64 = 0.03;
/// Share below which it gives up when it was asked for by name.
const HOPELESS: f64 = 1e-5;

/// Draws of the noisy differences.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The sampler that drew.
    pub sampler: Sampler,
    /// One draw a column, one matrix a chain.
    pub chains: Vec<Matrix>,
    /// Share of proposals accepted, for minimax tilting.
    pub acceptance: Option<f64>,
}

/// Draws the noisy differences by the sampler asked for, or by the best one; `around` is EP's Gaussian, from draws of which
/// Markov chains start.
///
/// # Errors
/// [`Error::Acceptance`] and [`Error::Inference`] as [`minimax::sample`], [`MinimaxTilting::new`] and [`Gibbs::new`].
pub fn draw(
    differences: &NoisyDifferences,
    around: &EpSlice,
    settings: &ExactSettings,
) -> Result<Drawn, Error> {
    let sampler = match settings.sampler {
        Sampler::Auto if differences.len() <= minimax::MOST_VARIABLES && !differences.is_singular() => {
            match tilted(differences, settings, WORTHWHILE) {
                Err(Error::Acceptance { .. } | Error::Inference) => Sampler::EpSlice,
                other => return other,
            }
        }
        Sampler::Auto => Sampler::EpSlice,
        sampler => sampler,
    };
    let walk = |step: &(dyn Fn(&mut Vec<f64>, &mut ChaCha8Rng) + Sync)| {
        let &ExactSettings { chains, burn_in, thinning, seed, .. } = settings;
        let start = |rng: &mut ChaCha8Rng| {
            let z = around.draw(differences, rng);
            differences.start(&z, rng)
        };
        chains::run(Length { chains, kept: settings.kept(), burn_in, thinning }, seed, start, step)
    };
    let chains = match sampler {
        Sampler::Auto | Sampler::MinimaxTilting => return tilted(differences, settings, HOPELESS),
        Sampler::Gibbs => {
            check_regular(differences)?;
            let gibbs = Gibbs::new(differences.covariance())?;
            walk(&|y, rng| gibbs.sweep(y, rng))
        }
        Sampler::LinEss => walk(&|y, rng| liness::iterate(differences, y, rng)),
        Sampler::EpSlice => walk(&|y, rng| around.iterate(differences, y, rng)),
    };
    watch::check()?;
    Ok(Drawn { sampler, chains, acceptance: None })
}

fn tilted(differences: &NoisyDifferences, settings: &ExactSettings, lowest: f64) -> Result<Drawn, Error> {
    check_regular(differences)?;
    let tilting = MinimaxTilting::new(&differences.covariance())?;
    let Accepted { chains, acceptance } =
        minimax::sample(&tilting, settings.kept(), settings.chains, settings.seed, lowest)?;
    Ok(Drawn { sampler: Sampler::MinimaxTilting, chains, acceptance: Some(acceptance) })
}

/// Whether the covariance of the noisy differences has an inverse.
fn check_regular(differences: &NoisyDifferences) -> Result<(), Error> {
    if differences.is_singular() {
        return Err(crate::Unsupported::NoisyDifferences.into());
    }
    Ok(())
}
