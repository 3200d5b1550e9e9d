//! A study: ask a question, tell the answer, take it back, see what was learned.
//!
//! Every change is one transaction, and is durable before it is acknowledged. Several processes may work on the same file: a
//! study reads what the others wrote before it does anything.

mod ahead;
mod ask;
mod look;
mod snapshot;
mod tell;
pub(crate) mod valid;

pub use ahead::Successors;
pub use ask::{Ask, Asked};
pub use look::Standing;
pub use snapshot::{Compared, Place, Snapshot};
pub use tell::Told;

use crate::Error;
use crate::definition::{Definition, Pooling};
use crate::fingerprint::Fingerprint;
use crate::history::{Check, Entry, History, Unreadable};
use crate::learner::{Learner, Record, Said};
use crate::store::{self, EventRow, Store};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Who answers if nobody says who.
pub const SOMEBODY: &str = "me";

/// An open study.
#[derive(Debug)]
pub struct Study {
    store: Store,
    id: i64,
    name: String,
    created: i64,
    learner: Arc<Learner>,
    /// Of all that is fixed.
    base: Fingerprint,
    /// Of all participants that were asked about so far.
    histories: BTreeMap<String, History>,
}

impl Study {
    /// Makes a study called `name` in the file at `path`, which is made if it is not there.
    ///
    /// # Errors
    /// If the definition or the name is wrong, the name is taken, or the file is another's or cannot be written.
    ///
    /// # Examples
    /// ```
    /// use rather_study::{Answer, Ask, Definition, Study};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("teas.study");
    /// let definition = Definition::of_items(["Assam", "Oolong", "Sencha"]);
    /// let mut study = Study::create(&path, "teas", &definition)?;
    /// let Ask::Duel(first) = study.ask("ann")? else { unreachable!() };
    /// let told = study.tell("ann", Some(first.number), Answer::Left, None)?;
    /// assert_eq!((told.left, told.answers), (first.left, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(path: &Path, name: &str, definition: &Definition) -> Result<Self, Error> {
        // Whatever only a model can find wrong is found before anything is written.
        definition.check()?;
        Learner::new(definition.clone())?;
        let mut store = Store::open_or_create(path)?;
        store.add(name, definition)?;
        Self::in_store(store, Some(name))
    }

    /// Opens a study of the file at `path`: the one called `name`, or the only one.
    ///
    /// # Errors
    /// If the file is not one of studies, or does not hold the study, or holds several and none is named.
    pub fn open(path: &Path, name: Option<&str>) -> Result<Self, Error> {
        Self::in_store(Store::open(path)?, name)
    }

    fn in_store(store: Store, name: Option<&str>) -> Result<Self, Error> {
        let row = store::study(&store, name)?;
        // A plan of another version of the program may not be what this one would ask.
        let base = Fingerprint::new().text(env!("CARGO_PKG_VERSION")).text(&row.text);
        let learner = Arc::new(Learner::new(row.definition)?);
        let (id, name, created) = (row.id, row.name, row.created);
        Ok(Self { store, id, name, created, learner, base, histories: BTreeMap::new() })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file it is kept in.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// When it was made, in milliseconds since 1970.
    pub fn created(&self) -> i64 {
        self.created
    }

    /// Its definition.
    pub fn definition(&self) -> &Definition {
        &self.learner.definition
    }

    /// What is worth knowing about the definition: features that were left out, in words.
    pub fn notes(&self) -> Vec<String> {
        Learner::notes(self.definition())
    }

    /// What is worth knowing about the file: that its log is missing, in words.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn notices(&self) -> Result<Vec<String>, Error> {
        self.store.notices()
    }

    /// Writes a complete copy of the file, with all its studies, while it is in use ([`store::backup`]).
    ///
    /// # Errors
    /// As [`store::backup`].
    pub fn backup(&self, to: &Path, replace: bool) -> Result<store::Backup, Error> {
        store::backup(&self.store, to, replace)
    }

    /// The values of the features of the item `key`, for people.
    pub fn features(&self, key: &str) -> Vec<(String, crate::Value)> {
        crate::learner::features(self.definition(), key)
    }

    /// Who answers: `name`, or the only one who may.
    ///
    /// # Errors
    /// If that is nobody who may answer, or if it is not clear who is meant.
    pub fn participant(&self, name: Option<&str>) -> Result<String, Error> {
        let known = &self.definition().participants.names;
        match (name, known.as_slice()) {
            (Some(name), _) => self.admit(name).map(|()| name.to_owned()),
            (None, []) => Ok(SOMEBODY.to_owned()),
            (None, [only]) => Ok(only.clone()),
            (None, _) => Err(Error::WhichParticipant { known: known.clone() }),
        }
    }

    /// Everybody who is named in the definition or has answered.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn participants(&self) -> Result<Vec<String>, Error> {
        let mut names = self.definition().participants.names.clone();
        let closed = !names.is_empty();
        for name in self.store.check(store::participants(self.store.connection(), self.id))? {
            if !names.contains(&name) {
                if closed || crate::definition::check_name(&name).is_err() {
                    let detail =
                        format!("it has events of {}, who is no participant", rather_io::quote(&name));
                    return Err(Error::Damaged { path: self.path().to_path_buf(), detail });
                }
                names.push(name);
            }
        }
        Ok(names)
    }

    /// What a participant has answered so far.
    ///
    /// # Errors
    /// If the file cannot be read, or the name is none.
    pub fn history(&mut self, participant: &str) -> Result<&History, Error> {
        self.admit(participant)?;
        self.sync(participant)?;
        Ok(&self.histories[participant])
    }

    /// All events of a participant, as they are kept.
    pub(crate) fn events(&self, participant: &str) -> Result<Vec<EventRow>, Error> {
        self.store.check(store::events_of(self.store.connection(), self.id, participant, 0))
    }

    pub(crate) fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Its number in the file.
    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    /// Whether `participant` may answer.
    pub(crate) fn admit(&self, participant: &str) -> Result<(), Error> {
        crate::definition::check_name(participant).map_err(|e| Error::Name(format!("participant: {e}")))?;
        let known = &self.definition().participants.names;
        if known.is_empty() || known.iter().any(|name| name == participant) {
            return Ok(());
        }
        Err(Error::UnknownParticipant { name: participant.to_owned(), known: known.clone() })
    }

    /// Reads what happened since the last look.
    fn sync(&mut self, participant: &str) -> Result<(), Error> {
        let history = self.histories.entry(participant.to_owned()).or_default();
        let log = Log { connection: self.store.connection(), path: self.store.path(), study: self.id };
        log.fold(&self.learner, participant, history)
    }

    /// Reads what happened to all whose answers matter for `participant`.
    fn sync_for(&mut self, participant: &str) -> Result<(), Error> {
        if self.definition().participants.model != Pooling::Separate {
            for other in self.participants()? {
                self.sync(&other)?;
            }
        }
        self.sync(participant)
    }

    /// The answers that a model for `participant` learns from. Those of others come first, in the order in which they were
    /// given, so that the last duel is the participant's own.
    fn said<'a>(&'a self, participant: &str) -> Vec<Said<'a>> {
        let mut others = Vec::new();
        if self.definition().participants.model == Pooling::Together {
            let rest = self.histories.iter().filter(|(name, _)| *name != participant);
            others.extend(rest.flat_map(|(_, history)| &history.entries));
            others.sort_by_key(|entry| entry.event);
        }
        let own =
            self.histories.get(participant).map(|history| history.entries.as_slice()).unwrap_or_default();
        learned_from(others.into_iter().chain(own))
    }

    /// The history of `participant` as the model sees it, with its fingerprint; `then` is one more answer.
    fn situation(&self, participant: &str, then: Option<Said<'_>>) -> Result<(Record, String), Error> {
        let mut said = self.said(participant);
        said.extend(then.filter(|then| then.left != then.right));
        let start = self.base.text(participant);
        let fingerprint = said.iter().fold(start, |f, s| f.answer(s.options(), s.answer, s.count));
        if self.definition().participants.model != Pooling::Collaborative {
            return Ok((self.learner.record(said)?, fingerprint.hex()));
        }
        let others = self.others(participant);
        let whole = |f: Fingerprint, said: &Vec<Said<'_>>| {
            said.iter().fold(f.text("other"), |f, s| f.answer(s.options(), s.answer, s.count))
        };
        let fingerprint = others.iter().fold(fingerprint, whole);
        Ok((self.learner.record_among(said, others)?, fingerprint.hex()))
    }

    /// What each of the others said, in the order of their names.
    fn others(&self, participant: &str) -> Vec<Vec<Said<'_>>> {
        let rest = self.histories.iter().filter(|(name, _)| *name != participant);
        rest.map(|(_, history)| learned_from(history.entries.iter()))
            .filter(|said| !said.is_empty())
            .collect()
    }
}

/// The answers that a model sees: a catch trial compares nothing.
fn learned_from<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<Said<'a>> {
    entries.filter(|e| e.check != Some(Check::Catch)).map(Said::from).collect()
}

/// The events of a study, as a connection sees them.
struct Log<'a> {
    connection: &'a Connection,
    path: &'a Path,
    study: i64,
}

impl Log<'_> {
    /// Folds in the events of `participant` that `history` has not seen.
    fn fold(&self, learner: &Learner, participant: &str, history: &mut History) -> Result<(), Error> {
        let path = || self.path.to_path_buf();
        let events = store::events_of(self.connection, self.study, participant, history.seen());
        for event in events.map_err(|e| Error::sqlite(self.path, e))? {
            valid::check(learner, &event).map_err(|detail| Error::Damaged { path: path(), detail })?;
            history.apply(event).map_err(|unreadable| match unreadable {
                Unreadable::Damaged(detail) => Error::Damaged { path: path(), detail },
                Unreadable::Unknown(what) => Error::UnknownKind { path: path(), what },
            })?;
        }
        Ok(())
    }
}
