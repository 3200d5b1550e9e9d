//! Items by name with their features, or users.

use std::collections::HashSet;

use numpy::PyArray1;
use pyo3::prelude::*;
use rather::features::{Column, ColumnValues};
use rather::model::Items;

use crate::errors::data;
use crate::sides::column_values;

/// Numbers beyond this have no square.
const LARGEST: f64 = 1e150;

/// Items: their names, each once, and their features, numbers or categories.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Table {
    pub(crate) items: Items,
    /// Whether the names were whole numbers.
    pub(crate) integers: bool,
    /// The rows of a model's own items, if it is of them.
    pub(crate) known: Option<Vec<usize>>,
}

#[pymethods]
impl Table {
    /// A table of `names` with `columns`, pairs of a name and an array of float64 or a list of str; `integers` says whether the names
    /// were whole numbers before they were text.
    #[new]
    #[pyo3(signature = (names, columns, integers=false))]
    fn new(names: Vec<String>, columns: Vec<(String, Bound<'_, PyAny>)>, integers: bool) -> PyResult<Self> {
        let columns =
            columns.into_iter().map(|(name, values)| Ok(Column { name, values: column_values(&values)? }));
        let columns = columns.collect::<PyResult<_>>()?;
        Self::checked(Items { keys: names, columns }, integers)
    }

    /// The items in these rows of the model that is asked.
    #[staticmethod]
    fn of_known(rows: Vec<usize>) -> Self {
        Self { items: Items { keys: Vec::new(), columns: Vec::new() }, integers: false, known: Some(rows) }
    }

    /// The same items called otherwise.
    fn renamed(&self, names: Vec<String>) -> PyResult<Self> {
        Self::checked(Items { keys: names, columns: self.items.columns.clone() }, false)
    }

    /// The names.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.items.keys.clone()
    }

    /// Whether the names were whole numbers.
    #[getter]
    fn integers(&self) -> bool {
        self.integers
    }

    /// The names of the features.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.items.columns.iter().map(|c| c.name.clone()).collect()
    }

    /// The columns, as the constructor takes them.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let column = |column: &Column| {
            let values = match &column.values {
                ColumnValues::Numeric(numbers) => PyArray1::from_slice(py, numbers).into_any(),
                ColumnValues::Text(texts) => texts.into_pyobject(py)?,
            };
            Ok((column.name.clone(), values))
        };
        self.items.columns.iter().map(column).collect()
    }

    fn __len__(&self) -> usize {
        self.known.as_ref().map_or(self.items.keys.len(), Vec::len)
    }
}

impl Table {
    /// What the library takes for granted: names once, columns as long as names, numbers finite.
    fn checked(items: Items, integers: bool) -> PyResult<Self> {
        let mut seen = HashSet::new();
        if let Some(name) = items.keys.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(data(format!("the item {name:?} appears twice; every item needs a name of its own")));
        }
        for Column { name, values } in &items.columns {
            if values.len() != items.keys.len() {
                let (found, items) = (values.len(), items.keys.len());
                return Err(data(format!("the feature {name:?} has {found} values for {items} items")));
            }
            if let ColumnValues::Numeric(numbers) = values {
                check_numbers(name, numbers, &items.keys)?;
            }
        }
        Ok(Self { items, integers, known: None })
    }
}

fn check_numbers(name: &str, numbers: &[f64], keys: &[String]) -> PyResult<()> {
    let Some(row) = numbers.iter().position(|x| x.is_nan() || x.abs() > LARGEST) else { return Ok(()) };
    let remedy = if numbers[row].is_finite() {
        "give the column in a larger unit, with values up to 1e150"
    } else {
        "fill it in, or leave out the item or the column"
    };
    // The words "NaN" and "inf" as Python has them.
    let value = match numbers[row] {
        x if x.is_nan() => "NaN".to_owned(),
        // Not all its digits, which may be three hundred.
        x => format!("{x:e}"),
    };
    Err(data(format!("the feature {name:?} of item {:?} (row {row}) is {value}; {remedy}", keys[row])))
}
