//! Work that must be done by a certain time. Without threads and a clock, as in a browser, it takes the time it takes.

#[cfg(not(target_family = "wasm"))]
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
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

/// What `work` finds.
#[cfg(target_family = "wasm")]
pub(crate) fn within<T>(_limit: Duration, work: impl FnOnce(Deadline) -> T) -> Option<T> {
    Some(work(Deadline()))
}

/// What `work` finds within `limit`, or `None`. Work that runs over goes on by itself, unheard, until it asks its deadline.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce(Deadline) -> T + Send + 'static,
) -> Option<T> {
    let deadline = Deadline(Instant::now() + limit.mul_f64(SEARCH_SHARE));
    let (sender, receiver) = sync_channel(1);
    let started = thread::Builder::new().name("rather-study".into()).spawn(move || {
        // Nobody listens any more if it is late.
        let _ = sender.send(work(deadline));
    });
    let worker = started.ok()?;
    match receiver.recv_timeout(limit) {
        Ok(found) => Some(found),
        Err(RecvTimeoutError::Timeout) => None,
        // The work panicked: so does whoever wanted it, with the same message.
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => None,
        },
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
}
