//! Learning both kernels of the Kronecker model by its evidence.

use super::gradient::in_covariances;
use super::{Data, Kronecker, KroneckerSettings};
use crate::Error;
use crate::inference::sites::Sites;
use crate::lbfgs;
use crate::learn::Hyperparameters;
use crate::linalg::dot;
use crate::many::UserModel;
use crate::many::users::UserPrior;

/// What is learned, and from where.
#[derive(Debug, Clone, PartialEq)]
pub struct KroneckerLearning {
    /// The item kernel; its noise entry is not used (the noise is that of [`KroneckerSettings`]).
    pub items: Hyperparameters,
    /// The user kernel. Its variance should be fixed at 1: the item kernel sets the scale.
    pub users: Option<Hyperparameters>,
    /// Where the part of a user that features do not explain starts, `K_u = (1 - rho) k + rho I`.
    pub individual: f64,
    /// Whether it is learned.
    pub learn_individual: bool,
    /// The variance of the mean that all users share; stays as it is.
    pub common: f64,
    /// When the optimiser stops.
    pub stop: lbfgs::Stop,
}

/// Bounds of `rho`.
const INDIVIDUAL: (f64, f64) = (1e-4, 1.0 - 1e-4);

impl KroneckerLearning {
    /// The users' prior that these values describe.
    pub fn user_prior(&self) -> UserPrior {
        match &self.users {
            None => UserPrior::strangers(self.common),
            Some(users) => UserPrior::with_features(users.kernel.clone(), self.individual, self.common),
        }
    }

    fn learns_individual(&self) -> bool {
        self.learn_individual && self.users.is_some()
    }

    fn position(&self) -> (Vec<f64>, Vec<(f64, f64)>) {
        let (mut x, mut bounds) = (Vec::new(), Vec::new());
        for h in std::iter::once(&self.items).chain(&self.users) {
            for i in free(h) {
                x.push(h.entries[i].value.ln());
                bounds.push((h.entries[i].bounds.0.ln(), h.entries[i].bounds.1.ln()));
            }
        }
        if self.learns_individual() {
            x.push(logit(self.individual.clamp(INDIVIDUAL.0, INDIVIDUAL.1)));
            bounds.push((logit(INDIVIDUAL.0), logit(INDIVIDUAL.1)));
        }
        (x, bounds)
    }

    fn at(&self, x: &[f64]) -> Result<Self, Error> {
        let mut out = self.clone();
        let mut values = x.iter().copied();
        for h in std::iter::once(&mut out.items).chain(&mut out.users) {
            let mut all: Vec<f64> = h.entries.iter().map(|e| e.value).collect();
            for i in free(h) {
                all[i] = values.next().map_or(all[i], f64::exp);
            }
            h.set(&all)?;
        }
        if self.learns_individual() {
            out.individual = values.next().map_or(self.individual, |l| 1.0 / (1.0 + (-l).exp()));
        }
        Ok(out)
    }

    /// Log prior of the learned kernel parameters, and its slope.
    fn log_prior(&self) -> (f64, Vec<f64>) {
        let (mut sum, mut slope) = (0.0, Vec::new());
        for h in std::iter::once(&self.items).chain(&self.users) {
            let (value, slopes) = h.log_prior();
            sum += value;
            let kept = free(h);
            slope.extend(h.free().iter().zip(slopes).filter(|(i, _)| kept.contains(i)).map(|(_, s)| s));
        }
        if self.learns_individual() {
            slope.push(0.0);
        }
        (sum, slope)
    }
}

/// The learned entries of a kernel, without the noise.
fn free(h: &Hyperparameters) -> Vec<usize> {
    let noise = h.entries.len() - 1;
    h.free().into_iter().filter(|&i| i != noise).collect()
}

fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

/// The gradient of the log evidence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KroneckerGradient {
    /// In the logs of the item kernel's parameters.
    pub items: Vec<f64>,
    /// In the logs of the user kernel's parameters.
    pub users: Vec<f64>,
    /// In the share of the user kernel itself.
    pub share: f64,
    /// In the individual variance itself.
    pub individual: f64,
    /// In the common variance itself.
    pub common: f64,
}

impl Kronecker {
    /// The gradient of the log evidence, for the data that the model was fitted to.
    pub fn gradient(&self, data: &Data<'_>) -> KroneckerGradient {
        let phi = self.items.features();
        let g = in_covariances(&self.prior, phi, data.answers.pairs(), &self.observations, &self.outcome);
        let users = g.users.rows();
        let mut out = KroneckerGradient {
            items: self.items.kernel().gradient(self.items.points(), &g.items),
            individual: (0..users).map(|u| g.users[(u, u)]).sum(),
            common: g.users.data().iter().sum(),
            ..KroneckerGradient::default()
        };
        if let (Some(kernel), Some(points)) = (&self.users.prior.kernel, data.users) {
            let share = self.users.prior.share;
            out.share = dot(kernel.matrix(points).data(), g.users.data());
            out.users = kernel.gradient(points, &g.users).into_iter().map(|g| share * g).collect();
        }
        out
    }
}

/// A learned model.
#[derive(Debug, Clone)]
pub struct LearnedKronecker {
    /// The model at the best hyperparameters.
    pub model: Kronecker,
    /// The hyperparameters.
    pub at: KroneckerLearning,
    /// Number of settings tried.
    pub evaluations: usize,
    /// Whether the optimiser converged.
    pub converged: bool,
}

/// Maximises the log evidence, times weak priors, from the values in `start`.
///
/// # Errors
/// As [`Kronecker::fit`] at the start.
pub fn learn(
    data: &Data<'_>,
    start: &KroneckerLearning,
    settings: &KroneckerSettings,
) -> Result<LearnedKronecker, Error> {
    let (x, bounds) = start.position();
    let mut sites: Option<Sites> = None;
    let mut best: Option<(f64, KroneckerLearning, Kronecker)> = None;
    let mut failure = None;
    let mut evaluate = |x: &[f64]| -> Result<(f64, Vec<f64>), Error> {
        let here = start.at(x)?;
        let model =
            Kronecker::build(data, &here.items.kernel, &here.user_prior(), settings, sites.as_ref(), None)?;
        sites = Some(model.outcome.sites.clone());
        let (log_prior, slope) = here.log_prior();
        let value = model.log_evidence() + log_prior;
        let g = model.gradient(data);
        let mut gradient: Vec<f64> = free(&here.items).into_iter().map(|i| g.items[i]).collect();
        if let Some(users) = &here.users {
            gradient.extend(free(users).into_iter().map(|i| g.users[i]));
        }
        if here.learns_individual() {
            let rho = here.individual;
            gradient.push((g.individual - g.share) * rho * (1.0 - rho));
        }
        let gradient: Vec<f64> = gradient.iter().zip(&slope).map(|(g, s)| -(g + s)).collect();
        if !(value.is_finite() && gradient.iter().all(|g| g.is_finite())) {
            return Err(Error::Inference);
        }
        if best.as_ref().is_none_or(|b| value > b.0) {
            best = Some((value, here, model));
        }
        Ok((-value, gradient))
    };
    let found = lbfgs::minimise(|x| evaluate(x).map_err(|e| failure = Some(e)).ok(), &x, &bounds, start.stop);
    let Some(found) = found else { return Err(failure.unwrap_or(Error::Inference)) };
    let (_, at, model) = best.ok_or(Error::Inference)?;
    Ok(LearnedKronecker { model, at, evaluations: found.evaluations, converged: found.converged })
}
