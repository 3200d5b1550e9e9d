//! Forney-style factor graphs with Gaussian messages.
//!
//! A [`Graph`] is built from nodes and edges and checked as it grows; a [`Schedule`] says in which order nodes send; a
//! [`Messages`] holds what has been sent. Messages are Gaussian, in moment or information form ([`Message`]), and may be
//! singular: known exactly, or nothing said.
//!
//! | node | factor | file |
//! |---|---|---|
//! | [`Equality`] | $X=Y=Z$ | `equality.rs` |
//! | [`Addition`] | $Z=X+Y$ | `addition.rs` |
//! | [`Multiplication`] | $Y=AX$ | `multiplication.rs` |
//! | [`EqualityMultiplication`] | $X=Z$, $Y=AX$ | `equality_multiplication.rs` |
//! | [`AdditionMultiplication`] | $Z=X+AY$ | `addition_multiplication.rs` |
//! | [`Prior`], [`Constant`], [`Open`] | a Gaussian, a value, nothing | `prior.rs`, `constant.rs`, `open.rs` |
//! | [`Response`] | an answer: any [`Likelihood`](rather::likelihood::Likelihood) | `response.rs` |
//! | [`Composite`] | a graph in a box | `composite/` |
//!
//! On top of them stand the Kalman filter and smoother ([`LinearGaussian`]) and recursive Gaussian processes
//! ([`RecursiveGp`]): regression, classification and preference learning on a basis of fixed size, one datum at a time.
//! [`rather::streaming`] computes the same in closed form, fast.
//!
//! # References
//! Forney, *Codes on graphs: normal realizations* (2001); Loeliger, *An introduction to factor graphs* (2004), IEEE Signal
//! Processing Magazine; Schoonderbeek, *A factor graph approach to Gaussian process preference learning* (2014).

mod addition;
mod addition_multiplication;
mod algebra;
mod composite;
mod constant;
mod equality;
mod equality_multiplication;
mod error;
mod kalman;
mod message;
mod multiplication;
mod node;
mod open;
mod prior;
mod recursive;
mod response;
mod schedule;
mod state;
mod structure;

pub use addition::Addition;
pub use addition_multiplication::AdditionMultiplication;
pub use composite::{ArgMax, Composite, Scores, experiment_design, gp_prediction, kalman_section};
pub use constant::Constant;
pub use equality::Equality;
pub use equality_multiplication::EqualityMultiplication;
pub use error::{GraphError, Problem};
pub use kalman::LinearGaussian;
pub use message::{Information, Message, Moment};
pub use multiplication::Multiplication;
pub use node::Node;
pub use open::Open;
pub use prior::Prior;
pub use recursive::RecursiveGp;
pub use response::{Approximation, Response};
pub use schedule::{Schedule, Settled, Step};
pub use state::Messages;
pub use structure::{EdgeId, Graph, NodeId};
