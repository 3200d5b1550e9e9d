//! Learning the hyperparameters: the evidence is maximised over their logarithms (of some, other coordinates: [`Scale`]).
//!
//! Wang and McKenna (2010), section 5, with the gradient in its corrected form; weak priors on top (MAP-II),
//! which a caller can see and switch off. Expectation propagation starts from the sites of the last setting.

pub mod choice;
#[doc(hidden)]
pub mod coarse;
#[doc(hidden)]
pub mod hyperparameters;
pub(crate) mod integration;
mod other_starts;
mod rough;
#[doc(hidden)]
pub mod uncertainty;

pub use hyperparameters::{Hyperparameter, Hyperparameters, LogNormal, Scale, Units};
#[doc(hidden)]
pub use other_starts::restart;

use std::sync::Arc;

use crate::Error;
use crate::evidence::{Evidence, LEFT_OUT, Problem};
use crate::inference::prior::Prior;
use crate::inference::sites::Sites;
use crate::inference::{Method, Outcome, Settings};
use rather_numerics::lbfgs::{self, Curvature};
use rather_numerics::watch;
use rough::Rough;

/// Tolerance of inference while learning: the evidence is flat at the fixpoint, so its error is of second
/// order in this and the gradient's of first.
pub(crate) const LEARNING_TOLERANCE: f64 = 1e-3;
/// How far the evidence of many answers may be off while learning, in nats.
const EVIDENCE_ERROR: f64 = 1e-2;

/// The tolerance of inference while learning at which the evidence of so many sites is off by no more than `error`: at the fixpoint it is flat, so every site is
/// off by the square of its mismatch.
pub(crate) fn tolerance_within(error: f64, sites: usize) -> f64 {
    LEARNING_TOLERANCE.min((error / sites.max(1) as f64).sqrt())
}

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
    /// The curvature of the objective there, in the free coordinates.
    pub curvature: Curvature,
    /// What inference found there, if there was nothing to learn and it went as far as it was to go.
    pub evidence: Option<Arc<Evidence>>,
}

/// When a climb whose result is kept is over: nobody takes up what it has left.
pub(crate) const CLOSE: lbfgs::Stop = lbfgs::Stop { gradient: 5e-3, decrease: 1e-4, error: 0.0, steps: 100 };

impl Setting {
    /// What is maximised and its gradient, in the free coordinates of the hyperparameters `here`.
    fn objective(&self, here: &Hyperparameters) -> (f64, Vec<f64>) {
        let (log_prior, slope) = here.log_prior();
        let gradient = here.in_coordinates(&self.gradient).iter().zip(&slope).map(|(g, p)| g + p).collect();
        (self.log_evidence + log_prior, gradient)
    }
}

impl Learned {
    /// With what was tried before.
    fn after(self, (evaluations, sweeps): (usize, usize)) -> Self {
        Self { evaluations: self.evaluations + evaluations, sweeps: self.sweeps + sweeps, ..self }
    }
}

/// Maximises the evidence (times the priors) from the values in `start`, from the sites `warm` if there are any. Where inference is not
/// trustworthy ([`Outcome::trustworthy`]) the evidence has no value, and a step there is taken back. `goes_on` is
/// asked before every setting but the first, and ends it with the best so far; so does
/// [`watch::Watch::finish`].
///
/// # Errors
/// As [`Problem::evaluate`] at the start.
#[doc(hidden)]
pub fn maximise(
    problem: &Problem<'_>,
    start: &Hyperparameters,
    settings: &Settings,
    stop: lbfgs::Stop,
    warm: Option<Sites>,
    goes_on: &dyn Fn() -> bool,
) -> Result<Learned, Error> {
    maximise_from(problem, start, settings, stop, warm.into(), goes_on)
}

/// As [`maximise`], where more is known of the start than sites.
pub(crate) fn maximise_from(
    problem: &Problem<'_>,
    start: &Hyperparameters,
    settings: &Settings,
    stop: lbfgs::Stop,
    warm: Warm,
    goes_on: &dyn Fn() -> bool,
) -> Result<Learned, Error> {
    let (found, is_rough) = maximise_roughly(problem, start, settings, stop, warm, goes_on)?;
    if is_rough { finish(problem, found, settings, stop, goes_on) } else { Ok(found) }
}

/// As [`maximise`], where the evidence is found in less time, if it is ([`Rough`]): with whether it was.
pub(crate) fn maximise_roughly(
    problem: &Problem<'_>,
    start: &Hyperparameters,
    settings: &Settings,
    stop: lbfgs::Stop,
    warm: Warm,
    goes_on: &dyn Fn() -> bool,
) -> Result<(Learned, bool), Error> {
    let rough = Rough::new(problem, &start.kernel);
    if rough.is_cheaper(start)
        && let Ok(found) = rough.climb(start, settings, stop, warm.clone(), goes_on, &|_, _| ())
    {
        return Ok((found, true));
    }
    let found = climb_or_restart(problem, start, settings, stop, warm, goes_on)?;
    Ok((found, false))
}

