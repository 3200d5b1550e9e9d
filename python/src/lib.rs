//! The compiled part of the Python package `rather`: tables in, models out, numbers as numpy arrays.
//!
//! What users see is Python (`rather/`): this module holds what must be fast, and nothing decides anything twice. Data flows as
//! in the library: [`table::Table`] (items by name) and [`answers::Answers`] (comparisons by number) make a [`model::Model`].

mod answers;
mod distributed;
mod errors;
mod fit;
mod model;
mod population;
mod settings;
mod share;
mod suggest;
mod table;
mod told;

use pyo3::prelude::*;

/// The compiled part of `rather`; import `rather` instead.
#[pymodule]
fn _lib(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::Table>()?;
    module.add_class::<answers::Answers>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<distributed::Frame>()?;
    module.add_class::<distributed::Block>()?;
    module.add_class::<distributed::BlocksModel>()?;
    module.add_class::<share::Share>()?;
    module.add_class::<population::Population>()?;
    module.add_class::<population::Person>()?;
    module.add_class::<told::Told>()?;
    module.add_function(wrap_pyfunction!(told::settled, module)?)?;
    Ok(())
}
