//! What may be asked for of a board.

use serde::{Deserialize, Serialize};

/// What is read of votes, and how they are reported.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What ratings are measured in.
    pub units: Units,
    /// An item of a fixed rating: `NAME=1114`, or its name alone.
    pub anchor: Option<String>,
    /// Numbers of each side whose effect is taken out; `found` for all that are found.
    pub style: Vec<String>,
    /// A column for each value of which there is a board, too.
    pub by: Option<String>,
    /// Votes before this day (since 1970-01-01) are passed over.
    pub since: Option<f64>,
    /// Roles for columns that are called otherwise.
    pub columns: Vec<(String, String)>,
}

/// What ratings are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// 400 points are odds of 10 to 1.
    #[default]
    Elo,
    /// Just-objectionable differences: 1 is 75 % of choices.
    Jod,
    /// Standard deviations of the noise of one item.
    Utility,
    /// The probability of being preferred to one of the others, in percent.
    WinRate,
}
