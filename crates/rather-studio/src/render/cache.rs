//! What was rendered or packed, kept for a while; and one run for all who want the same at once.

use super::{Media, RenderError, Renderer};
use lru::LruCache;
use rather_study::Alternative;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, watch};

/// Why something was not rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Too many wait already.
    Busy,
    /// It was tried.
    Failed(RenderError),
}

type Outcome = Result<Media, Refused>;
/// Which renderer, and what it was given: a hash of both.
pub type Key = [u8; 32];

/// What makes a medium, on a thread of its own.
pub trait Job: FnOnce() -> Result<Media, RenderError> + Send + 'static {}
impl<F: FnOnce() -> Result<Media, RenderError> + Send + 'static> Job for F {}

/// Failures that are remembered.
const MOST_FAILED: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

/// Rendered media, the least recently used go first when they are too many bytes.
#[derive(Debug)]
pub struct Cache {
    kept: Mutex<Kept>,
    running: Mutex<HashMap<Key, watch::Receiver<Option<Outcome>>>>,
    places: Arc<Semaphore>,
    at_once: usize,
    most_waiting: usize,
    /// How long the last runs took, the newest counting most.
    usual: Mutex<Option<Duration>>,
}

/// What the newest run counts.
const NEWEST: f64 = 0.3;

#[derive(Debug)]
struct Kept {
    media: LruCache<Key, Media>,
    /// What failed when it was last tried, and why.
    failed: LruCache<Key, RenderError>,
    bytes: usize,
    most: usize,
}

impl Cache {
    /// A cache of at most `most` bytes, which renders `at_once` alternatives at a time while `most_waiting` others wait.
    pub fn new(most: usize, at_once: usize, most_waiting: usize) -> Self {
        Self {
            kept: Mutex::new(Kept {
                media: LruCache::unbounded(),
                failed: LruCache::new(MOST_FAILED),
                bytes: 0,
                most,
            }),
            running: Mutex::new(HashMap::new()),
            places: Arc::new(Semaphore::new(at_once)),
            at_once,
            most_waiting,
            usual: Mutex::default(),
        }
    }

    /// About how long it takes until all that is wanted now is rendered, as far as runs so far tell: whoever wants something now is the last.
    pub fn wait(&self) -> Option<Duration> {
        let usual = (*self.usual.lock().unwrap_or_else(PoisonError::into_inner))?;
        let wanted = self.running.lock().unwrap_or_else(PoisonError::into_inner).len();
        Some(usual.mul_f64(wanted.div_ceil(self.at_once) as f64))
    }

    fn took(&self, time: Duration) {
        let mut usual = self.usual.lock().unwrap_or_else(PoisonError::into_inner);
        let before = usual.unwrap_or(time);
        *usual = Some(before.mul_f64(1.0 - NEWEST) + time.mul_f64(NEWEST));
    }

