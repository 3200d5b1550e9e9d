//! How far the approximation is from the exact posterior, on the data that a model was learned from.

pub(crate) mod truth;
mod user;

pub use user::check_user;

use truth::Truth;

use crate::Error;
use crate::belief::Belief;
use crate::evidence::Problem;
use crate::exact::differences::MOST_COMPARISONS;
use crate::exact::{ExactPosterior, ExactSettings, LogProbability, Report};
use crate::inference::{Method, Settings, sample};
use crate::model::{Model, from_sites};
use crate::points::Points;
use crate::posterior::{Moments, Posterior};
use rather_numerics::order::{self, descending};

/// Up to so many standard errors, a deviation is within sampling error.
#[doc(hidden)]
pub const WITHIN: f64 = 4.0;

/// How far an approximation may be off.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The mean of a utility, in standard deviations.
    pub mean: f64,
    /// The probability of a choice.
    pub probability: f64,
    /// The ratio of a standard deviation to the exact one, or its inverse.
    pub sd_ratio: f64,
}

/// The largest deviations that are still good.
#[doc(hidden)]
pub const GOOD: Limits = Limits { mean: 0.1, probability: 0.02, sd_ratio: 1.1 };
/// The largest that are still usable.
#[doc(hidden)]
pub const USABLE: Limits = Limits { mean: 0.3, probability: 0.05, sd_ratio: 1.5 };

/// How to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckSettings {
    /// How the exact posterior is sampled; the seed also chooses the pairs.
    pub exact: ExactSettings,
    /// Most pairs of compared items whose probabilities are compared: all, or so many at random. Default 2,000.
    pub pairs: usize,
    /// Most pairs for which sharper probabilities are tried. Default 20.
    pub sharp_pairs: usize,
    /// Most answers that are checked, where there are more than exact inference holds: those about a part of the items, drawn under
    /// the seed. Default 500.
    pub part: usize,
}

impl Default for CheckSettings {
    fn default() -> Self {
        Self { exact: ExactSettings::default(), pairs: 2_000, sharp_pairs: 20, part: 500 }
    }
}

/// Absolute deviations of the approximation from the exact posterior, over items or pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// The largest.
    pub largest: f64,
    /// The one in the middle.
    pub median: f64,
    /// Their mean.
    pub mean: f64,
    /// The Monte Carlo standard error of the largest.
    pub error: f64,
    /// Whether none is more than [`WITHIN`] times its own standard error: no difference was seen at all.
    pub within_error: bool,
}

impl Deviation {
    /// Of deviations, each with its standard error; all 0 if there are none.
    fn new(each: &[(f64, f64)]) -> Self {
        let mut sizes: Vec<(f64, f64)> = each.iter().map(|&(d, error)| (d.abs(), error)).collect();
        order::sort_ascending(&mut sizes, |(size, _)| *size);
        let &(largest, error) = sizes.last().unwrap_or(&(0.0, 0.0));
        Self {
            largest,
            median: sizes.get(sizes.len() / 2).map_or(0.0, |d| d.0),
            mean: sizes.iter().map(|d| d.0).sum::<f64>() / sizes.len().max(1) as f64,
            error,
            within_error: sizes.iter().all(|&(d, error)| within(d, error)),
        }
    }
}

fn within(deviation: f64, error: f64) -> bool {
    // What involves no sampling differs by rounding.
    const ROUNDING: f64 = 1e-9;
    deviation.abs() <= WITHIN * error + ROUNDING
}

/// Standard deviations of the approximation, divided by the exact ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SdRatio {
    /// The smallest.
    pub smallest: f64,
    /// The one in the middle.
    pub median: f64,
    /// The largest.
    pub largest: f64,
    /// The Monte Carlo standard error of the one farthest from 1.
    pub error: f64,
    /// As [`Deviation::within_error`].
    pub within_error: bool,
}

