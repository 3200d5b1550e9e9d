//! The hierarchical model by shares of its users: what a cluster runs.
//!
//! EM needs of the users only sums over their posteriors `N(mu_u, Sigma_u)`: how many they are, `sum mu` and
//! `sum (mu mu' + Sigma)` ([`Summary`]). A driver adds them up to the next common prior and hands it round; each [`Share`] keeps its users'
//! answers and sites. A share that is lost starts again from empty sites, and finds the same posteriors.

use super::answers::UserAnswers;
use super::common_prior::CommonPrior;
use super::evidences::Evidences;
use super::items::Items;
use super::per_user::PerUser;
use super::shrinkage::Shrinkage;
use super::user_posterior::UserPosterior;
use super::{UserModel, hierarchical::HierarchicalSettings};
use crate::Error;
use crate::answers::Answers;
use crate::inference::Status;
use crate::kernel::Kernel;
use crate::learn::Hyperparameters;
use crate::likelihood::Values;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, axpy};
use rather_numerics::parallel;

/// Users that a thread sums at a time; fixed, so that sums do not depend on the threads.
const BLOCK: usize = 64;

/// What the next common prior needs of some users: sums over those who said something.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// How many they are.
    pub users: f64,
    /// `sum mu`.
    pub mean: Vec<f64>,
    /// `sum (mu mu' + Sigma)`.
    pub second: Matrix,
    /// Sum of the log evidences of their answers.
    pub log_evidence: f64,
    /// Whether inference converged for all of them.
    pub converged: bool,
}

impl Summary {
    /// Of nobody.
    pub fn nobody(features: usize) -> Self {
        Self {
            users: 0.0,
            mean: vec![0.0; features],
            second: Matrix::zeros(features, features),
            log_evidence: 0.0,
            converged: true,
        }
    }

    /// Adds others.
    ///
    /// # Errors
    /// [`Error::Length`] if they have another number of features.
    pub fn add(&mut self, other: &Self) -> Result<(), Error> {
        let (expected, found) = (self.mean.len(), other.mean.len());
        if expected != found || other.second.rows() != expected || other.second.cols() != expected {
            return Err(Error::Length { what: "a share's sums", expected, found });
        }
        self.users += other.users;
        self.log_evidence += other.log_evidence;
        self.converged &= other.converged;
        axpy(1.0, &other.mean, &mut self.mean);
        axpy(1.0, other.second.data(), self.second.data_mut());
        Ok(())
    }

    /// The mean and covariance that everyone is expected to have next ([`Shrinkage::expected`]); without a prior of their own those of
    /// maximum likelihood (Birlutiu et al. 2009): `mean = average of mu`, `C = average of (mu - mean)(mu - mean)' + Sigma`.
    pub fn expected(&self, shrinkage: Option<&Shrinkage>) -> (Vec<f64>, Matrix) {
        shrinkage.map_or_else(|| self.average(), |shrinkage| shrinkage.expected(self))
    }

    fn average(&self) -> (Vec<f64>, Matrix) {
        let weight = 1.0 / self.users.max(1.0);
        let mean: Vec<f64> = self.mean.iter().map(|m| weight * m).collect();
        let rank = mean.len();
        let covariance = Matrix::from_fn(rank, rank, |i, j| weight * self.second[(i, j)] - mean[i] * mean[j]);
        (mean, covariance)
    }

    /// Of all users of a fit.
    pub(super) fn of(fitted: &PerUser) -> Result<Self, Error> {
        let said: Vec<usize> = (0..fitted.users.len()).filter(|&u| fitted.users[u].is_some()).collect();
        let out = Self::of_users(fitted, &said)?;
        let report = fitted.report();
        Ok(Self { log_evidence: report.log_evidence, converged: report.status == Status::Converged, ..out })
    }

    /// Of some of them, without their evidence.
    pub(super) fn of_users(fitted: &PerUser, said: &[usize]) -> Result<Self, Error> {
        let rank = fitted.items.rank();
        let block = |block: usize| -> Result<Self, Error> {
            let users = &said[block * BLOCK..said.len().min((block + 1) * BLOCK)];
            let mut out = Self::nobody(rank);
            for &u in users {
                let UserPosterior { mean, covariance, .. } = fitted.user(u)?;
                out.users += 1.0;
                axpy(1.0, &mean, &mut out.mean);
                axpy(1.0, covariance.data(), out.second.data_mut());
                for (j, &x) in mean.iter().enumerate() {
                    axpy(x, &mean, out.second.col_mut(j));
                }
            }
            Ok(out)
        };
        let parts = parallel::map(said.len().div_ceil(BLOCK), 1, block);
        let mut out = Self::nobody(rank);
        parts.into_iter().try_for_each(|part| out.add(&part?))?;
        Ok(out)
    }
}

