//! The next duel among the items of a pool.

use std::cmp::Reverse;

use super::policy::{self, Step};
use super::{Column, Proposal, Request};
use crate::Error;
use crate::acquisition::best::arg_max;
use crate::acquisition::pool::{Pairs, Scored};
use crate::acquisition::{self, PoolUtilities, believer, suggest};
use crate::belief::Belief;
use crate::points::Points;
use crate::search::Domain;
use crate::search::pair::Challenge;

/// A finite list of items to choose among.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// The items' features.
    pub points: Points,
    /// What the features are.
    pub columns: Vec<Column>,
}

impl Pool {
    /// The pool of `points`, of whose columns `categorical` tells which hold categories.
    ///
    /// # Errors
    /// [`Error::PoolSize`] if there are less than two items; [`Error::Length`] as [`Column::of_pool`].
    pub fn new(points: Points, categorical: &[bool]) -> Result<Self, Error> {
        if points.len() < 2 {
            return Err(Error::PoolSize { items: points.len() });
        }
        let columns = Column::of_pool(&points, categorical)?;
        Ok(Self { points, columns })
    }
}

/// The next duel among the items of `pool`.
///
/// Never an item against itself; never the pair of the last duel again, nor one that was skipped since the last answer,
/// as long as the pool has another one. Which of the two is shown on the left follows from the seed and the number of duels
/// so far, and over any four duels either side has the challenger twice.
///
/// # Errors
/// [`Error::PoolSize`] if there are less than two items; [`Error::ChoiceOfTwo`] for `qeubo` with more than
/// two; [`Error::NeedsOpponent`] for an acquisition function over all pairs that has no meaning there; those of
/// [`believer::components`] and [`suggest`].
pub fn next_in_pool(request: &Request<'_>, pool: &Pool) -> Result<Proposal<usize>, Error> {
    let items = pool.points.len();
    if items < 2 {
        return Err(Error::PoolSize { items });
    }
    let forbidden = policy::forbidden(request.trials);
    let other = |i: usize, j: usize| !forbidden.contains(&(i.min(j), i.max(j)));
    let step = policy::step(request)?;
    let found = match step {
        Step::Fill => fill(pool, request, &other),
        Step::Any => best(pool, request, Pairs::All, &other)?,
        Step::Winner(_) | Step::Best => {
            let opponent = match step {
                Step::Winner(item) => item,
                _ => best_item(request.posterior, pool)?,
            };
            challenge(pool, request, opponent, &other)?
        }
    };
    let found = match found {
        Some(found) => found,
        // Every other pair is used up: the pool is tiny.
        None => last_resort(request, items),
    };
    Ok(policy::sides(request, found))
}

fn best_item(posterior: &Belief, pool: &Pool) -> Result<usize, Error> {
    let mean = posterior.utilities(&pool.points).mean;
    arg_max(&mean).ok_or(Error::PoolSize { items: 0 })
}

/// The best challenger of `opponent`.
fn challenge(
    pool: &Pool,
    request: &Request<'_>,
    opponent: usize,
    allowed: &dyn Fn(usize, usize) -> bool,
) -> Result<Option<Scored>, Error> {
    let &Request { posterior, policy, trials, .. } = request;
    if policy.acquisition.is_closed_form() {
        let seed = policy::draw_seed(request.seed, trials.len());
        let believed = believer::components(&policy.acquisition, &posterior.components()?, seed)?;
        let believed = believed.iter().map(|(weight, posterior)| (*weight, posterior.as_ref()));
        let challenge = Challenge::new(policy.acquisition, believed, &pool.points.select(&[opponent]));
        let values = challenge.values(&pool.points);
        let free = |&i: &usize| i != opponent && allowed(i, opponent) && !values[i].is_nan();
        let best = (0..values.len())
            .filter(free)
            .max_by(|&a, &b| values[a].total_cmp(&values[b]).then(Reverse(a).cmp(&Reverse(b))));
        return Ok(best.map(|i| Scored { challenger: i, opponent, score: values[i] }));
    }
    best(pool, request, Pairs::Against(opponent), allowed)
}

/// The best of `pairs`. Of a large pool the items compared last are candidates in any case.
fn best(
    pool: &Pool,
    request: &Request<'_>,
    pairs: Pairs<'_>,
    allowed: &dyn Fn(usize, usize) -> bool,
) -> Result<Option<Scored>, Error> {
    let &Request { posterior, policy, trials, stop, .. } = request;
    let seed = policy::draw_seed(request.seed, trials.len());
    let recent: Vec<usize> = trials.iter().rev().flat_map(|d| [d.left, d.right]).collect();
    let wanted = acquisition::Request {
        allowed,
        kept: &recent,
        stop,
        ..acquisition::Request::new(policy.acquisition, pairs, 1, seed)
    };
    let found = suggest(&PoolUtilities::of(posterior, &pool.points)?, &wanted)?;
    Ok(found.first().copied())
}

/// The items nearest to two points that fill the box around the pool; items without numbers by lot.
fn fill(pool: &Pool, request: &Request<'_>, allowed: &dyn Fn(usize, usize) -> bool) -> Option<Scored> {
    let items = pool.points.len();
    let numbers: Vec<(usize, f64)> = pool
        .columns
        .iter()
        .enumerate()
        .filter_map(|(d, column)| match column {
            Column::Number { range } => Some((d, *range)),
            Column::Category => None,
        })
        .collect();
    let lot = |k: u64, not: Option<usize>| {
        let mut rng = rather_numerics::random::stream(request.seed, 2 * request.trials.len() as u64 + k);
        let others = items - usize::from(not.is_some());
        let i = (rather_numerics::random::uniform(&mut rng) * others as f64) as usize;
        if not.is_some_and(|not| i >= not) { i + 1 } else { i }
    };
    let (first, second) = if numbers.is_empty() {
        let first = lot(0, None);
        (first, lot(1, Some(first)))
    } else {
        let wanted = Domain::unit_box(numbers.len()).fill(2 * request.trials.len() + 2, request.seed);
        let lowest: Vec<f64> = numbers
            .iter()
            .map(|&(d, _)| (0..items).map(|i| pool.points.row(i)[d]).fold(f64::MAX, f64::min))
            .collect();
        let nearest = |target: &[f64], free: &dyn Fn(usize) -> bool| {
            let away = |i: usize| -> f64 {
                let coordinates = numbers.iter().zip(&lowest).zip(target);
                coordinates
                    .map(|((&(d, range), low), t)| ((pool.points.row(i)[d] - low) / range - t).powi(2))
                    .sum()
            };
            (0..items).filter(|&i| free(i)).min_by(|&a, &b| away(a).total_cmp(&away(b)))
        };
        let [.., a, b] = wanted.as_slice() else { return None };
        let first = nearest(a, &|_| true)?;
        (first, nearest(b, &|i| i != first && allowed(first, i))?)
    };
    allowed(first, second).then_some(Scored { challenger: first, opponent: second, score: f64::NAN })
}

/// Two items, other than those of the last duel if there are others.
fn last_resort(request: &Request<'_>, items: usize) -> Scored {
    let last = request.trials.last().map(|d| (d.left.min(d.right), d.left.max(d.right)));
    let pair = if items > 2 && last == Some((0, 1)) { (0, 2) } else { (0, 1) };
    Scored { challenger: pair.0, opponent: pair.1, score: f64::NAN }
}