impl SdRatio {
    fn new(each: &[(f64, f64)]) -> Self {
        let mut ratios = each.to_vec();
        order::sort_ascending(&mut ratios, |(ratio, _)| *ratio);
        let at = |i: usize| ratios.get(i).copied().unwrap_or((1.0, 0.0));
        let (smallest, largest) = (at(0), at(ratios.len().saturating_sub(1)));
        let farthest = if largest.0 * smallest.0 >= 1.0 { largest } else { smallest };
        Self {
            smallest: smallest.0,
            median: at(ratios.len() / 2).0,
            largest: largest.0,
            error: farthest.1,
            within_error: ratios.iter().all(|&(ratio, error)| within(ratio - 1.0, error)),
        }
    }
}

/// How near an approximation is to the exact posterior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Means of utilities relative to the average, in exact standard deviations.
    pub means: Deviation,
    /// Their standard deviations.
    pub sd_ratio: SdRatio,
    /// Probabilities of choices.
    pub probabilities: Deviation,
    /// Number of pairs that these are of.
    pub pairs: usize,
}

/// The pairs with the largest deviations again, by ratios of evidences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharper {
    /// Number of pairs.
    pub pairs: usize,
    /// By [`Posterior::probabilities`].
    pub gaussian: Deviation,
    /// By [`Posterior::sharp_probabilities`].
    pub sharp: Deviation,
}

/// What all this means for who uses the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No mean, no probability and no standard deviation is off by more than [`GOOD`].
    Good,
    /// None is off by more than [`USABLE`].
    Usable,
    /// One is.
    Poor,
    /// The draws of the exact posterior are not to be trusted ([`Report::mixed`]).
    Unsettled,
}

impl Verdict {
    /// The verdict on an agreement that was found by such sampling. Sampling error counts as deviation, so that few
    /// draws never make an approximation look better.
    pub fn new(agreement: &Agreement, sampling: &Report) -> Self {
        let Agreement { means, sd_ratio, probabilities, .. } = agreement;
        // An interval that is too narrow misleads as one that is too wide does.
        let ratio = sd_ratio.largest.max(1.0 / sd_ratio.smallest);
        let keeps = |limits: Limits| {
            means.largest <= limits.mean
                && probabilities.largest <= limits.probability
                && ratio <= limits.sd_ratio
        };
        match () {
            () if !sampling.mixed() => Self::Unsettled,
            () if keeps(GOOD) => Self::Good,
            () if keeps(USABLE) => Self::Usable,
            () => Self::Poor,
        }
    }
}

/// The part of the answers that was checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Number of items.
    pub items: usize,
    /// Number of answers about them, repeated ones counted.
    pub answers: f64,
    /// The seed that the items were drawn under.
    pub seed: u64,
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Check {
    /// Number of items compared, whether or not all were checked.
    pub items: usize,
    /// Number of answers about them, repeated ones counted.
    pub answers: f64,
    /// The approximation that was checked: expectation propagation also for a model of exact inference.
    pub method: Method,
    /// The part of the answers that was checked; `None` if all were.
    pub part: Option<Part>,
    /// How near it is.
    pub agreement: Agreement,
    /// Whether sharper probabilities help; `None` without pairs, for one of many users, for a streaming model, for response models with lapses or outliers, or if
    /// inference broke down for one.
    pub sharper: Option<Sharper>,
    /// The approximate log evidence, in nats, of what was checked.
    pub log_evidence: f64,
    /// The exact one; `None` if it is out of reach.
    pub exact_log_evidence: Option<LogProbability>,
    /// How sampling went.
    pub sampling: Report,
    /// What all this means.
    pub verdict: Verdict,
}

impl Check {
    /// Whether sharper probabilities ([`Posterior::sharp_probabilities`]) are all that it takes to be good: means and standard deviations are, and
    /// the probabilities that are off by more than is good are near by ratios of evidences. Where they are not, only draws of the exact
    /// posterior correct what is off.
    pub fn is_sharp_enough(&self) -> bool {
        let Agreement { means, sd_ratio, .. } = self.agreement;
        let intervals = sd_ratio.largest.max(1.0 / sd_ratio.smallest) <= GOOD.sd_ratio;
        let sharp = self.sharper.is_some_and(|sharper| sharper.sharp.largest <= GOOD.probability);
        means.largest <= GOOD.mean && intervals && sharp
    }
}

