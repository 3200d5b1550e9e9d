//! What a participant has answered: the fold of their events.
//!
//! Events are only ever appended. An answer that was taken back has an event that points at it, and does not count; its
//! duel is open again.

use crate::alternative::{Alternative, options};
use crate::answer::Answer;
use crate::event::{EventRow, options_of};
use crate::timing::{self, Timing};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// It was given to a duel that was asked.
    Asked,
    /// The participant named the two sides.
    Volunteered,
    /// It was read from a file.
    Imported,
}

/// Why a caller chose the sides of a duel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// The pair was answered before: does the answer repeat?
    Repeat,
    /// Both sides are the same: is that noticed? Nothing is learned from the answer, and it does not count as one.
    Catch,
    /// The participant gets used to the task. Nothing is learned from the answer, and it does not count as one.
    Training,
}

impl Check {
    /// Whether an answer says something about the alternatives.
    pub fn counts(self) -> bool {
        self == Self::Repeat
    }
}

/// An answer that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its event.
    pub event: i64,
    /// The duel's number, if it was asked.
    pub duel: Option<u32>,
    /// The side shown on the left.
    pub left: Alternative,
    /// The side shown on the right.
    pub right: Alternative,
    /// The further options of a set, in the order in which they were shown.
    pub others: Vec<Alternative>,
    /// What was said.
    pub answer: Answer,
    /// How many times.
    pub count: u32,
    /// When the duel was asked, in milliseconds since 1970.
    pub asked: Option<i64>,
    /// When it was answered, in milliseconds since 1970.
    pub time: i64,
    /// Where the answer comes from.
    pub source: Source,
    /// Whether the duel was asked to check on the participant.
    pub check: Option<Check>,
    /// How long the answer took, and what was looked at meanwhile, if that is known.
    pub timing: Option<Timing>,
}

impl Entry {
    /// Whether a model sees it: a catch trial compares nothing, and training is none.
    pub(crate) fn is_learned_from(&self) -> bool {
        self.check.is_none_or(Check::counts)
    }

    /// Whether the answer says which of the alternatives is preferred, or that none is.
    pub fn is_answer(&self) -> bool {
        self.answer != Answer::Skip && self.check.is_none_or(Check::counts)
    }

    /// All options, in the order in which they were shown.
    pub fn options(&self) -> impl Iterator<Item = &Alternative> {
        options(&self.left, &self.right, &self.others)
    }
}

/// A duel that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenDuel {
    /// Its number, from 1 for every participant.
    pub number: u32,
    /// The side shown on the left.
    pub left: Alternative,
    /// The side shown on the right.
    pub right: Alternative,
    /// The further options of a set, in the order in which they were shown.
    pub others: Vec<Alternative>,
    /// When it was asked, in milliseconds since 1970.
    pub asked: i64,
    /// Whether it checks on the participant.
    pub check: Option<Check>,
}

impl OpenDuel {
    /// All options, in the order in which they are shown.
    pub fn options(&self) -> impl Iterator<Item = &Alternative> {
        options(&self.left, &self.right, &self.others)
    }
}

/// The answers of a participant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// The answers that count, in their order.
    pub entries: Vec<Entry>,
    /// The duel that waits for an answer.
    pub open: Option<OpenDuel>,
    /// Number of duels that were asked so far.
    pub asked: u32,
    /// Number of answers that were taken back.
    pub undone: u32,
    /// These answers, in the order in which they were taken back.
    pub taken_back: Vec<Entry>,
    /// How many times each duel was answered or skipped: more than once if it was taken back.
    attempts: HashMap<u32, u32>,
    /// The last event that is folded in.
    seen: i64,
}

/// What cannot be folded, in words.
pub(crate) enum Unreadable {
    /// The event is not what it must be.
    Damaged(String),
    /// The event is of a kind that is not known here.
    Unknown(String),
}

impl History {
    /// Number of answers that say something: skipped duels, catch trials and training do not count, answers that stand for several do.
    pub fn answers(&self) -> u64 {
        self.entries.iter().filter(|e| e.is_answer()).map(|e| u64::from(e.count)).sum()
    }

    /// Number of duels that were skipped.
    pub fn skipped(&self) -> u64 {
        self.entries.iter().filter(|e| e.answer == Answer::Skip).count() as u64
    }

    /// Number of answers to duels that were asked, to which a budget applies.
    pub(crate) fn answered_duels(&self) -> u32 {
        self.entries.iter().filter(|e| e.is_answer() && e.source == Source::Asked).count() as u32
    }

