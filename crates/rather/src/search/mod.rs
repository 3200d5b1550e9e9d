//! Where the best next comparison is: among the pairs of a finite pool ([`pool`]), or in a domain of settings
//! ([`maximise`], [`domain`]).

pub mod domain;
pub mod duel;
pub mod maximise;

pub use domain::{Dimension, Domain};
