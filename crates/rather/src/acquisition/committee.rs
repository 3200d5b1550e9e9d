//! Query by committee: disagreement among draws of the utilities.

use rand_chacha::ChaCha8Rng;

use super::entropy;
use super::{AcquisitionFunction, Candidates, Goal, PairScore, Setting};
use crate::Error;
use crate::posterior::Sampler;
use rather_numerics::linalg::Matrix;
use rather_numerics::random::stream;
use rather_numerics::watch;

/// Draws of the utilities that vote on comparisons, each for the item it likes more.
///
/// # References
/// Freund, Seung, Shamir and Tishby, *Selective sampling using the query by committee algorithm* (1997), Machine Learning
/// 28; Houlsby et al. (2012), supplement, section 5.
#[derive(Debug, Clone)]
pub struct Committee {
    /// One item a column, one member a row.
    utilities: Matrix,
}

impl Committee {
    /// A committee of so many draws.
    pub fn new(sampler: &Sampler<'_>, members: usize, rng: &mut ChaCha8Rng) -> Self {
        let draws: Vec<Vec<f64>> =
            (0..members).take_while(|_| !watch::ends()).map(|_| sampler.draw(rng)).collect();
        let items = draws.first().map_or(0, Vec::len);
        Self { utilities: Matrix::from_fn(draws.len(), items, |member, item| draws[member][item]) }
    }

    /// The entropy of the members' votes on items `i` and `j`, in bits: the more evenly they are split the larger. As the
    /// number of members grows it becomes the entropy of the noiseless answer.
    pub fn disagreement(&self, i: usize, j: usize) -> f64 {
        let votes = self.utilities.col(i).iter().zip(self.utilities.col(j)).filter(|(a, b)| a > b).count();
        entropy::of_share(votes as f64 / self.utilities.rows().max(1) as f64)
    }
}

/// `committee:10`: [`Committee::disagreement`] of so many members.
#[derive(Debug)]
pub struct QueryByCommittee;

impl AcquisitionFunction for QueryByCommittee {
    fn name(&self) -> &'static str {
        "committee"
    }

    fn title(&self) -> &'static str {
        "most disputed (query by committee)"
    }

    fn meaning(&self) -> &'static str {
        "disagreement of draws of the utilities about the answer, in bits"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn setting(&self) -> Setting {
        Setting::Integer { default: 10, least: 2, most: 100_000 }
    }

    fn prepare<'a>(&'a self, candidates: &Candidates<'a>) -> Result<PairScore<'a>, Error> {
        let &Candidates { joint, setting, seed, .. } = candidates;
        let committee = Committee::new(&joint.sampler()?, setting as usize, &mut stream(seed, 1));
        Ok(Box::new(move |i, j| committee.disagreement(i, j)))
    }
}
