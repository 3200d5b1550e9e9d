//! The file: an SQLite database that holds studies, their events, and plans.
//!
//! A file is told by its application id, its layout by the user version; both stand in the header of every SQLite file.
//! The write-ahead log lets readers go on while one process writes, and with full synchronisation an answer that was
//! acknowledged survives a killed process and a power failure. Events are only ever appended, which triggers in
//! the database see to.

mod migrations;
mod plans;
mod rows;

pub(crate) use plans::{find_plan, put_plan};
pub(crate) use rows::{
    EventRow, NewEvent, append, event, event_of_key, events_of, import_of, participants, study, study_names,
};

use crate::{Definition, Error};
use migrations::MIGRATIONS;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// "Rath" in ASCII: the application id of a file of studies.
pub const APPLICATION_ID: i64 = 0x5261_7468;
/// The version of the layout that this program writes.
pub const VERSION: i64 = MIGRATIONS.len() as i64;
/// How long a process waits for others that write.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// How long a process sleeps before it looks again whether the file is free. SQLite's own waiting grows to a tenth of a
/// second, so that whoever waited longest looks least often: with fifty writers, some waited ten times as long as most.
const NAP: Duration = Duration::from_millis(2);

/// Waits for another writer; `false` after [`PATIENCE`].
fn wait(naps: i32) -> bool {
    std::thread::sleep(NAP);
    NAP.saturating_mul(u32::try_from(naps).unwrap_or(0)) < PATIENCE
}

/// An open file of studies.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
    /// Whether commits wait for the disk.
    synced: bool,
}

/// What the header of a file tells.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing was ever written.
    Blank,
    /// A file of studies of this version.
    Studies(i64),
    /// The database of another program.
    Foreign,
}

impl Store {
    /// Opens a file of studies; one of an older version is brought up to date.
    ///
    /// # Errors
    /// One sentence each for a file that is not there, is empty, cut off, damaged, no database, another program's, or a
    /// newer version's.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let metadata = fs::metadata(path).map_err(|e| Error::missing(path, &e))?;
        if metadata.is_dir() {
            return Err(Error::IsFolder { path: path.to_path_buf() });
        }
        if !is_whole(path, metadata.len()) {
            return Err(diagnose(path.to_path_buf(), "its last page is not whole"));
        }
        let mut store = Self::connect(path, OpenFlags::empty())?;
        match store.kind()? {
            Kind::Blank => Err(Error::Empty { path: store.path }),
            Kind::Foreign => Err(Error::NotAStudy { path: store.path }),
            Kind::Studies(version) => {
                store.migrate(version)?;
                Ok(store)
            }
        }
    }

    /// Opens a file of studies, making it if there is none.
    ///
    /// # Errors
    /// As [`Store::open`], and if its folder does not exist or may not be written to.
    pub fn open_or_create(path: &Path) -> Result<Self, Error> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(Error::IsFolder { path: path.to_path_buf() }),
            Ok(metadata) if !is_whole(path, metadata.len()) => return Self::open(path),
            Ok(_) => {}
            Err(_) => {
                let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
                if folder.is_some_and(|folder| !folder.is_dir()) {
                    return Err(Error::FolderNotFound { path: path.to_path_buf() });
                }
            }
        }
        let mut store = Self::connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        match store.kind()? {
            Kind::Blank => store.migrate(0)?,
            Kind::Foreign => return Err(Error::NotAStudy { path: store.path }),
            Kind::Studies(version) => store.migrate(version)?,
        }
        Ok(store)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, Error> {
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // A path with a folder is a file, whatever its name: ":memory:" would be none.
        let location = if path.is_relative() { Path::new(".").join(path) } else { path.to_path_buf() };
        let opened = Connection::open_with_flags(location, flags).and_then(|mut connection| {
            connection.busy_handler(Some(wait))?;
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok(connection)
        });
        let connection = opened.map_err(|e| Error::sqlite(path, e))?;
        Ok(Self { path: path.to_path_buf(), connection, synced: false })
    }

    /// What the header tells. Reads only.
    fn kind(&self) -> Result<Kind, Error> {
        let number = |name| self.check(self.connection.pragma_query_value(None, name, |row| row.get(0)));
        let (application, version): (i64, i64) = (number("application_id")?, number("user_version")?);
        let tables: i64 =
            self.check(
                self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)),
            )?;
        match (application, version, tables) {
            (0, 0, 0) => Ok(Kind::Blank),
            (APPLICATION_ID, version, _) if version > VERSION => {
                Err(Error::Newer { path: self.path.clone(), version, supported: VERSION })
            }
            (APPLICATION_ID, version, _) => Ok(Kind::Studies(version)),
            _ => Ok(Kind::Foreign),
        }
    }

    /// Brings a file of version `from` up to date, in one transaction, and turns on what every connection needs.
    fn migrate(&mut self, from: i64) -> Result<(), Error> {
        let mode: String =
            self.check(self.connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)))?;
        if !mode.eq_ignore_ascii_case("wal") {
            self.check(self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())))?;
        }
        self.sync_commits(true)?;
        if from < VERSION {
            self.write(|transaction| migrations::apply(transaction, MIGRATIONS, APPLICATION_ID))?;
        }
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the studies in the file, in the order in which they were made.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn studies(&self) -> Result<Vec<String>, Error> {
        self.check(study_names(&self.connection))
    }

    /// Adds a study.
    ///
    /// # Errors
    /// If the definition or the name is wrong, or the name is taken.
    pub fn add(&mut self, name: &str, definition: &Definition) -> Result<(), Error> {
        definition.check()?;
        crate::definition::check_name(name).map_err(Error::Name)?;
        let text = serde_json::to_string(definition)
            .map_err(|e| Error::Name(format!("the definition cannot be written as JSON: {e}")))?;
        let added = self.write(|transaction| rows::add_study(transaction, name, &text))?;
        if added {
            Ok(())
        } else {
            Err(Error::StudyExists { path: self.path.clone(), name: name.to_owned() })
        }
    }

    /// The connection, to read from.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// A transaction that writes: no other process writes until it ends. What it commits is on the disk.
    pub(crate) fn begin(&mut self) -> Result<Transaction<'_>, Error> {
        self.sync_commits(true)?;
        self.immediate()
    }

    /// As [`Store::begin`], for what follows from the rest of the file: it outlives this process, but is on the disk only with
    /// the next answer. If the machine loses power before, it is found again in the same way as the first time.
    pub(crate) fn begin_derived(&mut self) -> Result<Transaction<'_>, Error> {
        self.sync_commits(false)?;
        self.immediate()
    }

    /// Whether a commit waits for the disk. In the order of the log everything before it is there, too.
    fn sync_commits(&mut self, synced: bool) -> Result<(), Error> {
        if self.synced != synced {
            let level = if synced { "FULL" } else { "NORMAL" };
            self.check(self.connection.pragma_update(None, "synchronous", level))?;
            self.synced = synced;
        }
        Ok(())
    }

    fn immediate(&mut self) -> Result<Transaction<'_>, Error> {
        self.connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|e| Error::sqlite(&self.path, e))
    }

    /// Runs `work` in a transaction of its own.
    fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, Error> {
        let path = self.path.clone();
        let fault = |e| Error::sqlite(&path, e);
        let transaction = self.begin()?;
        let done = work(&transaction).map_err(fault)?;
        transaction.commit().map_err(fault)?;
        Ok(done)
    }

    /// The error of this crate for one of SQLite's.
    pub(crate) fn check<T>(&self, result: rusqlite::Result<T>) -> Result<T, Error> {
        result.map_err(|e| Error::sqlite(&self.path, e))
    }
}

