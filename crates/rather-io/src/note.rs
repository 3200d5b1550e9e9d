//! What a reader of tables thinks its user should know, though nothing is wrong.

use crate::place::{list, quote};
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
    /// Columns that are called otherwise than what they were read as.
    Roles {
        /// The file.
        path: PathBuf,
        /// Each column, and what it was read as.
        read: Vec<(String, &'static str)>,
    },
    /// Which side the numbers of a column of outcomes stand for.
    Coding {
        /// The file.
        path: PathBuf,
        /// The column of outcomes.
        column: String,
        /// The columns of the left items and of the right ones.
        sides: [String; 2],
        /// The codes of left, right and tie, and what fractions are.
        coding: [&'static str; 4],
    },
    /// Pairs to predict that say which item won: it is the one on the left.
    WinnerIsLeft {
        /// The file.
        path: PathBuf,
        /// The columns of winners and losers.
        sides: [String; 2],
    },
    /// The first column, which counts the rows, was left out.
    CountedRows {
        /// The file.
        path: PathBuf,
        /// The column that is the key instead.
        key: String,
    },
    /// A feature that numbers the items.
    CountedItems {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Categories, or texts, that differ only in capitals or spaces.
    AlikeCategories {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The categories.
        alike: Vec<String>,
    },
    /// Of several sheets of a workbook the first was read.
    FirstSheet {
        /// The file.
        path: PathBuf,
        /// The sheet.
        sheet: String,
        /// The others.
        others: Vec<String>,
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
            Self::Roles { path, read } => {
                let read: Vec<String> =
                    read.iter().map(|(column, role)| format!("{} as {role}", quote(column))).collect();
                write!(f, "{}: read {}", path.display(), read.join(", "))
            }
            Self::Coding { path, column, sides: [left, right], coding: [one, other, tie, fractions] } => {
                write!(
                    f,
                    "{}: in the column {}, {one} is taken for {}, {other} for {}, and {tie} for a tie{fractions}",
                    path.display(),
                    quote(column),
                    quote(left),
                    quote(right)
                )
            }
            Self::WinnerIsLeft { path, sides: [left, right] } => write!(
                f,
                "{}: {} is taken for the left item and {} for the right one; what they say of the outcome is not used",
                path.display(),
                quote(left),
                quote(right)
            ),
            Self::CountedRows { path, key } => write!(
                f,
                "{}: the first column counts the rows and was left out; the key is {}",
                path.display(),
                quote(key)
            ),
            Self::CountedItems { path, column } => write!(
                f,
                "{}: {} is a different whole number for every item, and is used as a feature; leave it out unless near numbers mean like items",
                path.display(),
                quote(column)
            ),
            Self::AlikeCategories { path, column, alike } => write!(
                f,
                "{}: in the column {}, {} are different; write them alike if they are the same",
                path.display(),
                quote(column),
                list(alike)
            ),
            Self::FirstSheet { path, sheet, others } => write!(
                f,
                "{path}: read the first sheet, {}; {path}#SHEET reads another one: {}",
                quote(sheet),
                list(others),
                path = path.display(),
            ),
            Self::ShortRankings { path, rankings } => {
                let noun = if *rankings == 1 { "ranking" } else { "rankings" };
                write!(f, "{}: skipped {rankings} {noun} of fewer than two items", path.display())
            }
        }
    }
}
