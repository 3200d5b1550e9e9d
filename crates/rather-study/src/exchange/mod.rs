//! Answers in and out, one format a file.
//!
//! | format | out | in |
//! |---|---|---|
//! | `csv` | `left,right,outcome,user,count,time`; of numbers the kind of answer in the place of `outcome` | that, `winner,loser`, `left,right,winner`, rankings |
//! | `winner` | `left,right,winner,user,count,time`; not how much better | as `csv` |
//! | `csv` of sets | `option_1,option_2,...,best,worst,user,count,time` | that, `choice` in the place of `best` |
//! | `jsonl` | the definition, then every event, also what was taken back | that, and objects with `left`, `right`, `outcome` or `winner` |
//! | `soi`, `toi` | PrefLib: every answer as an order of two; not how much better | orders, of which every two members make an answer |
//! | `soc`, `toc` | PrefLib: every participant's ranking, as learned | as `soi` |
//!
//! An answer of a person is mostly about two alternatives, so answers go out as orders of two (`soi`, or `toi` with ties), which
//! loses nothing but grades; a complete order (`soc`, `toc`) is only what the model makes of them.
//!
//! An outcome may say how much better (`much left`, `a little right`, `>>`); without such a word it is a little. A study that takes no grades
//! takes such an answer for a plain preference, and says so in a note. A study that takes no ties refuses a tie.

mod csv;
mod jsonl;
mod log;
mod preflib;
mod sets;

pub(crate) use log::read as read_log;

use crate::Error;
use crate::alternative::{Alternative, options};
use crate::answer::Answer;
use crate::definition::{Definition, Subject};
use crate::event::{self, NewEvent};
use crate::fingerprint::Fingerprint;
use crate::study::Study;
use rather_io::{Place, Position};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// CSV with a column `outcome`.
    Csv,
    /// CSV with a column `winner`.
    Winner,
    /// JSON lines.
    Jsonl,
    /// PrefLib, strict orders, complete.
    Soc,
    /// PrefLib, strict orders, incomplete.
    Soi,
    /// PrefLib, orders with ties, complete.
    Toc,
    /// PrefLib, orders with ties, incomplete.
    Toi,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 7] =
        [Self::Csv, Self::Winner, Self::Jsonl, Self::Soc, Self::Soi, Self::Toc, Self::Toi];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Winner => "winner",
            Self::Jsonl => "jsonl",
            Self::Soc => "soc",
            Self::Soi => "soi",
            Self::Toc => "toc",
            Self::Toi => "toi",
        }
    }

    /// The format that a file's name tells: its extension, of which `.gz` does not count.
    ///
    /// # Errors
    /// [`Error::Format`] if it tells none.
    pub fn of_path(path: &Path) -> Result<Self, Error> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let extension = plain.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "parquet" | "tsv" | "txt" => Ok(Self::Csv),
            "json" | "ndjson" => Ok(Self::Jsonl),
            "winner" => Err(Self::unclear(path)),
            other => other.parse().map_err(|_| Self::unclear(path)),
        }
    }

    fn unclear(path: &Path) -> Error {
        let names = Self::ALL.map(Self::name).join(", ");
        Error::Format(format!(
            "the format of {} is not clear from its name; choose one with --format: {names}",
            path.display()
        ))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::Format(format!("there is no format {}; the formats are {names}", rather_io::quote(text)))
        })
    }
}

/// An answer read from a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Foreign {
    pub(crate) participant: Option<String>,
    pub(crate) left: Alternative,
    pub(crate) right: Alternative,
    pub(crate) others: Vec<Alternative>,
    pub(crate) answer: Answer,
    pub(crate) count: u32,
    pub(crate) time: Option<i64>,
    pub(crate) position: Position,
}

/// Gives sides to answers that come without: of a file with a winner and a loser, or a ranking, nobody knows what was shown on the left.
///
/// The preferred alternative stands on either side equally often, so that no position bias is made up.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    /// Answers in favour of the left so far, less those in favour of the right.
    balance: i64,
}

impl Sides {
    /// Left, right and the answer.
    pub(crate) fn place(
        &mut self,
        preferred: Alternative,
        other: Alternative,
        tie: bool,
        count: u32,
    ) -> (Alternative, Alternative, Answer) {
        if tie {
            return (preferred, other, Answer::Tie);
        }
        let count = i64::from(count);
        if self.balance <= 0 {
            self.balance += count;
            (preferred, other, Answer::Left)
        } else {
            self.balance -= count;
            (other, preferred, Answer::Right)
        }
    }
}

/// What an import brought.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Imported {
    /// Number of answers.
    pub answers: u64,
    /// How many of them have no preference.
    pub ties: u64,
    /// Who gave them.
    pub participants: Vec<String>,
    /// What is worth knowing about the file.
    pub notes: Vec<String>,
}

/// More answers at once are a mistake, or not a study.
const MOST_ANSWERS: u64 = 1_000_000;

