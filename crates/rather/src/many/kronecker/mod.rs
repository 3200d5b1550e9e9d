//! One utility function of user and item, with covariance `K_users x K_items` (Bonilla, Guo and Sanner 2010; Houlsby et al.
//! 2012, supplement, section 8; Abbasnejad, Bonilla and Sanner).
//!
//! Users with like features have like utilities. By EP, or by Laplace's approximation as in the first of these papers;
//! [`sparse`] keeps the most informative users and items only.

mod gradient;
mod learn;
mod prior;
mod projection;
mod saved;
#[doc(hidden)]
pub mod sparse;
mod users;

pub use learn::learn;

use self::sparse::Selection;
use super::answers::{Record, UserAnswers};
use super::common_prior::CommonPrior;
use super::items::Items;
use super::report::{Notice, Report};
use super::responses::UserResponses;
use super::user_posterior::UserPosterior;
use super::users::UserPrior;
use super::{UserModel, check_user};
use crate::Error;
use crate::answers::Answers;
use crate::inference::observations::Observation;
use crate::inference::sites::Sites;
use crate::inference::{self, Method, Outcome, Settings, Status};
use crate::kernel::Kernel;
use crate::likelihood::Values;
use crate::points::Points;
use prior::{Asked, KroneckerPrior, covariance_of, inverse};
use rather_numerics::linalg::Matrix;
use users::UserFeatures;

pub use super::collaborative::Data;

/// Choices of the Kronecker model.
#[derive(Debug, Clone, PartialEq)]
pub struct KroneckerSettings {
    /// EP or Laplace.
    pub method: Method,
    /// The noise of an item (a difference has `s = sqrt(2) noise`), and the other parameters of the likelihoods.
    pub values: Values,
    /// How far inference goes.
    pub inference: Settings,
}

impl Default for KroneckerSettings {
    fn default() -> Self {
        let noise = std::f64::consts::FRAC_1_SQRT_2;
        Self { method: Method::Ep, values: noise.into(), inference: Settings::default() }
    }
}

/// A fitted Kronecker model.
#[derive(Debug, Clone)]
pub struct Kronecker {
    items: Items,
    users: UserFeatures,
    prior: KroneckerPrior,
    observations: Vec<Observation>,
    settings: KroneckerSettings,
    responses: UserResponses,
    outcome: Outcome,
    /// `B^-1`.
    inverse: Matrix,
    report: Report,
}

impl Kronecker {
    /// Features of users times features of items that fit in memory: two matrices of this size are 1.2 gigabytes.
    pub(crate) const LARGEST: usize = 8_500;

    /// Fits the model at given kernels.
    ///
    /// # Errors
    /// [`Error::KroneckerSize`] if the two kernels have too many features together, [`Error::Covariance`],
    /// [`Error::Inference`], [`Error::Length`], and those of [`UserPrior::check`].
    pub fn fit(
        data: &Data<'_>,
        item_kernel: &Kernel,
        user_prior: &UserPrior,
        settings: &KroneckerSettings,
    ) -> Result<Self, Error> {
        Self::build(data, item_kernel, user_prior, settings, None, None)
    }

    /// Whether so many features of users and of items can be held together.
    ///
    /// # Errors
    /// [`Error::KroneckerSize`].
    pub fn check_size(users: usize, items: usize) -> Result<(), Error> {
        let features = users * items;
        if features > Self::LARGEST {
            Err(Error::KroneckerSize { features, limit: Self::LARGEST })
        } else {
            Ok(())
        }
    }

