//! The next comparisons of a pool: one choice for the program, Python, studies and models of many users.

use std::borrow::Cow;

use super::pool::{Pairs, Scored, best_pairs};
use super::{Acquisition, Component, Prepared, believer};
use crate::Error;
use crate::answers::check_known;
use crate::belief::Belief;
use crate::points::Points;
use crate::posterior::{Posterior, SparsePosterior};
use rather_numerics::watch::{self, Steps};

/// The most items whose joint covariance is formed (32 MB). Of a larger pool so many are candidates: those that a request keeps, and others
/// at even distances.
pub const MOST_ITEMS: usize = 2_000;

/// One pair of items in so many, or fewer, is few: their covariances take less time one by one.
const FEW: usize = 4;

/// The utilities of a pool of items, as a model knows them.
pub trait Utilities {
    /// Number of items.
    fn items(&self) -> usize;

    /// What is believed of the utilities of `items`, as `acquisition` looks at it, and what may be answered about them.
    ///
    /// # Errors
    /// Those of a posterior that cannot be formed.
    fn components(
        &self,
        items: &[usize],
        acquisition: &Acquisition,
        seed: u64,
    ) -> Result<Vec<Component<'_>>, Error>;

    /// As [`Utilities::components`], where only these few pairs are looked at, by their places in `items`.
    ///
    /// # Errors
    /// Those of a posterior that cannot be formed.
    fn components_of_pairs(
        &self,
        items: &[usize],
        _pairs: &[(usize, usize)],
        acquisition: &Acquisition,
        seed: u64,
    ) -> Result<Vec<Component<'_>>, Error> {
        self.components(items, acquisition, seed)
    }

    /// Checks that `acquisition` can look at these utilities.
    ///
    /// # Errors
    /// If it cannot.
    fn check(&self, _acquisition: &Acquisition) -> Result<(), Error> {
        Ok(())
    }
}

/// The utilities of a pool of items under a posterior, or under several over which predictions are averages.
#[derive(Debug, Clone)]
pub struct PoolUtilities<'a> {
    under: Under<'a>,
    points: &'a Points,
}

/// What the utilities of a pool follow from.
#[derive(Debug, Clone)]
enum Under<'a> {
    /// Gaussians with their weights.
    Gaussians(Vec<(f64, &'a Posterior)>),
    /// A sparse precision, of items by name or of latent variables.
    Sparse(&'a SparsePosterior),
}

impl<'a> PoolUtilities<'a> {
    /// The utilities of `points` under `posterior`.
    pub fn new(posterior: &'a Posterior, points: &'a Points) -> Self {
        Self { under: Under::Gaussians(vec![(1.0, posterior)]), points }
    }

    /// The utilities of `points` as a model believes in them ([`Model::belief`](crate::model::Model::belief)): under an average over kernels
    /// and hyperparameters all that it is an average of, as predictions have it.
    ///
    /// # Errors
    /// Those of [`Belief::components`].
    pub fn of(belief: &'a Belief, points: &'a Points) -> Result<Self, Error> {
        let under = match belief.sparse() {
            Some(posterior) => Under::Sparse(posterior),
            None => Under::Gaussians(belief.components()?),
        };
        Ok(Self { under, points })
    }
}

impl Utilities for PoolUtilities<'_> {
    fn items(&self) -> usize {
        self.points.len()
    }

    fn components(
        &self,
        items: &[usize],
        acquisition: &Acquisition,
        seed: u64,
    ) -> Result<Vec<Component<'_>>, Error> {
        self.components_at(items, None, acquisition, seed)
    }

    fn components_of_pairs(
        &self,
        items: &[usize],
        pairs: &[(usize, usize)],
        acquisition: &Acquisition,
        seed: u64,
    ) -> Result<Vec<Component<'_>>, Error> {
        self.components_at(items, Some(pairs), acquisition, seed)
    }
}

