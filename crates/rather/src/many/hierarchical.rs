//! The hierarchical model (Birlutiu, Groot and Heskes 2009): one Gaussian prior for all users' utilities, learned from all
//! of them by EM.
//!
//! E: each user's posterior `N(mu_u, Sigma_u)` under the common prior, by EP. M, corrected (Houlsby et al. 2012, supplement,
//! section 7, print an inner product, and the old mean):
//! `mean <- average of mu_u`, `C <- average of (mu_u - mean)(mu_u - mean)' + Sigma_u` with the *new* mean ([`Summary`]). Users without
//! answers have the old prior as their posterior; leaving them out is the same at the fixpoint, and faster: they are left out.
//! With a prior of the mean and the covariance ([`Shrinkage`]) M takes their posterior expectations.

use super::UserModel;
use super::answers::UserAnswers;
use super::common_prior::CommonPrior;
use super::items::Items;
use super::per_user::PerUser;
use super::report::Report;
use super::responses::UserResponses;
use super::shares::Summary;
use super::shrinkage::Shrinkage;
use super::user_posterior::UserPosterior;
use crate::Error;
use crate::answers::Answers;
use crate::inference::Settings;
use crate::kernel::Kernel;
use crate::likelihood::Values;
use crate::points::Points;
use rather_numerics::watch;

/// A common prior learned by EM, and every user's posterior under it.
#[derive(Debug, Clone)]
pub struct Hierarchical {
    fitted: PerUser,
    shrinkage: Option<Shrinkage>,
}

/// Choices of the hierarchical model.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchicalSettings {
    /// EM iterations; 20 in the literature. The evidence of a Gaussian with as many parameters grows for ever.
    pub iterations: usize,
    /// The noise of an item (a difference has `s = sqrt(2) noise`), and the other parameters of the likelihoods.
    pub values: Values,
    /// How far each user's inference goes.
    pub inference: Settings,
    /// The prior of what users have in common; without one EM maximises the likelihood, as Birlutiu et al. have it.
    pub shrinkage: Option<Shrinkage>,
}

impl Default for HierarchicalSettings {
    fn default() -> Self {
        let noise = std::f64::consts::FRAC_1_SQRT_2;
        Self { iterations: 20, values: noise.into(), inference: Settings::default(), shrinkage: None }
    }
}

impl Hierarchical {
    /// EM from the prior of `kernel`.
    ///
    /// # Errors
    /// As [`PerUser::fit`].
    pub fn fit(
        points: &Points,
        answers: &UserAnswers,
        kernel: &Kernel,
        settings: &HierarchicalSettings,
    ) -> Result<Self, Error> {
        let fitted = expected(Items::new(kernel, points, None)?, answers, settings)?;
        Ok(Self { fitted, shrinkage: settings.shrinkage })
    }

    /// The prior of what users have in common that foresees users best from others.
    ///
    /// # Errors
    /// As [`Hierarchical::fit`].
    pub(super) fn choose(
        points: &Points,
        answers: &UserAnswers,
        kernel: &Kernel,
        settings: &HierarchicalSettings,
    ) -> Result<Shrinkage, Error> {
        Shrinkage::choose(&Items::new(kernel, points, None)?, answers, settings)
    }

    /// The prior of what users have in common, if there is one.
    pub fn shrinkage(&self) -> Option<&Shrinkage> {
        self.shrinkage.as_ref()
    }

    /// The learned prior: what is believed about someone of whom nothing is known.
    pub fn prior(&self) -> UserPosterior {
        self.fitted.prior.as_posterior()
    }
}

impl UserModel for Hierarchical {
    fn items(&self) -> &Items {
        self.fitted.items()
    }

    fn users(&self) -> usize {
        self.fitted.users()
    }

    fn responses(&self) -> &UserResponses {
        self.fitted.responses()
    }

    fn report(&self) -> &Report {
        self.fitted.report()
    }

    fn user(&self, user: usize) -> Result<UserPosterior, Error> {
        self.fitted.user(user)
    }

    /// Features of users say nothing here.
    fn newcomer(&self, features: Option<&Points>, answers: &Answers) -> Result<UserPosterior, Error> {
        self.fitted.newcomer(features, answers)
    }
}

/// What a file needs to hold.
impl Hierarchical {
    /// The users' posteriors.
    pub(in crate::many) fn fitted(&self) -> &PerUser {
        &self.fitted
    }

    /// The learned prior.
    pub(in crate::many) fn common_prior(&self) -> &CommonPrior {
        &self.fitted.prior
    }

    /// The model of posteriors under a learned prior.
    pub(in crate::many) fn of(fitted: PerUser, shrinkage: Option<Shrinkage>) -> Self {
        Self { fitted, shrinkage }
    }
}

/// How near inference comes to its fixpoint before the last of the iterations of EM, each of which moves the prior by far more and starts where the one before
/// it ended.
const UNTIL_THE_LAST: f64 = 1e-5;

/// EM: every user under what all are expected to be.
pub(super) fn expected(
    items: Items,
    answers: &UserAnswers,
    settings: &HierarchicalSettings,
) -> Result<PerUser, Error> {
    let HierarchicalSettings { iterations, values, inference, shrinkage } = settings;
    // Without a prior every iteration is that of Birlutiu et al., as near as asked for.
    let tolerance = if shrinkage.is_some() { UNTIL_THE_LAST } else { 0.0 };
    let near = Settings { tolerance: inference.tolerance.max(tolerance), ..*inference };
    let at = |iteration: usize| if iteration < *iterations { &near } else { inference };
    let prior = CommonPrior::of_kernel(&items);
    let mut fitted = PerUser::under(prior, items, answers, values, &[], at(0))?;
    let mut cycles = fitted.report.cycles;
    for iteration in 1..=*iterations {
        watch::check()?;
        let (mean, covariance) = Summary::of(&fitted)?.expected(shrinkage.as_ref());
        let PerUser { items, users, .. } = fitted;
        let prior = CommonPrior::new(&items, mean, covariance)?;
        fitted = PerUser::under(prior, items, answers, values, &users, at(iteration))?;
        cycles = cycles.max(fitted.report.cycles);
    }
    fitted.report.cycles = cycles;
    Ok(fitted)
}
