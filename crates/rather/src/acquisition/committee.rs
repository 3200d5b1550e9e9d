//! Query by committee: disagreement among draws of the utilities.

use rand_chacha::ChaCha8Rng;

use super::entropy;
use super::{AcquisitionFunction, AnswerModel, Candidates, Component, Goal, PairScore, Setting};
use crate::Error;
use crate::posterior::Sampler;
use rather_numerics::linalg::Matrix;
use rather_numerics::random::stream;
use rather_numerics::watch;

/// Draws of the utilities that vote on comparisons, each for the answer that it makes most probable: for the item it likes more, or for a
/// tie or a grade.
///
/// # References
/// Freund, Seung, Shamir and Tishby, *Selective sampling using the query by committee algorithm* (1997), Machine Learning
/// 28; Houlsby et al. (2012), supplement, section 5.
#[derive(Debug, Clone)]
pub struct Committee {
    /// One item a column, one member a row.
    utilities: Matrix,
    /// The component that each member is drawn from.
    components: Vec<usize>,
}

impl Committee {
    /// A committee of so many draws.
    pub fn new(sampler: &Sampler, members: usize, rng: &mut ChaCha8Rng) -> Self {
        let (components, draws): (Vec<usize>, Vec<Vec<f64>>) =
            (0..members).take_while(|_| !watch::ends()).map(|_| sampler.draw_of(rng)).unzip();
        let items = draws.first().map_or(0, Vec::len);
        Self {
            utilities: Matrix::from_fn(draws.len(), items, |member, item| draws[member][item]),
            components,
        }
    }

    /// The entropy of the members' votes on items `i` and `j`, in bits: the more evenly they are split the larger. As the
    /// number of members grows it becomes the entropy of the noiseless answer.
    pub fn disagreement(&self, i: usize, j: usize) -> f64 {
        let votes = self.utilities.col(i).iter().zip(self.utilities.col(j)).filter(|(a, b)| a > b).count();
        self.entropy([votes, self.utilities.rows() - votes].into_iter())
    }

    /// The same where `answers` has what may be answered to a component's draws of `i` against `j`.
    fn disagreement_of<'a>(&self, i: usize, j: usize, answers: impl Fn(usize) -> &'a AnswerModel) -> f64 {
        let mut votes: Vec<usize> = Vec::new();
        for ((a, b), &component) in
            self.utilities.col(i).iter().zip(self.utilities.col(j)).zip(&self.components)
        {
            let vote = answers(component).most_probable(a - b);
            votes.resize(votes.len().max(vote + 1), 0);
            votes[vote] += 1;
        }
        self.entropy(votes.into_iter())
    }

    fn entropy(&self, votes: impl Iterator<Item = usize>) -> f64 {
        entropy::of_shares(votes.map(|votes| votes as f64 / self.utilities.rows().max(1) as f64))
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
        let &Candidates { components, setting, seed, .. } = candidates;
        let committee = Committee::new(&candidates.sampler()?, setting as usize, &mut stream(seed, 1));
        if components.iter().all(Component::is_plain) {
            return Ok(Box::new(move |i, j| committee.disagreement(i, j)));
        }
        Ok(Box::new(move |i, j| {
            committee.disagreement_of(i, j, |component| components[component].answers(i, j))
        }))
    }
}
