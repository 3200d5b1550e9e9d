//! An acquisition function ready for the pairs of a finite set of candidates.

use super::pool::Scored;
use super::{Acquisition, Candidates, Component, PairScore};
use crate::Error;

/// An acquisition function together with what is believed of some candidates, and draws from it if it needs any: it scores
/// pairs of candidates by their positions.
pub struct Prepared<'a> {
    items: usize,
    score: PairScore<'a>,
    symmetric: bool,
}

impl<'a> Prepared<'a> {
    /// Makes `acquisition` ready for the candidates of `components`. For a function that
    /// [conditions on a draw](super::AcquisitionFunction::conditions_on_a_draw) they must be of that posterior
    /// ([`super::believer::components`]).
    ///
    /// # Errors
    /// As [`super::AcquisitionFunction::prepare`].
    pub fn new(acquisition: Acquisition, components: &'a [Component<'a>], seed: u64) -> Result<Self, Error> {
        let candidates = Candidates { components, setting: acquisition.setting, seed };
        let score = acquisition.function.prepare(&candidates)?;
        let symmetric = acquisition.is_symmetric() && components.iter().all(Component::is_symmetric);
        Ok(Self { items: components.first().map_or(0, |c| c.len()), score, symmetric })
    }

    /// The number of candidates.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The value of the comparison of `challenger` with `opponent`.
    pub fn challenge(&self, challenger: usize, opponent: usize) -> f64 {
        (self.score)(challenger, opponent)
    }

    /// The comparison of two candidates neither of which is given: in the better order, the given one if there is no better.
    pub fn pair(&self, i: usize, j: usize) -> Scored {
        let one = Scored { challenger: i, opponent: j, score: self.challenge(i, j) };
        if self.symmetric {
            return one;
        }
        let other = Scored { challenger: j, opponent: i, score: self.challenge(j, i) };
        if other.score > one.score || one.score.is_nan() { other } else { one }
    }
}
