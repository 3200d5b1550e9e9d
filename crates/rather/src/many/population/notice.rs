//! What is worth knowing about a fit of many users.

use serde::{Deserialize, Serialize};

use super::Kind;
use crate::features::FeatureNotice;
use crate::many::Notice;

/// Something worth knowing about a fit that is no error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum PopulationNotice {
    /// About a feature of items.
    Items {
        /// What.
        notice: FeatureNotice,
    },
    /// About a feature of users.
    Users {
        /// What.
        notice: FeatureNotice,
    },
    /// The kind has no use for users' features.
    UnusedUserFeatures {
        /// The kind.
        kind: Kind,
    },
    /// Users' features turned out to say next to nothing.
    FeaturesWithoutEffect,
    /// About the fit.
    Fit {
        /// What.
        notice: Notice,
    },
}

impl std::fmt::Display for PopulationNotice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Items { notice } => notice.fmt(f),
            Self::Users { notice: FeatureNotice::Constant { name, value } } => {
                write!(f, "the feature \"{name}\" is {value} for every user and was left out")
            }
            Self::Users { notice: FeatureNotice::Label { name } } => {
                write!(f, "the column \"{name}\" differs for every user: it is a description, not a feature")
            }
            Self::UnusedUserFeatures { kind } => write!(
                f,
                "the {} model does not use users' features; the collaborative and the kronecker model do",
                kind.name()
            ),
            Self::FeaturesWithoutEffect => write!(
                f,
                "users' features explain almost nothing of the similarity of users; the model is as good without them"
            ),
            Self::Fit { notice } => notice.fmt(f),
        }
    }
}
