//! How far the program is, on standard error, while it works longer than a second.

use crate::table::counted;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rather::watch::{Progress as Steps, Watch};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// A line that tells what the library does now, how far it is, and how long it will still take. It goes away when dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    shower: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Shows how far the call is that `watch` is of, if it takes long and standard error is a terminal.
    pub(crate) fn of(watch: Watch) -> Self {
        let bar = ProgressBar::no_length();
        bar.set_draw_target(ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        let (stop, stopped) = channel::<()>();
        let shown = bar.clone();
        let show = move || {
            let mut seen = Seen::new(watch);
            let mut wait = PATIENCE;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let line = seen.line();
                if !line.is_empty() {
                    if shown.is_hidden() {
                        // Draws nothing unless standard error is a terminal.
                        shown.set_draw_target(ProgressDrawTarget::stderr());
                    }
                    shown.set_message(line);
                    shown.tick();
                }
                wait = TICK;
            }
        };
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(show);
        Self { bar, shower: thread.ok().map(|thread| (stop, thread)) }
    }

    /// Writes to standard error while the line is away.
    pub(crate) fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.shower.take() {
            // Hearing nothing more, the thread ends.
            drop(stop);
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

/// What was seen of a call so far.
struct Seen {
    watch: Watch,
    kernels: u64,
    stage: String,
    since: Instant,
}

impl Seen {
    fn new(watch: Watch) -> Self {
        Self { stage: watch.progress().stage, watch, kernels: 0, since: Instant::now() }
    }

    /// What the call does now.
    fn line(&mut self) -> String {
        self.kernels += self.watch.take_results().len() as u64;
        let steps = self.watch.progress();
        if steps.stage != self.stage {
            (self.stage, self.since) = (steps.stage.clone(), Instant::now());
        }
        if self.watch.is_ending() {
            return "finishing with the best so far; Ctrl-C again to give up".to_owned();
        }
        let left = left(self.since.elapsed(), &steps);
        let kernels = (self.kernels > 0).then(|| counted(self.kernels, "kernel") + " tried");
        let done = (steps.expected > 0)
            .then(|| format!("{:.0} %", 100.0 * steps.done as f64 / steps.expected as f64));
        let left = left.map(|seconds| format!("about {seconds} s left"));
        let known = !steps.stage.is_empty();
        let parts = [known.then_some(steps.stage), kernels, done, left];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Seconds that are probably left, once there is something to judge by.
fn left(elapsed: Duration, steps: &Steps) -> Option<u64> {
    let &Steps { done, expected, .. } = steps;
    let enough = done >= 3 && elapsed >= Duration::from_secs(2) && expected > done;
    enough.then(|| (elapsed.as_secs_f64() / done as f64 * (expected - done) as f64).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_in_proportion() {
        let steps = |done, expected| Steps { stage: "learning".to_owned(), done, expected };
        assert_eq!(left(Duration::from_secs(10), &steps(10, 40)), Some(30));
        assert_eq!(left(Duration::from_secs(1), &steps(10, 40)), None); // too early
        assert_eq!(left(Duration::from_secs(10), &steps(40, 40)), None); // more than were expected
    }

    #[test]
    fn a_line_tells_stage_and_share() {
        let watch = Watch::default();
        let mut seen = Seen::new(watch.clone());
        assert_eq!(seen.line(), "");
        let line = watch.run(|| {
            let steps = rather::watch::Steps::start("sampling", 8);
            steps.add(2);
            seen.line()
        });
        assert_eq!(line.as_deref(), Ok("sampling, 25 %"));
        watch.finish();
        assert_eq!(seen.line(), "finishing with the best so far; Ctrl-C again to give up");
    }
}
