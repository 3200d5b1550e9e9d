//! Studies: ask and tell, on the files of the program and the studio.
//!
//! What a study tells goes to Python as JSON: there it becomes plain objects, with a setting's parameters in their order.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use pyo3::prelude::*;
use rather_study::store::{self, Store};
use rather_study::{Alternative, Ask, Error, Format, Study as Kept};

use crate::definition::Wish;
use crate::errors::{named, of_study};
use crate::fit;
use crate::snapshot::Snapshot;
use crate::table::Table;
use crate::views::{Duel, Health, Heard, Said, json};

/// An open study.
///
/// SQLite's connection may go from thread to thread, but no two threads may use it at once: hence the lock. It is only ever
/// waited for without the interpreter's, and whoever holds it never waits for the interpreter. A connection must not go from process to
/// process: a forked child may neither use nor close it.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Study {
    /// `None` only while it is dropped.
    opened: Option<Opened>,
    path: PathBuf,
    name: String,
    /// The process that opened it.
    process: u32,
}

/// What belongs to the process that opened the study.
struct Opened {
    /// `None` once it is closed.
    study: Mutex<Option<Kept>>,
    planner: Mutex<Option<Planner>>,
}

/// A thread that chooses duels ahead, with a handle of its own on the file.
struct Planner {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

#[pymethods]
impl Study {
    /// Makes a study called `name` in the file `path`.
    #[staticmethod]
    fn create(
        py: Python<'_>,
        path: PathBuf,
        name: String,
        wish: Wish,
        items: Option<&Table>,
    ) -> PyResult<Self> {
        let definition = wish.definition(items)?;
        fit::run_whole(py, |_| Kept::create(&path, &name, &definition))?.map(Self::of).map_err(of_study)
    }

    /// Opens the study called `name`, or the only one, of the file `path`.
    #[staticmethod]
    #[pyo3(signature = (path, name=None))]
    fn open(py: Python<'_>, path: PathBuf, name: Option<String>) -> PyResult<Self> {
        fit::run_whole(py, |_| Kept::open(&path, name.as_deref()))?.map(Self::of).map_err(of_study)
    }

    /// The names of the studies in the file `path`.
    #[staticmethod]
    fn names(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
        fit::brief(py, || Store::open(&path)?.studies())?.map_err(of_study)
    }

    /// What is found out about the file `path` without changing it, as JSON.
    #[staticmethod]
    fn check(py: Python<'_>, path: PathBuf) -> PyResult<String> {
        fit::run_whole(py, |_| store::check::check(&path))?.map(|report| json(&report)).map_err(of_study)
    }

    /// Copies the file, with all its studies, to `copy`; what the copy holds, as JSON.
    #[pyo3(signature = (copy, replace=false))]
    fn backup(&self, py: Python<'_>, copy: PathBuf, replace: bool) -> PyResult<String> {
        self.long(py, |study, _| {
            let store = Store::open(study.path())?;
            Ok(json(&store::backup(&store, &copy, replace)?))
        })
    }

    /// Ends all use of the file by this process.
    fn close(&self, py: Python<'_>) {
        if let Ok(opened) = self.opened() {
            py.detach(|| {
                opened.settle();
                *held(&opened.study) = None;
            });
        }
    }

    /// Whether it is closed; in another process than the one that opened it, it is.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        self.opened().map_or(true, |opened| py.detach(|| held(&opened.study).is_none()))
    }

    /// The study's name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The study's file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// When it was made, in milliseconds since 1970.
    fn created(&self, py: Python<'_>) -> PyResult<i64> {
        self.short(py, |study| Ok(study.created()))
    }

    /// The definition, as JSON.
    fn definition(&self, py: Python<'_>) -> PyResult<String> {
        self.short(py, |study| Ok(json(study.definition())))
    }

