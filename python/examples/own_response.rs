//! A compiled part of `rather` with kinds of answers of one's own: how often an item was taken, in the column `taken` beside `item`; and how many more
//! points one of two items has, in the column `points` beside `left` and `right`, for which studies ask.
//!
//! `cargo build --example own_response` makes a library of it. As the module `rather._lib`, in place of the one that is there, it makes
//! everything of the package take such answers:
//!
//! ```python
//! import importlib.machinery, importlib.util, sys
//! loader = importlib.machinery.ExtensionFileLoader("own_response", "target/debug/examples/libown_response.so")
//! sys.modules["rather._lib"] = module = importlib.util.module_from_spec(importlib.util.spec_from_loader("own_response", loader))
//! loader.exec_module(module)
//! import rather
//! rather.PreferenceGP("white").fit(None, {"item": ["tea", "wine"], "taken": [9, 2]})
//! ```

// Nothing of the library or of the package is changed for it.
#[path = "../../crates/rather-io/tests/it/own_response/points.rs"]
mod points;
#[path = "../../crates/rather-io/tests/it/own_response/times.rs"]
mod times;

use points::Points;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rather::likelihood::{Response, register};
use times::Times;

/// The compiled part of the package, with the kinds of answers above.
#[pymodule]
fn own_response(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for kind in [&Times as &'static dyn Response, &Points] {
        register(kind).map_err(|error| PyValueError::new_err(error.to_string()))?;
    }
    _lib::fill(module)
}
