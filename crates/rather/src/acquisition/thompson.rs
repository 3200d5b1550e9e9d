//! Dueling Thompson sampling.

use rand_chacha::ChaCha8Rng;

use super::{AcquisitionFunction, Candidates, Goal, PairScore};
use crate::Error;
use crate::posterior::Sampler;
use rather_numerics::random::stream;

/// Two independent draws of the utilities: the challenger is the best item of the first, its opponent (unless it is given)
/// the best of the second.
///
/// # References
/// Sui, Zhuang, Burdick and Yue, *Multi-dueling bandits with dependent arms* (2017), UAI (self-sparring); González, Dai,
/// Damianou and Lawrence, *Preferential Bayesian optimization* (2017), ICML, section 3.3, for the idea.
#[derive(Debug, Clone)]
pub struct Thompson {
    challenger: Vec<f64>,
    opponent: Vec<f64>,
}

impl Thompson {
    /// Two draws.
    pub fn new(sampler: &Sampler, rng: &mut ChaCha8Rng) -> Self {
        Self { challenger: sampler.draw(rng), opponent: sampler.draw(rng) }
    }

    /// The first draw's utility of the challenger plus the second's of the opponent.
    pub fn score(&self, challenger: usize, opponent: usize) -> f64 {
        self.challenger[challenger] + self.opponent[opponent]
    }
}

/// `thompson`: [`Thompson`].
#[derive(Debug)]
pub struct DuelingThompson;

impl AcquisitionFunction for DuelingThompson {
    fn name(&self) -> &'static str {
        "thompson"
    }

    fn title(&self) -> &'static str {
        "best of a draw each (Thompson sampling)"
    }

    fn meaning(&self) -> &'static str {
        "the sum of two drawn utilities, one a side"
    }

    fn goal(&self) -> Goal {
        Goal::Best
    }

    fn is_symmetric(&self) -> bool {
        false
    }

    fn prepare<'a>(&'a self, candidates: &Candidates<'a>) -> Result<PairScore<'a>, Error> {
        let draws = Thompson::new(&candidates.sampler()?, &mut stream(candidates.seed, 1));
        Ok(Box::new(move |challenger, opponent| draws.score(challenger, opponent)))
    }
}
