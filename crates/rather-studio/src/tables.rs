//! What the studio itself keeps, in tables of its own in the file of studies: its secret, links of participants, uploads,
//! which studies were put away.

mod bring;
mod doors;
mod remarks;

pub use doors::{Door, Joined};
pub use remarks::Remark;

use crate::Error;
use crate::render::{Format, Media};
use crate::security::participant::LinkToken;
use crate::security::secret::{Secret, hash};
use data_encoding::HEXLOWER;
use rather_study::store::Database;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const LAYOUT: &str = "
CREATE TABLE IF NOT EXISTS studio_settings (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS studio_links (
    hash        BLOB PRIMARY KEY,          -- of the link's last part, which is kept nowhere
    study       TEXT NOT NULL,
    participant TEXT NOT NULL,
    UNIQUE (study, participant)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS studio_blobs (
    hash  BLOB PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS studio_uploads (
    study  TEXT NOT NULL,
    name   TEXT NOT NULL,
    format TEXT NOT NULL,                  -- as told by its first bytes
    hash   BLOB NOT NULL REFERENCES studio_blobs (hash),
    PRIMARY KEY (study, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS studio_archive (
    study TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS studio_doors (
    hash  BLOB PRIMARY KEY,                -- as that of a participant's link
    study TEXT NOT NULL,
    kind  TEXT NOT NULL,                   -- join, result
    whose TEXT NOT NULL,                   -- of a result the participant, else nothing
    quota INTEGER,                         -- of a door to join by, how many may
    UNIQUE (study, kind, whose)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS studio_remarks (
    study       TEXT NOT NULL,
    participant TEXT NOT NULL,
    question    TEXT NOT NULL,
    answer      TEXT NOT NULL,
    time        INTEGER NOT NULL,          -- milliseconds since 1970, UTC
    PRIMARY KEY (study, participant, question)
) STRICT, WITHOUT ROWID;
";

/// How long a change waits for other processes that write.
const PATIENCE: Duration = Duration::from_secs(15);

/// The studio's tables.
#[derive(Debug)]
pub struct Tables {
    path: PathBuf,
    database: Mutex<Database>,
}

/// The tables, as long as nobody else may use their connection.
struct Held<'a>(MutexGuard<'a, Database>);

impl std::ops::Deref for Held<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0.connection()
    }
}

/// Whose page a link opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    /// The study's name.
    pub study: String,
    /// The participant's name.
    pub participant: String,
}

impl Tables {
    /// Opens the tables in a file of studies, which is there already.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let fault = |source| Error::Tables { path: path.to_path_buf(), source };
        let database = Database::open(path, false)?;
        let connection = database.connection();
        connection.busy_timeout(PATIENCE).map_err(fault)?;
        connection.pragma_update(None, "synchronous", "EXTRA").map_err(fault)?;
        let is_there =
            "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'studio\\_%' ESCAPE '\\' AND type = 'table'";
        let tables: i64 = connection.query_row(is_there, [], |row| row.get(0)).map_err(fault)?;
        if tables < 7 {
            connection.execute_batch(&format!("BEGIN IMMEDIATE; {LAYOUT} COMMIT;")).map_err(fault)?;
        }
        Ok(Self { path: path.to_path_buf(), database: Mutex::new(database) })
    }

    fn connection(&self) -> Held<'_> {
        // A panic between two statements leaves the connection usable: a transaction that was dropped is rolled back.
        Held(self.database.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn check<T>(&self, result: rusqlite::Result<T>) -> Result<T, Error> {
        result.map_err(|source| Error::Tables { path: self.path.clone(), source })
    }

    /// What came of a change, which is kept only if the file is still where it was.
    fn kept<T>(&self, held: &Held<'_>, result: rusqlite::Result<T>) -> Result<T, Error> {
        let done = self.check(result)?;
        match held.0.moved() {
            None => Ok(done),
            Some(_) => Err(Error::File {
                path: self.path.clone(),
                reason: "the file or its log was removed or replaced while it was in use, so the change is not kept".to_owned(),
            }),
        }
    }

    /// The secret of this file; made when first asked for.
    ///
    /// # Errors
    /// If it cannot be read or made.
    pub fn secret(&self) -> Result<Secret, Error> {
        let fresh = Secret::generate()?;
        let connection = self.connection();
        let insert = "INSERT INTO studio_settings (name, value) VALUES ('secret', ?1) ON CONFLICT DO NOTHING";
        self.check(connection.execute(insert, [fresh.bytes().as_slice()]))?;
        let read = "SELECT value FROM studio_settings WHERE name = 'secret'";
        let bytes: [u8; 32] = self.check(connection.query_row(read, [], |row| row.get(0)))?;
        Ok(Secret::from_bytes(bytes))
    }

    /// Makes a link for a participant; an earlier one of theirs opens nothing any more.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn invite(&self, study: &str, participant: &str) -> Result<LinkToken, Error> {
        let token = LinkToken::generate()?;
        let sql = "INSERT INTO studio_links (hash, study, participant) VALUES (?1, ?2, ?3)
                   ON CONFLICT (study, participant) DO UPDATE SET hash = excluded.hash";
        let connection = self.connection();
        let made = connection.execute(sql, params![token.hash().as_slice(), study, participant]);
        self.kept(&connection, made).map(|_| token)
    }

    /// Whose link this is.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn guest(&self, token: &LinkToken) -> Result<Option<Guest>, Error> {
        let sql = "SELECT study, participant FROM studio_links l WHERE hash = ?1
                   AND NOT EXISTS (SELECT 1 FROM studio_archive a WHERE a.study = l.study)";
        let read = |row: &rusqlite::Row<'_>| Ok(Guest { study: row.get(0)?, participant: row.get(1)? });
        let connection = self.connection();
        let found = connection
            .prepare_cached(sql)
            .and_then(|mut query| query.query_row([token.hash().as_slice()], read).optional());
        self.check(found)
    }

    /// Who has a link to a study.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn invited(&self, study: &str) -> Result<Vec<String>, Error> {
        self.texts("SELECT participant FROM studio_links WHERE study = ?1 ORDER BY participant", study)
    }

    /// Keeps the files of a study, by name.
    ///
    /// # Errors
    /// If they cannot be kept.
    pub fn keep<'a>(
        &self,
        study: &str,
        files: impl IntoIterator<Item = (&'a str, &'a Media)>,
    ) -> Result<(), Error> {
        let connection = self.connection();
        let transaction = self.check(connection.unchecked_transaction())?;
        for (name, Media { format, bytes }) in files {
            let (hash, bytes) = (hash(bytes), bytes.as_ref());
            let blob = "INSERT INTO studio_blobs (hash, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.check(transaction.execute(blob, params![hash.as_slice(), bytes]))?;
            let upload =
                "INSERT OR REPLACE INTO studio_uploads (study, name, format, hash) VALUES (?1, ?2, ?3, ?4)";
            self.check(transaction.execute(upload, params![study, name, format.name(), hash.as_slice()]))?;
        }
        self.kept(&connection, transaction.commit())
    }

    /// A file of a study.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn upload(&self, study: &str, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let sql =
            "SELECT bytes FROM studio_uploads JOIN studio_blobs USING (hash) WHERE study = ?1 AND name = ?2";
        let connection = self.connection();
        self.check(connection.query_row(sql, [study, name], |row| row.get(0)).optional())
    }

    /// The names of a study's files, and what they are.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn uploads(&self, study: &str) -> Result<BTreeMap<String, Format>, Error> {
        let connection = self.connection();
        let rows: rusqlite::Result<Vec<(String, String)>> = connection
            .prepare_cached("SELECT name, format FROM studio_uploads WHERE study = ?1")
            .and_then(|mut query| query.query_map([study], |row| Ok((row.get(0)?, row.get(1)?)))?.collect());
        let rows = self.check(rows)?;
        Ok(rows.into_iter().filter_map(|(name, format)| Some((name, Format::named(&format)?))).collect())
    }

    /// Puts a study away: it is kept, but neither shown nor answered.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn archive(&self, study: &str) -> Result<(), Error> {
        let connection = self.connection();
        let sql = "INSERT INTO studio_archive (study) VALUES (?1) ON CONFLICT DO NOTHING";
        self.kept(&connection, connection.execute(sql, [study])).map(|_| ())
    }

    /// Brings an archived study back.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn restore(&self, study: &str) -> Result<(), Error> {
        let connection = self.connection();
        let sql = "DELETE FROM studio_archive WHERE study = ?1";
        self.kept(&connection, connection.execute(sql, [study])).map(|_| ())
    }

    /// Removes all that is kept of a study here: its links and its files.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn forget(&self, study: &str) -> Result<(), Error> {
        let connection = self.connection();
        self.check(connection.pragma_update(None, "secure_delete", true))?;
        let transaction = self.check(connection.unchecked_transaction())?;
        for table in ["studio_links", "studio_uploads", "studio_archive", "studio_doors", "studio_remarks"] {
            self.check(transaction.execute(&format!("DELETE FROM {table} WHERE study = ?1"), [study]))?;
        }
        let begun = "DELETE FROM studio_settings WHERE substr(name, 1, length(?1)) = ?1";
        self.check(transaction.execute(begun, [begun_in(study)]))?;
        let unused = "DELETE FROM studio_blobs WHERE hash NOT IN (SELECT hash FROM studio_uploads)";
        self.check(transaction.execute(unused, []))?;
        self.kept(&connection, transaction.commit())
    }

    /// Remembers that a participant has read the instructions and agreed to what there was.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn begin(&self, study: &str, participant: &str) -> Result<(), Error> {
        let sql = "INSERT INTO studio_settings (name, value) VALUES (?1, x'01') ON CONFLICT DO NOTHING";
        let connection = self.connection();
        self.kept(&connection, connection.execute(sql, [begun(study, participant)])).map(|_| ())
    }

    /// Whether a participant has done so.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn has_begun(&self, study: &str, participant: &str) -> Result<bool, Error> {
        let sql = "SELECT count(*) FROM studio_settings WHERE name = ?1";
        let connection = self.connection();
        self.check(connection.query_row(sql, [begun(study, participant)], |row| row.get(0)))
    }

    /// Remembers that a session was ended before its time.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn end_session(&self, name: [u8; 16], ends: u64) -> Result<(), Error> {
        let connection = self.connection();
        let sql = "INSERT INTO studio_settings (name, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        let entry = format!("{ENDED}{}", HEXLOWER.encode(&name));
        self.kept(&connection, connection.execute(sql, params![entry, ends.to_be_bytes().as_slice()]))
            .map(|_| ())
    }

    /// The sessions that were ended before their time, which is not over. Those of which it is over are forgotten.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn ended_sessions(&self, now: u64) -> Result<HashSet<[u8; 16]>, Error> {
        let connection = self.connection();
        // Big-endian numbers of one length have the order of their bytes.
        let old = "DELETE FROM studio_settings WHERE substr(name, 1, length(?1)) = ?1 AND value <= ?2";
        let now = now.to_be_bytes();
        self.check(connection.execute(old, params![ENDED, now.as_slice()]))?;
        let sql =
            "SELECT substr(name, length(?1) + 1) FROM studio_settings WHERE substr(name, 1, length(?1)) = ?1";
        let names = connection
            .prepare_cached(sql)
            .and_then(|mut query| query.query_map([ENDED], |row| row.get::<_, String>(0))?.collect());
        let names: Vec<String> = self.check(names)?;
        Ok(names.iter().filter_map(|name| HEXLOWER.decode(name.as_bytes()).ok()?.try_into().ok()).collect())
    }

    /// Ends the link of a participant.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn revoke(&self, study: &str, participant: &str) -> Result<(), Error> {
        let connection = self.connection();
        let sql = "DELETE FROM studio_links WHERE study = ?1 AND participant = ?2";
        self.kept(&connection, connection.execute(sql, [study, participant])).map(|_| ())
    }

    /// The studies that were put away.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn archived(&self) -> Result<Vec<String>, Error> {
        self.texts("SELECT study FROM studio_archive WHERE ?1 = ?1 ORDER BY study", "")
    }

    fn texts(&self, sql: &str, parameter: &str) -> Result<Vec<String>, Error> {
        let connection = self.connection();
        let rows = connection
            .prepare_cached(sql)
            .and_then(|mut query| query.query_map([parameter], |row| row.get(0))?.collect());
        self.check(rows)
    }
}

