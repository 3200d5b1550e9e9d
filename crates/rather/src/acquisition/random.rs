//! No preference among comparisons: the baseline.

use super::{AcquisitionFunction, Candidates, Goal, PairScore};
use crate::Error;
use rather_numerics::random::{stream, uniform};

/// A number from 0 to 1 that depends on the seed and the two items alone, in either order: the largest of many is a pair
/// drawn uniformly.
pub fn score(seed: u64, i: usize, j: usize) -> f64 {
    let (low, high) = (i.min(j) as u64, i.max(j) as u64);
    // Cantor's pairing function gives every pair a stream of its own.
    uniform(&mut stream(seed, (low + high) * (low + high + 1) / 2 + high))
}

/// `random`: [`score`].
#[derive(Debug)]
pub struct RandomPair;

impl AcquisitionFunction for RandomPair {
    fn name(&self) -> &'static str {
        "random"
    }

    fn title(&self) -> &'static str {
        "at random"
    }

    fn meaning(&self) -> &'static str {
        "random"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn prepare<'a>(&'a self, candidates: &Candidates<'a>) -> Result<PairScore<'a>, Error> {
        let &Candidates { seed, .. } = candidates;
        Ok(Box::new(move |i, j| score(seed, i, j)))
    }
}
