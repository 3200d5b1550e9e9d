//! Expectation propagation in one dimension per comparison.
//!
//! Parallel sweeps (all sites from one posterior, one factorisation a sweep) with Anderson acceleration; the
//! step is halved when the residual grows. Where that does not contract, [`super::sequential`] takes over.
//! Source: Takeno's note and Wang and McKenna (2010), section 4, in the corrected form of one-dimensional sites.

use super::anderson::Anderson;
use super::observations::Observation;
use super::prior::{Absorbed, GaussianPrior};
use super::sites::{Sites, Update, update_all};
use super::{Outcome, Settings, Status};
use crate::likelihood::Likelihoods;
use crate::watch;

/// Steps that Anderson acceleration remembers. Three is safe at low noise, where five once failed.
const ANDERSON_DEPTH: usize = 3;
/// Growth of the residual over its best at which the step is halved and the acceleration restarted.
const GROWTH: f64 = 3.0;
/// The smallest step before the parallel schedule is given up.
const SMALLEST_STEP: f64 = 1.0 / 32.0;

/// Runs EP from `start` until the tilted moments match the marginal ones to `settings.tolerance`.
pub fn run(
    prior: &dyn GaussianPrior,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    start: Sites,
    settings: &Settings,
) -> Option<Outcome> {
    let begin = |sites| State::new(prior, observations, likelihoods, sites, Absorbed::default());
    // Sites of another prior may leave no precision under this one, if some are negative.
    let mut state = begin(start).or_else(|| begin(Sites::empty(observations.len())))?;
    let mut best = state.residual;
    let mut step = 1.0;
    let mut sweeps = 0;
    let mut anderson = Anderson::new(ANDERSON_DEPTH);
    while state.residual > settings.tolerance && sweeps < settings.sweeps && step >= SMALLEST_STEP {
        if watch::ends() {
            return None;
        }
        sweeps += 1;
        let next = propose(&state, &mut anderson, step);
        let State { sites, posterior, .. } = state;
        match State::new(prior, observations, likelihoods, next, posterior) {
            Some(next) if next.residual.is_finite() => state = next,
            // Not positive definite, or not a number: a shorter step from where we were.
            _ => {
                state = State::new(prior, observations, likelihoods, sites, Absorbed::default())?;
                step *= 0.5;
                anderson.restart();
                continue;
            }
        }
        if state.residual > GROWTH * best {
            step *= 0.5;
            best = state.residual;
            anderson.restart();
        }
        best = best.min(state.residual);
    }
    let mut stalled = false;
    let settled = if state.residual > settings.tolerance && settings.sequential_sweeps > 0 {
        prior.settle(observations, likelihoods, state.sites.clone(), settings)
    } else {
        None
    };
    if let Some(settled) = settled {
        let reached = state.residual;
        let State { sites, posterior, .. } = state;
        sweeps += settled.sweeps;
        stalled = settled.stalled;
        state = match State::new(prior, observations, likelihoods, settled.sites, posterior) {
            Some(better) if better.residual <= reached => better,
            _ => State::new(prior, observations, likelihoods, sites, Absorbed::default())?,
        };
    }
    let status = match state.residual {
        r if r <= settings.tolerance => Status::Converged,
        _ if stalled => Status::Stalled,
        _ => Status::Limit,
    };
    Some(state.finish(observations, likelihoods, prior.rest().len(), sweeps, status))
}

/// The next sites: the accelerated step; a site whose precision it would make negative takes the plain one.
fn propose(state: &State, anderson: &mut Anderson, step: f64) -> Sites {
    let n = state.updates.len();
    let x: Vec<f64> = state.sites.tau.iter().chain(&state.sites.nu).copied().collect();
    let target = state.updates.iter().map(|u| u.tau).chain(state.updates.iter().map(|u| u.nu));
    let difference: Vec<f64> = target.zip(&x).map(|(t, x)| t - x).collect();
    let plain: Vec<f64> = x.iter().zip(&difference).map(|(x, d)| x + step * d).collect();
    let mut next = anderson.next(x, difference, &state.scale, step);
    for i in 0..n {
        if next[i] < 0.0 && plain[i] >= 0.0 {
            next[i] = plain[i];
            next[n + i] = plain[n + i];
        }
    }
    let nu = next.split_off(n);
    Sites { tau: next, nu }
}

/// Sites, the posterior under them, and the updates that follow from it.
struct State {
    sites: Sites,
    posterior: Absorbed,
    updates: Vec<Update>,
    residual: f64,
    /// Scales that make changes of `tau` and `nu` relative to the marginal moments.
    scale: Vec<f64>,
    /// [`GaussianPrior::quadratic`].
    quadratic: f64,
}

impl State {
    fn new(
        prior: &dyn GaussianPrior,
        observations: &[Observation],
        likelihoods: &Likelihoods,
        sites: Sites,
        memory: Absorbed,
    ) -> Option<Self> {
        let (tau, nu) = sites.by_edge(observations, prior.projections());
        let posterior = prior.absorb_into(&tau, &nu, memory)?;
        let quadratic = prior.quadratic(&tau, &nu, &posterior.mean);
        let (updates, residual) = update_all(likelihoods, observations, &sites, &posterior, prior.rest());
        let variances = || observations.iter().map(|o| posterior.variance[o.edge]);
        let scale = variances().chain(variances().map(f64::sqrt)).collect();
        Some(Self { sites, posterior, updates, residual, scale, quadratic })
    }

    fn finish(
        self,
        observations: &[Observation],
        likelihoods: &Likelihoods,
        rests: usize,
        sweeps: usize,
        status: Status,
    ) -> Outcome {
        let mut d_values = vec![0.0; likelihoods.values()];
        for (o, u) in observations.iter().zip(&self.updates) {
            likelihoods.add_slopes(o.answer, &u.d, o.count, &mut d_values);
        }
        let mut d_rest = vec![0.0; rests];
        if rests > 0 {
            for (o, u) in observations.iter().zip(&self.updates) {
                d_rest[o.edge] += o.count * u.d_rest;
            }
        }
        let of_sites: f64 =
            observations.iter().zip(&self.updates).map(|(o, u)| o.count * u.log_evidence).sum();
        let log_evidence = of_sites + 0.5 * self.quadratic - 0.5 * self.posterior.log_det;
        Outcome {
            log_evidence,
            d_values,
            status,
            residual: self.residual,
            sweeps,
            sites: self.sites,
            posterior: Absorbed { half: Default::default(), ..self.posterior },
            implicit: None,
            d_rest,
        }
    }
}
