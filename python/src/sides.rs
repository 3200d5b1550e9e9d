//! The sides of comparisons whose columns a kernel names.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use rather::context::ContextColumn;
use rather::features::{Column, ColumnValues};

use crate::distributed::rows;

/// Items in contexts: each side's item, by its row, and the values of the columns of comparisons.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Sides {
    pub(crate) sides: rather::context::Sides,
}

/// The name of a column, its values, whether both sides of a comparison share it, and whether its numbers are days since 1970-01-01.
type Given<'py> = (String, Bound<'py, PyAny>, bool, bool);

#[pymethods]
impl Sides {
    /// Sides about the items in the rows `item`, of `items`.
    #[new]
    fn new(items: usize, item: PyReadonlyArray1<'_, i64>, columns: Vec<Given<'_>>) -> PyResult<Self> {
        let items = rows(item, items)?.into_iter().map(|row| row as u32).collect();
        let columns = columns.into_iter().map(|(name, values, shared, date)| {
            Ok(ContextColumn { column: Column { name, values: column_values(&values)? }, shared, date })
        });
        let columns = columns.collect::<PyResult<_>>()?;
        Ok(Self { sides: rather::context::Sides { items, columns, ..Default::default() } })
    }

    fn __len__(&self) -> usize {
        self.sides.items.len()
    }
}

/// Numbers (an array of float64) or texts (a list of str).
pub(crate) fn column_values(values: &Bound<'_, PyAny>) -> PyResult<ColumnValues> {
    Ok(match values.extract::<PyReadonlyArray1<'_, f64>>() {
        Ok(numbers) => ColumnValues::Numeric(numbers.as_array().to_vec()),
        Err(_) => ColumnValues::Text(values.extract()?),
    })
}

/// The columns that a kernel expression names, in the order of appearance.
#[pyfunction]
pub(crate) fn named_columns(kernel: &str) -> Vec<String> {
    rather::kernel::named_columns(kernel)
}

/// Days since 1970-01-01 of a date written as `2026-01-31`, with a time after it if needed; `None` if it is none.
#[pyfunction]
pub(crate) fn days(text: &str) -> Option<f64> {
    rather_io::days(text)
}
