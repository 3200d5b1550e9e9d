//! Gaussian sites, their cavities, and the scalar work of one EP update.

use super::observations::Observation;
use super::prior::Absorbed;
use crate::likelihood::{Likelihood, Likelihoods, Slopes};
use crate::parallel;

/// One Gaussian site `exp(nu z - tau z^2 / 2)` an observation; an observation that stands for `count`
/// identical comparisons holds the site of one of them.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Sites {
    /// Precisions.
    pub tau: Vec<f64>,
    /// Precisions times means.
    pub nu: Vec<f64>,
}

impl Sites {
    /// Sites that say nothing.
    pub fn empty(n: usize) -> Self {
        Self { tau: vec![0.0; n], nu: vec![0.0; n] }
    }

    /// No sites yet, with memory for `n`.
    pub(super) fn with_capacity(n: usize) -> Self {
        Self { tau: Vec::with_capacity(n), nu: Vec::with_capacity(n) }
    }

    /// The sites summed over the observations of each of `edges` projections: `(tau, nu)`.
    pub fn by_edge(&self, observations: &[Observation], edges: usize) -> (Vec<f64>, Vec<f64>) {
        let (mut tau, mut nu) = (vec![0.0; edges], vec![0.0; edges]);
        for ((o, t), n) in observations.iter().zip(&self.tau).zip(&self.nu) {
            tau[o.edge()] += o.count() * t;
            nu[o.edge()] += o.count() * o.sign() * n;
        }
        (tau, nu)
    }
}

/// `1 - tau v` below which rounding, not data, decides: the cavity is then taken this wide.
const NARROWEST_CAVITY: f64 = 1e-13;

/// The EP update of one observation, and what the evidence needs of it.
#[derive(Debug, Clone, Copy)]
pub struct Update {
    /// The new site, not damped.
    pub tau: f64,
    /// The new site, not damped.
    pub nu: f64,
    /// How far the tilted moments are from the marginal ones: the mean in marginal standard deviations, the
    /// variance relative; the larger of the two.
    pub mismatch: f64,
    /// This observation's (one copy's) part of the log evidence.
    pub log_evidence: f64,
    /// Derivatives of the log normaliser in the likelihood's slots.
    pub d: Slopes,
    /// Derivative of the log normaliser in the variance that the projection has besides (`rest`).
    pub d_rest: f64,
}

/// Updates one site: cavity, tilted moments, new site. `z ~ N(mean, variance)` is the current marginal of the
/// observation's own (signed) projection and (`tau`, `nu`) its current site.
///
/// The cavity has `v_c = v / (1 - tau v)`, `m_c = (mean - nu v) / (1 - tau v)`, so a projection without any
/// variance (two identical items) is no special case. The evidence part is
/// `log Z_m - log of the integral of the cavity times the site`, i.e.
/// `log Z_m + log(1 + tau v_c)/2 + (tau m_c^2 - 2 nu m_c - nu^2 v_c) / (2 (1 + tau v_c))`.
///
/// With an independent part of variance `rest` the answer is about `u = z + e`, `e ~ N(0, rest)`: the likelihood sees
/// `N(m_c, v_c + rest)`, and its site `(tau_u, nu_u)` acts on `z` as `(tau_u, nu_u) / (1 + rest tau_u)`. With `V = v_c + rest`,
/// `d log Z / d rest = (a^2 - tau_u / (1 + tau_u V)) / 2` where `a = (nu_u - tau_u m_c) / (1 + tau_u V)`.
pub fn update(likelihood: &dyn Likelihood, tau: f64, nu: f64, mean: f64, variance: f64, rest: f64) -> Update {
    let shrink = (1.0 - tau * variance).max(NARROWEST_CAVITY);
    let (m, v) = ((mean - nu * variance) / shrink, variance / shrink);
    let tilted = likelihood.tilt(m, v + rest);
    let seen = 1.0 / (1.0 + rest * tilted.tau);
    let (new_tau, new_nu) = (tilted.tau * seen, tilted.nu * seen);
    let (d_tau, d_nu) = (new_tau - tau, new_nu - nu);
    let widening = 1.0 + d_tau * variance;
    let narrowing = 1.0 / (1.0 + tilted.tau * (v + rest));
    let slope = (tilted.nu - tilted.tau * m) * narrowing;
    Update {
        tau: new_tau,
        nu: new_nu,
        d_rest: 0.5 * (slope * slope - tilted.tau * narrowing),
        mismatch: (d_tau.abs() * variance).max((d_nu - d_tau * mean).abs() * variance.sqrt()) / widening,
        log_evidence: tilted.log_z - 0.5 * shrink.ln()
            + 0.5 * shrink * (tau * m * m - 2.0 * nu * m - nu * nu * v),
        d: tilted.d,
    }
}

/// Observations that a thread is worth waking up for.
const MANY: usize = 4096;
/// Observations whose updates are held at a time.
const CHUNK: usize = 1 << 16;

/// All updates from one state of the posterior (a parallel sweep), handed to `take` in the order of the observations; returns the largest
/// mismatch. `rest` is [`GaussianPrior::rest`](super::prior::GaussianPrior::rest).
pub fn update_each(
    likelihoods: &Likelihoods,
    observations: &[Observation],
    sites: &Sites,
    posterior: &Absorbed,
    rest: &[f64],
    mut take: impl FnMut(&Observation, &Update),
) -> f64 {
    let one = |m: usize| {
        let o = &observations[m];
        let (mean, variance) = (o.sign() * posterior.mean[o.edge()], posterior.variance[o.edge()]);
        let rest = rest.get(o.edge()).copied().unwrap_or(0.0);
        update(likelihoods.of(o.answer), sites.tau[m], sites.nu[m], mean, variance, rest)
    };
    let mut updates = Vec::with_capacity(observations.len().min(CHUNK));
    let mut residual = 0.0_f64;
    for (first, chunk) in (0..).step_by(CHUNK).zip(observations.chunks(CHUNK)) {
        updates = parallel::map_into(updates, chunk.len(), MANY, |k| one(first + k));
        for (o, update) in chunk.iter().zip(&updates) {
            residual = residual.max(update.mismatch);
            take(o, update);
        }
    }
    // Among sites of negative precision a cavity may have none left: such a state is no place to go on from.
    let improper = sites.tau.iter().any(|&t| t < 0.0)
        && observations.iter().zip(&sites.tau).any(|(o, t)| t * posterior.variance[o.edge()] >= 1.0);
    if improper { f64::INFINITY } else { residual }
}

/// As [`update_each`], all at once.
pub fn update_all(
    likelihoods: &Likelihoods,
    observations: &[Observation],
    sites: &Sites,
    posterior: &Absorbed,
    rest: &[f64],
) -> (Vec<Update>, f64) {
    let mut updates = Vec::with_capacity(observations.len());
    let keep = |_: &Observation, update: &Update| updates.push(*update);
    let residual = update_each(likelihoods, observations, sites, posterior, rest, keep);
    (updates, residual)
}
