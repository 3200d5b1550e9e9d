//! What turns an alternative into something to see or hear.
//!
//! A study names its renderer; which there are is the operator's affair. Rendering runs outside the server's threads, a few
//! at a time; what was rendered is kept for a while, and two listeners who want the same at once wait for one run of it.

pub mod cache;
pub mod command;
pub mod flac;
pub mod media;
pub mod pdf;
#[cfg(unix)]
pub mod process;
pub mod setup;
pub mod suppressor;
mod svg;
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
    /// It wrote more than so many bytes, and was ended.
    #[error("it wrote more than {0} bytes")]
    TooMuch(usize),
    /// It wrote nothing, or spaces only.
    #[error("it wrote nothing")]
    Silent,
    /// It ended with an exit status other than 0.
    #[error("it ended with {status}{}", last_line(.complaints))]
    Ended {
        /// The exit status.
        status: String,
        /// The end of what it wrote to its standard error.
        complaints: String,
    },
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl RenderError {
    /// The same for people who do not run the studio: what a command says may hold paths of this machine.
    pub fn plain(&self) -> String {
        match self {
            Self::Late(_) => self.to_string(),
            Self::TooMuch(_) => "it wrote too much".to_owned(),
            Self::Silent => "it wrote nothing".to_owned(),
            Self::Ended { .. } | Self::Failed(_) => "it failed".to_owned(),
        }
    }
}

/// The last words of a program: most tell there what was wrong.
fn last_line(complaints: &str) -> String {
    const LONGEST: usize = 300;
    let last = complaints.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(String::new, |line| format!(": {}", line.chars().take(LONGEST).collect::<String>()))
}
