//! What a study tells, in the form in which Python reads it.

use rather_study::analysis::connectivity::Connectivity;
use rather_study::analysis::consistency::Consistency;
use rather_study::history::{Entry, Source};
use rather_study::{Alternative, Asked, Check, Cut, Told};
use serde::Serialize;

/// A duel that waits for an answer.
#[derive(Serialize)]
pub(crate) struct Duel {
    number: u32,
    left: Alternative,
    right: Alternative,
    others: Vec<Alternative>,
    answers: u64,
    again: bool,
    planned: bool,
    cut: Option<Cut>,
    check: Option<Check>,
}

impl From<Asked> for Duel {
    fn from(asked: Asked) -> Self {
        let Asked { number, left, right, others, answers, again, planned, cut, check } = asked;
        Self { number, left, right, others, answers, again, planned, cut, check }
    }
}

/// An answer that was recorded or taken back.
#[derive(Serialize)]
pub(crate) struct Said {
    query: Option<u32>,
    left: Alternative,
    right: Alternative,
    others: Vec<Alternative>,
    answer: String,
    answers: u64,
    again: bool,
}

impl From<Told> for Said {
    fn from(told: Told) -> Self {
        let Told { duel: query, left, right, others, answer, answers, again } = told;
        Self { query, left, right, others, answer: answer.to_string(), answers, again }
    }
}

/// An answer that counts.
#[derive(Serialize)]
pub(crate) struct Heard<'a> {
    query: Option<u32>,
    left: &'a Alternative,
    right: &'a Alternative,
    others: &'a [Alternative],
    answer: String,
    count: u32,
    source: &'static str,
    /// Milliseconds since 1970.
    asked: Option<i64>,
    time: i64,
    check: Option<Check>,
}

impl<'a> From<&'a Entry> for Heard<'a> {
    fn from(entry: &'a Entry) -> Self {
        let Entry {
            duel: query,
            ref left,
            ref right,
            ref others,
            answer,
            count,
            asked,
            time,
            source,
            check,
            ..
        } = *entry;
        let source = match source {
            Source::Asked => "asked",
            Source::Volunteered => "volunteered",
            Source::Imported => "imported",
        };
        Self { query, left, right, others, answer: answer.to_string(), count, source, asked, time, check }
    }
}

/// Whether comparisons hang together and answers fit together.
#[derive(Serialize)]
pub(crate) struct Health {
    sentences: Vec<String>,
    connectivity: Connectivity,
    consistency: Option<Consistency>,
}

impl Health {
    /// `consistency` is that of the participant's answers, if there are any.
    pub(crate) fn new(connectivity: Connectivity, consistency: Option<Consistency>) -> Self {
        let mut sentences = vec![connectivity.sentence()];
        sentences.extend(consistency.iter().flat_map(Consistency::sentences));
        Self { sentences, connectivity, consistency }
    }
}

/// As JSON.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Numbers are finite or become null, and keys are texts: nothing that JSON has no words for.
    serde_json::to_string(value).unwrap_or_default()
}
