//! When a judge is asked no more.

use crate::Answer;

/// Questions that a judge may fail one after the other before it is asked no more.
const MOST_FAILED: u32 = 5;
/// Questions to which a judge may give no answer one after the other, failed or skipped.
const MOST_UNANSWERED: u32 = 10;

/// How long a judge has given no answer.
///
/// # Examples
/// ```
/// use rather_study::{Answer, sort::Patience};
///
/// let mut patience = Patience::default();
/// assert!((0..9).all(|_| patience.answered(Answer::Skip).is_none()));
/// let why = patience.answered(Answer::Skip).unwrap();
/// assert_eq!(why, "answered none of 10 questions one after the other");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Patience {
    failed: u32,
    unanswered: u32,
}

impl Patience {
    /// Hears what the judge said. Why it is to be asked no more, if so: what it did, to follow its name.
    pub fn answered(&mut self, answer: Answer) -> Option<String> {
        self.failed = 0;
        self.unanswered = if answer == Answer::Skip { self.unanswered + 1 } else { 0 };
        self.ends()
    }

    /// Hears that the judge failed for this reason. Why it is to be asked no more, if so.
    pub fn failed(&mut self, reason: &str) -> Option<String> {
        self.failed += 1;
        self.unanswered += 1;
        let ends = self.ends()?;
        Some(format!("{ends} ({reason})"))
    }

    fn ends(&self) -> Option<String> {
        if self.failed >= MOST_FAILED {
            Some(format!("failed {MOST_FAILED} questions one after the other"))
        } else if self.unanswered >= MOST_UNANSWERED {
            Some(format!("answered none of {MOST_UNANSWERED} questions one after the other"))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_failures_end_it_and_an_answer_makes_up_for_four() {
        let mut patience = Patience::default();
        for _ in 0..3 {
            assert!((0..4).all(|_| patience.failed("it hangs").is_none()));
            assert_eq!(patience.answered(Answer::Tie), None);
        }
        assert!((0..4).all(|_| patience.failed("it hangs").is_none()));
        assert_eq!(patience.failed("it hangs").unwrap(), "failed 5 questions one after the other (it hangs)");
    }

    #[test]
    fn skipping_and_failing_in_turn_ends_too() {
        let mut patience = Patience::default();
        let ends: Vec<bool> = (0..10)
            .map(|k| {
                if k % 2 == 0 { patience.answered(Answer::Skip) } else { patience.failed("it broke") }
                    .is_some()
            })
            .collect();
        assert_eq!(ends.iter().position(|&end| end), Some(9));
    }
}
