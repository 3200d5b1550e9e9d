//! Work that must be done by a certain time. Without threads and a clock, as in a browser, it takes the time it takes.

#[cfg(not(target_family = "wasm"))]
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(not(target_family = "wasm"))]
use std::sync::Arc;
#[cfg(not(target_family = "wasm"))]
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(not(target_family = "wasm"))]
use std::sync::mpsc::sync_channel;
#[cfg(not(target_family = "wasm"))]
use std::thread;
use std::time::Duration;
#[cfg(not(target_family = "wasm"))]
use std::time::Instant;

/// A point in time after which a search takes the best it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(#[cfg(not(target_family = "wasm"))] Instant);

/// The share of the time after which a search is asked to stop: it needs a moment to do so.
#[cfg(not(target_family = "wasm"))]
const SEARCH_SHARE: f64 = 0.75;

impl Deadline {
    /// Whether it has passed.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn passed(&self) -> bool {
        Instant::now() >= self.0
    }

    /// Never.
    #[cfg(target_family = "wasm")]
    pub(crate) fn passed(&self) -> bool {
        false
    }
}

/// How long something takes; nothing where there is no clock.
pub(crate) struct Clock(#[cfg(not(target_family = "wasm"))] Instant);

impl Clock {
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    #[cfg(target_family = "wasm")]
    pub(crate) fn start() -> Self {
        Self()
    }

    #[cfg(target_family = "wasm")]
    pub(crate) fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// What `work` finds.
#[cfg(target_family = "wasm")]
pub(crate) fn within<T>(_limit: Duration, work: impl FnOnce(Deadline) -> T) -> Option<T> {
    Some(work(Deadline()))
}

/// What `work` finds within `limit`, or `None`. Work that runs over goes on by itself, unheard, until it asks its deadline; while there is much of
/// that, no more is begun.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce(Deadline) -> T + Send + 'static,
) -> Option<T> {
    static LATE: Late = Late::new(16);
    LATE.within(limit, work)
}

/// Work that runs over its time.
#[cfg(not(target_family = "wasm"))]
struct Late {
    /// How much there is.
    now: AtomicUsize,
    /// So much, and no more is begun.
    most: usize,
}

/// Whether work is done, and whether anybody waits for it still.
#[cfg(not(target_family = "wasm"))]
#[derive(Default)]
struct Ends {
    over: AtomicBool,
}

#[cfg(not(target_family = "wasm"))]
impl Ends {
    /// Work has ended, or the one who waited has gone: whether the other had before.
    fn end(&self) -> bool {
        self.over.swap(true, Ordering::SeqCst)
    }
}

#[cfg(not(target_family = "wasm"))]
impl Late {
    const fn new(most: usize) -> Self {
        Self { now: AtomicUsize::new(0), most }
    }

    fn within<T: Send + 'static>(
        &'static self,
        limit: Duration,
        work: impl FnOnce(Deadline) -> T + Send + 'static,
    ) -> Option<T> {
        if self.now.load(Ordering::SeqCst) >= self.most {
            return None;
        }
        let deadline = Deadline(Instant::now() + limit.mul_f64(SEARCH_SHARE));
        let (sender, receiver) = sync_channel(1);
        let ends = Arc::new(Ends::default());
        let own = Arc::clone(&ends);
        let started = thread::Builder::new().name("rather-study".into()).spawn(move || {
            let found = catch_unwind(AssertUnwindSafe(|| work(deadline)));
            if own.end() {
                self.now.fetch_sub(1, Ordering::SeqCst);
            }
            // Nobody listens any more if it is late.
            let _ = sender.send(found);
        });
        started.ok()?;
        match receiver.recv_timeout(limit) {
            Ok(Ok(found)) => Some(found),
            // The work panicked: so does whoever wanted it, with the same message.
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => {
                self.now.fetch_add(1, Ordering::SeqCst);
                if ends.end() {
                    // It ended at this moment.
                    self.now.fetch_sub(1, Ordering::SeqCst);
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_heard_if_it_is_in_time() {
        assert_eq!(within(Duration::from_secs(600), |_| 3), Some(3));
        let late = within(Duration::from_millis(10), |deadline| {
            while !deadline.passed() {}
            thread::sleep(Duration::from_secs(2));
        });
        assert_eq!(late, None);
    }

    #[test]
    fn of_work_that_is_late_there_is_a_bound() {
        static LATE: Late = Late::new(2);
        let (release, held) = std::sync::mpsc::channel::<()>();
        let held = Arc::new(std::sync::Mutex::new(held));
        for _ in 0..2 {
            let held = Arc::clone(&held);
            let late = LATE.within(Duration::from_millis(1), move |_| held.lock().unwrap().recv());
            assert!(late.is_none());
        }
        assert_eq!(LATE.within(Duration::from_secs(600), |_| 3), None);
        release.send(()).unwrap();
        release.send(()).unwrap();
        while LATE.now.load(Ordering::SeqCst) > 0 {
            thread::yield_now();
        }
        assert_eq!(LATE.within(Duration::from_secs(600), |_| 3), Some(3));
    }

    #[test]
    #[should_panic(expected = "a bug")]
    fn a_panic_is_passed_on() {
        within(Duration::from_secs(600), |_| panic!("a bug"));
    }
}
