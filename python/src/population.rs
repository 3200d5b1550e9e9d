//! A learned model of many users, and what it can be asked about each of them.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use rather::acquisition::Acquisition;
use rather::inference::Status;
use rather::likelihood::Preference;
use rather::many::population::{Kind, Population as Learned, PopulationData, PopulationSettings};
use rather::many::{Embedded, UserPosterior};
use rather::model::{Items, Naming, Ranked};
use rather_io::{AnswerData, Saved, Tied};

use crate::answer_table::AnswerTable;
use crate::answers::{Answers, pairs};
use crate::distributed::rows;
use crate::errors::{data, named, of_file, of_library};
use crate::fit;
use crate::settings::KernelParameters;
use crate::suggest::{self, Suggested, request};
use crate::table::Table;

type Moments<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// A learned model of many users.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Population {
    learned: Arc<Learned>,
}

#[pymethods]
impl Population {
    /// Learns from `answers` about the items of `table`, of which row `i` was given by user `by[i]` of the table `users`.
    #[staticmethod]
    #[pyo3(signature = (table, users, answers, by, parameters, progress=None))]
    fn fit(
        py: Python<'_>,
        table: &Table,
        users: &Table,
        answers: &Answers,
        by: PyReadonlyArray1<'_, i64>,
        parameters: (String, usize, KernelParameters),
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (kind, functions, kernel) = parameters;
        // "consensus" is what versions up to 0.1 called the pooled model.
        let asked = if kind == "consensus" { "pooled" } else { kind.as_str() };
        let Some(kind) = Kind::ALL.into_iter().find(|known| known.name() == asked) else {
            let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            let problem = format!("model={kind:?} is not known; take {}", known.join(", "));
            return Err(named("ParameterError", problem));
        };
        if functions == 0 {
            return Err(named("ParameterError", "n_functions=0 must be at least 1".to_owned()));
        }
        let Answers { answers, levels, grades, .. } = answers;
        let by = rows(by, users.items.keys.len())?;
        if by.len() != answers.len() {
            return Err(data(format!("there are {} users for {} answers", by.len(), answers.len())));
        }
        let said = by.iter().zip(answers.iter()).map(|(&user, answer)| answer.by(user)).collect();
        let settings = PopulationSettings { functions, ..kernel.population(PopulationSettings::new(kind))? };
        let data = PopulationData { items: &table.items, users: &users.items, answers: &said };
        let learned = fit::run(py, progress, || Learned::fit(&data, &settings, &|_| ()))?;
        let naming = Naming {
            integer_items: table.integers,
            integer_users: users.integers,
            levels: levels.clone(),
            grades: grades.clone(),
        };
        let learned = learned.and_then(|model| model.with_naming(naming)).map_err(of_library)?;
        Ok(Self { learned: Arc::new(learned) })
    }

