//! How the posterior is found, each way with its own settings.

use serde::{Deserialize, Serialize};

use super::StreamingSettings;
use crate::exact::ExactSettings;
use crate::inducing::Inducing;
use crate::inference::prior::Space;
use crate::inference::{Method, Settings};
use crate::representation::Representation;

/// How the posterior is found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Inference {
    /// Expectation propagation.
    Ep(Ep),
    /// Laplace's approximation.
    Laplace(Laplace),
    /// Hyperparameters by expectation propagation, the posterior by sampling.
    Exact(Exact),
    /// One pass over the answers, in the order of their table.
    Streaming(StreamingSettings),
}

/// Settings of expectation propagation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ep {
    /// How the prior is represented.
    pub representation: Representation,
    /// Which items are inducing points, where it is of low rank.
    pub inducing: Inducing,
    /// Over what the full covariance is; the cheaper space if `None`.
    pub space: Option<Space>,
    /// Whether pairs have random effects, if the response model does not say that they have.
    pub pair_effect: PairEffect,
    /// Whether predictions average over the posterior of the hyperparameters.
    pub integration: Integration,
    /// When it has converged.
    pub convergence: Settings,
}

/// Settings of Laplace's approximation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Laplace {
    /// Over what the covariance is; the cheaper space if `None`.
    pub space: Option<Space>,
    /// Whether predictions average over the posterior of the hyperparameters.
    pub integration: Integration,
    /// When it has converged.
    pub convergence: Settings,
}

/// Settings of exact inference.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exact {
    /// How it samples.
    pub sampling: ExactSettings,
    /// Over what the covariance is; the cheaper space if `None`.
    pub space: Option<Space>,
    /// When expectation propagation, which learns the hyperparameters, has converged.
    pub convergence: Settings,
}

/// Whether predictions average over the posterior of the hyperparameters, where they are known badly:
/// where answers are few.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Integration {
    /// Up to 700 items, with the full covariance.
    #[default]
    Auto,
    /// With any number of items; [`Unsupported::FullCovariance`](crate::Unsupported::FullCovariance) without the full covariance.
    Always,
    /// No: they are those of the maximum of evidence times prior (type II maximum a posteriori).
    Off,
}

/// Whether all answers about one pair share a random effect ([`ResponseModel::pair_effect`](crate::likelihood::ResponseModel::pair_effect)):
/// whether repeated answers agree more than independent noise has them agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairEffect {
    /// If the evidence is clearly higher with it, where pairs are compared repeatedly.
    #[default]
    Auto,
    /// They have none.
    Off,
}

impl Default for Inference {
    fn default() -> Self {
        Self::Ep(Ep::default())
    }
}

impl From<Method> for Inference {
    /// With the default settings.
    fn from(method: Method) -> Self {
        match method {
            Method::Ep => Self::Ep(Ep::default()),
            Method::Laplace => Self::Laplace(Laplace::default()),
            Method::Exact => Self::Exact(Exact::default()),
            Method::Streaming => Self::Streaming(StreamingSettings::default()),
        }
    }
}

impl Inference {
    /// Its name.
    pub fn method(&self) -> Method {
        match self {
            Self::Ep(_) => Method::Ep,
            Self::Laplace(_) => Method::Laplace,
            Self::Exact(_) => Method::Exact,
            Self::Streaming(_) => Method::Streaming,
        }
    }

    /// When inference at a setting of the hyperparameters has converged.
    pub fn convergence(&self) -> Settings {
        match self {
            Self::Ep(ep) => ep.convergence,
            Self::Laplace(laplace) => laplace.convergence,
            Self::Exact(exact) => exact.convergence,
            Self::Streaming(_) => Settings::default(),
        }
    }

    /// Over what the full covariance is, if that is asked for.
    pub(super) fn space(&self) -> Option<Space> {
        match self {
            Self::Ep(ep) => ep.space,
            Self::Laplace(laplace) => laplace.space,
            Self::Exact(exact) => exact.space,
            Self::Streaming(_) => None,
        }
    }

    /// How the prior is to be represented.
    pub(super) fn representation(&self) -> Representation {
        match self {
            Self::Ep(ep) => ep.representation,
            _ => Representation::Auto,
        }
    }

    /// Whether predictions average over the posterior of the hyperparameters.
    pub(super) fn integration(&self) -> Integration {
        match self {
            Self::Ep(ep) => ep.integration,
            Self::Laplace(laplace) => laplace.integration,
            Self::Exact(_) | Self::Streaming(_) => Integration::Off,
        }
    }
}
