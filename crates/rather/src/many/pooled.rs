//! Everyone as one: all answers taken for those of a single person.

use super::answers::UserAnswers;
use super::items::Items;
use super::per_user::PerUser;
use super::report::Report;
use super::responses::UserResponses;
use super::user_posterior::UserPosterior;
use super::{UserModel, check_user};
use crate::Error;
use crate::answers::Answers;
use crate::kernel::Kernel;
use crate::likelihood::Values;
use crate::points::Points;

/// One posterior for all users.
#[derive(Debug, Clone)]
pub struct Pooled {
    everyone: PerUser,
    users: usize,
    answers: Answers,
}

impl Pooled {
    /// Fits all answers together at a given kernel and values of the likelihoods' parameters, of which the noise of an item is the first. As
    /// users differ, it should be larger than for one person, or the kernel's variance smaller.
    ///
    /// # Errors
    /// As [`PerUser::fit`].
    pub fn fit(
        points: &Points,
        answers: &UserAnswers,
        kernel: &Kernel,
        values: impl Into<Values>,
    ) -> Result<Self, Error> {
        Ok(Self::of(PerUser::fit(points, &answers.pooled(), kernel, values)?, answers))
    }
}

impl UserModel for Pooled {
    fn items(&self) -> &Items {
        self.everyone.items()
    }

    fn users(&self) -> usize {
        self.users
    }

    fn responses(&self) -> &UserResponses {
        self.everyone.responses()
    }

    fn report(&self) -> &Report {
        self.everyone.report()
    }

    fn user(&self, user: usize) -> Result<UserPosterior, Error> {
        check_user(user, self.users)?;
        self.everyone.user(0)
    }

    /// A newcomer is one more voice: the answers join everyone else's. Features of users say nothing here.
    fn newcomer(&self, _features: Option<&Points>, answers: &Answers) -> Result<UserPosterior, Error> {
        // Errors name the newcomer's own rows.
        self.responses().of_newcomer(self.items().len(), answers)?;
        self.everyone.newcomer(None, &self.answers.iter().chain(answers.iter()).collect())
    }
}

/// What a file needs to hold.
impl Pooled {
    /// All answers as one person's.
    pub(in crate::many) fn everyone(&self) -> &PerUser {
        &self.everyone
    }

    /// The model of a posterior of all `answers` as one person's.
    pub(in crate::many) fn of(everyone: PerUser, answers: &UserAnswers) -> Self {
        Self { everyone, users: answers.users(), answers: answers.answers().collect() }
    }
}