/// Compares a model's approximation with the exact posterior at the same hyperparameters. Of a model of more answers than exact
/// inference holds, a part is checked: the approximation again, by the same method and representation, on the answers about some of
/// the items, drawn under the seed of `settings`.
///
/// # Errors
/// Those of [`ExactPosterior::new`]; [`Error::ExactSize`] for more comparisons than exact inference holds if no part of them can be
/// checked: a streaming model no longer has its answers, and answers about one pair stay together.
///
/// # Examples
/// ```
/// use rather::Comparison;
/// use rather::check::{CheckSettings, Verdict, check};
/// use rather::model::{FitSettings, Items, Model};
///
/// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![] };
/// let rather = |winner, loser| Comparison { winner, loser, count: 2.0 };
/// let said = [rather(0, 1), rather(1, 0), rather(1, 2), rather(0, 2)];
/// let model = Model::fit(&items, &said, &FitSettings::default(), &|_| ())?;
/// let found = check(&model, &CheckSettings::default())?;
/// assert!(found.agreement.probabilities.largest < 0.03);
/// assert_ne!(found.verdict, Verdict::Poor);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn check(model: &Model, settings: &CheckSettings) -> Result<Check, Error> {
    if truth::holds(model.observations()) {
        return of_all(model, settings);
    }
    let all = model.observations();
    let (most, seed) = (settings.part as f64, settings.exact.seed);
    let most_items = if all.has_noisy_differences() { MOST_ITEMS } else { truth::MOST_ITEMS };
    // A streaming model no longer has its answers.
    let streams = model.method() == Method::Streaming;
    // Part of the items of a set are none of an answer.
    let parts = !streams && !all.has_sets();
    let chosen = parts.then(|| sample::some_items(all, most, most_items, seed)).flatten();
    let chosen = chosen.ok_or(Error::ExactSize { comparisons: all.total(), limit: MOST_COMPARISONS })?;
    of_part(model, settings, &chosen)
}

/// Items in a part that is checked, at most.
const MOST_ITEMS: usize = 1_000;

/// With the posterior that the model has.
fn of_all(model: &Model, settings: &CheckSettings) -> Result<Check, Error> {
    let compared = model.compared_points();
    let problem = model.problem(&compared);
    let h = model.hyperparameters();
    let rebuilt;
    let again = |sites| from_sites(&problem, h.kernel.clone(), h.values(), sites);
    let approximate = match model.belief() {
        Belief::Gaussian(posterior) => posterior,
        // Expectation propagation under the best kernel; the others are by the same.
        Belief::Mixture(mixture) => mixture.best(),
        Belief::Exact(posterior) => {
            rebuilt = again(&posterior.gaussian().outcome().sites)?;
            &rebuilt
        }
        Belief::Sparse(posterior) => {
            rebuilt = again(&posterior.outcome().sites)?;
            &rebuilt
        }
        Belief::Streaming(posterior) => posterior.gaussian(),
    };
    let report = model.report();
    let log_evidence = report.exact.map_or(report.log_evidence, |exact| exact.approximate_log_evidence);
    found(model, settings, &problem, (approximate, log_evidence), None)
}

