//! Failing disks, ended processes and lost power at every write, as SQLite tests itself: a small library (`faults.c`, compiled here
//! with `cc`) is loaded into the real program and lets its n-th operation on a file fail.
//!
//! A run injects 1,000 of the faults, spread evenly over all writes; `RATHER_FAULTS=all cargo test -p rather-cli --test faults` injects every
//! one.
#![cfg(target_os = "linux")]

mod hands;
mod layer;
mod power;
mod studio;
mod writes;

/// How many faults of a kind of test are injected, out of `all`.
fn how_many(all: usize, usual: usize) -> usize {
    match std::env::var("RATHER_FAULTS").ok().as_deref() {
        Some("all") => all,
        Some(text) => text.parse().expect("RATHER_FAULTS is a number or \"all\""),
        None => usual,
    }
    .min(all)
}