    /// What was rendered before, if it is still there.
    pub fn get(&self, key: &Key) -> Option<Media> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).media.get(key).cloned()
    }

    /// Why something could not be rendered when it was last tried; `None` if it could, or was never tried.
    pub fn failure(&self, key: &Key) -> Option<RenderError> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).failed.peek(key).cloned()
    }

    /// What `renderer` makes of `alternative`.
    ///
    /// # Errors
    /// If it fails, or too many wait already.
    pub async fn render(
        self: &Arc<Self>,
        key: Key,
        renderer: Arc<dyn Renderer>,
        alternative: Alternative,
    ) -> Result<Media, Refused> {
        self.made(key, move || renderer.render(&alternative)).await
    }

    /// What `job` makes, unless it was made before.
    ///
    /// # Errors
    /// If it fails, or too many wait already.
    pub async fn made(self: &Arc<Self>, key: Key, job: impl Job) -> Result<Media, Refused> {
        if let Some(media) = self.get(&key) {
            return Ok(media);
        }
        let mut outcome = self.start(key, job)?;
        // The run goes on even if whoever wanted it first leaves: others may wait for it.
        let found = outcome.wait_for(Option::is_some).await;
        match found {
            Ok(found) => found.clone().unwrap_or(Err(Refused::Busy)),
            Err(_) => Err(Refused::Failed(RenderError::Failed("the renderer broke off".to_owned()))),
        }
    }

    /// Begins to render, if it is not there and not begun; nobody waits for it here.
    pub fn begin(self: &Arc<Self>, key: Key, renderer: Arc<dyn Renderer>, alternative: Alternative) {
        if self.get(&key).is_none() {
            // Where too many wait already, whoever fetches it begins.
            let _ = self.start(key, move || renderer.render(&alternative));
        }
    }

    /// As [`Cache::begin`], unless all places are taken: who waits comes before what may be wanted. Whether it is there or begun.
    pub fn begin_if_idle(
        self: &Arc<Self>,
        key: Key,
        renderer: &Arc<dyn Renderer>,
        alternative: &Alternative,
    ) -> bool {
        if self.get(&key).is_some() {
            return true;
        }
        let is_running = self.running.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&key);
        if is_running || self.places.available_permits() == 0 {
            return is_running;
        }
        let (renderer, alternative) = (Arc::clone(renderer), alternative.clone());
        self.start(key, move || renderer.render(&alternative)).is_ok()
    }

    /// Joins the run for `key`, or starts one.
    fn start(self: &Arc<Self>, key: Key, job: impl Job) -> Result<watch::Receiver<Option<Outcome>>, Refused> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = running.get(&key) {
            return Ok(run.clone());
        }
        if running.len() >= self.most_waiting {
            return Err(Refused::Busy);
        }
        let (sender, receiver) = watch::channel(None);
        running.insert(key, receiver.clone());
        drop(running);
        let cache = Arc::clone(self);
        tokio::spawn(async move {
            let outcome = cache.run(job).await;
            match &outcome {
                Ok(media) => cache.keep(key, media),
                Err(Refused::Failed(error)) => cache.remember(key, error),
                Err(Refused::Busy) => {}
            }
            cache.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
            sender.send_replace(Some(outcome));
        });
        Ok(receiver)
    }

    async fn run(&self, job: impl Job) -> Outcome {
        let Ok(_place) = self.places.acquire().await else { return Err(Refused::Busy) };
        let begun = Instant::now();
        let task = tokio::task::spawn_blocking(job);
        let broke = |_| RenderError::Failed("the renderer broke off".to_owned());
        let outcome = task.await.map_err(broke).and_then(|result| result).map_err(Refused::Failed);
        self.took(begun.elapsed());
        outcome
    }

    /// A failure is no answer to the next request, which tries again; it is known until that succeeds.
    fn remember(&self, key: Key, error: &RenderError) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).failed.put(key, error.clone());
    }

    fn keep(&self, key: Key, media: &Media) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.failed.pop(&key);
        if media.bytes.len() > kept.most {
            return;
        }
        kept.bytes += media.bytes.len();
        if let Some(old) = kept.media.put(key, media.clone()) {
            kept.bytes -= old.bytes.len();
        }
        while kept.bytes > kept.most {
            let Some((_, old)) = kept.media.pop_lru() else { break };
            kept.bytes -= old.bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Debug, Default)]
    struct Counting(AtomicUsize);

    impl Renderer for Counting {
        fn fits(&self, _: &Alternative) -> Result<(), String> {
            Ok(())
        }

        fn render(&self, alternative: &Alternative) -> Result<Media, RenderError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(50));
            match alternative.to_string().as_str() {
                "bad" => Err(RenderError::Failed("no".into())),
                "panic" => panic!("a renderer may panic"),
                text => Media::of(text.as_bytes().to_vec()).map_err(RenderError::Failed),
            }
        }
    }

    fn key(text: &str) -> (Key, Alternative) {
        (crate::security::secret::hash(text.as_bytes()), Alternative::Item(text.to_owned()))
    }

    #[tokio::test]
    async fn who_wants_the_same_waits_for_one_run() {
        let (cache, renderer) = (Arc::new(Cache::new(1000, 2, 100)), Arc::new(Counting::default()));
        let want = |text: &str| {
            let (key, alternative) = key(text);
            let (cache, renderer) = (Arc::clone(&cache), Arc::clone(&renderer) as Arc<dyn Renderer>);
            tokio::spawn(async move { cache.render(key, renderer, alternative).await })
        };
        let wanted: Vec<_> = (0..20).map(|i| want(if i % 2 == 0 { "a" } else { "b" })).collect();
        for media in wanted {
            assert_eq!(media.await.unwrap().unwrap().bytes.len(), 1);
        }
        assert_eq!(renderer.0.load(Ordering::SeqCst), 2);
        assert!(want("a").await.unwrap().is_ok());
        assert_eq!(renderer.0.load(Ordering::SeqCst), 2);
        // A failure is not kept.
        for _ in 0..2 {
            assert_eq!(want("bad").await.unwrap(), Err(Refused::Failed(RenderError::Failed("no".into()))));
        }
        assert_eq!(renderer.0.load(Ordering::SeqCst), 4);
        assert_eq!(cache.failure(&key("bad").0), Some(RenderError::Failed("no".into())));
        assert_eq!(cache.failure(&key("a").0), None);
        assert!(want("panic").await.unwrap().is_err());
    }

    #[tokio::test]
    async fn the_oldest_go_when_there_is_too_much() {
        let (cache, renderer) = (Arc::new(Cache::new(10, 1, 2)), Arc::new(Counting::default()));
        for text in ["aaaa", "bbbb", "aaaa", "cccc"] {
            let (key, alternative) = key(text);
            cache.render(key, Arc::clone(&renderer) as Arc<dyn Renderer>, alternative).await.unwrap();
        }
        assert!(cache.get(&key("aaaa").0).is_some() && cache.get(&key("cccc").0).is_some());
        assert!(cache.get(&key("bbbb").0).is_none());
    }

    #[tokio::test]
    async fn what_may_be_wanted_begins_while_nobody_waits() {
        let (cache, renderer) = (Arc::new(Cache::new(1000, 1, 100)), Arc::new(Counting::default()));
        let renderer = renderer as Arc<dyn Renderer>;
        let idle = |text: &str| {
            let (key, alternative) = key(text);
            cache.begin_if_idle(key, &renderer, &alternative)
        };
        assert!(idle("a"));
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert!(idle("a") && !idle("b"), "one place is taken by a");
        let (key_of_a, a) = key("a");
        cache.render(key_of_a, Arc::clone(&renderer), a).await.unwrap();
        assert!(idle("a") && idle("b"));
    }

    #[tokio::test]
    async fn how_long_one_waits_grows_with_those_who_wait() {
        let (cache, renderer) = (Arc::new(Cache::new(1000, 2, 100)), Arc::new(Counting::default()));
        assert_eq!(cache.wait(), None, "nothing was rendered yet");
        let renderer = renderer as Arc<dyn Renderer>;
        let (first, a) = key("a");
        cache.render(first, Arc::clone(&renderer), a).await.unwrap();
        assert_eq!(cache.wait(), Some(Duration::ZERO));
        for text in ["b", "c", "d", "e", "f"] {
            let (key, alternative) = key(text);
            cache.begin(key, Arc::clone(&renderer), alternative);
        }
        // Five, two at a time, of 50 ms each at the least.
        assert!(cache.wait() >= Some(Duration::from_millis(150)), "{:?}", cache.wait());
    }

    #[tokio::test]
    async fn too_many_are_sent_away() {
        let (cache, renderer) = (Arc::new(Cache::new(1000, 1, 2)), Arc::new(Counting::default()));
        let start = |text: &str| {
            let (key, alternative) = key(text);
            let renderer = Arc::clone(&renderer);
            cache.start(key, move || renderer.render(&alternative))
        };
        assert!(start("a").is_ok() && start("b").is_ok());
        assert_eq!(start("c").unwrap_err(), Refused::Busy);
        assert!(start("a").is_ok());
    }
}
