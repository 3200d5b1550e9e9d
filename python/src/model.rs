//! A learned model, and what it can be asked.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use rather::Person;
use rather::check::CheckSettings;
use rather::exact::ExactSettings;
use rather::inference::Status;
use rather::many::Segments;
use rather::many::population::{Population, PopulationData};
use rather::model::{Catalogue, Naming};
use rather::points::Points;
use rather_io::Saved;
use rather_plot::{Figure, Look};

use crate::answer_table::AnswerTable;
use crate::answers::{Answers, pairs, sets};
use crate::check::Found;
use crate::distributed::rows;
use crate::draws;
use crate::errors::{data, of_figure, of_file, of_library};
use crate::figures;
use crate::fit;
use crate::population;
use crate::settings::{KernelParameters, Parameters};
use crate::sides::{Sides, column_values};
use crate::suggest::{Suggested, request, rows as suggested};
use crate::table::Table;
use crate::views::json;
use crate::whose::Whose;

/// A learned model: of one person, of many users, or of one of these.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Model {
    whose: Whose,
    /// How long learning took, without what Python adds to it.
    seconds: Option<f64>,
}

/// What pairs are of: items, or items in contexts.
#[derive(FromPyObject)]
pub(crate) enum Asked<'py> {
    Table(PyRef<'py, Table>),
    Sides(PyRef<'py, Sides>),
}

/// Means and standard deviations, or two other numbers an item.
type Moments<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);
/// Expression, whether with a lengthscale a feature, log evidence, score.
type Tried = (String, bool, f64, f64);

#[pymethods]
impl Model {
    /// Learns from `answers` about the items of `table`, or about `sides` of them; `columns` are those of the items as they were given.
    #[staticmethod]
    #[pyo3(signature = (table, answers, parameters, progress=None, sides=None, columns=Vec::new()))]
    fn fit(
        py: Python<'_>,
        table: &Table,
        answers: &Answers,
        parameters: Parameters,
        progress: Option<&Bound<'_, PyAny>>,
        sides: Option<&Sides>,
        columns: Vec<String>,
    ) -> PyResult<Self> {
        let settings = parameters.settings()?;
        let (learned, taken) = fit::run(py, progress, || {
            let start = Instant::now();
            let (items, said, users) = (&table.items, answers.answers.clone(), &answers.users);
            let learned = match sides {
                None => rather::model::Model::fit_given(items, said, users, &settings, &|_| ()),
                Some(Sides { sides }) => {
                    rather::model::Model::fit_in_context(items, sides, said, users, &settings, &|_| ())
                }
            };
            (learned, start.elapsed())
        })?;
        let naming = Naming {
            integer_items: table.integers,
            levels: answers.levels.clone(),
            grades: answers.grades.clone(),
            columns,
            ..Naming::default()
        };
        let learned = learned.and_then(|model| model.with_naming(naming)).map_err(of_library)?;
        Ok(Self { whose: Whose::Single(Arc::new(learned)), seconds: Some(taken.as_secs_f64()) })
    }

    /// The columns of comparisons that the kernel names, and whether each holds dates.
    #[getter]
    fn context(&self) -> Vec<(String, bool)> {
        let context = self.items().context();
        context.map_or(Vec::new(), |context| context.names().into_iter().zip(context.dates.clone()).collect())
    }

    /// The same model, which looks at items where a column of comparisons has this value.
    fn looked_at(&self, column: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut model = self.single()?.as_ref().clone();
        model.look_at(column, &column_values(value)?).map_err(of_library)?;
        Ok(Self { whose: Whose::Single(Arc::new(model)), seconds: self.seconds })
    }

    /// What one unit of a column of `linear` is worth: its name, the mean and the standard deviation.
    #[getter]
    fn weights(&self) -> PyResult<Vec<(String, f64, f64)>> {
        Ok(self.single()?.weights())
    }