    /// The model in a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        match fit::run(py, None, || rather_io::load_saved(&path))?.map_err(of_file)? {
            Saved::Many(learned) => Ok(Self { learned: Arc::new(*learned) }),
            Saved::Single(_) => {
                let problem =
                    format!("{} is a model of a single user; load it by PreferenceGP.load", path.display());
                Err(named("ModelFileError", problem))
            }
        }
    }

    /// Writes the model to a file, which the program can read.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        fit::brief(py, || rather_io::save_population(&path, &self.learned))?.map_err(of_file)
    }

    /// Answers of any kind of somebody new, whose ratings and words of strength are those that the model was learned from.
    fn settled(&self, told: Vec<PyRef<'_, AnswerTable>>) -> Answers {
        let outcomes = self.learned.model().responses().likelihoods().outcomes();
        let ties = outcomes.iter().any(|(outcome, ..)| *outcome == Preference::Tie);
        let tied = if ties { Tied::Kept } else { Tied::Dropped };
        let tables = told.iter().map(|told| told.table.clone()).collect();
        let AnswerData { answers, users, levels, grades, .. } =
            rather_io::settle_as(tables, tied, self.learned.naming());
        Answers { answers, users, levels, grades }
    }

    /// The ratings that were given, the lowest first.
    #[getter]
    fn levels(&self) -> Vec<f64> {
        self.learned.naming().levels.clone()
    }

    /// The items' names.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.learned.items().keys().to_vec()
    }

    /// The users' names.
    #[getter]
    fn users(&self) -> Vec<String> {
        self.learned.users().keys().to_vec()
    }

    /// Whether the names of items, and those of users, were whole numbers.
    #[getter]
    fn integers(&self) -> (bool, bool) {
        (self.learned.naming().integer_items, self.learned.naming().integer_users)
    }

    /// Which model it is.
    #[getter]
    fn kind(&self) -> &'static str {
        self.learned.kind().name()
    }

    /// The item kernel as an expression.
    #[getter]
    fn kernel(&self) -> String {
        self.learned.kernel_expression()
    }

    /// Names and values of the hyperparameters, in the units of the tables.
    #[getter]
    fn hyperparameters(&self) -> Vec<(String, f64)> {
        self.learned.reported_hyperparameters()
    }

    /// Log evidence in nats.
    #[getter]
    fn log_evidence(&self) -> f64 {
        self.learned.model().log_evidence()
    }

    /// Whether inference converged.
    #[getter]
    fn converged(&self) -> bool {
        self.learned.model().report().status == Status::Converged
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.learned.notices().iter().map(ToString::to_string).collect()
    }

    /// What is believed of the user in row `user`.
    fn user(&self, py: Python<'_>, user: usize) -> PyResult<Person> {
        let posterior = fit::run(py, None, || self.learned.model().user(user))?.map_err(of_library)?;
        Ok(Person { learned: Arc::clone(&self.learned), posterior })
    }

    /// What is believed of somebody new, from features (a table of one row), answers, both or nothing.
    fn newcomer(
        &self,
        py: Python<'_>,
        features: Option<&Table>,
        answers: Option<&Answers>,
    ) -> PyResult<Person> {
        let nothing = rather::answers::Answers::default();
        let answers = answers.map_or(&nothing, |given| &given.answers);
        let features: Option<&Items> = features.map(|table| &table.items);
        let posterior = fit::run(py, None, || self.learned.newcomer(features, answers))?;
        let posterior = posterior.map_err(of_library)?;
        Ok(Person { learned: Arc::clone(&self.learned), posterior })
    }

    /// The probability that the user in row `by[i]` prefers the left item of pair `i`.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        by: PyReadonlyArray1<'py, i64>,
        left: PyReadonlyArray1<'py, i64>,
        right: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let by = rows(by, self.learned.users().keys().len())?;
        let pairs = pairs(left.as_array(), right.as_array(), self.learned.items().keys().len())?;
        if by.len() != pairs.len() {
            return Err(data(format!("there are {} users for {} pairs", by.len(), pairs.len())));
        }
        let found = fit::run(py, None, || {
            let mut order: Vec<usize> = (0..by.len()).collect();
            order.sort_by_key(|&row| by[row]);
            let mut out = vec![0.0; by.len()];
            for rows in order.chunk_by(|&a, &b| by[a] == by[b]) {
                rather::watch::check()?;
                let asked: Vec<(usize, usize)> = rows.iter().map(|&row| pairs[row]).collect();
                let found = self.learned.model().predict(by[rows[0]], &asked)?;
                rows.iter().zip(found.probability).for_each(|(&row, p)| out[row] = p);
            }
            Ok(out)
        })?;
        Ok(PyArray1::from_vec(py, found.map_err(of_library)?))
    }
}

/// What a model of many users believes of one, known or new.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Person {
    learned: Arc<Learned>,
    posterior: UserPosterior,
}

