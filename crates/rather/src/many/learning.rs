//! Learning the kernels, the part of the users' features, and the variance of what all users share, by a model's evidence.
//!
//! The log evidence, times weak priors, is maximised by L-BFGS with its gradient (which Houlsby et al. lack: they fix lengthscales by a
//! rule).

use crate::Error;
use crate::learn::{Hyperparameters, LogNormal};
use crate::many::UserModel;
use crate::many::users::UserPrior;
use rather_numerics::{lbfgs, watch};

/// What is learned, from where, and within what bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Learning {
    /// The item kernel; the parameters of the likelihoods are not used (they are those of the model's settings).
    pub items: Hyperparameters,
    /// The user kernel, if users have features. Its variance should be fixed at 1: the item kernel sets the scale.
    pub users: Option<Hyperparameters>,
    /// Where `rho` starts: the part of a user that the features do not explain, `K_u = (1 - rho) k + rho I`.
    pub individual: f64,
    /// Whether `rho` is learned.
    pub learn_individual: bool,
    /// Where the variance of the population mean starts.
    pub common: f64,
    /// Whether it is learned.
    pub learn_common: bool,
    /// Whether the item kernel's variances change with it, so that the variance of one user's utilities stays: they are multiplied by
    /// `(1 + start) / (1 + common)`.
    pub keep_total: bool,
    /// When the optimiser stops.
    pub stop: lbfgs::Stop,
}

/// The gradient of the log evidence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gradient {
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

/// A learned model.
#[derive(Debug, Clone)]
pub struct Learned<M> {
    /// The model at the best hyperparameters.
    pub model: M,
    /// The hyperparameters, as a setting to learn on from.
    pub at: Learning,
    /// Log evidence plus log prior.
    pub objective: f64,
    /// Number of settings tried.
    pub evaluations: usize,
    /// Whether the optimiser converged.
    pub converged: bool,
}

/// Bounds of `rho` and of the population mean's variance, and the latter's weak prior.
const INDIVIDUAL: (f64, f64) = (1e-4, 1.0 - 1e-4);
const COMMON: (f64, f64) = (1e-4, 1e3);
const COMMON_PRIOR: LogNormal = LogNormal { median: 0.5, sd: 2.0 };

impl Learning {
    /// The users' prior that these values describe.
    pub fn user_prior(&self) -> UserPrior {
        match &self.users {
            None => UserPrior::exchangeable(self.common),
            Some(users) => UserPrior::with_features(users.kernel.clone(), self.individual, self.common),
        }
    }

    fn learns_individual(&self) -> bool {
        self.learn_individual && self.users.is_some()
    }

    /// The free parameters: logs of the kernels' entries, the logit of `rho`, the log of the common variance.
    fn position(&self) -> (Vec<f64>, Vec<(f64, f64)>) {
        let (mut x, mut bounds) = (Vec::new(), Vec::new());
        for h in std::iter::once(&self.items).chain(&self.users) {
            for i in kernel_entries(h) {
                let e = &h.entries[i];
                x.push(e.value.ln());
                bounds.push((e.bounds.0.ln(), e.bounds.1.ln()));
            }
        }
        if self.learns_individual() {
            x.push(logit(self.individual.clamp(INDIVIDUAL.0, INDIVIDUAL.1)));
            bounds.push((logit(INDIVIDUAL.0), logit(INDIVIDUAL.1)));
        }
        if self.learn_common {
            x.push(self.common.clamp(COMMON.0, COMMON.1).ln());
            bounds.push((COMMON.0.ln(), COMMON.1.ln()));
        }
        (x, bounds)
    }

    fn at(&self, x: &[f64]) -> Result<Self, Error> {
        let mut out = self.clone();
        let mut values = x.iter().copied();
        for h in std::iter::once(&mut out.items).chain(&mut out.users) {
            let mut all: Vec<f64> = h.entries.iter().map(|e| e.value).collect();
            for i in kernel_entries(h) {
                all[i] = values.next().map_or(all[i], f64::exp);
            }
            h.set(&all)?;
        }
        if self.learns_individual() {
            out.individual = values.next().map_or(self.individual, |l| 1.0 / (1.0 + (-l).exp()));
        }
        if self.learn_common {
            out.common = values.next().map_or(self.common, f64::exp);
        }
        if self.keep_total {
            out.items.multiply_variance((1.0 + self.common) / (1.0 + out.common))?;
        }
        Ok(out)
    }

    /// Log prior of the free parameters.
    fn log_prior(&self) -> (f64, Vec<f64>) {
        let (mut sum, mut slope) = (0.0, Vec::new());
        for h in std::iter::once(&self.items).chain(&self.users) {
            for i in kernel_entries(h) {
                let e = &h.entries[i];
                let (value, d) = e.prior.map_or((0.0, 0.0), |p| log_density(p, e.value.ln()));
                sum += value;
                slope.push(d);
            }
        }
        if self.learns_individual() {
            slope.push(0.0);
        }
        if self.learn_common {
            let (value, d) = log_density(COMMON_PRIOR, self.common.ln());
            sum += value;
            slope.push(d);
        }
        (sum, slope)
    }

