//! Collaborative Gaussian processes (Houlsby, Huszár, Ghahramani and Hernández-Lobato 2012).
//!
//! `g_u(i, j) = sum_d w_ud (f_d(i) - f_d(j))`, a choice is `Phi(t g / s)`, other answers have their own likelihoods of `g`; columns of `W` are `N(0, K_users)`, the latent
//! functions `f_d` are `N(0, K_items)`. Many users share few functions, so each user needs few answers.

mod cycles;
mod fold_in;
mod gaussians;
mod gradient;
mod joint;
mod learn;
mod more_answers;
mod published;
mod rotation;
mod saved;
mod settings;
mod sides;
mod state;
mod vb;

pub(super) use joint::LARGEST_SUMS;
pub use learn::learn;
pub use published::{Ascent, PublishedScheme};
pub use saved::Saved;
pub use settings::{Scheme, Settings, Weights};

use super::answers::UserAnswers;
use super::items::Items;
use super::report::{Notice, Report};
use super::responses::UserResponses;
use super::user_posterior::UserPosterior;
use super::users::{UserPrior, Users};
use super::{UserModel, check_user};
use crate::Error;
use crate::answers::Answers;
use crate::inference::Status;
use crate::inference::observations::Observations;
use crate::kernel::Kernel;
use crate::likelihood::Likelihoods;
use crate::points::Points;
use cycles::Cycles;
use rather_numerics::linalg::{Matrix, axpy};
use rather_numerics::{parallel, watch};
use sides::ItemSide;
use state::{Problem, State, UserWeights};

/// What a collaborative model is fitted to.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// All items, features encoded.
    pub items: &'a Points,
    /// All users, features encoded; `None` if they have none.
    pub users: Option<&'a Points>,
    /// Who answered what.
    pub answers: &'a UserAnswers,
}

/// A fitted collaborative model.
#[derive(Debug, Clone)]
pub struct Collaborative {
    items: Items,
    users: Users,
    responses: UserResponses,
    settings: Settings,
    report: Report,
    state: State,
    /// The covariance of each latent function's weights over the items' features, `B_d^-1`.
    covariances: Vec<Matrix>,
}

/// Below this, in units of the noise, the largest mean of a compared pair counts as nothing.
const NOTHING: f64 = 0.05;

impl Collaborative {
    /// Fits the model at given kernels.
    ///
    /// # Errors
    /// [`Error::Covariance`], [`Error::Inference`] if no start leads anywhere, [`Error::Parameter`] for a setting out
    /// of range, [`Error::ManyUsers`] for [`Weights::Joint`] with user features and for likelihoods that are not log-concave, and those of
    /// [`UserPrior::check`].
    pub fn fit(
        data: &Data<'_>,
        item_kernel: &Kernel,
        user_prior: &UserPrior,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let prepared = Prepared::new(data, item_kernel, user_prior, settings)?;
        let problem = prepared.problem(data.answers);
        let run = |start: usize| prepared.run(data.answers, State::start(&problem, start as u64)?);
        let runs = parallel::map(settings.starts, 1, run);
        watch::check()?;
        let mut runs: Vec<Run> = runs.into_iter().flatten().collect();
        let evidences: Vec<f64> = runs.iter().map(|r| r.log_evidence).collect();
        let best = (0..runs.len()).max_by(|&a, &b| evidences[a].total_cmp(&evidences[b]).then(b.cmp(&a)));
        let best = runs.swap_remove(best.ok_or(Error::Inference)?);
        prepared.finish(data.answers, best, evidences)
    }

    /// The same data under other kernels, from where this fit ended: a few cycles.
    ///
    /// # Errors
    /// As [`Collaborative::fit`].
    pub fn refit(
        &self,
        data: &Data<'_>,
        item_kernel: &Kernel,
        user_prior: &UserPrior,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let prepared = Prepared::new(data, item_kernel, user_prior, settings)?;
        let mut state = self.state.clone();
        state.skipped = 0;
        let run = prepared.run(data.answers, state).ok_or(Error::Inference)?;
        let evidences = vec![run.log_evidence];
        prepared.finish(data.answers, run, evidences)
    }

    /// The choices that the model was fitted with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The prior covariance of users' weights.
    pub fn user_prior(&self) -> &UserPrior {
        &self.users.prior
    }

    /// Means and variances of `g` for every record of the answers that the model was fitted to.
    pub fn fitted(&self) -> (&[f64], &[f64]) {
        (&self.state.mean, &self.state.variance)
    }

