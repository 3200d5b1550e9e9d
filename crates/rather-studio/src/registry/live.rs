//! A study that is in use: its threads, and how it is shown.

use super::activity::Activity;
use super::advice::Advices;
use super::lane::Lane;
use super::planner::Planner;
use crate::presentation::Presentation;
use crate::refusal::Refusal;
use crate::showing::Showing;
use crate::view::MediaKind;
use rather_study::definition::Pooling;
use rather_study::{Definition, Study};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::watch;

/// More threads than this for one study do not help: they share a disk.
const MOST_LANES: usize = 8;
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
    /// Of which kind the last rendered medium was: the next is mostly the same.
    kind: watch::Sender<Option<MediaKind>>,
}

/// How far a participant is.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// Their name.
    pub name: String,
    /// How many answers they gave.
    pub answers: u64,
    /// When they gave the last one, in milliseconds since 1970.
    pub last: Option<i64>,
    /// How many comparisons they answered again, and how many of them alike.
    pub repeats: (usize, usize),
}

/// How much a study was answered.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Each participant who is named or has answered.
    pub by_participant: Vec<Standing>,
    /// Grows with every answer, skip and undo.
    pub changes: u64,
    /// When the last answer was given, in milliseconds since 1970.
    pub last: Option<i64>,
}

impl Counts {
    /// All answers.
    pub fn answers(&self) -> u64 {
        self.by_participant.iter().map(|one| one.answers).sum()
    }

    /// How many participants have answered.
    pub fn participants(&self) -> usize {
        self.by_participant.iter().filter(|one| one.answers > 0).count()
    }
}

/// Where a study is, and what its threads may use.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) waiting: usize,
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
            kind: watch::Sender::default(),
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
        self.lane(&self.answering[lane], &self.place.activity)?.run(work).await
    }

    /// Looks at the study, which may take a while; answers are not held up by it.
    ///
    /// # Errors
    /// What `work` returns; if too many wait.
    pub async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Study) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.lane(&self.looking, &self.place.activity)?.run(work).await
    }

    fn lane<'a>(&self, lane: &'a OnceLock<Lane>, activity: &Activity) -> Result<&'a Lane, Refusal> {
        if lane.get().is_none() {
            let Place { path, waiting, .. } = &self.place;
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
            let mut counts = Counts::default();
            for name in study.participants()? {
                let history = study.history(&name)?;
                // An undo moves an answer from the first to the second.
                counts.changes += (history.entries.len() + 2 * history.taken_back.len()) as u64;
                let last = history.entries.iter().map(|entry| entry.time).max();
                counts.last = counts.last.max(last);
                let (answers, repeats) = (history.answers(), crate::checks::repeats(history));
                counts.by_participant.push(Standing { name, answers, last, repeats });
            }
            Ok(counts)
        };
        self.peek(count).await
    }

    /// Has a short look at the study, which does not keep the planner from its work.
    ///
    /// # Errors
    /// What `work` returns; if too many wait.
    pub async fn peek<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Study) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.lane(&self.counting, &Activity::default())?.run(work).await
    }

    /// Of which kind the last rendered medium was.
    pub fn kind(&self) -> Option<MediaKind> {
        *self.kind.borrow()
    }

    /// Of which kind the first rendered medium is, once it is there.
    pub async fn first_kind(&self) -> Option<MediaKind> {
        self.kind.subscribe().wait_for(Option::is_some).await.ok().and_then(|kind| *kind)
    }

    /// A medium of this kind was rendered.
    pub fn rendered(&self, kind: MediaKind) {
        self.kind.send_replace(Some(kind));
    }

    /// The file it is in.
    pub fn path(&self) -> &Path {
        &self.place.path
    }
}