/// What all entries begin with that remember an ended session.
const ENDED: &str = "ended\u{1f}";

/// What all entries begin with that remember who has begun a study.
fn begun_in(study: &str) -> String {
    format!("begun\u{1f}{study}\u{1f}")
}

/// The entry that remembers that a participant has begun.
fn begun(study: &str, participant: &str) -> String {
    begun_in(study) + participant
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> (tempfile::TempDir, Tables) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        drop(rather_study::store::Store::open_or_create(&path).unwrap());
        let tables = Tables::open(&path).unwrap();
        (folder, tables)
    }

    #[test]
    fn the_file_stays_one_of_studies_and_keeps_its_secret() {
        let (folder, tables) = tables();
        let path = folder.path().join("s.db");
        let secret = tables.secret().unwrap();
        drop(tables);
        assert!(rather_study::store::Store::open(&path).is_ok());
        assert_eq!(Tables::open(&path).unwrap().secret().unwrap().bytes(), secret.bytes());
    }

    #[test]
    fn a_link_opens_one_page_until_there_is_a_new_one() {
        let (folder, tables) = tables();
        let (ann, bob) = (tables.invite("tea", "ann").unwrap(), tables.invite("tea", "bob").unwrap());
        let guest = tables.guest(&ann).unwrap().unwrap();
        assert_eq!((guest.study.as_str(), guest.participant.as_str()), ("tea", "ann"));
        let again = tables.invite("tea", "ann").unwrap();
        assert_eq!(tables.guest(&ann).unwrap(), None);
        assert_eq!(tables.guest(&again).unwrap().unwrap().participant, "ann");
        assert_eq!(tables.guest(&bob).unwrap().unwrap().participant, "bob");
        assert_eq!(tables.invited("tea").unwrap(), ["ann", "bob"]);
        let text = again.path().split_off(3);
        let kept = std::fs::read(folder.path().join("s.db")).unwrap();
        let log = std::fs::read(folder.path().join("s.db-wal")).unwrap_or_default();
        let found = |bytes: &[u8]| bytes.windows(text.len()).any(|w| w == text.as_bytes());
        assert!(!found(&kept) && !found(&log), "the link itself is in the file");
        tables.archive("tea").unwrap();
        assert_eq!(tables.guest(&bob).unwrap(), None);
        assert_eq!(tables.archived().unwrap(), ["tea"]);
        tables.restore("tea").unwrap();
        assert_eq!(tables.guest(&bob).unwrap().unwrap().participant, "bob");
        assert!(tables.archived().unwrap().is_empty());
        std::fs::remove_file(folder.path().join("s.db")).unwrap();
        assert!(tables.invite("tea", "ann").is_err(), "a link in a file that is gone opens nothing");
    }

    #[test]
    fn an_ended_session_is_remembered_until_its_time_is_over() {
        let (folder, tables) = tables();
        tables.end_session([7; 16], 1000).unwrap();
        tables.end_session([8; 16], 50).unwrap();
        drop(tables);
        let tables = Tables::open(&folder.path().join("s.db")).unwrap();
        assert_eq!(tables.ended_sessions(100).unwrap(), HashSet::from([[7; 16]]));
        assert!(tables.ended_sessions(1000).unwrap().is_empty());
    }

    #[test]
    fn files_are_found_by_name_within_their_study() {
        let (_folder, tables) = tables();
        let media = Media::of(b"123".to_vec()).unwrap();
        tables.keep("tea", [("a.wav", &media), ("../b", &media)]).unwrap();
        assert_eq!(tables.upload("tea", "../b").unwrap().as_deref(), Some(b"123".as_slice()));
        assert_eq!(tables.upload("coffee", "a.wav").unwrap(), None);
        let names: Vec<_> = tables.uploads("tea").unwrap().into_iter().collect();
        assert_eq!(names, [("../b".to_owned(), Format::Text), ("a.wav".to_owned(), Format::Text)]);
    }
}
