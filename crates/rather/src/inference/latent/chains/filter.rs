//! Filtering: comparisons absorbed in the order of their times.

use std::ops::Range;

use super::ChainsPrior;
use super::sweep::{Messages, Sweeper, without};
use crate::inference::Factors;
use crate::inference::observations::Observation;
use crate::likelihood::Likelihoods;

/// Comparisons absorbed in the order of their times, each predicted from those before it.
pub struct Filter<'a> {
    sweeper: Sweeper<'a>,
}

impl ChainsPrior {
    /// Nothing absorbed yet of comparisons whose observations begin at [`begins`].
    pub fn filter<'a>(
        &'a self,
        observations: &'a [Observation],
        begins: &'a [usize],
        likelihoods: &'a Likelihoods,
    ) -> Filter<'a> {
        let messages = Messages::empty(&self.chains.shape, observations.len());
        Filter { sweeper: Sweeper::new(self, (observations, begins), likelihoods, Factors::Pair, messages) }
    }
}

impl Filter<'_> {
    /// The comparisons in the order of their times.
    pub fn order(&self) -> &[u32] {
        &self.sweeper.shape.order
    }

    /// The mean and variance of a comparison's difference, by what was absorbed.
    pub fn predict(&mut self, edge: usize) -> (f64, f64) {
        let shape = self.sweeper.shape;
        let (mut mean, mut variance) = (0.0, 0.0);
        for touch in shape.touches.of(edge) {
            let node = shape.touches.node[touch] as usize;
            self.sweeper.enter(node, true);
            let (m, v) = without(self.sweeper.marginal(touch, node), self.sweeper.messages.said[touch]);
            mean += m;
            variance += v;
        }
        (mean, variance)
    }

    /// Absorbs the comparisons at these places of the order, forwards.
    pub fn absorb(&mut self, range: Range<usize>) {
        self.sweeper.pass(range, true);
    }

    /// Goes back and forth once over comparisons that were absorbed. Returns the largest mismatch of moments.
    pub fn refine(&mut self, range: Range<usize>) -> f64 {
        self.sweeper.pass(range.clone(), false);
        self.sweeper.pass(range, true)
    }
}