const NOBODY: &str = "the participant is missing; add a column user, or name one with --participant";

const NO_TIES: &str = "it prefers neither side, and this study takes no ties; leave it out, or make the study with answers = \"ties\"";

/// Where an imported answer comes from, as its event keeps it.
#[derive(Serialize)]
struct Origin<'a> {
    from: &'a str,
    line: u64,
}

impl Study {
    /// The answers as text, of one participant or of all.
    ///
    /// # Errors
    /// If there are none, the format cannot hold them, or they cannot be learned from (`soc`, `toc`).
    pub fn export(&mut self, format: Format, participant: Option<&str>) -> Result<String, Error> {
        let participants = match participant {
            Some(name) => vec![name.to_owned()],
            None => self.participants()?,
        };
        let mut answers = 0;
        for name in &participants {
            answers += self.history(name)?.answers();
        }
        if answers == 0 && format != Format::Jsonl {
            let participant = participant.unwrap_or("anybody").to_owned();
            return Err(Error::NothingToExport { participant });
        }
        let of_sets = self.definition().is_of_sets();
        match format {
            Format::Csv if of_sets => sets::write(self, &participants),
            Format::Winner | Format::Soi | Format::Toi if of_sets => {
                Err(sets::of_two(self.definition(), format))
            }
            Format::Csv => csv::write(self, &participants, csv::Verdict::Outcome),
            Format::Winner => csv::write(self, &participants, csv::Verdict::Winner),
            Format::Jsonl => jsonl::write(self, &participants),
            Format::Soi | Format::Toi => preflib::write_answers(self, &participants, format),
            Format::Soc | Format::Toc => preflib::write_rankings(self, &participants, format),
        }
    }

    /// Adds the answers of a file, all or none. Answers that do not say who gave them are `participant`'s. The very same file
    /// is taken once for each participant, unless `again` is set.
    ///
    /// # Errors
    /// If the file cannot be read, is not of this format, or names what the study does not have, or nobody: with its line.
    pub fn import(
        &mut self,
        path: &Path,
        format: Format,
        participant: Option<&str>,
        again: bool,
    ) -> Result<Imported, Error> {
        self.import_bytes(path, &rather_io::read_file(path)?, format, participant, again)
    }

    /// As [`Study::import`], for the bytes of a file that would be called `path`.
    ///
    /// # Errors
    /// As [`Study::import`].
    pub fn import_bytes(
        &mut self,
        path: &Path,
        bytes: &[u8],
        format: Format,
        participant: Option<&str>,
        again: bool,
    ) -> Result<Imported, Error> {
        participant.map_or(Ok(()), |name| self.admit(name))?;
        let definition = self.definition();
        let takes = definition.takes();
        let (mut answers, mut notes) = match format {
            Format::Csv if definition.is_of_sets() => sets::read(path, bytes, definition)?,
            Format::Winner | Format::Soc | Format::Soi | Format::Toc | Format::Toi
                if definition.is_of_sets() =>
            {
                return Err(sets::of_two(definition, format));
            }
            Format::Csv | Format::Winner => csv::read(path, bytes, definition)?,
            Format::Jsonl => (jsonl::read(path, bytes, definition)?, Vec::new()),
            Format::Soc | Format::Soi | Format::Toc | Format::Toi => {
                (preflib::read(path, bytes, definition)?, Vec::new())
            }
        };
        let total: u64 = answers.iter().map(|a| u64::from(a.count)).sum();
        if total > MOST_ANSWERS {
            let path = path.display();
            return Err(Error::Format(format!(
                "{path} has {total} answers, and a study takes up to {MOST_ANSWERS} at once"
            )));
        }
        let mut participants: Vec<String> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        let mut leveled = 0;
        for answer in &mut answers {
            let wrong = |problem: String| line(path, answer.position, problem);
            if definition.answers.numbers().is_some() {
                definition.check_answer(answer.answer).map_err(|e| wrong(e.to_string()))?;
            }
            if !takes.contains(&answer.answer) {
                leveled += u64::from(answer.count);
                answer.answer = answer.answer.plain();
            }
            if !takes.contains(&answer.answer) {
                return Err(wrong(NO_TIES.to_owned()));
            }
            let name = match (&answer.participant, participant) {
                (Some(name), _) => name.clone(),
                (None, Some(name)) => name.to_owned(),
                (None, None) => return Err(wrong(NOBODY.to_owned())),
            };
            if seen.insert(name.clone()) {
                self.admit(&name).map_err(|e| wrong(e.to_string()))?;
                participants.push(name.clone());
            }
            answer.participant = Some(name);
        }
        if leveled > 0 {
            notes.push(format!(
                "{}: {leveled} of the answers say how much better, which this study does not use; they count as plain preferences",
                path.display()
            ));
        }
        let content = Fingerprint::new().bytes(bytes).hex();
        self.append_all(path, &content, &answers, again)?;
        let ties = answers.iter().filter(|a| a.answer == Answer::Tie).map(|a| u64::from(a.count)).sum();
        Ok(Imported { answers: total, ties, participants, notes })
    }

