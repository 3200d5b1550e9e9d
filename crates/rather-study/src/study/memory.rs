//! A study in memory, which its log keeps: where there is no file, as in a browser.

use super::Study;
pub use crate::journal::Clock;
use crate::journal::{Journal, Memory};
use crate::{Definition, Error};

impl Study {
    /// Makes a study called `name` in memory, whose events have the times that `clock` gives. [`Study::export`] as JSON lines is all of it, and
    /// [`Study::from_log`] takes it up again.
    ///
    /// # Errors
    /// If the definition or the name is wrong.
    ///
    /// # Examples
    /// ```
    /// use rather_study::{Answer, Ask, Definition, Format, Study};
    ///
    /// let definition = Definition::of_items(["Assam", "Oolong", "Sencha"]);
    /// let mut study = Study::in_memory("teas", &definition, || 0)?;
    /// let Ask::Duel(first) = study.ask("ann")? else { unreachable!() };
    /// study.tell("ann", Some(first.number), Answer::Left, None)?;
    ///
    /// let log = study.export(Format::Jsonl, None)?;
    /// let mut later = Study::from_log(log.as_bytes(), || 0)?;
    /// assert_eq!(later.export(Format::Jsonl, None)?, log);
    /// assert_eq!(later.ask("ann")?, study.ask("ann")?);
    /// # Ok::<(), rather_study::Error>(())
    /// ```
    pub fn in_memory(name: &str, definition: &Definition, clock: Clock) -> Result<Self, Error> {
        definition.check_new()?;
        Self::in_journal(name, definition, Memory::new(name, clock), clock())
    }

    /// Takes up a study whose log (its export as JSON lines) this is.
    ///
    /// # Errors
    /// If it is no log of a study, with the line, or an event does not fit the definition.
    pub fn from_log(log: &[u8], clock: Clock) -> Result<Self, Error> {
        let (name, definition, events) = crate::exchange::read_log(log)?;
        let created = events.first().map_or_else(clock, |event| event.time);
        let mut memory = Memory::new(&name, clock);
        events.into_iter().try_for_each(|event| memory.restore(event))?;
        let mut study = Self::in_journal(&name, &definition, memory, created)?;
        // What does not fit is found now, and not with the next answer.
        for participant in study.participants()? {
            study.sync(&participant)?;
        }
        Ok(study)
    }

    fn in_journal(name: &str, definition: &Definition, memory: Memory, created: i64) -> Result<Self, Error> {
        definition.check()?;
        crate::definition::check_name(name).map_err(Error::Name)?;
        // As a file keeps it, so that the same history has the same fingerprint.
        let text = crate::definition::as_json(definition)?;
        Self::of(Journal::Memory(memory), name.to_owned(), created, &text, definition.clone())
    }
}
