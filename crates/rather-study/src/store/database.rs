//! A connection to a study file, and what must hold around it.
//!
//! A file at rest has all of its data in itself (SQLite's rollback mode), and nothing lies beside it. A session that writes often, or
//! shares the file with others, turns the write-ahead log on ([`Database::start_log`]); the last connection that closes moves the log
//! into the file and turns it off again. So the file's header says whether a log belongs to it:
//!
//! | header says | log beside it | meaning |
//! |---|---|---|
//! | file | none | complete |
//! | log | there | in use, or left by a crash: SQLite reads both |
//! | log | missing | a copy without its log, or closed last by another program |
//! | file | with content | the log of another copy: it must not be applied |

use super::anchor::{Anchor, FileId};
use super::header::{self, Header, Mode};
use super::turn::Queue;
use super::{NAP, PATIENCE};
use crate::Error;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Waits for another writer; `false` after [`PATIENCE`].
fn wait(naps: i32) -> bool {
    std::thread::sleep(NAP);
    NAP.saturating_mul(u32::try_from(naps).unwrap_or(0)) < PATIENCE
}

/// What became of the files of an open database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// There is no file of this name any more.
    FileRemoved,
    /// Another file has its name.
    FileReplaced,
    /// The write-ahead log is gone.
    LogRemoved,
    /// Another file has the name of the write-ahead log.
    LogReplaced,
}

/// An open study file.
#[derive(Debug)]
pub struct Database {
    /// As it was named.
    path: PathBuf,
    /// The file itself: absolute, links followed. SQLite names the log after it.
    real: PathBuf,
    connection: Connection,
    /// Dropped after the connection, since closing a descriptor drops the connection's locks.
    anchor: Anchor,
    /// The write-ahead log that the connection has open.
    log: Cell<Option<FileId>>,
    /// Whether the file says that it has a log and there was none.
    lacks_log: bool,
    changed: Cell<bool>,
}

impl Database {
    /// Opens the file at `path`; makes it if `create` is set and it is not there. Only reads.
    ///
    /// # Errors
    /// If it cannot be opened, is no whole database, or has the log of another file beside it.
    pub fn open(path: &Path, create: bool) -> Result<Self, Error> {
        let missing = |e: &std::io::Error| Error::missing(path, e);
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(Error::IsFolder { path: path.to_path_buf() }),
            Ok(metadata) if !metadata.is_file() => {
                return Err(Error::NotADatabase { path: path.to_path_buf() });
            }
            Err(error) if !create => return Err(missing(&error)),
            Err(_) if folder_is_missing(path) => {
                return Err(Error::FolderNotFound { path: path.to_path_buf() });
            }
            _ => {}
        }
        let anchor = Anchor::new(path, create).map_err(|e| missing(&e))?;
        let real = fs::canonicalize(path).map_err(|e| missing(&e))?;
        let header = read_header(&anchor).map_err(|e| missing(&e))?;
        let logged = length(&beside(&real, "-wal")).is_some_and(|length| length > 0);
        if !header.is_whole(logged) {
            return Err(diagnose_header(path, &header, &"its last page is incomplete"));
        }
        let lacks_log = log_of(&real, &anchor, path)?;
        let connection = connect(path, &real)?;
        let database = Self {
            path: path.to_path_buf(),
            real,
            connection,
            anchor,
            log: Cell::new(None),
            lacks_log,
            changed: Cell::new(false),
        };
        database.notice_log();
        Ok(database)
    }

    /// The file, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(super) fn real(&self) -> &Path {
        &self.real
    }

    pub(super) fn id(&self) -> FileId {
        self.anchor.id()
    }

    /// Those of this process that write to the file.
    pub(super) fn writers(&self) -> &Arc<Queue> {
        self.anchor.writers()
    }

    /// Whether the file says that a write-ahead log belongs to it, and there was none when it was opened.
    pub fn lacks_log(&self) -> bool {
        self.lacks_log
    }

    /// Turns the write-ahead log on. Where that is not possible (another program is at work, a file system without shared memory)
    /// transactions go on in the file itself, which is as safe and slower.
    pub fn start_log(&self) {
        if self.logs() || self.connection.is_readonly("main").unwrap_or(true) {
            return;
        }
        if self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).is_ok() {
            self.notice_log();
        }
    }

    /// Whether the connection writes to a log. Once it does, it goes on until it is closed.
    pub(super) fn logs(&self) -> bool {
        let mode = self.connection.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
        mode.is_ok_and(|mode| mode.eq_ignore_ascii_case("wal"))
    }

    /// Takes note of which file the log is, as soon as the connection has it open. A connection with a log open holds a lock on the
    /// database, so that no well-behaved program removes the log.
    pub(super) fn notice_log(&self) {
        if self.log.get().is_none() && self.logs() {
            // The log is opened with the first read.
            let read = self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
            if read.is_ok() {
                self.log.set(FileId::at(&self.log_path()));
            }
        }
    }

    /// Says that this connection has written.
    pub(super) fn notice_change(&self) {
        self.changed.set(true);
    }

    /// What became of the file or its log, if they are not any more where this connection has them: what it writes then is in no file
    /// that anybody finds.
    pub fn moved(&self) -> Option<Moved> {
        match FileId::at(&self.real) {
            None => return Some(Moved::FileRemoved),
            Some(id) if id != self.anchor.id() => return Some(Moved::FileReplaced),
            Some(_) => {}
        }
        match (self.log.get(), FileId::at(&self.log_path())) {
            (Some(_), None) => Some(Moved::LogRemoved),
            (Some(log), Some(found)) if log != found => Some(Moved::LogReplaced),
            // The log could not be found when it was opened.
            (None, None) if self.logs() && !self.is_immutable() => Some(Moved::LogRemoved),
            _ => None,
        }
    }

    /// Moves what the log holds into the file and empties the log.
    ///
    /// # Errors
    /// If others are reading from the log, or the disk is full.
    pub fn checkpoint(&self) -> rusqlite::Result<()> {
        if self.logs() && self.moved().is_none() {
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        }
        Ok(())
    }

    pub(super) fn log_path(&self) -> PathBuf {
        beside(&self.real, "-wal")
    }

    fn is_immutable(&self) -> bool {
        self.connection.is_readonly("main").unwrap_or(false)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if self.moved().is_some() {
            // Closing would move a log that others do not know into a file that they have changed, and remove theirs.
            let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
            super::rescue::forget(self.id());
        } else if (!self.lacks_log || self.changed.get()) && self.logs() {
            // Succeeds for the last connection only. A reader does not settle the doubt about a log that is missing.
            let _ = self.connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()));
        }
    }
}

