//! What workers of a cluster run for the hierarchical model: shares of its users.

use std::sync::Mutex;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rather::answers::Answer;
use rather::many::{HierarchicalSettings, Shrinkage, shares};

use crate::answers::{Answers, pairs};
use crate::distributed::{Frame, matrix, rows, square};
use crate::errors::{data, of_library};
use crate::fit;

/// A mean and a covariance.
type Gaussian<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// The mean and covariance that everyone is expected to have, from sums over `users` of their means and second moments; `common` of the
/// variance is all users', with as much weight as `strength` users.
#[pyfunction]
pub(crate) fn expected_user<'py>(
    py: Python<'py>,
    users: f64,
    mean: PyReadonlyArray1<'py, f64>,
    second: PyReadonlyArray2<'py, f64>,
    strength: f64,
    common: f64,
) -> PyResult<Gaussian<'py>> {
    let mean = mean.as_array().to_vec();
    let second = matrix(&second, mean.len())?;
    let sums = shares::Summary { users, second, ..shares::Summary::nobody(mean.len()) };
    let sums = shares::Summary { mean, ..sums };
    let shrinkage = Shrinkage::new(strength, common).map_err(of_library)?;
    let (mean, covariance) = sums.expected(Some(&shrinkage));
    let covariance = square(py, &covariance)?;
    Ok((PyArray1::from_vec(py, mean), covariance))
}

type Moments<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Some of the users, with all that they said.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Share {
    held: Mutex<shares::Share>,
}

/// How many users, sum of their means, of their second moments, of their log evidences, and whether inference converged.
type Summary<'py> = (f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, f64, bool);

#[pymethods]
impl Share {
    /// `answers` about the items of `frame`, of which row `i` was said by user `users[i]`, under the prior that the kernel alone gives.
    #[new]
    fn new(
        py: Python<'_>,
        frame: &Frame,
        answers: &Answers,
        users: PyReadonlyArray1<'_, i64>,
        count: usize,
    ) -> PyResult<Self> {
        let (users, answers) = (rows(users, count)?, &answers.answers);
        if users.len() != answers.len() {
            return Err(data(format!("there are {} users for {} answers", users.len(), answers.len())));
        }
        let said: Vec<Answer> =
            users.iter().zip(answers.iter()).map(|(&user, answer)| answer.by(user)).collect();
        let settings =
            HierarchicalSettings { values: frame.start.values(), ..HierarchicalSettings::default() };
        let made = fit::run(py, None, || {
            let answers = rather::many::UserAnswers::new(count, frame.points.len(), &said)?;
            shares::Share::new(&frame.points, &answers, &frame.start.kernel, &settings)
        })?;
        Ok(Self { held: Mutex::new(made.map_err(of_library)?) })
    }

    /// The sum of the users' log evidences, each alone, and its gradient in the logarithms of the hyperparameters.
    fn evidence(&self, py: Python<'_>, frame: &Frame, values: Vec<f64>) -> PyResult<(f64, Vec<f64>)> {
        let here = frame.at(&values)?;
        fit::run_whole(py, |_| self.with(|share| share.evidence(&here)))?
    }

    /// Begins under the prior that the kernel alone gives at these hyperparameters, or where everyone is expected to be so.
    fn expect(
        &self,
        py: Python<'_>,
        frame: &Frame,
        values: Vec<f64>,
        expected: Option<(PyReadonlyArray1<'_, f64>, PyReadonlyArray2<'_, f64>)>,
    ) -> PyResult<()> {
        let here = frame.at(&values)?;
        let expected = expected.map(|(mean, covariance)| {
            let mean = mean.as_array().to_vec();
            Ok::<_, PyErr>((matrix(&covariance, mean.len())?, mean))
        });
        let expected = expected.transpose()?;
        fit::run_whole(py, |_| {
            self.with(|share| match &expected {
                None => share.begin(&here.kernel, here.values()),
                Some((covariance, mean)) => share.expect(mean, covariance),
            })
        })?
    }

    /// What these users add to what is expected of everyone.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Summary<'py>> {
        let found = fit::run(py, None, || self.with(|share| share.summary()))??;
        let second = square(py, &found.second)?;
        Ok((found.users, PyArray1::from_vec(py, found.mean), second, found.log_evidence, found.converged))
    }

    /// Means and standard deviations of a user's utilities, relative to their average over all items.
    fn utilities<'py>(&self, py: Python<'py>, user: usize) -> PyResult<Moments<'py>> {
        let ranked = fit::run(py, None, || self.with(|share| share.model().rank(user)))??;
        let (mut mean, mut sd) = (vec![0.0; ranked.len()], vec![0.0; ranked.len()]);
        for place in ranked {
            (mean[place.item], sd[place.item]) = (place.mean, place.sd);
        }
        Ok((PyArray1::from_vec(py, mean), PyArray1::from_vec(py, sd)))
    }

    /// The probability that a user prefers the left item of each pair.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        user: usize,
        left: PyReadonlyArray1<'py, i64>,
        right: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.with(|share| {
            let items = share.model().items().len();
            Ok(pairs(left.as_array(), right.as_array(), items))
        })??;
        let found = fit::run(py, None, || self.with(|share| share.model().predict(user, &found)))??;
        Ok(PyArray1::from_vec(py, found.probability))
    }
}

impl Share {
    fn with<T>(&self, work: impl FnOnce(&mut shares::Share) -> Result<T, rather::Error>) -> PyResult<T> {
        // A share that a panic interrupted is as it was before.
        let mut held = self.held.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        work(&mut held).map_err(of_library)
    }
}
