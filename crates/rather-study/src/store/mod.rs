//! The file: an SQLite database that holds studies, their events, and plans.
//!
//! A file is told by its application id, its layout by the user version; both stand in the header of every SQLite file.
//! With full synchronisation an answer that was acknowledged survives a killed process and a power failure, be it written to
//! the file or to its write-ahead log ([`database`] says when which). Events are only ever appended, which triggers in
//! the database see to.

mod anchor;
mod backup;
mod bring;
mod change;
pub mod check;
pub mod database;
mod header;
mod locks;
mod log;
mod migrations;
mod plans;
mod rescue;
mod rows;
mod turn;

pub use backup::{Backup, write as backup};
pub use bring::{Brought, bring};
pub use change::Amendment;
pub use database::{Database, Moved};
pub(crate) use database::{diagnose, is_too_many, too_many_files};
pub(crate) use plans::{find_plan, put_plan};
pub(crate) use rows::{
    append, event, event_of_key, events_of, import_of, is_there, participants, study, study_names,
};
pub(crate) use turn::Writing;

use crate::{Definition, Error};
use migrations::MIGRATIONS;
use rusqlite::{Transaction, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// "Rath" in ASCII: the application id of a file of studies.
pub const APPLICATION_ID: i64 = 0x5261_7468;
/// The latest version that this program reads, and that of a file with a study that asks about sets of options: the layout is that of
/// `LAYOUT`, but programs that know no sets must leave it alone.
pub const VERSION: i64 = 2;
/// The version of a file of which every question is about two: that of its layout.
const LAYOUT: i64 = MIGRATIONS.len() as i64;
/// How long a process waits for others that write.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// How long a process sleeps before it looks again whether the file is free. SQLite's own waiting grows to a tenth of a
/// second, so that whoever waited longest looks least often: with fifty writers, some waited ten times as long as most.
const NAP: Duration = Duration::from_millis(2);

/// A session that writes more often than this turns the write-ahead log on: turning it on and off costs as much as a few transactions
/// without it.
const WRITES_WITHOUT_LOG: u32 = 8;

/// An open file of studies.
#[derive(Debug)]
pub struct Store {
    database: Database,
    /// How much a commit waits for the disk.
    level: Option<&'static str>,
    writes: u32,
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
    /// One sentence each for a file that is not there, is empty, cut off, damaged, no database, another program's, a newer version's, a
    /// copy without its log, or beside the log of another file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let mut store = Self::of(Database::open(path, false)?);
        let path = store.path().to_path_buf();
        match store.kind()? {
            Kind::Blank if store.database.lacks_log() => Err(Error::LogMissing { path }),
            Kind::Blank => Err(Error::Empty { path }),
            Kind::Foreign => Err(Error::NotAStudy { path }),
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
        let mut store = Self::of(Database::open(path, true)?);
        let path = store.path().to_path_buf();
        match store.kind()? {
            Kind::Blank if store.database.lacks_log() => Err(Error::LogMissing { path }),
            Kind::Blank => store.migrate(0).map(|()| store),
            Kind::Foreign => Err(Error::NotAStudy { path }),
            Kind::Studies(version) => store.migrate(version).map(|()| store),
        }
    }

    fn of(database: Database) -> Self {
        Self { database, level: None, writes: 0 }
    }

    /// Turns the write-ahead log on, for a session that writes often or beside others.
    pub fn start_log(&self) {
        self.database.start_log();
    }

    /// Moves what the write-ahead log holds into the file, unless others are at work on it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn checkpoint(&self) -> Result<(), Error> {
        self.check(self.database.checkpoint())
    }

    /// What is worth knowing about the file, in words.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn notices(&self) -> Result<Vec<String>, Error> {
        if !self.database.lacks_log() {
            return Ok(Vec::new());
        }
        let last = "SELECT max(time) FROM events";
        let last: Option<i64> = self.check(self.connection().query_row(last, [], |row| row.get(0)))?;
        let after = last.map_or_else(
            || "answers".to_owned(),
            |last| format!("answers after {}", crate::time::format(last)),
        );
        let path = self.path().display();
        Ok(vec![format!(
            "{path} was not closed by the program that wrote to it last, and {path}-wal is not there: if this is a copy, {after} may be \
             missing; copy the -wal file of the original, too, or use `rather study backup`"
        )])
    }

    /// What the header tells. Reads only.
    fn kind(&self) -> Result<Kind, Error> {
        let number = |name| self.check(self.connection().pragma_query_value(None, name, |row| row.get(0)));
        let (application, version): (i64, i64) = (number("application_id")?, number("user_version")?);
        let tables: i64 =
            self.check(
                self.connection().query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)),
            )?;
        match (application, version, tables) {
            (0, 0, 0) => Ok(Kind::Blank),
            (APPLICATION_ID, version, _) if version > VERSION => {
                Err(Error::Newer { path: self.path().to_path_buf(), version, supported: VERSION })
            }
            (APPLICATION_ID, version, _) => Ok(Kind::Studies(version)),
            _ => Ok(Kind::Foreign),
        }
    }

    /// Brings a file of version `from` up to date, in one transaction.
    fn migrate(&mut self, from: i64) -> Result<(), Error> {
        if from < LAYOUT {
            self.write(|transaction| migrations::apply(transaction, MIGRATIONS, APPLICATION_ID))?;
        }
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.database.path()
    }

    /// The names of the studies in the file, in the order in which they were made.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn studies(&self) -> Result<Vec<String>, Error> {
        self.check(study_names(self.connection()))
    }

    /// Adds a study.
    ///
    /// # Errors
    /// If the definition or the name is wrong, or the name is taken.
    pub fn add(&mut self, name: &str, definition: &Definition) -> Result<(), Error> {
        definition.check_new()?;
        crate::definition::check_name(name).map_err(Error::Name)?;
        let text = crate::definition::as_json(definition)?;
        let added = self.write(|transaction| {
            if definition.is_of_sets() {
                transaction.pragma_update(None, "user_version", VERSION)?;
            }
            rows::add_study(transaction, name, &text)
        })?;
        if added {
            Ok(())
        } else {
            Err(Error::StudyExists { path: self.path().to_path_buf(), name: name.to_owned() })
        }
    }

    /// The connection, to read from.
    pub(crate) fn connection(&self) -> &rusqlite::Connection {
        self.database.connection()
    }

    /// A transaction that writes: no other process writes until it ends. What it commits is on the disk.
    pub(crate) fn begin(&mut self) -> Result<Writing<'_>, Error> {
        self.immediate(true)
    }

    /// As [`Store::begin`], for what follows from the rest of the file: it outlives this process, but is on the disk only with
    /// the next answer. If the machine loses power before, it is found again in the same way as the first time.
    pub(crate) fn begin_derived(&mut self) -> Result<Writing<'_>, Error> {
        self.immediate(false)
    }

    fn immediate(&mut self, synced: bool) -> Result<Writing<'_>, Error> {
        self.writes = self.writes.saturating_add(1);
        if self.writes > WRITES_WITHOUT_LOG {
            self.database.start_log();
        }
        // In the order of the log everything before a synchronised commit is on the disk with it. Without a log, EXTRA makes the removal
        // of the journal durable, which is what commits.
        let level = if synced || !self.database.logs() { "EXTRA" } else { "NORMAL" };
        if self.level != Some(level) {
            self.check(self.connection().pragma_update(None, "synchronous", level))?;
            self.level = Some(level);
        }
        let turn = self.database.writers().wait();
        self.database.notice_change();
        let path = self.path().to_path_buf();
        let behavior = TransactionBehavior::Immediate;
        let begun = Transaction::new_unchecked(self.database.connection(), behavior)
            .map_err(|e| Error::sqlite(&path, e))?;
        // The mode may have changed until the transaction began.
        self.database.notice_log();
        Ok(Writing::new(begun, turn))
    }

    /// Runs `work` in a transaction of its own.
    fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, Error> {
        let path = self.path().to_path_buf();
        let fault = |e| Error::sqlite(&path, e);
        let done = self.begin().and_then(|transaction| {
            let done = work(&transaction).map_err(fault)?;
            transaction.commit().map_err(fault)?;
            Ok(done)
        });
        self.acknowledge(None, done)
    }

    /// The error of this crate for one of SQLite's.
    pub(crate) fn check<T>(&self, result: rusqlite::Result<T>) -> Result<T, Error> {
        result.map_err(|e| Error::sqlite(self.path(), e))
    }
}

impl Error {
    /// Why the file at `path` cannot even be looked at.
    fn missing(path: &Path, error: &std::io::Error) -> Self {
        let path = path.to_path_buf();
        match error.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotPermitted { path }
            }
            _ if is_too_many(error) => Self::TooManyFiles { path },
            _ => Self::NotFound { path },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::NewEvent;
    use rusqlite::Connection;
    use std::fs;
    use std::path::PathBuf;

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