    /// Learns a model of many users from `answers` about the items of `table`, of which row `i` was given by user `by[i]` of the table `users`.
    #[staticmethod]
    #[pyo3(signature = (table, users, answers, by, parameters, progress=None, columns=Vec::new()))]
    #[allow(clippy::too_many_arguments)] // Python's names them.
    fn fit_many(
        py: Python<'_>,
        table: &Table,
        users: &Table,
        answers: &Answers,
        by: PyReadonlyArray1<'_, i64>,
        parameters: (String, usize, KernelParameters),
        progress: Option<&Bound<'_, PyAny>>,
        columns: Vec<String>,
    ) -> PyResult<Self> {
        let (settings, said) = population::problem(answers, users, by, parameters)?;
        let data = PopulationData { items: &table.items, users: &users.items, answers: &said };
        let (learned, taken) = fit::run(py, progress, || {
            let start = Instant::now();
            (Population::fit(&data, &settings, &|_| ()), start.elapsed())
        })?;
        let naming = Naming {
            integer_items: table.integers,
            integer_users: users.integers,
            levels: answers.levels.clone(),
            grades: answers.grades.clone(),
            columns,
        };
        let learned = learned.and_then(|model| model.with_naming(naming)).map_err(of_library)?;
        Ok(Self { whose: Whose::Many(Arc::new(learned)), seconds: Some(taken.as_secs_f64()) })
    }

