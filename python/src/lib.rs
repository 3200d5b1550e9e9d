//! The compiled part of the Python package `rather`: tables in, models out, numbers as numpy arrays.
//!
//! What users see is Python (`rather/`): this module holds what must be fast, and nothing decides anything twice. Data flows as
//! in the library: [`table::Table`] (items by name) and [`answers::Answers`] (comparisons by number) make a [`model::Model`].

mod answers;
mod errors;
mod fit;
mod joint;
mod model;
mod settings;
mod suggest;
mod table;

use pyo3::prelude::*;

/// The compiled part of `rather`; import `rather` instead.
#[pymodule]
fn _lib(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::Table>()?;
    module.add_class::<answers::Answers>()?;
    module.add_class::<model::Model>()?;
    module.add_function(wrap_pyfunction!(joint::encoding, module)?)?;
    module.add_function(wrap_pyfunction!(joint::compared_rows, module)?)?;
    module.add_function(wrap_pyfunction!(joint::joints, module)?)?;
    module.add_function(wrap_pyfunction!(joint::joint_gradients, module)?)?;
    Ok(())
}
