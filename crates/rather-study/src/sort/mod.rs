//! Sorting a list by judges: people, programs or models who compare two of its items at a time.
//!
//! ```text
//! questions -> judges -> tell -> answers of all judges -> model -> questions ...
//! ```
//!
//! The answers are those of a study in which all participants share one model: what is asked next, and when to stop, follows from them
//! alone, so that sorting goes on where it was interrupted.

mod goal;
mod patience;
mod plan;
mod record;
mod words;

pub use goal::{Goal, Progress, Stop};
pub use patience::Patience;
pub use record::Record;
pub use words::in_words;

use crate::definition::{Definition, Items, Participants, Pooling, Subject};
use crate::{Alternative, Answer, Error, Study};
use rather::acquisition::Acquisition;
use rather::acquisition::bald::Bald;
use rather::acquisition::order::OrderVariance;
use rather::answers::Answer as Given;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::ResponseModel;
use rather::model::{FitSettings, Model};
use rather_numerics::order;
use std::path::Path;

/// Two items of the list to compare, by their numbers in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Question {
    /// The item to show on the left.
    pub left: usize,
    /// The item to show on the right.
    pub right: usize,
}

impl Question {
    /// The same in the other order.
    fn turned(self) -> Self {
        Self { left: self.right, right: self.left }
    }
}

/// How to sort.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// When to stop.
    pub goal: Goal,
    /// Number of answers after which to stop in any case.
    pub budget: u64,
    /// Whether each pair is asked in both orders, for judges who favour a position.
    pub both_orders: bool,
    /// The value of a comparison; nothing for that of the goal.
    pub acquisition: Option<Acquisition>,
}

impl Settings {
    /// For a list of so many items: half of all pairs, but no more than five times $n\log_2n$.
    pub fn new(items: usize) -> Self {
        let n = items as f64;
        let budget = (n * (n - 1.0) / 4.0).min(5.0 * n * n.log2()).ceil().max(1.0);
        Self { goal: Goal::Budget, budget: budget as u64, both_orders: false, acquisition: None }
    }

    /// The value of a comparison: for the whole order what an answer tells about it; for the first items, which must be told apart from all others, the
    /// information about their utilities, by which such goals are reached sooner.
    pub fn acquisition(&self) -> Acquisition {
        self.acquisition.unwrap_or_else(|| match self.goal {
            Goal::Budget => Acquisition::new(&OrderVariance),
            Goal::Best(_) | Goal::Top { .. } | Goal::Regret(_) => Acquisition::new(&Bald),
        })
    }
}

/// A list that is being sorted.
///
/// # Examples
/// ```
/// use rather_study::sort::{Settings, Sort};
/// use rather_study::Answer;
/// use rather_study::definition::Items;
///
/// let folder = tempfile::tempdir()?;
/// let items = Items { keys: ["ant", "horse", "mouse", "whale"].map(String::from).to_vec(), columns: vec![] };
/// let size = [0, 2, 1, 3];
/// let mut sort = Sort::open(&folder.path().join("size.study"), &items, "Which is larger?", 0, Settings::new(4))?;
/// while sort.progress()?.stop.is_none() {
///     for question in sort.questions(1, &[])? {
///         let larger = if size[question.left] > size[question.right] { Answer::Left } else { Answer::Right };
///         sort.tell("me", question, larger)?;
///     }
/// }
/// assert_eq!(sort.progress()?.answers, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sort {
    study: Study,
    settings: Settings,
    keys: Vec<String>,
    /// The answers that the model was learned from.
    answers: Vec<Told>,
    /// Those to questions that were skipped.
    skipped: Vec<Told>,
    model: Option<Model>,
    /// Whether `answers`, `skipped` and `model` are of the study as it is.
    current: bool,
}

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// What was asked.
    pub question: Question,
    /// What was said.
    pub answer: Answer,
    /// The number of the judge, in the order of [`Sort::judges`].
    pub judge: usize,
}

impl Sort {
    /// Sorts these items in the study at `path`, which is made if it is not there, and gone on with if it is.
    ///
    /// # Errors
    /// As [`Study::create`] and [`Study::open`]; [`Error::Name`] if the study is about other items or one of which participants have
    /// models of their own.
    pub fn open(
        path: &Path,
        items: &Items,
        question: &str,
        seed: u64,
        settings: Settings,
    ) -> Result<Self, Error> {
        let study = match path.exists() {
            true => Study::open(path, None)?,
            false => {
                let mut definition = Definition::new(Subject::Items(items.clone()));
                definition.question = question.to_owned();
                definition.seed = seed;
                definition.participants =
                    Participants { model: Pooling::Together, ..Participants::default() };
                Study::create(path, "sort", &definition)?
            }
        };
        let keys = check(&study, items)?;
        let (answers, skipped) = (Vec::new(), Vec::new());
        Ok(Self { study, settings, keys, answers, skipped, model: None, current: false })
    }

