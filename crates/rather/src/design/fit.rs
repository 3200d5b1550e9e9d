//! What is believed after the answers so far.

use super::thresholds::{Learn, Setting, settle};
use super::{Column, History, Kept, Prior, Trial, observations};
use crate::Error;
use crate::belief::Belief;
use crate::evidence::{Evidence, Problem};
use crate::half_life;
use crate::inference::observations::Observations;
use crate::inference::prior::{Prior as Features, Space};
use crate::inference::sites::Sites;
use crate::inference::{self, Method, Settings};
use crate::kernel::Kernel;
use crate::points::Points;
use crate::posterior::Posterior;
use rather_numerics::order;

/// The posterior over the utilities of items like `points` after the answers of a `history`, by expectation propagation. It
/// always starts from empty sites, so that the same answers give the same posterior. Without answers it is the prior.
///
/// With a half-life, an answer enters with its likelihood to the power of its weight, and so it does where hyperparameters are learned.
///
/// Where there are ties or grades they have their likelihood ([`Graded`](crate::likelihood::graded::Graded)), with thresholds that the
/// answers tell ([`Thresholds`](super::Thresholds)); else a preference is a plain choice.
///
/// # Errors
/// [`Error::UnknownItem`] and [`Error::SelfComparison`] for a duel that is none, [`Error::Length`] if `columns` is not one
/// a column, [`Error::Parameter`] for a half-life that is none, and those of [`Prior::kernel`] and [`Problem::evaluate`].
///
/// # Examples
/// ```
/// use rather::design::{Outcome, Column, Trial, Prior, fit};
/// use rather::search::Domain;
///
/// let domain = Domain::unit_box(1);
/// let settings = [vec![0.2], vec![0.7]];
/// let duels = [Trial::pair(0, 1, Some(Outcome::Right))];
/// let points = domain.points(&settings);
/// let posterior = fit(&points, &Column::of_domain(&domain), &duels, &Prior::default())?;
/// let utilities = posterior.utilities(&points).mean;
/// assert!(utilities[1] > utilities[0]);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn fit<'a>(
    points: &Points,
    columns: &[Column],
    history: impl Into<History<'a>>,
    prior: &Prior,
) -> Result<Belief, Error> {
    fit_keeping(points, columns, history, prior, &Kept::default())
}

/// As [`fit`], where hyperparameters may be `kept` from an earlier fit of the same columns and prior.
///
/// # Errors
/// As [`fit`].
pub fn fit_keeping<'a>(
    points: &Points,
    columns: &[Column],
    history: impl Into<History<'a>>,
    prior: &Prior,
    kept: &Kept,
) -> Result<Belief, Error> {
    let history = history.into();
    history.half_life.map_or(Ok(()), half_life::check)?;
    if history.half_life.is_some() {
        only_pairs(history.trials)?;
    }
    check(points, columns, history.trials)?;
    let what = Learn { kernel: prior.learn, most: usize::MAX };
    let settings = settle(points, prior.kernels(columns)?, history, &what, kept)?;
    let observations = observations(history);
    let compared = points.select(&observations.items);
    let problem = problem(&compared, &observations);
    let all = settings.iter().map(|setting| setting.posterior(&problem)).collect::<Result<Vec<_>, _>>()?;
    Ok(Belief::average(weighted(all, NO_WEIGHT)))
}

/// As [`fit_keeping`], where somebody waits: nothing is learned, and one setting of the hyperparameters stands for all: the maximum of those that
/// are `kept` of earlier answers, or the prior's. Moments need to agree to a thousandth only, which is a few sweeps over the answers, and what is known of an
/// item to a hundredth of a standard deviation of the prior.
///
/// # Errors
/// As [`fit`].
pub fn fit_hastily<'a>(
    points: &Points,
    columns: &[Column],
    history: impl Into<History<'a>>,
    prior: &Prior,
    kept: &Kept,
) -> Result<Belief, Error> {
    let history = history.into();
    check(points, columns, history.trials)?;
    let setting = match kept.latest(points, history) {
        Some(nodes) => nodes.first().map(|node| Setting::learned(node, history)),
        None => Some(Setting::unlearned(prior.kernel(columns)?, history)),
    };
    let observations = observations(history);
    let compared = points.select(&observations.items);
    let problem = problem(&compared, &observations);
    let setting = setting.ok_or(Error::Inference)?;
    let features = in_items(&problem, &setting.kernel, ROUGH_FEATURES)?;
    let roughly = Settings { tolerance: ROUGH_MOMENTS, ..Settings::default() };
    Ok(setting.posterior_by(&problem, features, &roughly)?.1.into())
}

