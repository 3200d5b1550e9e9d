//! Maxima of the evidence that a climb does not see: starts from other lengthscales than were found.

use std::cell::Cell;

use super::rough::Rough;
use super::{CLOSE, Hyperparameters, Learned, Setting, maximise};
use crate::Error;
use crate::evidence::Problem;
use crate::inference::Settings;
use crate::inference::sites::Sites;
use crate::kernel::{Kernel, Role};
use crate::points::Points;
use rather_numerics::lbfgs;

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

/// Whether most items have another that tells them, besides those that are the same, by the terms with a lengthscale: others, such as `linear`, tell of all
/// items however short it is.
fn neighbours_tell(kernel: &Kernel, points: &Points) -> bool {
    let is_local = |term: &&Kernel| term.parameters().iter().any(|p| p.role == Role::Lengthscale);
    let kernel = Kernel::Sum(kernel.terms().iter().filter(is_local).cloned().collect());
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
    // Where a start or a climb is on the hill of the maximum known, there is nothing else to be found.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Schema, parse};
    use crate::learn::choice::Options;
    use crate::learn::{Units, as_given};

    fn hyperparameters(expression: &str, items: &Points) -> Hyperparameters {
        let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
        let options = Options {
            schema: &schema,
            units: Units::default(),
            fixed: &[],
            feature_units: &[1.0],
            priors: false,
            inference: Default::default(),
        };
        Hyperparameters::new(parse(expression, &schema, false).expect("a kernel"), items, &options)
            .expect("hyperparameters")
    }

    /// A term without a lengthscale tells of all items, however short that of another is.
    #[test]
    fn starts_end_where_items_no_longer_tell_each_other() {
        let items = Points::from_rows(&(0..40).map(|i| [f64::from(i)]).collect::<Vec<_>>());
        let starts = |expression: &str| {
            let starts = other_starts(&hyperparameters(expression, &items), &items).expect("starts");
            starts.len()
        };
        let expected = starts("se");
        assert!((3..6).contains(&expected), "{expected}");
        for expression in ["se + white", "se + linear", "linear + se + white"] {
            assert_eq!(starts(expression), expected, "{expression}");
        }
        assert_eq!(starts("linear + white"), 0);
    }

    /// A maximum of 0 with the lengthscale shorter by a factor of e^2, and a setting with this evidence and this slope in the lengthscale.
    fn is_of(log_evidence: f64, slope: f64) -> bool {
        let here = hyperparameters("se", &Points::from_rows(&[[0.0], [1.0]]));
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
