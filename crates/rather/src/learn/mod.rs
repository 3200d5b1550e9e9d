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
mod rough;
#[doc(hidden)]
pub mod uncertainty;

pub use hyperparameters::{Hyperparameter, Hyperparameters, LogNormal, Scale, Units};

use std::cell::Cell;
use std::sync::Arc;

use crate::Error;
use crate::evidence::{Evidence, LEFT_OUT, Problem};
use crate::inference::prior::Prior;
use crate::inference::sites::Sites;
use crate::inference::{Method, Outcome, Settings};
use crate::kernel::Kernel;
use crate::points::Points;
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

/// The factor by which the lengthscales of another start are shorter or longer.
const ELSEWHERE: f64 = 4.0;
/// Items that are looked at for whether their neighbours tell them.
const SOME: usize = 50;
/// The correlation with its nearest neighbour by which an item is told.
const TOLD: f64 = 0.3;
/// From this correlation on two items are one.
const SAME_ITEM: f64 = 1.0 - 1e-9;
/// Steps after which another start must have come near.
const TRIAL_STEPS: usize = 5;
/// How near, in nats.
const PROMISING: f64 = 3.0;
/// Where another start has come so near, in every logarithm of a hyperparameter, it is on its way to the same maximum.
const SAME: f64 = 0.7;
/// Nats that tell no maximum from another.
const ALIKE: f64 = 1e-2;
/// Nats by which the evidence must rise with a hyperparameter, followed straight to its value at a maximum, for that to draw it.
const PULL: f64 = 1.0;
/// Nats by which a start is so far below the best that those of a glance make no difference.
const FAR: f64 = 10.0;
/// Nats that say nothing of where it is drawn.
const SLIGHT: f64 = 0.1;
/// When a climb whose result is kept is over: nobody takes up what it has left.
pub(crate) const CLOSE: lbfgs::Stop = lbfgs::Stop { gradient: 5e-3, decrease: 1e-4, error: 0.0, steps: 100 };

/// Looks for a better maximum from other starts: shorter and longer lengthscales than were found ([`other_starts`]). A start is given up as soon as it is
/// on the hill of the maximum known, or if it is not near the best after a few steps.
///
/// # Errors
/// As [`maximise`].
#[doc(hidden)]
pub fn restart(
    problem: &Problem<'_>,
    found: Learned,
    settings: &Settings,
    goes_on: &dyn Fn() -> bool,
) -> Result<Learned, Error> {
    let mut best = found;
    for start in other_starts(&best.hyperparameters, problem.points)? {
        let mut spent = (best.evaluations, best.sweeps);
        // A start where inference fails is no reason to lose the fit that worked.
        if let Some(there) = elsewhere(problem, &start, &best, settings, &mut spent, goes_on)
            && let Ok(there) =
                maximise(problem, &there.hyperparameters, settings, CLOSE, Some(there.sites), goes_on)
        {
            spent = (spent.0 + there.evaluations, spent.1 + there.sweeps);
            if there.objective > best.objective {
                best = there;
            }
        }
        (best.evaluations, best.sweeps) = spent;
    }
    Ok(best)
}

/// Where else a maximum may be than here: with the learned lengthscales shorter and longer by [`ELSEWHERE`], and shorter ever again by as much as long as
/// items tell their neighbours. A wave much shorter than what was found is hidden from its gradient: all of it looks like noise, or like what items have of
/// their own.
fn other_starts(found: &Hyperparameters, points: &Points) -> Result<Vec<Hyperparameters>, Error> {
    if found.free_lengthscales().is_empty() {
        return Ok(Vec::new());
    }
    let shorter = found.with_little_of_own()?.with_lengthscales_times(1.0 / ELSEWHERE)?;
    let mut starts = vec![shorter.clone(), found.with_lengthscales_times(ELSEWHERE)?];
    let mut last = shorter;
    loop {
        let next = last.with_lengthscales_times(1.0 / ELSEWHERE)?;
        // The bounds end it, too.
        if next.distance(&last) == 0.0 || !neighbours_tell(&next.kernel, points) {
            return Ok(starts);
        }
        starts.push(next.clone());
        last = next;
    }
}

/// Whether most items have another that tells them, besides those that are the same.
fn neighbours_tell(kernel: &Kernel, points: &Points) -> bool {
    let smooth = kernel.without_white();
    let kernel = smooth.as_ref().map_or(kernel, |(smooth, _)| smooth);
    let variances = kernel.diagonal(points);
    let some: Vec<usize> = (0..points.len()).step_by(points.len().div_ceil(SOME).max(1)).collect();
    let covariances = kernel.cross(points, &points.select(&some));
    let told = some.iter().enumerate().filter(|&(k, &i)| {
        let correlation = |j: usize| covariances[(j, k)] / (variances[i] * variances[j]).sqrt();
        let others = (0..points.len()).map(correlation).filter(|&c| c < SAME_ITEM);
        others.fold(0.0, f64::max) > TOLD
    });
    2 * told.count() > some.len()
}

