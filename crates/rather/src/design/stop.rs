//! When a recommendation may be believed: enough answers, and one that could have overturned it.
//!
//! The expected regret is as good as the prior. While the answers are few, and all about settings near the recommended one, a narrow optimum
//! elsewhere is what a smooth prior does not expect; so some answers are wanted whatever the regret, and the last of them compares the
//! recommendation with the most promising alternative far from it.

use super::domain::check_settings;
use super::policy::{self, sides_of};
use super::recommend::stand_ins;
use super::{Column, Pool, Proposal, Request, Trial};
use crate::Error;
use crate::acquisition::best::arg_max;
use crate::belief::Belief;
use crate::points::Points;
use crate::search::Domain;
use crate::search::maximise::distance;
use rather_numerics::order::descending;

/// Answers wanted whatever is compared, and for each feature besides.
const FEWEST: usize = 5;
const FEWEST_A_COLUMN: usize = 3;
/// Within this of the recommended setting, in every coordinate, a setting stands for it; farther than the other in one, it is another one.
const NEAR: f64 = 0.1;
const FAR: f64 = 0.25;
/// How hopeful a rival is: so many standard deviations are added to its mean.
const HOPE: f64 = 2.0;

/// The number of answers before which nobody is told to stop: five, and three for each column.
pub fn fewest_answers(columns: &[Column]) -> usize {
    FEWEST + FEWEST_A_COLUMN * columns.len()
}

/// Whether the last answer compared `recommended` with another item.
pub fn is_checked_in_pool(trials: &[Trial], recommended: usize) -> bool {
    last_answered(trials).is_some_and(|trial| trial.items().any(|item| item == recommended))
}

/// Whether the last answer compared a setting near `recommended` with one far from it.
pub fn is_checked_in_domain(trials: &[Trial], settings: &[Vec<f64>], recommended: &[f64]) -> bool {
    last_answered(trials).is_some_and(|trial| {
        let [left, right] = [trial.left, trial.right].map(|side| distance(&settings[side], recommended));
        left.min(right) <= NEAR && left.max(right) >= FAR
    })
}

/// The comparison of `recommended` with the item that is the likeliest to be better; not the pair of the last comparison again, nor one that was
/// skipped since the last answer. `None` if there is no other.
///
/// # Errors
/// [`Error::PoolItem`] if there is no item `recommended`.
pub fn check_in_pool(
    request: &Request<'_>,
    pool: &Pool,
    recommended: usize,
) -> Result<Option<Proposal<usize>>, Error> {
    let items = pool.points.len();
    if recommended >= items {
        return Err(Error::PoolItem { item: recommended, items });
    }
    let forbidden = policy::forbidden(request.trials);
    let free =
        |&i: &usize| i != recommended && !forbidden.contains(&(i.min(recommended), i.max(recommended)));
    let others: Vec<usize> = (0..items).filter(free).collect();
    let rival = by_hope(request.posterior, pool, recommended, others).first().copied();
    Ok(rival.map(|rival| sides_of(request.seed, request.trials.len(), rival, recommended, None)))
}

/// Items of `pool` by how hopeful they are as rivals of the one `recommended`, the most hopeful first.
pub(super) fn by_hope(belief: &Belief, pool: &Pool, recommended: usize, items: Vec<usize>) -> Vec<usize> {
    let hope = hope(belief, &pool.points.select(&items), &pool.points.select(&[recommended]));
    descending(&hope).into_iter().map(|at| items[at]).collect()
}

/// The comparison of `recommended` with the setting far from it that is the likeliest to be better, of those compared and of settings that fill
/// the domain. `None` if none is far.
///
/// # Errors
/// [`Error::Setting`] and [`Error::Length`] for settings that are not in the domain.
pub fn check_in_domain(
    request: &Request<'_>,
    domain: &Domain,
    settings: &[Vec<f64>],
    recommended: &[f64],
) -> Result<Option<Proposal<Vec<f64>>>, Error> {
    check_settings(domain, settings)?;
    domain.check_setting(recommended)?;
    let last: Vec<&Vec<f64>> =
        request.trials.last().map_or(Vec::new(), |trial| vec![&settings[trial.left], &settings[trial.right]]);
    let mut others = stand_ins(domain, settings, request.seed);
    others.retain(|setting| distance(setting, recommended) >= FAR && !last.contains(&setting));
    let reference = domain.points(&[recommended.to_vec()]);
    let rival = most_hopeful(request.posterior, &domain.points(&others), &reference);
    let sides = |rival| sides_of(request.seed, request.trials.len(), rival, recommended.to_vec(), None);
    Ok(rival.map(|at| sides(others.swap_remove(at))))
}

fn last_answered(trials: &[Trial]) -> Option<&Trial> {
    trials.iter().rev().find(|trial| trial.answer.is_some())
}

/// The position of the largest hope.
fn most_hopeful(belief: &Belief, rivals: &Points, reference: &Points) -> Option<usize> {
    arg_max(&hope(belief, rivals, reference))
}

/// $m+2\sqrt v$, of the differences to the reference.
fn hope(belief: &Belief, rivals: &Points, reference: &Points) -> Vec<f64> {
    let found = belief.relative_utilities(rivals, reference);
    found.mean.iter().zip(&found.variance).map(|(mean, variance)| mean + HOPE * variance.sqrt()).collect()
}
