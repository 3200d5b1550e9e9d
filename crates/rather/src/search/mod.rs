//! Where the best next setting is, in a domain of settings ([`maximise`], [`domain`]); the best of the pairs of a finite pool is found by
//! [`crate::acquisition::pool`].

#[doc(hidden)]
pub mod domain;
#[doc(hidden)]
pub mod maximise;
#[doc(hidden)]
pub mod pair;

pub use domain::{Dimension, Domain};
