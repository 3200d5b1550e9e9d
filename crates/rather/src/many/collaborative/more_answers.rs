//! More answers of the same users: inference goes on from where it ended.

use std::collections::HashMap;

use super::state::{Problem, State};
use super::{Collaborative, Data, Prepared, UserPosterior};
use crate::Error;
use crate::inference::sites::Sites;
use crate::many::answers::{Record, UserAnswers};

impl Collaborative {
    /// This model fitted to other answers of the same users about the same items, `before` being those that it was fitted
    /// to: the same fixpoint as that of a fit from the start, up to the choice among several, in fewer cycles.
    ///
    /// # Errors
    /// [`Error::Length`] if there are other numbers of users, items or earlier answers; [`Error::ManyUsers`] for the
    /// published scheme; [`Error::Inference`].
    pub fn with_answers(&self, data: &Data<'_>, before: &UserAnswers) -> Result<Self, Error> {
        let same = [
            ("the users", self.users.low_rank.rest.len(), data.answers.users()),
            ("the users", data.answers.users(), before.users()),
            ("the items", self.items.len(), before.items()),
            ("the earlier answers", self.state.sites.tau.len(), before.records().len()),
        ];
        for (what, expected, found) in same {
            if expected != found {
                return Err(Error::Length { what, expected, found });
            }
        }
        if matches!(self.settings.scheme, super::Scheme::Published(_)) {
            return Err(Error::ManyUsers {
                model: "collaborative",
                problem: "cannot go on from an earlier fit in the published scheme; fit it afresh",
            });
        }
        let prepared = Prepared::new(data, self.items.kernel(), &self.users.prior, &self.settings)?;
        let state = self.carried(&prepared.problem(data.answers), before);
        let run = prepared.run(data.answers, state).ok_or(Error::Inference)?;
        let evidences = vec![run.log_evidence];
        prepared.finish(data.answers, run, evidences)
    }

    /// The state for `problem`: sites of answers that were there before, none for new ones.
    fn carried(&self, problem: &Problem<'_>, before: &UserAnswers) -> State {
        let answers = problem.answers;
        let key = |answers: &UserAnswers, r: &Record| {
            let said = answers.responses().replies[r.answer.0 as usize].key();
            (r.user, answers.edges()[r.edge], said, r.sign > 0.0)
        };
        let old: HashMap<_, usize> =
            before.records().iter().enumerate().map(|(n, r)| (key(before, r), n)).collect();
        let count = answers.records().len();
        let (mut sites, mut cavities) = (Sites::empty(count), Sites::empty(count));
        for (n, r) in answers.records().iter().enumerate() {
            if let Some(&m) = old.get(&key(answers, r)) {
                (sites.tau[n], sites.nu[n]) = (self.state.sites.tau[m], self.state.sites.nu[m]);
                (cavities.tau[n], cavities.nu[n]) = (self.state.cavities.tau[m], self.state.cavities.nu[m]);
            }
        }
        let known = self.items.known();
        let mut items = self.state.items.clone();
        for (half, covariance) in items.iter_mut().zip(&self.covariances) {
            let mean = half.posterior.weights.clone();
            let function = UserPosterior { mean, covariance: covariance.clone(), scale: 1.0 };
            let at_pairs = function.projections(&known, answers.edges());
            (half.posterior.mean, half.posterior.variance) = (at_pairs.mean, at_pairs.variance);
        }
        let mut state = State {
            sites,
            cavities,
            mean: vec![0.0; count],
            variance: vec![0.0; count],
            weights: self.state.weights.clone(),
            items,
            skipped: 0,
        };
        state.refresh_moments(problem);
        state
    }
}
