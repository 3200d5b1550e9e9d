//! Studies of another file, a backup, brought into this one.

use super::{Store, VERSION, rows};
use crate::{Error, Study};
use rusqlite::{Connection, Transaction, params};

/// A study that was brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// Its name in the other file.
    pub from: String,
    /// Its name here.
    pub name: String,
}

/// Adds the studies of the file `from` that are not in `store`, with all their events. One that is there already, of the same name and
/// made at the same time, stays as it is; one whose name another has here gets a new one. All of them are added or none.
///
/// # Errors
/// If the other file is not whole, or this one cannot be written.
pub fn bring(store: &mut Store, from: &Store) -> Result<Vec<Brought>, Error> {
    let mut found = Vec::new();
    for name in from.studies()? {
        let row = rows::study(from, Some(&name))?;
        check(from, &name)?;
        if !is_here(store, &name, row.created)? {
            found.push(row);
        }
    }
    let mut brought = Vec::new();
    store.write(|transaction| {
        for row in &found {
            let name = free_name(transaction, &row.name)?;
            let study = add(transaction, &name, &row.text, row.created)?;
            copy_events(transaction, study, from.connection(), row.id)?;
            if row.definition.is_of_sets() {
                transaction.pragma_update(None, "user_version", VERSION)?;
            }
            brought.push(Brought { from: row.name.clone(), name });
        }
        Ok(())
    })?;
    Ok(brought)
}

/// Whether all events of a study can be read.
fn check(from: &Store, name: &str) -> Result<(), Error> {
    let mut study = Study::open(from.path(), Some(name))?;
    for participant in study.participants()? {
        study.history(&participant)?;
    }
    Ok(())
}

fn is_here(store: &Store, name: &str, created: i64) -> Result<bool, Error> {
    let sql = "SELECT count(*) FROM studies WHERE name = ?1 AND created = ?2";
    store.check(store.connection().query_row(sql, params![name, created], |row| row.get(0)))
}

/// The name itself, or with the first number that makes it another one.
fn free_name(connection: &Connection, name: &str) -> rusqlite::Result<String> {
    let known = rows::study_names(connection)?;
    let mut names = std::iter::once(name.to_owned()).chain((2..).map(|n| format!("{name}-{n}")));
    Ok(names.find(|name| !known.contains(name)).unwrap_or_default())
}

fn add(transaction: &Transaction<'_>, name: &str, definition: &str, created: i64) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO studies (name, definition, created) VALUES (?1, ?2, ?3)";
    transaction.execute(sql, params![name, definition, created])?;
    Ok(transaction.last_insert_rowid())
}

/// Events keep their order; their numbers are raised by those that were given here.
fn copy_events(
    transaction: &Transaction<'_>,
    study: i64,
    from: &Connection,
    id: i64,
) -> rusqlite::Result<()> {
    let last = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'";
    let given: i64 = transaction.query_row(last, [], |row| row.get(0))?;
    let mut insert = transaction.prepare(
        "INSERT INTO events (id, study, participant, key, kind, time, duel, left_side, right_side, outcome, count, target, note)
         VALUES (?1 + ?13, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 + ?13, ?14)",
    )?;
    let mut select = from.prepare(
        "SELECT id, participant, key, kind, time, duel, left_side, right_side, outcome, count, target, note
         FROM events WHERE study = ?1 ORDER BY id",
    )?;
    let mut rows = select.query([id])?;
    while let Some(row) = rows.next()? {
        let text = |column: usize| row.get::<_, Option<String>>(column);
        let number = |column: usize| row.get::<_, Option<i64>>(column);
        insert.execute(params![
            number(0)?,
            study,
            text(1)?,
            text(2)?,
            text(3)?,
            number(4)?,
            number(5)?,
            text(6)?,
            text(7)?,
            text(8)?,
            number(9)?,
            number(10)?,
            given,
            text(11)?,
        ])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Ask, Definition};

    fn answered(path: &std::path::Path, name: &str, answers: usize) {
        let mut study = Study::create(path, name, &Definition::of_items(["a", "b", "c"])).unwrap();
        for _ in 0..answers {
            let Ask::Duel(asked) = study.ask("ann").unwrap() else { panic!("it has no end") };
            study.tell("ann", Some(asked.number), Answer::Left, None).unwrap();
        }
        study.undo("ann", None).unwrap();
    }

    #[test]
    fn studies_come_back_with_all_their_events_and_those_that_are_here_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [here, backup] = ["here.db", "backup.db"].map(|name| folder.path().join(name));
        answered(&here, "tea", 3);
        answered(&here, "coffee", 2);
        let mut store = Store::open(&here).unwrap();
        crate::store::backup(&store, &backup, false).unwrap();
        let before = Study::open(&here, Some("tea")).unwrap().history("ann").unwrap().clone();
        store.delete("tea").unwrap();
        let from = Store::open(&backup).unwrap();
        let brought = bring(&mut store, &from).unwrap();
        assert_eq!(brought, [Brought { from: "tea".into(), name: "tea".into() }], "the coffee is here");
        let after = Study::open(&here, Some("tea")).unwrap().history("ann").unwrap().clone();
        let said = |history: &crate::history::History| {
            let entries = history.entries.iter().chain(&history.taken_back);
            entries.map(|e| (e.duel, e.left.clone(), e.answer, e.time)).collect::<Vec<_>>()
        };
        assert_eq!((said(&after), after.open, after.undone), (said(&before), before.open, 1));
        assert_eq!(bring(&mut store, &from).unwrap(), []);
        // Another study has the name by now.
        store.delete("tea").unwrap();
        answered(&here, "tea", 1);
        let brought = bring(&mut store, &from).unwrap();
        assert_eq!(brought, [Brought { from: "tea".into(), name: "tea-2".into() }]);
        assert_eq!(Study::open(&here, Some("tea-2")).unwrap().history("ann").unwrap().answers(), 2);
    }
}
