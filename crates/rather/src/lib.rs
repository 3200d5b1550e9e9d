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
pub mod check;
pub mod context;
pub mod design;
pub mod evaluate;
pub mod exact;
pub mod features;
pub mod kernel;
pub mod learn;
pub mod likelihood;
pub mod many;
pub mod model;
pub mod points;
pub mod posterior;
pub mod streaming;

// What the other crates of the workspace, its tests and its experiments look at besides; no part of the interface.
#[doc(hidden)]
pub mod arena;
#[doc(hidden)]
pub mod belief;
#[doc(hidden)]
pub mod evidence;
#[doc(hidden)]
pub mod explain;
#[doc(hidden)]
pub mod inducing;
#[doc(hidden)]
pub mod inference;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod representation;
#[doc(hidden)]
pub mod search;

mod any_float;
mod bounds;
mod candidate;
mod catalogue;
mod comparisons;
mod error;
mod goodness;
mod half_life;
mod parameter;
mod person;
mod schema;
mod standing;
mod unsupported;

/// Makes the tables that are otherwise made when they are first needed. A process that forks does so first: a child cannot wait for a thread
/// of its parent that is making one.
pub fn prepare() {
    rather_numerics::special::hermite::GaussHermite::standard();
    rather_numerics::sobol::Sobol::new(1);
}

pub use comparisons::Comparison;
pub use error::Error;
#[doc(hidden)]
pub use goodness::Goodness;
pub use person::Person;
#[doc(hidden)]
pub use person::Threshold;
#[doc(no_inline)]
pub use rather_numerics::watch;
pub use standing::Standing;
pub use unsupported::Unsupported;

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
