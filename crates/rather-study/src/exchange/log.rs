//! The log of a study read back whole, with all that was asked, skipped and undone.

use super::line;
use crate::alternative::Alternative;
use crate::event::{EventRow, columns};
use crate::{Definition, Error};
use rather_io::Position;
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Header {
    study: String,
    definition: Definition,
}

/// What [`jsonl`](super::jsonl) writes of an event.
#[derive(Deserialize)]
struct Line {
    event: i64,
    kind: String,
    participant: String,
    time: String,
    duel: Option<u32>,
    left: Option<Alternative>,
    right: Option<Alternative>,
    #[serde(default)]
    options: Vec<Alternative>,
    outcome: Option<String>,
    #[serde(default = "one")]
    count: u32,
    undoes: Option<i64>,
    note: Option<serde_json::Value>,
}

fn one() -> u32 {
    1
}

/// The study's name, its definition and its events.
///
/// # Errors
/// [`Error::Line`] for what is no line of a log.
pub(crate) fn read(log: &[u8]) -> Result<(String, Definition, Vec<EventRow>), Error> {
    let path = Path::new("log");
    let text = std::str::from_utf8(log).map_err(|_| Error::NotUtf8 { path: path.to_path_buf() })?;
    let wrong = |number, problem: String| line(path, Position::Line(number), problem);
    let mut lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
    let (number, first) = lines.next().unwrap_or((1, ""));
    let Header { study, definition } = serde_json::from_str(first)
        .map_err(|e| wrong(number, format!("this is not the first line of a study's log: {e}")))?;
    let event = |(number, text)| {
        let read: Line = serde_json::from_str(text)
            .map_err(|e| wrong(number, format!("this is not an event of a study's log: {e}")))?;
        let time = super::time(&read.time).map_err(|problem| wrong(number, problem))?;
        Ok(read.event(time))
    };
    Ok((study, definition, lines.map(event).collect::<Result<_, Error>>()?))
}

impl Line {
    fn event(self, time: i64) -> EventRow {
        let shown: Vec<Alternative> = match self.options.is_empty() {
            true => self.left.into_iter().chain(self.right).collect(),
            false => self.options,
        };
        let (left, right) = if shown.is_empty() { (None, None) } else { columns(&shown) };
        EventRow {
            id: self.event,
            participant: self.participant,
            kind: self.kind,
            time,
            duel: self.duel,
            left,
            right,
            outcome: self.outcome,
            count: self.count,
            target: self.undoes,
            note: self.note.map(|note| note.to_string()),
        }
    }
}