impl Error {
    /// Why the file at `path` cannot even be looked at.
    fn missing(path: &Path, error: &std::io::Error) -> Self {
        let path = path.to_path_buf();
        match error.kind() {
            std::io::ErrorKind::PermissionDenied => Self::NotPermitted { path },
            _ => Self::NotFound { path },
        }
    }
}

/// Whether a file of this length consists of whole pages, as far as that matters: SQLite takes the beginning of a page for
/// an empty file, which it would write over, and the missing end of a page for zeros.
fn is_whole(path: &Path, length: u64) -> bool {
    let Ok(bytes) = first_bytes(path) else { return true };
    if length == 0 || !bytes.starts_with(MAGIC) {
        // Whether it is empty, or no database, is said elsewhere; but no database is smaller than a page.
        return length == 0 || length >= SMALLEST_PAGE;
    }
    // A page that a power failure left half written is made whole from the log.
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let logged = fs::metadata(log).is_ok_and(|log| log.len() > 0);
    logged || page_size(&bytes).is_some_and(|size| length.is_multiple_of(size))
}

/// What is wrong with a file that SQLite cannot read, as far as its header tells.
pub(crate) fn diagnose(path: PathBuf, error: impl std::fmt::Display) -> Error {
    let detail = error.to_string();
    let Ok(bytes) = first_bytes(&path) else { return Error::Damaged { path, detail } };
    if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
        return Error::NotADatabase { path };
    }
    let found = fs::metadata(&path).map_or(0, |m| m.len());
    // The header has 100 bytes.
    let expected = page_size(&bytes).zip(number(&bytes, 28, 4)).map_or(100, |(size, pages)| size * pages);
    if found < expected {
        Error::Truncated { path, found, expected }
    } else {
        Error::Damaged { path, detail }
    }
}

/// With what every SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
const SMALLEST_PAGE: u64 = 512;

