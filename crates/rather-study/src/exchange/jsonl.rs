//! Answers as JSON lines: the whole log of a study, or what other programs write.

use super::{Foreign, Known, line, outcome, sets, time};
use crate::Error;
use crate::alternative::Alternative;
use crate::answer::Answer;
use crate::definition::Definition;
use crate::study::Study;
use rather_io::Position;
use rather_numerics::order;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;

/// The first line of a log.
#[derive(Serialize)]
struct Header<'a> {
    study: &'a str,
    rather: &'static str,
    definition: &'a Definition,
}

/// An event, as a line of a log.
#[derive(Serialize)]
struct Line<'a> {
    event: i64,
    kind: &'a str,
    participant: &'a str,
    time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    duel: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<Alternative>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<Alternative>,
    /// Of a set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<Alternative>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'a str>,
    #[serde(skip_serializing_if = "is_one")]
    count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<serde_json::Value>,
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

/// Writes the definition and all events, in their order.
pub(super) fn write(study: &mut Study, participants: &[String]) -> Result<String, Error> {
    let mut events = Vec::new();
    for name in participants {
        events.extend(study.events(name)?);
    }
    order::sort_by_key(&mut events, |event| event.id);
    let header =
        Header { study: study.name(), rather: env!("CARGO_PKG_VERSION"), definition: study.definition() };
    let mut out = serde_json::to_string(&header).unwrap_or_default();
    for event in &events {
        let shown = crate::event::options_of(event).unwrap_or_default();
        let is_set = shown.len() > 2;
        let side = |place: usize| shown.get(place).filter(|_| !is_set).cloned();
        let line = Line {
            event: event.id,
            kind: &event.kind,
            participant: &event.participant,
            time: crate::time::format(event.time),
            duel: event.duel,
            left: side(0),
            right: side(1),
            options: if is_set { shown.clone() } else { Vec::new() },
            outcome: event.outcome.as_deref(),
            count: event.count,
            undoes: event.target,
            note: event.note.as_deref().and_then(|note| serde_json::from_str(note).ok()),
        };
        out.push('\n');
        out += &serde_json::to_string(&line).unwrap_or_default();
    }
    out.push('\n');
    Ok(out)
}

/// A line of a log, or of another program's answers.
#[derive(Deserialize)]
struct Said {
    event: Option<i64>,
    kind: Option<String>,
    undoes: Option<i64>,
    definition: Option<serde::de::IgnoredAny>,
    #[serde(alias = "user")]
    participant: Option<String>,
    #[serde(alias = "model_a")]
    left: Option<Alternative>,
    #[serde(alias = "model_b")]
    right: Option<Alternative>,
    #[serde(default)]
    options: Vec<Alternative>,
    #[serde(alias = "winner")]
    outcome: Option<String>,
    best: Option<String>,
    worst: Option<String>,
    count: Option<u32>,
    time: Option<serde_json::Value>,
}

/// Reads answers. Of a log, what was taken back, skipped or only asked is left out.
pub(super) fn read(path: &Path, bytes: &[u8], definition: &Definition) -> Result<Vec<Foreign>, Error> {
    let bytes = rather_io::decompress(path, bytes.to_vec())?;
    let text = String::from_utf8(bytes).map_err(|_| Error::NotUtf8 { path: path.to_path_buf() })?;
    let mut lines = Vec::new();
    for (text, number) in text.lines().zip(1..).filter(|(text, _)| !text.trim().is_empty()) {
        let position = Position::Line(number);
        let said: Said = serde_json::from_str(text).map_err(|e| line(path, position, sentence(&e)))?;
        lines.push((position, said));
    }
    let undone: HashSet<i64> = lines.iter().filter_map(|(_, said)| said.undoes).collect();
    let known = Known::of(definition);
    let mut answers = Vec::new();
    for (position, said) in lines {
        let is_answer = said.kind.as_deref().is_none_or(|kind| matches!(kind, "answered" | "imported"));
        let is_undone = said.event.is_some_and(|event| undone.contains(&event));
        // A log also holds catch trials, with the same on both sides.
        let is_catch = said.kind.is_some() && said.options.is_empty() && said.left == said.right;
        if said.definition.is_none() && is_answer && !is_undone && !is_catch {
            answers.push(answer(said, position, &known).map_err(|problem| line(path, position, problem))?);
        }
    }
    if answers.is_empty() {
        return Err(rather_io::Error::NoComparisons { path: path.to_path_buf() }.into());
    }
    Ok(answers)
}

fn answer(said: Said, position: Position, known: &Known<'_>) -> Result<Foreign, String> {
    let (left, right, others, answer) = match known.definition.is_of_sets() {
        true => sets::answer(&said.options, (said.outcome, said.best, said.worst), known)?,
        false => comparison(said.left, said.right, said.outcome, known)?,
    };
    let time = match said.time {
        None | Some(serde_json::Value::Null) => None,
        Some(serde_json::Value::String(text)) => Some(time(&text)?),
        Some(other) => return Err(format!("{other} is not a time; write it as \"2026-11-21T09:30:00Z\"")),
    };
    let count = said.count.unwrap_or(1);
    if count == 0 {
        return Err("0 is not a count; write a whole number from 1".to_owned());
    }
    Ok(Foreign { participant: said.participant, left, right, others, answer, count, time, position })
}

/// An answer to a comparison of two.
fn comparison(
    left: Option<Alternative>,
    right: Option<Alternative>,
    said: Option<String>,
    known: &Known<'_>,
) -> Result<(Alternative, Alternative, Vec<Alternative>, Answer), String> {
    let missing =
        |what: &str| format!("it has no \"{what}\"; a line needs left, right and outcome (or winner)");
    let left = left.ok_or_else(|| missing("left"))?;
    let right = right.ok_or_else(|| missing("right"))?;
    let (left, right) = known.two_sides(&left, &right)?;
    let answer = outcome(&said.ok_or_else(|| missing("outcome"))?, &left, &right)?;
    Ok((left, right, Vec::new(), answer))
}

/// What is wrong with a line, without the line number that each line has for itself.
fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    format!("this is not a JSON object of an answer: {what} (at column {})", error.column())
}
