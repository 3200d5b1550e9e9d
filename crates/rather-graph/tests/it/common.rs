//! What the tests share: the reference's figures, and small inputs.

use rather::kernel::{Kernel, Schema, parse};
use rather::points::Points;
use rather_numerics::linalg::Matrix;
use serde_json::Value;

/// The figures of an independent reference, which lie with the library's (`crates/rather/tests/oracle/`).
pub(crate) fn golden() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../rather/tests/oracle/factor-graph-golden.json");
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The reference's figures have 12 digits after the point.
pub(crate) const GOLDEN: f64 = 1e-9;

pub(crate) fn vector(json: &Value) -> Vec<f64> {
    json.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

pub(crate) fn matrix(json: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = json.as_array().unwrap().iter().map(vector).collect();
    Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// The tolerance is relative to the largest entry.
pub(crate) fn near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1e-300, |a: f64, b| a.max(b.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * size, "{what}: {found:?} where {expected:?} is right");
    }
}

pub(crate) fn line(x: &[f64]) -> Points {
    Points::new((0..x.len() as u64).collect(), 1, x.to_vec())
}

/// The squared exponential of one number.
pub(crate) fn se(variance: f64, lengthscale: f64) -> Kernel {
    let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
    let mut kernel = parse("se", &schema, false).unwrap();
    kernel.set_parameters(&[variance, lengthscale]).unwrap();
    kernel
}
