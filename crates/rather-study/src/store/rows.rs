//! Studies and events as rows.

use super::Store;
use crate::event::{EventRow, NewEvent};
use crate::{Definition, Error};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::time::{SystemTime, UNIX_EPOCH};

/// A study of the file.
#[derive(Debug)]
pub(crate) struct StudyRow {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) created: i64,
    /// The definition as it is kept, of which plans depend.
    pub(crate) text: String,
    pub(crate) definition: Definition,
}

const COLUMNS: &str =
    "id, participant, kind, time, duel, left_side, right_side, outcome, count, target, note";

fn read_event(row: &Row<'_>) -> rusqlite::Result<EventRow> {
    Ok(EventRow {
        id: row.get(0)?,
        participant: row.get(1)?,
        kind: row.get(2)?,
        time: row.get(3)?,
        duel: row.get(4)?,
        left: row.get(5)?,
        right: row.get(6)?,
        outcome: row.get(7)?,
        count: row.get(8)?,
        target: row.get(9)?,
        note: row.get(10)?,
    })
}

/// Milliseconds since 1970.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
}

/// Adds a study unless there is one of its name.
pub(super) fn add_study(connection: &Connection, name: &str, definition: &str) -> rusqlite::Result<bool> {
    let sql =
        "INSERT INTO studies (name, definition, created) VALUES (?1, ?2, ?3) ON CONFLICT (name) DO NOTHING";
    Ok(connection.execute(sql, params![name, definition, now()])? == 1)
}

pub(crate) fn study_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection.prepare("SELECT name FROM studies ORDER BY id")?.query_map([], |row| row.get(0))?.collect()
}

/// The study called `name`, or the only one.
pub(crate) fn study(store: &Store, name: Option<&str>) -> Result<StudyRow, Error> {
    let known = store.studies()?;
    let path = store.path().to_path_buf();
    let name = match (name, known.as_slice()) {
        (_, []) if store.database.lacks_log() => return Err(Error::LogMissing { path }),
        (_, []) => return Err(Error::NoStudy { path }),
        (Some(name), known) if known.iter().any(|other| other == name) => name.to_owned(),
        (Some(name), _) => return Err(Error::UnknownStudy { path, name: name.to_owned(), known }),
        (None, [only]) => only.clone(),
        (None, _) => return Err(Error::WhichStudy { path, names: known }),
    };
    let sql = "SELECT id, definition, created FROM studies WHERE name = ?1";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?));
    let (id, text, created) = store.check(store.connection().query_row(sql, [&name], read))?;
    let definition: Definition = serde_json::from_str(&text).map_err(|e| Error::Damaged {
        path: path.clone(),
        detail: format!("the definition of {} cannot be read: {e}", rather_io::quote(&name)),
    })?;
    definition.check().map_err(|fault| Error::Damaged { path, detail: fault.to_string() })?;
    Ok(StudyRow { id, name, created, text, definition })
}

/// Whether the study of this number is the one of this name that was made then.
pub(crate) fn is_there(
    connection: &Connection,
    study: i64,
    name: &str,
    created: i64,
) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT count(*) FROM studies WHERE id = ?1 AND name = ?2 AND created = ?3")?
        .query_row(params![study, name, created], |row| row.get(0))
}

/// Appends an event and returns its number.
pub(crate) fn append(connection: &Connection, study: i64, event: &NewEvent<'_>) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "INSERT INTO events (study, participant, key, kind, time, duel, left_side, right_side, outcome, count, target, note)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .insert(params![
            study,
            event.participant,
            event.key,
            event.kind,
            event.time.unwrap_or_else(now),
            event.duel,
            event.left,
            event.right,
            event.outcome,
            event.count.unwrap_or(1),
            event.target,
            event.note,
        ])
}

/// The events of a participant after event `after`, in their order.
pub(crate) fn events_of(
    connection: &Connection,
    study: i64,
    participant: &str,
    after: i64,
) -> rusqlite::Result<Vec<EventRow>> {
    connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM events WHERE study = ?1 AND participant = ?2 AND id > ?3 ORDER BY id"
        ))?
        .query_map(params![study, participant, after], read_event)?
        .collect()
}

/// The event that has `key`.
pub(crate) fn event_of_key(
    connection: &Connection,
    study: i64,
    key: &str,
) -> rusqlite::Result<Option<EventRow>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM events WHERE study = ?1 AND key = ?2"))?
        .query_row(params![study, key], read_event)
        .optional()
}

/// The event of this number.
pub(crate) fn event(connection: &Connection, study: i64, id: i64) -> rusqlite::Result<EventRow> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM events WHERE study = ?1 AND id = ?2"))?
        .query_row(params![study, id], read_event)
}

/// Everybody who has an event, in alphabetical order.
pub(crate) fn participants(connection: &Connection, study: i64) -> rusqlite::Result<Vec<String>> {
    // A loose index scan: as many steps as there are participants, not events.
    connection
        .prepare_cached(
            "WITH RECURSIVE p (name) AS (
               SELECT min(participant) FROM events WHERE study = ?1
               UNION ALL
               SELECT (SELECT min(participant) FROM events WHERE study = ?1 AND participant > p.name)
               FROM p WHERE p.name IS NOT NULL)
             SELECT name FROM p WHERE name IS NOT NULL",
        )?
        .query_map([study], |row| row.get(0))?
        .collect()
}

/// Whose answers the import of this key prefix made, and how many of each.
pub(crate) fn import_of(
    connection: &Connection,
    study: i64,
    prefix: &str,
) -> rusqlite::Result<Vec<(String, i64)>> {
    // The key is compared as a range, so that the index serves.
    connection
        .prepare_cached(
            "SELECT participant, count(*) FROM events WHERE study = ?1 AND key >= ?2 AND key < ?3 GROUP BY participant",
        )?
        .query_map(params![study, format!("{prefix}/"), format!("{prefix}0")], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}