    /// Appends imported answers in one transaction.
    fn append_all(
        &mut self,
        path: &Path,
        content: &str,
        answers: &[Foreign],
        again: bool,
    ) -> Result<(), Error> {
        self.check_there()?;
        let mut transaction = self.journal_mut().begin()?;
        let mut prefix = format!("import/{content}");
        for time in 2.. {
            let before = transaction.import_of(&prefix)?;
            if before.is_empty() {
                break;
            }
            // Others may have given the same answers.
            let is_here = |name: &str| answers.iter().any(|a| a.participant.as_deref() == Some(name));
            let repeated: i64 = before.iter().filter(|(name, _)| is_here(name)).map(|(_, n)| n).sum();
            if repeated > 0 && !again {
                return Err(Error::Imported { path: path.to_path_buf(), answers: repeated });
            }
            prefix = format!("import/{content}.{time}");
        }
        let from = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        for (i, answer) in answers.iter().enumerate() {
            let (Position::Line(line) | Position::Row(line)) = answer.position;
            let (left, right) = event::columns(options(&answer.left, &answer.right, &answer.others));
            let event = NewEvent {
                participant: answer.participant.as_deref().unwrap_or_default(),
                key: format!("{prefix}/{i}"),
                kind: "imported",
                time: answer.time,
                left,
                right,
                outcome: Some(answer.answer.name().into_owned()),
                count: Some(answer.count),
                note: serde_json::to_string(&Origin { from: &from, line }).ok(),
                ..NewEvent::default()
            };
            transaction.append(&event)?;
        }
        let committed = transaction.commit();
        self.journal_mut().acknowledge(None, committed)
    }
}

/// A mistake in a line of a file.
fn line(path: &Path, position: Position, problem: impl Into<String>) -> Error {
    Error::Line { place: Place { path: path.to_path_buf(), position }, problem: problem.into() }
}

/// The alternatives of a study, to be found by name without a look at all of them.
struct Known<'d> {
    definition: &'d Definition,
    keys: HashSet<&'d str>,
}

impl<'d> Known<'d> {
    fn of(definition: &'d Definition) -> Self {
        let keys = match &definition.subject {
            Subject::Items(items) => items.keys.iter().map(String::as_str).collect(),
            Subject::Parameters(_) => HashSet::new(),
        };
        Self { definition, keys }
    }

    /// As [`Definition::parse`].
    fn parse(&self, text: &str) -> Result<Alternative, String> {
        if self.keys.contains(text) {
            Ok(Alternative::Item(text.to_owned()))
        } else {
            self.definition.parse(text)
        }
    }

    /// As [`Definition::normalised`].
    fn normalised(&self, alternative: &Alternative) -> Result<Alternative, String> {
        match alternative {
            Alternative::Item(key) if self.keys.contains(key.as_str()) => Ok(alternative.clone()),
            other => self.definition.normalised(other),
        }
    }

    /// Two different alternatives of the study, from text or JSON.
    fn two_sides(
        &self,
        left: &Alternative,
        right: &Alternative,
    ) -> Result<(Alternative, Alternative), String> {
        let (left, right) = (self.normalised(left)?, self.normalised(right)?);
        if left == right {
            return Err(format!(
                "{} is compared with itself; name two different ones",
                rather_io::quote(&left.to_string())
            ));
        }
        Ok((left, right))
    }
}

/// A count, from 1.
fn count(text: &str) -> Result<u32, String> {
    let parsed = text.parse().ok().filter(|&count| count > 0);
    parsed.ok_or_else(|| format!("{} is not a count; write a whole number from 1", rather_io::quote(text)))
}

/// A time.
fn time(text: &str) -> Result<i64, String> {
    let hint = "write it as 2026-11-21T09:30:00Z";
    crate::time::parse(text).ok_or_else(|| format!("{} is not a time; {hint}", rather_io::quote(text)))
}

/// What an outcome says, which may name the winner.
fn outcome(text: &str, left: &Alternative, right: &Alternative) -> Result<Answer, String> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    // The words come before names, for an item may be called "left".
    if let Some(answer) = Answer::in_words(text).or_else(|| Answer::by_number(text)) {
        Ok(answer)
    } else if is("model_a") {
        Ok(Answer::Left)
    } else if is("model_b") {
        Ok(Answer::Right)
    } else if is("tie (bothbad)") {
        Ok(Answer::Tie)
    } else if text == left.to_string() {
        Ok(Answer::Left)
    } else if text == right.to_string() {
        Ok(Answer::Right)
    } else {
        let (left, right) = (rather_io::quote(&left.to_string()), rather_io::quote(&right.to_string()));
        Err(format!("{} is no outcome; write left, right, tie, {left} or {right}", rather_io::quote(text)))
    }
}
