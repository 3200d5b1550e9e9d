//! Every reader of `rather` as a function of bytes, and inputs for it: a small corpus, and mutations of it.
//!
//! An input is good or is refused with an error; a panic, an abort, a prediction that is not a number, or memory without
//! bounds is a bug. The same functions serve `cargo test`, the program (`cargo run --release -p rather-fuzz`) and
//! [cargo-fuzz](https://rust-fuzz.github.io/book/) (in `cargo-fuzz/`, with nightly).

pub mod corpus;
pub mod mutate;
pub mod sealed;
pub mod targets;

pub use targets::{TARGETS, Target};

/// The target called `name`.
///
/// # Panics
/// If there is none.
pub fn target(name: &str) -> &'static Target {
    let found = TARGETS.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("there is no target {name}"))
}
