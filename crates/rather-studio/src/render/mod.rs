//! What turns an alternative into something to see or hear.
//!
//! A study names its renderer; which there are is the operator's affair. Rendering runs outside the server's threads, a few
//! at a time; what was rendered is kept for a while, and two listeners who want the same at once wait for one run of it.

pub mod cache;
pub mod command;
pub mod media;
#[cfg(unix)]
mod process;
pub mod setup;
pub mod suppressor;
pub mod template;

pub use media::{Format, Media};

use crate::view::MediaKind;
use rather_study::Alternative;
use std::time::Duration;

/// Turns alternatives into media. The same alternative gives the same media.
pub trait Renderer: Send + Sync + std::fmt::Debug {
    /// Whether an alternative can be rendered, without doing so.
    ///
    /// # Errors
    /// The rest of the sentence that says why not.
    fn fits(&self, alternative: &Alternative) -> Result<(), String>;

    /// What it makes, if that is known before.
    fn kind(&self) -> Option<MediaKind> {
        None
    }

    /// Renders an alternative. May take a while; never forever.
    ///
    /// # Errors
    /// If it takes too long, or fails.
    fn render(&self, alternative: &Alternative) -> Result<Media, RenderError>;
}

/// Why nothing was rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// It took too long, and was ended.
    #[error("it took longer than {} seconds", .0.as_secs_f64())]
    Late(Duration),
    /// It failed, and said this.
    #[error("{0}")]
    Failed(String),
}
