//! Asking for the next duel.

use super::{Study, fold};
use crate::alternative::options;
use crate::event::{self, NewEvent};
use crate::history::{Check, History, OpenDuel};
use crate::learner::{Choice, Cut, Record};
use crate::{Alternative, Error, deadline};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// What asking gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// A duel to answer.
    Duel(Asked),
    /// The participant has given all answers that the definition asks for.
    Finished {
        /// How many that is.
        answers: u32,
    },
}

/// A duel that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Its number, from 1 for every participant.
    pub number: u32,
    /// The side to show on the left.
    pub left: Alternative,
    /// The side to show on the right.
    pub right: Alternative,
    /// The further options of a set, in the order in which to show them.
    pub others: Vec<Alternative>,
    /// Number of answers of this participant so far.
    pub answers: u64,
    /// Whether it was asked before and still waits.
    pub again: bool,
    /// Whether it was chosen ahead, so that nobody had to wait.
    pub planned: bool,
    /// What the time limit cut off, if anything.
    pub cut: Option<Cut>,
    /// Whether it checks on the participant ([`Study::ask_check`]).
    pub check: Option<Check>,
}

impl Asked {
    /// All options, in the order in which to show them.
    pub fn options(&self) -> impl Iterator<Item = &Alternative> {
        options(&self.left, &self.right, &self.others)
    }
}

/// How a duel was chosen, as its event keeps it.
#[derive(Default, Serialize)]
struct How<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<Cut>,
    planned: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    history: &'a str,
}

impl Study {
    /// The duel to answer next. The one that waits for an answer if there is one; else the one that was chosen ahead
    /// ([`Study::plan_ahead`]); else it is chosen now, within the definition's time limit.
    ///
    /// The same answers give the same duels, unless the time limit cuts a choice short, which the result and the event say.
    ///
    /// # Errors
    /// If the participant may not answer, the file cannot be written, or the answers cannot be learned from.
    pub fn ask(&mut self, participant: &str) -> Result<Ask, Error> {
        self.ask_within(participant, Duration::MAX)
    }

    /// As [`Study::ask`], but choosing a duel takes no longer than `limit` even if the definition allows more.
    ///
    /// # Errors
    /// As [`Study::ask`].
    pub fn ask_within(&mut self, participant: &str, limit: Duration) -> Result<Ask, Error> {
        self.admit(participant)?;
        // An answer to a duel that is shown now could not be recorded.
        self.journal.check_place()?;
        self.check_there()?;
        loop {
            self.sync_for(participant)?;
            let history = &self.histories[participant];
            if let Some(open) = &history.open {
                return Ok(Ask::Duel(waiting(open, history.answers())));
            }
            if let Some(answers) = self.definition().stop.answers.filter(|&n| history.answered_duels() >= n) {
                return Ok(Ask::Finished { answers });
            }
            let seen = history.seen();
            let (record, fingerprint) = self.situation(participant, None)?;
            let plan = self.plan(participant, &fingerprint)?;
            let planned = plan.is_some();
            let choice = plan.map_or_else(|| self.choose(participant, record, limit), Ok)?;
            let how =
                How { score: choice.score, cut: choice.cut, planned, history: &fingerprint, check: None };
            if let Some(asked) =
                self.open_duel(participant, seen, (choice.left, choice.right, choice.others), &how)?
            {
                return Ok(Ask::Duel(asked));
            }
            // The participant answered elsewhere in the meantime.
        }
    }

