//! Tables and model files for the preference-learning library [`rather`].
//!
//! A file becomes values that are whole and finite, or one [`Error`] whose message is a sentence that
//! names file, line, column and value and says what to do:
//!
//! ```text
//! file -> Table (CSV, JSON, Parquet, a workbook) -> ItemTable        keys and feature columns
//!                                         -> AnswerTable      comparisons, rankings, choices, ratings, values, labels
//!                                         -> PairTable        pairs to predict
//! AnswerTable, … -> settle -> AnswerData         of all tables, with one way of taking ties
//! rather::model::Model <-> ModelFile <-> one safetensors file with a JSON header
//! ```
//!
//! # Examples
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let (items, duels) = (folder.path().join("items.csv"), folder.path().join("duels.csv"));
//! std::fs::write(&items, "tea,price\nAssam,4.5\nOolong,7\n")?;
//! std::fs::write(&duels, "winner,loser\nOolong,Assam\n")?;
//!
//! let items = rather_io::read_items(&items, &rather_io::ItemOptions::default())?;
//! let table = rather_io::read_answers(&duels, &items, &rather_io::Reading::default())?;
//! let answers = rather_io::settle(vec![table], rather_io::Tied::Kept)?;
//! assert_eq!(items.keys, ["Assam", "Oolong"]);
//! assert_eq!(answers.comparisons(), [rather::Comparison { winner: 1, loser: 0, count: 1.0 }]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod answers;
mod atomic;
mod checksum;
mod coding;
pub mod context;
mod count;
mod csv_rows;
mod error;
mod file;
pub mod items;
mod items_in;
mod json_rows;
mod layout;
mod limits;
mod location;
mod long;
mod matrix;
mod memory_rows;
pub mod model;
pub mod model_file;
mod names;
pub mod note;
mod number;
mod options;
pub mod pairs;
#[cfg(feature = "parquet")]
mod parquet_column;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
mod parquet_rows;
mod pgn;
pub mod place;
pub mod population;
mod ranking;
pub mod reader;
mod roles;
mod safetensors;
pub mod settle;
pub mod sides;
mod singles;
mod source;
#[cfg(test)]
mod spoil;
mod suggest;
pub mod table;
mod teams;
pub mod told;
pub mod votes;
mod words;
mod workbook;
pub mod written;

pub use answers::{AnswerData, AnswerTable, Attributes};
pub use atomic::{check_writable, write as write_file};
pub use coding::{Coded, coded};
pub use context::{date, days};
pub use count::{count, counted};
pub use error::Error;
pub use file::{decompress, read as read_file};
pub use items::{ItemOptions, ItemTable, MISSING, items_from_csv, items_of, read_items};
pub use items_in::items_in;
pub use limits::{MOST_OF_RANKINGS, parse_bytes};
pub use model::{load_model, save_model};
pub use model_file::{ModelFile, Tensor};
pub use note::Note;
pub use options::{OptionTable, options_of};
pub use pairs::{PairTable, pairs_of, read_pairs};
pub use place::{Cell, Place, Position, list, quote};
pub use population::{Saved, load_saved, save, save_population, saved_of};
pub use reader::{Rankings, Reading, answers_of, read_answers};
pub use roles::roles;
pub use settle::{Tied, settle, settle_as};
pub use sides::join_sides;
pub use singles::{SingleTable, singles_of};
pub use suggest::closest;
pub use table::Table;
pub use told::{ColumnTold, told};
pub use votes::{Flaw, LeftOut, Outcomes, VoteTable, Voting, numbers_of_sides, read_votes, votes_of};
pub use words::{both_in_words, is_none, label_in_words, outcome_in_words, side_in_words};