    /// What is worth knowing about the definition, in sentences.
    fn notes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.short(py, |study| Ok(study.notes()))
    }

    /// Names and values of an item's features, as JSON.
    fn features(&self, py: Python<'_>, item: &str) -> PyResult<String> {
        self.short(py, |study| Ok(json(&study.features(item))))
    }

    /// Everybody who is named or has answered.
    fn participants(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.short(py, |study| study.participants())
    }

    /// Who answers, if `name` is given or there is only one.
    #[pyo3(signature = (name=None))]
    fn participant(&self, py: Python<'_>, name: Option<&str>) -> PyResult<String> {
        self.short(py, |study| study.participant(name))
    }

    /// The next duel as JSON; `None` if the participant has given all answers.
    fn ask(&self, py: Python<'_>, participant: &str) -> PyResult<Option<String>> {
        let opened = self.opened()?;
        self.long(py, |study, _| {
            // Both at once would have half the time each, and what a time limit cuts short depends on the machine.
            opened.settle();
            Ok(match study.ask(participant)? {
                Ask::Duel(asked) => Some(json(&Duel::from(asked))),
                Ask::Finished { .. } => None,
            })
        })
    }

    /// Records an answer to a duel, or to the open one; as JSON.
    #[pyo3(signature = (participant, answer, query=None, key=None))]
    fn tell(
        &self,
        py: Python<'_>,
        participant: &str,
        answer: &str,
        query: Option<u32>,
        key: Option<&str>,
    ) -> PyResult<String> {
        self.halt();
        self.short(py, |study| {
            let answer = study.definition().parse_answer(answer)?;
            Ok(json(&Said::from(study.tell(participant, query, answer, key)?)))
        })
    }

    /// Records an answer about options that were not asked; as JSON.
    #[pyo3(signature = (participant, options, answer, key=None))]
    fn tell_about(
        &self,
        py: Python<'_>,
        participant: &str,
        options: Vec<String>,
        answer: &str,
        key: Option<&str>,
    ) -> PyResult<String> {
        self.halt();
        self.short(py, |study| {
            let parsed =
                options.iter().map(|option| study.definition().parse(option).map_err(Error::Alternative));
            let options: Vec<Alternative> = parsed.collect::<Result<_, _>>()?;
            let answer = study.definition().parse_answer(answer)?;
            Ok(json(&Said::from(study.tell_about(participant, &options, answer, key)?)))
        })
    }

    /// The answer that `best` and `worst` are the best and the worst of these options, or of those of a question.
    #[pyo3(signature = (participant, best, worst=None, query=None, options=None))]
    fn extremes(
        &self,
        py: Python<'_>,
        participant: &str,
        best: &str,
        worst: Option<&str>,
        query: Option<u32>,
        options: Option<Vec<String>>,
    ) -> PyResult<String> {
        self.short(py, |study| {
            let answer = match options {
                Some(options) => study.definition().extremes(&options, best, worst)?,
                None => study.extremes(participant, query, best, worst)?,
            };
            Ok(answer.to_string())
        })
    }

    /// Takes the last answer back; as JSON.
    #[pyo3(signature = (participant, key=None))]
    fn undo(&self, py: Python<'_>, participant: &str, key: Option<&str>) -> PyResult<String> {
        self.halt();
        self.short(py, |study| Ok(json(&Said::from(study.undo(participant, key)?))))
    }

    /// Chooses the duel after the open one for every answer; how many are ready.
    fn plan_ahead(&self, py: Python<'_>, participant: &str) -> PyResult<usize> {
        let opened = self.opened()?;
        self.long(py, |study, interrupted| {
            opened.settle();
            study.plan_ahead(participant, &|| !interrupted.load(Ordering::Relaxed))
        })
    }

    /// The same on a thread of its own, until somebody answers or asks.
    fn plan_behind(&self, py: Python<'_>, participant: String) -> PyResult<()> {
        self.short(py, |study| study.participant(Some(&participant)).map(drop))?;
        let (opened, watch) = (self.opened()?, fit::watch(py)?);
        py.detach(|| opened.settle());
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, path, name) = (Arc::clone(&stop), self.path.clone(), self.name.clone());
        let work = move || {
            // What fails here fails again, and is heard, where the duel is asked.
            let _ = watch.run(|| {
                let mut study = Kept::open(&path, Some(&name))?;
                study.plan_ahead(&participant, &|| !stopped.load(Ordering::Relaxed))
            });
        };
        let spawned = std::thread::Builder::new().name("rather-ahead".to_owned()).spawn(work);
        let thread =
            spawned.map_err(|error| named("StudyError", format!("no thread to plan on: {error}")))?;
        *held(&opened.planner) = Some(Planner { stop, thread });
        Ok(())
    }

    /// What is recommended, as JSON.
    fn advice(&self, py: Python<'_>, participant: &str) -> PyResult<String> {
        self.long(py, |study, _| Ok(json(&study.advice(participant)?)))
    }

    /// How far a participant is, as JSON.
    fn standing(&self, py: Python<'_>, participant: &str) -> PyResult<String> {
        self.short(py, |study| Ok(json(&study.standing(participant)?)))
    }

    /// Whether comparisons hang together and answers fit together, as JSON.
    fn health(&self, py: Python<'_>, participant: &str) -> PyResult<String> {
        self.long(py, |study, _| {
            let connectivity = study.connectivity(participant)?;
            let consistency = match study.consistency(participant) {
                Ok(consistency) => Some(consistency),
                Err(Error::NoAnswers { .. }) => None,
                Err(error) => return Err(error),
            };
            Ok(json(&Health::new(connectivity, consistency)))
        })
    }

    /// The answers that count, as a list in JSON.
    fn history(&self, py: Python<'_>, participant: &str) -> PyResult<String> {
        self.short(py, |study| {
            let heard: Vec<Heard<'_>> = study.history(participant)?.entries.iter().map(Heard::from).collect();
            Ok(json(&heard))
        })
    }

    /// What was learned, to predict with.
    fn snapshot(&self, py: Python<'_>, participant: &str) -> PyResult<Snapshot> {
        self.long(py, |study, _| Snapshot::take(study, participant))
    }

    /// The answers as text, written to `output` too if that is given; `format` is else as its name tells, or CSV.
    #[pyo3(signature = (format=None, participant=None, output=None))]
    fn export(
        &self,
        py: Python<'_>,
        format: Option<&str>,
        participant: Option<&str>,
        output: Option<PathBuf>,
    ) -> PyResult<String> {
        self.long(py, |study, _| {
            let format = match (format, &output) {
                (Some(format), _) => format.parse()?,
                (None, Some(path)) => Format::of_path(path)?,
                (None, None) => Format::Csv,
            };
            let text = study.export(format, participant)?;
            if let Some(path) = &output {
                rather_io::write_file(path, |to| to.write_all(text.as_bytes()))?;
            }
            Ok(text)
        })
    }

    /// Adds the answers of a file; what that brought, as JSON.
    #[pyo3(signature = (path, format=None, participant=None, again=false))]
    fn import_(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: Option<&str>,
        participant: Option<&str>,
        again: bool,
    ) -> PyResult<String> {
        self.halt();
        self.long(py, |study, _| {
            let format = format.map_or_else(|| Format::of_path(&path), str::parse)?;
            Ok(json(&study.import(&path, format, participant, again)?))
        })
    }
}

