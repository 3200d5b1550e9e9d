//! Experiment design: which two items to compare next, and which to recommend.
//!
//! One policy for studies, the program and experiments. Everything here is a pure function of the history, the settings
//! and a seed: no clock, no state. The steps of one round:
//!
//! ```text
//! trials so far -> fit | fit_streaming -> posterior -> next_in_pool | next_in_domain -> the next comparison
//!                                    '--> recommend_in_pool | recommend_in_domain -> the best item so far
//! ```
//!
//! A question may also be about a set of items of a pool, of which the best is told, or the best and the worst: [`Trial::set`].
//!
//! Utilities are measured in units of the duel noise: the noise of a difference has standard deviation 1.

mod answer;
mod candidates;
mod domain;
mod fit;
mod fit_streaming;
mod importance;
mod kept;
mod others;
mod policy;
mod pool;
mod prior;
mod recommend;
mod sets;
#[doc(hidden)]
pub mod stop;
mod thresholds;
mod trial;

pub use crate::search::{Dimension, Domain};
pub use answer::Outcome;
#[doc(hidden)]
pub use answer::observations;
pub use candidates::{BestOdds, best_in_pool};
pub use domain::next_in_domain;
pub use fit::fit;
#[doc(hidden)]
pub use fit::{fit_hastily, fit_keeping};
#[doc(hidden)]
pub use fit_streaming::fit_streaming_keeping;
pub use fit_streaming::{Inference, fit_streaming};
#[doc(hidden)]
pub use kept::Kept;
pub use others::Expected;
#[doc(hidden)]
pub use others::{FEWEST_OTHERS, fit_with_others};
pub use policy::{Opponent, Policy};
pub use pool::{Pool, next_in_pool};
pub use prior::{Column, Family, Prior};
pub use recommend::{Among, recommend_in_domain, recommend_in_pool, regret_in_domain, regret_in_pool};
#[doc(hidden)]
pub use recommend::{least_regret_in_domain, least_regret_in_pool};
#[doc(hidden)]
pub use sets::{check_set_in_pool, next_set_in_pool};
pub use thresholds::Thresholds;
pub use trial::Trial;

use crate::belief::Belief;

/// The duels of a history, in their order, and how fast they are forgotten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct History<'a> {
    /// The duels, the newest last.
    pub trials: &'a [Trial],
    /// The number of answers after which an answer counts half ([`FitSettings::half_life`](crate::model::FitSettings::half_life)); `None` if
    /// all count the same.
    pub half_life: Option<f64>,
}

impl<'a, T: AsRef<[Trial]> + ?Sized> From<&'a T> for History<'a> {
    /// Nothing is forgotten.
    fn from(trials: &'a T) -> Self {
        Self { trials: trials.as_ref(), half_life: None }
    }
}

/// What the choice of the next duel depends on.
pub struct Request<'a> {
    /// What is believed after the answers so far ([`fit`], [`fit_streaming`]).
    pub posterior: &'a Belief,
    /// All comparisons that were asked, in their order, skipped and open ones too.
    pub trials: &'a [Trial],
    /// How to choose.
    pub policy: &'a Policy,
    /// Seed of everything random.
    pub seed: u64,
    /// Asked now and then; once it says `true` the best duel found so far is taken. The library has no clock: a deadline
    /// is the caller's.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// Never stops a search early: for [`Request::stop`].
pub fn never() -> bool {
    false
}

/// The duel to ask next: two different items of a pool by number, or two settings of a domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proposal<T> {
    /// The item to show on the left.
    pub left: T,
    /// The item to show on the right.
    pub right: T,
    /// Its value by the policy's acquisition function; `None` for the first comparisons, which only fill space.
    pub score: Option<f64>,
}
