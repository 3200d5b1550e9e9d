//! What may change about a study after its first answer, and how one is deleted.

use super::{Store, rows};
use crate::{Definition, Error};
use rusqlite::{Connection, OptionalExtension, params};

/// Changes that leave what was compared and what is learned as they are.
#[derive(Debug, Clone, Default)]
pub struct Amendment {
    /// Another name for people.
    pub title: Option<String>,
    /// Another number of answers after which a participant is asked no more; `Some(None)` for no end.
    pub answers: Option<Option<u32>>,
    /// Other entries of the table that whoever shows the study keeps with it.
    pub presentation: Option<serde_json::Map<String, serde_json::Value>>,
}

impl Amendment {
    fn apply(&self, definition: &mut Definition) {
        if let Some(title) = &self.title {
            definition.title.clone_from(title);
        }
        if let Some(answers) = self.answers {
            definition.stop.answers = answers;
        }
        if let Some(presentation) = &self.presentation {
            definition.presentation.clone_from(presentation);
        }
    }
}

impl Store {
    /// Changes what may change about the study `name`. Who has it open goes on with what it was.
    ///
    /// # Errors
    /// If there is no such study, or the change makes no sense.
    pub fn amend(&mut self, name: &str, change: &Amendment) -> Result<(), Error> {
        let mut definition = rows::study(self, Some(name))?.definition;
        change.apply(&mut definition);
        definition.check_new()?;
        let text = crate::definition::as_json(&definition)?;
        let sql = "UPDATE studies SET definition = ?2 WHERE name = ?1";
        self.write(|transaction| transaction.execute(sql, [name, &text])).map(|_| ())
    }

    /// Deletes the study `name` with its answers, for good. What is deleted is overwritten.
    ///
    /// # Errors
    /// If there is no such study, or the file cannot be written.
    pub fn delete(&mut self, name: &str) -> Result<(), Error> {
        let study = rows::study(self, Some(name))?.id;
        self.check(self.connection().pragma_update(None, "secure_delete", true))?;
        self.write(|transaction| delete(transaction, study))
    }
}

/// Deletes a study. Events are only ever appended, which a trigger sees to: it makes way for this, within the transaction.
fn delete(connection: &Connection, study: i64) -> rusqlite::Result<()> {
    const TRIGGER: &str = "events_are_not_deleted";
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?1";
    let trigger: Option<String> = connection.query_row(sql, [TRIGGER], |row| row.get(0)).optional()?;
    if trigger.is_some() {
        connection.execute_batch(&format!("DROP TRIGGER {TRIGGER}"))?;
    }
    for table in ["plans", "events"] {
        connection.execute(&format!("DELETE FROM {table} WHERE study = ?1"), params![study])?;
    }
    connection.execute("DELETE FROM studies WHERE id = ?1", params![study])?;
    trigger.map_or(Ok(()), |trigger| connection.execute_batch(&trigger))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Ask, Study};

    fn answered(path: &std::path::Path, name: &str) {
        let mut study = Study::create(path, name, &Definition::of_items(["a", "b", "c"])).unwrap();
        let Ask::Duel(asked) = study.ask("ann").unwrap() else { panic!("it has no end") };
        study.tell("ann", Some(asked.number), Answer::Left, None).unwrap();
    }

    #[test]
    fn a_study_is_renamed_and_extended_and_keeps_its_answers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        answered(&path, "tea");
        let mut store = Store::open(&path).unwrap();
        let change = Amendment { title: Some("Teas".into()), answers: Some(Some(7)), ..Amendment::default() };
        store.amend("tea", &change).unwrap();
        let mut study = Study::open(&path, Some("tea")).unwrap();
        assert_eq!((study.definition().title.as_str(), study.definition().stop.answers), ("Teas", Some(7)));
        assert_eq!(study.history("ann").unwrap().answers(), 1);
        let none = Amendment { answers: Some(Some(0)), ..Amendment::default() };
        assert!(store.amend("tea", &none).is_err(), "a number of answers is at least one");
        assert!(store.amend("coffee", &change).is_err());
    }

    #[test]
    fn a_deleted_study_is_gone_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        answered(&path, "tea");
        answered(&path, "coffee");
        let mut store = Store::open(&path).unwrap();
        store.delete("tea").unwrap();
        assert_eq!(store.studies().unwrap(), ["coffee"]);
        assert!(store.delete("tea").is_err());
        assert_eq!(Study::open(&path, Some("coffee")).unwrap().history("ann").unwrap().answers(), 1);
        let connection = store.connection();
        assert!(connection.execute("DELETE FROM events", []).is_err(), "answers are still only appended");
        let rows: i64 = connection.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 2, "asked and answered of the other");
    }
}
