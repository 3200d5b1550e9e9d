//! The layout of the file, as the steps that lead to it.
//!
//! A step, once released, never changes: a new layout is a new step at the end. Step `i` takes a file from version `i` to
//! `i + 1`.

use rusqlite::Transaction;

/// The steps.
pub(super) const MIGRATIONS: &[&str] = &[VERSION_1];

const VERSION_1: &str = "
CREATE TABLE studies (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL,           -- JSON
    created    INTEGER NOT NULL         -- milliseconds since 1970, UTC, as all times
) STRICT;

CREATE TABLE events (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which events were committed
    study       INTEGER NOT NULL REFERENCES studies (id),
    participant TEXT NOT NULL,
    key         TEXT NOT NULL,          -- unique in the study: an event that is sent twice is kept once
    kind        TEXT NOT NULL,          -- asked, answered, skipped, undone, imported
    time        INTEGER NOT NULL,
    duel        INTEGER,                -- the number of the participant's duel, from 1
    left_side   TEXT,                   -- JSON: the key of an item, or an object of parameters
    right_side  TEXT,
    outcome     TEXT,                   -- left, right, tie
    count       INTEGER NOT NULL DEFAULT 1,
    target      INTEGER REFERENCES events (id), -- what was taken back
    note        TEXT,                   -- JSON: how a duel was chosen, where an answer comes from
    UNIQUE (study, key)
) STRICT;

CREATE INDEX events_by_participant ON events (study, participant, id);

CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are only ever appended'); END;
CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are only ever appended'); END;

-- Duels chosen ahead of the answers they follow. They can be computed again, so they are no events.
CREATE TABLE plans (
    study       INTEGER NOT NULL REFERENCES studies (id),
    participant TEXT NOT NULL,
    history     TEXT NOT NULL,          -- fingerprint of all that the duel depends on
    plan        TEXT NOT NULL,          -- JSON
    PRIMARY KEY (study, participant, history)
) STRICT, WITHOUT ROWID;
";

/// Takes the file from the version it has to the last of `steps`.
pub(super) fn apply(
    transaction: &Transaction<'_>,
    steps: &[&str],
    application_id: i64,
) -> rusqlite::Result<()> {
    // Asked again, inside the transaction: another process may have been here first.
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for step in steps.iter().skip(usize::try_from(version).unwrap_or(usize::MAX)) {
        transaction.execute_batch(step)?;
    }
    if version < steps.len() as i64 {
        transaction.pragma_update(None, "application_id", application_id)?;
        transaction.pragma_update(None, "user_version", steps.len() as i64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    fn version(connection: &Connection) -> i64 {
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    }

    fn apply_to(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
        let transaction = connection.transaction()?;
        apply(&transaction, steps, 7)?;
        transaction.commit()
    }

    #[test]
    fn steps_are_taken_once_each_and_whole() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply_to(&mut connection, MIGRATIONS).unwrap();
        assert_eq!(version(&connection), 1);
        connection.execute("INSERT INTO studies VALUES (1, 'tea', '{}', 0)", []).unwrap();

        let second = "ALTER TABLE studies ADD COLUMN colour TEXT NOT NULL DEFAULT 'green'";
        let steps = [MIGRATIONS[0], second];
        apply_to(&mut connection, &steps).unwrap();
        apply_to(&mut connection, &steps).unwrap();
        assert_eq!(version(&connection), 2);
        let colour: String =
            connection.query_row("SELECT colour FROM studies", [], |row| row.get(0)).unwrap();
        assert_eq!(colour, "green");

        let broken = [MIGRATIONS[0], second, "CREATE TABLE half (x); CREATE TABLE half (x)"];
        assert!(apply_to(&mut connection, &broken).is_err());
        assert_eq!(version(&connection), 2);
        assert!(connection.prepare("SELECT * FROM half").is_err());
    }
}
