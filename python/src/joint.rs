//! The joint posterior over settings that are nothing but features, and its gradients: what others differentiate through.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rather::features::Encoding;
use rather::points::Points;

use crate::errors::{data, named, of_library};
use crate::fit;
use crate::model::Model;

type Array<'py> = Bound<'py, PyArray1<f64>>;
/// A feature: its name, what is taken off a number and what the rest is divided by, and the categories, if it has such.
type Feature = (String, f64, f64, Option<Vec<String>>);

/// How the model encodes its features: a number as `(x - center) / scale`, a category as its position among `levels`.
#[pyfunction]
pub(crate) fn encoding(model: &Model) -> Vec<Feature> {
    let feature = |(name, encoding): &(String, Encoding)| match encoding {
        Encoding::Numeric { center, scale } => (name.clone(), *center, *scale, None),
        Encoding::Missing { .. } => (name.clone(), 0.0, 1.0, None),
        Encoding::Categorical { levels } => (name.clone(), 0.0, 1.0, Some(levels.clone())),
    };
    model.items().encoder().features.iter().map(feature).collect()
}

/// The encoded features of the items that were compared, row by row.
#[pyfunction]
pub(crate) fn compared_rows<'py>(py: Python<'py>, model: &Model) -> PyResult<Array<'py>> {
    let model = model.single()?;
    let points = model.points();
    let features = model.encoder().features.len();
    let rows = model.compared().iter().flat_map(|&item| points.row(item)[..features].iter().copied());
    Ok(PyArray1::from_vec(py, rows.collect()))
}

/// Means and covariances of the utilities of each `q` rows of encoded features, not relative to anything.
#[pyfunction]
pub(crate) fn joints<'py>(
    py: Python<'py>,
    model: &Model,
    rows: PyReadonlyArray2<'py, f64>,
    q: usize,
) -> PyResult<(Array<'py>, Array<'py>)> {
    let model = model.single()?;
    let points = settings(model, &rows, q)?;
    let found = fit::run(py, None, || model.posterior().map(|posterior| posterior.joints(&points, q)))?;
    let found = found.map_err(of_library)?;
    let mean = found.iter().flat_map(|joint| joint.mean.iter().copied());
    // Symmetric: by columns is by rows.
    let covariance = found.iter().flat_map(|joint| joint.covariance.data().iter().copied());
    Ok((numbers(py, mean.collect())?, numbers(py, covariance.collect())?))
}

/// The gradient in the encoded features of what has the derivatives `of_mean` and `of_covariance` in the numbers that `joints` gives.
#[pyfunction]
pub(crate) fn joint_gradients<'py>(
    py: Python<'py>,
    model: &Model,
    rows: PyReadonlyArray2<'py, f64>,
    q: usize,
    of_mean: PyReadonlyArray1<'py, f64>,
    of_covariance: PyReadonlyArray1<'py, f64>,
) -> PyResult<Array<'py>> {
    let model = model.single()?;
    let points = settings(model, &rows, q)?;
    let (of_mean, of_covariance) = (of_mean.as_array().to_vec(), of_covariance.as_array().to_vec());
    if of_mean.len() != points.len() || of_covariance.len() != points.len() * q {
        return Err(data(format!(
            "there are {} and {} derivatives for {} rows in blocks of {q}",
            of_mean.len(),
            of_covariance.len(),
            points.len()
        )));
    }
    let posterior = model.posterior().map_err(of_library)?;
    let gradient = fit::run(py, None, || posterior.joint_gradients(&points, q, &of_mean, &of_covariance))?;
    numbers(py, gradient)
}

/// An array, of numbers only: features far from all that was learned from may overflow.
fn numbers(py: Python<'_>, values: Vec<f64>) -> PyResult<Array<'_>> {
    if values.iter().all(|x| x.is_finite()) {
        return Ok(PyArray1::from_vec(py, values));
    }
    Err(named(
        "InferenceError",
        "the posterior is no number there; give features nearer to those learned from".to_owned(),
    ))
}

/// Rows of encoded features as strangers to the model, each with an identity of its own.
fn settings(model: &rather::model::Model, rows: &PyReadonlyArray2<'_, f64>, q: usize) -> PyResult<Points> {
    let (n, dims) = (rows.shape()[0], rows.shape()[1]);
    let features = &model.encoder().features;
    if dims != features.len() {
        return Err(data(format!("the settings have {dims} features, and the model has {}", features.len())));
    }
    if q == 0 || !n.is_multiple_of(q) {
        return Err(data(format!("{n} settings are not blocks of {q}")));
    }
    let values: Vec<f64> = rows.as_array().iter().copied().collect();
    if let Some(at) = values.iter().position(|x| !x.is_finite()) {
        let (row, feature) = (at / dims, &features[at % dims].0);
        return Err(data(format!(
            "the feature {feature:?} of setting {row} (counted from 0) is {}; give a finite number",
            values[at]
        )));
    }
    let first = model.keys().len() as u64;
    Ok(model.in_context(Points::new((first..first + n as u64).collect(), dims, values)))
}
