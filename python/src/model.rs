//! A learned model, and what it can be asked.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use rather::Person;
use rather::acquisition::{PoolUtilities, scores, suggest};
use rather::belief::Belief;
use rather::check::{CheckSettings, check};
use rather::exact::ExactSettings;
use rather::inference::Status;
use rather::model::Naming;
use rather::points::Points;
use rather_plot::{Figure, Look, from_model};

use crate::answers::{Answers, pairs};
use crate::check::Found;
use crate::draws;
use crate::errors::{of_figure, of_file, of_library};
use crate::fit;
use crate::settings::Parameters;
use crate::suggest::{Suggested, request, rows};
use crate::table::Table;
use crate::views::json;

/// A learned model.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Model {
    pub(crate) model: Arc<rather::model::Model>,
    /// How long learning took, without what Python adds to it.
    seconds: Option<f64>,
}

type Moments<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);
/// Expression, whether with a lengthscale a feature, log evidence, score.
type Tried = (String, bool, f64, f64);

#[pymethods]
impl Model {
    /// Learns from `answers` about the items of `table`.
    #[staticmethod]
    #[pyo3(signature = (table, answers, parameters, progress=None))]
    fn fit(
        py: Python<'_>,
        table: &Table,
        answers: &Answers,
        parameters: Parameters,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let settings = parameters.settings()?;
        let (learned, taken) = fit::run(py, progress, || {
            let start = Instant::now();
            let learned = rather::model::Model::fit_given(
                &table.items,
                answers.answers.clone(),
                &answers.users,
                &settings,
                &|_| (),
            );
            (learned, start.elapsed())
        })?;
        let naming = Naming {
            integer_items: table.integers,
            levels: answers.levels.clone(),
            grades: answers.grades.clone(),
            ..Naming::default()
        };
        let learned = learned.and_then(|model| model.with_naming(naming)).map_err(of_library)?;
        Ok(Self { model: Arc::new(learned), seconds: Some(taken.as_secs_f64()) })
    }

