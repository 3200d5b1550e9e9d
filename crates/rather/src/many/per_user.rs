//! Every user alone: the single-user model (Chu and Ghahramani 2005) once a user, with one kernel for all.

mod saved;

use super::alone::UserProblem;
use super::answers::UserAnswers;
use super::common_prior::{Answered, CommonPrior};
use super::evidences::Evidences;
use super::items::Items;
use super::report::{Notice, Report};
use super::responses::UserResponses;
use super::user_posterior::UserPosterior;
use super::{UserModel, check_user};
use crate::Error;
use crate::answers::Answers;
use crate::inference::{Settings, Status};
use crate::kernel::Kernel;
use crate::learn::{Hyperparameters, maximise_elsewhere};
use crate::likelihood::Values;
use crate::points::Points;
use rather_numerics::parallel;

/// One posterior a user, each from that user's answers only. Someone who has said nothing is the prior: a coin toss.
#[derive(Debug, Clone)]
pub struct PerUser {
    pub(super) items: Items,
    responses: UserResponses,
    pub(super) prior: CommonPrior,
    /// `None` for a user without answers.
    pub(super) users: Vec<Option<Answered>>,
    pub(super) report: Report,
    settings: Settings,
}

impl PerUser {
    /// Fits every user at a given kernel and values of the likelihoods' parameters, of which the noise of an item is the first (a difference has
    /// `s = sqrt(2) noise`).
    ///
    /// # Errors
    /// [`Error::Covariance`], [`Error::Inference`], [`Error::Length`] if items and answers do not fit.
    pub fn fit(
        points: &Points,
        answers: &UserAnswers,
        kernel: &Kernel,
        values: impl Into<Values>,
    ) -> Result<Self, Error> {
        let items = Items::new(kernel, points, None)?;
        let prior = CommonPrior::of_kernel(&items);
        Self::under(prior, items, answers, &values.into(), &[], &Settings::default())
    }

    /// Fits every user under a common prior, from earlier results if there are any.
    pub(super) fn under(
        prior: CommonPrior,
        items: Items,
        answers: &UserAnswers,
        values: &Values,
        earlier: &[Option<Answered>],
        settings: &Settings,
    ) -> Result<Self, Error> {
        if items.len() != answers.items() {
            let (expected, found) = (answers.items(), items.len());
            return Err(Error::Length { what: "the items' features", expected, found });
        }
        let responses = UserResponses::new(answers, values.clone());
        let one = |u: usize| {
            if answers.of_user(u).is_empty() {
                return Ok(None);
            }
            let start = earlier.get(u).and_then(Option::as_ref);
            prior.infer(answers.observations(u), responses.likelihoods(), start, settings).map(Some)
        };
        let users: Vec<Option<Answered>> =
            parallel::map(answers.users(), 1, one).into_iter().collect::<Result<_, Error>>()?;
        let report = report(&users);
        Ok(Self { items, responses, prior, users, report, settings: *settings })
    }

    /// Learns one kernel for all users, and the parameters of the likelihoods: the sum of their log evidences, times the hyperparameters' weak
    /// priors.
    /// The noise stays as it is.
    ///
    /// # Errors
    /// As [`Problem::evaluate`](crate::evidence::Problem::evaluate) at the start.
    pub fn learn(
        points: &Points,
        answers: &UserAnswers,
        start: &Hyperparameters,
    ) -> Result<Hyperparameters, Error> {
        let mut evidences = Evidences::new(points, answers);
        let mut still = start.clone();
        let noise = still.noise_index();
        still.entries[noise].fixed = true;
        let found = maximise_elsewhere(&still, |here| evidences.at(here))?.hyperparameters;
        let values: Vec<f64> = found.entries.iter().map(|e| e.value).collect();
        let mut out = start.clone();
        out.set(&values)?;
        Ok(out)
    }
}

impl PerUser {
    /// The problem of one user.
    ///
    /// # Errors
    /// [`Error::NewUser`]; [`Error::NoComparisons`] for a user without answers.
    pub(in crate::many) fn alone(&self, user: usize) -> Result<UserProblem<'_>, Error> {
        check_user(user, self.users.len())?;
        let answered = self.users[user].clone().ok_or(Error::NoComparisons)?;
        Ok(UserProblem { prior: &self.prior, likelihoods: self.responses.likelihoods(), answered })
    }
}

/// The users' runs together.
fn report(users: &[Option<Answered>]) -> Report {
    let said = || users.iter().flatten();
    let silent = users.len() - said().count();
    let worst = said().map(|a| a.residual).fold(0.0, f64::max);
    let status =
        if said().all(|a| a.status == Status::Converged) { Status::Converged } else { Status::Limit };
    let cycles = said().map(|a| a.sweeps).max().unwrap_or(0);
    let mut notices = Vec::new();
    if silent > 0 {
        notices.push(Notice::Silent { users: silent });
    }
    if status != Status::Converged {
        notices.push(Notice::NotConverged { residual: worst, cycles });
    }
    let log_evidence = said().map(|a| a.log_evidence).sum();
    Report { log_evidence, status, residual: worst, cycles, skipped: 0, starts: vec![log_evidence], notices }
}

impl UserModel for PerUser {
    fn items(&self) -> &Items {
        &self.items
    }

    fn users(&self) -> usize {
        self.users.len()
    }

    fn responses(&self) -> &UserResponses {
        &self.responses
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn user(&self, user: usize) -> Result<UserPosterior, Error> {
        check_user(user, self.users.len())?;
        match &self.users[user] {
            Some(answered) => self.prior.posterior(answered),
            None => Ok(self.prior.as_posterior()),
        }
    }

    /// Features of users say nothing here.
    fn newcomer(&self, _features: Option<&Points>, answers: &Answers) -> Result<UserPosterior, Error> {
        let (observations, likelihoods) = self.responses.of_newcomer(self.items.len(), answers)?;
        if answers.is_empty() {
            return Ok(self.prior.as_posterior());
        }
        let answered = self.prior.infer(observations, &likelihoods, None, &self.settings)?;
        self.prior.posterior(&answered)
    }
}
