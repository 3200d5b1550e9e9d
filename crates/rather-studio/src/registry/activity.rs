//! How much is going on: what can wait waits until nobody does, and ends when the studio does.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Counts the requests that somebody waits for, and knows the threads that have the file open.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    waiting: Arc<AtomicUsize>,
    /// Requests so far.
    begun: Arc<AtomicUsize>,
    recent: Arc<Mutex<Recent>>,
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

/// How many came lately: each counts one, and less the longer ago it was.
#[derive(Debug, Clone, Copy, Default)]
struct Recent {
    number: f64,
    last: Option<Instant>,
}

impl Recent {
    /// How many came within about `MEMORY`, at `now`.
    fn at(&self, now: Instant) -> f64 {
        let age = self.last.map_or(Duration::ZERO, |last| now.saturating_duration_since(last));
        self.number * (-age.as_secs_f64() / MEMORY.as_secs_f64()).exp()
    }

    fn add(&mut self, now: Instant) {
        *self = Self { number: self.at(now) + 1.0, last: Some(now) };
    }
}

/// For how long it is known that somebody came.
const MEMORY: Duration = Duration::from_millis(250);
/// What choosing a question takes, about, where nobody else comes.
const CHOOSING: Duration = Duration::from_millis(50);

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
        self.recent().add(Instant::now());
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
    /// least. The other half is for pages, media and the disk. As many count as waiting as come while a question is chosen, going by how many came lately: where
    /// that is more than are served, they would wait soon.
    pub fn share(&self, limit: Duration) -> Duration {
        let at_once = at_once() as f64;
        let waiting = self.waiting.load(Ordering::SeqCst) as f64;
        let coming = self.recent().at(Instant::now()) * CHOOSING.as_secs_f64() / MEMORY.as_secs_f64();
        limit.mul_f64((at_once / waiting.max(coming).max(at_once)).max(LEAST_SHARE))
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
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
        assert_eq!(activity.share(limit), limit / 2, "a fifth as many came lately, which is fewer");
        let more: Vec<Counted> = (0..100 * at_once).map(|_| activity.begin()).collect();
        assert_eq!(activity.share(limit), limit / 5);
        assert!(!activity.rests(Duration::ZERO));
        drop((waiting, more));
        assert_eq!(activity.share(limit), limit / 5, "a hundred came just now");
        *activity.recent() = Recent::default();
        assert_eq!(activity.share(limit), limit);
        assert!(activity.rests(Duration::ZERO));
    }

    #[test]
    fn who_came_is_forgotten() {
        let start = Instant::now();
        let mut recent = Recent::default();
        assert_eq!(recent.at(start), 0.0);
        recent.add(start);
        recent.add(start);
        assert_eq!(recent.at(start), 2.0);
        assert!((recent.at(start + MEMORY) - 2.0 / std::f64::consts::E).abs() < 1e-12);
        // Forty a second, for long: as many as come within the memory.
        let steady = (0..400).fold(Recent::default(), |mut recent, i| {
            recent.add(start + Duration::from_millis(25 * i));
            recent
        });
        assert!((9.0..12.0).contains(&steady.number), "{steady:?}");
    }
}
