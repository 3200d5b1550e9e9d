//! Where the events of a study are kept: in a file, or in memory, where there is no file system, as in a browser.
//!
//! Either way events are only ever appended, and a reader sees those of others in their order.

mod memory;

pub use memory::Clock;
pub(crate) use memory::Memory;

use crate::Error;
use crate::event::{EventRow, NewEvent};
#[cfg(feature = "sqlite")]
use crate::store::{self, Store};
use std::path::Path;

/// What keeps the events of one study.
#[derive(Debug)]
pub(crate) enum Journal {
    /// The study of this number in a file.
    #[cfg(feature = "sqlite")]
    File(Store, i64),
    /// Memory, which holds nothing else.
    Memory(Memory),
}

/// Changes that are made together, once they are committed.
pub(crate) enum Transaction<'a> {
    #[cfg(feature = "sqlite")]
    File {
        transaction: store::Writing<'a>,
        study: i64,
        path: std::path::PathBuf,
    },
    Memory(&'a mut Memory),
}

impl Journal {
    /// The file, or what messages call the study.
    pub(crate) fn path(&self) -> &Path {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store, _) => store.path(),
            Self::Memory(memory) => memory.path(),
        }
    }

    /// What is worth knowing about the file, in words.
    pub(crate) fn notices(&self) -> Result<Vec<String>, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store, _) => store.notices(),
            Self::Memory(_) => Ok(Vec::new()),
        }
    }

    /// Everybody who has an event, in alphabetical order.
    pub(crate) fn participants(&self) -> Result<Vec<String>, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store, study) => store.check(store::participants(store.connection(), *study)),
            Self::Memory(memory) => Ok(memory.participants()),
        }
    }

    /// The events of a participant after event `after`, in their order.
    pub(crate) fn events_of(&self, participant: &str, after: i64) -> Result<Vec<EventRow>, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store, study) => {
                store.check(store::events_of(store.connection(), *study, participant, after))
            }
            Self::Memory(memory) => Ok(memory.events_of(participant, after)),
        }
    }

    /// The plan for a history.
    pub(crate) fn find_plan(&self, participant: &str, history: &str) -> Result<Option<String>, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store, study) => {
                store.check(store::find_plan(store.connection(), *study, participant, history))
            }
            Self::Memory(memory) => Ok(memory.find_plan(participant, history)),
        }
    }

    /// Whether what is written now would be found again: a file and its log are where they were.
    ///
    /// # Errors
    /// [`Error::Moved`] if they are not.
    pub(crate) fn check_place(&self) -> Result<(), Error> {
        self.acknowledge(None, Ok(()))
    }

    /// Whether the study of this name that was made then is still there. Numbers of deleted studies are given to others.
    pub(crate) fn holds(&self, name: &str, created: i64) -> Result<bool, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store, study) => {
                store.check(store::is_there(store.connection(), *study, name, created))
            }
            Self::Memory(_) => {
                let _ = (name, created);
                Ok(true)
            }
        }
    }

    /// A transaction that is on the disk once it is committed.
    pub(crate) fn begin(&mut self) -> Result<Transaction<'_>, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store, study) => {
                let (study, path) = (*study, store.path().to_path_buf());
                Ok(Transaction::File { transaction: store.begin()?, study, path })
            }
            Self::Memory(memory) => Ok(Transaction::Memory(memory)),
        }
    }

    /// As [`Journal::begin`], for what follows from the rest, so that nothing must wait for the disk.
    pub(crate) fn begin_derived(&mut self) -> Result<Transaction<'_>, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store, study) => {
                let (study, path) = (*study, store.path().to_path_buf());
                Ok(Transaction::File { transaction: store.begin_derived()?, study, path })
            }
            Self::Memory(memory) => Ok(Transaction::Memory(memory)),
        }
    }

    /// Passes on what became of a transaction, unless nobody would find what was written; `event` is what must be kept all the same.
    pub(crate) fn acknowledge<T>(
        &self,
        event: Option<&NewEvent<'_>>,
        done: Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store, study) => store.acknowledge(event.map(|event| (*study, event)), done),
            Self::Memory(_) => {
                let _ = event;
                done
            }
        }
    }
}

impl Transaction<'_> {
    /// As [`Journal::path`].
    pub(crate) fn path(&self) -> &Path {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File { path, .. } => path,
            Self::Memory(memory) => memory.path(),
        }
    }

    /// As [`Journal::events_of`].
    pub(crate) fn events_of(&self, participant: &str, after: i64) -> Result<Vec<EventRow>, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File { transaction, study, path } => {
                store::events_of(transaction, *study, participant, after).map_err(|e| Error::sqlite(path, e))
            }
            Self::Memory(memory) => Ok(memory.events_of(participant, after)),
        }
    }

    /// The event that has `key`.
    pub(crate) fn event_of_key(&self, key: &str) -> Result<Option<EventRow>, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File { transaction, study, path } => {
                store::event_of_key(transaction, *study, key).map_err(|e| Error::sqlite(path, e))
            }
            Self::Memory(memory) => Ok(memory.event_of_key(key)),
        }
    }

    /// The event of this number.
    pub(crate) fn event(&self, id: i64) -> Result<EventRow, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File { transaction, study, path } => {
                store::event(transaction, *study, id).map_err(|e| Error::sqlite(path, e))
            }
            Self::Memory(memory) => memory.event(id),
        }
    }

    /// Whose answers the import of this key prefix made, and how many of each.
    pub(crate) fn import_of(&self, prefix: &str) -> Result<Vec<(String, i64)>, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File { transaction, study, path } => {
                store::import_of(transaction, *study, prefix).map_err(|e| Error::sqlite(path, e))
            }
            Self::Memory(memory) => Ok(memory.import_of(prefix)),
        }
    }

    /// Appends an event and returns its number.
    pub(crate) fn append(&mut self, event: &NewEvent<'_>) -> Result<i64, Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File { transaction, study, path } => {
                store::append(transaction, *study, event).map_err(|e| Error::sqlite(path, e))
            }
            Self::Memory(memory) => Ok(memory.append(event)),
        }
    }

    /// Keeps a plan; those for other histories than `wanted` are cleared away.
    pub(crate) fn put_plan(
        &mut self,
        participant: &str,
        plan: (&str, &str),
        wanted: &[String],
    ) -> Result<(), Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File { transaction, study, path } => {
                store::put_plan(transaction, *study, participant, plan, wanted)
                    .map_err(|e| Error::sqlite(path, e))
            }
            Self::Memory(memory) => {
                memory.put_plan(participant, plan, wanted);
                Ok(())
            }
        }
    }

    /// Makes the changes.
    pub(crate) fn commit(self) -> Result<(), Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File { transaction, path, .. } => transaction.commit().map_err(|e| Error::sqlite(&path, e)),
            Self::Memory(_) => Ok(()),
        }
    }
}
