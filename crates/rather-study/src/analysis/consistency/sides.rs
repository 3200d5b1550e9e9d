//! Position bias: is one side preferred for being that side?

use super::percent;
use crate::learner::Record;
use serde::Serialize;

/// How often each side won.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sides {
    /// Number of answers for the left side.
    pub left: usize,
    /// Number of answers for the right side.
    pub right: usize,
    /// The probability that a fair coin is as far off.
    pub by_chance: f64,
}

impl Sides {
    pub(super) fn of(record: &Record) -> Self {
        let winners = || record.duels.iter().filter_map(|duel| Some((duel, duel.winner()?)));
        let left = winners().filter(|(duel, winner)| *winner == duel.left).count();
        let right = winners().count() - left;
        Self { left, right, by_chance: two_sided(left.max(right), left + right) }
    }

    pub(super) fn sentence(&self) -> String {
        let total = self.left + self.right;
        if total == 0 {
            return "neither side was preferred yet".to_owned();
        }
        let judged = if self.by_chance < 0.01 {
            "a significant position bias"
        } else {
            "consistent with no position bias"
        };
        let (side, wins) = if self.left >= self.right { ("left", self.left) } else { ("right", self.right) };
        format!("the {side} side won {wins} of {total} ({}), {judged}", percent(wins as f64 / total as f64))
    }
}

/// The probability that a fair coin, thrown `n` times, shows one side at least `most` times.
fn two_sided(most: usize, n: usize) -> f64 {
    // In logarithms, since 2^-n is nothing for many throws.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for k in (most..=n).rev() {
        tail += log_term.exp();
        log_term += (k as f64).ln() - ((n - k + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins() {
        assert_eq!(two_sided(0, 0), 1.0);
        assert!((two_sided(5, 5) - 2.0 / 32.0).abs() < 1e-15);
        assert!((two_sided(4, 5) - 12.0 / 32.0).abs() < 1e-14);
        assert_eq!(two_sided(500, 1000), 1.0);
    }
}