/// Some of the users, with their answers and sites.
#[derive(Debug, Clone)]
pub struct Share {
    answers: UserAnswers,
    settings: HierarchicalSettings,
    fitted: PerUser,
    evidences: Option<Evidences>,
}

impl Share {
    /// Users under the prior that the kernel alone gives; everyone's answers are in one share.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not as many `points` as items; [`Error::Covariance`] if the kernel gives something that is
    /// not a number; [`Error::Inference`] if inference breaks down.
    ///
    /// # Examples
    /// ```
    /// use rather::answers::Answer;
    /// use rather::kernel::{Schema, parse};
    /// use rather::many::shares::{Share, Summary};
    /// use rather::many::{UserAnswers, HierarchicalSettings};
    /// use rather::points::Points;
    ///
    /// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
    /// let items = Points::from_rows(&[[0.0], [0.5], [1.0]]);
    /// let said = |winner, loser| [Answer::rather(winner, loser).by(0)];
    /// let share = |answers: &[Answer]| {
    ///     Share::new(&items, &UserAnswers::new(1, 3, answers)?, &kernel, &HierarchicalSettings::default())
    /// };
    /// let mut shares = [share(&said(0, 1))?, share(&said(0, 2))?];
    /// for _ in 0..20 {
    ///     let mut sum = shares[0].summary()?;
    ///     sum.add(&shares[1].summary()?)?;
    ///     let (mean, covariance) = sum.expected(None);
    ///     for share in &mut shares {
    ///         share.expect(&mean, &covariance)?;
    ///     }
    /// }
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn new(
        points: &Points,
        answers: &UserAnswers,
        kernel: &Kernel,
        settings: &HierarchicalSettings,
    ) -> Result<Self, Error> {
        let items = Items::new(kernel, points, None)?;
        let prior = CommonPrior::of_kernel(&items);
        let fitted = PerUser::under(prior, items, answers, &settings.values, &[], &settings.inference)?;
        Ok(Self { answers: answers.clone(), settings: settings.clone(), fitted, evidences: None })
    }

    /// Number of features of the items.
    pub fn features(&self) -> usize {
        self.fitted.items.rank()
    }

    /// The sum of these users' log evidences, each alone, at a setting of the hyperparameters, with its gradient in their logarithms:
    /// what a kernel is learned by before anything is expected of anybody. It moves nothing but where the next call starts from.
    ///
    /// # Errors
    /// As [`Problem::evaluate`](crate::evidence::Problem::evaluate).
    pub fn evidence(&mut self, here: &Hyperparameters) -> Result<(f64, Vec<f64>), Error> {
        let points = self.fitted.items.points().clone();
        self.evidences.get_or_insert_with(|| Evidences::new(&points, &self.answers)).at(here)
    }

    /// Begins again under the prior that a kernel alone gives.
    ///
    /// # Errors
    /// As [`Share::new`].
    pub fn begin(&mut self, kernel: &Kernel, values: impl Into<Values>) -> Result<(), Error> {
        let settings = HierarchicalSettings { values: values.into(), ..self.settings.clone() };
        let evidences = self.evidences.take();
        *self =
            Self { evidences, ..Self::new(self.fitted.items.points(), &self.answers, kernel, &settings)? };
        Ok(())
    }

    /// What these users add to the next common prior.
    ///
    /// # Errors
    /// [`Error::Inference`] if a posterior breaks down.
    pub fn summary(&self) -> Result<Summary, Error> {
        Summary::of(&self.fitted)
    }

    /// Infers everyone again, where everyone is expected to be like this.
    ///
    /// # Errors
    /// [`Error::Inference`] if `covariance` is none, or inference breaks down.
    pub fn expect(&mut self, mean: &[f64], covariance: &Matrix) -> Result<(), Error> {
        let (expected, found) = (self.features(), mean.len());
        if expected != found || covariance.rows() != expected || covariance.cols() != expected {
            return Err(Error::Length { what: "what is expected of a user", expected, found });
        }
        let PerUser { items, users, .. } = &self.fitted;
        let prior = CommonPrior::new(items, mean.to_vec(), covariance.clone())?;
        let HierarchicalSettings { values, inference, .. } = &self.settings;
        self.fitted = PerUser::under(prior, items.clone(), &self.answers, values, users, inference)?;
        Ok(())
    }

    /// What is believed of one of them.
    ///
    /// # Errors
    /// [`Error::UnknownUser`] if there is no such user.
    pub fn user(&self, user: usize) -> Result<UserPosterior, Error> {
        self.fitted.user(user)
    }

    /// What is believed of somebody who said this, and is nobody of the share.
    ///
    /// # Errors
    /// [`Error::UnknownItem`] and [`Error::SelfComparison`] for comparisons that are none.
    pub fn newcomer(&self, answers: &Answers) -> Result<UserPosterior, Error> {
        self.fitted.newcomer(None, answers)
    }

    /// The users as a model, with the prior of now.
    pub fn model(&self) -> &dyn UserModel {
        &self.fitted
    }
}
