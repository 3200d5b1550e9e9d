//! Answers: who was preferred to whom, and which item has which class.

use serde::{Deserialize, Serialize};

/// "`winner` rather than `loser`", said `count` times. Items are numbered as in their table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// The preferred item.
    pub winner: usize,
    /// The other item.
    pub loser: usize,
    /// How many times the same answer was given.
    pub count: u32,
}

/// "`item` is of the class" that counts as positive, or is not, said `count` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The item.
    pub item: usize,
    /// Whether it is of the positive class.
    pub positive: bool,
    /// How many times the same was said.
    pub count: u32,
}
