//! What the studio keeps of the studies of another file, brought into this one.

use super::{LAYOUT, Tables, begun_in};
use crate::Error;
use rusqlite::{Connection, Transaction, params};
use std::path::Path;

impl Tables {
    /// Adds files, links, answers to questions and who has begun of studies of the file at `from`: of each its name there, and its name here.
    /// A link that leads somewhere here already stays as it is.
    ///
    /// # Errors
    /// If the other file cannot be read, or this one cannot be written.
    pub fn bring(&self, from: &Path, studies: &[(String, String)]) -> Result<(), Error> {
        let fault = |source| Error::Tables { path: from.to_path_buf(), source };
        // A copy of its own, to which tables may be added that an earlier studio did not make.
        let other = Connection::open(from).map_err(fault)?;
        other.execute_batch(LAYOUT).map_err(fault)?;
        let connection = self.connection();
        let transaction = self.check(connection.unchecked_transaction())?;
        for (there, here) in studies {
            self.check(bring(&transaction, &other, there, here))?;
        }
        self.kept(&connection, transaction.commit())
    }
}

fn bring(to: &Transaction<'_>, from: &Connection, there: &str, here: &str) -> rusqlite::Result<()> {
    let rows = |sql: &str, columns: usize, insert: &str| -> rusqlite::Result<()> {
        let (mut select, mut insert) = (from.prepare(sql)?, to.prepare(insert)?);
        let mut rows = select.query([there])?;
        while let Some(row) = rows.next()? {
            let values: Vec<rusqlite::types::Value> =
                (0..columns).map(|column| row.get(column)).collect::<Result<_, _>>()?;
            insert.execute(rusqlite::params_from_iter(
                std::iter::once(rusqlite::types::Value::Text(here.to_owned())).chain(values),
            ))?;
        }
        Ok(())
    };
    rows(
        "SELECT hash, participant FROM studio_links WHERE study = ?1",
        2,
        "INSERT INTO studio_links (study, hash, participant) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
    )?;
    rows(
        "SELECT hash, kind, whose, quota FROM studio_doors WHERE study = ?1",
        4,
        "INSERT INTO studio_doors (study, hash, kind, whose, quota) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    )?;
    rows(
        "SELECT participant, question, answer, time FROM studio_remarks WHERE study = ?1",
        4,
        "INSERT INTO studio_remarks (study, participant, question, answer, time) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    )?;
    rows(
        "SELECT DISTINCT hash, bytes, ?1 FROM studio_uploads JOIN studio_blobs USING (hash) WHERE study = ?1",
        2,
        // The study's name is not kept with the bytes.
        "INSERT INTO studio_blobs (hash, bytes) SELECT ?2, ?3 WHERE ?1 IS NOT NULL ON CONFLICT DO NOTHING",
    )?;
    rows(
        "SELECT name, format, hash FROM studio_uploads WHERE study = ?1",
        3,
        "INSERT OR REPLACE INTO studio_uploads (study, name, format, hash) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let begun = "SELECT substr(name, length(?1) + 1), value FROM studio_settings WHERE substr(name, 1, length(?1)) = ?1";
    let mut begun = from.prepare(begun)?;
    let mut begun = begun.query([begun_in(there)])?;
    while let Some(row) = begun.next()? {
        let (who, value): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
        let sql = "INSERT INTO studio_settings (name, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        to.execute(sql, params![begun_in(here) + &who, value])?;
    }
    Ok(())
}