    /// The posterior of a user whose weights have the given means and covariance.
    fn mix(&self, mean: &[f64], covariance: &Matrix) -> UserPosterior {
        let rank = self.items.rank();
        let functions = mean.len();
        let latent: Vec<&[f64]> = self.state.items.iter().map(|h| h.posterior.weights.as_slice()).collect();
        let mut out =
            UserPosterior { mean: vec![0.0; rank], covariance: Matrix::zeros(rank, rank), scale: 0.0 };
        for d in 0..functions {
            axpy(mean[d], latent[d], &mut out.mean);
            let square = mean[d] * mean[d] + covariance[(d, d)];
            out.scale += square;
            axpy(square, self.covariances[d].data(), out.covariance.data_mut());
            // z_d (sum_e S_de z_e)'
            let mut row = vec![0.0; rank];
            (0..functions).for_each(|e| axpy(covariance[(d, e)], latent[e], &mut row));
            for (j, &x) in row.iter().enumerate() {
                axpy(x, latent[d], out.covariance.col_mut(j));
            }
        }
        out
    }

    /// Means and covariance of a known user's weights.
    fn weights(&self, user: usize) -> (Vec<f64>, Matrix) {
        match &self.state.weights {
            UserWeights::Joint(joint) => {
                let of_user = joint.of_users.get(user);
                let (d, covariance) = (of_user.mean.len(), of_user.full_covariance());
                (of_user.mean.to_vec(), Matrix::from_fn(d, d, |i, j| covariance[j * d + i]))
            }
            UserWeights::PerFunction(halves) => (
                halves.iter().map(|half| half.posterior.mean[user]).collect(),
                diagonal(halves.iter().map(|half| half.posterior.variance[user])),
            ),
        }
    }

    /// Means and covariance of the weights of someone who has not answered yet.
    /// A newcomer's posterior as the factorised one has it, not inflated.
    pub(in crate::many) fn factorised(
        &self,
        features: Option<&Points>,
        (observations, likelihoods): (&Observations, &Likelihoods),
    ) -> Result<UserPosterior, Error> {
        let (mut mean, mut covariance) = self.newcomer_weights(features)?;
        if !observations.merged.is_empty() {
            (mean, covariance) = self.fold_in(mean, covariance, (observations, likelihoods))?;
        }
        Ok(self.mix(&mean, &covariance))
    }

    fn newcomer_weights(&self, features: Option<&Points>) -> Result<(Vec<f64>, Matrix), Error> {
        if let UserWeights::Joint(joint) = &self.state.weights {
            let common = self.users.prior.common;
            let kappa = common / (1.0 + common * self.users.low_rank.rest.len() as f64);
            let mean = joint.total.iter().map(|t| kappa * t).collect();
            let mut covariance = joint.total_covariance.clone();
            covariance.data_mut().iter_mut().for_each(|x| *x *= kappa * kappa);
            covariance.add_diagonal(1.0 + kappa);
            return Ok((mean, covariance));
        }
        let (v, k) = self.users.newcomer(features)?;
        let moments: Vec<(f64, f64)> =
            self.state.weights.per_function().iter().map(|h| h.posterior.elsewhere(&v, k)).collect();
        Ok((moments.iter().map(|m| m.0).collect(), diagonal(moments.iter().map(|m| m.1))))
    }
}

impl UserModel for Collaborative {
    fn items(&self) -> &Items {
        &self.items
    }

    fn users(&self) -> usize {
        self.users.low_rank.rest.len()
    }

    fn responses(&self) -> &UserResponses {
        &self.responses
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn user(&self, user: usize) -> Result<UserPosterior, Error> {
        check_user(user, self.users())?;
        let (mean, covariance) = self.weights(user);
        Ok(self.mix(&mean, &covariance).inflated(self.settings.inflation))
    }

    fn newcomer(&self, features: Option<&Points>, answers: &Answers) -> Result<UserPosterior, Error> {
        let (observations, likelihoods) = self.responses.of_newcomer(self.items.len(), answers)?;
        let posterior = self.factorised(features, (&observations, &likelihoods))?;
        Ok(posterior.inflated(self.settings.newcomer_inflation))
    }
}

/// The parts of a fit that do not change during a run.
struct Prepared {
    items: Items,
    users: Users,
    side: ItemSide,
    settings: Settings,
    responses: UserResponses,
}

/// Where a run ended.
struct Run {
    state: State,
    log_evidence: f64,
    status: Status,
    residual: f64,
    cycles: usize,
}

impl Prepared {
    fn new(
        data: &Data<'_>,
        item_kernel: &Kernel,
        user_prior: &UserPrior,
        settings: &Settings,
    ) -> Result<Self, Error> {
        check(settings, user_prior)?;
        if !data.answers.responses().is_log_concave() {
            return Err(crate::Unsupported::LogConcave.into());
        }
        let mut settings = settings.clone();
        let published = matches!(settings.scheme, Scheme::Published(_));
        if published && data.answers.responses().has_sets() {
            return Err(crate::Unsupported::JointAnswers.into());
        }
        settings.weights = match settings.weights {
            Weights::Auto if are_exchangeable(user_prior) && !published => Weights::Joint,
            Weights::Auto => Weights::PerFunction,
            chosen => chosen,
        };
        let answers = data.answers;
        if data.items.len() != answers.items() {
            let (expected, found) = (answers.items(), data.items.len());
            return Err(Error::Length { what: "the items' features", expected, found });
        }
        let items = Items::new(item_kernel, data.items, settings.inducing_items.as_deref())?;
        let users = Users::new(user_prior, answers.users(), data.users, settings.inducing_users.as_deref())?;
        let side = ItemSide::new(&items, answers.edges())?;
        let responses = UserResponses::new(answers, settings.values.clone());
        Ok(Self { items, users, side, settings, responses })
    }

