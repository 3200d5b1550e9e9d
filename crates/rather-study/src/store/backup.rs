//! A complete copy of a file of studies, made while it is in use.

use super::Store;
use super::anchor::FileId;
use super::database::{beside, length};
use crate::Error;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Backup {
    /// The names of its studies.
    pub studies: Vec<String>,
    /// Number of events, of all studies.
    pub events: i64,
    /// Size of the file.
    pub bytes: u64,
}

/// Writes everything that is committed to the file at `to`, of which nothing belongs beside it. Others may go on working meanwhile. The
/// copy is checked before it takes its name, so that `to` is the old file or a whole backup at any moment.
///
/// # Errors
/// If `to` exists and `replace` is not set, is the study itself, or has the log of another file beside it; if either file cannot be
/// read or written, or the copy is not whole.
pub fn write(store: &Store, to: &Path, replace: bool) -> Result<Backup, Error> {
    check_target(store, to, replace)?;
    let temporary = Temporary::beside(to)?;
    let backup = copy(store, &temporary.0)?;
    fs::rename(&temporary.0, to).map_err(|e| cannot_write(to, &e))?;
    sync_folder(to);
    Ok(backup)
}

fn check_target(store: &Store, to: &Path, replace: bool) -> Result<(), Error> {
    let refuse = |problem: &str| Err(Error::Backup(format!("{} {problem}", to.display())));
    if to.is_dir() {
        return Err(Error::IsFolder { path: to.to_path_buf() });
    }
    match FileId::at(to) {
        Some(id) if id == store.database.id() => return refuse("is the study itself; name another file"),
        Some(_) if !replace => {
            return refuse(
                "exists already; name another file, or have it replaced (--force; in Python replace=True)",
            );
        }
        _ => {}
    }
    for ending in ["-wal", "-journal"] {
        if length(&beside(to, ending)).is_some_and(|length| length > 0) {
            let log = beside(to, ending);
            let problem = format!(
                "cannot be made while {} is there, which belongs to another file; move it away",
                log.display()
            );
            return refuse(&problem);
        }
    }
    Ok(())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => Error::FolderNotFound { path: path.to_path_buf() },
        std::io::ErrorKind::StorageFull => Error::DiskFull { path: path.to_path_buf() },
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            Error::NotPermitted { path: path.to_path_buf() }
        }
        _ => Error::Backup(format!("{} could not be written: {error}", path.display())),
    }
}

/// Copies the database to the file at `to`, which is empty, checks the copy and waits until it is on the disk.
pub(super) fn copy(store: &Store, to: &Path) -> Result<Backup, Error> {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    let text = to
        .to_str()
        .ok_or_else(|| Error::Backup(format!("{} is not UTF-8; name another file", to.display())))?;
    let source = store.check(contents(store.connection()))?;
    store.connection().execute("VACUUM INTO ?1", [text]).map_err(|error| {
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Error::sqlite(store.path(), error),
            _ => Error::sqlite(to, error),
        }
    })?;
    File::open(to).and_then(|file| file.sync_all()).map_err(|e| cannot_write(to, &e))?;
    let (studies, events) = verify(to)?;
    if studies.len() < source.0.len() || events < source.1 {
        return Err(Error::Damaged { path: to.to_path_buf(), detail: "the copy is not complete".to_owned() });
    }
    Ok(Backup { studies, events, bytes: length(to).unwrap_or(0) })
}

/// What a finished copy holds, if it is whole. No other connection of this process has it open.
fn verify(path: &Path) -> Result<(Vec<String>, i64), Error> {
    let fault = |e| Error::sqlite(path, e);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(fault)?;
    let said: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).map_err(fault)?;
    if said != "ok" {
        return Err(Error::Damaged { path: path.to_path_buf(), detail: said });
    }
    contents(&connection).map_err(fault)
}

/// The names of the studies, and the number of events.
fn contents(connection: &Connection) -> rusqlite::Result<(Vec<String>, i64)> {
    let events = connection.query_row("SELECT count(*) FROM events", [], |row| row.get(0))?;
    Ok((super::study_names(connection)?, events))
}

/// An empty file of its own beside another, removed unless it was renamed.
struct Temporary(PathBuf);

impl Temporary {
    fn beside(path: &Path) -> Result<Self, Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The time tells apart processes that have the same number in different containers.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let temporary = path.with_file_name(format!(".{name}.tmp-{}-{now}", std::process::id()));
        File::create_new(&temporary).map_err(|e| cannot_write(path, &e))?;
        Ok(Self(temporary))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Gone if it was renamed.
        let _ = fs::remove_file(&self.0);
        let _ = fs::remove_file(beside(&self.0, "-journal"));
    }
}

/// Makes a renaming durable, where a folder can be synchronised.
fn sync_folder(path: &Path) {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}
