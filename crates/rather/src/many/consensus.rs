//! Everyone as one: all answers taken for those of a single person.

use super::answers::UserAnswers;
use super::items::Items;
use super::per_user::PerUser;
use super::report::Report;
use super::user_posterior::UserPosterior;
use super::{UserModel, check_user};
use crate::answers::check_comparisons;
use crate::kernel::Kernel;
use crate::likelihood::Probit;
use crate::points::Points;
use crate::{Comparison, Error};

/// One posterior for all users.
#[derive(Debug, Clone)]
pub struct Consensus {
    everyone: PerUser,
    users: usize,
    comparisons: Vec<Comparison>,
}

impl Consensus {
    /// Fits all answers together at a given kernel; `noise` is per item. As users differ, it should be larger than for
    /// one person, or the kernel's variance smaller.
    ///
    /// # Errors
    /// As [`PerUser::fit`].
    pub fn fit(points: &Points, answers: &UserAnswers, kernel: &Kernel, noise: f64) -> Result<Self, Error> {
        let everyone = PerUser::fit(points, &pooled(answers)?, kernel, noise)?;
        let comparisons = (0..answers.users()).flat_map(|u| answers.comparisons(u)).collect();
        Ok(Self { everyone, users: answers.users(), comparisons })
    }
}

/// The same answers, given by one user.
///
/// # Errors
/// None for answers that were checked once.
pub fn pooled(answers: &UserAnswers) -> Result<UserAnswers, Error> {
    UserAnswers::new(1, answers.items(), answers.answers().map(|answer| answer.by(0)))
}

impl UserModel for Consensus {
    fn items(&self) -> &Items {
        self.everyone.items()
    }

    fn users(&self) -> usize {
        self.users
    }

    fn likelihood(&self) -> &Probit {
        self.everyone.likelihood()
    }

    fn report(&self) -> &Report {
        self.everyone.report()
    }

    fn user(&self, user: usize) -> Result<UserPosterior, Error> {
        check_user(user, self.users)?;
        self.everyone.user(0)
    }

    /// A newcomer is one more voice: the answers join everyone else's. Features of users say nothing here.
    fn newcomer(&self, _features: Option<&Points>, answers: &[Comparison]) -> Result<UserPosterior, Error> {
        check_comparisons(self.items().len(), answers)?;
        let all: Vec<Comparison> = self.comparisons.iter().chain(answers).copied().collect();
        self.everyone.newcomer(None, &all)
    }
}

/// What a file needs to hold.
impl Consensus {
    /// All answers as one person's.
    pub(in crate::many) fn everyone(&self) -> &PerUser {
        &self.everyone
    }

    /// The model of a posterior of all `answers` as one person's.
    pub(in crate::many) fn of(everyone: PerUser, answers: &UserAnswers) -> Self {
        let comparisons = (0..answers.users()).flat_map(|u| answers.comparisons(u)).collect();
        Self { everyone, users: answers.users(), comparisons }
    }
}