/// The maximum of the whole evidence, from where [`maximise_roughly`] has found it.
///
/// # Errors
/// As [`maximise`].
pub(crate) fn finish(
    problem: &Problem<'_>,
    found: Learned,
    settings: &Settings,
    stop: lbfgs::Stop,
    goes_on: &dyn Fn() -> bool,
) -> Result<Learned, Error> {
    let before = (found.evaluations, found.sweeps);
    let warm = Warm { sites: Some(found.sites), curvature: found.curvature };
    Ok(climb_or_restart(problem, &found.hyperparameters, settings, stop, warm, goes_on)?.after(before))
}

/// As [`climb_from`]; without a value at the start there may be one where Laplace's approximation, which asks less of the likelihoods, has its maximum.
fn climb_or_restart(
    problem: &Problem<'_>,
    start: &Hyperparameters,
    settings: &Settings,
    stop: lbfgs::Stop,
    warm: Warm,
    goes_on: &dyn Fn() -> bool,
) -> Result<Learned, Error> {
    match climb_from(problem, start, settings, stop, warm, goes_on) {
        Err(Error::Inference)
            if problem.method == Method::Ep
                && problem.inducing.is_none()
                && !problem.observations.has_sets() =>
        {
            let laplace = Problem { method: Method::Laplace, ..problem.clone() };
            let found = climb_from(&laplace, start, settings, stop, Warm::default(), goes_on)?;
            climb_from(problem, &found.hyperparameters, settings, stop, Warm::default(), goes_on)
        }
        climbed => climbed,
    }
}

/// As [`maximise`], where there is a value at the start.
fn climb_from(
    problem: &Problem<'_>,
    start: &Hyperparameters,
    settings: &Settings,
    stop: lbfgs::Stop,
    warm: Warm,
    goes_on: &dyn Fn() -> bool,
) -> Result<Learned, Error> {
    if start.free().is_empty() {
        let given = || problem.evaluate_from(&start.kernel, start.values(), warm.sites, settings);
        let evidence = watch::all_or_nothing(given)?;
        let Outcome { log_evidence, sweeps, trustworthy, .. } = evidence.outcome;
        let sites = evidence.outcome.sites.clone();
        let found = Setting { log_evidence, sweeps, sites, trustworthy, gradient: Vec::new() };
        return Ok(Learned { evidence: Some(Arc::new(evidence)), ..as_given(start, found) });
    }
    let enough = tolerance_within(EVIDENCE_ERROR, problem.observations.merged.len());
    climb(start, settings, stop, warm, goes_on, |here, sites, rough, sloped| {
        let rough = &Settings { tolerance: rough.tolerance.min(enough), ..*rough };
        let prior = problem.prior_of_answers(&here.kernel, here.noise(), LEFT_OUT)?;
        problem.infer(here, prior, sites, rough, sloped)
    })
}

impl Problem<'_> {
    /// What inference finds at a setting, under its prior.
    fn infer(
        &self,
        here: &Hyperparameters,
        prior: Prior,
        sites: Option<Sites>,
        settings: &Settings,
        sloped: bool,
    ) -> Result<Setting, Error> {
        let evidence = self.evaluate_under(prior, here.values(), sites, settings)?;
        let Outcome { log_evidence, sweeps, trustworthy, .. } = evidence.outcome;
        let sites = evidence.outcome.sites.clone();
        let sloped = sloped && trustworthy;
        let gradient = if sloped { self.into_gradient(&here.kernel, evidence) } else { Vec::new() };
        Ok(Setting { log_evidence, sweeps, sites, gradient, trustworthy })
    }
}

/// As [`maximise`], where the evidence is found elsewhere: `evidence` tells it at a setting, with its gradient in the logarithms of all
/// hyperparameters (in others than the noise of likelihoods: in their values). The sites of what is returned are empty.
///
/// # Errors
/// That of `evidence` at the start.
///
/// # Examples
/// ```
/// use rather::kernel::{Schema, parse};
/// use rather::learn::choice::Options;
/// use rather::learn::{Hyperparameters, Units, maximise_elsewhere};
/// use rather::points::Points;
///
/// let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
/// let options = Options {
///     schema: &schema,
///     units: Units::default(),
///     fixed: &[],
///     feature_units: &[1.0],
///     priors: false,
///     inference: Default::default(),
/// };
/// let items = Points::from_rows(&[[0.0], [1.0]]);
/// let start = Hyperparameters::new(parse("se", &schema, false)?, &items, &options)?;
/// // An evidence that is best where every hyperparameter is 2.
/// let found = maximise_elsewhere(&start, |here| {
///     let off: Vec<f64> = here.entries.iter().map(|e| (e.value / 2.0).ln()).collect();
///     Ok((-off.iter().map(|x| x * x).sum::<f64>(), off.iter().map(|x| -2.0 * x).collect()))
/// })?;
/// let free = found.hyperparameters.entries.iter().filter(|e| !e.fixed);
/// assert!(free.clone().count() == 2 && free.clone().all(|e| (e.value - 2.0).abs() < 1e-3));
/// # Ok::<(), rather::Error>(())
/// ```
#[doc(hidden)]
pub fn maximise_elsewhere(
    start: &Hyperparameters,
    evidence: impl FnMut(&Hyperparameters) -> Result<(f64, Vec<f64>), Error>,
) -> Result<Learned, Error> {
    let evidence = std::cell::RefCell::new(evidence);
    climb(start, &Settings::default(), lbfgs::Stop::default(), Warm::default(), &|| true, |here, _, _, _| {
        let (log_evidence, gradient) = (evidence.borrow_mut())(here)?;
        Ok(Setting { log_evidence, gradient, sweeps: 0, sites: Sites::default(), trustworthy: true })
    })
}

