//! How the Gaussian prior over items is represented: full covariance, low-rank covariance of inducing points, or sparse precision; and which is best.

use serde::{Deserialize, Serialize};

pub use crate::error::bytes;
use crate::learn::integration;
use crate::memory;
pub use crate::memory::Size;
use crate::{Error, Unsupported};

/// How the Gaussian prior over items is represented. All give the same posterior as far as they are exact; they differ in what a
/// sweep costs, for `N` compared items, `M` distinct pairs and `R` features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Representation {
    /// What is exact if it is cheap enough, else the nearest to it that fits into the memory allowed.
    #[default]
    Auto,
    /// The full covariance: `O(N^3)`, or `O(M^3)` where there are fewer pairs than items.
    #[serde(alias = "whole")]
    Full,
    /// Low rank, of so many inducing points: `O(N R^2 + M R)`.
    LowRank(usize),
    /// A sparse precision, for items without features: `O(N + M)` where the comparisons allow it.
    #[serde(rename = "sparse-precision", alias = "sparse")]
    Sparse,
}

/// The representation that was taken, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Never [`Representation::Auto`].
    pub representation: Representation,
    /// Why.
    pub because: Because,
    /// Bytes that the fit takes at its peak, as estimated beforehand: tables, answers and posterior. 0 in models of earlier versions.
    #[serde(default)]
    pub estimated: u64,
    /// Bytes that were allowed.
    #[serde(default)]
    pub allowed: u64,
}

/// Why a representation was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Because {
    /// It was asked for.
    Asked,
    /// The way of inference needs it.
    Needed,
    /// The whole covariance is quick.
    Small,
    /// The whole covariance of so many nodes is too slow.
    Slow {
        /// Items, or pairs if those are fewer.
        nodes: usize,
    },
    /// Features of low rank, which would be quicker, leave too much open.
    Rough {
        /// So many features were tried.
        features: usize,
    },
    /// The whole covariance does not fit into the memory allowed.
    Memory {
        /// Bytes that it needs.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
}

/// Bytes that a fit may take unless something else is said.
pub const MEMORY: u64 = 2 << 30;

/// Nodes up to which the whole covariance is quick: a sweep of 2,000 takes about a second.
const QUICK: usize = 2000;
/// The same where a sparse precision would do, which is quicker. Of no more than these are hyperparameters integrated out, for which the whole covariance is
/// needed.
const QUICK_BY_NAME: usize = integration::MOST_ITEMS;
/// The same where hyperparameters are not integrated out.
const FEW_BY_NAME: usize = 200;
/// Nodes up to which the whole covariance is worth its time where features of low rank leave too much open: one climb from what they found.
const WORTH: usize = 3000;
/// Features of low rank, where memory allows them and as many are needed.
pub const FEATURES: usize = 512;
/// With fewer than these, too little is left of a kernel.
const FEWEST_FEATURES: usize = 16;
/// The representation to take for a problem of this size, in `memory` bytes: what was asked for, else the whole covariance if it is
/// quick and fits, else a sparse precision for items by name, else as many features as fit. What each takes is in [`memory`].
///
/// # Errors
/// [`Unsupported::Representation`] and [`Unsupported::FullCovariance`]; [`Error::Memory`] if nothing fits, or not what was asked for.
///
/// # Examples
/// ```
/// use rather::representation::{MEMORY, Representation, Size, decide};
///
/// let size = |items, pairs| Size::new(items, pairs);
/// let taken = |size| decide(Representation::Auto, size, MEMORY).map(|held| held.representation);
/// assert_eq!(taken(size(500, 1_000)), Ok(Representation::Full));
/// assert_eq!(taken(size(20_000, 1_000_000)), Ok(Representation::LowRank(512)));
/// assert_eq!(taken(Size { by_name: true, ..size(100_000, 1_000_000) }), Ok(Representation::Sparse));
/// ```
pub fn decide(asked: Representation, size: Size, memory: u64) -> Result<Decision, Error> {
    match asked {
        Representation::LowRank(_) | Representation::Sparse if size.needs_full => {
            return Err(Unsupported::FullCovariance.into());
        }
        Representation::LowRank(_) if size.by_name => return Err(Unsupported::Representation.into()),
        Representation::Sparse if !size.by_name => return Err(Unsupported::Representation.into()),
        Representation::LowRank(0) => {
            let (name, requirement) = ("number of inducing points".into(), "it must be at least 1");
            return Err(Error::Parameter { name, value: 0.0, requirement });
        }
        Representation::Auto => {}
        representation => return held(representation, Because::Asked, &size, memory),
    }
    if size.needs_full {
        return held(Representation::Full, Because::Needed, &size, memory);
    }
    let (nodes, needed) = (size.items.min(size.pairs), memory::full(&size));
    let quick = match (size.by_name, size.others > 0) {
        (true, true) => QUICK_BY_NAME,
        (true, false) => FEW_BY_NAME,
        (false, _) => QUICK,
    };
    let because = match (nodes > quick, needed > memory) {
        (false, false) => return held(Representation::Full, Because::Small, &size, memory),
        (true, false) => Because::Slow { nodes },
        (_, true) => Because::Memory { needed, allowed: memory },
    };
    if size.by_name {
        return held(Representation::Sparse, because, &size, memory);
    }
    let fewest = FEWEST_FEATURES.min(size.items);
    let features = (fewest..=FEATURES).rev().find(|&r| memory::low_rank(&size, r) <= memory);
    held(Representation::LowRank(features.unwrap_or(fewest)), because, &size, memory)
}