impl PoolUtilities<'_> {
    fn components_at(
        &self,
        items: &[usize],
        pairs: Option<&[(usize, usize)]>,
        acquisition: &Acquisition,
        seed: u64,
    ) -> Result<Vec<Component<'_>>, Error> {
        let points = self.points.select(items);
        let posteriors = match &self.under {
            Under::Gaussians(posteriors) => posteriors,
            Under::Sparse(_) if acquisition.conditions_on_a_draw() => {
                return Err(crate::Unsupported::SparseCovariance.into());
            }
            Under::Sparse(posterior) => {
                let answers = posterior.likelihoods().answer_model();
                return Ok(vec![Component::new(posterior.joint_of(&points), answers)]);
            }
        };
        if acquisition.conditions_on_a_draw() {
            let given = believer::components(acquisition, posteriors, seed)?;
            let one = |(_, given): (f64, Cow<'_, Posterior>)| {
                Component::new(given.joint(&points), given.answer_model())
            };
            // It is one.
            return Ok(given.into_iter().map(one).collect());
        }
        let all = posteriors.iter();
        Ok(all.map(|&(weight, p)| Component::of_posterior(weight, p, &points, pairs)).collect())
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
    pub allowed: &'a (dyn Fn(usize, usize) -> bool + Sync),
    /// Items that are candidates however large the pool is, at most half of [`MOST_ITEMS`] of them, the first first.
    pub kept: &'a [usize],
    /// Number of comparisons.
    pub n: usize,
    /// Seed of draws.
    pub seed: u64,
    /// Asked now and then; once it says `true`, what was found so far is returned.
    pub stop: &'a (dyn Fn() -> bool + Sync),
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
/// The challenger of a comparison is shown on the right, its opponent on the left. Where the left has an advantage (a position bias), or the
/// function tells a challenger from an opponent, a pair is taken in its better order; against a given opponent that one is on the left.
///
/// # Formula
/// The answer to $i$ against $j$ leaves, by matched moments, $\Sigma-\beta cc^\top$ with $c=\Sigma(e_i-e_j)$; over all that may be answered
/// $\bar\beta=\sum_yP_yb_y$ with $P_y=\mathbb Ep_y(z)$ and $b_y=-\partial_m^2\log P_y$. Of a pair that was compared before, the new answer and those
/// given are one factor, as inference has it. Of an average over kernels and hyperparameters each part is narrowed so.
///
/// Fewer are returned if there are no more pairs, or `stop` says so after the first.
///
/// # Errors
/// [`Error::ChoiceOfTwo`] and [`Error::NeedsOpponent`] for an acquisition function that cannot choose among these pairs;
/// [`Error::PoolSize`] for less than two items; [`Error::UnknownItem`], whose row is the pair; [`Error::UtilityNotFinite`]; those of
/// [`Utilities::check`] and [`Utilities::components`].
///
/// # Examples
/// ```
/// use rather::Comparison;
/// use rather::acquisition::pool::Pairs;
/// use rather::acquisition::{PoolUtilities, Request, suggest};
/// use rather::model::{FitSettings, Items, Model};
///
/// let items = Items { keys: ["tea", "coffee", "wine"].map(String::from).to_vec(), columns: vec![] };
/// let answers = [Comparison { winner: 0, loser: 1, count: 5.0 }];
/// let model = Model::fit(&items, &answers, &FitSettings::default(), &|_| ())?;
/// let pool = PoolUtilities::of(model.belief(), model.points())?;
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
    let mut given: Vec<(usize, usize)>;
    let pairs = match request.pairs {
        Pairs::All => Pairs::All,
        Pairs::Against(opponent) => Pairs::Against(place(opponent)),
        Pairs::Given(pairs) => {
            given = pairs.iter().map(|&(i, j)| (place(i), place(j))).collect();
            // In the order of the covariance's columns, which may be larger than the cache.
            given.sort_unstable_by_key(|&(i, j)| (i.min(j), i.max(j)));
            Pairs::Given(&given)
        }
    };
    let looked_at = match &pairs {
        Pairs::Given(pairs) => Some(*pairs),
        Pairs::All | Pairs::Against(_) => None,
    };
    let mut components = finite(pool, &candidates, looked_at, request.acquisition, request.seed)?;
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
        let prepared = Prepared::new(request.acquisition, &components, seed)?;
        let best = best_pairs(&prepared, &pairs, &fresh, 1, request.stop);
        drop(prepared);
        let Some(&next) = best.first() else { break };
        if found.len() + 1 < request.n {
            let by_pairs = request.acquisition.is_closed_form();
            components.iter_mut().for_each(|c| c.observe(next.challenger, next.opponent, by_pairs));
        }
        found.push(next);
        steps.add(1);
    }
    for pair in &mut found {
        (pair.challenger, pair.opponent) = (candidates[pair.challenger], candidates[pair.opponent]);
    }
    Ok(found)
}

/// The values of some pairs (opponent, challenger) of a pool, the first of which is shown on the left.
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
    let place = |item: usize| items.partition_point(|&other| other < item);
    let places: Vec<(usize, usize)> =
        pairs.iter().map(|&(left, right)| (place(left), place(right))).collect();
    let components = finite(pool, &items, Some(&places), acquisition, seed)?;
    let prepared = Prepared::new(acquisition, &components, seed)?;
    Ok(places.into_iter().map(|(left, right)| prepared.challenge(right, left)).collect())
}

/// Checks that the pool has the items of `pairs`.
fn known(pairs: &[(usize, usize)], items: usize) -> Result<(), Error> {
    pairs.iter().enumerate().try_for_each(|(row, &(i, j))| check_known(row, [i, j], items))
}

/// What is believed of `items`, all of whose means are numbers, and of which only some pairs may be looked at.
fn finite<'a>(
    pool: &'a dyn Utilities,
    items: &[usize],
    pairs: Option<&[(usize, usize)]>,
    acquisition: Acquisition,
    seed: u64,
) -> Result<Vec<Component<'a>>, Error> {
    let few = pairs.filter(|pairs| FEW * pairs.len() <= items.len() * items.len());
    let components = match few.filter(|_| acquisition.is_closed_form()) {
        Some(pairs) => pool.components_of_pairs(items, pairs, &acquisition, seed)?,
        None => pool.components(items, &acquisition, seed)?,
    };
    let finite = components.iter().all(|c| c.mean().iter().all(|m| m.is_finite()));
    if finite { Ok(components) } else { Err(Error::UtilityNotFinite) }
}
