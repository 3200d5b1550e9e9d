//! Telling an answer, and taking it back.

use super::{Study, fold};
use crate::alternative::options;
use crate::event::{self, EventRow, NewEvent};
use crate::history::{Entry, History};
use crate::timing::{self, Timing};
use crate::{Alternative, Answer, Error};

/// An answer that is recorded for good.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The duel's number, if it was asked.
    pub duel: Option<u32>,
    /// The side that was shown on the left.
    pub left: Alternative,
    /// The side that was shown on the right.
    pub right: Alternative,
    /// The further options of a set, in the order in which they were shown.
    pub others: Vec<Alternative>,
    /// What was said.
    pub answer: Answer,
    /// Number of answers of this participant so far.
    pub answers: u64,
    /// Whether the very same was told before: it counts once.
    pub again: bool,
}

impl Told {
    /// All options, in the order in which they were shown.
    pub fn options(&self) -> impl Iterator<Item = &Alternative> {
        options(&self.left, &self.right, &self.others)
    }

    /// What an answer says that counts.
    fn of(entry: &Entry, answers: u64, again: bool) -> Self {
        let Entry { duel, left, right, others, answer, .. } = entry.clone();
        Self { duel, left, right, others, answer, answers, again }
    }
}

/// What an answer is about.
enum About<'a> {
    /// A duel that was asked: of this number, or the open one.
    Duel(Option<u32>),
    /// Options that the participant named.
    Options(&'a [Alternative]),
}

impl Study {
    /// Records the answer to duel `duel`, or to the open one if no number is given. When this returns, the answer is on the
    /// disk. A `key` makes it safe to try again: a key that was recorded already is recorded once. So does the number of a
    /// duel.
    ///
    /// # Errors
    /// If the study does not take this answer, there is no such open duel, the key was used for something else, the participant may not
    /// answer, or the file cannot be written.
    pub fn tell(
        &mut self,
        participant: &str,
        duel: Option<u32>,
        answer: Answer,
        key: Option<&str>,
    ) -> Result<Told, Error> {
        self.record_answer(participant, About::Duel(duel), answer, key, None)
    }

    /// As [`Study::tell`], with how long the answer took and what was looked at meanwhile.
    ///
    /// # Errors
    /// As [`Study::tell`], and if the timing cannot be that of a question of the study.
    pub fn tell_timed(
        &mut self,
        participant: &str,
        duel: Option<u32>,
        answer: Answer,
        key: Option<&str>,
        timing: &Timing,
    ) -> Result<Told, Error> {
        timing.check(self.definition().options).map_err(Error::Timing)?;
        self.record_answer(participant, About::Duel(duel), answer, key, Some(timing))
    }

    /// Records an answer to two sides that were not asked. The open duel stays open.
    ///
    /// # Errors
    /// As [`Study::tell_about`].
    pub fn tell_pair(
        &mut self,
        participant: &str,
        (left, right): (&Alternative, &Alternative),
        answer: Answer,
        key: Option<&str>,
    ) -> Result<Told, Error> {
        self.tell_about(participant, &[left.clone(), right.clone()], answer, key)
    }

    /// Records an answer about options that were not asked, as many as a question has, which it numbers in this order. The open question stays open.
    ///
    /// # Errors
    /// As [`Study::tell`], and if these are not as many different alternatives of the study as a question has options.
    pub fn tell_about(
        &mut self,
        participant: &str,
        options: &[Alternative],
        answer: Answer,
        key: Option<&str>,
    ) -> Result<Told, Error> {
        let (expected, found) = (self.definition().options, options.len());
        if found != expected {
            return Err(Error::Options { expected, found });
        }
        let normal = |option| self.definition().normalised(option).map_err(Error::Alternative);
        let options: Vec<Alternative> = options.iter().map(normal).collect::<Result<_, _>>()?;
        let twice = options.iter().enumerate().find(|(k, option)| options[..*k].contains(option));
        if let Some((_, option)) = twice {
            return Err(Error::SelfComparison { alternative: option.to_string() });
        }
        self.record_answer(participant, About::Options(&options), answer, key, None)
    }

