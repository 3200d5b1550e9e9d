//! A fit followed from outside.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::choice::Tried;

/// How far learning has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Settings of the hyperparameters tried so far.
    pub done: usize,
    /// How many there will be, as a guess from what is usual; at least `done`.
    pub expected: usize,
}

/// Hears how a fit goes, from whichever thread, and may end it.
pub trait Watch: Sync {
    /// A kernel was learned.
    fn tried(&self, _tried: &Tried) {}

    /// One more setting of the hyperparameters was tried.
    fn progress(&self, _progress: Progress) {}

    /// Whether to stop with the best found so far: asked between settings.
    fn stops(&self) -> bool {
        false
    }
}

/// Nobody looks, and it goes on to the end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// Only kernels are heard of.
pub(crate) struct Heard<'a>(pub(crate) &'a (dyn Fn(&Tried) + Sync));

impl Watch for Heard<'_> {
    fn tried(&self, tried: &Tried) {
        (self.0)(tried);
    }
}

/// Counts the settings tried, in units of the cheapest.
pub(crate) struct Steps<'a> {
    watch: &'a dyn Watch,
    done: AtomicUsize,
    expected: usize,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(watch: &'a dyn Watch, expected: usize) -> Self {
        Self { watch, done: AtomicUsize::new(0), expected }
    }

    /// A setting of this cost was tried; whether to try another.
    pub(crate) fn next(&self, cost: usize) -> bool {
        let done = self.done.fetch_add(cost, Ordering::Relaxed) + cost;
        self.watch.progress(Progress { done, expected: self.expected.max(done) });
        !self.stopped()
    }

    pub(crate) fn stopped(&self) -> bool {
        self.watch.stops()
    }

    pub(crate) fn tried(&self, tried: &Tried) {
        self.watch.tried(tried);
    }
}
