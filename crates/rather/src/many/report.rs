//! How a fit of a model of many users went.

use serde::{Deserialize, Serialize};

use crate::inference::Status;

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Log evidence (log marginal likelihood, or the approximation's bound on it), in nats.
    #[serde(with = "crate::any_float")]
    pub log_evidence: f64,
    /// How the run ended.
    pub status: Status,
    /// The undamped change left: moments against tilted moments, in marginal standard deviations.
    #[serde(with = "crate::any_float")]
    pub residual: f64,
    /// Sweeps, cycles or EM iterations used.
    pub cycles: usize,
    /// Updates that were left out because an answer's cavity would have had a negative precision, over the whole
    /// run. If the last cycles have any, evidence and gradient are not exact.
    pub skipped: usize,
    /// The log evidence of every start, in the order of their seeds.
    #[serde(with = "crate::any_float::list")]
    pub starts: Vec<f64>,
    /// What is worth knowing.
    pub notices: Vec<Notice>,
}

/// Something worth knowing about a fit of many users that is no error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    /// Some users said nothing: they are predicted as newcomers.
    Silent {
        /// How many.
        users: usize,
    },
    /// The product of weights and utilities fell to zero: too few answers for this model.
    Collapsed,
    /// The run ended before its tolerance.
    NotConverged {
        /// The change left.
        #[serde(with = "crate::any_float")]
        residual: f64,
        /// Cycles used.
        cycles: usize,
    },
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Silent { users: 1 } => write!(f, "1 user gave no answer and is predicted as a newcomer"),
            Self::Silent { users } => {
                write!(f, "{users} users gave no answer and are predicted as newcomers")
            }
            Self::Collapsed => write!(
                f,
                "the answers are too few for the collaborative model, which found nothing in them; \
                 take the per-user or the hierarchical one"
            ),
            Self::NotConverged { residual, cycles } => write!(
                f,
                "inference stopped after {cycles} cycles with a change of {residual:.1e} left; allow more cycles"
            ),
        }
    }
}
