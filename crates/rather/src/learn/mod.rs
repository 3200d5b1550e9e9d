//! Learning the hyperparameters: the evidence is maximised over their logarithms (of some, other coordinates: [`Scale`]).
//!
//! Wang and McKenna (2010), section 5, with the gradient in its corrected form; weak priors on top (MAP-II),
//! which a caller can see and switch off. Expectation propagation starts from the sites of the last setting.

pub mod choice;
pub mod hyperparameters;
pub mod uncertainty;

pub use hyperparameters::{Hyperparameter, Hyperparameters, LogNormal, Scale, Units};

use crate::Error;
use crate::evidence::Problem;
use crate::inference::Settings;
use crate::inference::sites::Sites;
use crate::lbfgs;

/// Tolerance of inference while learning: the evidence is flat at the fixpoint, so its error is of second
/// order in this and the gradient's of first.
const LEARNING_TOLERANCE: f64 = 1e-4;

/// What learning found.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The hyperparameters.
    pub hyperparameters: Hyperparameters,
    /// The sites there, from which inference starts again.
    pub sites: Sites,
    /// Log evidence there.
    pub log_evidence: f64,
    /// Log evidence plus log prior: what was maximised.
    pub objective: f64,
    /// Number of settings tried.
    pub evaluations: usize,
    /// Sweeps of inference over all of them.
    pub sweeps: usize,
    /// Whether the optimiser converged.
    pub converged: bool,
}

/// Factors on the learned lengthscales from which [`restart`] starts again.
const OTHER_STARTS: [f64; 2] = [0.25, 4.0];
/// Steps after which another start must have come near.
const TRIAL_STEPS: usize = 3;
/// How near, in nats.
const PROMISING: f64 = 3.0;

/// Looks for a better maximum from other starts: shorter and longer lengthscales than were found, and the
/// variance as at the beginning. A start that is not near the best after a few steps is given up.
///
/// # Errors
/// As [`maximise`].
pub fn restart(problem: &Problem<'_>, found: Learned, settings: &Settings) -> Result<Learned, Error> {
    let mut best = found;
    let movable = best.hyperparameters.free_lengthscales();
    if movable.is_empty() {
        return Ok(best);
    }
    let origin = best.hyperparameters.clone();
    for factor in OTHER_STARTS {
        let start = origin.with_lengthscales_times(factor)?;
        let trial = lbfgs::Stop { steps: TRIAL_STEPS, ..Default::default() };
        // A start where inference fails is no reason to lose the fit that worked.
        let Ok(mut learned) = maximise(problem, &start, settings, trial, None) else { continue };
        if !learned.converged && learned.objective > best.objective - PROMISING {
            let warm = Some(learned.sites);
            learned = maximise(problem, &learned.hyperparameters, settings, Default::default(), warm)?;
        }
        let (evaluations, sweeps) = (best.evaluations + learned.evaluations, best.sweeps + learned.sweeps);
        if learned.objective > best.objective {
            best = learned;
        }
        (best.evaluations, best.sweeps) = (evaluations, sweeps);
    }
    Ok(best)
}

/// Maximises the evidence (times the priors) from the values in `start`.
///
/// # Errors
/// As [`Problem::evaluate`] at the start.
pub fn maximise(
    problem: &Problem<'_>,
    start: &Hyperparameters,
    settings: &Settings,
    stop: lbfgs::Stop,
    warm: Option<Sites>,
) -> Result<Learned, Error> {
    let free = start.free();
    let rough = Settings { tolerance: settings.tolerance.max(LEARNING_TOLERANCE), ..*settings };
    let x: Vec<f64> = free.iter().map(|&i| start.entries[i].coordinate()).collect();
    let bounds: Vec<(f64, f64)> = free.iter().map(|&i| start.entries[i].coordinate_bounds()).collect();
    let mut latest = warm;
    let mut sweeps = 0;
    let mut best: Option<Best> = None;
    let at = |x: &[f64]| -> Result<Hyperparameters, Error> {
        let mut here = start.clone();
        let mut values: Vec<f64> = here.entries.iter().map(|e| e.value).collect();
        free.iter().zip(x).for_each(|(&i, &x)| values[i] = here.entries[i].scale.value(x));
        here.set(&values)?;
        Ok(here)
    };
    let mut failure = None;
    let mut evaluate = |x: &[f64]| -> Result<(f64, Vec<f64>), Error> {
        let here = at(x)?;
        let evidence = problem.evaluate(&here.kernel, here.values(), latest.as_ref(), &rough)?;
        let log_evidence = evidence.outcome.log_evidence;
        sweeps += evidence.outcome.sweeps;
        let sites = evidence.outcome.sites.clone();
        let all = problem.into_gradient(&here.kernel, evidence);
        let (log_prior, slope) = here.log_prior();
        let value = log_evidence + log_prior;
        let gradient: Vec<f64> =
            here.in_coordinates(&all).iter().zip(&slope).map(|(g, p)| -(g + p)).collect();
        if best.as_ref().is_none_or(|b| value > b.objective) {
            best = Some(Best { objective: value, log_evidence, sites: sites.clone(), x: x.to_vec() });
        }
        latest = Some(sites);
        if value.is_finite() && gradient.iter().all(|g| g.is_finite()) {
            Ok((-value, gradient))
        } else {
            Err(Error::Inference)
        }
    };
    let found = lbfgs::minimise(|x| evaluate(x).map_err(|e| failure = Some(e)).ok(), &x, &bounds, stop);
    let Some(found) = found else {
        return Err(failure.unwrap_or(Error::Inference));
    };
    let best = best.ok_or(Error::Inference)?;
    Ok(Learned {
        hyperparameters: at(&best.x)?,
        sites: best.sites,
        log_evidence: best.log_evidence,
        objective: best.objective,
        evaluations: found.evaluations,
        sweeps,
        converged: found.converged,
    })
}

/// The best setting so far.
struct Best {
    objective: f64,
    log_evidence: f64,
    sites: Sites,
    x: Vec<f64>,
}