/// What may be a better maximum than the `best`, roughly; adds up what is spent on it.
fn elsewhere(
    problem: &Problem<'_>,
    start: &Hyperparameters,
    best: &Learned,
    settings: &Settings,
    spent: &mut (usize, usize),
    goes_on: &dyn Fn() -> bool,
) -> Option<Learned> {
    let rough = Rough::new(problem, &start.kernel);
    // Where a climb is on the hill of the maximum known, there is nothing else to be found.
    let mut sites = best.sites.clone();
    if let Some(there) = rough.glance(start, sites.clone(), settings) {
        *spent = (spent.0 + 1, spent.1 + there.sweeps);
        if there.is_far_below(start, best) && there.is_of(start, best) {
            return None;
        }
        sites = there.sites;
    }
    let mut climb = |from: &Hyperparameters, steps: usize, sites: Sites| {
        let known = Cell::new(false);
        let stop = lbfgs::Stop { steps, ..CLOSE };
        let on_its_own = || !known.get() && goes_on();
        let seen = |here: &Hyperparameters, setting: &Setting| known.set(setting.is_of(here, best));
        let found = rough.climb(from, settings, stop, Some(sites).into(), &on_its_own, &seen).ok()?;
        *spent = (spent.0 + found.evaluations, spent.1 + found.sweeps);
        (!known.get()).then_some(found)
    };
    let trial = climb(start, TRIAL_STEPS, sites)?;
    let is_promising = |found: &Learned, within: f64| found.objective > best.objective - within;
    if !is_promising(&trial, PROMISING) {
        return None;
    }
    let found =
        if trial.converged { trial } else { climb(&trial.hyperparameters, CLOSE.steps, trial.sites)? };
    is_promising(&found, ALIKE).then_some(found)
}

impl Setting {
    /// What is maximised and its gradient, in the free coordinates of the hyperparameters `here`.
    fn objective(&self, here: &Hyperparameters) -> (f64, Vec<f64>) {
        let (log_prior, slope) = here.log_prior();
        let gradient = here.in_coordinates(&self.gradient).iter().zip(&slope).map(|(g, p)| g + p).collect();
        (self.log_evidence + log_prior, gradient)
    }

    /// Whether so much is missing of the maximum `best` that what a glance leaves out makes no difference.
    fn is_far_below(&self, here: &Hyperparameters, best: &Learned) -> bool {
        self.objective(here).0 < best.objective - FAR
    }

    /// Whether the maximum `best` is that of the hill that `here` is on: it is near and no lower; or every hyperparameter is drawn towards it, so
    /// strongly that it explains what is missing, for the tangent of a hill lies above it; or hardly anything is missing, and none is drawn
    /// away from it.
    fn is_of(&self, here: &Hyperparameters, best: &Learned) -> bool {
        if !self.trustworthy {
            return false;
        }
        let there = &best.hyperparameters;
        let (objective, slope) = self.objective(here);
        if here.distance(there) <= SAME && objective <= best.objective + ALIKE {
            return true;
        }
        let step = |&i: &usize| there.entries[i].coordinate() - here.entries[i].coordinate();
        let all = here.free().into_iter().zip(&slope);
        let pulls: Vec<f64> = all
            .map(|(i, slope)| (step(&i), slope))
            .filter(|(step, _)| *step != 0.0)
            .map(|(s, g)| s * g)
            .collect();
        let missing = best.objective - objective;
        let explained = (0.0..pulls.iter().sum()).contains(&missing);
        let all_pull = |by: f64| pulls.iter().all(|&pull| pull > by);
        explained && (all_pull(PULL) || (missing < PULL && all_pull(-SLIGHT)))
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

#[cfg(test)]
mod tests {
    use super::choice::Options;
    use super::*;
    use crate::kernel::{Schema, parse};
    use crate::points::Points;

    fn hyperparameters() -> Hyperparameters {
        let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
        let options = Options {
            schema: &schema,
            units: Units::default(),
            fixed: &[],
            feature_units: &[1.0],
            priors: false,
            inference: Default::default(),
        };
        let items = Points::from_rows(&[[0.0], [1.0]]);
        Hyperparameters::new(parse("se", &schema, false).expect("a kernel"), &items, &options)
            .expect("hyperparameters")
    }

    /// A maximum of 0 with the lengthscale shorter by a factor of e^2, and a setting with this evidence and this slope in the lengthscale.
    fn is_of(log_evidence: f64, slope: f64) -> bool {
        let here = hyperparameters();
        let found = Setting {
            log_evidence: 0.0,
            gradient: vec![],
            sweeps: 0,
            sites: Sites::default(),
            trustworthy: true,
        };
        let there = here.with_lengthscales_times((-2.0_f64).exp()).expect("a lengthscale");
        let best = as_given(&there, found);
        let gradient = vec![0.0, slope, 0.0];
        Setting { log_evidence, gradient, sweeps: 0, sites: Sites::default(), trustworthy: true }
            .is_of(&here, &best)
    }

    #[test]
    fn what_is_drawn_to_a_maximum_that_explains_all_is_on_its_hill() {
        assert!(is_of(-3.0, -1.6));
        assert!(!is_of(-3.0, -1.4), "more is missing than the slope explains");
        assert!(!is_of(-3.0, 1.6), "it is drawn away");
        assert!(is_of(-0.5, -0.3), "hardly anything is missing");
        assert!(!is_of(14.0, -0.3), "it is better");
        assert!(!is_of(14.0, -3.0), "it is better");
    }
}
