//! A fit that takes long: how far it is, and Ctrl-C.

use crate::progress::Progress;
use crate::table::counted;
use rather::learn::choice::Tried;
use rather::learn::{Progress as Steps, Watch};
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The exit status of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Shows how far learning is, and ends it at the first Ctrl-C; the second ends the program.
pub(crate) struct Follow {
    progress: Progress,
    since: Instant,
    kernels: AtomicUsize,
    stop: Arc<AtomicBool>,
}

impl Follow {
    /// From now on Ctrl-C ends learning, not the program.
    pub(crate) fn start(shown: bool) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        // In this order: the first Ctrl-C finds the flag down and raises it, the second finds it up and ends the program. Where
        // signals cannot be caught, Ctrl-C ends it at once.
        let _ = flag::register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(&stop));
        let _ = flag::register(SIGINT, Arc::clone(&stop));
        let progress = Progress::start("learning", 0, shown);
        progress.message("first kernel".to_owned());
        Self { progress, since: Instant::now(), kernels: AtomicUsize::new(0), stop }
    }
}

impl Watch for Follow {
    fn tried(&self, _: &Tried) {
        self.kernels.fetch_add(1, Ordering::Relaxed);
    }

    fn progress(&self, steps: Steps) {
        let kernels = self.kernels.load(Ordering::Relaxed) as u64;
        let tried =
            if kernels > 0 { counted(kernels, "kernel") + " tried" } else { "first kernel".to_owned() };
        let message = match left(self.since.elapsed(), steps) {
            _ if self.stops() => "stopping with the best so far; Ctrl-C again to give up".to_owned(),
            Some(seconds) => format!("{tried}, about {seconds} s left (Ctrl-C keeps the best so far)"),
            None => tried,
        };
        self.progress.message(message);
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Seconds that are probably left, once there is something to judge by.
fn left(elapsed: Duration, steps: Steps) -> Option<u64> {
    let Steps { done, expected } = steps;
    let enough = done >= 3 && elapsed >= Duration::from_secs(2) && expected > done;
    enough.then(|| (elapsed.as_secs_f64() / done as f64 * (expected - done) as f64).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_in_proportion() {
        let steps = |done, expected| Steps { done, expected };
        assert_eq!(left(Duration::from_secs(10), steps(10, 40)), Some(30));
        assert_eq!(left(Duration::from_secs(1), steps(10, 40)), None); // too early
        assert_eq!(left(Duration::from_secs(10), steps(40, 40)), None); // more than were expected
    }
}