    /// The model in a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let model = fit::run(py, None, || rather_io::load_model(&path))?.map_err(of_file)?;
        Ok(Self { model: Arc::new(model), seconds: None })
    }

    /// Writes the model to a file, which the program can read.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        fit::brief(py, || rather_io::save_model(&path, &self.model))?.map_err(of_file)
    }

    /// The items' names.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.model.keys().to_vec()
    }

    /// Whether the items' names were whole numbers.
    #[getter]
    fn integers(&self) -> bool {
        self.model.naming().integer_items
    }

    /// The ratings that the levels stand for, the lowest first; empty if there are none.
    #[getter]
    fn levels(&self) -> Vec<f64> {
        self.model.naming().levels.clone()
    }

    /// Row numbers of the items that were compared.
    #[getter]
    fn compared(&self) -> Vec<usize> {
        self.model.compared().to_vec()
    }

    /// The kernel as an expression.
    #[getter]
    fn kernel(&self) -> String {
        self.model.kernel_expression()
    }

    /// Names and values of the hyperparameters, in the units of the table.
    #[getter]
    fn hyperparameters(&self) -> Vec<(String, f64)> {
        self.model.reported_hyperparameters()
    }

    /// The noise of an item.
    #[getter]
    fn noise(&self) -> f64 {
        self.model.hyperparameters().noise()
    }

    /// Log evidence in nats.
    #[getter]
    fn log_evidence(&self) -> f64 {
        self.model.report().log_evidence
    }

    /// Whether inference converged.
    #[getter]
    fn converged(&self) -> bool {
        self.model.report().status == Status::Converged
    }

    /// Sweeps of inference, over all settings that were tried.
    #[getter]
    fn sweeps(&self) -> usize {
        self.model.report().sweeps
    }

    /// How exact inference sampled, and its evidence, as JSON; `None` for another inference.
    #[getter]
    fn sampling(&self) -> Option<String> {
        self.model.report().exact.as_ref().map(json)
    }

    /// The largest mismatch of moments left.
    #[getter]
    fn residual(&self) -> f64 {
        self.model.report().residual
    }

    /// Wall time of learning in seconds, without what Python adds to it; `None` for a model from a file.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.seconds
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.model.report().notices.iter().map(ToString::to_string).collect()
    }

    /// The kernels tried: expression, whether with a lengthscale a feature, log evidence, score.
    #[getter]
    fn tried(&self) -> Vec<Tried> {
        let tried = self.model.report().tried.iter();
        tried.map(|t| (t.kernel.expression.clone(), t.kernel.ard, t.log_evidence, t.score)).collect()
    }

    /// Means and standard deviations of the utilities, relative to the average over the compared items.
    #[pyo3(signature = (table=None))]
    fn utilities<'py>(&self, py: Python<'py>, table: Option<&Table>) -> PyResult<Moments<'py>> {
        let points = self.points(table)?;
        let moments = fit::run(py, None, || self.model.utilities(&points))?;
        let sd = moments.variance.iter().map(|v| v.sqrt());
        Ok((PyArray1::from_vec(py, moments.mean), PyArray1::from_iter(py, sd)))
    }

    /// The covariance of utilities, not relative to anything.
    #[pyo3(signature = (table=None, progress=None))]
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        table: Option<&Table>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let points = self.points(table)?;
        let covariance = fit::run(py, progress, || self.model.belief().covariance(&points))?;
        let covariance = covariance.map_err(of_library)?;
        let n = points.len();
        PyArray1::from_slice(py, covariance.data()).reshape([n, n])
    }

    /// Means of utilities, not relative to anything.
    #[pyo3(signature = (table=None))]
    fn mean<'py>(&self, py: Python<'py>, table: Option<&Table>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let points = self.points(table)?;
        let moments = fit::run(py, None, || self.model.belief().utilities(&points))?;
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
        table: Option<&Table>,
        sharp: bool,
        shown: bool,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let points = self.points(table)?;
        let pairs = pairs(left.as_array(), right.as_array(), points.len())?;
        let model = &self.model;
        let found = fit::run(py, progress, || match (sharp, shown) {
            (true, true) => model.sharp_shown_probabilities(&points, &pairs),
            (true, false) => model.sharp_probabilities(&points, &pairs),
            (false, true) => Ok(model.shown_probabilities(&points, &pairs)),
            (false, false) => Ok(model.probabilities(&points, &pairs)),
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
        table: Option<&Table>,
    ) -> PyResult<Vec<Vec<(String, f64)>>> {
        let points = self.points(table)?;
        let pairs = pairs(left.as_array(), right.as_array(), points.len())?;
        fit::run(py, None, || self.model.outcomes(&points, &pairs))
    }

    /// The probabilities of the levels of a rating, the lowest first: items x levels. No levels for a model without ratings.
    #[pyo3(signature = (table=None))]
    fn ratings<'py>(&self, py: Python<'py>, table: Option<&Table>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let points = self.points(table)?;
        let found = fit::run(py, None, || self.model.ratings(&points))?;
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
        let asked = self.points(table)?;
        let values = fit::run(py, progress, || self.draws(&asked, draws, seed))?.map_err(of_library)?;
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
        let found = fit::run(py, progress, || check(&self.model, &settings))?.map_err(of_library)?;
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
        let pool = self.points(table)?;
        let pairs = pairs(left.as_array(), right.as_array(), pool.len())?;
        let found = fit::run(py, None, || scores(&self.in_pool(&pool)?, acquisition, &pairs, seed))?;
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
        let pool = self.points(table)?;
        let found = fit::run(py, progress, || {
            suggest(&self.in_pool(&pool)?, &request(acquisition, opponent, n, seed))
        })?;
        Ok(rows(&found.map_err(of_library)?))
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
        fit::run(py, None, || self.draw(kind, &features, top, &look))?
            .map(Figure::into_svg)
            .map_err(of_figure)
    }
}

impl Model {
    /// The model's own items, or those of another table.
    fn points(&self, table: Option<&Table>) -> PyResult<Points> {
        match table {
            Some(table) => self.model.encode(&table.items).map_err(of_library),
            None => Ok(self.model.points().clone()),
        }
    }

    /// The utilities of the items of a pool.
    fn in_pool<'a>(&'a self, points: &'a Points) -> Result<PoolUtilities<'a>, rather::Error> {
        PoolUtilities::of(self.model.belief(), points)
    }

    fn draws(&self, asked: &Points, draws: usize, seed: u64) -> Result<Vec<f64>, rather::Error> {
        let compared = self.model.points().select(self.model.compared());
        match self.model.belief() {
            Belief::Exact(exact) => draws::exact(exact, asked, &compared, draws),
            Belief::Mixture(mixture) => {
                let components: Vec<_> =
                    mixture.components().iter().map(|(weight, p)| (*weight, p)).collect();
                draws::mixture(&components, asked, &compared, draws, seed)
            }
            _ => draws::gaussian(self.model.posterior()?, asked, &compared, draws, seed),
        }
    }

    fn draw(
        &self,
        kind: &str,
        features: &[String],
        top: Option<usize>,
        look: &Look,
    ) -> Result<Figure, rather_plot::Error> {
        let feature = |i: usize| features.get(i).map_or("", String::as_str);
        match kind {
            "choices" => from_model::choices(&self.model, top.unwrap_or(40)).draw(look),
            "choice-map" => from_model::choice_map(&self.model, feature(0))?.draw(look),
            "utility" => from_model::utility(&self.model, feature(0))?.draw(look),
            "map" => from_model::map(&self.model, feature(0), feature(1))?.draw(look),
            _ => from_model::ranking(&Person::Single(&self.model), top.unwrap_or(60)).draw(look),
        }
    }
}