/// Whether a log that the file needs is missing.
///
/// # Errors
/// [`Error::ForeignLog`] if there is a log that does not belong to the file.
fn log_of(real: &Path, anchor: &Anchor, path: &Path) -> Result<bool, Error> {
    let log = beside(real, "-wal");
    let mode = || read_header(anchor).ok().and_then(|header| header.mode());
    for _ in 0..LOOKS {
        let before = (FileId::at(&log), length(&log).unwrap_or(0));
        match (mode(), before) {
            (Some(Mode::Log), (None, _)) => return Ok(true),
            (Some(Mode::File), (Some(_), 1..)) => {}
            _ => return Ok(false),
        }
        // Others may have closed or opened the file between the two looks: it is a foreign log only if nothing changes.
        std::thread::sleep(NAP);
        if (FileId::at(&log), length(&log).unwrap_or(0)) == before && mode() == Some(Mode::File) {
            return Err(Error::ForeignLog { path: path.to_path_buf() });
        }
    }
    Ok(false)
}

const LOOKS: usize = 10;

fn connect(path: &Path, real: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = |location: &Path, flags| {
        Connection::open_with_flags(location, flags).and_then(|mut connection| {
            connection.busy_handler(Some(wait))?;
            connection.pragma_update(None, "foreign_keys", true)?;
            // Else a statement is compiled again whenever another number is bound to it, in case another plan suits that better.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
            // The first read opens the log, which needs a folder that may be written to.
            connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
            Ok(connection)
        })
    };
    match open(real, flags) {
        Err(error) if cannot_open(&error) && !too_many_files() && !may_write_beside(real) => {
            if length(&beside(real, "-wal")).is_some_and(|length| length > 0) {
                return Err(Error::ReadOnlyLog { path: path.to_path_buf() });
            }
            // Nobody can write there, so nothing changes while it is read.
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_URI;
            open(Path::new(&immutable(real)), flags).map_err(|e| Error::sqlite(path, e))
        }
        opened => opened.map_err(|e| Error::sqlite(path, e)),
    }
}

fn cannot_open(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, ReadOnly};
    matches!(error.sqlite_error_code(), Some(CannotOpen | ReadOnly))
}

/// Whether a file can be made beside `path`.
fn may_write_beside(path: &Path) -> bool {
    let name = format!("-rather-{}", std::process::id());
    let probe = beside(path, &name);
    let made = fs::File::create_new(&probe);
    if made.is_ok() {
        let _ = fs::remove_file(&probe);
    }
    made.is_ok()
}

/// The address by which SQLite reads a file that nobody changes.
fn immutable(path: &Path) -> String {
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                address.push(char::from(*byte))
            }
            byte => address += &format!("%{byte:02X}"),
        }
    }
    address + "?immutable=1"
}

/// Whether this process has no descriptor left, which SQLite does not tell from a missing permission.
pub(crate) fn too_many_files() -> bool {
    let null = if cfg!(windows) { "NUL" } else { "/dev/null" };
    fs::File::open(null).is_err_and(|error| is_too_many(&error))
}

/// EMFILE or ENFILE.
pub(crate) fn is_too_many(error: &std::io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// The file whose name is that of `path` and `ending`.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(ending);
    name.into()
}

pub(super) fn length(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|metadata| metadata.len())
}

fn folder_is_missing(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.is_some_and(|folder| !folder.is_dir())
}

fn read_header(anchor: &Anchor) -> std::io::Result<Header> {
    Ok(Header::new(anchor.read(header::LENGTH)?, anchor.length()?))
}

/// What is wrong with a file that SQLite cannot read, as far as its header tells.
pub(crate) fn diagnose(path: &Path, error: &dyn std::fmt::Display) -> Error {
    match Anchor::new(path, false).and_then(|anchor| read_header(&anchor)) {
        Ok(header) => diagnose_header(path, &header, error),
        Err(_) => Error::Damaged { path: path.to_path_buf(), detail: error.to_string() },
    }
}

fn diagnose_header(path: &Path, header: &Header, error: &dyn std::fmt::Display) -> Error {
    let path = path.to_path_buf();
    if !header.may_be_database() {
        return Error::NotADatabase { path };
    }
    match header.missing() {
        Some(expected) => Error::Truncated { path, found: header.length(), expected },
        None => Error::Damaged { path, detail: error.to_string() },
    }
}
