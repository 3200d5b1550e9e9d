//! Links that are nobody's own: one by which anyone joins a study, and those that show a result.

use super::Tables;
use crate::Error;
use crate::security::participant::LinkToken;
use rusqlite::{Connection, OptionalExtension, params};

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Door {
    /// A page on which a new participant joins a study, while there are fewer than so many.
    Join {
        /// The study's name.
        study: String,
        /// How many may.
        quota: u32,
    },
    /// The result of a study, to be read.
    Result {
        /// The study's name.
        study: String,
        /// Whose; nobody's where all are pooled.
        whose: String,
    },
}

/// What became of somebody who wanted to join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Joined {
    /// The link of their own.
    As(LinkToken),
    /// There are as many already as may be.
    Full,
}

const JOIN: &str = "join";
const RESULT: &str = "result";

impl Tables {
    /// Opens a door by which anyone joins a study, up to `quota` of them; an earlier one leads nowhere any more.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn open_to_all(&self, study: &str, quota: u32) -> Result<LinkToken, Error> {
        self.open_door(study, (JOIN, ""), Some(quota))
    }

    /// Makes a link that shows a result, and nothing else; an earlier one of the same leads nowhere any more.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn share(&self, study: &str, whose: &str) -> Result<LinkToken, Error> {
        self.open_door(study, (RESULT, whose), None)
    }

    fn open_door(
        &self,
        study: &str,
        (kind, whose): (&str, &str),
        quota: Option<u32>,
    ) -> Result<LinkToken, Error> {
        let token = LinkToken::generate()?;
        let sql = "INSERT INTO studio_doors (hash, study, kind, whose, quota) VALUES (?1, ?2, ?3, ?4, ?5)
                   ON CONFLICT (study, kind, whose) DO UPDATE SET hash = excluded.hash, quota = excluded.quota";
        let connection = self.connection();
        let made = connection.execute(sql, params![token.hash().as_slice(), study, kind, whose, quota]);
        self.kept(&connection, made).map(|_| token)
    }

    /// Closes the door by which anyone joins a study. Who has joined keeps the link of their own.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn close_to_all(&self, study: &str) -> Result<(), Error> {
        self.close_door(study, JOIN, "")
    }

    /// Ends the link that shows a result.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn unshare(&self, study: &str, whose: &str) -> Result<(), Error> {
        self.close_door(study, RESULT, whose)
    }

    fn close_door(&self, study: &str, kind: &str, whose: &str) -> Result<(), Error> {
        let connection = self.connection();
        let sql = "DELETE FROM studio_doors WHERE study = ?1 AND kind = ?2 AND whose = ?3";
        self.kept(&connection, connection.execute(sql, [study, kind, whose])).map(|_| ())
    }

    /// What a link leads to, unless its study is archived.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn door(&self, token: &LinkToken) -> Result<Option<Door>, Error> {
        let sql = "SELECT study, kind, whose, quota FROM studio_doors d WHERE hash = ?1
                   AND NOT EXISTS (SELECT 1 FROM studio_archive a WHERE a.study = d.study)";
        let read = |row: &rusqlite::Row<'_>| {
            let (study, kind): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(if kind == JOIN {
                Door::Join { study, quota: row.get::<_, Option<u32>>(3)?.unwrap_or(0) }
            } else {
                Door::Result { study, whose: row.get(2)? }
            })
        };
        let connection = self.connection();
        let found = connection
            .prepare_cached(sql)
            .and_then(|mut query| query.query_row([token.hash().as_slice()], read).optional());
        self.check(found)
    }

    /// How many may join a study by its open door; `None` if it has none.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn quota(&self, study: &str) -> Result<Option<u32>, Error> {
        let sql = "SELECT quota FROM studio_doors WHERE study = ?1 AND kind = ?2";
        let connection = self.connection();
        let found = connection.query_row(sql, [study, JOIN], |row| row.get::<_, Option<u32>>(0)).optional();
        self.check(found).map(Option::flatten)
    }

    /// Whether there is a link that shows this result.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn is_shared(&self, study: &str, whose: &str) -> Result<bool, Error> {
        let sql = "SELECT count(*) FROM studio_doors WHERE study = ?1 AND kind = ?2 AND whose = ?3";
        let connection = self.connection();
        self.check(connection.query_row(sql, [study, RESULT, whose], |row| row.get(0)))
    }

    /// Somebody joins a study of at most `quota` of such participants: they are called `guest-1`, `guest-2` and so on, but as none of `known`.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn join(&self, study: &str, quota: u32, known: &[String]) -> Result<Joined, Error> {
        let token = LinkToken::generate()?;
        let connection = self.connection();
        let transaction = self.check(connection.unchecked_transaction())?;
        let made = (|| {
            let joined = joined(&transaction, study)?;
            if joined >= quota {
                return Ok(Joined::Full);
            }
            let invited = "SELECT count(*) FROM studio_links WHERE study = ?1 AND participant = ?2";
            let mut number = joined;
            let name = loop {
                number += 1;
                let name = format!("{GUEST}{number}");
                let taken: bool = transaction.query_row(invited, [study, &name], |row| row.get(0))?;
                if !taken && !known.contains(&name) {
                    break name;
                }
            };
            let sql = "INSERT INTO studio_links (hash, study, participant) VALUES (?1, ?2, ?3)";
            transaction.execute(sql, params![token.hash().as_slice(), study, name])?;
            Ok(Joined::As(token))
        })();
        let made = self.check(made)?;
        self.kept(&connection, transaction.commit())?;
        Ok(made)
    }
}

/// What the names of those who joined by themselves begin with.
const GUEST: &str = "guest-";

/// How many have joined by themselves.
fn joined(connection: &Connection, study: &str) -> rusqlite::Result<u32> {
    let sql =
        "SELECT count(*) FROM studio_links WHERE study = ?1 AND substr(participant, 1, length(?2)) = ?2";
    connection.query_row(sql, [study, GUEST], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_lets_so_many_in_and_a_result_is_shown_until_its_link_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        drop(rather_study::store::Store::open_or_create(&path).unwrap());
        let tables = Tables::open(&path).unwrap();
        let door = tables.open_to_all("tea", 2).unwrap();
        assert_eq!(tables.door(&door).unwrap(), Some(Door::Join { study: "tea".into(), quota: 2 }));
        let known = ["guest-1".to_owned()];
        let Joined::As(first) = tables.join("tea", 2, &known).unwrap() else { panic!("there is room") };
        assert_eq!(tables.guest(&first).unwrap().unwrap().participant, "guest-2");
        assert!(matches!(tables.join("tea", 2, &known).unwrap(), Joined::As(_)));
        assert_eq!(tables.join("tea", 2, &known).unwrap(), Joined::Full);
        tables.close_to_all("tea").unwrap();
        assert_eq!((tables.door(&door).unwrap(), tables.quota("tea").unwrap()), (None, None));
        assert!(tables.guest(&first).unwrap().is_some(), "who is in stays in");

        let shared = tables.share("tea", "ann").unwrap();
        let result = Door::Result { study: "tea".into(), whose: "ann".into() };
        assert_eq!(tables.door(&shared).unwrap(), Some(result));
        assert_eq!(tables.guest(&shared).unwrap(), None, "it is no participant's");
        assert!(tables.is_shared("tea", "ann").unwrap() && !tables.is_shared("tea", "bob").unwrap());
        tables.archive("tea").unwrap();
        assert_eq!(tables.door(&shared).unwrap(), None);
        tables.restore("tea").unwrap();
        tables.unshare("tea", "ann").unwrap();
        assert_eq!(tables.door(&shared).unwrap(), None);
    }
}