impl Study {
    fn of(study: Kept) -> Self {
        let (path, name) = (study.path().to_path_buf(), study.name().to_owned());
        let opened = Opened { study: Mutex::new(Some(study)), planner: Mutex::new(None) };
        Self { opened: Some(opened), path, name, process: std::process::id() }
    }

    /// What takes no time worth speaking of.
    fn short<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Kept) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let opened = self.opened()?;
        let found = fit::brief(py, || held(&opened.study).as_mut().map(work))?;
        found.ok_or_else(|| self.closed_error())?.map_err(of_study)
    }

    /// What may take a while: Ctrl-C is heard once it is done, for half of an answer must not be written. `work` is given a flag that it
    /// raises.
    fn long<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Kept, &AtomicBool) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let opened = self.opened()?;
        let found = fit::run_whole(py, |interrupted| {
            held(&opened.study).as_mut().map(|study| work(study, interrupted))
        })?;
        found.ok_or_else(|| self.closed_error())?.map_err(of_study)
    }

    fn closed_error(&self) -> PyErr {
        named("StudyError", format!("the study {:?} is closed; open it again with Study.open", self.name))
    }

    /// What belongs to this process.
    fn opened(&self) -> PyResult<&Opened> {
        match &self.opened {
            Some(opened) if self.process == std::process::id() => Ok(opened),
            _ => Err(named(
                "StudyError",
                format!(
                    "the study {:?} was opened in another process; open it again in this one with Study.open",
                    self.name
                ),
            )),
        }
    }

    /// Tells the planner to end.
    fn halt(&self) {
        if let Ok(opened) = self.opened() {
            opened.halt();
        }
    }
}

impl Opened {
    /// Tells the planner to end.
    fn halt(&self) {
        if let Some(planner) = held(&self.planner).as_ref() {
            planner.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Tells the planner to end, and waits for the choice that it is at.
    fn settle(&self) {
        self.halt();
        let planner = held(&self.planner).take();
        if let Some(planner) = planner {
            // A panic there is a fault of ours that asking meets, too.
            let _ = planner.thread.join();
        }
    }
}

impl Drop for Study {
    fn drop(&mut self) {
        if self.process == std::process::id() {
            self.halt();
        } else {
            // Closing the connection here would take the parent's file apart: it stays as it is.
            std::mem::forget(self.opened.take());
        }
    }
}

/// A lock. What a panic left behind is read again from the file.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