    /// The study that keeps the answers.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// The items, in the order of the list.
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Everybody who has answered.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn judges(&self) -> Result<Vec<String>, Error> {
        self.study.participants()
    }

    /// All answers, skipped questions left out.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn answers(&mut self) -> Result<&[Told], Error> {
        self.learn()?;
        Ok(&self.answers)
    }

    /// What all judges' answers say; `None` before the first. With several judges each has a noise of their own: who agrees with the others
    /// counts for more.
    ///
    /// # Errors
    /// If the file cannot be read, or the answers cannot be learned from.
    pub fn model(&mut self) -> Result<Option<&Model>, Error> {
        self.learn()?;
        Ok(self.model.as_ref())
    }

    /// How each judge did, in the order of [`Sort::judges`].
    ///
    /// # Errors
    /// As [`Sort::model`].
    pub fn records(&mut self) -> Result<Vec<Record>, Error> {
        self.learn()?;
        Ok(Record::all(self.judges()?, &self.answers, &self.skipped, self.model.as_ref()))
    }

    /// How far it is.
    ///
    /// # Errors
    /// As [`Sort::model`].
    pub fn progress(&mut self) -> Result<Progress, Error> {
        self.learn()?;
        Progress::of(
            &self.settings,
            self.answers.len() as u64,
            self.model.as_ref(),
            self.study.definition().seed,
        )
    }

    /// The `n` questions to ask next, while `open` wait for their answers: first those that join all items by comparisons, then, of the spanning
    /// tree of the pairs that tell most, those that tell most. A pair that was skipped comes after those that were skipped less often. With both
    /// orders, each pair is two questions. None once it is time to stop, and no more than the budget has left.
    ///
    /// # Errors
    /// As [`Sort::model`]; those of the acquisition function.
    pub fn questions(&mut self, n: usize, open: &[Question]) -> Result<Vec<Question>, Error> {
        let progress = self.progress()?;
        let left = self.settings.budget.saturating_sub(progress.answers + open.len() as u64);
        let n = n.min(usize::try_from(left).unwrap_or(usize::MAX));
        if progress.stop.is_some() || n == 0 {
            return Ok(Vec::new());
        }
        let asked = plan::Asked {
            answers: &self.answers,
            skipped: &self.skipped,
            open,
            seed: self.study.definition().seed,
        };
        let mut questions = if self.settings.both_orders { asked.turned(n) } else { Vec::new() };
        // Each in both orders, the second of the last one next time if it is one too many.
        let orders = if self.settings.both_orders { 2 } else { 1 };
        let wanted = (n - questions.len()).div_ceil(orders);
        for question in plan::next(&asked, self.keys.len(), self.model.as_ref(), &self.settings, wanted)? {
            questions.extend([question, question.turned()].into_iter().take(orders));
        }
        questions.truncate(n);
        Ok(questions)
    }

    /// Records a judge's answer; it is on the disk when this returns. Nothing is learned from a skipped question.
    ///
    /// # Errors
    /// As [`Study::tell_pair`].
    pub fn tell(&mut self, judge: &str, question: Question, answer: Answer) -> Result<(), Error> {
        let side = |item: usize| Alternative::Item(self.keys[item].clone());
        let sides = (side(question.left), side(question.right));
        self.study.tell_pair(judge, (&sides.0, &sides.1), answer, None)?;
        self.current = false;
        Ok(())
    }

    /// Takes the last answer of a judge back.
    ///
    /// # Errors
    /// As [`Study::undo`].
    pub fn undo(&mut self, judge: &str) -> Result<(), Error> {
        self.study.undo(judge, None)?;
        self.current = false;
        Ok(())
    }

    /// Reads the answers, and learns from them if there are new ones.
    fn learn(&mut self) -> Result<(), Error> {
        if self.current {
            return Ok(());
        }
        let judges = self.study.participants()?;
        let mut told: Vec<(i64, Told)> = Vec::new();
        self.skipped.clear();
        for (number, judge) in judges.iter().enumerate() {
            let entries = &self.study.history(judge)?.entries;
            for entry in entries {
                let place = |side: &Alternative| {
                    let Alternative::Item(key) = side else { return None };
                    self.keys.iter().position(|known| known == key)
                };
                let (Some(left), Some(right)) = (place(&entry.left), place(&entry.right)) else { continue };
                let one = Told { question: Question { left, right }, answer: entry.answer, judge: number };
                if entry.is_answer() {
                    told.extend((0..entry.count).map(|_| (entry.event, one)));
                } else if entry.answer == Answer::Skip {
                    self.skipped.push(one);
                }
            }
        }
        order::sort_by_key(&mut told, |(event, _)| *event);
        self.answers = told.into_iter().map(|(_, one)| one).collect();
        self.model = match self.answers.is_empty() {
            true => None,
            false => Some(fit(self.study.definition(), &self.answers, &judges)?),
        };
        self.current = true;
        Ok(())
    }
}

