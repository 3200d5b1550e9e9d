//! A leaderboard from votes: how surely each item stands where it does, and whether the votes can be trusted.
//!
//! A [`Cast`] is the votes that a model was learned from, seen through it: what each says about the difference of two utilities, and how probable it was.
//! [`Board`] is the ranking; what it rests on is for [`Connection`], [`Voters`], [`Judge`], [`Drift`] and [`Model::goodness`](crate::model::Model::goodness)
//! to say.

mod board;
mod cast;
mod clusters;
mod drift;
mod graph;
mod judges;
mod next;
mod past;
mod settings;
mod voters;

pub use board::{Board, Place};
pub use cast::{Cast, Cell};
pub use clusters::{Belief, belief, plain_belief};
pub use drift::{Drift, drift};
pub use graph::{Connection, connection};
pub use judges::{Judge, judges};
pub use next::{chances, votes_to_separate};
pub use past::Past;
pub use settings::{kernel, settings};
pub use voters::{Suspicion, Voters, voters};