/// With a posterior of its own, of the answers about the `chosen` of the compared items.
fn of_part(model: &Model, settings: &CheckSettings, chosen: &[bool]) -> Result<Check, Error> {
    let (observations, inducing) =
        sample::positions(model.observations(), chosen, model.inducing().unwrap_or(&[]));
    let points = model.compared_points().select(&observations.items);
    let inducing = model.inducing().map(|_| &inducing[..]);
    let problem = Problem { observations: &observations, inducing, space: None, ..model.problem(&points) };
    let h = model.hyperparameters();
    let evidence = problem.evaluate(&h.kernel, h.values(), None, &Settings::default())?;
    let log_evidence = evidence.outcome.log_evidence;
    let approximate = Posterior::new(&problem, h.kernel.clone(), h.values(), evidence);
    let part = Part {
        items: chosen.iter().filter(|chosen| **chosen).count(),
        answers: observations.total(),
        seed: settings.exact.seed,
    };
    found(model, settings, &Problem { inducing: None, ..problem }, (&approximate, log_evidence), Some(part))
}

/// How near `approximate` is to the exact posterior of `problem`.
fn found(
    model: &Model,
    settings: &CheckSettings,
    problem: &Problem<'_>,
    (approximate, log_evidence): (&Posterior, f64),
    part: Option<Part>,
) -> Result<Check, Error> {
    let h = model.hyperparameters();
    let pairs = sample::pairs(problem.points.len(), settings.pairs, settings.exact.seed);
    let truth = Truth::draw(problem, h, &pairs, &settings.exact)?;
    let deviations = against(&approximate.probabilities(problem.points, &pairs), &truth.probabilities);
    let utilities = approximate.relative_utilities(problem.points, problem.points);
    let agreement = agreement(&utilities, &truth, &deviations);
    let streams = model.method() == Method::Streaming;
    // A streaming model no longer has the answers that sharper probabilities are made of.
    let worst = worst(&deviations, if streams { 0 } else { settings.sharp_pairs });
    let of_worst = |all: &[(f64, f64)]| worst.iter().map(|&i| all[i]).collect::<Vec<_>>();
    let worst_pairs: Vec<(usize, usize)> = worst.iter().map(|&i| pairs[i]).collect();
    let sharp = approximate.sharp_probabilities(problem.points, &worst_pairs).ok();
    let sharper = sharp.filter(|_| !worst.is_empty()).map(|sharp| Sharper {
        pairs: worst.len(),
        gaussian: Deviation::new(&of_worst(&deviations)),
        sharp: Deviation::new(&against(&sharp, &of_worst(&truth.probabilities))),
    });
    Ok(Check {
        items: model.compared().len(),
        answers: model.observations().total(),
        method: if streams { Method::Streaming } else { problem.method },
        part,
        agreement,
        sharper,
        log_evidence,
        exact_log_evidence: truth.log_evidence,
        verdict: Verdict::new(&agreement, &truth.sampling),
        sampling: truth.sampling,
    })
}

/// How near `approximate` is to `exact` for the utilities of `points`, relative to their average, and for choices between
/// `pairs` of them.
#[doc(hidden)]
pub fn compare(
    approximate: &Posterior,
    exact: &ExactPosterior,
    points: &Points,
    pairs: &[(usize, usize)],
) -> Agreement {
    let truth = Truth::of(exact, points, pairs);
    let deviations = against(&approximate.probabilities(points, pairs), &truth.probabilities);
    agreement(&approximate.relative_utilities(points, points), &truth, &deviations)
}

/// Of utilities relative to their average, with the deviations of some probabilities.
fn agreement(found: &Moments, truth: &Truth, deviations: &[(f64, f64)]) -> Agreement {
    let (exact, errors) = (&truth.utilities, &truth.errors);
    // What the data and the prior leave no freedom has no standard deviation to measure by.
    let free: Vec<usize> = (0..found.mean.len()).filter(|&i| exact.variance[i] > 0.0).collect();
    let mean = |&i: &usize| {
        let sd = exact.variance[i].sqrt();
        ((found.mean[i] - exact.mean[i]) / sd, errors.mean[i] / sd)
    };
    let ratio = |&i: &usize| {
        let ratio = (found.variance[i] / exact.variance[i]).sqrt();
        (ratio, 0.5 * ratio * errors.variance[i] / exact.variance[i])
    };
    Agreement {
        means: Deviation::new(&free.iter().map(mean).collect::<Vec<_>>()),
        sd_ratio: SdRatio::new(&free.iter().map(ratio).collect::<Vec<_>>()),
        probabilities: Deviation::new(deviations),
        pairs: deviations.len(),
    }
}

