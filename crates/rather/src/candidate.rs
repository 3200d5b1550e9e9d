//! A kernel among others that are tried, and how it did.

use serde::{Deserialize, Serialize};

/// A kernel to fit: an expression, and whether each feature has a lengthscale of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSpec {
    /// The expression, as [`parse`](crate::kernel::parse) reads it.
    pub expression: String,
    /// A lengthscale for every feature.
    pub ard: bool,
}

/// A kernel that was tried, and its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The kernel.
    pub kernel: KernelSpec,
    /// Its log evidence.
    #[serde(with = "crate::any_float")]
    pub log_evidence: f64,
    /// What it was chosen by; of one that was out of the race without it, before the price of its hyperparameters.
    #[serde(with = "crate::any_float")]
    pub score: f64,
    /// Its weight, if predictions average over several kernels; else 0.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub weight: f64,
}

fn is_nought(x: &f64) -> bool {
    *x == 0.0
}
