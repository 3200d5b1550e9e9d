//! Expectation propagation in one dimension per comparison.
//!
//! Parallel sweeps (all sites from one posterior, one factorisation a sweep) with Anderson acceleration; the
//! step is halved when the residual grows. Where that does not contract, [`super::sequential`] takes over.
//! Source: Takeno's note and Wang and McKenna (2010), section 4, in the corrected form of one-dimensional sites.

use super::anderson::Anderson;
use super::observations::Observation;
use super::prior::{Absorbed, GaussianPrior};
use super::sites::{Sites, Update};
use super::sweep::{Swept, expand_each, update_each};
use super::{Factors, Outcome, ROUNDING, Settings, Status, as_number, is_trustworthy};
use crate::likelihood::Likelihoods;
use rather_numerics::watch;

/// Steps that Anderson acceleration remembers. Three is safe at low noise, where five once failed.
const ANDERSON_DEPTH: usize = 3;
/// Sites from which on a sweep that brings the residual down to this share by itself is not mixed with those before: where so many answers pull
/// at fewer variables, sweeps are next to Newton's steps, which the memory of larger ones only disturbs.
const UNMIXED: (usize, f64) = (100_000, 0.05);
/// Bytes that its history may take; at ten million sites that is one step.
const HISTORY: usize = 1 << 29;
/// Growth of the residual over its best at which the step is halved and the acceleration restarted.
const GROWTH: f64 = 3.0;
/// The smallest step before the parallel schedule is given up.
const SMALLEST_STEP: f64 = 1.0 / 32.0;
/// Newton's steps towards the mode, from where sweeps find their fixpoint, at most; and the largest one, in standard deviations, after which there are no
/// more.
const NEWTON_STEPS: usize = 8;
const NEAR_THE_MODE: f64 = 0.03;
/// Shares of a sequential update that are taken, one after the other, of factors that are not log-concave.
const DAMPED: [f64; 2] = [1.0, 0.3];

/// Where sweeps begin.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The sites.
    pub sites: Sites,
    /// What an earlier run of the same projections left, from which the posterior is found faster; or nothing.
    pub memory: Absorbed,
}

impl From<Sites> for Start {
    fn from(sites: Sites) -> Self {
        Self { sites, memory: Absorbed::default() }
    }
}

/// Runs EP from `start` until the tilted moments match the marginal ones to `settings.tolerance`.
pub fn run(
    prior: &dyn GaussianPrior,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    start: impl Into<Start>,
    settings: &Settings,
) -> Option<Outcome> {
    let Start { sites: start, memory } = start.into();
    let engine = Engine { prior, observations, likelihoods, factors: settings.factors };
    let is_cold = observations.len() >= UNMIXED.0 && start.tau.iter().all(|&tau| tau == 0.0);
    let near = if is_cold { engine.near_the_mode().filter(|near| near.residual.is_finite()) } else { None };
    // Sites of another prior may leave no precision under this one, if some are negative.
    let state = near.or_else(|| engine.state(start, memory));
    let state = state.or_else(|| engine.state(Sites::empty(observations.len()), Absorbed::default()))?;
    let (mut state, mut sweeps) = engine.in_parallel(state, settings)?;
    let mut stalled = false;
    for damping in engine.dampings() {
        if state.residual <= settings.tolerance || settings.sequential_sweeps == 0 {
            break;
        }
        let before = (state, sweeps, stalled);
        (state, sweeps, stalled) = engine.in_sequence(before, *damping, settings)?;
    }
    if state.residual > settings.tolerance
        && let Some(near) = engine.near_the_mode()
    {
        let (settled, more) = engine.in_parallel(near, settings)?;
        sweeps += more;
        if settled.residual < state.residual {
            (state, stalled) = (settled, false);
        }
    }
    let status = match state.residual {
        r if r <= settings.tolerance => Status::Converged,
        r if stalled && r <= ROUNDING => Status::Stalled,
        _ => Status::Limit,
    };
    Some(state.finish(&engine, settings.tolerance, sweeps, status))
}

