//! How the Gaussian prior over items is held: whole, by features of low rank, or by a sparse precision; and which is best.

use serde::{Deserialize, Serialize};

use crate::Error;

/// How the Gaussian prior over items is held. All give the same posterior as far as they are exact; they differ in what a
/// sweep costs, for `N` compared items, `M` distinct pairs and `R` features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Representation {
    /// What is exact if it is cheap enough, else the nearest to it that fits into the memory allowed.
    #[default]
    Auto,
    /// The whole covariance: `O(N^3)`, or `O(M^3)` where there are fewer pairs than items.
    Whole,
    /// Features of so many inducing items: `O(N R^2 + M R)`.
    LowRank(usize),
    /// A sparse precision, for items without features: `O(N + M)` where the comparisons allow it.
    Sparse,
}

/// What the choice of a representation depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Compared items.
    pub items: usize,
    /// Distinct pairs that were compared.
    pub pairs: usize,
    /// Whether the items are known by name only: no features, or a kernel that looks at none.
    pub by_name: bool,
    /// Whether the whole covariance is needed: for Laplace, exact inference, and other answers than plain ones about items by name.
    pub needs_whole: bool,
}

/// The representation that was taken, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Never [`Representation::Auto`].
    pub representation: Representation,
    /// Why.
    pub because: Because,
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
/// Features of low rank, where memory allows them and as many are needed.
pub const FEATURES: usize = 512;
/// With fewer than these, too little is left of a kernel.
const FEWEST_FEATURES: usize = 16;
/// Matrices of the size items x items, or features x items, that a fit holds at its peak, with its gradient.
const MATRICES: u64 = 6;
/// Bytes that a comparison takes besides: the answer, its pair, site, update, and its moments.
const A_PAIR: u64 = 400;

/// Bytes that a fit with the whole covariance holds.
fn whole(size: Size) -> u64 {
    let (items, nodes) = (size.items as u64, size.items.min(size.pairs) as u64);
    let covariance = if nodes < items { items * items } else { 0 };
    8 * (MATRICES * nodes * nodes + covariance) + A_PAIR * size.pairs as u64
}

/// Bytes that a fit with so many features holds.
fn low_rank(size: Size, features: usize) -> u64 {
    8 * MATRICES * (size.items * features) as u64 + A_PAIR * size.pairs as u64
}

/// The representation to take for a problem of this size, in `memory` bytes: what was asked for, else the whole covariance if it is
/// quick and fits, else a sparse precision for items by name, else as many features as fit.
///
/// # Errors
/// [`Error::Representation`] for one that does not go with the problem; [`Error::Memory`] if nothing fits.
///
/// # Examples
/// ```
/// use rather::representation::{MEMORY, Representation, Size, decide};
///
/// let size = |items, pairs| Size { items, pairs, by_name: false, needs_whole: false };
/// let taken = |size| decide(Representation::Auto, size, MEMORY).map(|held| held.representation);
/// assert_eq!(taken(size(500, 1_000)), Ok(Representation::Whole));
/// assert_eq!(taken(size(20_000, 1_000_000)), Ok(Representation::LowRank(512)));
/// assert_eq!(taken(Size { by_name: true, ..size(100_000, 1_000_000) }), Ok(Representation::Sparse));
/// ```
pub fn decide(asked: Representation, size: Size, memory: u64) -> Result<Held, Error> {
    let refuse = |what| Err(Error::Representation { what });
    match asked {
        Representation::LowRank(_) | Representation::Sparse if size.needs_whole => {
            return refuse(
                "Laplace, exact inference, and other answers than plain comparisons of items without features need the \
                 whole covariance; leave the representation to be chosen",
            );
        }
        Representation::LowRank(_) if size.by_name => {
            return refuse(
                "items without features have no features of low rank; a sparse precision is for them",
            );
        }
        Representation::Sparse if !size.by_name => {
            return refuse(
                "a sparse precision is for items without features; with features, take features of low rank",
            );
        }
        Representation::LowRank(0) => return refuse("no features are too few; one is the least"),
        Representation::Auto => {}
        representation => return Ok(Held { representation, because: Because::Asked }),
    }
    if size.needs_whole {
        return Ok(Held { representation: Representation::Whole, because: Because::Needed });
    }
    let (nodes, needed) = (size.items.min(size.pairs), whole(size));
    let because = match (nodes > QUICK, needed > memory) {
        (false, false) => return Ok(Held { representation: Representation::Whole, because: Because::Small }),
        (true, false) => Because::Slow { nodes },
        (_, true) => Because::Memory { needed, allowed: memory },
    };
    if size.by_name {
        return Ok(Held { representation: Representation::Sparse, because });
    }
    let pairs = A_PAIR * size.pairs as u64;
    let fit = memory.saturating_sub(pairs) / (8 * MATRICES * size.items as u64).max(1);
    let features = FEATURES.min(usize::try_from(fit).unwrap_or(FEATURES));
    if features < FEWEST_FEATURES.min(size.items) {
        return Err(Error::Memory { needed: low_rank(size, FEWEST_FEATURES), allowed: memory });
    }
    Ok(Held { representation: Representation::LowRank(features), because })
}

impl Held {
    /// By features, of which so many were needed.
    pub(crate) fn with_features(self, features: usize) -> Self {
        Self { representation: Representation::LowRank(features), ..self }
    }
}

/// A number of bytes in words: `1.5 GiB`, `300 MiB`, `600 KiB`.
pub fn bytes(count: u64) -> String {
    match count as f64 / f64::from(1 << 20) {
        mebi if mebi >= 1024.0 => format!("{:.1} GiB", mebi / 1024.0),
        mebi if mebi >= 10.0 => format!("{mebi:.0} MiB"),
        mebi => format!("{:.0} KiB", 1024.0 * mebi),
    }
}

impl std::fmt::Display for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.representation {
            Representation::Auto | Representation::Whole => write!(f, "the whole covariance")?,
            Representation::LowRank(features) => write!(f, "{features} features of inducing items")?,
            Representation::Sparse => write!(f, "a sparse precision")?,
        }
        match self.because {
            Because::Asked => write!(f, ", as asked for"),
            Because::Needed => write!(f, ", which this needs"),
            Because::Small => write!(f, ", which is quick for so few"),
            Because::Slow { nodes } => {
                write!(f, ": the whole covariance of {nodes} nodes would be slow (up to {QUICK} are quick)")
            }
            Because::Memory { needed, allowed } => write!(
                f,
                ": the whole covariance would need {} of the {} allowed",
                bytes(needed),
                bytes(allowed)
            ),
        }
    }
}