    /// The model in a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let whose = match fit::run(py, None, || rather_io::load_saved(&path))?.map_err(of_file)? {
            Saved::Single(model) => Whose::Single(Arc::new(*model)),
            Saved::Many(population) => Whose::Many(Arc::new(*population)),
        };
        Ok(Self { whose, seconds: None })
    }

    /// Writes the model to a file, which the program can read.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        fit::brief(py, || self.whose.save(&path))?.map_err(of_file)
    }

    /// Which model of many users it is; `None` for one of a single person.
    #[getter]
    fn kind(&self) -> Option<&'static str> {
        self.population().ok().map(|population| population.kind().name())
    }

    /// The names of the users of a model of many, and whether they were whole numbers.
    #[getter]
    fn users(&self) -> PyResult<(Vec<String>, bool)> {
        let population = self.population()?;
        Ok((population.users().keys().to_vec(), population.naming().integer_users))
    }

    /// What is believed of the user in row `user`.
    fn user(&self, py: Python<'_>, user: usize) -> PyResult<Self> {
        let population = self.population()?;
        let found = fit::run(py, None, || population.model().user(user))?.map_err(of_library)?;
        Ok(Self { whose: Whose::User(Arc::clone(population), found, Some(user)), seconds: self.seconds })
    }

    /// What is believed of somebody new, from features (a table of one row), answers, both or nothing.
    fn newcomer(
        &self,
        py: Python<'_>,
        features: Option<&Table>,
        answers: Option<&Answers>,
    ) -> PyResult<Self> {
        let population = self.population()?;
        let nothing = rather::answers::Answers::default();
        let answers = answers.map_or(&nothing, |given| &given.answers);
        let features = features.map(|table| &table.items);
        let found = fit::run(py, None, || population.newcomer(features, answers))?.map_err(of_library)?;
        Ok(Self { whose: Whose::User(Arc::clone(population), found, None), seconds: self.seconds })
    }

    /// Answers of any kind of somebody new, whose ratings and words of strength are those that the model was learned from.
    fn settled(&self, told: Vec<PyRef<'_, AnswerTable>>) -> PyResult<Answers> {
        let tables = told.iter().map(|told| told.table.clone()).collect();
        Ok(population::settled(self.population()?, tables))
    }

    /// The probability that the user in row `by[i]` prefers the left item of pair `i`.
    fn user_probabilities<'py>(
        &self,
        py: Python<'py>,
        by: PyReadonlyArray1<'py, i64>,
        left: PyReadonlyArray1<'py, i64>,
        right: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let population = self.population()?;
        let by = rows(by, population.users().keys().len())?;
        let pairs = pairs(left.as_array(), right.as_array(), population.items().keys().len())?;
        if by.len() != pairs.len() {
            return Err(data(format!("there are {} users for {} pairs", by.len(), pairs.len())));
        }
        let found = fit::run(py, None, || population::probabilities(population, &by, &pairs))?;
        Ok(PyArray1::from_vec(py, found.map_err(of_library)?))
    }

    /// So many segments of the users: the row of each user with answers, the segment, and its probability; the share of each segment, and the mean utilities
    /// of the items, row by row; and how clearly they stand apart.
    fn segments<'py>(
        &self,
        py: Python<'py>,
        number: Option<usize>,
        seed: u64,
    ) -> PyResult<population::Found<'py>> {
        let population = self.population()?;
        let found = fit::run(py, None, || Segments::of(population, number, seed))?.map_err(of_library)?;
        Ok(population::segments(py, &found))
    }

    /// The items' names.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.items().keys().to_vec()
    }

    /// Whether the items' names were whole numbers.
    #[getter]
    fn integers(&self) -> bool {
        self.naming().integer_items
    }

    /// The columns of the items that were learned from, as they were given; empty if that is not told.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.naming().columns.clone()
    }

    /// The ratings that the levels stand for, the lowest first; empty if there are none.
    #[getter]
    fn levels(&self) -> Vec<f64> {
        self.naming().levels.clone()
    }

    /// The words before a side that grades stand for, the weakest first.
    #[getter]
    fn grades(&self) -> Vec<String> {
        self.naming().grades.clone()
    }

    /// Row numbers of the items that were compared.
    #[getter]
    fn compared(&self) -> PyResult<Vec<usize>> {
        self.whose.compared()
    }

    /// The kernel as an expression.
    #[getter]
    fn kernel(&self) -> String {
        self.whose.kernel_expression()
    }

    /// Whether the kernel has a lengthscale a feature.
    #[getter]
    fn ard(&self) -> bool {
        self.whose.hyperparameters().kernel.any_ard()
    }

    /// Names and values of the hyperparameters, in the units of the table.
    #[getter]
    fn hyperparameters(&self) -> Vec<(String, f64)> {
        self.whose.reported_hyperparameters()
    }

    /// The noise of an item.
    #[getter]
    fn noise(&self) -> f64 {
        self.whose.hyperparameters().noise()
    }

    /// Log evidence in nats.
    #[getter]
    fn log_evidence(&self) -> f64 {
        self.whose.log_evidence()
    }

    /// Whether inference converged.
    #[getter]
    fn converged(&self) -> bool {
        self.whose.status() == Status::Converged
    }

    /// Sweeps of inference, over all settings that were tried.
    #[getter]
    fn sweeps(&self) -> PyResult<usize> {
        Ok(self.single()?.report().sweeps)
    }

    /// How exact inference sampled, and its evidence, as JSON; `None` for another inference.
    #[getter]
    fn sampling(&self) -> PyResult<Option<String>> {
        Ok(self.single()?.report().exact.as_ref().map(json))
    }

    /// The largest mismatch of moments left.
    #[getter]
    fn residual(&self) -> PyResult<f64> {
        Ok(self.single()?.report().residual)
    }

    /// Wall time of learning in seconds, without what Python adds to it; `None` for a model from a file.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.seconds
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.whose.notices()
    }

    /// Those of the notices that are to be known before the numbers are used.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.whose.warnings()
    }

    /// The kernels tried: expression, whether with a lengthscale a feature, log evidence, score.
    #[getter]
    fn tried(&self) -> PyResult<Vec<Tried>> {
        let tried = self.single()?.report().tried.iter();
        Ok(tried.map(|t| (t.kernel.expression.clone(), t.kernel.ard, t.log_evidence, t.score)).collect())
    }

    /// Means and standard deviations of the utilities, relative to the average over the compared items.
    #[pyo3(signature = (table=None))]
    fn utilities<'py>(&self, py: Python<'py>, table: Option<&Table>) -> PyResult<Moments<'py>> {
        let (person, points) = (self.person()?, self.points(table)?);
        let moments = fit::run(py, None, || person.utilities(&points))?;
        let sd = moments.variance.iter().map(|v| v.sqrt());
        Ok((PyArray1::from_vec(py, moments.mean), PyArray1::from_iter(py, sd)))
    }

    /// The covariance of utilities; not relative to anything, or to the average over the compared items.
    #[pyo3(signature = (table=None, progress=None, relative=false))]
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        table: Option<&Table>,
        progress: Option<&Bound<'py, PyAny>>,
        relative: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (person, points) = (self.person()?, self.points(table)?);
        let found = fit::run(py, progress, || match relative {
            true => draws::relative_covariance(&person, &points),
            false => person.covariance(&points).map(|covariance| covariance.data().to_vec()),
        })?;
        let n = points.len();
        PyArray1::from_vec(py, found.map_err(of_library)?).reshape([n, n])
    }

    /// Means of utilities, not relative to anything.
    #[pyo3(signature = (table=None))]
    fn mean<'py>(&self, py: Python<'py>, table: Option<&Table>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (model, points) = (self.single()?, self.points(table)?);
        let moments = fit::run(py, None, || model.belief().utilities(&points))?;
        Ok(PyArray1::from_vec(py, moments.mean))
    }

    /// The probability that the left item of each pair of row numbers is preferred; nearer to exact and slower if `sharp`. If `shown`, it is
    /// shown on the left, and a learned advantage of the left counts.
    #[pyo3(signature = (left, right, table=None, sharp=false, shown=false, progress=None))]
    #[allow(clippy::too_many_arguments)] // Python's names them.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        left: PyReadonlyArray1<'py, i64>,
        right: PyReadonlyArray1<'py, i64>,
        table: Option<Asked<'py>>,
        sharp: bool,
        shown: bool,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (person, points) = (self.person()?, self.asked(table.as_ref())?);
        let pairs = pairs(left.as_array(), right.as_array(), points.len())?;
        let found = fit::run(py, progress, || match (sharp, shown) {
            (true, true) => person.sharp_shown_probabilities(&points, &pairs),
            (true, false) => person.sharp_probabilities(&points, &pairs),
            (false, true) => Ok(person.shown_probabilities(&points, &pairs)),
            (false, false) => Ok(person.probabilities(&points, &pairs)),
        })?;
        Ok(PyArray1::from_vec(py, found.map_err(of_library)?))
    }

    /// What may be said of each pair of row numbers, the first item on the left: names with their probabilities. No names for a model of
    /// plain choices.
    #[pyo3(signature = (left, right, table=None))]
    fn outcomes(
        &self,
        py: Python<'_>,
        left: PyReadonlyArray1<'_, i64>,
        right: PyReadonlyArray1<'_, i64>,
        table: Option<Asked<'_>>,
    ) -> PyResult<Vec<Vec<(String, f64)>>> {
        let (person, points) = (self.person()?, self.asked(table.as_ref())?);
        let pairs = pairs(left.as_array(), right.as_array(), points.len())?;
        fit::run(py, None, || person.outcomes(&points, &pairs))
    }

    /// The probabilities that each item of some sets is the best of its set, and the worst; `item` are the rows of all sets, one after the other, of so many
    /// items each.
    #[pyo3(signature = (item, sizes, table=None))]
    fn extremes<'py>(
        &self,
        py: Python<'py>,
        item: PyReadonlyArray1<'py, i64>,
        sizes: Vec<usize>,
        table: Option<&Table>,
    ) -> PyResult<Moments<'py>> {
        let (person, points) = (self.person()?, self.points(table)?);
        let sets = sets(item, &sizes, points.len())?;
        let found = fit::run(py, None, || {
            // Of its own points alone, so that a set takes no longer where there are many items.
            let of =
                |set: &Vec<usize>| person.extremes(&points.select(set), &(0..set.len()).collect::<Vec<_>>());
            sets.iter().map(of).collect::<Result<Vec<_>, _>>()
        })?
        .map_err(of_library)?;
        let [best, worst] = [0, 1].map(|end: usize| found.iter().flat_map(move |of| of[end].iter().copied()));
        Ok((PyArray1::from_iter(py, best), PyArray1::from_iter(py, worst)))
    }

    /// The probabilities of the levels of a rating, the lowest first: items x levels. No levels for a model without ratings.
    #[pyo3(signature = (table=None))]
    fn ratings<'py>(&self, py: Python<'py>, table: Option<&Table>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (person, points) = (self.person()?, self.points(table)?);
        let found = fit::run(py, None, || person.ratings(&points))?;
        let levels = found.first().map_or(0, Vec::len);
        PyArray1::from_vec(py, found.into_iter().flatten().collect()).reshape([points.len(), levels])
    }

    /// `draws` draws of the utilities (draws x items), relative to the average over the compared items; those of an exact model are its
    /// own, whatever the seed.
    #[pyo3(signature = (draws, seed, table=None, progress=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        draws: usize,
        seed: u64,
        table: Option<&Table>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (person, asked) = (self.person()?, self.points(table)?);
        let values =
            fit::run(py, progress, || draws::of(&person, &asked, draws, seed))?.map_err(of_library)?;
        PyArray1::from_vec(py, values).reshape([draws, asked.len()])
    }

    /// How near the approximation is to the exact posterior, of which `samples` draws are taken; as JSON.
    #[pyo3(signature = (samples, seed, progress=None))]
    fn check(
        &self,
        py: Python<'_>,
        samples: Option<usize>,
        seed: u64,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let default = CheckSettings::default();
        let exact =
            ExactSettings { seed, samples: samples.unwrap_or(default.exact.samples), ..default.exact };
        let settings = CheckSettings { exact, ..default };
        let found = fit::run(py, progress, || self.whose.check(&settings))?.map_err(of_library)?;
        Ok(json(&Found::from(&found)))
    }

    /// The value of asking each pair of row numbers: the left one is the opponent, the right one challenges it.
    #[pyo3(signature = (left, right, acquisition, seed, table=None))]
    fn acquisition<'py>(
        &self,
        py: Python<'py>,
        left: PyReadonlyArray1<'py, i64>,
        right: PyReadonlyArray1<'py, i64>,
        acquisition: &str,
        seed: u64,
        table: Option<&Table>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let acquisition = acquisition.parse().map_err(of_library)?;
        let (person, pool) = (self.person()?, self.points(table)?);
        let pairs = pairs(left.as_array(), right.as_array(), pool.len())?;
        let found = fit::run(py, None, || person.scores(&pool, acquisition, &pairs, seed))?;
        Ok(PyArray1::from_vec(py, found.map_err(of_library)?))
    }

    /// The `n` comparisons whose answers would tell most: row numbers of left and right, and scores. `opponent` is the row that all
    /// others are set against.
    #[pyo3(signature = (n, acquisition, opponent, seed, table=None, progress=None))]
    #[allow(clippy::too_many_arguments)] // Python's names them.
    fn suggest(
        &self,
        py: Python<'_>,
        n: usize,
        acquisition: &str,
        opponent: Option<usize>,
        seed: u64,
        table: Option<&Table>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Suggested>> {
        let acquisition = acquisition.parse().map_err(of_library)?;
        let (person, pool) = (self.person()?, self.points(table)?);
        let found =
            fit::run(py, progress, || person.suggest(&pool, &request(acquisition, opponent, n, seed)))?;
        Ok(suggested(&found.map_err(of_library)?))
    }

    /// A figure as SVG text: `ranking` or `choices` of the `top` best items, `utility` or `choice-map` along one feature, `map` over
    /// two. `look` is width, height and title.
    #[pyo3(signature = (kind, features, top, look))]
    fn figure(
        &self,
        py: Python<'_>,
        kind: &str,
        features: Vec<String>,
        top: Option<usize>,
        look: (Option<f64>, Option<f64>, Option<String>),
    ) -> PyResult<String> {
        let (width, height, title) = look;
        let look = Look { width, height, title };
        let person = self.person()?;
        let drawn = fit::run(py, None, || figures::of(&person, kind, &features, top)?.draw(&look))?;
        drawn.map(Figure::into_svg).map_err(of_figure)
    }
}

