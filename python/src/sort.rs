//! A list that is being sorted: what to ask next, what was said, and what it comes to. The loop that asks judges is in Python.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use rather::Person;
use rather_study::definition::Items;
use rather_study::sort::{Goal, Patience, Progress, Question, Record, Settings, Sort as Kept, in_words};
use rather_study::{Answer, Error};
use serde::Serialize;

use crate::errors::{named, of_library, of_study};
use crate::fit;
use crate::table::Table;
use crate::views::json;

/// The arguments of `rather.sort` that say what is asked, and when to stop, a `dict`; `None` is the usual.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Wish {
    until: Option<String>,
    budget: Option<u64>,
    both_orders: bool,
    acquisition: Option<String>,
}

impl Wish {
    fn settings(self, items: usize) -> PyResult<Settings> {
        let mut settings = Settings::new(items);
        if let Some(until) = self.until {
            settings.goal = until.parse().map_err(of_study)?;
        }
        if let Some(acquisition) = self.acquisition {
            settings.acquisition = Some(acquisition.parse().map_err(of_library)?);
        }
        settings.acquisition().check(false).map_err(of_library)?;
        settings.budget = self.budget.unwrap_or(settings.budget);
        settings.both_orders = self.both_orders;
        Ok(settings)
    }
}

/// A list that is being sorted in the file of a study. Items are their numbers in the list.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Sort {
    /// `None` once it is closed.
    kept: Mutex<Option<Kept>>,
    patience: Mutex<HashMap<String, Patience>>,
    goal: Goal,
    seed: u64,
    /// The process that opened it: a connection to the file must not go to another one.
    process: u32,
}

/// What all answers come to.
#[derive(Serialize)]
struct Outcome {
    /// Empty before the first answer.
    ranking: Vec<Place>,
    judges: Vec<Record>,
    #[serde(flatten)]
    progress: Progress,
}

/// An item in the order of the list.
#[derive(Serialize)]
struct Place {
    item: usize,
    mean: f64,
    sd: f64,
    rank_low: usize,
    rank_high: usize,
    probability_best: f64,
    probability_top: Option<f64>,
    group: usize,
}

#[pymethods]
impl Sort {
    /// Makes the study in the file `path`, or goes on with it.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        items: &Table,
        question: &str,
        seed: u64,
        wish: Wish,
    ) -> PyResult<Self> {
        let items = Items { keys: items.items.keys.clone(), columns: items.items.columns.clone() };
        let settings = wish.settings(items.keys.len())?;
        let goal = settings.goal;
        let opened = fit::run_whole(py, |_| Kept::open(&path, &items, question, seed, settings))?;
        let kept = Mutex::new(Some(opened.map_err(of_study)?));
        Ok(Self { kept, patience: Mutex::default(), goal, seed, process: std::process::id() })
    }

    /// Up to `n` questions to ask next, pairs of left and right, while `open` wait for their answers; none once it is time to stop.
    fn questions(
        &self,
        py: Python<'_>,
        n: usize,
        open: Vec<(usize, usize)>,
    ) -> PyResult<Vec<(usize, usize)>> {
        let open: Vec<Question> = open.into_iter().map(|(left, right)| Question { left, right }).collect();
        let found = self.with(py, |sort| sort.questions(n, &open))?;
        Ok(found.into_iter().map(|question| (question.left, question.right)).collect())
    }

    /// Records an answer by its name; why its judge is to be asked no more, if so: what it did, to follow its name.
    fn tell(
        &self,
        py: Python<'_>,
        judge: &str,
        question: (usize, usize),
        answer: &str,
    ) -> PyResult<Option<String>> {
        let answer: Answer = answer.parse().map_err(of_study)?;
        let question = Question { left: question.0, right: question.1 };
        self.with(py, |sort| sort.tell(judge, question, answer))?;
        Ok(self.lately(judge, |patience| patience.answered(answer)))
    }

    /// Hears that a judge failed; why it is to be asked no more, if so.
    fn fail(&self, judge: &str, reason: &str) -> Option<String> {
        self.lately(judge, |patience| patience.failed(reason))
    }

    /// How many answers there are, and after how many it ends in any case.
    fn progress(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        self.with(py, |sort| sort.progress().map(|progress| (progress.answers, progress.budget)))
    }

    /// What all answers come to, as JSON.
    fn outcome(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |sort| {
            let (judges, progress) = (sort.records()?, sort.progress()?);
            Ok(json(&Outcome { ranking: self.ranking(sort)?, judges, progress }))
        })
    }

    /// Ends the use of the file.
    fn close(&self, py: Python<'_>) {
        if self.process == std::process::id() {
            py.detach(|| self.kept.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl Sort {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Kept) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        if self.process != std::process::id() {
            return Err(named("StudyError", "the list is being sorted in another process".to_owned()));
        }
        let found = fit::run_whole(py, |_| {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(work)
        })?;
        found
            .ok_or_else(|| named("StudyError", "the list is not being sorted any more".to_owned()))?
            .map_err(of_study)
    }

    fn lately(&self, judge: &str, hear: impl FnOnce(&mut Patience) -> Option<String>) -> Option<String> {
        let mut judges = self.patience.lock().unwrap_or_else(PoisonError::into_inner);
        hear(judges.entry(judge.to_owned()).or_default())
    }

    fn ranking(&self, sort: &mut Kept) -> Result<Vec<Place>, Error> {
        let Some(model) = sort.model()? else { return Ok(Vec::new()) };
        let top = match self.goal {
            Goal::Top { k, .. } => Some(k),
            _ => None,
        };
        let person = Person::Single(model);
        let ranking = person.rank(model.points());
        let standings = person.standings(model.points(), &ranking, top.unwrap_or(1), self.seed)?;
        let places = ranking.iter().zip(standings).map(|(ranked, standing)| Place {
            item: ranked.item,
            mean: ranked.mean,
            sd: ranked.sd,
            rank_low: standing.rank_low,
            rank_high: standing.rank_high,
            probability_best: standing.probability_best,
            probability_top: top.map(|_| standing.probability_top),
            group: standing.group,
        });
        Ok(places.collect())
    }
}

impl Drop for Sort {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // Closing the connection here would take the parent's file apart: it stays as it is.
            std::mem::forget(self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

/// The name of the answer in a judge's words about two items; `None` if they are none.
#[pyfunction]
pub(crate) fn answer_in_words(text: &str, left: &str, right: &str) -> Option<String> {
    in_words(text, left, right).map(String::from)
}
