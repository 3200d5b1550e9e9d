//! What features do to utilities: relevances, and partial dependence.

use numpy::PyArray1;
use pyo3::prelude::*;
use rather::explain::{FeatureValue, Relevance};

use crate::errors::of_library;
use crate::fit;
use crate::model::Model;
use crate::table::Table;

/// Feature, kernel, lengthscale and its interval, relevance and its interval.
type Row = (String, String, f64, Option<[f64; 2]>, f64, Option<[f64; 2]>);
type Array<'py> = Bound<'py, PyArray1<f64>>;

/// How quickly utilities change with each column, the quickest first.
#[pyfunction]
pub(crate) fn relevances(py: Python<'_>, model: &Model) -> PyResult<Vec<Row>> {
    let person = model.person()?;
    let row = |r: Relevance| {
        let interval = r.interval();
        (r.feature, r.kernel, r.lengthscale, r.lengthscale_interval, r.relevance, interval)
    };
    Ok(fit::run(py, None, || person.relevances())?.into_iter().map(row).collect())
}

/// A value of a feature: a number, or a category.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) enum Value {
    Number(f64),
    Category(String),
}

impl From<Value> for FeatureValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Number(x) => Self::Number(x),
            Value::Category(name) => Self::Category(name),
        }
    }
}

impl From<FeatureValue> for Value {
    fn from(value: FeatureValue) -> Self {
        match value {
            FeatureValue::Number(x) => Self::Number(x),
            FeatureValue::Category(name) => Self::Category(name),
        }
    }
}

/// The average utility of items where a feature of all of them has one of `values`, or of `number` values over its range: the name of the feature, the
/// values, means and standard deviations. Items are those of `table`, or the compared ones; evenly picked where they are more than `most`. `sizes` are
/// `number` and `most`.
#[pyfunction]
pub(crate) fn partial_dependence<'py>(
    py: Python<'py>,
    model: &Model,
    feature: &str,
    table: Option<&Table>,
    values: Vec<Value>,
    sizes: (usize, usize),
) -> PyResult<(String, Vec<Value>, Array<'py>, Array<'py>)> {
    let (number, most) = sizes;
    let person = model.person()?;
    let all = match table {
        Some(_) => model.points(table)?,
        None => model.points(None)?.select(&person.compared()),
    };
    let step = all.len().div_ceil(most.max(1)).max(1);
    let items = all.select(&(0..all.len()).step_by(step).collect::<Vec<_>>());
    let values: Vec<FeatureValue> = values.into_iter().map(Into::into).collect();
    let found = fit::run(py, None, || person.partial_dependence(feature, &items, &values, number))?;
    let found = found.map_err(of_library)?;
    let sd = found.utility.variance.iter().map(|v| v.sqrt());
    let sd = PyArray1::from_iter(py, sd);
    let values = found.values.into_iter().map(Into::into).collect();
    Ok((found.feature, values, PyArray1::from_vec(py, found.utility.mean), sd))
}