/// The items of a study to be gone on with.
fn check(study: &Study, items: &Items) -> Result<Vec<String>, Error> {
    let refuse = |what: &str| {
        let path = study.path().display();
        Err(Error::Name(format!("{path} {what}; name another study, or move this one away to begin anew")))
    };
    let definition = study.definition();
    match &definition.subject {
        Subject::Items(_) if definition.is_of_sets() => {
            refuse("is a study of questions about more than two options")
        }
        Subject::Items(known) if known.keys == items.keys => match definition.participants.model {
            Pooling::Together => Ok(known.keys.clone()),
            _ => refuse("is a study in which participants have models of their own"),
        },
        Subject::Items(known) => {
            let new = items.keys.iter().find(|key| !known.keys.contains(key));
            match new.or(known.keys.iter().find(|key| !items.keys.contains(key))) {
                Some(other) => {
                    refuse(&format!("is a study of other items ({} differs)", rather_io::quote(other)))
                }
                None => refuse("is a study of the same items in another order"),
            }
        }
        Subject::Parameters(_) => refuse("is a study of parameters"),
    }
}

/// The model of all answers.
fn fit(definition: &Definition, answers: &[Told], judges: &[String]) -> Result<Model, Error> {
    let Subject::Items(Items { keys, columns }) = &definition.subject else {
        return Err(Error::Name("a study of parameters cannot be sorted".to_owned()));
    };
    let ties = answers.iter().any(|told| told.answer == Answer::Tie);
    let several = answers.iter().any(|told| told.judge != answers[0].judge);
    let given = |told: &Told| {
        let Question { left, right } = told.question;
        let answer = match told.answer {
            Answer::Left | Answer::MuchLeft | Answer::LeftBy(_) if ties => Given::better(left, right, 1),
            Answer::Right | Answer::MuchRight | Answer::RightBy(_) if ties => Given::better(right, left, 1),
            Answer::Left | Answer::MuchLeft | Answer::LeftBy(_) => Given::rather(left, right),
            Answer::Right | Answer::MuchRight | Answer::RightBy(_) => Given::rather(right, left),
            // Only comparisons of two are told here.
            Answer::Tie | Answer::Skip | Answer::Best(_) | Answer::BestAndWorst(..) => {
                Given::tie(left, right)
            }
        };
        let answer = answer.shown_left(left);
        if several { answer.by(told.judge) } else { answer }
    };
    let given: Vec<Given> = answers.iter().map(given).collect();
    let by_name = KernelSpec { expression: "white".into(), ard: false };
    let settings = FitSettings {
        kernel: if columns.is_empty() {
            KernelChoice::Given(by_name)
        } else {
            KernelChoice::Auto { ard: false }
        },
        response_model: ResponseModel { bias: true, user_noise: several, ..ResponseModel::default() },
        ..FitSettings::default()
    };
    let items = rather::model::Items { keys: keys.clone(), columns: columns.clone() };
    let users = if several { judges } else { &[] };
    Ok(Model::fit_answers(&items, &given, users, &settings, &|_| ())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_goal_says_what_a_comparison_is_worth() {
        let name =
            |goal, acquisition| Settings { goal, acquisition, ..Settings::new(9) }.acquisition().to_string();
        assert_eq!(name(Goal::Budget, None), "order");
        assert_eq!(name(Goal::Top { k: 3, probability: 0.9 }, None), "bald");
        assert_eq!(name(Goal::Best(0.9), "eubo".parse().ok()), "eubo");
    }
}
