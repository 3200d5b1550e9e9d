//! Why there is no board.

/// An error of a board. Its message is one sentence that says what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What was asked for does not suit the votes.
    #[error("{0}")]
    Asked(String),
    /// Nothing can be said of the votes.
    #[error("{0}")]
    Unreliable(String),
    /// A table or a saved board could not be read.
    #[error(transparent)]
    File(#[from] rather_io::Error),
    /// The model could not be learned.
    #[error(transparent)]
    Learning(#[from] rather::Error),
}