impl Model {
    /// As [`Whose::single`].
    pub(crate) fn single(&self) -> PyResult<&Arc<rather::model::Model>> {
        self.whose.single()
    }

    /// As [`Whose::person`].
    pub(crate) fn person(&self) -> PyResult<Person<'_>> {
        self.whose.person()
    }

    /// As [`Whose::population`].
    pub(crate) fn population(&self) -> PyResult<&Arc<Population>> {
        self.whose.population()
    }

    /// As [`Whose::items`].
    pub(crate) fn items(&self) -> &Catalogue {
        self.whose.items()
    }

    fn naming(&self) -> &Naming {
        self.whose.naming()
    }

    /// The model's own items, or those of another table.
    pub(crate) fn asked(&self, asked: Option<&Asked<'_>>) -> PyResult<Points> {
        match asked {
            Some(Asked::Sides(sides)) => self.single()?.encode_sides(&sides.sides).map_err(of_library),
            Some(Asked::Table(table)) => self.points(Some(table)),
            None => self.points(None),
        }
    }

    pub(crate) fn points(&self, table: Option<&Table>) -> PyResult<Points> {
        match table {
            Some(Table { known: Some(rows), .. }) => {
                let own = self.items().points();
                match rows.iter().find(|&&row| row >= own.len()) {
                    Some(row) => Err(data(format!("there is no item {row}"))),
                    None => Ok(own.select(rows)),
                }
            }
            Some(table) => self.items().encode(&table.items).map_err(of_library),
            None => Ok(self.items().points().clone()),
        }
    }
}
