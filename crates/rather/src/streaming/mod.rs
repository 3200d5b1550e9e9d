//! Learning from one answer at a time, in time and memory that do not grow.
//!
//! A [`StreamingModel`] holds a Gaussian belief about a utility's values at the points of a [`Basis`]. It hears comparisons,
//! class labels, measured values and whatever else a model of answers has, choices of several and rankings among it; forgets older answers ([`Forgetting`]); allows for answers given at
//! random (`lapse`); revisits what it keeps ([`StreamingModel::refine`]); learns its hyperparameters ([`Learning`]) and moves
//! its basis ([`Adaptation`]); can be saved and taken up again ([`State`]); and gives its belief to everything that asks a
//! posterior ([`StreamingModel::posterior`]).
//!
//! The crate `rather-graph` has the same model as messages on a factor graph.

mod adapt;
mod answers;
mod basis;
mod belief;
mod evidence;
mod forgetting;
mod learn;
mod model;
mod posterior;
mod predict;
mod rebase;
mod refine;
mod sets;
mod settings;
mod smooth;
mod state;

pub use basis::Basis;
#[doc(hidden)]
pub use basis::JITTER;
pub use forgetting::Forgetting;
#[doc(hidden)]
pub use learn::LearningStep;
pub use model::{Answered, StreamingModel};
#[doc(hidden)]
pub use posterior::StreamedPosterior;
#[doc(hidden)]
pub use refine::Refined;
pub use settings::{Adaptation, Learning, Settings};
pub use state::State;