/// Steps that acceleration remembers for so many sites.
pub(crate) fn depth(sites: usize) -> usize {
    let step = 2 * 2 * size_of::<f64>() * sites.max(1);
    (HISTORY / step).clamp(1, ANDERSON_DEPTH)
}

/// What is inferred, and by which factors.
struct Engine<'a> {
    prior: &'a dyn GaussianPrior,
    observations: &'a [Observation],
    likelihoods: &'a Likelihoods,
    factors: Factors,
}

impl Engine<'_> {
    /// Parallel sweeps until they agree, or no longer contract; with how many they were.
    fn in_parallel(&self, start: State, settings: &Settings) -> Option<(State, usize)> {
        let mut state = start;
        let mut best = state.residual;
        let mut step = 1.0;
        let mut sweeps = 0;
        let mut anderson = Anderson::new(depth(self.observations.len()));
        while state.residual > settings.tolerance && sweeps < settings.sweeps && step >= SMALLEST_STEP {
            if watch::ends() {
                return None;
            }
            sweeps += 1;
            let before = state.residual;
            let (next, posterior) = self.propose(state, &mut anderson, step);
            match self.state(next, posterior) {
                Some(next) if next.residual.is_finite() => state = next,
                // Not positive definite, or not a number: a shorter step from where we were.
                _ => {
                    state = self.state(anderson.back()?, Absorbed::default())?;
                    step *= 0.5;
                    continue;
                }
            }
            if self.observations.len() >= UNMIXED.0 && state.residual <= UNMIXED.1 * before {
                anderson.restart();
            }
            if state.residual > GROWTH * best {
                step *= 0.5;
                best = state.residual;
                anderson.restart();
            }
            best = best.min(state.residual);
        }
        Some((state, sweeps))
    }

    /// The shares of a sequential update to try. Where all factors are log-concave all of it is safe.
    fn dampings(&self) -> &'static [f64] {
        if self.is_log_concave() { &DAMPED[..1] } else { &DAMPED }
    }

    fn is_log_concave(&self) -> bool {
        self.observations.iter().all(|o| self.likelihoods.of(o.answer).is_log_concave())
    }

    /// Sequential sweeps, if they come nearer to a fixpoint than `reached`; else that. They start from what was reached, but among factors that are not
    /// log-concave from nothing: sites that ran away from each other are no place to go on from.
    fn in_sequence(
        &self,
        (reached, sweeps, stalled): (State, usize, bool),
        damping: f64,
        settings: &Settings,
    ) -> Option<(State, usize, bool)> {
        let Self { prior, observations, likelihoods, .. } = *self;
        let start =
            if self.is_log_concave() { reached.sites.clone() } else { Sites::empty(observations.len()) };
        let Some(settled) = prior.settle(observations, likelihoods, start, damping, settings) else {
            return Some((reached, sweeps, stalled));
        };
        let sweeps = sweeps + settled.sweeps;
        let State { sites, posterior, residual, .. } = reached;
        match self.state(settled.sites, posterior) {
            Some(better) if better.residual <= residual => Some((better, sweeps, settled.stalled)),
            _ => Some((self.state(sites, Absorbed::default())?, sweeps, stalled)),
        }
    }

    /// Sites of the slope and the curvature of log-concave factors near the mode, by Newton's steps from nothing. Where thousands of answers pull at the
    /// same few variables, the first sweeps overshoot by so much that what follows may never come back; a step takes less time than a sweep, too. `None` of
    /// other factors, and of answers about sets.
    fn near_the_mode(&self) -> Option<State> {
        let Self { prior, observations, likelihoods, factors } = *self;
        let of_set = |o: &Observation| likelihoods.set(o.answer).is_some();
        if !self.is_log_concave() || observations.iter().any(of_set) {
            return None;
        }
        let edges = prior.projections();
        let (mut mean, mut memory) = (vec![0.0; edges], Absorbed::default());
        let mut sites = Sites::empty(observations.len());
        for _ in 0..NEWTON_STEPS {
            sites = expand_each(likelihoods, observations, factors, &mean);
            let (tau, nu) = sites.by_edge(observations, edges);
            memory = prior.absorb_into(&tau, &nu, memory)?;
            let moved = (0..edges).map(|e| (memory.mean[e] - mean[e]).powi(2) / memory.variance[e]);
            let is_near = moved.fold(0.0, f64::max) <= NEAR_THE_MODE * NEAR_THE_MODE;
            mean.clone_from(&memory.mean);
            if is_near {
                break;
            }
        }
        self.state(sites, memory)
    }

    /// The next sites, and the posterior's memory for theirs.
    fn propose(&self, state: State, anderson: &mut Anderson, step: f64) -> (Sites, Absorbed) {
        let State { sites, target, posterior, .. } = state;
        let mut difference = target;
        let minus = |to: &mut Vec<f64>, from: &[f64]| to.iter_mut().zip(from).for_each(|(t, x)| *t -= x);
        minus(&mut difference.tau, &sites.tau);
        minus(&mut difference.nu, &sites.nu);
        let measure = |m: usize| {
            let o = &self.observations[m];
            (posterior.variance[o.edge()], o.count())
        };
        (anderson.next(sites, difference, measure, step), posterior)
    }

    /// The posterior under `sites`, in the memory of an earlier one, and the updates there. `None` if it is not positive definite.
    fn state(&self, sites: Sites, memory: Absorbed) -> Option<State> {
        let Self { prior, observations, likelihoods, factors } = *self;
        let (tau, nu) = sites.by_edge(observations, prior.projections());
        let posterior = prior.absorb_into(&tau, &nu, memory)?;
        let quadratic = prior.quadratic(&tau, &nu, &posterior);
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
        let Swept { residual, clipped } =
            update_each(likelihoods, observations, factors, &sites, &posterior, rest, take);
        let of_pairs = d_rest.iter().enumerate().filter(|(e, _)| prior.compares(*e));
        likelihoods.add_slope_of_pairs(of_pairs.map(|(_, d)| d).sum(), &mut d_values);
        Some(State { sites, posterior, target, residual, clipped, quadratic, log_evidence, d_values, d_rest })
    }
}

