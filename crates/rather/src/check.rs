//! How far the approximation is from the exact posterior, on the data that a model was learned from.

use std::collections::BTreeSet;

use crate::Error;
use crate::belief::Belief;
use crate::exact::{ExactPosterior, ExactSettings, LogProbability, Report};
use crate::inference::Method;
use crate::model::{Model, from_sites};
use crate::points::Points;
use crate::posterior::Posterior;
use crate::random::{stream, uniform};

/// Up to so many standard errors, a deviation is within sampling error.
pub const WITHIN: f64 = 4.0;
/// The largest deviation of a mean, in standard deviations, and of a probability, that are still good.
pub const GOOD: [f64; 2] = [0.1, 0.02];
/// The largest that are still usable.
pub const USABLE: [f64; 2] = [0.3, 0.05];

/// How to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckSettings {
    /// How the exact posterior is sampled; the seed also chooses the pairs.
    pub exact: ExactSettings,
    /// Most pairs of compared items whose probabilities are compared: all, or so many at random. Default 2,000.
    pub pairs: usize,
    /// Most pairs for which sharper probabilities are tried. Default 20.
    pub sharp_pairs: usize,
}

impl Default for CheckSettings {
    fn default() -> Self {
        Self { exact: ExactSettings::default(), pairs: 2_000, sharp_pairs: 20 }
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
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
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
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
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
    /// No mean and no probability is off by more than [`GOOD`].
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
        let found = [agreement.means.largest, agreement.probabilities.largest];
        let keeps = |limits: [f64; 2]| found.iter().zip(&limits).all(|(found, limit)| found <= limit);
        match () {
            () if !sampling.mixed() => Self::Unsettled,
            () if keeps(GOOD) => Self::Good,
            () if keeps(USABLE) => Self::Usable,
            () => Self::Poor,
        }
    }
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Check {
    /// The approximation that was checked: expectation propagation also for a model of exact inference.
    pub method: Method,
    /// How near it is.
    pub agreement: Agreement,
    /// Whether sharper probabilities help; `None` without pairs, for a streaming model, or if inference broke down for one.
    pub sharper: Option<Sharper>,
    /// The approximate log evidence, in nats.
    pub log_evidence: f64,
    /// The exact one; `None` if it is out of reach.
    pub exact_log_evidence: Option<LogProbability>,
    /// How sampling went.
    pub sampling: Report,
    /// What all this means.
    pub verdict: Verdict,
}

/// Compares a model's approximation with the exact posterior at the same hyperparameters.
///
/// # Errors
/// Those of [`ExactPosterior::new`]; [`Error::ExactSize`] for more comparisons than exact inference holds.
///
/// # Examples
/// ```
/// use rather::Comparison;
/// use rather::check::{CheckSettings, Verdict, check};
/// use rather::model::{FitSettings, Items, Model};
///
/// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![] };
/// let rather = |winner, loser| Comparison { winner, loser, count: 2 };
/// let model = Model::fit(&items, &[rather(0, 1), rather(1, 2)], &FitSettings::default(), &|_| ())?;
/// let found = check(&model, &CheckSettings::default())?;
/// assert!(found.agreement.probabilities.largest < 0.03);
/// assert_ne!(found.verdict, Verdict::Poor);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn check(model: &Model, settings: &CheckSettings) -> Result<Check, Error> {
    let compared = model.points().select(model.compared());
    let problem = model.problem(&compared);
    let h = model.hyperparameters();
    let exact = ExactPosterior::new(&problem, h.kernel.clone(), h.noise(), &settings.exact)?;
    let rebuilt;
    let approximate = match model.belief() {
        Belief::Gaussian(posterior) => posterior,
        Belief::Exact(posterior) => {
            let sites = &posterior.gaussian().outcome().sites;
            rebuilt = from_sites(&problem, h.kernel.clone(), h.noise(), sites)?;
            &rebuilt
        }
        Belief::Sparse(posterior) => {
            rebuilt = from_sites(&problem, h.kernel.clone(), h.noise(), &posterior.outcome().sites)?;
            &rebuilt
        }
        Belief::Streaming(posterior) => posterior.gaussian(),
    };
    let report = model.report();
    let pairs = pairs(compared.len(), settings.pairs, settings.exact.seed);
    let (agreement, deviations) = measure(approximate, &exact, &compared, &pairs);
    // A streaming model no longer has the answers that sharper probabilities are made of.
    let sharp_pairs = if model.method() == Method::Streaming { 0 } else { settings.sharp_pairs };
    Ok(Check {
        method: if model.method() == Method::Streaming { Method::Streaming } else { problem.method },
        agreement,
        sharper: sharper(approximate, &exact, &compared, &worst(&pairs, &deviations, sharp_pairs)),
        log_evidence: report.exact.map_or(report.log_evidence, |exact| exact.approximate_log_evidence),
        exact_log_evidence: exact.log_evidence().ok().filter(|z| z.value.is_finite() && z.error.is_finite()),
        sampling: *exact.report(),
        verdict: Verdict::new(&agreement, exact.report()),
    })
}

