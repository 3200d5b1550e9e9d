//! What happens when the file or its log is removed or replaced while this process writes to it: nothing more is acknowledged, and
//! everything that this process can still read is kept in a file of its own.

use super::anchor::FileId;
use super::{Store, append, backup};
use crate::event::NewEvent;
use crate::{Error, time};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The rescue files of this process, by the file that was lost: one for all connections.
static RESCUED: Mutex<BTreeMap<FileId, PathBuf>> = Mutex::new(BTreeMap::new());

impl Store {
    /// Passes on what became of a transaction, unless the file or its log was moved: then nobody finds what was written. `event` is what
    /// must be kept all the same.
    ///
    /// # Errors
    /// [`Error::Moved`], or that of `done`.
    pub(crate) fn acknowledge<T>(
        &self,
        event: Option<(i64, &NewEvent<'_>)>,
        done: Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(what) = self.database.moved() else { return done };
        let rescue = self.rescue(event).map_err(|error| error.to_string());
        Err(Error::Moved { path: self.path().to_path_buf(), what, rescue })
    }

    /// Keeps all that this connection can read, and `event`, in a file beside the lost one.
    fn rescue(&self, event: Option<(i64, &NewEvent<'_>)>) -> Result<PathBuf, Error> {
        let mut rescued = RESCUED.lock().unwrap_or_else(PoisonError::into_inner);
        let known = rescued.get(&self.database.id()).filter(|path| path.exists()).cloned();
        let path = match known {
            Some(path) => path,
            None => {
                let path = self.copy_aside()?;
                rescued.insert(self.database.id(), path.clone());
                path
            }
        };
        if let Some((study, event)) = event {
            keep(&path, study, event)?;
        }
        Ok(path)
    }

    /// Copies the database beside the lost file or, if that folder is lost, too, to the folder for temporary files.
    fn copy_aside(&self) -> Result<PathBuf, Error> {
        let folder = self.database.real().parent().unwrap_or(Path::new("."));
        let name = rescue_name(self.database.real());
        let first = folder.join(&name);
        match backup::copy(self, &first) {
            Ok(_) => Ok(first),
            Err(_) => {
                let _ = fs::remove_file(&first);
                let second = std::env::temp_dir().join(&name);
                backup::copy(self, &second).map(|_| second)
            }
        }
    }
}

/// Forgets the rescue file of a file that is being closed: its number may become another file's.
pub(super) fn forget(id: FileId) {
    RESCUED.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
}

/// `tea.rescued-20261122T081500.250Z-4711.study` for `tea.study`.
fn rescue_name(path: &Path) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64);
    let now = time::format(now).replace(['-', ':'], "");
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    format!("{stem}.rescued-{now}-{}{ending}", std::process::id())
}

/// Adds an event to a rescue file unless it is there, which its key tells.
fn keep(path: &Path, study: i64, event: &NewEvent<'_>) -> Result<(), Error> {
    let kept = Connection::open(path).and_then(|connection| {
        connection.pragma_update(None, "synchronous", "EXTRA")?;
        if super::event_of_key(&connection, study, &event.key)?.is_none() {
            append(&connection, study, event)?;
        }
        Ok(())
    });
    kept.map_err(|e| Error::sqlite(path, e))
}
