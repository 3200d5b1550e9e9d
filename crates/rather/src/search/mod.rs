//! Where the best next setting is, in a domain of settings ([`maximise`], [`domain`]); the best of the pairs of a finite pool is found by
//! [`crate::acquisition::pool`].

pub mod domain;
pub mod duel;
pub mod maximise;

pub use domain::{Dimension, Domain};
