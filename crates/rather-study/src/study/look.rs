//! Looking at what was learned.

use super::Study;
use crate::analysis::advice::Advice;
use crate::analysis::agreement::Agreement;
use crate::analysis::connectivity::Connectivity;
use crate::analysis::consistency::{Catches, Consistency};
use crate::definition::Pooling;
use crate::history::{Check, Entry, History, Source};
use crate::learner::Record;
use crate::{Answer, Error};
use rather_numerics::order;
use serde::Serialize;

/// How far a participant is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The participant.
    pub participant: String,
    /// Number of answers, ties too.
    pub answers: u64,
    /// How many of them had no preference.
    pub ties: u64,
    /// How many of them were read from files.
    pub imported: u64,
    /// Number of skipped duels.
    pub skipped: u64,
    /// Number of answers that were taken back.
    pub undone: u32,
    /// The number of the duel that waits for an answer.
    pub open: Option<u32>,
    /// Number of answers that the study asks for, if it says.
    pub wanted: Option<u32>,
    /// Whether these are all given.
    pub finished: bool,
    /// Median of the seconds from asking to answering, over the duels that were asked. Where the clock was set back in between, the time is
    /// not known and left out.
    pub median_seconds: Option<f64>,
}

impl Study {
    /// How far a participant is.
    ///
    /// # Errors
    /// If the file cannot be read, or the participant may not answer.
    pub fn standing(&mut self, participant: &str) -> Result<Standing, Error> {
        let wanted = self.definition().stop.answers;
        let history = self.history(participant)?;
        let sum = |which: &dyn Fn(&Entry) -> bool| {
            history.entries.iter().filter(|e| which(e)).map(|e| u64::from(e.count)).sum()
        };
        Ok(Standing {
            participant: participant.to_owned(),
            answers: history.answers(),
            ties: sum(&|e| e.is_answer() && e.answer == Answer::Tie),
            imported: sum(&|e| e.source == Source::Imported),
            skipped: history.skipped(),
            undone: history.undone,
            open: history.open.as_ref().map(|open| open.number),
            wanted,
            finished: wanted.is_some_and(|wanted| history.answered_duels() >= wanted),
            median_seconds: median_seconds(history),
        })
    }

    /// What the participant's answers recommend (of all participants if they are learned from together), how sure that is,
    /// and whether to go on.
    ///
    /// # Errors
    /// If there is no answer yet, or as [`Study::ask`].
    pub fn advice(&mut self, participant: &str) -> Result<Advice, Error> {
        let finished = self.standing(participant)?.finished;
        let record = self.record(participant)?;
        if record.duels.iter().all(|duel| duel.answer.is_none()) {
            return Err(Error::NoAnswers { participant: participant.to_owned() });
        }
        Advice::of(&self.learner, &record, self.learner.seed(participant), finished)
    }

    /// How the comparisons that a participant's model learns from hang together.
    ///
    /// # Errors
    /// As [`Study::standing`].
    pub fn connectivity(&mut self, participant: &str) -> Result<Connectivity, Error> {
        let record = self.record(participant)?;
        Ok(Connectivity::of(&self.learner, &record))
    }

    /// Whether the participant's own answers fit together.
    ///
    /// # Errors
    /// If there is no answer yet, or as [`Study::standing`].
    pub fn consistency(&mut self, participant: &str) -> Result<Consistency, Error> {
        self.history(participant)?;
        let entries = &self.histories[participant].entries;
        let catches = Catches::of(entries.iter().filter(|e| e.check == Some(Check::Catch)).map(|e| e.answer));
        let said = super::learned_from(entries.iter());
        let record = self.learner.record(said)?;
        if record.duels.iter().all(|duel| duel.answer.is_none()) {
            return Err(Error::NoAnswers { participant: participant.to_owned() });
        }
        Consistency::of(&self.learner, &record, catches)
    }

    /// What all participants' answers say together, and whether they agree; nothing before the first answer. The models of the
    /// [`MODELS`](crate::analysis::agreement::MODELS) participants with the most answers are fitted anew.
    ///
    /// # Errors
    /// If the file cannot be read, or more was compared than one model is fitted to at once.
    pub fn agreement(&mut self) -> Result<Agreement, Error> {
        let names = self.participants()?;
        for name in &names {
            self.sync(name)?;
        }
        let mut people = Vec::new();
        for name in names {
            let said = super::learned_from(self.histories[&name].entries.iter());
            let others = match self.definition().participants.model {
                Pooling::Collaborative => self.others(&name),
                Pooling::Separate | Pooling::Together => Vec::new(),
            };
            let own = self.learner.record_among(said, others)?;
            if own.duels.iter().any(|duel| duel.answer.is_some()) {
                people.push((name, own));
            }
        }
        let mut entries: Vec<&Entry> = self.histories.values().flat_map(|h| &h.entries).collect();
        order::sort_by_key(&mut entries, |entry| entry.event);
        let all = self.learner.record(super::learned_from(entries.into_iter()))?;
        if people.is_empty() {
            return Ok(Agreement::default());
        }
        Agreement::of(&self.learner, &people, &all)
    }

    /// The mean utility of every item of the list, as the participant's model has it.
    pub(crate) fn utilities(&mut self, participant: &str) -> Result<Vec<f64>, Error> {
        let record = self.record(participant)?;
        let posterior = self.learner.fit(&record)?;
        Ok(posterior.utilities(&self.learner.points(&record)).mean)
    }

    /// The answers that a participant's model learns from.
    fn record(&mut self, participant: &str) -> Result<Record, Error> {
        self.admit(participant)?;
        self.sync_for(participant)?;
        Ok(self.situation(participant, None)?.0)
    }
}

fn median_seconds(history: &History) -> Option<f64> {
    let seconds =
        |e: &Entry| Some(e.time.saturating_sub(e.asked?)).filter(|t| *t >= 0).map(|t| t as f64 / 1e3);
    let mut all: Vec<f64> = history.entries.iter().filter_map(seconds).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}
