//! What workers of a cluster run, and what their driver needs, where all answer as one: blocks of comparisons.
//!
//! Workers and driver know the same items and parameters, so that each makes the same [`Frame`]; between them go only sums.

use std::sync::Mutex;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rather::features::Encoder;
use rather::inducing::Inducing;
use rather::inference::blocks::{self, Natural};
use rather::kernel::parse;
use rather::learn::choice::{KernelChoice, Options};
use rather::learn::{Hyperparameters, maximise_elsewhere};
use rather::points::Points;
use rather::posterior::BlocksPosterior;
use rather_numerics::linalg::Matrix;

use crate::answers::{Answers, pairs};
use crate::errors::{data, named, of_library};
use crate::fit;
use crate::settings::Parameters;
use crate::table::Table;

/// Sums of a block: precision (features x features) and shift.
type Sums<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);
type Moments<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Items as a kernel sees them, with its hyperparameters at their starts.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Frame {
    pub(crate) points: Points,
    encoder: Encoder,
    pub(crate) start: Hyperparameters,
    compared: Vec<usize>,
}

#[pymethods]
impl Frame {
    /// The items of `table`, of which those in the rows `compared` are compared.
    #[new]
    fn new(
        py: Python<'_>,
        table: &Table,
        compared: PyReadonlyArray1<'_, i64>,
        parameters: Parameters,
    ) -> PyResult<Self> {
        let settings = parameters.settings()?;
        let KernelChoice::Given(kernel) = &settings.kernel else {
            return Err(named(
                "KernelError",
                "a cluster learns one kernel; name it, such as kernel=\"matern52\", or choose one by PreferenceGP on a part of the comparisons"
                    .to_owned(),
            ));
        };
        let (encoder, _) = Encoder::fit(&table.items.columns, settings.raw_features);
        let ids = (0..table.items.keys.len() as u64).collect();
        let points = encoder.encode(&table.items.columns, ids).map_err(of_library)?;
        let (schema, units) = (encoder.schema(), encoder.units());
        let options = Options {
            schema: &schema,
            units: settings.units,
            fixed: &settings.fixed,
            feature_units: &units,
            priors: settings.priors,
            inference: settings.inference.convergence(),
        };
        let compared = rows(compared, points.len())?;
        let kernel = parse(&kernel.expression, &schema, kernel.ard).map_err(of_library)?;
        let start = fit::run(py, None, || Hyperparameters::new(kernel, &points.select(&compared), &options))?;
        let start = start.map_err(of_library)?;
        Ok(Self { points, encoder, start, compared })
    }

    /// The values of all hyperparameters that learning starts from, as the kernel sees them.
    #[getter]
    fn start(&self) -> Vec<f64> {
        self.start.entries.iter().map(|e| e.value).collect()
    }

    /// How many hyperparameters are learned.
    #[getter]
    fn free(&self) -> usize {
        self.start.free().len()
    }

    /// Rows of at most `most` inducing items: those whose utilities leave the least open of the others, at these hyperparameters.
    fn inducing(&self, py: Python<'_>, values: Vec<f64>, most: usize) -> PyResult<Vec<usize>> {
        let compared = self.points.select(&self.compared);
        let here = self.at(&values)?;
        let chosen = fit::run(py, None, || Inducing::default().choose(&here.kernel, &compared, most))?;
        Ok(chosen.into_iter().map(|i| self.compared[i]).collect())
    }

    /// Names and values of the hyperparameters, in the units of the table.
    fn hyperparameters(&self, values: Vec<f64>) -> PyResult<Vec<(String, f64)>> {
        let here = self.at(&values)?;
        let (roles, units) = (here.kernel.parameters(), self.encoder.units());
        let unit = |i: usize| roles.get(i).and_then(|p| p.dim).map_or(1.0, |d| units[d]);
        Ok(here.entries.iter().enumerate().map(|(i, e)| (e.name.clone(), e.value * unit(i))).collect())
    }

    /// The kernel as an expression, at these hyperparameters.
    fn kernel(&self, values: Vec<f64>) -> PyResult<String> {
        Ok(self.at(&values)?.kernel.describe(&self.encoder.schema()))
    }