    /// The last event folded in.
    pub(crate) fn seen(&self) -> i64 {
        self.seen
    }

    /// The entry that undoing takes back: the last one that was not imported.
    pub(crate) fn last(&self) -> Option<&Entry> {
        self.entries.iter().rev().find(|e| e.source != Source::Imported)
    }

    /// How many times duel `number` was answered or skipped.
    pub(crate) fn attempts(&self, number: u32) -> u32 {
        self.attempts.get(&number).copied().unwrap_or(0)
    }

    /// Folds in an event.
    pub(crate) fn apply(&mut self, event: EventRow) -> Result<(), Unreadable> {
        let id = event.id;
        match event.kind.as_str() {
            "asked" => {
                let number = needed(event.duel, "its duel", id)?;
                self.asked = self.asked.max(number);
                let (left, right, others) = shown(&event)?;
                let (asked, check) = (event.time, check(&event));
                self.open = Some(OpenDuel { number, left, right, others, asked, check });
            }
            "answered" | "skipped" | "imported" => self.push(&event)?,
            "undone" => self.take_back(needed(event.target, "what it takes back", id)?),
            other => return Err(Unreadable::Unknown(format!("an event of the kind \"{other}\""))),
        }
        self.seen = id;
        Ok(())
    }

    fn push(&mut self, event: &EventRow) -> Result<(), Unreadable> {
        let (left, right, others) = shown(event)?;
        let answer = match (event.kind.as_str(), event.outcome.as_deref()) {
            ("skipped", _) => Answer::Skip,
            (_, Some(outcome)) => Answer::of_name(outcome)
                .ok_or_else(|| Unreadable::Unknown(format!("an answer \"{outcome}\"")))?,
            (_, None) => return Err(Unreadable::Damaged(format!("event {} lacks its outcome", event.id))),
        };
        let number = 2 + others.len();
        if !answer.suits(number) {
            let (id, options) = (event.id, number);
            return Err(Unreadable::Damaged(format!(
                "event {id} answers \"{answer}\" to a question about {options} options"
            )));
        }
        let source = match (event.kind.as_str(), event.duel) {
            ("imported", _) => Source::Imported,
            (_, Some(_)) => Source::Asked,
            (_, None) => Source::Volunteered,
        };
        let mut open = None;
        if let Some(number) = event.duel {
            *self.attempts.entry(number).or_default() += 1;
            open = self.open.take_if(|open| open.number == number);
        }
        let (asked, check) = open.map_or((None, None), |open| (Some(open.asked), open.check));
        let EventRow { id, duel, count, time, .. } = *event;
        self.entries.push(Entry {
            event: id,
            duel,
            left,
            right,
            others,
            answer,
            count,
            asked,
            time,
            source,
            check,
            timing: timing::of_note(event.note.as_deref()),
        });
        Ok(())
    }

    fn take_back(&mut self, target: i64) {
        let Some(at) = self.entries.iter().rposition(|e| e.event == target) else { return };
        let entry = self.entries.remove(at);
        self.undone += 1;
        if let Some(number) = entry.duel {
            let Entry { left, right, others, check, .. } = entry.clone();
            let asked = entry.asked.unwrap_or(entry.time);
            self.open = Some(OpenDuel { number, left, right, others, asked, check });
        }
        self.taken_back.push(entry);
    }
}

/// Why a duel was asked, if not to learn.
fn check(event: &EventRow) -> Option<Check> {
    #[derive(Deserialize)]
    struct Note {
        check: Option<Check>,
    }
    serde_json::from_str::<Note>(event.note.as_deref()?).ok()?.check
}

fn needed<T>(value: Option<T>, what: &str, event: i64) -> Result<T, Unreadable> {
    value.ok_or_else(|| Unreadable::Damaged(format!("event {event} lacks {what}")))
}

/// The options of a question: the two sides, and the others of a set.
fn shown(event: &EventRow) -> Result<(Alternative, Alternative, Vec<Alternative>), Unreadable> {
    let mut options = options_of(event).map_err(Unreadable::Damaged)?;
    let others = options.split_off(options.len().min(2));
    match <[Alternative; 2]>::try_from(options) {
        Ok([left, right]) => Ok((left, right, others)),
        Err(_) => Err(Unreadable::Damaged(format!("event {} lacks one of its sides", event.id))),
    }
}
