//! Likelihoods: what an answer says about the projection `z` of the utilities that it is about.
//!
//! A likelihood is one factor `t(z)`. Inference asks it for two things: the moments of `t(z) N(z | m, v)`,
//! handed over as a finished Gaussian site (expectation propagation), and its log with derivatives at a
//! point (Laplace). Each likelihood is the only place that knows its own formulas.
//!
//! One fit may hold answers of several kinds: each observation says which ([`Answer`]), and [`Likelihoods`] has the
//! likelihood of every kind at one setting of their parameters.

pub mod gaussian;
pub mod lapse;
pub mod probit;

pub use gaussian::Gaussian;
pub use lapse::Lapse;
pub use probit::Probit;

use serde::{Deserialize, Serialize};

/// What kind of answer an observation is, which says what likelihood it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// "This rather than that": two noisy utilities were compared.
    #[default]
    Duel,
    /// One of two classes: one noisy utility was compared with nought.
    Label,
}

/// The likelihoods of all kinds of answers.
///
/// Noise belongs to the item and has the standard deviation `noise` each time an item is looked at: the difference of two
/// has `s = sqrt(2) noise`, the utility behind a class label `s = noise`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likelihoods {
    /// [`Answer::Duel`].
    pub duel: Probit,
    /// [`Answer::Label`].
    pub label: Probit,
}

impl Likelihoods {
    /// The likelihoods at a noise of standard deviation `noise` an item.
    pub fn new(noise: f64) -> Self {
        Self { duel: Probit::duel(noise), label: Probit::label(noise) }
    }

    /// The likelihood of one kind of answer.
    pub fn of(&self, answer: Answer) -> &dyn Likelihood {
        match answer {
            Answer::Duel => &self.duel,
            Answer::Label => &self.label,
        }
    }
}

/// The result of matching the moments of `t(z) N(z | mean, variance)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tilted {
    /// `log of the integral of t(z) N(z | mean, variance)`.
    pub log_z: f64,
    /// The site's precision.
    pub tau: f64,
    /// The site's precision times its mean.
    pub nu: f64,
    /// The derivative of `log_z` in the log of the likelihood's noise.
    pub d_log_noise: f64,
}

/// `log t(z)` and its derivatives at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogDensity {
    /// `log t(z)`.
    pub value: f64,
    /// First derivative in `z`.
    pub first: f64,
    /// Minus the second derivative in `z`: the precision of the Laplace site.
    pub precision: f64,
    /// Third derivative in `z`.
    pub third: f64,
    /// Derivative of `value` in the log of the noise.
    pub value_d_log_noise: f64,
    /// Derivative of `first` in the log of the noise.
    pub first_d_log_noise: f64,
    /// Derivative of `precision` in the log of the noise.
    pub precision_d_log_noise: f64,
}

/// A factor `t(z)` on one projection of the utilities.
pub trait Likelihood: Send + Sync {
    /// Moments of `t(z) N(z | mean, variance)` as a site; `variance` may be 0.
    fn tilt(&self, mean: f64, variance: f64) -> Tilted;

    /// `log t(z)` with its derivatives.
    fn log_density(&self, z: f64) -> LogDensity;

    /// The probability of the answer when `z ~ N(mean, variance)`: `exp(log_z)` of [`Likelihood::tilt`].
    fn probability(&self, mean: f64, variance: f64) -> f64 {
        self.tilt(mean, variance).log_z.exp()
    }
}
