//! Acquisition functions: how much a comparison is worth before its answer is known.
//!
//! One function a file. Most are functions of the mean and the variance of the difference of the two items
//! ([`Contrast`]) and of what may be answered ([`AnswerModel`]), with derivatives, so that over continuous features they are climbed ([`crate::search`]); the others are
//! averages over joint draws of the utilities of some candidates.
//!
//! [`ACQUISITIONS`] is the table of them: each says its name, what its value means, what it is for and whether it needs an opponent. One's
//! own is used in the same way ([`AcquisitionFunction`], `examples/own_acquisition.rs`). The next comparison of a pool is chosen by
//! [`suggest()`], for whoever asks.
//!
//! To learn utilities everywhere take `bald` over all pairs. To find the best item set a challenger against the winner of
//! the last duel, by `bald`, or by `bald-improvement` where answers have little noise ([`crate::design`]).

#[doc(hidden)]
pub mod absolute;
#[doc(hidden)]
pub mod bald;
#[doc(hidden)]
pub mod bald_improvement;
#[doc(hidden)]
pub mod believer;
#[doc(hidden)]
pub mod best;
#[doc(hidden)]
pub mod committee;
mod component;
mod contrast;
#[doc(hidden)]
pub mod entropy;
#[doc(hidden)]
pub mod eubo;
mod function;
#[doc(hidden)]
pub mod improvement;
#[doc(hidden)]
pub mod ivm;
#[doc(hidden)]
pub mod knowledge_gradient;
#[doc(hidden)]
pub mod max_value;
mod name;
#[doc(hidden)]
pub mod order;
#[doc(hidden)]
pub mod pool;
mod prepared;
#[doc(hidden)]
pub mod qeubo;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod regret;
#[doc(hidden)]
pub mod sets;
mod suggest;
#[doc(hidden)]
pub mod thompson;
#[doc(hidden)]
pub mod ucb;
#[doc(hidden)]
pub mod uncertain;

pub use bald::Bald;
#[doc(hidden)]
pub use component::{Component, PairBelief};
pub use contrast::{Contrast, Score};
#[doc(hidden)]
pub use function::PairScore;
pub use function::{AcquisitionFunction, Candidates, Goal, Setting};
pub use name::Acquisition;
pub use pool::Pairs;
#[doc(hidden)]
pub use prepared::Prepared;
#[doc(hidden)]
pub use suggest::MOST_ITEMS;
#[doc(hidden)]
pub use suggest::Utilities;
pub use suggest::{PoolUtilities, Request, scores, suggest};

#[doc(inline)]
pub use crate::likelihood::AnswerModel;
#[doc(hidden)]
pub use crate::likelihood::{Average, Averages};

/// The acquisition functions that can be named. A new one is a file beside this and a line here (with its `mod`): names, help texts, lists and
/// tests follow.
pub static ACQUISITIONS: &[&dyn AcquisitionFunction] = &[
    &bald::Bald,
    &bald::BaldQuadrature,
    &entropy::AnswerEntropy,
    &order::OrderVariance,
    &committee::QueryByCommittee,
    &ivm::InformativeVectorMachine,
    &random::RandomPair,
    &ucb::UpperConfidenceBound,
    &improvement::ExpectedImprovement,
    &bald_improvement::BaldImprovement,
    &absolute::AbsoluteUpperBound,
    &absolute::AbsoluteImprovement,
    &knowledge_gradient::KnowledgeGradient,
    &max_value::MaxValueEntropy,
    &eubo::ExpectedUtilityOfBest,
    &qeubo::SampledUtilityOfBest,
    &thompson::DuelingThompson,
    &uncertain::VarianceOfProbability,
    &believer::HallucinationBeliever,
    &best::ProbabilityBest,
];
