//! Why the studio could not start, or could not go on.

use std::net::SocketAddr;
use std::path::PathBuf;

/// An error of the studio. Its message is one sentence that says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An address that others can reach, without a token.
    #[error(
        "others can reach {address}, so a token is needed: name a file for it with --token-file (it is made if it does not exist), \
         or set RATHER_STUDIO_TOKEN"
    )]
    NeedsToken {
        /// The address.
        address: SocketAddr,
    },
    /// A token that is none.
    #[error("the token of {origin} {problem}")]
    Token {
        /// Where it came from.
        origin: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// A public address that is none.
    #[error(
        "\"{text}\" is no origin; write it as https://studio.example or http://192.168.1.5:8421, without a path"
    )]
    Origin {
        /// What was written.
        text: String,
    },
    /// Nothing can listen there.
    #[error("could not listen on {address}: {reason}; choose another address with --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the operating system says.
        reason: String,
    },
    /// There is no folder for the studies.
    #[error("there is no folder for data on this system; name the file of studies")]
    NoDataFolder,
    /// A file could not be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        reason: String,
    },
    /// Renderers are set up wrongly.
    #[error("{origin}: {problem}")]
    Renderer {
        /// The file, or the flag.
        origin: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The operating system has no random numbers.
    #[error("the operating system gave no random numbers: {reason}")]
    Random {
        /// What it says.
        reason: String,
    },
    /// The studio's own tables in the study file.
    #[error("{}: {source}", path.display())]
    Tables {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The demo's sound could not be made.
    #[error("the demo's sound could not be made: {0}")]
    Sound(#[from] rather_audio::Error),
    /// A study, or its file.
    #[error(transparent)]
    Study(#[from] rather_study::Error),
    /// The server stopped by itself.
    #[error("the server stopped: {reason}")]
    Server {
        /// Why.
        reason: String,
    },
}

impl Error {
    /// Whether whoever runs the program can mend it; anything else is a fault of the machine.
    pub fn is_users(&self) -> bool {
        match self {
            Self::Study(error) => error.is_users(),
            Self::Random { .. } | Self::Tables { .. } | Self::Sound(_) | Self::Server { .. } => false,
            _ => true,
        }
    }
}
