//! What the columns of a table of answers mean, and what is written in them.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use rather_io::Coded;

/// The roles of columns that are called by another usual name, and which column has each.
#[pyfunction]
pub(crate) fn roles(header: Vec<String>) -> Vec<(&'static str, usize)> {
    rather_io::roles(&header)
}

/// Outcomes that a column has as numbers: 2 for the left item, -2 for the right one, 0 for a tie; or probabilities that the left one is preferred.
/// Neither if no coding has all of them.
#[pyfunction]
pub(crate) fn coded(numbers: PyReadonlyArray1<'_, f64>) -> (Option<Vec<i8>>, Option<Vec<f64>>) {
    match rather_io::coded(&numbers.as_array().to_vec()) {
        Some(Coded::Outcomes(outcomes)) => (Some(outcomes), None),
        Some(Coded::Probabilities(probabilities)) => (None, Some(probabilities)),
        None => (None, None),
    }
}

/// What words that may be names of items say of two sides (`model_a`, `[[A>>B]]`): from 4, very much the left one, to -4; `None` if nothing.
#[pyfunction]
pub(crate) fn side_in_words(text: &str) -> Option<i8> {
    rather_io::side_in_words(text)
}
