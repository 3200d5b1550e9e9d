//! Leaderboards from tables of votes: how surely each item stands where it does, and whether the votes can be trusted.
//!
//! [`Votes`] are read from a table, or are those of a saved board; [`Learned`] is a model of them; a [`Report`] is all that is said of it. What is computed
//! is in [`rather::arena`].
//!
//! # Examples
//! ```
//! use rather_arena::{Learned, Options, Report, Votes};
//! use rather_io::Table;
//!
//! let csv = b"winner,loser\nx,y\nx,y\ny,z\nx,z\n".to_vec();
//! let options = Options::default();
//! let votes = Votes::of_table(Table::of_csv("votes.csv".as_ref(), csv)?, "votes.csv", &options, &mut |_| ())?;
//! let report = Report::new(&Learned::of(votes, &options)?, &options, 0)?;
//! assert_eq!(report.board[0].item, "x");
//! # Ok::<(), rather_arena::Error>(())
//! ```

mod audit;
mod error;
mod judges;
mod learn;
mod options;
mod read;
mod report;
mod scale;

pub use audit::{Finding, ROWS};
pub use error::Error;
pub use judges::JudgeLine;
pub use learn::Learned;
pub use options::{Options, Units};
pub use read::{Column, Read, Votes};
pub use report::{Level, Line, Report, Separation, Weight};
pub use scale::Scale;

/// The quantile of the standard normal distribution that 95 % intervals go to on either side.
pub const Z95: f64 = 1.959963984540054;
