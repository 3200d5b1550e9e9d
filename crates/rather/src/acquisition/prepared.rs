//! Acquisition functions ready for the pairs of a finite set of candidates.

use super::best;
use super::committee::Committee;
use super::qeubo::Qeubo;
use super::thompson::Thompson;
use super::{Acquisition, Contrast, random};
use crate::Error;
use crate::posterior::Joint;
use crate::random::stream;

/// Draws by which the probability of being best is found.
const BEST_DRAWS: usize = 1_000;

/// An acquisition function together with a joint posterior over candidates, and draws from it if it needs any: it scores
/// pairs of candidates by their positions.
#[derive(Debug)]
pub struct Prepared<'a> {
    acquisition: Acquisition,
    joint: &'a Joint,
    s: f64,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Closed,
    Votes(Committee),
    Draws(Thompson),
    Shares(Vec<f64>),
    Choice(Qeubo),
    Hash(u64),
}

impl<'a> Prepared<'a> {
    /// Makes `acquisition` ready for the candidates of `joint`; `s` is the standard deviation of the noise of a
    /// difference. For [`Acquisition::Believer`] the joint must be under its own posterior ([`super::believer::posterior`]).
    ///
    /// # Errors
    /// [`Error::Covariance`] if draws are needed and the covariance holds something that is not a number.
    pub fn new(acquisition: Acquisition, joint: &'a Joint, s: f64, seed: u64) -> Result<Self, Error> {
        let mut rng = stream(seed, 1);
        let kind = match acquisition {
            Acquisition::Committee { members } => {
                Kind::Votes(Committee::new(&joint.sampler()?, members, &mut rng))
            }
            Acquisition::Thompson => Kind::Draws(Thompson::new(&joint.sampler()?, &mut rng)),
            Acquisition::Best => Kind::Shares(best::probabilities(&joint.sampler()?, BEST_DRAWS, &mut rng)),
            Acquisition::Qeubo { .. } => Kind::Choice(Qeubo::new(2, seed)),
            Acquisition::Random => Kind::Hash(seed),
            _ => Kind::Closed,
        };
        Ok(Self { acquisition, joint, s, kind })
    }

    /// The candidates' posterior.
    pub fn joint(&self) -> &Joint {
        self.joint
    }

    /// The value of the comparison of `challenger` with `opponent`.
    pub fn challenge(&self, challenger: usize, opponent: usize) -> f64 {
        match &self.kind {
            Kind::Closed => self.closed_form(challenger, opponent),
            Kind::Votes(committee) => committee.disagreement(challenger, opponent),
            Kind::Draws(thompson) => thompson.score(challenger, opponent),
            Kind::Shares(p) => p[challenger] + p[opponent],
            Kind::Choice(qeubo) => qeubo.value(self.joint, &[challenger, opponent]),
            Kind::Hash(seed) => random::score(*seed, challenger, opponent),
        }
    }

    /// The value of the comparison of two candidates neither of which is given: in the better order.
    pub fn pair(&self, i: usize, j: usize) -> f64 {
        match self.kind {
            Kind::Draws(_) => self.challenge(i, j).max(self.challenge(j, i)),
            _ => self.challenge(i, j),
        }
    }

    fn closed_form(&self, challenger: usize, opponent: usize) -> f64 {
        let (mean, mut variance) = self.joint.difference(challenger, opponent);
        if self.acquisition.is_absolute() {
            variance = self.joint.covariance[(challenger, challenger)];
        }
        let contrast = Contrast { mean, variance, base: self.joint.mean[opponent] };
        self.acquisition.score(&contrast, self.s).map_or(f64::NAN, |score| score.value)
    }
}
