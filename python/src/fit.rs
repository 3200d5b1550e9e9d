//! A long call: it runs on a thread of its own without the interpreter's lock, and Ctrl-C ends it.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
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

    /// What is being done now, in words.
    pub(crate) fn hear(&self, doing: &str) {
        self.write(|heard| heard.kernels.push(doing.to_owned()));
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
        let (send, receive) = channel();
        let watch = &pulse;
        let worker = scope.spawn(move || {
            // Nobody is there to hear if the other side has given up.
            let _ = send.send(work(watch));
        });
        match listen(py, callback, &pulse, receive, true)? {
            Some(result) => Ok(result),
            None => std::panic::resume_unwind(fault(worker.join().err())),
        }
    })
}

/// As [`run`], for work that cannot be told to end: after Ctrl-C it is left alone, and ends when it is done.
pub(crate) fn run_apart<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Pulse) -> T + Send + 'static,
) -> PyResult<T> {
    let pulse = Arc::new(Pulse::default());
    let (send, receive) = channel();
    let watch = Arc::clone(&pulse);
    let worker = std::thread::spawn(move || {
        let _ = send.send(work(&watch));
    });
    match listen(py, callback, &pulse, receive, false)? {
        Some(result) => Ok(result),
        None => std::panic::resume_unwind(fault(worker.join().err())),
    }
}

/// The work panicked: a fault of ours, which PyO3 makes an exception of.
fn fault(panic: Option<Box<dyn Any + Send>>) -> Box<dyn Any + Send> {
    panic.unwrap_or_else(|| Box::new("the work ended without a result"))
}

/// Waits for the result, looking for signals and news; `None` if none will come. After an exception, a `patient` listener waits for the end of
/// the work.
fn listen<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    pulse: &Pulse,
    mut receive: Receiver<T>,
    patient: bool,
) -> PyResult<Option<T>> {
    let mut broken = None;
    let result = loop {
        let heard;
        // A receiver may change threads, not be looked at from two: it goes along and comes back.
        (heard, receive) = py.detach(move || (receive.recv_timeout(HEARTBEAT), receive));
        match heard {
            Ok(result) => break Some(result),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) if broken.is_none() => {
                if let Err(error) = heartbeat(py, callback, pulse) {
                    pulse.ended.store(true, Ordering::Relaxed);
                    if !patient {
                        return Err(error);
                    }
                    broken = Some(error);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    match (result, broken) {
        (_, Some(error)) => Err(error),
        (Some(result), None) => heartbeat(py, callback, pulse).map(|()| Some(result)),
        (None, None) => Ok(None),
    }
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
