//! A sign of life on standard error, while work takes longer than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// A spinner, or a bar if the number of steps is known. It goes away when dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts counting the seconds; `steps` is 0 if nobody knows their number.
    pub(crate) fn start(what: &'static str, steps: u64, shown: bool) -> Self {
        let bar = if steps > 0 { ProgressBar::new(steps) } else { ProgressBar::no_length() };
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let template = if steps > 0 {
            "{prefix} [{bar:30}] {pos}/{len}, {msg} {elapsed}"
        } else {
            "{spinner} {prefix}, {msg} {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(what);
        let waiting = shown.then(|| {
            let (stop, stopped) = channel::<()>();
            let bar = bar.clone();
            let wait = move || {
                if stopped.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    // Draws nothing unless standard error is a terminal.
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            };
            (stop, std::thread::spawn(wait))
        });
        Self { bar, waiting }
    }

    /// One step is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// Says what goes on.
    pub(crate) fn message(&self, message: String) {
        self.bar.set_message(message);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.waiting.take() {
            // Hearing nothing more, the thread ends.
            drop(stop);
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
