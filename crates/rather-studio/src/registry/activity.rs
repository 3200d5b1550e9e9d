//! How much is going on: what can wait waits until nobody does, and ends when the studio does.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Counts the requests that somebody waits for, and knows the threads that have the file open.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    waiting: Arc<AtomicUsize>,
    /// Requests so far.
    begun: Arc<AtomicUsize>,
    ending: Arc<AtomicBool>,
    threads: Arc<Mutex<Vec<Thread>>>,
}

/// A thread that has the file open.
struct Thread {
    handle: JoinHandle<()>,
    /// Makes it look whether it must end.
    wake: Box<dyn Fn() + Send>,
}

impl std::fmt::Debug for Thread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.handle.fmt(f)
    }
}

/// A request that is counted until this is dropped.
#[derive(Debug)]
pub struct Counted(Arc<AtomicUsize>);

/// For how many is chosen at a time.
fn at_once() -> usize {
    static FOUND: LazyLock<usize> = LazyLock::new(|| {
        std::thread::available_parallelism().map_or(1, |processors| processors.get().div_ceil(2))
    });
    *FOUND
}

/// Of a limit of time, however many wait.
const LEAST_SHARE: f64 = 0.2;

impl Activity {
    /// Counts one more.
    pub fn begin(&self) -> Counted {
        self.begun.fetch_add(1, Ordering::SeqCst);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        Counted(Arc::clone(&self.waiting))
    }

    /// Whether nobody waits.
    pub fn is_idle(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) == 0
    }

    /// Waits for so long; whether nobody has come meanwhile, and nobody waits.
    pub(super) fn rests(&self, time: Duration) -> bool {
        let before = self.begun.load(Ordering::SeqCst);
        std::thread::sleep(time);
        self.is_idle() && self.begun.load(Ordering::SeqCst) == before
    }

    /// What each of those who wait may take of `limit`, where they are more than half of the processors can work for at once, or more than one; a fifth of it at the
    /// least. The other half is for pages, media and the disk.
    pub fn share(&self, limit: Duration) -> Duration {
        let at_once = at_once();
        let waiting = self.waiting.load(Ordering::SeqCst).max(at_once);
        limit.mul_f64((at_once as f64 / waiting as f64).max(LEAST_SHARE))
    }

    /// Whether the studio ends: a thread closes its file and is done.
    pub(super) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    /// Adds a thread that has the file open; `wake` makes it ask whether the studio ends.
    pub(super) fn add(&self, handle: JoinHandle<()>, wake: impl Fn() + Send + 'static) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|thread| !thread.handle.is_finished());
        threads.push(Thread { handle, wake: Box::new(wake) });
    }

    /// Ends all threads, after what they were given to do.
    pub(super) fn end(&self) {
        self.ending.store(true, Ordering::SeqCst);
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in &threads {
            (thread.wake)();
        }
        for thread in threads {
            // One that panicked has closed its file, too.
            let _ = thread.handle.join();
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_wait_share_the_time() {
        let activity = Activity::default();
        let limit = Duration::from_millis(100);
        assert_eq!(activity.share(limit), limit);
        let at_once = at_once();
        let waiting: Vec<Counted> = (0..2 * at_once).map(|_| activity.begin()).collect();
        assert_eq!(activity.share(limit), limit / 2);
        let more: Vec<Counted> = (0..100 * at_once).map(|_| activity.begin()).collect();
        assert_eq!(activity.share(limit), limit / 5);
        assert!(!activity.rests(Duration::ZERO));
        drop((waiting, more));
        assert_eq!(activity.share(limit), limit);
        assert!(activity.rests(Duration::ZERO));
    }
}
