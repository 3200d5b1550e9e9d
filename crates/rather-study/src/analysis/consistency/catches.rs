//! Catch trials: duels with the same on both sides.

use super::counted;
use crate::answer::Answer;
use serde::Serialize;

/// What was said when both sides were the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Catches {
    /// Number of catch trials that were answered.
    pub answered: usize,
    /// How many were answered "no preference", or skipped.
    pub noticed: usize,
    /// How many went to the left side.
    pub left: usize,
    /// How many went to the right side.
    pub right: usize,
}

impl Catches {
    /// Of the answers to catch trials; `None` if there are none.
    pub(crate) fn of(answers: impl Iterator<Item = Answer>) -> Option<Self> {
        let mut out = Self { answered: 0, noticed: 0, left: 0, right: 0 };
        for answer in answers {
            out.answered += 1;
            match answer.plain() {
                Answer::Left => out.left += 1,
                Answer::Right => out.right += 1,
                _ => out.noticed += 1,
            }
        }
        (out.answered > 0).then_some(out)
    }

    pub(super) fn sentence(&self) -> String {
        format!(
            "catch trials: in {} of {} with the same on both sides, no side was preferred",
            self.noticed,
            counted(self.answered, "duel")
        )
    }
}
