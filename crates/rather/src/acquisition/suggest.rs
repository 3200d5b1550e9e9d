//! The next comparisons of a pool: one choice for the program, Python, studies and models of many users.

use super::pool::{Pairs, Scored, best_pairs};
use super::{Acquisition, Prepared, believer};
use crate::Error;
use crate::answers::check_known;
use crate::points::Points;
use crate::posterior::{Joint, Posterior};
use rather_numerics::special::probit::probit_moments;
use rather_numerics::watch::{self, Steps};

/// The most items whose joint covariance is formed (32 MB). Of a larger pool so many are candidates: those that a request keeps, and others
/// at even distances.
pub const MOST_ITEMS: usize = 2_000;

/// The utilities of a pool of items, as a model knows them.
pub trait Utilities {
    /// Number of items.
    fn items(&self) -> usize;

    /// Standard deviation of the noise of a difference.
    fn s(&self) -> f64;

    /// The joint posterior of the utilities of `items`, as `acquisition` looks at it.
    ///
    /// # Errors
    /// Those of a posterior that cannot be formed.
    fn joint(&self, items: &[usize], acquisition: &Acquisition, seed: u64) -> Result<Joint, Error>;

    /// Checks that `acquisition` can look at these utilities.
    ///
    /// # Errors
    /// If it cannot.
    fn check(&self, _acquisition: &Acquisition) -> Result<(), Error> {
        Ok(())
    }
}

/// The utilities of `points` under a posterior.
#[derive(Debug, Clone, Copy)]
pub struct PoolUtilities<'a> {
    /// The posterior.
    pub posterior: &'a Posterior,
    /// The items.
    pub points: &'a Points,
}

impl Utilities for PoolUtilities<'_> {
    fn items(&self) -> usize {
        self.points.len()
    }

    fn s(&self) -> f64 {
        self.posterior.s()
    }

    fn joint(&self, items: &[usize], acquisition: &Acquisition, seed: u64) -> Result<Joint, Error> {
        Ok(believer::posterior(acquisition, self.posterior, seed)?.joint(&self.points.select(items)))
    }
}

/// Which comparisons are chosen, and how.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The value of a comparison.
    pub acquisition: Acquisition,
    /// Which pairs of items are considered.
    pub pairs: Pairs<'a>,
    /// Which of them may be taken.
    pub allowed: &'a dyn Fn(usize, usize) -> bool,
    /// Items that are candidates however large the pool is, at most half of [`MOST_ITEMS`] of them, the first first.
    pub kept: &'a [usize],
    /// Number of comparisons.
    pub n: usize,
    /// Seed of draws.
    pub seed: u64,
    /// Asked now and then; once it says `true`, what was found so far is returned.
    pub stop: &'a dyn Fn() -> bool,
}

impl<'a> Request<'a> {
    /// The `n` best of `pairs`.
    pub fn new(acquisition: Acquisition, pairs: Pairs<'a>, n: usize, seed: u64) -> Self {
        Self { acquisition, pairs, allowed: &|_, _| true, kept: &[], n, seed, stop: &|| false }
    }

    fn check(&self, items: usize) -> Result<(), Error> {
        self.acquisition.check(matches!(self.pairs, Pairs::Against(_)))?;
        match self.pairs {
            _ if items < 2 => Err(Error::PoolSize { items }),
            Pairs::All => Ok(()),
            Pairs::Against(opponent) => known(&[(opponent, opponent)], items),
            Pairs::Given(pairs) => known(pairs, items),
        }
    }

