//! The probability of being the best item.

use rand_chacha::ChaCha8Rng;

use super::{AcquisitionFunction, Candidates, Goal, PairScore};
use crate::Error;
use crate::posterior::Sampler;
use rather_numerics::random::stream;

/// Draws by which the probability of being best is found.
const DRAWS: usize = 1_000;

/// For each item the share of `draws` draws of the utilities in which it is the best: numbers that add up to 1.
///
/// # References
/// Russo, *Simple Bayesian algorithms for best-arm identification* (2020), Operations Research 68: sampling by the
/// probability of being best.
pub fn probabilities(sampler: &Sampler, draws: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut wins: Vec<f64> = Vec::new();
    for _ in 0..draws {
        let utilities = sampler.draw(rng);
        wins.resize(utilities.len(), 0.0);
        if let Some(best) = arg_max(&utilities) {
            wins[best] += 1.0 / draws as f64;
        }
    }
    wins
}

/// The position of the largest number, the first of several.
pub(crate) fn arg_max(x: &[f64]) -> Option<usize> {
    (0..x.len()).rev().max_by(|&a, &b| x[a].total_cmp(&x[b]))
}

/// `best`: the sum of both items' [`probabilities`].
#[derive(Debug)]
pub struct ProbabilityBest;

impl AcquisitionFunction for ProbabilityBest {
    fn name(&self) -> &'static str {
        "best"
    }

    fn title(&self) -> &'static str {
        "likely to be the best"
    }

    fn meaning(&self) -> &'static str {
        "the probability that one of the two is the best of all"
    }

    fn goal(&self) -> Goal {
        Goal::Best
    }

    fn prepare<'a>(&'a self, candidates: &Candidates<'a>) -> Result<PairScore<'a>, Error> {
        let p = probabilities(&candidates.sampler()?, DRAWS, &mut stream(candidates.seed, 1));
        Ok(Box::new(move |i, j| p[i] + p[j]))
    }
}
