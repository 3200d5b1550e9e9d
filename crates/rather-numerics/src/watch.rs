//! A long call, followed from outside: how far it is, and a request to end it.
//!
//! The caller keeps a [`Watch`] and works inside [`Watch::run`]. In there every loop of the library that can take long reports its progress
//! and looks now and then whether the call is to end, on whichever thread it runs ([`crate::parallel`] carries the watch along). Functions
//! need no argument for it, and results do not depend on it: what a call that was ended returns is thrown away by [`Watch::run`].

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use std::fmt;

/// Nobody wants the call to end.
const GO_ON: u8 = 0;
/// A fit is to end with the best found so far.
const FINISH: u8 = 1;
/// Nobody wants the result any more.
const CANCEL: u8 = 2;

/// A call that was ended before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call was ended before it was done")
    }
}

impl std::error::Error for Cancelled {}

/// How far a call has come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// What is being done, such as "learning" or "sampling".
    pub stage: String,
    /// Steps of it done so far.
    pub done: usize,
    /// How many there will be: a guess where that depends on the data, and at least `done`. 0 if nobody knows.
    pub expected: usize,
}

/// A handle on a call: clones are handles on the same one.
///
/// # Examples
/// ```
/// use rather_numerics::watch::{self, Cancelled, Watch};
///
/// let watch = Watch::default();
/// assert_eq!(watch.run(|| 1 + 1), Ok(2));
/// let ended = watch.run(|| {
///     watch.cancel(); // usually from another thread
///     (0..).find(|_| watch::ends())
/// });
/// assert_eq!(ended, Err(Cancelled));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Watch {
    call: Arc<Call>,
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// What caller and call share.
#[derive(Debug, Default)]
struct Call {
    request: AtomicU8,
    /// Whether a stage is being counted; those inside it are not.
    staged: AtomicBool,
    stage: Mutex<String>,
    done: AtomicUsize,
    expected: AtomicUsize,
    results: Mutex<Vec<String>>,
    /// Who waits for something and wants to hear of a request to end.
    waiting: Waiting,
}

#[derive(Default)]
struct Waiting(Mutex<Vec<Box<dyn Fn() + Send>>>);

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Waiting")
    }
}

/// The call that a thread works for.
#[derive(Debug, Clone)]
pub struct Scope {
    watch: Watch,
    /// The least request that ends what is being done.
    ended_by: u8,
}

thread_local! {
    static CURRENT: RefCell<Option<Scope>> = const { RefCell::new(None) };
}

/// Works for a scope on this thread until it is dropped.
pub struct Entered {
    before: Option<Scope>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let before = self.before.take();
        CURRENT.with(|current| *current.borrow_mut() = before);
    }
}

/// From now on this thread works for `scope`.
pub fn enter(scope: Option<Scope>) -> Entered {
    Entered { before: CURRENT.with(|current| current.replace(scope)) }
}

/// The scope that this thread works for.
pub fn current() -> Option<Scope> {
    CURRENT.with(|current| current.borrow().clone())
}

/// The threads of the current call, if it has some of its own.
pub fn pool() -> Option<Arc<rayon::ThreadPool>> {
    CURRENT.with(|current| current.borrow().as_ref().and_then(|scope| scope.watch.pool.clone()))
}

impl Watch {
    /// A watch on a call that does its parallel work on the threads of `pool`, not on those that all of the process shares.
    pub fn on(pool: Arc<rayon::ThreadPool>) -> Self {
        Self { pool: Some(pool), ..Self::default() }
    }

    /// Does `work`, which ends early after [`Watch::cancel`].
    ///
    /// # Errors
    /// [`Cancelled`] if it was cancelled before it was done.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        within(Scope { watch: self.clone(), ended_by: CANCEL }, work)
    }

    /// Asks the call to give up: nobody wants its result any more.
    pub fn cancel(&self) {
        self.request(CANCEL);
    }

    /// Asks a fit to end with the best that it has found so far. What has nothing to show before it is done, gives up.
    pub fn finish(&self) {
        self.request(FINISH);
    }

    fn request(&self, what: u8) {
        self.call.request.fetch_max(what, Ordering::Relaxed);
        let waiting = self.call.waiting.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.iter().for_each(|tell| tell());
    }

    /// Whether the call was asked to end, in either way.
    pub fn is_ending(&self) -> bool {
        self.call.request.load(Ordering::Relaxed) != GO_ON
    }

    /// How far the call has come.
    pub fn progress(&self) -> Progress {
        let call = &self.call;
        let done = call.done.load(Ordering::Relaxed);
        let expected = call.expected.load(Ordering::Relaxed);
        let stage = call.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Progress { stage, done, expected: if expected == 0 { 0 } else { expected.max(done) } }
    }

    /// The results since this was last asked: expressions of kernels that were learned.
    pub fn take_results(&self) -> Vec<String> {
        std::mem::take(&mut *self.call.results.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn within<T>(scope: Scope, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
    let ends = || scope.watch.call.request.load(Ordering::Relaxed) >= scope.ended_by;
    if ends() {
        return Err(Cancelled);
    }
    let result = {
        let _entered = enter(Some(scope.clone()));
        work()
    };
    if ends() { Err(Cancelled) } else { Ok(result) }
}

/// Whether what is being done is to end: what comes of it is thrown away. To be asked between steps of some milliseconds.
pub fn ends() -> bool {
    CURRENT.with(|current| {
        let current = current.borrow();
        current.as_ref().is_some_and(|s| s.watch.call.request.load(Ordering::Relaxed) >= s.ended_by)
    })
}

/// [`ends`] as an error.
///
/// # Errors
/// [`Cancelled`] if what is being done is to end.
pub fn check() -> Result<(), Cancelled> {
    if ends() { Err(Cancelled) } else { Ok(()) }
}

/// Whether a fit is to end with the best found so far, or to give up.
pub fn is_ending() -> bool {
    CURRENT.with(|current| current.borrow().as_ref().is_some_and(|scope| scope.watch.is_ending()))
}

/// Does `work` that has nothing to show before it is done: [`Watch::finish`] ends it, too.
///
/// # Errors
/// [`Cancelled`] if it was ended.
pub fn all_or_nothing<T, E: From<Cancelled>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    match current() {
        Some(scope) => within(Scope { ended_by: FINISH, ..scope }, work)?,
        None => work(),
    }
}

/// Does `work` of others, which looks at nothing, on a thread of its own. `None` if the call is to end: the thread is then left to itself, and
/// what it finds is thrown away.
pub fn unless_ended<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    /// What wakes up who waits.
    enum Woken<T> {
        Ending,
        Done(Option<T>),
    }
    let Some(Scope { watch: Watch { call, .. }, .. }) = current() else { return Some(work()) };
    let (send, woken) = channel();
    let tell = send.clone();
    let ending = Box::new(move || {
        // Nobody waits any more once the work is done.
        let _ = tell.send(Woken::Ending);
    });
    call.waiting.0.lock().unwrap_or_else(PoisonError::into_inner).push(ending);
    let apart = move || {
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let _ = send.send(Woken::Done(found.ok()));
    };
    std::thread::Builder::new().name("rather-apart".to_owned()).spawn(apart).ok()?;
    while !ends() {
        if let Woken::Done(found) = woken.recv().ok()? {
            return found;
        }
    }
    None
}

