//! Model files of every version that was ever written are read, and predict what they predicted.

#[path = "../fixtures/predictions.rs"]
mod predictions;

use rather_io::load_saved;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The kinds of models: those of one person, then those of many.
const KINDS: [&str; 19] = [
    "ep",
    "pairs",
    "laplace",
    "exact",
    "streaming",
    "sparse",
    "low-rank",
    "grades",
    "ratings",
    "values",
    "numbered",
    "lapse-bias",
    "user-noise",
    "logistic",
    "collaborative",
    "hierarchical",
    "kronecker",
    "per-user",
    "consensus",
];

/// Rounding differs between processors and compilers; posteriors of these small models are well conditioned.
const TOLERANCE: f64 = 1e-7;

fn fixture(version: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(version).join(name)
}

/// Where two JSON values differ by more than rounding.
fn difference(found: &Value, expected: &Value, place: &str) -> Option<String> {
    match (found, expected) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| difference(a, b, &format!("{place}[{i}]")))
        }
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => b.iter().find_map(|(key, b)| {
            difference(a.get(key).unwrap_or(&Value::Null), b, &format!("{place}.{key}"))
        }),
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            ((a - b).abs() > TOLERANCE * (1.0 + b.abs())).then(|| format!("{place}: {a} instead of {b}"))
        }
        (a, b) => (a != b).then(|| format!("{place}: {a} instead of {b}")),
    }
}

fn check(version: &str, more: &[&str]) {
    for kind in KINDS.iter().chain(more) {
        let path = fixture(version, &format!("{kind}.rather"));
        let saved = load_saved(&path).unwrap_or_else(|error| panic!("{error}"));
        let expected = std::fs::read_to_string(path.with_extension("json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(difference(&predictions::predictions(&saved), &expected, kind), None, "{version}");
    }
}

#[test]
fn models_of_version_1_predict_as_they_did() {
    check("v1", &[]);
}

/// Version 2 has models of labels alone, which version 1 could not read again.
#[test]
fn models_of_version_2_predict_as_they_did() {
    check("v2", &["labels"]);
}