    /// Climbs the evidence from these hyperparameters: `evidence` tells, of their values, the log evidence and its gradient in their
    /// logarithms. The best values, and whether it is a maximum.
    fn learn(&self, values: Vec<f64>, evidence: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, bool)> {
        let mut raised = None;
        let found = maximise_elsewhere(&self.at(&values)?, |here| {
            if raised.is_some() {
                // Ctrl-C, mostly: nothing is asked any more.
                return Err(rather::Error::Inference);
            }
            let values: Vec<f64> = here.entries.iter().map(|e| e.value).collect();
            let told = evidence.call1((values,)).and_then(|told| told.extract::<(f64, Vec<f64>)>());
            told.map_err(|error| {
                raised = Some(error);
                rather::Error::Inference
            })
        });
        match (raised, found) {
            (Some(error), _) => Err(error),
            (None, found) => {
                let found = found.map_err(of_library)?;
                let values = found.hyperparameters.entries.iter().map(|e| e.value).collect();
                Ok((values, found.converged))
            }
        }
    }
}

impl Frame {
    pub(crate) fn at(&self, values: &[f64]) -> PyResult<Hyperparameters> {
        if values.len() != self.start.entries.len() {
            let (expected, found) = (self.start.entries.len(), values.len());
            return Err(data(format!("there are {expected} hyperparameters, not {found}")));
        }
        let mut here = self.start.clone();
        here.set(values).map_err(of_library)?;
        Ok(here)
    }
}

/// Some of the comparisons, with their sites.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Block {
    held: Mutex<Option<Held>>,
}

struct Held {
    block: blocks::Block,
    values: Vec<f64>,
}

#[pymethods]
impl Block {
    /// `answers` about the items of `frame`, with empty sites, by the features of the items in the rows `inducing`.
    #[new]
    fn new(
        py: Python<'_>,
        frame: &Frame,
        answers: &Answers,
        inducing: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let chosen = frame.points.select(&rows(inducing, frame.points.len())?);
        let (kernel, noise) = (&frame.start.kernel, frame.start.noise());
        let comparisons = answers.comparisons()?;
        let made =
            fit::run(py, None, || blocks::Block::new(kernel, noise, &chosen, &frame.points, &comparisons))?;
        let held = Held { block: made.map_err(of_library)?, values: frame.start() };
        Ok(Self { held: Mutex::new(Some(held)) })
    }

    /// The sums of now, at these hyperparameters.
    fn sums<'py>(&self, py: Python<'py>, frame: &Frame, values: Vec<f64>) -> PyResult<Sums<'py>> {
        let sums = fit::run_whole(py, |_| self.with(frame, &values, |block| Ok(block.natural())))??;
        arrays(py, sums)
    }

    /// Moves the sites by `step` towards those that match the moments under the sums of all blocks, and tells the sums after that, and of
    /// what was before: the largest mismatch and the block's part of the log evidence.
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        values: Vec<f64>,
        sums: (PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>),
        step: f64,
    ) -> PyResult<(Sums<'py>, f64, f64)> {
        let sums = natural(&sums)?;
        let (sums, swept) = fit::run_whole(py, |_| {
            self.with(frame, &values, |block| {
                let swept = block.sweep(&blocks::Belief::new(&sums)?, step);
                Ok((block.natural(), swept))
            })
        })??;
        Ok((arrays(py, sums)?, swept.residual, swept.log_evidence))
    }

    /// The block's part of the log evidence, and of its gradient in the logarithms of the hyperparameters, where the sums of all blocks
    /// are those of a fixpoint.
    fn evidence(
        &self,
        py: Python<'_>,
        frame: &Frame,
        values: Vec<f64>,
        sums: (PyReadonlyArray2<'_, f64>, PyReadonlyArray1<'_, f64>),
    ) -> PyResult<(f64, Vec<f64>)> {
        let sums = natural(&sums)?;
        fit::run_whole(py, |_| {
            self.with(frame, &values, |block| {
                let belief = blocks::Belief::new(&sums)?;
                let mut gradient = block.gradient(&belief);
                // A step of no length tells and moves nothing.
                let swept = block.sweep(&belief, 0.0);
                gradient.push(swept.d_log_noise);
                Ok((swept.log_evidence, gradient))
            })
        })?
    }
}

impl Block {
    /// Works on the block at these hyperparameters; its sites stay when they change.
    fn with<T>(
        &self,
        frame: &Frame,
        values: &[f64],
        work: impl FnOnce(&mut blocks::Block) -> Result<T, rather::Error>,
    ) -> PyResult<T> {
        let here = frame.at(values)?;
        let lost = || named("InferenceError", "this block broke down before; make it again".to_owned());
        let mut kept = self.held.lock().map_err(|_| lost())?;
        let mut held = kept.take().ok_or_else(lost)?;
        if held.values != values {
            held.block = held.block.at(&here.kernel, here.noise()).map_err(of_library)?;
            held.values = values.to_vec();
        }
        let done = work(&mut held.block).map_err(of_library);
        *kept = Some(held);
        done
    }
}

