//! Tests of the factor graphs, in one binary: it is linked once.

mod common;
mod models;
mod rules;
mod streaming;