    /// The answer about a set in which these options are the best and, if it is asked, the worst one, of question `duel`, or of the open one.
    ///
    /// # Errors
    /// If they are not options of the question, or one is both; if there is no such question; as [`Study::tell`].
    pub fn extremes(
        &mut self,
        participant: &str,
        duel: Option<u32>,
        best: &str,
        worst: Option<&str>,
    ) -> Result<Answer, Error> {
        let history = self.history(participant)?;
        let open = history.open.as_ref().filter(|open| duel.is_none_or(|number| open.number == number));
        let answered = || history.entries.iter().find(|entry| duel.is_some() && entry.duel == duel);
        let shown: Vec<String> = match (open, answered()) {
            (Some(open), _) => open.options().map(ToString::to_string).collect(),
            (None, Some(entry)) => entry.options().map(ToString::to_string).collect(),
            (None, None) => return Err(Error::NoOpenDuel { participant: participant.to_owned() }),
        };
        self.definition().extremes(&shown, best, worst)
    }

    /// Takes the last answer of a participant back, be it a skipped duel; its duel is open again. What was imported stays.
    ///
    /// # Errors
    /// If there is nothing to take back, or as [`Study::tell`].
    pub fn undo(&mut self, participant: &str, key: Option<&str>) -> Result<Told, Error> {
        self.admit(participant)?;
        self.check_there()?;
        let history = self.histories.entry(participant.to_owned()).or_default();
        let mut transaction = self.journal.begin()?;
        let events = transaction.events_of(participant, history.seen())?;
        fold(&self.learner, transaction.path(), events, history)?;
        let before = key.map(client_key).map(|key| transaction.event_of_key(&key)).transpose()?;
        if let Some(event) = before.flatten() {
            let taken = event.target.map(|id| transaction.event(id)).transpose()?;
            drop(transaction);
            return match taken {
                Some(taken) if event.kind == "undone" && event.participant == participant => {
                    let told = self.told(participant, &taken, true);
                    self.journal.acknowledge(None, told)
                }
                _ => Err(Error::KeyReused { key: key.unwrap_or_default().to_owned() }),
            };
        }
        let Some(last) = history.last() else {
            return Err(Error::NothingToUndo { participant: participant.to_owned() });
        };
        let event = NewEvent {
            participant,
            key: key.map_or_else(|| format!("undo/{}", last.event), client_key),
            kind: "undone",
            duel: last.duel,
            target: Some(last.event),
            ..NewEvent::default()
        };
        let undone = Told::of(last, 0, false);
        let appended = transaction.append(&event).and_then(|_| transaction.commit());
        self.journal.acknowledge(Some(&event), appended)?;
        let answers = self.history_now(participant)?.answers();
        Ok(Told { answers, ..undone })
    }

    fn record_answer(
        &mut self,
        participant: &str,
        about: About<'_>,
        answer: Answer,
        key: Option<&str>,
        timing: Option<&Timing>,
    ) -> Result<Told, Error> {
        self.admit(participant)?;
        self.definition().check_answer(answer)?;
        self.check_there()?;
        let history = self.histories.entry(participant.to_owned()).or_default();
        let mut transaction = self.journal.begin()?;
        let events = transaction.events_of(participant, history.seen())?;
        fold(&self.learner, transaction.path(), events, history)?;
        let before = key.map(client_key).map(|key| transaction.event_of_key(&key)).transpose()?;
        if let Some(event) = before.flatten() {
            drop(transaction);
            if !is_same(&event, participant, &about, answer) {
                return Err(Error::KeyReused { key: key.unwrap_or_default().to_owned() });
            }
            let told = self.told(participant, &event, true);
            return self.journal.acknowledge(None, told);
        }
        let (event, again) = match about {
            About::Duel(number) => match to_answer(participant, history, number, answer)? {
                Open::Waiting(event) => (event, false),
                Open::Answered(told) => {
                    drop(transaction);
                    return self.journal.acknowledge(None, Ok(told));
                }
            },
            About::Options(options) => {
                // Of one participant, no two events follow the same one.
                let own = format!("pair/{}/{participant}", history.seen());
                let (left, right) = event::columns(options);
                (NewEvent { participant, key: own, left, right, ..NewEvent::default() }, false)
            }
        };
        let event = NewEvent {
            key: key.map_or(event.key, client_key),
            kind: if answer == Answer::Skip { "skipped" } else { "answered" },
            outcome: (answer != Answer::Skip).then(|| answer.name().into_owned()),
            note: timing.and_then(timing::note),
            ..event
        };
        let recorded = transaction
            .append(&event)
            .and_then(|id| transaction.event(id))
            .and_then(|row| transaction.commit().map(|()| row));
        let row = self.journal.acknowledge(Some(&event), recorded)?;
        self.told(participant, &row, again)
    }

