//! Which model of many users, and how to fit it.

use serde::{Deserialize, Serialize};

use crate::learn::choice::KernelChoice;
use crate::likelihood::ResponseModel;

/// The models of many users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Every user alone ([`super::PerUser`]).
    PerUser,
    /// One function of user and item ([`super::Kronecker`]).
    Kronecker,
    /// One prior for all, learned from all ([`super::Hierarchical`]).
    Hierarchical,
    /// Weighted sums of a few latent functions ([`super::Collaborative`]).
    Collaborative,
    /// Pooled: one utility for all users ([`super::Pooled`]).
    #[serde(rename = "pooled", alias = "consensus")]
    Pooled,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Collaborative, Self::Hierarchical, Self::Kronecker, Self::PerUser, Self::Pooled];

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::PerUser => "per-user",
            Self::Kronecker => "kronecker",
            Self::Hierarchical => "hierarchical",
            Self::Collaborative => "collaborative",
            Self::Pooled => "pooled",
        }
    }

    /// What its [log evidence](super::UserModel::log_evidence) is: only evidences of the same name may be compared.
    pub fn evidence_name(self) -> &'static str {
        match self {
            Self::PerUser | Self::Kronecker | Self::Pooled => "log evidence",
            Self::Hierarchical => "log evidence under the learned prior",
            Self::Collaborative => "approximate lower bound of the log evidence",
        }
    }

    /// Whether it has a use for users' features.
    pub fn uses_user_features(self) -> bool {
        matches!(self, Self::Kronecker | Self::Collaborative)
    }
}

/// How to fit a [`super::Population`].
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationSettings {
    /// Which model.
    pub kind: Kind,
    /// Which kernel over items.
    pub kernel: KernelChoice,
    /// Hyperparameters of the item kernel that are not learned, in the units of the table.
    pub fixed: Vec<(String, f64)>,
    /// How people answer.
    pub response_model: ResponseModel,
    /// Weak priors on the hyperparameters.
    pub priors: bool,
    /// Use items' numbers as they are, not standardised.
    pub raw_features: bool,
    /// The largest number of latent functions of a collaborative model.
    pub functions: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Bytes that the fit may take.
    pub memory: u64,
}

impl PopulationSettings {
    /// The usual choices for a kind: kernels by evidence, weak priors, up to 20 latent functions.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            kernel: KernelChoice::Auto { ard: false },
            fixed: Vec::new(),
            response_model: ResponseModel::default(),
            priors: true,
            raw_features: false,
            functions: 20,
            seed: 0,
            memory: crate::representation::MEMORY,
        }
    }
}
