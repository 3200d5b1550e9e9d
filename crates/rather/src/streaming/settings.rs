//! How a streaming model listens, forgets and learns.

use serde::{Deserialize, Serialize};

use super::basis::JITTER;
use super::forgetting::Forgetting;
use crate::Error;

/// Settings of a [`StreamingModel`](super::StreamingModel).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Standard deviation of one item's noise; a comparison has $s=\sqrt2$ of it, a label $s$ of it.
    pub noise: f64,
    /// Share of answers given at random, from 0 to below 1.
    pub lapse: f64,
    /// How older answers lose their effect.
    #[serde(rename = "drift")]
    pub forgetting: Forgetting,
    /// Number of answers that are kept: they can be revisited ([`refine`](super::StreamingModel::refine)) and learned from.
    /// An older one keeps its effect and can no longer change. One about a set takes the room of as many as it has pairs.
    pub memory: usize,
    /// What is added to the diagonal of the basis' covariance, relative to its mean.
    pub jitter: f64,
    /// Whether and how hyperparameters are learned.
    pub learning: Option<Learning>,
    /// Whether and how the basis changes.
    pub adaptation: Option<Adaptation>,
}

impl Default for Settings {
    /// The scale of the thesis, $\sqrt2\sigma_\epsilon=1$; nothing is forgotten; 256 answers kept; nothing else learned.
    fn default() -> Self {
        Self {
            noise: std::f64::consts::FRAC_1_SQRT_2,
            lapse: 0.0,
            forgetting: Forgetting::Never,
            memory: 256,
            jitter: JITTER,
            learning: None,
            adaptation: None,
        }
    }
}

/// How hyperparameters are learned while answers come in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// After every so many answers the kernel's parameters climb the evidence of the answers kept.
    pub every: usize,
    /// By at most so many steps, each of which revisits the answers kept a few times.
    pub steps: usize,
    /// Each parameter has a log-normal prior around its first value, with this standard deviation of the logarithm.
    pub prior_sd: f64,
}

impl Default for Learning {
    fn default() -> Self {
        Self { every: 10, steps: 3, prior_sd: 1.0 }
    }
}

/// How the basis follows the items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Adaptation {
    /// The largest number of basis points.
    pub budget: usize,
    /// An item becomes a basis point if the basis leaves open more than this share of the variance of an answer about it.
    pub add_above: f64,
    /// A point is dropped if the belief without it differs by less than this many nats.
    pub drop_below: f64,
}

impl Default for Adaptation {
    fn default() -> Self {
        Self { budget: 48, add_above: 0.02, drop_below: 1e-3 }
    }
}

/// Room for more is not set aside: a state may come from a stranger.
const LARGEST_MEMORY: usize = 1_000_000;

impl Settings {
    /// Checks all values.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<(), Error> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        require("noise", self.noise, positive(self.noise), "it must be positive and finite")?;
        let lapse = (0.0..1.0).contains(&self.lapse);
        require("lapse", self.lapse, lapse, "it must be at least 0 and below 1")?;
        let memory = self.memory as f64;
        require("memory", memory, self.memory <= LARGEST_MEMORY, "at most a million answers can be kept")?;
        let jitter = self.jitter >= 0.0 && self.jitter < 0.1;
        require("jitter", self.jitter, jitter, "it must be at least 0 and below 0.1")?;
        self.forgetting.check()?;
        if let Some(learning) = self.learning {
            let sd = learning.prior_sd;
            require("prior_sd", sd, positive(sd), "it must be positive and finite")?;
            require(
                "every",
                0.0,
                learning.every > 0,
                "learning must have at least one answer between two steps",
            )?;
        }
        if let Some(adaptation) = self.adaptation {
            require("budget", 0.0, adaptation.budget > 0, "the basis must be allowed at least one point")?;
            let add = adaptation.add_above;
            require("add_above", add, positive(add) && add <= 1.0, "it is a share, above 0 and at most 1")?;
            let drop = adaptation.drop_below;
            require(
                "drop_below",
                drop,
                drop >= 0.0 && drop.is_finite(),
                "it must be a number, not negative",
            )?;
        }
        Ok(())
    }
}

fn require(name: &str, value: f64, good: bool, requirement: &'static str) -> Result<(), Error> {
    if good { Ok(()) } else { Err(Error::Parameter { name: name.into(), value, requirement }) }
}
