//! The compiled part of the Python package `rather`: tables in, models out, numbers as numpy arrays.
//!
//! What users see is Python (`rather/`): this module holds what must be fast, and nothing decides anything twice. Data flows as
//! in the library: `table::Table` (items by name) and `answers::Answers` (comparisons by number) make a `model::Model`, of one person or of many users.
//! A `study::Study` is a file of its own; what it has learned is a `snapshot::Snapshot`. A `sort::Sort` is a list in such a file that judges put
//! in order.

mod answer_table;
mod answers;
mod check;
mod cluster_file;
mod columns;
mod definition;
mod distributed;
mod draws;
mod errors;
mod explain;
mod figures;
mod fit;
mod joint;
mod model;
mod population;
mod scores;
mod settings;
mod share;
mod sides;
mod snapshot;
mod sort;
mod study;
mod suggest;
mod table;
mod views;
mod whose;

use pyo3::prelude::*;

/// A fit makes matrices and drops them soon, which takes the system's allocator a tenth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The compiled part of `rather`; import `rather` instead.
#[pymodule]
fn _lib(module: &Bound<'_, PyModule>) -> PyResult<()> {
    fill(module)
}

/// Adds all classes and functions to `module`: for a compiled part that has kernels, kinds of answers or acquisition functions of one's own
/// (`examples/own_response.rs`).
///
/// # Errors
/// Those of Python.
pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::Table>()?;
    module.add_class::<answers::Answers>()?;
    module.add_class::<sides::Sides>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<distributed::Frame>()?;
    module.add_class::<distributed::Block>()?;
    module.add_class::<distributed::BlocksModel>()?;
    module.add_class::<share::Share>()?;
    module.add_function(wrap_pyfunction!(cluster_file::save_of_cluster, module)?)?;
    module.add_function(wrap_pyfunction!(cluster_file::load_of_cluster, module)?)?;
    module.add_class::<answer_table::AnswerTable>()?;
    module.add_function(wrap_pyfunction!(answer_table::answer_columns, module)?)?;
    module.add_function(wrap_pyfunction!(answer_table::number_columns, module)?)?;
    module.add_function(wrap_pyfunction!(answer_table::is_none, module)?)?;
    module.add_function(wrap_pyfunction!(answer_table::settled, module)?)?;
    module.add_function(wrap_pyfunction!(columns::roles, module)?)?;
    module.add_function(wrap_pyfunction!(columns::coded, module)?)?;
    module.add_function(wrap_pyfunction!(columns::side_in_words, module)?)?;
    module.add_function(wrap_pyfunction!(scores::scores, module)?)?;
    module.add_function(wrap_pyfunction!(scores::user_scores, module)?)?;
    module.add_function(wrap_pyfunction!(scores::standings, module)?)?;
    module.add_function(wrap_pyfunction!(share::expected_user, module)?)?;
    module.add_function(wrap_pyfunction!(suggest::acquisitions, module)?)?;
    module.add_function(wrap_pyfunction!(sides::named_columns, module)?)?;
    module.add_function(wrap_pyfunction!(sides::days, module)?)?;
    module.add_class::<study::Study>()?;
    module.add_class::<snapshot::Snapshot>()?;
    module.add_class::<sort::Sort>()?;
    module.add_function(wrap_pyfunction!(sort::answer_in_words, module)?)?;
    module.add_function(wrap_pyfunction!(figures::draw_ranking, module)?)?;
    module.add_function(wrap_pyfunction!(figures::draw_utility, module)?)?;
    module.add_function(wrap_pyfunction!(figures::draw_map, module)?)?;
    module.add_function(wrap_pyfunction!(figures::figure_data, module)?)?;
    module.add_function(wrap_pyfunction!(figures::png, module)?)?;
    module.add_function(wrap_pyfunction!(explain::relevances, module)?)?;
    module.add_function(wrap_pyfunction!(explain::partial_dependence, module)?)?;
    module.add_function(wrap_pyfunction!(joint::encoding, module)?)?;
    module.add_function(wrap_pyfunction!(joint::compared_rows, module)?)?;
    module.add_function(wrap_pyfunction!(joint::joints, module)?)?;
    module.add_function(wrap_pyfunction!(joint::joint_gradients, module)?)?;
    Ok(())
}