#[pymethods]
impl Person {
    /// Means and standard deviations of the utilities, relative to the average of those asked for.
    #[pyo3(signature = (table=None))]
    fn utilities<'py>(&self, py: Python<'py>, table: Option<&Table>) -> PyResult<Moments<'py>> {
        let ranked = fit::run(py, None, || Ok(self.posterior.rank(&self.embedded(table)?)))?;
        let ranked: Vec<Ranked> = ranked.map_err(of_library)?;
        let (mut mean, mut sd) = (vec![0.0; ranked.len()], vec![0.0; ranked.len()]);
        for place in ranked {
            (mean[place.item], sd[place.item]) = (place.mean, place.sd);
        }
        Ok((PyArray1::from_vec(py, mean), PyArray1::from_vec(py, sd)))
    }

    /// The probability that the left item of each pair is preferred.
    #[pyo3(signature = (left, right, table=None))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        left: PyReadonlyArray1<'py, i64>,
        right: PyReadonlyArray1<'py, i64>,
        table: Option<&Table>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let model = self.learned.model();
        let items = table.map_or(model.items().len(), |table| table.items.keys.len());
        let pairs = pairs(left.as_array(), right.as_array(), items)?;
        let found = fit::run(py, None, || {
            let likelihoods = model.responses().likelihoods();
            Ok(self.posterior.probabilities(&self.embedded(table)?, &pairs, likelihoods))
        })?;
        Ok(PyArray1::from_vec(py, found.map_err(of_library)?))
    }

    /// What may be said of each pair, the first item shown on the left: names and probabilities. Nothing for a model of plain choices.
    #[pyo3(signature = (left, right, table=None))]
    fn outcomes(
        &self,
        py: Python<'_>,
        left: PyReadonlyArray1<'_, i64>,
        right: PyReadonlyArray1<'_, i64>,
        table: Option<&Table>,
    ) -> PyResult<Vec<Vec<(String, f64)>>> {
        let model = self.learned.model();
        let items = table.map_or(model.items().len(), |table| table.items.keys.len());
        let pairs = pairs(left.as_array(), right.as_array(), items)?;
        let found = fit::run(py, None, || {
            Ok(self.posterior.outcomes(&self.embedded(table)?, &pairs, model.responses().likelihoods()))
        })?;
        let grades = &self.learned.naming().grades;
        let named = |all: Vec<(Preference, f64)>| all.into_iter().map(|(o, p)| (o.name(grades), p)).collect();
        Ok(found.map_err(of_library)?.into_iter().map(named).collect())
    }

    /// The probabilities of the levels of a rating, the lowest first: items x levels. No levels for a model without ratings.
    #[pyo3(signature = (table=None))]
    fn ratings<'py>(&self, py: Python<'py>, table: Option<&Table>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let likelihoods = self.learned.model().responses().likelihoods();
        let found = fit::run(py, None, || Ok(self.posterior.ratings(&self.embedded(table)?, likelihoods)))?;
        let found = found.map_err(of_library)?;
        let size = [found.len(), found.first().map_or(0, Vec::len)];
        PyArray1::from_vec(py, found.into_iter().flatten().collect()).reshape(size)
    }

    /// The `n` comparisons of known items whose answers would tell most of them: row numbers, and scores.
    #[pyo3(signature = (n, acquisition, opponent, seed, progress=None))]
    fn suggest(
        &self,
        py: Python<'_>,
        n: usize,
        acquisition: &str,
        opponent: Option<usize>,
        seed: u64,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Suggested>> {
        let acquisition: Acquisition = acquisition.parse().map_err(of_library)?;
        let found = fit::run(py, progress, || {
            self.learned.model().suggest(&self.posterior, &request(acquisition, opponent, n, seed))
        })?;
        Ok(suggest::rows(&found.map_err(of_library)?))
    }
}

impl Person {
    /// The items of a table, or the model's own, in the features of its kernel.
    fn embedded(&self, table: Option<&Table>) -> Result<Embedded, rather::Error> {
        let items = self.learned.model().items();
        match table {
            Some(table) => Ok(items.embed(&self.learned.items().encode(&table.items)?)),
            None => Ok(items.known()),
        }
    }
}
