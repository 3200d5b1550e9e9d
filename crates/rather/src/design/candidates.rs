//! Which items of a large pool may be the best, and with which probability.
//!
//! The joint covariance of `n` utilities has `n^2` entries, so only as many items as [`MOST`] are drawn jointly: those with the largest
//! chances. Items of which nothing is known but the prior, and which are independent of all others (names without features that were
//! never compared), need no covariance at all: the largest of `m` independent draws from `N(0, v)` is drawn at once.

use super::Pool;
use super::importance::Draws;
use crate::Error;
use crate::acquisition::best::arg_max;
use crate::acquisition::regret::Regret;
use crate::belief::Belief;
use crate::points::Points;
use crate::posterior::Posterior;
use rand_chacha::ChaCha8Rng;
use rather_numerics::order::descending;
use rather_numerics::random::{stream, uniform};
use rather_numerics::special::normal;

/// The most items whose utilities are drawn jointly, besides the recommended one.
pub(super) const MOST: usize = 1024;
/// Draws of the utilities behind a [`Regret`]: its standard error is below a twentieth of the utilities' spread.
const REGRET_DRAWS: usize = 512;
/// Draws behind probabilities of being best: their standard error is below 0.016.
const BEST_DRAWS: usize = 1000;

/// How likely each item of a pool is the best one.
#[derive(Debug, Clone, PartialEq)]
pub struct BestOdds {
    /// Items that were drawn jointly, by their numbers, in increasing order.
    items: Vec<usize>,
    /// The same of each.
    probabilities: Vec<f64>,
    /// The probability of each item that is independent of all others and of which nothing is known, if there are any.
    unknown: f64,
}

impl BestOdds {
    /// The probability that `item` is the best of the pool. Of a pool of more than 1,024 items with features it is 0 for those outside
    /// the 1,024 with the largest chances.
    pub fn of(&self, item: usize) -> f64 {
        self.items.binary_search(&item).map_or(self.unknown, |at| self.probabilities[at])
    }
}

/// How likely each item of `pool` is the best one, by draws from the posterior of the items with the largest chances; `recommended` is
/// one of them whatever its chances.
///
/// # Errors
/// [`Error::PoolItem`] if there is no item `recommended`; [`Error::Covariance`] if the covariance is not finite.
pub fn best_in_pool(belief: &Belief, pool: &Pool, recommended: usize, seed: u64) -> Result<BestOdds, Error> {
    let Candidates { mut items, unknown } = Candidates::of(belief, pool, recommended, MOST)?;
    items.sort_unstable();
    let draws = Draws::new(belief, &pool.points.select(&items))?;
    let mut wins = vec![0.0; items.len()];
    let mut others = 0.0;
    let rngs = [stream(seed, 4), stream(seed, 6)];
    each_draw(&draws, unknown.as_ref(), BEST_DRAWS, rngs, |utilities, unknown, weight| {
        match arg_max(utilities) {
            Some(best) if utilities[best] >= unknown => wins[best] += weight,
            _ => others += weight,
        }
    });
    let share = |wins: f64| wins / BEST_DRAWS as f64;
    let each = unknown.as_ref().map_or(0.0, |unknown| share(others) / unknown.number as f64);
    Ok(BestOdds { items, probabilities: wins.into_iter().map(share).collect(), unknown: each })
}

/// The regret of `recommended` against the `most` other items of `pool` with the largest chances.
pub(super) fn regret(
    belief: &Belief,
    pool: &Pool,
    recommended: usize,
    margin: f64,
    (most, seed): (usize, u64),
) -> Result<Regret, Error> {
    let Candidates { items, unknown } = Candidates::of(belief, pool, recommended, most)?;
    regret_of_last(belief, &pool.points.select(&items), unknown.as_ref(), margin, seed)
}

/// The regret of the last of `points`, against the others and items of which nothing is known.
pub(super) fn regret_of_last(
    belief: &Belief,
    points: &Points,
    unknown: Option<&Unknown>,
    margin: f64,
    seed: u64,
) -> Result<Regret, Error> {
    let draws = Draws::new(belief, points)?;
    let mut lost = Vec::with_capacity(REGRET_DRAWS);
    let rngs = [stream(seed, 3), stream(seed, 5)];
    each_draw(&draws, unknown, REGRET_DRAWS, rngs, |utilities, unknown, weight| {
        let best = utilities.iter().fold(unknown, |a, &b| a.max(b));
        lost.push((best - utilities[points.len() - 1], weight));
    });
    Ok(Regret::of(lost.into_iter(), margin))
}

/// Items that may be the best.
struct Candidates {
    /// Those to be drawn jointly, the recommended one last.
    items: Vec<usize>,
    unknown: Option<Unknown>,
}

/// Items that are independent of all others, each with the prior's variance.
#[derive(Debug, Clone)]
pub(super) struct Unknown {
    number: usize,
    /// The prior's standard deviation, of each component of the belief.
    sds: Vec<f64>,
}

