//! A study in a file.

use super::Study;
use crate::journal::Journal;
use crate::learner::Learner;
use crate::store::{self, Store};
use crate::{Definition, Error};
use std::path::Path;

impl Study {
    /// Makes a study called `name` in the file at `path`, which is made if it is not there.
    ///
    /// # Errors
    /// If the definition or the name is wrong, the name is taken, or the file is another's or cannot be written.
    ///
    /// # Examples
    /// ```
    /// use rather_study::{Answer, Ask, Definition, Study};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("teas.study");
    /// let definition = Definition::of_items(["Assam", "Oolong", "Sencha"]);
    /// let mut study = Study::create(&path, "teas", &definition)?;
    /// let Ask::Duel(first) = study.ask("ann")? else { unreachable!() };
    /// let told = study.tell("ann", Some(first.number), Answer::Left, None)?;
    /// assert_eq!((told.left, told.answers), (first.left, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(path: &Path, name: &str, definition: &Definition) -> Result<Self, Error> {
        // Whatever only a model can find wrong is found before anything is written.
        definition.check_new()?;
        Learner::new(definition.clone())?;
        let mut store = Store::open_or_create(path)?;
        store.add(name, definition)?;
        Self::in_store(store, Some(name))
    }

    /// Opens a study of the file at `path`: the one called `name`, or the only one.
    ///
    /// # Errors
    /// If the file is not one of studies, or does not hold the study, or holds several and none is named.
    pub fn open(path: &Path, name: Option<&str>) -> Result<Self, Error> {
        Self::in_store(Store::open(path)?, name)
    }

    fn in_store(store: Store, name: Option<&str>) -> Result<Self, Error> {
        let row = store::study(&store, name)?;
        Self::of(Journal::File(store, row.id), row.name, row.created, &row.text, row.definition)
    }

    /// Writes a complete copy of the file, with all its studies, while it is in use ([`store::backup`]).
    ///
    /// # Errors
    /// As [`store::backup`].
    pub fn backup(&self, to: &Path, replace: bool) -> Result<store::Backup, Error> {
        match &self.journal {
            Journal::File(store, _) => store::backup(store, to, replace),
            Journal::Memory(_) => {
                Err(Error::Backup(format!("the study {} is in no file", rather_io::quote(self.name()))))
            }
        }
    }
}
