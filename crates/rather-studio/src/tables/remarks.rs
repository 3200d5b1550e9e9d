//! What participants answered to questions that are no comparisons.

use super::Tables;
use crate::Error;
use rusqlite::params;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Remark {
    /// Who gave it.
    pub participant: String,
    /// To which question.
    pub question: String,
    /// What was said.
    pub answer: String,
    /// When, in milliseconds since 1970.
    #[serde(skip)]
    pub time: i64,
}

impl Tables {
    /// Keeps the answers of a participant; later ones to the same question take the place of earlier ones.
    ///
    /// # Errors
    /// If they cannot be kept.
    pub fn remark(
        &self,
        study: &str,
        participant: &str,
        answers: &[(String, String)],
        time: i64,
    ) -> Result<(), Error> {
        let connection = self.connection();
        let transaction = self.check(connection.unchecked_transaction())?;
        let sql = "INSERT OR REPLACE INTO studio_remarks (study, participant, question, answer, time)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        for (question, answer) in answers {
            self.check(transaction.execute(sql, params![study, participant, question, answer, time]))?;
        }
        self.kept(&connection, transaction.commit())
    }

    /// All answers to questions of a study, by participant in the order in which they were given.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn remarks(&self, study: &str) -> Result<Vec<Remark>, Error> {
        let sql = "SELECT participant, question, answer, time FROM studio_remarks WHERE study = ?1
                   ORDER BY participant, time, question";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Remark {
                participant: row.get(0)?,
                question: row.get(1)?,
                answer: row.get(2)?,
                time: row.get(3)?,
            })
        };
        let connection = self.connection();
        let rows =
            connection.prepare_cached(sql).and_then(|mut query| query.query_map([study], read)?.collect());
        self.check(rows)
    }

    /// The questions that a participant has answered.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn remarked(&self, study: &str, participant: &str) -> Result<Vec<String>, Error> {
        let sql = "SELECT question FROM studio_remarks WHERE study = ?1 AND participant = ?2";
        let connection = self.connection();
        let rows = connection
            .prepare_cached(sql)
            .and_then(|mut query| query.query_map([study, participant], |row| row.get(0))?.collect());
        self.check(rows)
    }
}