/// The number in `n` bytes of a header.
fn number(bytes: &[u8], at: usize, n: usize) -> Option<u64> {
    Some(bytes.get(at..at + n)?.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}

fn page_size(bytes: &[u8]) -> Option<u64> {
    match number(bytes, 16, 2)? {
        1 => Some(65_536),
        size => Some(size.max(SMALLEST_PAGE)),
    }
}

fn first_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(100).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(path: &Path) -> String {
        let shown = path.display().to_string();
        Store::open(path).unwrap_err().to_string().replace(&shown, "s.db")
    }

    fn study_file(folder: &Path) -> PathBuf {
        let path = folder.join("s.db");
        let mut store = Store::open_or_create(&path).unwrap();
        store.add("tea", &Definition::of_items((0..500).map(|i| format!("tea number {i}")))).unwrap();
        path
    }

    #[test]
    fn files_that_are_none_have_their_sentences() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        assert_eq!(sentence(&path), "s.db does not exist; make a study with `rather study new s.db`");
        assert_eq!(
            Store::open(folder.path()).unwrap_err().to_string(),
            format!("{} is a folder; name a file", folder.path().display())
        );
        fs::write(&path, "").unwrap();
        assert_eq!(sentence(&path), "s.db is empty; make a study in it with `rather study new s.db`");
        let no_database =
            "s.db is not a study file (it is no SQLite database); name a file made by `rather study new`";
        for text in ["winner,loser\n".to_owned(), "x".repeat(10_000)] {
            fs::write(&path, &text).unwrap();
            assert_eq!(sentence(&path), no_database);
            // Making a study there is no way to lose what is in it.
            assert!(Store::open_or_create(&path).is_err());
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::remove_file(&path).unwrap();
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
        assert_eq!(
            sentence(&path),
            "s.db is an SQLite database, but not one of studies; name a file made by `rather study new`"
        );
        let nowhere = folder.path().join("no/s.db");
        assert!(matches!(Store::open_or_create(&nowhere), Err(Error::FolderNotFound { .. })));
    }

    #[test]
    fn newer_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = study_file(folder.path());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
        let expected = format!(
            "s.db was written by a newer rather (study version {}; this program reads up to {VERSION}): update the program",
            VERSION + 1
        );
        assert_eq!(sentence(&path), expected);
        assert!(Store::open_or_create(&path).is_err());
    }

    #[test]
    fn every_cut_of_a_file_is_an_error_and_never_a_panic() {
        let folder = tempfile::tempdir().unwrap();
        let path = study_file(folder.path());
        let whole = fs::read(&path).unwrap();
        assert!(whole.len() > 20_000 && !folder.path().join("s.db-wal").exists());
        for length in
            [1, 15, 16, 50, 99, 100, 511, 512, 1000, 4095, 4096, 8192, whole.len() - 4096, whole.len() - 1]
        {
            fs::write(&path, &whole[..length]).unwrap();
            let error = Store::open(&path).and_then(|store| study(&store, None)).map(|_| ()).unwrap_err();
            let sentence = error.to_string();
            assert!(matches!(error, Error::Truncated { .. }), "{length}: {sentence}");
            assert!(sentence.contains(&format!("it has {length} bytes and should have ")), "{sentence}");
        }
        for from in [100, 4096] {
            let mut damaged = whole.clone();
            damaged[from..].fill(0x5a);
            fs::write(&path, &damaged).unwrap();
            let error = Store::open(&path).and_then(|store| study(&store, None)).map(|_| ()).unwrap_err();
            assert!(matches!(error, Error::Damaged { .. }), "{error}");
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = study_file(folder.path());
        let mut store = Store::open_or_create(&path).unwrap();
        let definition = Definition::of_items(["a", "b"]);
        assert!(matches!(store.add("tea", &definition), Err(Error::StudyExists { .. })));
        assert_eq!(study(&store, None).unwrap().name, "tea");
        store.add("coffee", &definition).unwrap();
        assert_eq!(store.studies().unwrap(), ["tea", "coffee"]);
        assert!(matches!(study(&store, None), Err(Error::WhichStudy { .. })));
        assert_eq!(study(&store, Some("coffee")).unwrap().definition, definition);
        assert!(matches!(study(&store, Some("wine")), Err(Error::UnknownStudy { .. })));
        assert!(matches!(store.add(" ", &definition), Err(Error::Name(_))));
        assert!(matches!(store.add("one", &Definition::of_items(["a"])), Err(Error::Fault(_))));
    }

    #[test]
    fn events_cannot_be_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = study_file(folder.path());
        let mut store = Store::open(&path).unwrap();
        let event = NewEvent { participant: "ann", key: "k".into(), kind: "skipped", ..NewEvent::default() };
        store.write(|t| append(t, 1, &event)).unwrap();
        for change in ["UPDATE events SET participant = 'bob'", "DELETE FROM events"] {
            let error = store.write(|t| t.execute(change, [])).unwrap_err();
            assert!(error.to_string().contains("events are only ever appended"), "{error}");
        }
    }
}