    /// The gradient of the log evidence in the free parameters.
    fn gradient(&self, g: &Gradient) -> Vec<f64> {
        let mut out = Vec::new();
        out.extend(kernel_entries(&self.items).into_iter().map(|i| g.items[i]));
        if let Some(users) = &self.users {
            out.extend(kernel_entries(users).into_iter().map(|i| g.users[i]));
        }
        if self.learns_individual() {
            let rho = self.individual;
            out.push((g.individual - g.share) * rho * (1.0 - rho));
        }
        if self.learn_common {
            let of_variance = |i: usize| if self.keep_total { g.items[i] } else { 0.0 };
            let shrunk: f64 = self.items.variances().into_iter().map(of_variance).sum();
            out.push(g.common * self.common - shrunk * self.common / (1.0 + self.common));
        }
        out
    }
}

/// The free entries of a kernel's own hyperparameters.
fn kernel_entries(h: &Hyperparameters) -> Vec<usize> {
    h.free().into_iter().filter(|&i| i < h.noise_index()).collect()
}

fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

fn log_density(prior: LogNormal, log_value: f64) -> (f64, f64) {
    let z = (log_value - prior.median.ln()) / prior.sd;
    (-0.5 * z * z, -z / prior.sd)
}

/// Maximises the log evidence (times weak priors) of what `fit` makes of a setting, from the values in `start`. `fit` is told the best
/// model so far, and `gradient` that of a model's log evidence.
pub(super) fn maximise<M: UserModel + Clone>(
    start: &Learning,
    mut fit: impl FnMut(&Learning, Option<&M>) -> Result<M, Error>,
    gradient: impl Fn(&M) -> Result<Gradient, Error>,
) -> Result<Learned<M>, Error> {
    let (x, bounds) = start.position();
    let mut best: Option<(f64, M, Learning)> = None;
    let mut failure = None;
    let mut evaluate = |x: &[f64]| -> Result<(f64, Vec<f64>), Error> {
        watch::check()?;
        let here = start.at(x)?;
        let model = fit(&here, best.as_ref().map(|b| &b.1))?;
        let (log_prior, prior_slope) = here.log_prior();
        let value = model.log_evidence() + log_prior;
        let slope = here.gradient(&gradient(&model)?);
        let downhill: Vec<f64> = slope.iter().zip(&prior_slope).map(|(g, p)| -(g + p)).collect();
        if !(value.is_finite() && downhill.iter().all(|g| g.is_finite())) {
            return Err(Error::Inference);
        }
        if best.as_ref().is_none_or(|b| value > b.0) {
            best = Some((value, model, here));
        }
        Ok((-value, downhill))
    };
    let found = lbfgs::minimise(|x| evaluate(x).map_err(|e| failure = Some(e)).ok(), &x, &bounds, start.stop);
    let Some(found) = found else { return Err(failure.unwrap_or(Error::Inference)) };
    let (objective, model, at) = best.ok_or(Error::Inference)?;
    Ok(Learned { model, at, objective, evaluations: found.evaluations, converged: found.converged })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Schema, parse};
    use crate::learn::Units;
    use crate::learn::choice::Options;
    use crate::points::Points;

    /// A user's variance stays while the part of all changes, and the slope is that of what is evaluated.
    #[test]
    fn the_variance_of_a_user_is_kept() {
        let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
        let points = Points::new(vec![0, 1], 1, vec![0.0, 1.0]);
        let options = Options {
            schema: &schema,
            units: Units::ComparisonNoise,
            fixed: &[],
            feature_units: &[1.0],
            priors: Default::default(),
            inference: Default::default(),
        };
        let kernel = parse("se + white", &schema, false).unwrap();
        let mut items = Hyperparameters::new(kernel, &points, &options).unwrap();
        items.entries.iter_mut().for_each(|e| e.fixed = true);
        let start = Learning {
            items,
            users: None,
            individual: 1.0,
            learn_individual: false,
            common: 0.5,
            learn_common: true,
            keep_total: true,
            stop: lbfgs::Stop::default(),
        };
        let variances = |at: &Learning| -> Vec<f64> {
            at.items.variances().into_iter().map(|i| at.items.entries[i].value).collect()
        };
        let of_user = |at: &Learning| variances(at).iter().map(|v| v * (1.0 + at.common)).collect::<Vec<_>>();
        // Stands for an evidence: the logarithms of the variances with these weights, and the common variance.
        let value = |x: f64| {
            let at = start.at(&[x]).unwrap();
            variances(&at).iter().zip([2.0, -5.0]).map(|(v, w)| w * v.ln()).sum::<f64>() + 3.0 * at.common
        };
        let x = 0.3_f64;
        let at = start.at(&[x]).unwrap();
        for (now, before) in of_user(&at).iter().zip(of_user(&start)) {
            assert!((now / before - 1.0).abs() < 1e-14, "{now} {before}");
        }
        let mut items = vec![7.0; at.items.entries.len()];
        at.items.variances().into_iter().zip([2.0, -5.0]).for_each(|(i, weight)| items[i] = weight);
        let slope = at.gradient(&Gradient { items, common: 3.0, ..Gradient::default() });
        let h = 1e-5;
        let difference = (value(x + h) - value(x - h)) / (2.0 * h);
        assert!(slope.len() == 1 && (slope[0] / difference - 1.0).abs() < 1e-8, "{slope:?} {difference}");
    }
}
