//! Expectation propagation in one dimension per comparison.
//!
//! Parallel sweeps (all sites from one posterior, one factorisation a sweep) with Anderson acceleration; the
//! step is halved when the residual grows. Where that does not contract, [`super::sequential`] takes over.
//! Source: Takeno's note and Wang and McKenna (2010), section 4, in the corrected form of one-dimensional sites.

use super::anderson::Anderson;
use super::observations::Observation;
use super::prior::{Absorbed, GaussianPrior};
use super::sites::{Sites, Update, update_each};
use super::{Outcome, Settings, Status};
use crate::likelihood::Likelihoods;
use crate::watch;

/// Steps that Anderson acceleration remembers. Three is safe at low noise, where five once failed.
const ANDERSON_DEPTH: usize = 3;
/// Bytes that its history may take; at ten million sites that is one step.
const HISTORY: usize = 1 << 29;
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
    let mut anderson = Anderson::new(depth(observations.len()));
    while state.residual > settings.tolerance && sweeps < settings.sweeps && step >= SMALLEST_STEP {
        if watch::ends() {
            return None;
        }
        sweeps += 1;
        let (next, posterior) = propose(state, observations, &mut anderson, step);
        match State::new(prior, observations, likelihoods, next, posterior) {
            Some(next) if next.residual.is_finite() => state = next,
            // Not positive definite, or not a number: a shorter step from where we were.
            _ => {
                state = State::new(prior, observations, likelihoods, anderson.back()?, Absorbed::default())?;
                step *= 0.5;
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
    drop(anderson);
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
    Some(state.finish(sweeps, status))
}

/// Steps that acceleration remembers for so many sites.
pub(crate) fn depth(sites: usize) -> usize {
    let step = 2 * 2 * size_of::<f64>() * sites.max(1);
    (HISTORY / step).clamp(1, ANDERSON_DEPTH)
}

/// The next sites, and the posterior's memory for theirs.
fn propose(
    state: State,
    observations: &[Observation],
    anderson: &mut Anderson,
    step: f64,
) -> (Sites, Absorbed) {
    let State { sites, target, posterior, .. } = state;
    let mut difference = target;
    let minus = |to: &mut Vec<f64>, from: &[f64]| to.iter_mut().zip(from).for_each(|(t, x)| *t -= x);
    minus(&mut difference.tau, &sites.tau);
    minus(&mut difference.nu, &sites.nu);
    let variance = |m: usize| posterior.variance[observations[m].edge()];
    (anderson.next(sites, difference, variance, step), posterior)
}

/// Sites, the posterior under them, and what follows from it.
struct State {
    sites: Sites,
    posterior: Absorbed,
    /// The sites after an update that is not damped.
    target: Sites,
    residual: f64,
    /// [`GaussianPrior::quadratic`].
    quadratic: f64,
    /// Sums over the updates: of their parts of the log evidence, and of the derivatives in the likelihoods' values.
    log_evidence: f64,
    d_values: Vec<f64>,
    /// The derivatives in what each projection has besides, if any has.
    d_rest: Vec<f64>,
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
        drop((tau, nu));
        let rest = prior.rest();
        let mut target = Sites::with_capacity(observations.len());
        let (mut log_evidence, mut d_values) = (0.0, vec![0.0; likelihoods.values()]);
        let mut d_rest = vec![0.0; rest.len()];
        let take = |o: &Observation, update: &Update| {
            target.tau.push(update.tau);
            target.nu.push(update.nu);
            log_evidence += o.count() * update.log_evidence;
            likelihoods.add_slopes(o.answer, &update.d, o.count(), &mut d_values);
            if let Some(d) = d_rest.get_mut(o.edge()) {
                *d += o.count() * update.d_rest;
            }
        };
        let residual = update_each(likelihoods, observations, &sites, &posterior, rest, take);
        Some(Self { sites, posterior, target, residual, quadratic, log_evidence, d_values, d_rest })
    }

    fn finish(self, sweeps: usize, status: Status) -> Outcome {
        let Self { sites, posterior, residual, quadratic, log_evidence, d_values, d_rest, .. } = self;
        Outcome {
            log_evidence: log_evidence + 0.5 * quadratic - 0.5 * posterior.log_det,
            d_values,
            status,
            residual,
            sweeps,
            sites,
            posterior: Absorbed { half: Default::default(), ..posterior },
            implicit: None,
            d_rest,
        }
    }
}
