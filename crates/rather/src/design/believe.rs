//! What is believed after the answers so far.

use super::{Answer, Column, Duel, Prior};
use crate::evidence::{Evidence, Problem};
use crate::inference::observations::Observations;
use crate::inference::prior::{Prior as Features, Space};
use crate::inference::sites::Sites;
use crate::inference::{self, Method, Settings};
use crate::kernel::{Kernel, Role};
use crate::lbfgs::Stop;
use crate::learn::{Hyperparameter, Hyperparameters, LogNormal, Scale, maximise};
use crate::likelihood::Likelihoods;
use crate::points::Points;
use crate::posterior::Posterior;
use crate::{Comparison, Error};

/// Standard deviations of the logarithms of lengthscales and of the variance around the prior's values, where they are
/// learned: two of them are a factor of 2.7 and of 7.
pub(super) const LENGTHSCALE_SD: f64 = 0.5;
pub(super) const VARIANCE_SD: f64 = 1.0;
/// How far they may go.
const REACH: f64 = 20.0;

/// The comparisons that the answers make: one for a choice, one each way for a tie, none for a duel without an answer.
pub fn comparisons(duels: &[Duel]) -> Vec<Comparison> {
    weighed(duels, 1)
}

/// The answers, merged: a choice counts once, a tie half each way, so that every answer weighs the same.
pub fn observations(duels: &[Duel]) -> Observations {
    let mut observations = Observations::new(&weighed(duels, 2));
    observations.merged.iter_mut().for_each(|o| o.count *= 0.5);
    observations
}

/// Comparisons in which a choice counts `weight` times and a tie once each way.
fn weighed(duels: &[Duel], weight: u32) -> Vec<Comparison> {
    let rather = |winner, loser, count| Comparison { winner, loser, count };
    duels
        .iter()
        .flat_map(|&Duel { left, right, answer }| match answer {
            Some(Answer::Left) => vec![rather(left, right, weight)],
            Some(Answer::Right) => vec![rather(right, left, weight)],
            Some(Answer::Tie) => vec![rather(left, right, 1), rather(right, left, 1)],
            None => Vec::new(),
        })
        .collect()
}

/// The posterior over the utilities of items like `points` after the answers of `duels`, by expectation propagation. It
/// always starts from empty sites, so that the same answers give the same posterior. Without answers it is the prior.
///
/// # Errors
/// [`Error::UnknownItem`] and [`Error::SelfComparison`] for a duel that is none, [`Error::Length`] if `columns` is not one
/// a column, and those of [`Prior::kernel`] and [`Problem::evaluate`].
///
/// # Examples
/// ```
/// use rather::design::{Answer, Column, Duel, Prior, believe};
/// use rather::search::Domain;
///
/// let domain = Domain::unit_box(1);
/// let settings = [vec![0.2], vec![0.7]];
/// let duels = [Duel { left: 0, right: 1, answer: Some(Answer::Right) }];
/// let points = domain.points(&settings);
/// let posterior = believe(&points, &Column::of_domain(&domain), &duels, &Prior::default())?;
/// let utilities = posterior.utilities(&points).mean;
/// assert!(utilities[1] > utilities[0]);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn believe(
    points: &Points,
    columns: &[Column],
    duels: &[Duel],
    prior: &Prior,
) -> Result<Posterior, Error> {
    check(points, columns, duels)?;
    let kernel = match learning_duels(duels, prior) {
        Some(first) => learned_kernel(points, prior.kernel(columns)?, first)?,
        None => prior.kernel(columns)?,
    };
    let observations = observations(duels);
    let compared = points.select(&observations.items);
    let problem = Problem {
        points: &compared,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    let evidence = evaluate(&problem, &kernel)?;
    Ok(Posterior::new(&problem, kernel, Prior::NOISE, evidence))
}

/// The share of a variance below which features are left out. Settings that a person compares come to lie closer and closer; what
/// the last features would add, a thousandth of a standard deviation, no answer tells, and a choice costs the square of their number.
const NEGLIGIBLE: f64 = 1e-6;

/// [`Problem::evaluate`] from empty sites, without negligible features.
fn evaluate(problem: &Problem<'_>, kernel: &Kernel) -> Result<Evidence, Error> {
    let Observations { items, edges, merged, .. } = problem.observations;
    let points = problem.points;
    let prior = match Space::cheaper(items.len(), edges.len()) {
        Space::Duels => problem.prior(kernel)?,
        Space::Items => {
            let column = |item: usize| kernel.cross(points, &points.select(&[item])).col(0).to_vec();
            let prior = Features::within(&kernel.diagonal(points), column, edges, NEGLIGIBLE);
            prior.ok_or(Error::Covariance)?
        }
    };
    let likelihoods = Likelihoods::new(Prior::NOISE);
    let start = Sites::empty(merged.len());
    let outcome = inference::run(Method::Ep, &prior, merged, &likelihoods, start, &Settings::default());
    Ok(Evidence { prior, outcome: outcome.ok_or(Error::Inference)? })
}

/// The first duels, from which the hyperparameters are learned: as many as hold the largest number of answers of a fixed
/// schedule, in which each is half as large again as the one before. So most answers leave the hyperparameters alone.
fn learning_duels<'a>(duels: &'a [Duel], prior: &Prior) -> Option<&'a [Duel]> {
    let answers = duels.iter().filter(|d| d.answer.is_some()).count();
    if !prior.learn || answers < Prior::FIRST_LEARNING {
        return None;
    }
    let mut enough = Prior::FIRST_LEARNING;
    while enough + enough / 2 <= answers {
        enough += enough / 2;
    }
    let mut seen = 0;
    let end = duels.iter().position(|d| {
        seen += usize::from(d.answer.is_some());
        seen == enough
    })?;
    Some(&duels[..=end])
}

/// `kernel` with the parameters that maximise the evidence of the answers, times log-normal priors around the parameters
/// that it has.
fn learned_kernel(points: &Points, kernel: Kernel, duels: &[Duel]) -> Result<Kernel, Error> {
    let observations = observations(duels);
    let compared = points.select(&observations.items);
    let problem = Problem {
        points: &compared,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    let entry = |name: String, value: f64, sd: f64, fixed: bool| Hyperparameter {
        name,
        value,
        fixed,
        prior: Some(LogNormal { median: value, sd }),
        bounds: (value / REACH, value * REACH),
        scale: Scale::Log,
    };
    let mut entries: Vec<Hyperparameter> = kernel
        .parameters()
        .into_iter()
        .map(|p| {
            let sd = if p.role == Role::Variance { VARIANCE_SD } else { LENGTHSCALE_SD };
            entry(p.name, p.value, sd, false)
        })
        .collect();
    entries.push(entry("noise".into(), Prior::NOISE, 1.0, true));
    let start = Hyperparameters { kernel, entries };
    let learned = maximise(&problem, &start, &Settings::default(), Stop::default(), None, &|| true)?;
    Ok(learned.hyperparameters.kernel)
}

pub(super) fn check(points: &Points, columns: &[Column], duels: &[Duel]) -> Result<(), Error> {
    let items = points.len();
    if columns.len() != points.dims() {
        return Err(Error::Length { what: "columns", expected: points.dims(), found: columns.len() });
    }
    for (row, duel) in duels.iter().enumerate() {
        if let Some(&item) = [duel.left, duel.right].iter().find(|&&item| item >= items) {
            return Err(Error::UnknownItem { row, item, items });
        }
        if duel.left == duel.right {
            return Err(Error::SelfComparison { row, item: duel.left });
        }
    }
    Ok(())
}
