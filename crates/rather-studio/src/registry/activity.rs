//! How much is going on: what can wait waits until nobody does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the requests that somebody waits for.
#[derive(Debug, Clone, Default)]
pub struct Activity(Arc<AtomicUsize>);

/// A request that is counted until this is dropped.
#[derive(Debug)]
pub struct Counted(Arc<AtomicUsize>);

impl Activity {
    /// Counts one more.
    pub fn begin(&self) -> Counted {
        self.0.fetch_add(1, Ordering::SeqCst);
        Counted(Arc::clone(&self.0))
    }

    /// Whether nobody waits.
    pub fn is_idle(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
