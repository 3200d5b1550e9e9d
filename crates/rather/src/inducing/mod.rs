//! Which items are inducing: the few whose utilities stand for those of all.
//!
//! The features of an item are what the inducing items tell about it ([`Prior::low_rank`](crate::inference::prior::Prior::low_rank)).

mod covering;
#[doc(hidden)]
pub mod informative;
mod k_means;

pub use covering::covering;
pub(crate) use covering::covering_while;
pub use k_means::k_means;

use serde::{Deserialize, Serialize};

use crate::kernel::Kernel;
use crate::points::Points;
use rather_numerics::random;

/// How inducing items are chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inducing {
    /// Each next one where those before leave the most open (pivoted Cholesky).
    #[default]
    Covering,
    /// Spread at random, far ones likelier (the seeds of k-means++).
    KMeans {
        /// Seed of the random numbers.
        seed: u64,
    },
    /// At random.
    Random {
        /// Seed of the random numbers.
        seed: u64,
    },
    /// Those whose comparisons have told most ([`informative::items`], Abbasnejad's informative vector machine).
    Informative,
    /// These, as positions among the items of the table.
    Given(Vec<usize>),
}

/// Positions of at most `most` of `points`, all different, in random order: the same for the same seed.
pub fn at_random(points: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut rng = random::stream(seed, 0);
    let mut order: Vec<usize> = (0..points).collect();
    let most = most.min(points);
    for i in 0..most {
        let other = i + (random::uniform(&mut rng) * (points - i) as f64) as usize;
        order.swap(i, other);
    }
    order.truncate(most);
    order
}

/// What a covering may leave of an item's variance: less than this makes no difference to what is believed.
pub const OPEN: f64 = 1e-5;

impl Inducing {
    /// At most `most` of `points` for `kernel`, before anything is known of the answers: [`Inducing::Informative`] starts from a
    /// covering. Given items are taken as they are; all items, if `most` are not fewer.
    pub fn choose(&self, kernel: &Kernel, points: &Points, most: usize) -> Vec<usize> {
        match self {
            Self::Given(items) => items.clone(),
            _ if most >= points.len() => (0..points.len()).collect(),
            Self::Covering | Self::Informative => covering(kernel, points, most, OPEN),
            Self::KMeans { seed } => k_means(kernel, points, most, *seed),
            Self::Random { seed } => at_random(points.len(), most, *seed),
        }
    }
}
