//! The exact posterior, by sampling: the ruler for every approximation.
//!
//! Behind the comparisons, also those that an answer about a set is made of, stand noisy differences `y ~ N(0, S)`, of which the data say that all are positive
//! ([`differences`]). Given them the utilities are Gaussian, so the exact posterior is a mixture of Gaussians over draws
//! of `y` from a normal distribution cut to the positive orthant, and the evidence is the probability of that orthant:
//!
//! ```text
//! comparisons -> y ~ N(0, S) -> draws of y > 0 (minimax tilting | Gibbs | slices) -> mixture of Gaussians -> prediction
//!                          '--> P(y > 0) by quasi-Monte Carlo ----------------------> evidence
//! ```
//!
//! Other answers (ties, grades, ratings, values, labels; lapses, bias, outliers) have no such differences: there the weights of the prior's
//! features themselves are drawn, by elliptical slice sampling around the Gaussian of expectation propagation. They need nothing but the
//! answers' log density, or, of answers about sets, their noisy utilities, which are drawn in turn with the weights.

#[doc(hidden)]
pub mod chains;
#[doc(hidden)]
pub mod diagnostics;
#[doc(hidden)]
pub mod differences;
#[doc(hidden)]
pub mod ep_slice;
#[doc(hidden)]
pub mod gibbs;
mod given_a_draw;
#[doc(hidden)]
pub mod liness;
mod matched;
#[doc(hidden)]
pub mod minimax;
mod noisy_set;
mod noisy_sets;
#[doc(hidden)]
pub mod ordering;
#[doc(hidden)]
pub mod orthant;
#[doc(hidden)]
pub mod posterior;
#[doc(hidden)]
pub mod report;
mod responses;
#[doc(hidden)]
pub mod sampling;
#[doc(hidden)]
pub mod settings;
#[doc(hidden)]
pub mod tilting;
#[doc(hidden)]
pub mod truncated;
mod utilities;
mod weights;

#[doc(hidden)]
pub use orthant::{LogProbability, Quadrature};
pub use posterior::ExactPosterior;
pub use report::{ExactFit, Report};
pub use settings::{ExactSettings, Sampler};
pub(crate) use utilities::UtilityDraws;