    /// The items whose joint posterior is looked at, in increasing order.
    fn candidates(&self, items: usize) -> Vec<usize> {
        if items <= MOST_ITEMS {
            return (0..items).collect();
        }
        let mut out: Vec<usize> = match self.pairs {
            Pairs::Given(pairs) => pairs.iter().flat_map(|&(i, j)| [i, j]).collect(),
            Pairs::All | Pairs::Against(_) => {
                let even = if self.kept.is_empty() { MOST_ITEMS } else { MOST_ITEMS / 2 };
                let kept = self.kept.iter().copied().take(MOST_ITEMS / 2);
                kept.chain((0..even).map(|k| k * items / even)).collect()
            }
        };
        if let Pairs::Against(opponent) = self.pairs {
            out.push(opponent);
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// The best comparisons of a pool, one after another, each as if the earlier ones had been answered: the best of the request's pairs
/// under its acquisition function, and then the covariance is what it will be on average after its answer. The means stay, as on average
/// they do. So a batch is not one comparison many times, and no pair comes twice.
///
/// Of more than [`MOST_ITEMS`] items so many at even distances are considered, besides those that the request keeps.
///
/// # Formula
/// The answer to $i$ against $j$ leaves, by matched moments, $\Sigma-\beta cc^\top$ with $c=\Sigma(e_i-e_j)$; over both answers
/// $$ \bar\beta=\frac{\Phi(u) w(u)+\Phi(-u) w(-u)}{s^2+v},\qquad u=\frac m{\sqrt{s^2+v}}, $$
/// $w$ minus the second derivative of $\log\Phi$.
///
/// Fewer are returned if there are no more pairs, or `stop` says so after the first.
///
/// # Errors
/// [`Error::ChoiceOfTwo`] and [`Error::NeedsOpponent`] for an acquisition function that cannot choose among these pairs;
/// [`Error::PoolSize`] for less than two items; [`Error::UnknownItem`], whose row is the pair; [`Error::UtilityNotFinite`]; those of
/// [`Utilities::check`] and [`Utilities::joint`].
///
/// # Examples
/// ```
/// use rather::Comparison;
/// use rather::acquisition::pool::Pairs;
/// use rather::acquisition::{PoolUtilities, Request, suggest};
/// use rather::model::{FitSettings, Items, Model};
///
/// let items = Items { keys: ["tea", "coffee", "wine"].map(String::from).to_vec(), columns: vec![] };
/// let answers = [Comparison { winner: 0, loser: 1, count: 5 }];
/// let model = Model::fit(&items, &answers, &FitSettings::default(), &|_| ())?;
/// let pool = PoolUtilities { posterior: model.posterior()?, points: model.points() };
/// let next = suggest(&pool, &Request::new("bald".parse()?, Pairs::All, 1, 0))?;
/// // Nothing is known of wine.
/// assert_eq!(next[0].opponent, 2);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn suggest(pool: &dyn Utilities, request: &Request<'_>) -> Result<Vec<Scored>, Error> {
    pool.check(&request.acquisition)?;
    request.check(pool.items())?;
    let candidates = request.candidates(pool.items());
    let place = |item: usize| candidates.partition_point(|&c| c < item);
    let given: Vec<(usize, usize)>;
    let pairs = match request.pairs {
        Pairs::All => Pairs::All,
        Pairs::Against(opponent) => Pairs::Against(place(opponent)),
        Pairs::Given(pairs) => {
            given = pairs.iter().map(|&(i, j)| (place(i), place(j))).collect();
            Pairs::Given(&given)
        }
    };
    let mut joint = finite(pool, &candidates, request.acquisition, request.seed)?;
    let mut found: Vec<Scored> = Vec::new();
    let steps = Steps::start("choosing comparisons", if request.n > 1 { request.n } else { 0 });
    while found.len() < request.n && (found.is_empty() || !(request.stop)()) {
        watch::check()?;
        let seed = request.seed.wrapping_add(found.len() as u64);
        let fresh = |i: usize, j: usize| {
            let chosen =
                |b: &Scored| (b.challenger, b.opponent) == (i, j) || (b.challenger, b.opponent) == (j, i);
            (request.allowed)(candidates[i], candidates[j]) && !found.iter().any(chosen)
        };
        let prepared = Prepared::new(request.acquisition, &joint, pool.s(), seed)?;
        let best = best_pairs(&prepared, &pairs, &fresh, 1, request.stop);
        drop(prepared);
        let Some(&next) = best.first() else { break };
        observe(&mut joint, next.challenger, next.opponent, pool.s());
        found.push(next);
        steps.add(1);
    }
    for pair in &mut found {
        (pair.challenger, pair.opponent) = (candidates[pair.challenger], candidates[pair.opponent]);
    }
    Ok(found)
}

/// The values of some pairs (opponent, challenger) of a pool.
///
/// # Errors
/// As [`suggest`].
pub fn scores(
    pool: &dyn Utilities,
    acquisition: Acquisition,
    pairs: &[(usize, usize)],
    seed: u64,
) -> Result<Vec<f64>, Error> {
    pool.check(&acquisition)?;
    acquisition.check(true)?;
    known(pairs, pool.items())?;
    // What a closed form says of a pair does not depend on the rest of the pool, whose covariance may be large.
    let mut items: Vec<usize> = (0..pool.items()).collect();
    if acquisition.is_closed_form() {
        items = pairs.iter().flat_map(|&(left, right)| [left, right]).collect();
        items.sort_unstable();
        items.dedup();
    }
    let joint = finite(pool, &items, acquisition, seed)?;
    let prepared = Prepared::new(acquisition, &joint, pool.s(), seed)?;
    let place = |item: usize| items.partition_point(|&other| other < item);
    Ok(pairs.iter().map(|&(left, right)| prepared.challenge(place(right), place(left))).collect())
}

/// Checks that the pool has the items of `pairs`.
fn known(pairs: &[(usize, usize)], items: usize) -> Result<(), Error> {
    pairs.iter().enumerate().try_for_each(|(row, &(i, j))| check_known(row, [i, j], items))
}

/// The joint posterior of `items`, all of whose means are numbers.
fn finite(
    pool: &dyn Utilities,
    items: &[usize],
    acquisition: Acquisition,
    seed: u64,
) -> Result<Joint, Error> {
    let joint = pool.joint(items, &acquisition, seed)?;
    if joint.mean.iter().all(|m| m.is_finite()) { Ok(joint) } else { Err(Error::UtilityNotFinite) }
}

/// The joint posterior as it will be, on average, after an answer to `i` against `j`.
fn observe(joint: &mut Joint, i: usize, j: usize, s: f64) {
    let (mean, variance) = joint.difference(i, j);
    let total = s * s + variance;
    let u = mean / total.sqrt();
    let (right, left) = (probit_moments(u), probit_moments(-u));
    let curvature = right.log_cdf.exp() * right.w + left.log_cdf.exp() * left.w;
    joint.shrink(i, j, curvature / total);
}
