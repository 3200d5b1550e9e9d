//! How to sample.

use serde::{Deserialize, Serialize};

use super::orthant::Quadrature;
use crate::Error;

/// Which sampler draws the noisy differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampler {
    /// Minimax tilting where it accepts at least 3 % for up to 200 comparisons, else [`Sampler::EpSlice`].
    #[default]
    Auto,
    /// Accept-reject with minimax tilting: independent draws, for up to some hundred comparisons
    /// ([`minimax`](super::minimax)).
    MinimaxTilting,
    /// Single-site Gibbs sampling, to compare with what others publish: it mixes badly where comparisons repeat or the
    /// noise is low ([`gibbs`](super::gibbs)).
    Gibbs,
    /// Linear elliptical slice sampling and data augmentation in turn: needs no approximation, and mixes slowly for many
    /// comparisons of low noise ([`liness`](super::liness)).
    LinEss,
    /// As [`Sampler::LinEss`], and elliptical slice sampling around EP's Gaussian: mixes within a few iterations
    /// ([`ep_slice`](super::ep_slice)).
    EpSlice,
}

/// How to sample, and how finely to integrate the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactSettings {
    /// Draws that are kept, over all chains; each chain keeps at least 4. Default 4,000.
    pub samples: usize,
    /// Markov chains, run side by side. Default 4.
    pub chains: usize,
    /// Iterations of a chain before the first draw is kept. Default 500. Minimax tilting needs none.
    pub burn_in: usize,
    /// Iterations of a chain for each draw that is kept. Default 10. Minimax tilting needs none.
    pub thinning: usize,
    /// The number that all randomness is derived from. Default 0.
    pub seed: u64,
    /// The sampler. Default [`Sampler::Auto`].
    pub sampler: Sampler,
    /// How finely to integrate the evidence.
    pub quadrature: Quadrature,
}

impl Default for ExactSettings {
    fn default() -> Self {
        Self {
            samples: 4_000,
            chains: 4,
            burn_in: 500,
            thinning: 10,
            seed: 0,
            sampler: Sampler::Auto,
            quadrature: Quadrature::default(),
        }
    }
}

impl ExactSettings {
    /// Draws that each chain keeps.
    pub fn kept(&self) -> usize {
        self.samples.div_ceil(self.chains.max(1)).max(4)
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        for (name, value) in [("chains", self.chains), ("samples", self.samples), ("thinning", self.thinning)]
        {
            if value == 0 {
                let requirement = "it must be at least 1";
                return Err(Error::Parameter { name: name.into(), value: 0.0, requirement });
            }
        }
        Ok(())
    }
}