impl Candidates {
    fn of(belief: &Belief, pool: &Pool, recommended: usize, most: usize) -> Result<Self, Error> {
        let items = pool.points.len();
        if recommended >= items {
            return Err(Error::PoolItem { item: recommended, items });
        }
        let mut others: Vec<usize> = (0..items).filter(|&i| i != recommended).collect();
        let mut unknown = None;
        if items > MOST + 1 && pool.columns.is_empty() {
            let components = belief.components()?;
            // Which items were compared does not depend on the hyperparameters.
            let touched = components[0].1.touches(&pool.points);
            others.retain(|&i| touched[i]);
            let number = items - 1 - others.len();
            let one = (0..items).find(|&i| i != recommended && !touched[i]);
            unknown = one.map(|i| {
                let point = pool.points.select(&[i]);
                let sd = |(_, posterior): &(f64, &Posterior)| posterior.utilities(&point).variance[0].sqrt();
                Unknown { number, sds: components.iter().map(sd).collect() }
            });
        }
        let points = pool.points.select(&others);
        let utilities = belief.relative_utilities(&points, &pool.points.select(&[recommended]));
        let hope = |at: usize| utilities.mean[at] + 2.0 * utilities.variance[at].sqrt();
        let mut order = descending(&(0..others.len()).map(hope).collect::<Vec<f64>>());
        order.truncate(most);
        let items = order.into_iter().map(|at| others[at]).chain([recommended]).collect();
        Ok(Self { items, unknown })
    }
}

/// Hands `number` draws of all utilities to `take`, each with the largest of those of which nothing is known, minus infinity if there are none, and its
/// weight.
///
/// # Formula
/// The largest of $m$ independent draws from $N(0,v)$ has the distribution function $\Phi(x/\sqrt v)^m$, so it is
/// $-\sqrt v \Phi^{-1}(1-U^{1/m})$ with $U$ uniform.
fn each_draw(
    draws: &Draws<'_>,
    unknown: Option<&Unknown>,
    number: usize,
    [mut rng, mut of_unknown]: [ChaCha8Rng; 2],
    mut take: impl FnMut(&[f64], f64, f64),
) {
    draws.each(number, &mut rng, |component, utilities, weight| {
        let largest = unknown.map_or(f64::NEG_INFINITY, |Unknown { number, sds }| {
            // 1 - U is uniform, too, and never 0.
            let u = 1.0 - uniform(&mut of_unknown);
            -sds[component] * normal::quantile(-(u.ln() / *number as f64).exp_m1())
        });
        take(utilities, largest, weight);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Column, Outcome, Prior, Trial, fit};

    /// A pool of names, of which the first three were compared.
    fn names(n: usize) -> (Pool, Belief) {
        let points = Points::new((0..n as u64).collect(), 0, vec![]);
        let pool = Pool::new(points, &[]).unwrap();
        let duel = |left, right| Trial::pair(left, right, Some(Outcome::Left));
        let duels = [duel(0, 1), duel(0, 2), duel(0, 1), duel(1, 2)];
        let columns: &[Column] = &[];
        // With a scale that is known, losses differ little from draw to draw.
        let prior = Prior { learn: false, ..Prior::default() };
        let posterior = fit(&pool.points, columns, &duels, &prior).unwrap();
        (pool, posterior)
    }

    #[test]
    fn unknown_items_count_as_if_each_had_been_drawn() {
        // 1,025 items are drawn jointly, one more is not: both ways must agree, but for that one item and for chance.
        let [all, some] = [MOST + 1, MOST + 2].map(|n| {
            let (pool, posterior) = names(n);
            let regret = regret(&posterior, &pool, 0, 0.2, (MOST, 7)).unwrap();
            (best_in_pool(&posterior, &pool, 0, 7).unwrap(), regret)
        });
        assert_eq!((all.0.items.len(), some.0.items.len()), (MOST + 1, 3));
        let sum = |odds: &BestOdds, n: usize| (0..n).map(|i| odds.of(i)).sum::<f64>();
        assert!((sum(&all.0, MOST + 1) - 1.0).abs() < 1e-9 && (sum(&some.0, MOST + 2) - 1.0).abs() < 1e-9);
        // Two estimates with a standard error of at most 0.016 each.
        assert!((all.0.of(0) - some.0.of(0)).abs() < 0.06, "{} {}", all.0.of(0), some.0.of(0));
        // The loss is a difference of the largest of a thousand (a spread of 0.35 prior deviations of 2) and of one utility (about 1.5), in
        // 512 draws: standard errors of 0.08.
        assert!((all.1.expected - some.1.expected).abs() < 0.4, "{:?} {:?}", all.1, some.1);
    }

    #[test]
    fn the_largest_of_many_is_drawn_as_it_is_distributed() {
        let (pool, belief) = names(3);
        let components = belief.components().unwrap();
        let draws = Draws::new(&belief, &pool.points).unwrap();
        let number = 20_000;
        let unknown = Unknown { number, sds: vec![1.0; components.len()] };
        let mut drawn = Vec::new();
        each_draw(&draws, Some(&unknown), 4000, [stream(1, 1), stream(1, 2)], |_, largest, _| {
            drawn.push(largest)
        });
        // Half of the draws lie below the median, Phi(x)^m = 1/2; the standard error is 0.008.
        let median = -normal::quantile(-((0.5_f64.ln() / number as f64).exp_m1()));
        let below = drawn.iter().filter(|&&x| x < median).count() as f64 / 4000.0;
        assert!((below - 0.5).abs() < 0.04 && (3.9..4.1).contains(&median), "{below} {median}");
    }
}