    /// Asks a duel whose sides the caller chose, to check on the participant, unless a duel waits already: then that is what
    /// comes back, as from [`Study::ask`]. The sides may be the same in a catch trial, and only there.
    ///
    /// # Errors
    /// As [`Study::ask`], and if the sides are no alternatives of the study, or the same but in a catch trial, or not the same there.
    pub fn ask_check(
        &mut self,
        participant: &str,
        (left, right): (&Alternative, &Alternative),
        check: Check,
    ) -> Result<Asked, Error> {
        self.admit(participant)?;
        if self.definition().is_of_sets() {
            return Err(Error::Options { expected: self.definition().options, found: 2 });
        }
        let left = self.definition().normalised(left).map_err(Error::Alternative)?;
        let right = self.definition().normalised(right).map_err(Error::Alternative)?;
        match (check, left == right) {
            (Check::Repeat | Check::Training, true) => {
                return Err(Error::SelfComparison { alternative: left.to_string() });
            }
            (Check::Catch, false) => {
                return Err(Error::Alternative(format!(
                    "a catch trial needs the same alternative on both sides, not {left} and {right}"
                )));
            }
            _ => {}
        }
        self.check_there()?;
        loop {
            self.sync(participant)?;
            let history = &self.histories[participant];
            if let Some(open) = &history.open {
                return Ok(waiting(open, history.answers()));
            }
            let (seen, how) = (history.seen(), How { check: Some(check), ..How::default() });
            let sides = (left.clone(), right.clone(), Vec::new());
            if let Some(asked) = self.open_duel(participant, seen, sides, &how)? {
                return Ok(asked);
            }
        }
    }

    /// The plan for a history, if there is one.
    pub(super) fn plan(&self, participant: &str, fingerprint: &str) -> Result<Option<Choice>, Error> {
        let found = self.journal.find_plan(participant, fingerprint)?;
        // A plan that cannot be read is no plan: it can be computed again.
        Ok(found.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Chooses a duel within `limit` and the definition's time limit.
    pub(super) fn choose(&self, participant: &str, record: Record, limit: Duration) -> Result<Choice, Error> {
        let limit = limit.min(Duration::from_secs_f64(self.definition().time_limit));
        let seed = self.learner.seed(participant);
        let learner = Arc::clone(&self.learner);
        let record = Arc::new(record);
        let shared = Arc::clone(&record);
        let hasty = learner.is_hasty(limit);
        let chosen = deadline::within(limit, move |deadline| {
            if hasty {
                learner.hurried();
                return learner.next_hastily(&shared, seed);
            }
            let begun = deadline::Clock::start();
            let choice = learner.next(&shared, seed, &|| deadline.passed());
            learner.took(begun.elapsed());
            choice
        });
        chosen.unwrap_or_else(|| self.learner.without_model(&record, seed))
    }

    /// Records that a duel was asked; `None` if something happened to the participant since event `seen`.
    fn open_duel(
        &mut self,
        participant: &str,
        seen: i64,
        (left, right, others): (Alternative, Alternative, Vec<Alternative>),
        how: &How<'_>,
    ) -> Result<Option<Asked>, Error> {
        let history = self.histories.entry(participant.to_owned()).or_default();
        // Asked again, the same duel is chosen: only answers must wait for the disk.
        let mut transaction = self.journal.begin_derived()?;
        let events = transaction.events_of(participant, history.seen())?;
        fold(&self.learner, transaction.path(), events, history)?;
        if history.seen() != seen {
            return Ok(None);
        }
        let number = history.asked + 1;
        let (left_column, right_column) = event::columns(options(&left, &right, &others));
        let event = NewEvent {
            participant,
            key: format!("ask/{number}/{participant}"),
            kind: "asked",
            duel: Some(number),
            left: left_column,
            right: right_column,
            note: serde_json::to_string(how).ok(),
            ..NewEvent::default()
        };
        let appended = transaction.append(&event).and_then(|_| transaction.commit());
        self.journal.acknowledge(None, appended)?;
        let answers = self.history_now(participant)?.answers();
        let How { planned, cut, check, .. } = *how;
        Ok(Some(Asked { number, left, right, others, answers, again: false, planned, cut, check }))
    }

    /// The history after a change of our own.
    pub(super) fn history_now(&mut self, participant: &str) -> Result<&History, Error> {
        self.sync(participant)?;
        Ok(&self.histories[participant])
    }
}

fn waiting(open: &OpenDuel, answers: u64) -> Asked {
    let OpenDuel { number, left, right, others, check, .. } = open.clone();
    Asked { number, left, right, others, answers, again: true, planned: false, cut: None, check }
}