    /// As [`Kronecker::fit`], from the sites of another fit to the same answers, or in the features of a selection of
    /// users and items (who must have given all answers, about these items).
    fn build(
        data: &Data<'_>,
        item_kernel: &Kernel,
        user_prior: &UserPrior,
        settings: &KroneckerSettings,
        start: Option<&Sites>,
        selection: Option<&Selection>,
    ) -> Result<Self, Error> {
        let answers = data.answers;
        if data.items.len() != answers.items() {
            let (expected, found) = (answers.items(), data.items.len());
            return Err(Error::Length { what: "the items' features", expected, found });
        }
        if settings.method == Method::Laplace && answers.responses().has_sets() {
            return Err(crate::Unsupported::JointAnswers.into());
        }
        let items = Items::new(item_kernel, data.items, selection.map(|s| s.items.as_slice()))?;
        let users = UserFeatures::new(
            user_prior,
            answers.users(),
            data.users,
            selection.map(|s| s.users.as_slice()),
        )?;
        Self::check_size(users.rank(), items.rank())?;
        let mut pairs = Matrix::zeros(items.rank(), answers.edges().len());
        for (p, edge) in answers.edges().iter().enumerate() {
            pairs.col_mut(p).copy_from_slice(&items.projection(edge));
        }
        let (asked, observations) = observations(answers);
        let prior = KroneckerPrior::new(users.features.clone(), pairs, asked);
        let responses = UserResponses::new(answers, settings.values.clone());
        let start = start.cloned().unwrap_or_else(|| Sites::empty(observations.len()));
        let method = settings.method.approximation();
        let likelihoods = responses.likelihoods();
        let outcome = inference::run(method, &prior, &observations, likelihoods, start, &settings.inference)
            .ok_or(Error::Inference)?;
        let report = report(&outcome, answers);
        let inverse = inverse(&outcome.posterior.factor);
        Ok(Self {
            items,
            users,
            prior,
            observations,
            settings: settings.clone(),
            responses,
            outcome,
            inverse,
            report,
        })
    }

    /// The prior covariance of users.
    pub fn user_prior(&self) -> &UserPrior {
        &self.users.prior
    }

    /// Features of users and of items: inference factorises a matrix of their product.
    pub fn ranks(&self) -> (usize, usize) {
        (self.users.rank(), self.items.rank())
    }

    fn posterior(&self, psi: &[f64], rest: f64) -> UserPosterior {
        let mut covariance = covariance_of(psi, &self.inverse, self.items.rank());
        covariance.add_diagonal(rest);
        let scale = psi.iter().map(|x| x * x).sum::<f64>() + rest;
        UserPosterior { mean: self.prior.of_user(psi, &self.outcome.posterior.weights), covariance, scale }
    }
}

/// The distinct combinations of user and projection, and the records on them.
fn observations(answers: &UserAnswers) -> (Vec<Asked>, Vec<Observation>) {
    let of = |r: &Record| Asked { user: r.user, pair: r.edge };
    let mut asked: Vec<Asked> = answers.records().iter().map(of).collect();
    asked.sort_unstable();
    asked.dedup();
    let observation = |r: &Record| {
        let at = asked.partition_point(|asked| *asked < of(r));
        Observation::new(at, r.sign, r.count, r.answer)
    };
    let observations = answers.records().iter().map(observation).collect();
    (asked, observations)
}

fn report(outcome: &Outcome, answers: &UserAnswers) -> Report {
    let mut notices = Vec::new();
    if answers.silent() > 0 {
        notices.push(Notice::Silent { users: answers.silent() });
    }
    if outcome.status == Status::Limit {
        notices.push(Notice::NotConverged { residual: outcome.residual, cycles: outcome.sweeps });
    }
    Report {
        log_evidence: outcome.log_evidence,
        status: outcome.status,
        residual: outcome.residual,
        cycles: outcome.sweeps,
        skipped: 0,
        starts: vec![outcome.log_evidence],
        notices,
    }
}

impl UserModel for Kronecker {
    fn items(&self) -> &Items {
        &self.items
    }

    fn users(&self) -> usize {
        self.users.features.cols()
    }

    fn responses(&self) -> &UserResponses {
        &self.responses
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn user(&self, user: usize) -> Result<UserPosterior, Error> {
        check_user(user, self.users())?;
        Ok(self.posterior(self.users.features.col(user), self.users.rest[user]))
    }

    fn newcomer(&self, features: Option<&Points>, answers: &Answers) -> Result<UserPosterior, Error> {
        let (observations, likelihoods) = self.responses.of_newcomer(self.items.len(), answers)?;
        let (psi, rest) = self.users.newcomer(features)?;
        let before = self.posterior(&psi, rest);
        if answers.is_empty() {
            return Ok(before);
        }
        let scale = before.scale;
        let prior = CommonPrior::new(&self.items, before.mean, before.covariance)?;
        let answered = prior.infer(observations, &likelihoods, None, &self.settings.inference)?;
        Ok(UserPosterior { scale, ..prior.posterior(&answered)? })
    }
}
