//! How a command can fail.

use std::io;

/// Why a command did not end well.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something the user can mend: exit status 2.
    User(String),
    /// Something the user cannot: exit status 1.
    Internal(String),
    /// Ctrl-C ended it: exit status 130. With a sentence, if nothing came of it.
    Interrupted(Option<String>),
    /// Nobody reads the output any more: no failure at all.
    ClosedPipe,
}

impl Failure {
    /// A mistake in `path` that a library without files could not name.
    pub(crate) fn in_file(path: &std::path::Path, error: &rather::Error) -> Self {
        Self::User(format!("{}: {error}", path.display()))
    }
}

impl From<rather_io::Error> for Failure {
    fn from(error: rather_io::Error) -> Self {
        match error {
            rather_io::Error::Io { .. } => Self::Internal(error.to_string()),
            _ => Self::User(error.to_string()),
        }
    }
}

impl From<rather::Error> for Failure {
    fn from(error: rather::Error) -> Self {
        match error {
            rather::Error::Length { .. } => Self::Internal(error.to_string()),
            rather::Error::Cancelled => {
                Self::Interrupted(Some("interrupted before there was anything to keep".to_owned()))
            }
            rather::Error::NeedsOpponent { .. } => Self::User(format!("{error} (--opponent best)")),
            _ => Self::User(error.to_string()),
        }
    }
}

impl From<rather_arena::Error> for Failure {
    fn from(error: rather_arena::Error) -> Self {
        match error {
            rather_arena::Error::File(error) => error.into(),
            rather_arena::Error::Learning(error) => error.into(),
            rather_arena::Error::Unreliable(sentence) => Self::Internal(sentence),
            other => Self::User(other.to_string()),
        }
    }
}

impl From<rather_study::Error> for Failure {
    fn from(error: rather_study::Error) -> Self {
        if error.is_users() { Self::User(error.to_string()) } else { Self::Internal(error.to_string()) }
    }
}

impl From<rather_studio::Error> for Failure {
    fn from(error: rather_studio::Error) -> Self {
        if error.is_users() { Self::User(error.to_string()) } else { Self::Internal(error.to_string()) }
    }
}

/// Errors of writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Internal(format!("could not write to standard output: {error}")),
        }
    }
}
