//! Sequential EP: the posterior is updated after every site. Slower, and it converges where parallel sweeps
//! oscillate (many contradictory or repeated comparisons at low noise).

use super::observations::Observation;
use super::prior::Prior;
use super::set_factor;
use super::sites::{Sites, Updated, each_factor, of_factor, update, update_factor};
use super::{Factors, Settings};
use crate::likelihood::choice_set::ChoiceSet;
use crate::likelihood::{Likelihood, Likelihoods};
use rather_numerics::linalg::{Matrix, axpy, transpose_product};
use rather_numerics::watch;

/// Sweeps without a new best residual after which nothing more is to be gained: rounding is all that is left.
const PATIENCE: usize = 25;

/// Where the sequential sweeps ended.
pub struct Settled {
    /// The sites with the smallest residual.
    pub sites: Sites,
    /// Sweeps used.
    pub sweeps: usize,
    /// Whether the residual no longer went down.
    pub stalled: bool,
}

/// Sequential sweeps from `start`, the share `damping` of every update taken; the posterior over nodes is rebuilt from the sites before each sweep, so
/// that rounding does not build up.
pub fn run(
    prior: &Prior,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    start: Sites,
    damping: f64,
    settings: &Settings,
) -> Settled {
    let mut sites = start.clone();
    let (mut best, mut best_residual, mut best_sweep) = (start, f64::INFINITY, 0);
    for sweep in 1..=settings.sequential_sweeps {
        let before = sites.clone();
        let Some(mut nodes) = Nodes::new(prior, observations, &sites) else {
            return Settled { sites: best, sweeps: sweep, stalled: true };
        };
        let mut residual = 0.0_f64;
        let improper = sites.tau.iter().any(|&t| t < 0.0);
        let mut first = 0;
        for factor in each_factor(likelihoods, observations, settings.factors) {
            if watch::ends() {
                return Settled { sites: best, sweeps: sweep, stalled: true };
            }
            let own = first..first + factor.len();
            first = own.end;
            let visit = Visit { prior, likelihoods, factor, factors: settings.factors, improper, damping };
            let (tau, nu) = (&mut sites.tau[own.clone()], &mut sites.nu[own]);
            residual = residual.max(match likelihoods.set(factor[0].answer) {
                Some(set) => visit.update_set(set, &mut nodes, tau, nu),
                None => visit.update(&mut nodes, tau, nu),
            });
        }
        if residual < best_residual {
            (best, best_residual, best_sweep) = (before, residual, sweep);
        }
        // The last visits may have disturbed the first sites, so the caller measures once more.
        if residual <= 0.5 * settings.tolerance {
            return Settled { sites, sweeps: sweep, stalled: false };
        }
        if sweep - best_sweep >= PATIENCE {
            return Settled { sites: best, sweeps: sweep, stalled: true };
        }
    }
    Settled { sites: best, sweeps: settings.sequential_sweeps, stalled: false }
}

/// The Gaussian posterior over the nodes' values.
struct Nodes {
    mean: Vec<f64>,
    covariance: Matrix,
}

impl Nodes {
    fn new(prior: &Prior, observations: &[Observation], sites: &Sites) -> Option<Self> {
        let (tau, nu) = sites.by_edge(observations, prior.edges.len());
        let posterior = prior.absorb(&tau, &nu)?;
        let covariance = transpose_product(&posterior.half, &posterior.half);
        Some(Self { mean: prior.features.transpose_times(&posterior.weights), covariance })
    }

    /// The covariances of projection `e` with the nodes, and its mean and variance.
    fn along(&self, prior: &Prior, e: usize) -> (Vec<f64>, (f64, f64)) {
        let (edge, covariance) = (prior.edges[e], &self.covariance);
        let column: Vec<f64> = match edge.minus() {
            Some(minus) => {
                covariance.col(edge.plus()).iter().zip(covariance.col(minus)).map(|(a, b)| a - b).collect()
            }
            None => covariance.col(edge.plus()).to_vec(),
        };
        let along = |x: &[f64]| x[edge.plus()] - edge.minus().map_or(0.0, |minus| x[minus]);
        let moments = (along(&self.mean) + prior.means[e], along(&column).max(0.0));
        (column, moments)
    }

    /// The posterior when a site changes by `(d_tau, d_nu)` along the projection of `column` (its covariances with the nodes), which is
    /// `N(mean, variance)`: `Sigma <- Sigma - c c' d_tau / (1 + d_tau v)`, and the mean with it.
    fn take(&mut self, (d_tau, d_nu): (f64, f64), (mean, variance): (f64, f64), column: &[f64]) {
        let gain = 1.0 / (1.0 + d_tau * variance);
        axpy((d_nu - d_tau * mean) * gain, column, &mut self.mean);
        for (j, &c) in column.iter().enumerate() {
            axpy(-d_tau * gain * c, column, self.covariance.col_mut(j));
        }
    }
}

/// The answers of one factor, whose turn it is.
struct Visit<'a> {
    prior: &'a Prior,
    likelihoods: &'a Likelihoods,
    factor: &'a [Observation],
    factors: Factors,
    /// Whether a cavity may be none: some site has a negative precision.
    improper: bool,
    damping: f64,
}

