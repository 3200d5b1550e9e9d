//! The next duel among the items of a pool.

use std::cmp::Reverse;

use super::policy::{self, Step};
use super::{Column, Proposal, Request, Trial};
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
    let step = policy::step(request, 0)?;
    let found = match step {
        Step::Fill => {
            let beside = |taken: &[usize], item: usize| taken.iter().all(|&taken| other(taken, item));
            let pair = fill(pool, request, 2, &beside);
            pair.map(|pair| Scored { challenger: pair[0], opponent: pair[1], score: f64::NAN })
        }
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
    allowed: &(dyn Fn(usize, usize) -> bool + Sync),
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
    allowed: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Result<Option<Scored>, Error> {
    let &Request { posterior, policy, trials, stop, .. } = request;
    let seed = policy::draw_seed(request.seed, trials.len());
    let recent: Vec<usize> = trials.iter().rev().flat_map(Trial::items).collect();
    let wanted = acquisition::Request {
        allowed,
        kept: &recent,
        stop,
        ..acquisition::Request::new(policy.acquisition, pairs, 1, seed)
    };
    let found = suggest(&PoolUtilities::of(posterior, &pool.points)?, &wanted)?;
    Ok(found.first().copied())
}

/// So many items for a question that only fills space, each `allowed` beside those before: the nearest to points that fill the box around the pool;
/// items without numbers by lot.
pub(super) fn fill(
    pool: &Pool,
    request: &Request<'_>,
    size: usize,
    allowed: &dyn Fn(&[usize], usize) -> bool,
) -> Option<Vec<usize>> {
    let numbers: Vec<(usize, f64)> = pool
        .columns
        .iter()
        .enumerate()
        .filter_map(|(d, column)| match column {
            Column::Number { range } => Some((d, *range)),
            Column::Category => None,
        })
        .collect();
    let before = size * request.trials.len();
    let mut items: Vec<usize> = Vec::with_capacity(size);
    if numbers.is_empty() {
        for k in 0..size {
            let next = lot(pool.points.len(), &items, request.seed, (before + k) as u64);
            items.push(next);
        }
    } else {
        let wanted = Domain::unit_box(numbers.len()).fill(before + size, request.seed);
        let nearest = Nearest::new(pool, &numbers);
        for target in &wanted[before..] {
            let free = |i: usize| !items.contains(&i) && allowed(&items, i);
            let next = nearest.to(target, &free)?;
            items.push(next);
        }
    }
    (1..size).all(|k| allowed(&items[..k], items[k])).then_some(items)
}

/// The drawing of number `draw`: one of so many items, but none of `taken`.
fn lot(items: usize, taken: &[usize], seed: u64, draw: u64) -> usize {
    let mut rng = rather_numerics::random::stream(seed, draw);
    let others = items - taken.len();
    let drawn = (rather_numerics::random::uniform(&mut rng) * others as f64) as usize;
    let mut taken = taken.to_vec();
    taken.sort_unstable();
    taken.into_iter().fold(drawn, |drawn, taken| if drawn >= taken { drawn + 1 } else { drawn })
}

/// The box around a pool.
struct Nearest<'a> {
    pool: &'a Pool,
    /// The columns of numbers, and how far their values spread.
    numbers: &'a [(usize, f64)],
    lowest: Vec<f64>,
}

impl<'a> Nearest<'a> {
    fn new(pool: &'a Pool, numbers: &'a [(usize, f64)]) -> Self {
        let items = 0..pool.points.len();
        let lowest =
            |&(d, _): &(usize, f64)| items.clone().map(|i| pool.points.row(i)[d]).fold(f64::MAX, f64::min);
        Self { pool, numbers, lowest: numbers.iter().map(lowest).collect() }
    }

    /// The item nearest to a point of the box, of those that are `free`.
    fn to(&self, target: &[f64], free: &dyn Fn(usize) -> bool) -> Option<usize> {
        let away = |i: usize| -> f64 {
            let coordinates = self.numbers.iter().zip(&self.lowest).zip(target);
            coordinates
                .map(|((&(d, range), low), t)| ((self.pool.points.row(i)[d] - low) / range - t).powi(2))
                .sum()
        };
        let items = 0..self.pool.points.len();
        items.filter(|&i| free(i)).min_by(|&a, &b| away(a).total_cmp(&away(b)))
    }
}

/// Two items, other than those of the last duel if there are others.
fn last_resort(request: &Request<'_>, items: usize) -> Scored {
    let last = request.trials.last().map(|d| (d.left.min(d.right), d.left.max(d.right)));
    let pair = if items > 2 && last == Some((0, 1)) { (0, 2) } else { (0, 1) };
    Scored { challenger: pair.0, opponent: pair.1, score: f64::NAN }
}