/// How near `approximate` is to `exact` for the utilities of `points`, relative to their average, and for choices between
/// `pairs` of them.
pub fn compare(
    approximate: &Posterior,
    exact: &ExactPosterior,
    points: &Points,
    pairs: &[(usize, usize)],
) -> Agreement {
    measure(approximate, exact, points, pairs).0
}

/// As [`compare`], with the deviation of each pair and its standard error.
fn measure(
    approximate: &Posterior,
    exact: &ExactPosterior,
    points: &Points,
    pairs: &[(usize, usize)],
) -> (Agreement, Vec<(f64, f64)>) {
    let (found, truth) =
        (approximate.relative_utilities(points, points), exact.relative_utilities(points, points));
    let errors = exact.relative_utility_errors(points, points);
    // What the data and the prior leave no freedom has no standard deviation to measure by.
    let free: Vec<usize> = (0..points.len()).filter(|&i| truth.variance[i] > 0.0).collect();
    let means: Vec<(f64, f64)> = free
        .iter()
        .map(|&i| {
            let sd = truth.variance[i].sqrt();
            ((found.mean[i] - truth.mean[i]) / sd, errors.mean[i] / sd)
        })
        .collect();
    let ratios: Vec<(f64, f64)> = free
        .iter()
        .map(|&i| {
            let ratio = (found.variance[i] / truth.variance[i]).sqrt();
            (ratio, 0.5 * ratio * errors.variance[i] / truth.variance[i])
        })
        .collect();
    let deviations = against(&approximate.probabilities(points, pairs), exact, points, pairs);
    let agreement = Agreement {
        means: Deviation::new(&means),
        sd_ratio: SdRatio::new(&ratios),
        probabilities: Deviation::new(&deviations),
        pairs: pairs.len(),
    };
    (agreement, deviations)
}

/// How far probabilities are from the exact ones, with standard errors.
fn against(
    found: &[f64],
    exact: &ExactPosterior,
    points: &Points,
    pairs: &[(usize, usize)],
) -> Vec<(f64, f64)> {
    let truth = exact.probabilities_and_errors(points, pairs);
    found.iter().zip(truth).map(|(found, (p, error))| (found - p, error)).collect()
}

fn sharper(
    approximate: &Posterior,
    exact: &ExactPosterior,
    points: &Points,
    pairs: &[(usize, usize)],
) -> Option<Sharper> {
    let sharp = approximate.sharp_probabilities(points, pairs).ok().filter(|_| !pairs.is_empty())?;
    let gaussian = approximate.probabilities(points, pairs);
    let [gaussian, sharp] = [gaussian, sharp].map(|p| Deviation::new(&against(&p, exact, points, pairs)));
    Some(Sharper { pairs: pairs.len(), gaussian, sharp })
}

/// The pairs with the largest deviations.
fn worst(pairs: &[(usize, usize)], deviations: &[(f64, f64)], most: usize) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by(|&a, &b| deviations[b].0.abs().total_cmp(&deviations[a].0.abs()).then(a.cmp(&b)));
    order.into_iter().take(most).map(|i| pairs[i]).collect()
}

/// All pairs of `n` items, or `most` of them at random, each once.
fn pairs(n: usize, most: usize, seed: u64) -> Vec<(usize, usize)> {
    let all = n * n.saturating_sub(1) / 2;
    if all <= most {
        return (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
    }
    // The chains have the streams from 0 up, joint draws the last.
    let mut rng = stream(seed, u64::MAX - 1);
    let mut item = || (uniform(&mut rng) * n as f64) as usize;
    let mut chosen = BTreeSet::new();
    while chosen.len() < most {
        let (i, j) = (item(), item());
        if i != j {
            chosen.insert((i.min(j), i.max(j)));
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_all_or_so_many() {
        assert_eq!(pairs(3, 3, 0), [(0, 1), (0, 2), (1, 2)]);
        assert!(pairs(1, 10, 0).is_empty() && pairs(0, 10, 0).is_empty());
        let some = pairs(100, 50, 7);
        assert_eq!((some.len(), &some), (50, &pairs(100, 50, 7)));
        assert!(some.iter().all(|&(i, j)| i < j && j < 100));
        assert_ne!(some, pairs(100, 50, 8));
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
