//! Sequential EP: the posterior is updated after every site. Slower, and it converges where parallel sweeps
//! oscillate (many contradictory or repeated comparisons at low noise).

use super::Settings;
use super::observations::Observation;
use super::prior::Prior;
use super::sites::{Sites, update};
use crate::likelihood::{Likelihood, Likelihoods};
use crate::linalg::{Matrix, axpy, transpose_product};
use crate::watch;

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

/// Sequential sweeps from `start`; the posterior over nodes is rebuilt from the sites before each sweep, so
/// that rounding does not build up.
pub fn run(
    prior: &Prior,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    start: Sites,
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
        for (m, o) in observations.iter().enumerate() {
            if watch::ends() {
                return Settled { sites: best, sweeps: sweep, stalled: true };
            }
            let likelihood = likelihoods.of(o.answer);
            residual = residual.max(nodes.visit(prior, o, likelihood, &mut sites.tau[m], &mut sites.nu[m]));
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

    /// Updates one site until it agrees with itself, and the posterior with it; returns the mismatch found.
    ///
    /// A site that stands for many copies is solved for with the rest of the posterior held fixed, in steps
    /// of at most one copy's worth: all copies at once would overshoot.
    fn visit(
        &mut self,
        prior: &Prior,
        o: &Observation,
        likelihood: &dyn Likelihood,
        tau: &mut f64,
        nu: &mut f64,
    ) -> f64 {
        let edge = prior.edges[o.edge()];
        let column: Vec<f64> = match edge.minus() {
            Some(minus) => self
                .covariance
                .col(edge.plus())
                .iter()
                .zip(self.covariance.col(minus))
                .map(|(a, b)| a - b)
                .collect(),
            None => self.covariance.col(edge.plus()).to_vec(),
        };
        let along = |x: &[f64]| x[edge.plus()] - edge.minus().map_or(0.0, |minus| x[minus]);
        let variance = along(&column).max(0.0);
        let mean = o.sign() * (along(&self.mean) + prior.means[o.edge()]);
        let first = update(likelihood, *tau, *nu, mean, variance, 0.0);
        if variance == 0.0 {
            (*tau, *nu) = (first.tau, first.nu);
            return first.mismatch;
        }
        let (new_tau, new_nu) = settle(likelihood, o.count(), *tau, *nu, mean, variance);
        // Where rounding has eaten the cavity, the site stays as it was.
        if !(new_tau.is_finite() && new_nu.is_finite() && 1.0 + o.count() * (new_tau - *tau) * variance > 0.0)
        {
            return first.mismatch;
        }
        let (d_tau, d_nu) = (o.count() * (new_tau - *tau), o.count() * (new_nu - *nu));
        (*tau, *nu) = (new_tau, new_nu);
        // Rank-one update: Sigma <- Sigma - c c' d_tau / (1 + d_tau v), and the mean with it.
        let gain = 1.0 / (1.0 + d_tau * variance);
        axpy(o.sign() * (d_nu - d_tau * mean) * gain, &column, &mut self.mean);
        for (j, &c) in column.iter().enumerate() {
            axpy(-d_tau * gain * c, &column, self.covariance.col_mut(j));
        }
        first.mismatch
    }
}

/// The fixpoint of one site that stands for `count` copies, everything else held fixed; for one copy a
/// single update is the fixpoint. Takes the site, and the marginal under it.
fn settle(
    likelihood: &dyn Likelihood,
    count: f64,
    tau: f64,
    nu: f64,
    mean: f64,
    variance: f64,
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
