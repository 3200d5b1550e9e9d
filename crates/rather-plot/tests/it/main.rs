//! Tests of the figures.

mod degenerate;
mod gallery;
mod models;
mod recursive;
mod snapshots;
