//! Acquisition functions: how much a comparison is worth before its answer is known.
//!
//! One function a file. Most are closed forms in the mean and the variance of the difference of the two items
//! ([`Contrast`]), with derivatives, so that over continuous features they are climbed ([`crate::search`]); the others are
//! averages over joint draws of the utilities of some candidates.
//!
//! | name | file | the comparison's value | needs an opponent |
//! |---|---|---|---|
//! | `bald`, `bald-quadrature` | `bald.rs` | information about the utilities, in bits | |
//! | `entropy` | `entropy.rs` | entropy of the answer, in bits | |
//! | `committee:10` | `committee.rs` | disagreement of so many draws, in bits | |
//! | `ivm` | `ivm.rs` | expected fall of the difference's entropy, in bits | |
//! | `uncertain` | `uncertain.rs` | variance of the probability of the answer | |
//! | `random` | `random.rs` | none: any pair is as good as any other | |
//! | `eubo`, `qeubo:2` | `eubo.rs`, `qeubo.rs` | expected utility of the best one | |
//! | `thompson` | `thompson.rs` | both are the best of a draw | |
//! | `best` | `best.rs` | probability of being the best | |
//! | `ucb:2` | `ucb.rs` | mean plus so many standard deviations, of the difference | yes |
//! | `improvement` | `improvement.rs` | expected improvement on the opponent | yes |
//! | `believer` | `believer.rs` | the same after a hallucinated draw | yes |
//! | `absolute-ucb:1`, `absolute-improvement` | `absolute.rs` | as printed in a thesis; they fail | yes |
//!
//! To learn utilities everywhere take `bald` over all pairs. To find the best item set a challenger against the winner of
//! the last duel, by `bald` or `ucb:2` ([`crate::design`]).

pub mod absolute;
pub mod bald;
pub mod batch;
pub mod believer;
pub mod best;
pub mod committee;
mod contrast;
pub mod entropy;
pub mod eubo;
pub mod improvement;
pub mod ivm;
mod name;
pub mod pool;
mod prepared;
pub mod qeubo;
pub mod random;
pub mod regret;
pub mod thompson;
pub mod ucb;
pub mod uncertain;

pub use contrast::{Contrast, Score};
pub use prepared::Prepared;

use serde::{Deserialize, Serialize};

/// An acquisition function with its settings. It is written by its name ([`std::str::FromStr`]), a setting behind a colon.
///
/// # Examples
/// ```
/// use rather::acquisition::Acquisition;
///
/// assert_eq!("ucb".parse(), Ok(Acquisition::Ucb { kappa: 2.0 }));
/// assert_eq!(Acquisition::Committee { members: 100 }.to_string(), "committee:100");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Acquisition {
    /// `bald`: information about the utilities in the answer, in closed form ([`bald::score`]).
    Bald,
    /// `bald-quadrature`: the same by quadrature ([`bald::quadrature`]).
    BaldQuadrature,
    /// `entropy`: entropy of the answer ([`entropy`]).
    Entropy,
    /// `committee:10`: disagreement among draws of the utilities ([`committee`]).
    Committee {
        /// Number of draws.
        members: usize,
    },
    /// `ivm`: expected fall of the difference's differential entropy ([`ivm::score`]).
    Ivm,
    /// `random`: any pair is as good as any other ([`random`]).
    Random,
    /// `ucb:2`: mean plus `kappa` standard deviations of the difference to the opponent ([`ucb`]).
    Ucb {
        /// Number of standard deviations.
        kappa: f64,
    },
    /// `improvement`: expected improvement on the opponent ([`improvement`]).
    Improvement,
    /// `absolute-ucb:1`: mean plus `alpha` variances of the challenger's own utility ([`absolute::upper_bound`]).
    AbsoluteUcb {
        /// Weight of the variance.
        alpha: f64,
    },
    /// `absolute-improvement`: with the standard deviation of the challenger's own utility
    /// ([`absolute::expected_improvement`]).
    AbsoluteImprovement,
    /// `eubo`: expected utility of the better of the two ([`eubo`]).
    Eubo,
    /// `qeubo:2`: expected utility of the best of a choice among so many, by quasi-Monte Carlo ([`qeubo`]).
    Qeubo {
        /// Number of items to choose among.
        q: usize,
    },
    /// `thompson`: each side is the best item of a draw of the utilities ([`thompson`]).
    Thompson,
    /// `uncertain`: variance of the probability that the challenger is preferred ([`uncertain`]).
    Uncertain,
    /// `believer`: expected improvement after conditioning on a draw of the noisy differences ([`believer`]).
    Believer,
    /// `best`: probability of being the best item ([`best`]).
    Best,
}

impl Acquisition {
    /// The value of a comparison in closed form, with derivatives; `None` for those that need joint draws.
    ///
    /// `s` is the standard deviation of the noise of the difference. [`Acquisition::AbsoluteUcb`] and
    /// [`Acquisition::AbsoluteImprovement`] take the variance of the challenger's own utility in `contrast`;
    /// [`Acquisition::Believer`] takes a contrast under its own posterior ([`believer::posterior`]).
    pub fn score(&self, contrast: &Contrast, s: f64) -> Option<Score> {
        Some(match *self {
            Self::Bald => bald::score(contrast, s),
            Self::BaldQuadrature => bald::quadrature(contrast, s),
            Self::Entropy => entropy::score(contrast, s),
            Self::Ivm => ivm::score(contrast, s),
            Self::Ucb { kappa } => ucb::score(contrast, kappa),
            Self::Improvement | Self::Believer => improvement::score(contrast),
            Self::AbsoluteUcb { alpha } => absolute::upper_bound(contrast, alpha),
            Self::AbsoluteImprovement => absolute::expected_improvement(contrast),
            Self::Eubo => eubo::score(contrast),
            Self::Uncertain => uncertain::score(contrast, s),
            Self::Committee { .. } | Self::Random | Self::Qeubo { .. } | Self::Thompson | Self::Best => {
                return None;
            }
        })
    }

    /// Whether it has a closed form ([`Acquisition::score`]).
    pub fn is_closed_form(&self) -> bool {
        self.score(&Contrast { mean: 0.0, variance: 1.0, base: 0.0 }, 1.0).is_some()
    }

    /// Whether it looks at the variance of the challenger's own utility instead of the difference's.
    pub fn is_absolute(&self) -> bool {
        matches!(self, Self::AbsoluteUcb { .. } | Self::AbsoluteImprovement)
    }

    /// Whether it scores a challenger of a given opponent, so that over all pairs it means nothing.
    pub fn needs_opponent(&self) -> bool {
        self.is_absolute() || matches!(self, Self::Ucb { .. } | Self::Improvement | Self::Believer)
    }
}
