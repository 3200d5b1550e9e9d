//! Comparisons: who was preferred to whom, and the merging of repeated ones.

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