impl Visit<'_> {
    /// Updates the factor's site until it agrees with itself, and the posterior with it; returns the mismatch found. A site whose cavity is none,
    /// or which would leave no precision, stays as it was: others must move first.
    ///
    /// A site that stands for many copies, each of them a factor, is solved for with the rest of the posterior held fixed, in steps of at most one
    /// copy's worth: all copies at once would overshoot.
    fn update(&self, nodes: &mut Nodes, tau: &mut [f64], nu: &mut [f64]) -> f64 {
        let (prior, o) = (self.prior, &self.factor[0]);
        let (column, (mean, variance)) = nodes.along(prior, o.edge());
        let (old_tau, old_nu) = of_factor(self.factor, tau, nu);
        let marginal = (mean, variance);
        let rest = prior.rest.get(o.edge()).copied().unwrap_or(0.0);
        let updated =
            update_factor(self.likelihoods, self.factor, self.factors, (old_tau, old_nu), marginal, rest);
        let Updated { first, .. } = &updated;
        let mismatch = if first.mismatch.is_nan() { f64::INFINITY } else { first.mismatch };
        if self.improper && first.left <= 0.0 {
            return f64::INFINITY;
        }
        let (mut new_tau, mut new_nu): (Vec<f64>, Vec<f64>) =
            updated.each().map(|update| (update.tau, update.nu)).unzip();
        if self.factors == Factors::Answer && o.count() != 1.0 && variance > 0.0 {
            let likelihood = self.likelihoods.of(o.answer);
            let own = (o.sign() * mean, variance);
            (new_tau[0], new_nu[0]) = settle(likelihood, o.count(), (tau[0], nu[0]), own);
        }
        let damped = |new: &mut f64, old: &f64| *new += (1.0 - self.damping) * (old - *new);
        new_tau.iter_mut().zip(&*tau).for_each(|(new, old)| damped(new, old));
        new_nu.iter_mut().zip(&*nu).for_each(|(new, old)| damped(new, old));
        let (whole_tau, whole_nu) = of_factor(self.factor, &new_tau, &new_nu);
        let (d_tau, d_nu) = (whole_tau - old_tau, whole_nu - old_nu);
        // Where rounding has eaten the cavity, the site stays as it was.
        if !(d_tau.is_finite() && d_nu.is_finite() && 1.0 + d_tau * variance > 0.0) {
            return mismatch;
        }
        tau.copy_from_slice(&new_tau);
        nu.copy_from_slice(&new_nu);
        if variance > 0.0 {
            nodes.take((d_tau, d_nu), marginal, &column);
        }
        mismatch
    }

    /// As [`Visit::update`], of an answer about a set: the sites of its pairs change one after the other, those that grow first, so that there is a
    /// posterior on the way. Of so many copies each takes its part of a step.
    fn update_set(&self, set: &ChoiceSet, nodes: &mut Nodes, tau: &mut [f64], nu: &mut [f64]) -> f64 {
        let (prior, factor) = (self.prior, self.factor);
        let marginals: Vec<(f64, f64)> = factor.iter().map(|o| nodes.along(prior, o.edge()).1).collect();
        let at = |edge: usize| marginals[factor.iter().position(|o| o.edge() == edge).unwrap_or(0)];
        let updated = set_factor::update(set, factor, (tau, nu), at, &prior.rest);
        let (step, count) = (self.damping / factor[0].count().max(1.0), factor[0].count());
        let mut changes: Vec<(usize, f64, f64)> = updated
            .each()
            .enumerate()
            .map(|(k, new)| (k, step * (new.tau - tau[k]), step * (new.nu - nu[k])))
            .collect();
        changes.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (k, d_tau, d_nu) in changes {
            let (column, (mean, variance)) = nodes.along(prior, factor[k].edge());
            let change = (count * d_tau, count * factor[k].sign() * d_nu);
            if variance > 0.0 && 1.0 + change.0 * variance > 0.0 {
                nodes.take(change, (mean, variance), &column);
                tau[k] += d_tau;
                nu[k] += d_nu;
            }
        }
        updated.first.mismatch
    }
}

/// The fixpoint of one site that stands for `count` copies, everything else held fixed; for one copy a
/// single update is the fixpoint. Takes the site, and the marginal under it.
fn settle(
    likelihood: &dyn Likelihood,
    count: f64,
    (tau, nu): (f64, f64),
    (mean, variance): (f64, f64),
) -> (f64, f64) {
    let (mut t, mut n, mut m, mut v) = (tau, nu, mean, variance);
    // A share 1/count of the change is one copy's sequential update; more is taken while it contracts.
    let mut step = 1.0 / count;
    let mut last = f64::INFINITY;
    for _ in 0..500 {
        let u = update(likelihood, t, n, m, v, 0.0);
        if u.mismatch < 1e-13 {
            break;
        }
        step = if u.mismatch < last { (step * 1.3).min(1.0) } else { (step * 0.5).max(1.0 / count) };
        last = u.mismatch;
        let (d_tau, d_nu) = (step * (u.tau - t), step * (u.nu - n));
        (t, n) = (t + d_tau, n + d_nu);
        let gain = 1.0 / (1.0 + count * d_tau * v);
        m += v * count * (d_nu - d_tau * m) * gain;
        v *= gain;
    }
    (t, n)
}
