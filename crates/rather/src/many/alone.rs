//! One user alone, given what a model has learned of all: a Gaussian prior of the utilities, and this user's answers.

use super::common_prior::{Answered, CommonPrior};
use super::user_posterior::UserPosterior;
use crate::Error;
use crate::evidence::Evidence;
use crate::exact::{ExactSettings, UtilityDraws};
use crate::inference::observations::Observations;
use crate::inference::prior::Space;
use crate::inference::{Settings, ep, sample};
use crate::likelihood::Likelihoods;

/// The problem of one user of a model in which users share nothing but a prior.
///
/// Given this prior, which a hierarchical model learns from all and other models have from the kernel, a user's posterior depends on nobody
/// else's answers.
#[derive(Debug)]
pub(crate) struct UserProblem<'a> {
    pub(super) prior: &'a CommonPrior,
    pub(super) likelihoods: &'a Likelihoods,
    pub(super) answered: Answered,
}

impl UserProblem<'_> {
    /// The answers, about items by their positions among all.
    pub(crate) fn observations(&self) -> &Observations {
        self.answered.observations()
    }

    /// The likelihoods of the answers.
    pub(crate) fn likelihoods(&self) -> &Likelihoods {
        self.likelihoods
    }

    /// The log evidence of these answers by expectation propagation, in nats.
    pub(crate) fn log_evidence(&self) -> f64 {
        self.answered.log_evidence
    }

    /// What expectation propagation says of this user.
    ///
    /// # Errors
    /// [`Error::Inference`] if the numbers break down.
    pub(crate) fn posterior(&self) -> Result<UserPosterior, Error> {
        self.prior.posterior(&self.answered)
    }

    /// The same with only the answers about the `chosen` of the compared items.
    ///
    /// # Errors
    /// As [`UserProblem::posterior`].
    pub(crate) fn part(&self, chosen: &[bool]) -> Result<Self, Error> {
        let all = self.observations();
        let (mut part, _) = sample::positions(all, chosen, &[]);
        part.items.iter_mut().for_each(|at| *at = all.items[*at]);
        let answered = self.prior.infer(part, self.likelihoods, None, &Settings::default())?;
        Ok(Self { answered, ..*self })
    }

    /// The exact posterior of the utilities of the compared items.
    ///
    /// # Errors
    /// As [`UserProblem::posterior`] and [`UtilityDraws::new`].
    pub(crate) fn draw(&self, settings: &ExactSettings) -> Result<UtilityDraws, Error> {
        let observations = self.observations();
        let prior = self.prior.local(observations, Space::Items)?;
        let sites = self.answered.sites().clone();
        // The sampler only needs to be near, so a run that has not converged will do.
        let outcome = ep::run(&prior, &observations.merged, self.likelihoods, sites, &Settings::default());
        let evidence = Evidence { prior, outcome: outcome.ok_or(Error::Inference)? };
        let means = self.prior.means(&observations.items);
        UtilityDraws::new(&evidence, &means, &observations.merged, self.likelihoods, settings)
    }
}