    fn problem<'a>(&'a self, answers: &'a UserAnswers) -> Problem<'a> {
        let common = self.users.prior.common;
        Problem::new(
            answers,
            &self.side,
            &self.users.low_rank,
            common,
            (&self.settings, self.responses.likelihoods()),
        )
    }

    /// Cycles from `state` until the undamped change is within the tolerance.
    fn run(&self, answers: &UserAnswers, mut state: State) -> Option<Run> {
        let problem = self.problem(answers);
        if let Scheme::Published(scheme) = self.settings.scheme {
            let end = published::run(&problem, &state, &scheme)?;
            let status = if end.converged { Status::Converged } else { Status::Limit };
            return Some(Run {
                state: end.state,
                log_evidence: end.log_evidence,
                status,
                residual: end.residual,
                cycles: end.cycles,
            });
        }
        let (mut residual, mut cycles) = (f64::INFINITY, 0);
        let mut accelerated = Cycles::new(&problem);
        while residual > self.settings.tolerance && cycles < self.settings.cycles {
            if watch::ends() {
                return None;
            }
            residual = accelerated.next(&mut state)?;
            cycles += 1;
        }
        let log_evidence = state.log_evidence(&problem);
        let status = if residual <= self.settings.tolerance { Status::Converged } else { Status::Limit };
        log_evidence.is_finite().then_some(Run { state, log_evidence, status, residual, cycles })
    }

    fn finish(self, answers: &UserAnswers, run: Run, starts: Vec<f64>) -> Result<Collaborative, Error> {
        let Run { state, log_evidence, status, residual, cycles } = run;
        let mut notices = Vec::new();
        if answers.silent() > 0 {
            notices.push(Notice::Silent { users: answers.silent() });
        }
        if state.mean.iter().all(|m| m.abs() < NOTHING) {
            notices.push(Notice::Collapsed);
        }
        if status != Status::Converged {
            notices.push(Notice::NotConverged { residual, cycles });
        }
        let skipped = state.skipped;
        let covariance = |h: &sides::Half| inverse_from_factor(&h.posterior.factor);
        Ok(Collaborative {
            covariances: state.items.iter().map(covariance).collect(),
            responses: self.responses,
            items: self.items,
            users: self.users,
            settings: self.settings,
            report: Report { log_evidence, status, residual, cycles, skipped, starts, notices },
            state,
        })
    }
}

fn check(settings: &Settings, user_prior: &UserPrior) -> Result<(), Error> {
    let positive = [
        ("functions", settings.functions as f64),
        ("starts", settings.starts as f64),
        ("inner sweeps", settings.inner_sweeps as f64),
        ("cycles", settings.cycles as f64),
        ("noise", settings.values.noise()),
        ("tolerance", settings.tolerance),
        ("inflation", settings.inflation),
        ("newcomer inflation", settings.newcomer_inflation),
    ];
    for (name, value) in positive {
        if !(value > 0.0 && value.is_finite()) {
            let requirement = "it must be positive and finite";
            return Err(Error::Parameter { name: name.into(), value, requirement });
        }
    }
    if !(settings.damping > 0.0 && settings.damping <= 1.0) {
        let requirement = "the share of an update that is taken must be above 0 and at most 1";
        return Err(Error::Parameter { name: "damping".into(), value: settings.damping, requirement });
    }
    let published = matches!(settings.scheme, Scheme::Published(_));
    if settings.weights == Weights::Joint && (published || !are_exchangeable(user_prior)) {
        return Err(Error::ManyUsers {
            model: "collaborative",
            problem: "can have weights that are joint over functions only for users without features, and not in the \
                      published scheme; take weights per function",
        });
    }
    Ok(())
}

/// Whether the prior is `I + c 1 1'`, for which weights can be joint over functions.
fn are_exchangeable(prior: &UserPrior) -> bool {
    prior.kernel.is_none() && prior.individual == 1.0
}

fn diagonal(values: impl Iterator<Item = f64>) -> Matrix {
    let values: Vec<f64> = values.collect();
    Matrix::from_fn(values.len(), values.len(), |i, j| if i == j { values[i] } else { 0.0 })
}

/// `B^-1` from the Cholesky factor of `B`.
fn inverse_from_factor(factor: &Matrix) -> Matrix {
    let mut out = rather_numerics::linalg::inverse_from_cholesky(factor);
    rather_numerics::linalg::mirror_lower(&mut out);
    out
}
