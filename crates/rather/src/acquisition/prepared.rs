//! An acquisition function ready for the pairs of a finite set of candidates.

use super::{Acquisition, Candidates, PairScore};
use crate::Error;
use crate::posterior::Joint;

/// An acquisition function together with a joint posterior over candidates, and draws from it if it needs any: it scores
/// pairs of candidates by their positions.
pub struct Prepared<'a> {
    joint: &'a Joint,
    score: PairScore<'a>,
    symmetric: bool,
}

impl<'a> Prepared<'a> {
    /// Makes `acquisition` ready for the candidates of `joint`; `s` is the standard deviation of the noise of a
    /// difference. For a function that [conditions on a draw](super::AcquisitionFunction::conditions_on_a_draw) the joint must be under that
    /// posterior ([`super::believer::posterior`]).
    ///
    /// # Errors
    /// As [`super::AcquisitionFunction::prepare`].
    pub fn new(acquisition: Acquisition, joint: &'a Joint, s: f64, seed: u64) -> Result<Self, Error> {
        let candidates = Candidates { joint, s, setting: acquisition.setting, seed };
        let score = acquisition.function.prepare(&candidates)?;
        Ok(Self { joint, score, symmetric: acquisition.is_symmetric() })
    }

    /// The candidates' posterior.
    pub fn joint(&self) -> &Joint {
        self.joint
    }

    /// The value of the comparison of `challenger` with `opponent`.
    pub fn challenge(&self, challenger: usize, opponent: usize) -> f64 {
        (self.score)(challenger, opponent)
    }

    /// The value of the comparison of two candidates neither of which is given: in the better order.
    pub fn pair(&self, i: usize, j: usize) -> f64 {
        if self.symmetric { self.challenge(i, j) } else { self.challenge(i, j).max(self.challenge(j, i)) }
    }
}
