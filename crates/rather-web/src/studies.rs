//! Studies that are open, by their numbers. Their logs are kept by the host.

use crate::sentence::Sentence;
use rather_study::analysis::advice::{Advice, Estimate, Ranked, Stop};
use rather_study::definition::read_toml_text;
use rather_study::study::SOMEBODY;
use rather_study::{Alternative, Answer, Ask, Asked, Format, Imported, Study, Told};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

thread_local! {
    static OPEN: RefCell<BTreeMap<u32, Study>> = const { RefCell::new(BTreeMap::new()) };
    /// The time of the host, in milliseconds since 1970.
    static NOW: Cell<i64> = const { Cell::new(0) };
}

/// A study to make.
#[derive(Deserialize)]
pub(crate) struct New {
    name: String,
    /// Its definition, in TOML.
    definition: String,
    #[serde(default)]
    now: i64,
}

/// A study to take up, whose log comes as a file.
#[derive(Deserialize)]
pub(crate) struct Restore {
    #[serde(default)]
    now: i64,
}

/// A study, and who answers.
#[derive(Deserialize)]
pub(crate) struct Of {
    study: u32,
    participant: Option<String>,
    #[serde(default)]
    now: i64,
}

/// An answer to the open comparison, or to the one of a number.
#[derive(Deserialize)]
pub(crate) struct Tell {
    #[serde(flatten)]
    of: Of,
    answer: String,
    comparison: Option<u32>,
}

/// Answers to be written.
#[derive(Deserialize)]
pub(crate) struct Export {
    #[serde(flatten)]
    of: Of,
    format: String,
}

/// Answers of a file to be added.
#[derive(Deserialize)]
pub(crate) struct Import {
    #[serde(flatten)]
    of: Of,
    name: String,
    format: Option<String>,
}

/// A study that is open now.
#[derive(Serialize)]
pub(crate) struct Opened {
    study: u32,
    name: String,
    title: String,
    question: String,
    takes: Vec<Answer>,
    notes: Vec<String>,
}

/// A comparison that waits, or the end.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Question {
    Asked { comparison: u32, options: Vec<Alternative>, answers: u64, again: bool, finished: bool },
    Finished { answers: u32, finished: bool },
}

/// An answer that was recorded or undone.
#[derive(Serialize)]
pub(crate) struct Recorded {
    comparison: Option<u32>,
    options: Vec<Alternative>,
    answer: Answer,
    answers: u64,
}

/// What is recommended: keys as `rather study best --json` has them.
#[derive(Serialize)]
pub(crate) struct Recommendation {
    answers: usize,
    recommended: Alternative,
    utility: Estimate,
    probability_best: Option<f64>,
    probability_good_enough: f64,
    expected_regret: f64,
    regret_at_most: f64,
    limit: f64,
    stop: Stop,
    more_answers: Option<usize>,
    ranking: Vec<Line>,
}

/// An alternative in its place.
#[derive(Serialize)]
struct Line {
    alternative: Alternative,
    utility: Estimate,
    probability_best: Option<f64>,
    comparisons: usize,
}

/// Makes a study.
pub(crate) fn new(new: &New) -> Result<Opened, Sentence> {
    NOW.set(new.now);
    let definition = read_toml_text(&new.definition, new.name.as_ref())?;
    Ok(open(Study::in_memory(&new.name, &definition, || NOW.get())?))
}

/// Takes up a study.
pub(crate) fn restore(restore: &Restore, log: &[u8]) -> Result<Opened, Sentence> {
    NOW.set(restore.now);
    Ok(open(Study::from_log(log, || NOW.get())?))
}

fn open(study: Study) -> Opened {
    let definition = study.definition();
    let (title, question) = (definition.title.clone(), definition.question.clone());
    let (name, takes, notes) = (study.name().to_owned(), definition.takes(), study.notes());
    let number = OPEN.with_borrow_mut(|open| {
        let number = open.last_key_value().map_or(1, |(last, _)| last + 1);
        open.insert(number, study);
        number
    });
    Opened { study: number, name, title, question, takes, notes }
}

/// The comparison to answer.
pub(crate) fn ask(of: &Of) -> Result<Question, Sentence> {
    of.look(|study, participant| {
        Ok(match study.ask(participant)? {
            Ask::Duel(asked) => {
                let options = asked.options().cloned().collect();
                let Asked { number: comparison, answers, again, .. } = asked;
                Question::Asked { comparison, options, answers, again, finished: false }
            }
            Ask::Finished { answers } => Question::Finished { answers, finished: true },
        })
    })
}

/// Records an answer.
pub(crate) fn tell(tell: &Tell) -> Result<Recorded, Sentence> {
    tell.of.look(|study, participant| {
        let answer = study.definition().parse_answer(&tell.answer)?;
        Ok(study.tell(participant, tell.comparison, answer, None)?.into())
    })
}

/// Undoes the last answer.
pub(crate) fn undo(of: &Of) -> Result<Recorded, Sentence> {
    of.look(|study, participant| Ok(study.undo(participant, None)?.into()))
}

/// What the answers recommend.
pub(crate) fn recommend(of: &Of) -> Result<Recommendation, Sentence> {
    of.look(|study, participant| {
        let advice = study.advice(participant)?;
        Ok(Recommendation::of(advice, study.definition().stop.regret))
    })
}

/// The answers as text.
pub(crate) fn export(export: &Export) -> Result<String, Sentence> {
    let format: Format = export.format.parse()?;
    let participant = export.of.participant.as_deref();
    export.of.look(|study, _| Ok(study.export(format, participant)?))
}

/// Adds the answers of a file.
pub(crate) fn import(import: &Import, file: &[u8]) -> Result<Imported, Sentence> {
    let format = match &import.format {
        Some(name) => name.parse()?,
        None => Format::of_path(import.name.as_ref())?,
    };
    import.of.look(|study, participant| {
        Ok(study.import_bytes(import.name.as_ref(), file, format, Some(participant), false)?)
    })
}

/// Forgets a study; whether it was open.
pub(crate) fn close(of: &Of) -> bool {
    OPEN.with_borrow_mut(|open| open.remove(&of.study)).is_some()
}

impl Recommendation {
    fn of(advice: Advice, limit: f64) -> Self {
        let line = |Ranked { alternative, utility, probability_best, duels: comparisons }| Line {
            alternative,
            utility,
            probability_best,
            comparisons,
        };
        Self {
            answers: advice.answers,
            recommended: advice.recommended,
            utility: advice.utility,
            probability_best: advice.probability_best,
            probability_good_enough: advice.probability_good_enough,
            expected_regret: advice.expected_regret,
            regret_at_most: advice.regret_at_most,
            limit,
            stop: advice.stop,
            more_answers: advice.more_answers,
            ranking: advice.ranking.into_iter().map(line).collect(),
        }
    }
}

impl Of {
    /// Does something with the study and the participant.
    fn look<T>(&self, work: impl FnOnce(&mut Study, &str) -> Result<T, Sentence>) -> Result<T, Sentence> {
        NOW.set(self.now);
        OPEN.with_borrow_mut(|open| {
            let closed = || Sentence(format!("the study {} is closed; open it again", self.study));
            let study = open.get_mut(&self.study).ok_or_else(closed)?;
            work(study, self.participant.as_deref().unwrap_or(SOMEBODY))
        })
    }
}

impl From<Told> for Recorded {
    fn from(told: Told) -> Self {
        let options = told.options().cloned().collect();
        let Told { duel: comparison, answer, answers, .. } = told;
        Self { comparison, options, answer, answers }
    }
}