/// What all blocks together say about utilities.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct BlocksModel {
    posterior: BlocksPosterior,
    compared: Points,
    log_evidence: f64,
}

#[pymethods]
impl BlocksModel {
    /// From the sums of all blocks at these hyperparameters.
    #[new]
    fn new(
        py: Python<'_>,
        frame: &Frame,
        values: Vec<f64>,
        inducing: PyReadonlyArray1<'_, i64>,
        sums: (PyReadonlyArray2<'_, f64>, PyReadonlyArray1<'_, f64>),
    ) -> PyResult<Self> {
        let here = frame.at(&values)?;
        let sums = natural(&sums)?;
        let chosen = frame.points.select(&rows(inducing, frame.points.len())?);
        let made = fit::run(py, None, || {
            let belief = blocks::Belief::new(&sums)?;
            let posterior = BlocksPosterior::new(&here.kernel, here.noise(), &chosen, &belief)?;
            Ok((posterior, belief.log_evidence))
        })?;
        let (posterior, log_evidence) = made.map_err(of_library)?;
        Ok(Self { posterior, compared: frame.points.select(&frame.compared), log_evidence })
    }

    /// The part of the log evidence that is no block's own.
    #[getter]
    fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// Means and standard deviations of the utilities, relative to the average over the compared items.
    fn utilities<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        table: Option<&Table>,
        names: &Table,
    ) -> PyResult<Moments<'py>> {
        let points = frame.encode(table, names)?;
        let moments = fit::run(py, None, || self.posterior.relative_utilities(&points, &self.compared))?;
        let sd = moments.variance.iter().map(|v| v.sqrt());
        Ok((PyArray1::from_vec(py, moments.mean), PyArray1::from_iter(py, sd)))
    }

    /// The covariance of utilities, not relative to anything.
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        table: Option<&Table>,
        names: &Table,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let points = frame.encode(table, names)?;
        square(py, &fit::run(py, None, || self.posterior.covariance(&points))?)
    }

    /// The probability that the left item of each pair is preferred.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        sides: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>),
        table: Option<&Table>,
        names: &Table,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let points = frame.encode(table, names)?;
        let pairs = pairs(sides.0.as_array(), sides.1.as_array(), points.len())?;
        let found = fit::run(py, None, || self.posterior.probabilities(&points, &pairs))?;
        Ok(PyArray1::from_vec(py, found))
    }
}

impl Frame {
    /// The items themselves, or those of another table; an item with the name of one of `known` is that one.
    fn encode(&self, table: Option<&Table>, known: &Table) -> PyResult<Points> {
        let Some(table) = table else { return Ok(self.points.clone()) };
        let numbers: std::collections::HashMap<&str, u64> =
            known.items.keys.iter().map(String::as_str).zip(0..).collect();
        let new = known.items.keys.len() as u64..;
        let ids = table.items.keys.iter().zip(new).map(|(key, new)| {
            let known = numbers.get(key.as_str()).copied();
            known.unwrap_or(new)
        });
        self.encoder.encode(&table.items.columns, ids.collect()).map_err(of_library)
    }
}

/// Row numbers of `items` items.
pub(crate) fn rows(numbers: PyReadonlyArray1<'_, i64>, items: usize) -> PyResult<Vec<usize>> {
    let row = |&number: &i64| match usize::try_from(number) {
        Ok(row) if row < items => Ok(row),
        _ => Err(named(
            "UnknownItemError",
            format!("there is no item {number}; there are {items}, counted from 0"),
        )),
    };
    numbers.as_array().iter().map(row).collect()
}

fn natural(sums: &(PyReadonlyArray2<'_, f64>, PyReadonlyArray1<'_, f64>)) -> PyResult<Natural> {
    let shift = sums.1.as_array().to_vec();
    Ok(Natural { precision: matrix(&sums.0, shift.len())?, shift })
}

/// A square matrix; numpy's rows are its columns, so what comes of [`square`] is what it was.
pub(crate) fn matrix(given: &PyReadonlyArray2<'_, f64>, size: usize) -> PyResult<Matrix> {
    if given.shape() != [size, size] {
        return Err(data(format!("a matrix of {size} x {size} numbers is needed, not {:?}", given.shape())));
    }
    let given = given.as_array();
    Ok(Matrix::from_fn(size, size, |i, j| given[[j, i]]))
}

/// A matrix's columns as numpy's rows.
pub(crate) fn square<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_slice(py, matrix.data()).reshape([matrix.cols(), matrix.rows()])
}

fn arrays(py: Python<'_>, sums: Natural) -> PyResult<Sums<'_>> {
    Ok((square(py, &sums.precision)?, PyArray1::from_vec(py, sums.shift)))
}
