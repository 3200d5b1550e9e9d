//! Choices of the collaborative model.

use super::published::PublishedScheme;
use crate::likelihood::Values;

/// How the weights of one user depend on each other in the approximate posterior.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weights {
    /// [`Weights::Joint`] without user features, else [`Weights::PerFunction`].
    #[default]
    Auto,
    /// `q(W) = prod_d N(w_d)`: independent over latent functions, jointly Gaussian over users. Any prior over users.
    PerFunction,
    /// `q(W)` jointly Gaussian over functions and users: tighter, and converges in fewer, dearer cycles. Without user
    /// features only.
    Joint,
}

/// In which form inference runs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Scheme {
    /// Structured variational Bayes over item utilities with EP for the answers: same fixpoints as the published
    /// scheme, and converges to them.
    #[default]
    Merged,
    /// As published by Houlsby et al. (2012): fully factorised over pair values, damping that anneals.
    Published(PublishedScheme),
}

/// Choices of the collaborative model.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Number of latent functions; those that the answers do not support are pruned.
    pub functions: usize,
    /// How the weights of one user depend on each other.
    pub weights: Weights,
    /// In which form inference runs.
    pub scheme: Scheme,
    /// Number of random starts; the one with the largest evidence is kept.
    pub starts: usize,
    /// Seed of the starts.
    pub seed: u64,
    /// Share of a step of the answers' sites that is taken, up to 0.8; constant, so that convergence is not faked.
    pub damping: f64,
    /// Sweeps over the latent functions between two updates of the answers' sites. At least 3: with fewer, cavities
    /// turn negative. Weights are updated in each of them, joint weights of many users but once.
    pub inner_sweeps: usize,
    /// The undamped change, in marginal standard deviations (root mean square over the answers), that counts as none.
    pub tolerance: f64,
    /// Largest number of cycles.
    pub cycles: usize,
    /// The noise of an item (a difference has `s = sqrt(2) noise`; the default is `s = 1`, as in the paper), and the other parameters of the
    /// likelihoods.
    pub values: Values,
    /// What the posterior variances of the users in the fit are multiplied by (variance inflation): variational posteriors, factorised over
    /// functions and weights as this one, are too narrow.
    pub inflation: f64,
    /// What those of newcomers are multiplied by.
    pub newcomer_inflation: f64,
    /// Inducing users (positions), for user kernels over many users.
    pub inducing_users: Option<Vec<usize>>,
    /// Inducing items (positions), for many items.
    pub inducing_items: Option<Vec<usize>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            functions: 20,
            weights: Weights::default(),
            scheme: Scheme::default(),
            starts: 1,
            seed: 0,
            damping: 0.6,
            inner_sweeps: 3,
            tolerance: 5e-4,
            cycles: 500,
            values: std::f64::consts::FRAC_1_SQRT_2.into(),
            inflation: 1.0,
            newcomer_inflation: 1.0,
            inducing_users: None,
            inducing_items: None,
        }
    }
}