    /// What an answer's event says.
    fn told(&mut self, participant: &str, event: &EventRow, again: bool) -> Result<Told, Error> {
        let path = self.journal.path().to_path_buf();
        let answers = self.history_now(participant)?.answers();
        let damaged =
            || Error::Damaged { path: path.clone(), detail: format!("event {} is no answer", event.id) };
        let mut options = event::options_of(event).map_err(|_| damaged())?;
        let others = options.split_off(options.len().min(2));
        let [left, right] = <[Alternative; 2]>::try_from(options).map_err(|_| damaged())?;
        let answer = event.outcome.as_deref().map_or(Ok(Answer::Skip), str::parse)?;
        Ok(Told { duel: event.duel, left, right, others, answer, answers, again })
    }
}

/// A duel that an answer is for.
enum Open<'a> {
    /// It waits: the event to append.
    Waiting(NewEvent<'a>),
    /// It has this very answer.
    Answered(Told),
}

/// The duel of this number, or the open one.
fn to_answer<'a>(
    participant: &'a str,
    history: &History,
    number: Option<u32>,
    answer: Answer,
) -> Result<Open<'a>, Error> {
    let name = || participant.to_owned();
    let open = match (number, &history.open) {
        (None, None) => return Err(Error::NoOpenDuel { participant: name() }),
        (Some(number), open) if open.as_ref().is_none_or(|open| open.number != number) => {
            let told = history.entries.iter().find(|e| e.duel == Some(number));
            let state = match told {
                Some(e) if e.answer == answer => {
                    return Ok(Open::Answered(Told::of(e, history.answers(), true)));
                }
                Some(e) => format!("was answered with \"{}\" already; undo removes an answer", e.answer),
                None if number > history.asked || number == 0 => {
                    format!("was never asked; the last one was comparison {}", history.asked)
                }
                None => "is no longer open, because an earlier answer was undone; ask again".to_owned(),
            };
            return Err(Error::NotOpen { participant: name(), duel: number, state });
        }
        (_, Some(open)) => open,
        (Some(_), None) => return Err(Error::NoOpenDuel { participant: name() }),
    };
    let (left, right) = event::columns(open.options());
    Ok(Open::Waiting(NewEvent {
        participant,
        key: format!("duel/{}/{}/{participant}", open.number, history.attempts(open.number)),
        duel: Some(open.number),
        left,
        right,
        ..NewEvent::default()
    }))
}

/// A caller's key, kept apart from our own.
fn client_key(key: &str) -> String {
    format!("key/{key}")
}

/// Whether an event is the answer that is told again.
fn is_same(event: &EventRow, participant: &str, about: &About<'_>, answer: Answer) -> bool {
    let outcome = event.outcome.as_deref().unwrap_or("skip");
    let about_same = match about {
        About::Duel(number) => event.duel.is_some() && number.is_none_or(|number| event.duel == Some(number)),
        About::Options(options) => (event.left.clone(), event.right.clone()) == event::columns(*options),
    };
    let answered = matches!(event.kind.as_str(), "answered" | "skipped");
    answered && event.participant == participant && outcome == answer.name() && about_same
}
