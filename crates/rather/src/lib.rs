//! Preference learning with Gaussian processes.
//!
//! A Gaussian prior over utilities is multiplied by one-dimensional factors on linear projections of
//! them: a comparison "A rather than B" is a probit factor on `f(A) - f(B)`. Data flows one way:
//!
//! ```text
//! columns -> features, comparisons -> kernel -> prior x likelihood -> inference -> posterior -> prediction
//!                                       ^--------- evidence and its gradient --------'
//! ```

pub mod acquisition;
pub mod answers;
mod any_float;
pub mod belief;
mod bounds;
mod candidate;
pub mod check;
mod comparisons;
pub mod design;
mod error;
pub mod evaluate;
pub mod evidence;
pub mod exact;
pub mod features;
pub mod inducing;
pub mod inference;
pub mod kernel;
pub mod lbfgs;
pub mod learn;
pub mod likelihood;
pub mod linalg;
pub mod many;
pub mod memory;
pub mod model;
pub mod parallel;
mod parameter;
pub mod points;
pub mod posterior;
pub mod random;
pub mod representation;
mod schema;
pub mod search;
pub mod sobol;
pub mod special;
pub mod streaming;
pub mod watch;

/// Makes the tables that are otherwise made when they are first needed. A process that forks does so first: a child cannot wait for a thread
/// of its parent that is making one.
pub fn prepare() {
    special::hermite::GaussHermite::standard();
    sobol::Sobol::new(1);
}

pub use comparisons::Comparison;
pub use error::Error;

/// The README's program is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// So are the book's.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/guide/rust.md")]
struct Book;

/// And CONTRIBUTING's likelihood.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
