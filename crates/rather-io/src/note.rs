//! What a reader of tables thinks its user should know, though nothing is wrong.

use crate::place::list;
use std::fmt;
use std::path::PathBuf;

/// A remark on a table that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Columns that mean nothing here were not read.
    IgnoredColumns {
        /// The file.
        path: PathBuf,
        /// Their names; a column without a name is "column 3".
        columns: Vec<String>,
    },
    /// Rankings of fewer than two items compare nothing.
    ShortRankings {
        /// The file.
        path: PathBuf,
        /// How many there are.
        rankings: u64,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IgnoredColumns { path, columns } => {
                let noun = if columns.len() == 1 { "the column" } else { "the columns" };
                write!(f, "{}: ignored {noun} {}", path.display(), list(columns))
            }
            Self::ShortRankings { path, rankings } => {
                let noun = if *rankings == 1 { "ranking" } else { "rankings" };
                write!(f, "{}: skipped {rankings} {noun} of fewer than two items", path.display())
            }
        }
    }
}