/// What inference found at one setting of the hyperparameters.
pub(crate) struct Setting {
    pub(crate) log_evidence: f64,
    /// In the logs of all hyperparameters, if it was wanted.
    pub(crate) gradient: Vec<f64>,
    pub(crate) sweeps: usize,
    pub(crate) sites: Sites,
    /// Whether inference came near a fixpoint. If not, the evidence is none: not a small one, and no large one either.
    pub(crate) trustworthy: bool,
}

/// What is known where a climb starts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warm {
    /// The sites of a setting nearby.
    pub(crate) sites: Option<Sites>,
    /// The curvature of the objective in the free coordinates.
    pub(crate) curvature: Curvature,
}

impl From<Option<Sites>> for Warm {
    fn from(sites: Option<Sites>) -> Self {
        Self { sites, ..Self::default() }
    }
}

/// As [`maximise`], for any way of inference: `infer` is told the setting, the sites of the last one, how far to go, and whether the gradient
/// is wanted.
pub(crate) fn climb(
    start: &Hyperparameters,
    settings: &Settings,
    stop: lbfgs::Stop,
    warm: Warm,
    goes_on: &dyn Fn() -> bool,
    infer: impl Fn(&Hyperparameters, Option<Sites>, &Settings, bool) -> Result<Setting, Error>,
) -> Result<Learned, Error> {
    let free = start.free();
    let rough = Settings { tolerance: settings.tolerance.max(LEARNING_TOLERANCE), ..*settings };
    let Warm { sites: warm, curvature } = warm;
    if free.is_empty() {
        let given = watch::all_or_nothing(|| infer(start, warm, &rough, false))?;
        return Ok(as_given(start, given));
    }
    let x: Vec<f64> = free.iter().map(|&i| start.entries[i].coordinate()).collect();
    let bounds: Vec<(f64, f64)> = free.iter().map(|&i| start.entries[i].coordinate_bounds()).collect();
    let mut latest = warm;
    let (mut evaluations, mut sweeps) = (0, 0);
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
        // Without a value here and anywhere else, the optimiser ends where it is.
        if best.is_some() && !goes_on() {
            return Err(Error::Inference);
        }
        let here = at(x)?;
        // Those of the last setting, or a copy where they are those of the best.
        let sites = latest.take().or_else(|| best.as_ref().map(|best| best.sites.clone()));
        let setting = watch::all_or_nothing(|| infer(&here, sites, &rough, true))?;
        evaluations += 1;
        sweeps += setting.sweeps;
        if !setting.trustworthy {
            return Err(Error::Inference);
        }
        let (value, slope) = setting.objective(&here);
        let Setting { log_evidence, sites, .. } = setting;
        let downhill: Vec<f64> = slope.iter().map(|g| -g).collect();
        if best.as_ref().is_none_or(|b| value > b.objective) {
            best = Some(Best { objective: value, log_evidence, sites, x: x.to_vec() });
        } else {
            latest = Some(sites);
        }
        if value.is_finite() && downhill.iter().all(|g| g.is_finite()) {
            Ok((-value, downhill))
        } else {
            Err(Error::Inference)
        }
    };
    let value = |x: &[f64]| evaluate(x).map_err(|e| failure = Some(e)).ok();
    let found = lbfgs::minimise_with(value, &x, curvature, &bounds, stop);
    let Some(found) = found else {
        return Err(failure.unwrap_or(Error::Inference));
    };
    let best = best.ok_or(Error::Inference)?;
    Ok(Learned {
        hyperparameters: at(&best.x)?,
        sites: best.sites,
        log_evidence: best.log_evidence,
        objective: best.objective,
        evaluations,
        sweeps,
        converged: found.converged,
        curvature: found.curvature,
        evidence: None,
    })
}

/// Where there was nothing to learn.
fn as_given(given: &Hyperparameters, found: Setting) -> Learned {
    let Setting { log_evidence, sites, sweeps, .. } = found;
    Learned {
        hyperparameters: given.clone(),
        sites,
        log_evidence,
        objective: log_evidence + given.log_prior().0,
        evaluations: 1,
        sweeps,
        converged: true,
        curvature: Curvature::new(),
        evidence: None,
    }
}

/// The best setting so far.
struct Best {
    objective: f64,
    log_evidence: f64,
    sites: Sites,
    x: Vec<f64>,
}
