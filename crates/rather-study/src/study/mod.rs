//! A study: ask a question, tell the answer, take it back, see what was learned.
//!
//! Every change is one transaction; in a file it is durable before it is acknowledged. Several processes may work on the same file: a
//! study reads what the others wrote before it does anything.

mod ahead;
mod ask;
#[cfg(feature = "sqlite")]
mod file;
mod look;
mod memory;
mod snapshot;
mod tell;
pub(crate) mod valid;

pub use ahead::Successors;
pub use ask::{Ask, Asked};
pub use look::Standing;
pub use memory::Clock;
pub use snapshot::{Compared, Place, Snapshot};
pub use tell::Told;

use crate::Error;
use crate::definition::{Definition, Pooling};
use crate::event::EventRow;
use crate::fingerprint::Fingerprint;
use crate::history::{Entry, History, Unreadable};
use crate::journal::Journal;
use crate::learner::{Learner, Record, Said};
use rather_numerics::order;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Who answers if nobody says who.
pub const SOMEBODY: &str = "me";

/// An open study.
#[derive(Debug)]
pub struct Study {
    journal: Journal,
    name: String,
    created: i64,
    learner: Arc<Learner>,
    /// Of all that is fixed.
    base: Fingerprint,
    /// Of all participants that were asked about so far.
    histories: BTreeMap<String, History>,
    /// How far the fingerprints of their answers are found.
    marks: BTreeMap<String, Mark>,
}

/// The fingerprint of the first answers of a participant.
#[derive(Debug, Clone, Copy)]
struct Mark {
    undone: u32,
    entries: usize,
    fingerprint: Fingerprint,
}

impl Mark {
    /// That of all answers, after `start`: new ones are added to what was `found` before, unless one was taken back in between.
    fn of(history: &History, start: Fingerprint, found: Option<Self>) -> Self {
        let undone = history.undone;
        let nothing = Self { undone, entries: 0, fingerprint: start };
        let found = found.filter(|mark| mark.undone == undone).unwrap_or(nothing);
        let new = history.entries.iter().skip(found.entries);
        let fingerprint = learned_from(new).iter().fold(found.fingerprint, with);
        Self { undone, entries: history.entries.len(), fingerprint }
    }
}

/// A fingerprint with one more answer.
fn with(so_far: Fingerprint, said: &Said<'_>) -> Fingerprint {
    so_far.answer(said.options(), said.answer, said.count)
}

impl Study {
    /// The study of this definition, which is kept as `text`.
    fn of(
        journal: Journal,
        name: String,
        created: i64,
        text: &str,
        definition: Definition,
    ) -> Result<Self, Error> {
        // A plan of another version of the program may not be what this one would ask.
        let base = Fingerprint::new().text(env!("CARGO_PKG_VERSION")).text(text);
        let learner = Arc::new(Learner::new(definition)?);
        Ok(Self { journal, name, created, learner, base, histories: BTreeMap::new(), marks: BTreeMap::new() })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file it is kept in; in memory, its name.
    pub fn path(&self) -> &Path {
        self.journal.path()
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
        self.journal.notices()
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
        for name in self.journal.participants()? {
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
        self.journal.events_of(participant, 0)
    }

    pub(crate) fn journal_mut(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// Whether the study was deleted by somebody else since it was opened.
    ///
    /// # Errors
    /// [`Error::Deleted`] if it was.
    pub(crate) fn check_there(&self) -> Result<(), Error> {
        if self.journal.holds(&self.name, self.created)? {
            return Ok(());
        }
        Err(Error::Deleted { path: self.path().to_path_buf(), name: self.name.clone() })
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
        let events = self.journal.events_of(participant, history.seen())?;
        fold(&self.learner, self.journal.path(), events, history)
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
            order::sort_by_key(&mut others, |entry| entry.event);
        }
        let own =
            self.histories.get(participant).map(|history| history.entries.as_slice()).unwrap_or_default();
        learned_from(others.into_iter().chain(own))
    }

    /// The history of `participant` as the model sees it, with its fingerprint; `then` is one more answer.
    fn situation(&mut self, participant: &str, then: Option<Said<'_>>) -> Result<(Record, String), Error> {
        let then = then.filter(|then| then.left != then.right);
        let start = self.base.text(participant);
        let own = match (self.definition().participants.model, self.histories.get(participant)) {
            (Pooling::Separate, Some(history)) => {
                let mark = Mark::of(history, start, self.marks.get(participant).copied());
                self.marks.insert(participant.to_owned(), mark);
                Some(mark.fingerprint)
            }
            _ => None,
        };
        let mut said = self.said(participant);
        let so_far = own.unwrap_or_else(|| said.iter().fold(start, with));
        let fingerprint = then.iter().fold(so_far, with);
        said.extend(then);
        if self.definition().participants.model != Pooling::Collaborative {
            return Ok((self.learner.record(said)?, fingerprint.hex()));
        }
        let others = self.others(participant);
        let whole = |f: Fingerprint, said: &Vec<Said<'_>>| said.iter().fold(f.text("other"), with);
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

/// The answers that a model sees.
fn learned_from<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<Said<'a>> {
    entries.filter(|entry| entry.is_learned_from()).map(Said::from).collect()
}

/// Folds in events that `history` has not seen, of a study that is kept at `path`.
fn fold(learner: &Learner, path: &Path, events: Vec<EventRow>, history: &mut History) -> Result<(), Error> {
    let path = || path.to_path_buf();
    for event in events {
        valid::check(learner, &event).map_err(|detail| Error::Damaged { path: path(), detail })?;
        history.apply(event).map_err(|unreadable| match unreadable {
            Unreadable::Damaged(detail) => Error::Damaged { path: path(), detail },
            Unreadable::Unknown(what) => Error::UnknownKind { path: path(), what },
        })?;
    }
    Ok(())
}