/// How far probabilities are from the exact ones, with standard errors.
fn against(found: &[f64], exact: &[(f64, f64)]) -> Vec<(f64, f64)> {
    found.iter().zip(exact).map(|(found, (p, error))| (found - p, *error)).collect()
}

/// The largest deviations, by their places.
fn worst(deviations: &[(f64, f64)], most: usize) -> Vec<usize> {
    let mut order =
        descending(&deviations.iter().map(|(deviation, _)| deviation.abs()).collect::<Vec<f64>>());
    order.truncate(most);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(d: f64) -> Deviation {
        Deviation { largest: d, median: d, mean: d, error: 0.0, within_error: false }
    }

    fn sampling() -> Report {
        Report {
            sampler: crate::exact::Sampler::EpSlice,
            draws: 4_000,
            acceptance: None,
            effective_samples: 3_000.0,
            effective_differences: 3_000.0,
            r_hat: 1.0,
        }
    }

    /// Ratios of evidences correct probabilities, and no interval.
    #[test]
    fn the_correction_that_is_needed_follows_what_is_off() {
        let enough = |mean: f64, ratio: f64, sharp: f64| {
            let sd_ratio = SdRatio::new(&[(ratio, 0.001), (1.0, 0.001)]);
            let agreement = Agreement { means: near(mean), sd_ratio, probabilities: near(0.04), pairs: 1 };
            let check = Check {
                items: 2,
                answers: 1.0,
                method: Method::Ep,
                part: None,
                agreement,
                sharper: Some(Sharper { pairs: 1, gaussian: near(0.04), sharp: near(sharp) }),
                log_evidence: -1.0,
                exact_log_evidence: None,
                verdict: Verdict::new(&agreement, &sampling()),
                sampling: sampling(),
            };
            check.is_sharp_enough()
        };
        assert!(enough(0.05, 0.95, 0.005));
        assert!(!enough(0.2, 0.95, 0.005) && !enough(0.05, 0.8, 0.005) && !enough(0.05, 0.95, 0.03));
    }

    /// Intervals of two thirds of their width are not good, however near means and probabilities are: ratios of repeated answers as they
    /// were found with one factor an answer.
    #[test]
    fn narrow_intervals_are_not_good() {
        let sampling = sampling();
        let judged = |ratio: f64| {
            let sd_ratio = SdRatio::new(&[(ratio, 0.001), (1.0, 0.001)]);
            let agreement = Agreement { means: near(0.01), sd_ratio, probabilities: near(0.001), pairs: 1 };
            Verdict::new(&agreement, &sampling)
        };
        for (ratio, verdict) in [
            (0.95, Verdict::Good),
            (1.05, Verdict::Good),
            (0.804, Verdict::Usable),
            (0.677, Verdict::Usable),
            (1.3, Verdict::Usable),
            (0.62, Verdict::Poor),
            (0.605, Verdict::Poor),
            (1.85, Verdict::Poor),
            (0.0, Verdict::Poor),
        ] {
            assert_eq!(judged(ratio), verdict, "{ratio}");
        }
    }

    #[test]
    fn deviations_know_their_noise() {
        let d = Deviation::new(&[(-0.3, 0.1), (0.1, 0.1), (0.0, 0.0)]);
        assert_eq!((d.largest, d.median, d.error, d.within_error), (0.3, 0.1, 0.1, true));
        assert!(!Deviation::new(&[(0.01, 0.1), (0.01, 0.001)]).within_error);
        assert_eq!(Deviation::new(&[]).largest, 0.0);
        let r = SdRatio::new(&[(1.1, 0.01), (0.5, 0.02), (1.0, 0.0)]);
        assert_eq!((r.smallest, r.median, r.largest, r.error), (0.5, 1.0, 1.1, 0.02));
    }
}
