//! Duels chosen ahead, by the fingerprint of the history that they follow.

use rusqlite::{Connection, OptionalExtension, params};

/// The plan for a history.
pub(crate) fn find_plan(
    connection: &Connection,
    study: i64,
    participant: &str,
    history: &str,
) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT plan FROM plans WHERE study = ?1 AND participant = ?2 AND history = ?3")?
        .query_row(params![study, participant, history], |row| row.get(0))
        .optional()
}

/// Keeps a plan; those for other histories than `wanted` are cleared away.
pub(crate) fn put_plan(
    connection: &Connection,
    study: i64,
    participant: &str,
    (history, plan): (&str, &str),
    wanted: &[String],
) -> rusqlite::Result<()> {
    let wanted = serde_json::to_string(wanted).unwrap_or_default();
    connection
        .prepare_cached(
            "DELETE FROM plans WHERE study = ?1 AND participant = ?2
             AND history NOT IN (SELECT value FROM json_each(?3))",
        )?
        .execute(params![study, participant, wanted])?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO plans (study, participant, history, plan) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![study, participant, history, plan])?;
    Ok(())
}