/// Counts the steps of a stage of the current call. Stages inside another one are not counted.
#[derive(Debug)]
pub struct Steps {
    watch: Option<Watch>,
}

impl Steps {
    /// Begins a stage of `expected` steps; 0 if nobody knows how many.
    pub fn start(stage: &str, expected: usize) -> Self {
        let watch = current().map(|scope| scope.watch);
        let watch = watch.filter(|watch| !watch.call.staged.swap(true, Ordering::Relaxed));
        if let Some(Watch { call, .. }) = &watch {
            stage.clone_into(&mut call.stage.lock().unwrap_or_else(PoisonError::into_inner));
            call.done.store(0, Ordering::Relaxed);
            call.expected.store(expected, Ordering::Relaxed);
        }
        Self { watch }
    }

    /// So many steps are done.
    pub fn add(&self, steps: usize) {
        if let Some(Watch { call, .. }) = &self.watch {
            call.done.fetch_add(steps, Ordering::Relaxed);
        }
    }

    /// So many steps are done; whether a fit is to go on.
    pub fn goes_on(&self, steps: usize) -> bool {
        self.add(steps);
        !is_ending()
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(Watch { call, .. }) = &self.watch {
            call.staged.store(false, Ordering::Relaxed);
        }
    }
}

/// Says what is being done, where no steps are counted.
pub fn doing(what: &str) {
    if let Some(Scope { watch: Watch { call, .. }, .. }) = current()
        && !call.staged.load(Ordering::Relaxed)
    {
        what.clone_into(&mut call.stage.lock().unwrap_or_else(PoisonError::into_inner));
        call.expected.store(0, Ordering::Relaxed);
        call.done.store(0, Ordering::Relaxed);
    }
}

/// Something was found on the way: the expression of a kernel that was learned.
pub fn result(text: &str) {
    if let Some(scope) = current() {
        scope.watch.call.results.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_finishes_and_the_rest_gives_up() {
        let watch = Watch::default();
        let found = watch.run(|| {
            watch.finish();
            assert!(is_ending() && !ends());
            all_or_nothing(|| Ok(()))
        });
        assert_eq!(found, Ok(Err(Cancelled)));
        assert!(!ends(), "outside of the call nothing ends");
        watch.cancel();
        assert_eq!(watch.run(|| unreachable!("it was cancelled before")), Err::<(), _>(Cancelled));
    }

    #[test]
    fn work_that_hears_nothing_is_left() {
        assert_eq!(unless_ended(|| 1), Some(1));
        let watch = Watch::default();
        assert_eq!(watch.run(|| unless_ended(|| 2)), Ok(Some(2)));
        let (go_on, waits) = channel::<()>();
        let ending = watch.clone();
        let found = watch.run(|| {
            unless_ended(move || {
                ending.cancel();
                waits.recv().is_ok()
            })
        });
        assert_eq!(found, Err(Cancelled));
        drop(go_on);
    }

    #[test]
    fn only_the_outer_stage_counts() {
        let watch = Watch::default();
        watch
            .run(|| {
                let folds = Steps::start("folds", 10);
                folds.add(1);
                Steps::start("learning", 7).add(5);
                let progress = watch.progress();
                assert_eq!((progress.stage.as_str(), progress.done, progress.expected), ("folds", 1, 10));
                drop(folds);
                let _next = Steps::start("learning", 2);
                assert_eq!(watch.progress().expected, 2);
            })
            .expect("nobody ended it");
    }

    #[test]
    fn other_threads_work_for_the_call_too() {
        let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads"));
        let watch = Watch::on(pool);
        let ended = watch.run(|| {
            crate::parallel::map(1000, 1, |i| {
                if i == 0 {
                    watch.cancel();
                }
                // Ends only where this thread hears of it.
                while !ends() {
                    std::thread::yield_now();
                }
            })
        });
        assert_eq!(ended.map(drop), Err(Cancelled));
    }
}
