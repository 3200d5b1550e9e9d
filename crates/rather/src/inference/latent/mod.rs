//! Utilities as linear functions of latent Gaussian variables: weights of columns, effects of items and levels, states of processes in time.
//!
//! A kernel whose terms are all of that sort (`Kernel::latent`) gives a comparison the value $z=a^\top x$ with few entries in $a$ and a prior of
//! $x$ with a sparse precision: diagonal for effects and weights, block tridiagonal for states in time. A site adds $\tau aa^\top$. The posterior is
//! exact where the precision's factor is small enough ([`joint`]); else each item is smoothed by itself and comparisons exchange messages
//! ([`chains`]).
//!
//! # References
//! Rue and Held, *Gaussian Markov random fields* (2005); Maystre, Kristof and Grossglauser, *Pairwise comparisons with flexible time-dynamics* (2019).

pub mod chains;
pub mod joint;
pub mod layout;
mod small;
mod steps;

pub use chains::{Chains, ChainsPrior, Messages};
pub use joint::{Joint, JointPrior};
