//! A comparison that was tested, with what was predicted of it.

use crate::Comparison;

/// A tested comparison. Which item is on the left says nothing about who won: it is the one that comes first among the
/// items, so that a probability above one half is as likely to be right as one below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tested {
    /// The item that comes first.
    pub left: usize,
    /// The other.
    pub right: usize,
    /// The predicted probability that the left one is preferred.
    pub probability: f64,
    /// Whether it was.
    pub left_won: bool,
    /// How often this was the answer.
    pub count: f64,
}

impl Tested {
    /// `comparison`, of which `probability` was predicted for the winner.
    pub fn new(comparison: &Comparison, probability: f64) -> Self {
        let &Comparison { winner, loser, count } = comparison;
        let left_won = winner < loser;
        Self {
            left: winner.min(loser),
            right: winner.max(loser),
            probability: if left_won { probability } else { 1.0 - probability },
            left_won,
            count: f64::from(count),
        }
    }

    /// The probability that was predicted for the answer.
    pub fn of_answer(&self) -> f64 {
        if self.left_won { self.probability } else { 1.0 - self.probability }
    }
}
