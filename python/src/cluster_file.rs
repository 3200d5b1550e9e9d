//! Files of models that a cluster learned: those of other models, with arrays and a header that Python makes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use rather_io::model::OF_CLUSTER;
use rather_io::{ModelFile, Tensor, model_file};

use crate::errors::{named, of_file};
use crate::fit;

/// Arrays by name, of one axis.
type Floats<'py> = BTreeMap<String, Bound<'py, PyArray1<f64>>>;
type Whole<'py> = BTreeMap<String, Bound<'py, PyArray1<u64>>>;

/// Writes `header`, which is JSON, and arrays to a file.
#[pyfunction]
pub(crate) fn save_of_cluster(
    py: Python<'_>,
    path: PathBuf,
    header: &str,
    floats: BTreeMap<String, PyReadonlyArray1<'_, f64>>,
    whole: BTreeMap<String, PyReadonlyArray1<'_, u64>>,
) -> PyResult<()> {
    let header: serde_json::Value = serde_json::from_str(header).map_err(|error| {
        named("ModelFileError", format!("the model cannot be written to {}: {error}", path.display()))
    })?;
    let floats = floats.into_iter().map(|(name, array)| {
        let data = array.as_array().to_vec();
        (name, Tensor::F64 { shape: vec![data.len()], data })
    });
    let whole = whole.into_iter().map(|(name, array)| {
        let data = array.as_array().to_vec();
        (name, Tensor::U64 { shape: vec![data.len()], data })
    });
    let tensors = floats.chain(whole).collect();
    let file = ModelFile { header: serde_json::json!({ OF_CLUSTER: header }), tensors };
    fit::brief(py, || model_file::write(&path, &file))?.map_err(of_file)
}

/// The header and the arrays of such a file.
#[pyfunction]
pub(crate) fn load_of_cluster(py: Python<'_>, path: PathBuf) -> PyResult<(String, Floats<'_>, Whole<'_>)> {
    let ModelFile { mut header, tensors } = fit::brief(py, || model_file::read(&path))?.map_err(of_file)?;
    let Some(header) = header.get_mut(OF_CLUSTER).map(serde_json::Value::take) else {
        let sentence = format!(
            "{} is no model of a cluster; load it by PreferenceGP.load or PopulationGP.load",
            path.display()
        );
        return Err(named("ModelFileError", sentence));
    };
    let (mut floats, mut whole) = (BTreeMap::new(), BTreeMap::new());
    for (name, tensor) in tensors {
        match tensor {
            Tensor::F64 { data, .. } => drop(floats.insert(name, PyArray1::from_vec(py, data))),
            Tensor::U64 { data, .. } => drop(whole.insert(name, PyArray1::from_vec(py, data))),
        }
    }
    Ok((header.to_string(), floats, whole))
}