/// Sites, the posterior under them, and what follows from it.
struct State {
    sites: Sites,
    posterior: Absorbed,
    /// The sites after an update that is not damped.
    target: Sites,
    residual: f64,
    /// Factors without a cavity that could be told from none.
    clipped: usize,
    /// [`GaussianPrior::quadratic`].
    quadratic: f64,
    /// Sums over the updates: of their parts of the log evidence, and of the derivatives in the likelihoods' values.
    log_evidence: f64,
    d_values: Vec<f64>,
    /// The derivatives in what each projection has besides, if any has.
    d_rest: Vec<f64>,
}

impl State {
    fn finish(self, engine: &Engine<'_>, tolerance: f64, sweeps: usize, status: Status) -> Outcome {
        let Self { sites, posterior, residual, clipped, quadratic, log_evidence, d_values, d_rest, .. } =
            self;
        let log_evidence = log_evidence + 0.5 * quadratic - 0.5 * engine.prior.log_det(&posterior);
        let trustworthy =
            is_trustworthy(residual, tolerance, log_evidence, engine.observations, engine.likelihoods);
        Outcome {
            trustworthy,
            log_evidence: as_number(log_evidence),
            d_values,
            status: if trustworthy { status } else { Status::Limit },
            residual: as_number(residual),
            clipped,
            sweeps,
            sites,
            posterior: engine.prior.keep(posterior),
            implicit: None,
            d_rest,
        }
    }
}
