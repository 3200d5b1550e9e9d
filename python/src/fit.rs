//! The door between Python and the library: work runs without the interpreter's lock, on threads that this process has, and Ctrl-C ends it.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use rather::watch::{Progress, Watch};

use crate::errors::{named, of_library};

/// How often signals are looked for.
const HEARTBEAT: Duration = Duration::from_millis(20);

/// The threads for parallel work, and the process that they live in.
///
/// Locked only while the interpreter's lock is held and never across anything that lets go of it: Python forks with that lock held, so no child
/// finds this one taken by a thread that it does not have.
static POOL: Mutex<Option<(u32, Arc<rayon::ThreadPool>)>> = Mutex::new(None);

/// The threads for parallel work. As many as there are processors, or as `RAYON_NUM_THREADS` says; a forked child, which has none of its
/// parent's threads, gets its own.
fn pool(_py: Python<'_>) -> PyResult<Arc<rayon::ThreadPool>> {
    let here = std::process::id();
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = kept.as_ref()
        && *process == here
    {
        return Ok(Arc::clone(pool));
    }
    // Tables that are made once: a fork must not meet a thread that is making them.
    rather::prepare();
    let built = rayon::ThreadPoolBuilder::new().thread_name(|number| format!("rather-{number}")).build();
    let built = Arc::new(built.map_err(|error| {
        named(
            "RatherError",
            format!("could not start threads: {error}; set RAYON_NUM_THREADS to a smaller number"),
        )
    })?);
    if let Some((_, parents)) = kept.replace((here, Arc::clone(&built))) {
        // Ending it would wait for threads that are not in this process.
        std::mem::forget(parents);
    }
    Ok(built)
}

/// Does `work` on a thread of its own. `callback` gets its progress (`done`, `expected`, and in words what is new). After Ctrl-C, or an
/// exception in the callback, the work is cancelled, awaited, and the exception raised.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let watch = Watch::on(pool(py)?);
    let result = follow(py, callback, &watch, || watch.cancel(), || watch.run(work))?;
    result.map_err(|ended| of_library(ended.into()))
}

/// As [`run`], for work that keeps something, of which half would be wrong: Ctrl-C is heard at its end. `work` is given a flag that Ctrl-C
/// raises, and may end earlier.
pub(crate) fn run_whole<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let watch = Watch::on(pool(py)?);
    let interrupted = AtomicBool::new(false);
    let raise = || interrupted.store(true, Ordering::Relaxed);
    follow(py, None, &watch, raise, || watch.run(|| work(&interrupted)))?
        .map_err(|ended| of_library(ended.into()))
}

/// Does `work` that is over in a moment on this thread, without the interpreter's lock.
pub(crate) fn brief<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let watch = watch(py)?;
    py.detach(|| watch.run(work)).map_err(|ended| of_library(ended.into()))
}

/// A watch on work that another thread does.
pub(crate) fn watch(py: Python<'_>) -> PyResult<Watch> {
    Ok(Watch::on(pool(py)?))
}

/// Does `work` on a thread of its own and waits for it, looking for signals and progress. `end` asks it to end.
fn follow<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    watch: &Watch,
    end: impl Fn(),
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    std::thread::scope(|scope| {
        let (send, receive) = channel();
        let worker = scope.spawn(move || {
            // Nobody is there to hear if the other side has given up.
            let _ = send.send(work());
        });
        let heard = listen(py, callback, watch, end, receive);
        // Whatever becomes of work that nobody wants any more is no fault.
        let ended = worker.join();
        match heard? {
            Some(result) => Ok(result),
            None => std::panic::resume_unwind(fault(ended.err())),
        }
    })
}

/// The work panicked: a fault of ours, which PyO3 makes an exception of.
fn fault(panic: Option<Box<dyn Any + Send>>) -> Box<dyn Any + Send> {
    panic.unwrap_or_else(|| Box::new("the work ended without a result"))
}

/// Waits for the result; `None` if none will come. After an exception the result is awaited, and the exception returned.
fn listen<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    watch: &Watch,
    end: impl Fn(),
    mut receive: Receiver<T>,
) -> PyResult<Option<T>> {
    let mut told = Progress::default();
    let mut broken = None;
    let result = loop {
        let heard;
        // A receiver may change threads, not be looked at from two: it goes along and comes back.
        (heard, receive) = py.detach(move || (receive.recv_timeout(HEARTBEAT), receive));
        match heard {
            Ok(result) => break Some(result),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) if broken.is_none() => {
                if let Err(error) = heartbeat(py, callback, watch, &mut told) {
                    end();
                    broken = Some(error);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    match (result, broken) {
        (_, Some(error)) => Err(error),
        (Some(result), None) => heartbeat(py, callback, watch, &mut told).map(|()| Some(result)),
        (None, None) => Ok(None),
    }
}

/// Looks for signals, and tells the callback what is new since `told`.
fn heartbeat(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    watch: &Watch,
    told: &mut Progress,
) -> PyResult<()> {
    py.check_signals()?;
    let Some(callback) = callback else { return Ok(()) };
    let (before, now) = (std::mem::take(told), watch.progress());
    *told = now.clone();
    let mut news: Vec<String> = watch.take_results();
    if now.stage != before.stage {
        news.push(now.stage.clone());
    }
    let moved = (now.done, now.expected) != (before.done, before.expected) && now.expected > 0;
    if news.is_empty() && !moved {
        return Ok(());
    }
    let (done, expected) = if moved { (Some(now.done), Some(now.expected)) } else { (None, None) };
    callback.call1((done, expected, news)).map(drop)
}