/// The whole covariance in the place of features of low rank that turned out too rough, if it is worth its time and fits.
pub(crate) fn instead(rough: Decision, size: &Size, memory: u64) -> Option<Decision> {
    let Representation::LowRank(features) = rough.representation else { return None };
    let affordable = size.items.min(size.pairs) <= WORTH && matches!(rough.because, Because::Slow { .. });
    affordable.then(|| held(Representation::Full, Because::Rough { features }, size, memory).ok()).flatten()
}

/// The full covariance in the place of a sparse precision that was only quicker, if it fits.
pub(crate) fn by_full(sparse: Decision, size: &Size, memory: u64) -> Option<Decision> {
    let quick = size.items.min(size.pairs) <= QUICK && matches!(sparse.because, Because::Slow { .. });
    quick.then(|| held(Representation::Full, Because::Needed, size, memory).ok()).flatten()
}

/// This representation, if it fits.
fn held(
    representation: Representation,
    because: Because,
    size: &Size,
    allowed: u64,
) -> Result<Decision, Error> {
    let estimated = needed(size, representation);
    memory::allow(estimated, allowed)?;
    Ok(Decision { representation, because, estimated, allowed })
}

impl Decision {
    /// By features, of which so many were needed.
    pub(crate) fn with_features(self, features: usize) -> Self {
        Self { representation: Representation::LowRank(features), ..self }
    }

    /// What the fit takes, in words: `about 240 MiB of the 2.0 GiB allowed`. `None` for a model of an earlier version, which did not
    /// estimate it.
    pub fn memory(&self) -> Option<String> {
        let words = || format!("about {} of the {} allowed", bytes(self.estimated), bytes(self.allowed));
        (self.estimated > 0).then(words)
    }
}

impl std::fmt::Display for Decision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.representation {
            Representation::Auto | Representation::Full => write!(f, "full covariance")?,
            Representation::LowRank(features) => {
                write!(f, "low-rank covariance of {features} inducing points")?
            }
            Representation::Sparse => write!(f, "sparse precision")?,
        }
        match self.because {
            Because::Asked => write!(f, ", as requested"),
            Because::Needed => write!(f, ", which this needs"),
            Because::Small => write!(f, ", which is quick for so few"),
            Because::Slow { nodes } => {
                write!(f, ": the full covariance of {nodes} nodes would be slow")
            }
            Because::Rough { features } => {
                write!(f, ": {features} inducing points leave too much of the items' variance unexplained")
            }
            Because::Memory { needed, allowed } => write!(
                f,
                ": the full covariance would need {}, and {} are allowed",
                bytes(needed),
                bytes(allowed)
            ),
        }
    }
}

/// Bytes of a fit with a representation, by messages where that is a sparse precision.
pub fn needed(size: &Size, representation: Representation) -> u64 {
    match representation {
        Representation::Auto | Representation::Full => memory::full(size),
        Representation::LowRank(features) => memory::low_rank(size, features),
        Representation::Sparse => memory::messages(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names have a sparse precision as soon as hyperparameters are no longer integrated out; the full covariance takes its place where it is needed and quick,
    /// and not where it was asked for.
    #[test]
    fn names_have_a_sparse_precision() {
        let of = |items| Size { by_name: true, others: 6, ..Size::new(items, 5 * items) };
        let auto = |items| decide(Representation::Auto, of(items), MEMORY).unwrap();
        assert_eq!(auto(700).representation, Representation::Full);
        assert_eq!(auto(701).representation, Representation::Sparse);
        let alone = |items| {
            decide(Representation::Auto, Size { others: 0, ..of(items) }, MEMORY).unwrap().representation
        };
        assert_eq!((alone(200), alone(201)), (Representation::Full, Representation::Sparse));
        let full = by_full(auto(2_000), &of(2_000), MEMORY).unwrap();
        assert_eq!((full.representation, full.because), (Representation::Full, Because::Needed));
        assert_eq!(by_full(auto(2_000), &of(2_000), 50 << 20), None);
        assert_eq!(by_full(auto(2_001), &of(2_001), MEMORY), None);
        let asked = decide(Representation::Sparse, of(2_000), MEMORY).unwrap();
        assert_eq!(by_full(asked, &of(2_000), MEMORY), None);
    }

    /// Rough features give way where the whole covariance was only slow, not where they were asked for or nothing else fits.
    #[test]
    fn the_whole_covariance_takes_the_place_of_rough_features() {
        let size = Size::new(2_500, 12_500);
        let rough = decide(Representation::Auto, size, MEMORY).unwrap();
        assert!(matches!(rough.representation, Representation::LowRank(_)), "{rough:?}");
        let whole = instead(rough, &size, MEMORY).unwrap();
        assert_eq!(whole.representation, Representation::Full);
        assert!(whole.to_string().contains("512 inducing points leave too much"), "{whole}");
        assert_eq!(instead(rough, &size, 50 << 20), None);
        let asked = decide(Representation::LowRank(30), size, MEMORY).unwrap();
        assert_eq!(instead(asked, &size, MEMORY), None);
        let larger = Size::new(20_000, 100_000);
        assert_eq!(instead(decide(Representation::Auto, larger, MEMORY).unwrap(), &larger, MEMORY), None);
    }
}
