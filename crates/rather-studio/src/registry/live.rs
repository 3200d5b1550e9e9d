//! A study that is in use: its threads, how it is shown, and who watches.

use super::activity::Activity;
use super::advice::Advices;
use super::lane::Lane;
use super::planner::Planner;
use crate::presentation::Presentation;
use crate::refusal::{Code, Refusal};
use crate::showing::Showing;
use rather_study::definition::Pooling;
use rather_study::{Definition, Study};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, broadcast};

/// More threads than this for one study do not help: they share a disk.
const MOST_LANES: usize = 8;
/// Changes that a watcher may miss before it is told that it has.
const MISSED: usize = 16;
/// Changes that come close together make one message.
const GATHER: Duration = Duration::from_millis(200);
/// How often it is looked whether another program wrote to the file.
const LOOK: Duration = Duration::from_secs(5);

/// A study that is in use.
#[derive(Debug)]
pub struct Live {
    /// Its id in addresses.
    pub id: String,
    /// Its name in the file.
    pub name: String,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// Its definition.
    pub definition: Arc<Definition>,
    /// How it is shown.
    pub presentation: Arc<Presentation>,
    /// How its alternatives are shown.
    pub showing: Arc<Showing>,
    place: Place,
    answering: Vec<OnceLock<Lane>>,
    looking: OnceLock<Lane>,
    counting: OnceLock<Lane>,
    planner: Mutex<Option<Planner>>,
    /// What was recommended last.
    pub advices: Arc<Advices>,
    changed: Notify,
    /// The number of answers, whenever there is something new.
    news: broadcast::Sender<u64>,
    heralded: AtomicBool,
}

/// How much a study was answered.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Answers of each participant who is named or has answered.
    pub by_participant: Vec<(String, u64)>,
}

impl Counts {
    /// All answers.
    pub fn answers(&self) -> u64 {
        self.by_participant.iter().map(|(_, answers)| answers).sum()
    }

    /// How many participants have answered.
    pub fn participants(&self) -> usize {
        self.by_participant.iter().filter(|(_, answers)| *answers > 0).count()
    }
}

/// Where a study is, and what its threads may use.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) waiting: usize,
    pub(super) watchers: usize,
    pub(super) activity: Activity,
}

impl Live {
    pub(super) fn new(
        id: String,
        study: &Study,
        presentation: Arc<Presentation>,
        showing: Showing,
        place: Place,
    ) -> Self {
        let definition = Arc::new(study.definition().clone());
        // Where every participant has a model, duels are chosen side by side. Where all share what they say, they are not:
        // each answer changes what is asked next. Half of the time a lane waits for the disk, so there are twice as many as cores.
        let lanes = match definition.participants.model {
            Pooling::Separate => {
                (2 * std::thread::available_parallelism().map_or(1, usize::from)).min(MOST_LANES)
            }
            Pooling::Together | Pooling::Collaborative => 1,
        };
        Self {
            id,
            name: study.name().to_owned(),
            created: study.created(),
            definition,
            presentation,
            showing: Arc::new(showing),
            place,
            answering: std::iter::repeat_with(OnceLock::new).take(lanes).collect(),
            looking: OnceLock::new(),
            counting: OnceLock::new(),
            planner: Mutex::new(None),
            advices: Arc::default(),
            changed: Notify::new(),
            news: broadcast::Sender::new(MISSED),
            heralded: AtomicBool::new(false),
        }
    }

    /// Does something for a participant: what is done for the same one is done in order.
    ///
    /// # Errors
    /// What `work` returns; if too many wait.
    pub async fn answer<T: Send + 'static>(
        &self,
        participant: &str,
        work: impl FnOnce(&mut Study) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let mut hasher = DefaultHasher::new();
        participant.hash(&mut hasher);
        let lane = (hasher.finish() % self.answering.len() as u64) as usize;
        self.lane(&self.answering[lane])?.run(work).await
    }

    /// Looks at the study, which may take a while; answers are not held up by it.
    ///
    /// # Errors
    /// What `work` returns; if too many wait.
    pub async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Study) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.lane(&self.looking)?.run(work).await
    }

    fn lane<'a>(&self, lane: &'a OnceLock<Lane>) -> Result<&'a Lane, Refusal> {
        if lane.get().is_none() {
            let Place { path, waiting, activity, .. } = &self.place;
            // Somebody else may have started it in the meantime; a second one ends when it is dropped.
            let _ = lane.set(Lane::start(path, &self.name, *waiting, activity)?);
        }
        lane.get().ok_or_else(|| Refusal::internal(&"a lane is not there"))
    }

    /// Chooses ahead for a participant who has just got a duel.
    pub fn plan(&self, participant: &str) {
        let mut planner = self.planner.lock().unwrap_or_else(PoisonError::into_inner);
        if planner.is_none() {
            // Without a thread nothing is chosen ahead.
            *planner = Planner::start(&self.place.path, &self.name, &self.place.activity, &self.advices).ok();
        }
        if let Some(planner) = planner.as_ref() {
            planner.plan(participant);
        }
    }

    /// How much it was answered.
    ///
    /// # Errors
    /// If too many wait, or the file cannot be read.
    pub async fn counts(&self) -> Result<Counts, Refusal> {
        let count = |study: &mut Study| {
            let mut by_participant = Vec::new();
            for name in study.participants()? {
                let answers = study.history(&name)?.answers();
                by_participant.push((name, answers));
            }
            Ok(Counts { by_participant })
        };
        self.lane(&self.counting)?.run(count).await
    }

    /// Says that something has changed.
    pub fn changed(&self) {
        self.changed.notify_one();
    }

    /// Watches for changes: the number of answers comes whenever there is something new.
    ///
    /// # Errors
    /// If too many watch already.
    pub fn watch(self: &Arc<Self>) -> Result<broadcast::Receiver<u64>, Refusal> {
        if self.news.receiver_count() >= self.place.watchers {
            return Err(Refusal::new(
                Code::Busy,
                "too many windows watch this study; close some and load the page again",
            ));
        }
        let receiver = self.news.subscribe();
        if !self.heralded.swap(true, Ordering::SeqCst) {
            tokio::spawn(herald(Arc::clone(self)));
        }
        Ok(receiver)
    }

    /// The file it is in.
    pub fn path(&self) -> &Path {
        &self.place.path
    }
}

/// Counts once for all who watch, as long as somebody does.
async fn herald(live: Arc<Live>) {
    let mut last = None;
    loop {
        let told = tokio::time::timeout(LOOK, live.changed.notified()).await.is_ok();
        if live.news.receiver_count() == 0 {
            live.heralded.store(false, Ordering::SeqCst);
            // Somebody may have come between these two lines, and found a herald.
            if live.news.receiver_count() == 0 || live.heralded.swap(true, Ordering::SeqCst) {
                return;
            }
        }
        if told {
            tokio::time::sleep(GATHER).await;
        }
        // What cannot be counted now can be in a moment.
        let Ok(counts) = live.counts().await else { continue };
        let answers = counts.answers();
        if told || last != Some(answers) && last.is_some() {
            // Nobody may be watching any more.
            let _ = live.news.send(answers);
        }
        last = Some(answers);
    }
}
