//! How the Gaussian prior over items is held: whole, by features of low rank, or by a sparse precision.

use serde::{Deserialize, Serialize};

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