/// The largest mismatch of moments where somebody waits.
const ROUGH_MOMENTS: f64 = 1e-3;
/// As [`NEGLIGIBLE`], where somebody waits.
const ROUGH_FEATURES: f64 = 1e-4;

impl Setting {
    /// The posterior under these hyperparameters, with the logarithm of its weight: the answers that they were not learned from count by how
    /// probable they were, $\log w+\log Z-\log Z_{\mathrm{first}}$.
    fn posterior(&self, problem: &Problem<'_>) -> Result<(f64, Posterior), Error> {
        self.posterior_by(problem, features(problem, &self.kernel)?, &Settings::default())
    }

    /// As [`Setting::posterior`], with these features of the kernel.
    fn posterior_by(
        &self,
        problem: &Problem<'_>,
        features: Features,
        how: &Settings,
    ) -> Result<(f64, Posterior), Error> {
        let observations = problem.observations;
        let values = self.thresholds.values(&observations.responses, 1.0);
        let likelihoods = observations.responses.likelihoods(&values);
        let merged = &observations.merged;
        let start = Sites::empty(merged.len());
        let outcome = inference::run(Method::Ep, &features, merged, &likelihoods, start, how);
        let evidence = Evidence { prior: features, outcome: outcome.ok_or(Error::Inference)? };
        let log_weight = self.weight.ln() + evidence.outcome.log_evidence - self.log_evidence;
        Ok((log_weight, Posterior::new(problem, self.kernel.clone(), values, evidence)))
    }
}

/// Posteriors with less of the weight than this are left out: they would move no probability by more.
const NO_WEIGHT: f64 = 0.005;

/// Those that have at least this share of the weight, the heaviest first, given the logarithms of weights; the largest is 1.
pub(super) fn weighted<T>(mut all: Vec<(f64, T)>, least: f64) -> Vec<(f64, T)> {
    order::sort_descending(&mut all, |(log_weight, _)| *log_weight);
    let best = all.first().map_or(0.0, |(log_weight, _)| *log_weight);
    all.iter_mut().for_each(|(weight, _)| *weight = (*weight - best).exp());
    let total: f64 = all.iter().map(|(weight, _)| weight).sum();
    all.retain(|(weight, _)| *weight >= least * total);
    all
}

pub(super) fn problem<'a>(points: &'a Points, observations: &'a Observations) -> Problem<'a> {
    Problem { points, observations, method: Method::Ep, space: None, inducing: None }
}

/// The share of a variance below which features are left out. Settings that a person compares come to lie closer and closer; what
/// the last features would add, a thousandth of a standard deviation, no answer tells, and a choice costs the square of their number.
const NEGLIGIBLE: f64 = 1e-6;

/// [`Problem::prior`] without negligible features.
pub(super) fn features(problem: &Problem<'_>, kernel: &Kernel) -> Result<Features, Error> {
    let Observations { items, edges, .. } = problem.observations;
    match Space::cheaper(items.len(), edges.len()) {
        Space::Pairs => problem.prior(kernel),
        Space::Items => in_items(problem, kernel, NEGLIGIBLE),
    }
}

/// The prior over the items without features of less than the share `negligible`.
fn in_items(problem: &Problem<'_>, kernel: &Kernel, negligible: f64) -> Result<Features, Error> {
    let points = problem.points;
    let column = |item: usize| kernel.cross(points, &points.select(&[item])).col(0).to_vec();
    let prior = Features::within(&kernel.diagonal(points), column, &problem.observations.edges, negligible);
    prior.ok_or(Error::Covariance)
}

pub(super) fn check(points: &Points, columns: &[Column], duels: &[Trial]) -> Result<(), Error> {
    let items = points.len();
    if columns.len() != points.dims() {
        return Err(Error::Length { what: "columns", expected: points.dims(), found: columns.len() });
    }
    for (row, duel) in duels.iter().enumerate() {
        duel.check(row, items)?;
    }
    Ok(())
}

/// Checks that no question was about a set, where only comparisons of two are used.
pub(super) fn only_pairs(trials: &[Trial]) -> Result<(), Error> {
    match trials.iter().position(Trial::is_of_set) {
        Some(row) => {
            Err(Error::Answer { row, problem: "is about a set, and only comparisons of two are used here" })
        }
        None => Ok(()),
    }
}
