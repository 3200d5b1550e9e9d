//! A long call: it runs on a thread of its own without the interpreter's lock, and Ctrl-C ends it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use rather::learn::choice::Tried;
use rather::learn::watch::{Progress, Watch};

/// How often signals are looked for.
const HEARTBEAT: Duration = Duration::from_millis(20);

/// What a fit says on its way, and whether it is to end.
#[derive(Default)]
pub(crate) struct Pulse {
    ended: AtomicBool,
    heard: Mutex<Heard>,
}

/// News since the last heartbeat.
#[derive(Default)]
struct Heard {
    kernels: Vec<String>,
    progress: Option<Progress>,
}

impl Watch for Pulse {
    fn tried(&self, tried: &Tried) {
        self.write(|heard| heard.kernels.push(tried.kernel.expression.clone()));
    }

    fn progress(&self, progress: Progress) {
        self.write(|heard| heard.progress = Some(progress));
    }

    fn stops(&self) -> bool {
        self.is_ended()
    }
}

impl Pulse {
    /// Whether the work is to end.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    fn write(&self, change: impl FnOnce(&mut Heard)) {
        // A poisoned lock means that a callback panicked; news is all there is to lose.
        if let Ok(mut heard) = self.heard.lock() {
            change(&mut heard);
        }
    }

    fn news(&self) -> Heard {
        self.heard.lock().map(|mut heard| std::mem::take(&mut *heard)).unwrap_or_default()
    }
}

/// Runs `work` on a thread of its own. `callback` is told of its progress (`done`, `expected`, kernels learned since). After Ctrl-C, or an
/// exception in the callback, the work is told to end, awaited, and its result thrown away.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Pulse) -> T + Send,
) -> PyResult<T> {
    let pulse = Pulse::default();
    std::thread::scope(|scope| {
        let (send, mut receive) = channel();
        let watch = &pulse;
        let worker = scope.spawn(move || {
            // Nobody is there to hear if the other side has given up.
            let _ = send.send(work(watch));
        });
        let mut broken = None;
        let result = loop {
            let heard;
            // A receiver may change threads, not be looked at from two: it goes along and comes back.
            (heard, receive) = py.detach(move || (receive.recv_timeout(HEARTBEAT), receive));
            match heard {
                Ok(result) => break Some(result),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) if broken.is_none() => {
                    if let Err(error) = heartbeat(py, callback, &pulse) {
                        pulse.ended.store(true, Ordering::Relaxed);
                        broken = Some(error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        match (result, broken) {
            (_, Some(error)) => Err(error),
            (Some(result), None) => heartbeat(py, callback, &pulse).map(|()| result),
            (None, None) => {
                // The work panicked: a fault of ours, which PyO3 makes an exception of.
                let panic = worker.join().err().unwrap_or_else(|| Box::new("the fit ended without a result"));
                std::panic::resume_unwind(panic)
            }
        }
    })
}

fn heartbeat(py: Python<'_>, callback: Option<&Bound<'_, PyAny>>, pulse: &Pulse) -> PyResult<()> {
    py.check_signals()?;
    let Some(callback) = callback else { return Ok(()) };
    let news = pulse.news();
    if news.kernels.is_empty() && news.progress.is_none() {
        return Ok(());
    }
    let (done, expected) = news.progress.map_or((None, None), |p| (Some(p.done), Some(p.expected)));
    callback.call1((done, expected, news.kernels)).map(drop)
}
