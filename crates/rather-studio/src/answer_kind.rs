//! An answer as pages offer it and programs send it.

use rather_study::Answer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An answer, as it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Answer", try_from = "Answer")]
pub enum AnswerKind {
    /// The left side is much better.
    MuchLeft,
    /// The left side is better; in a graded study, a little.
    Left,
    /// Neither is.
    Tie,
    /// The right side is better; in a graded study, a little.
    Right,
    /// The right side is much better.
    MuchRight,
    /// The left side is better by this number.
    LeftBy(u8),
    /// The right side is better by this number.
    RightBy(u8),
    /// Of a set, the option of this number is the best.
    Best(u8),
    /// Of a set, the option of the first number is the best, and that of the second the worst.
    BestAndWorst(u8, u8),
}

impl AnswerKind {
    /// Those to a comparison of two but numbers, in the order in which they are offered.
    pub const ALL: [Self; 5] = [Self::MuchLeft, Self::Left, Self::Tie, Self::Right, Self::MuchRight];

    /// The kind of an answer; `None` for a skipped duel.
    pub fn of(answer: Answer) -> Option<Self> {
        match answer {
            Answer::MuchLeft => Some(Self::MuchLeft),
            Answer::Left => Some(Self::Left),
            Answer::Tie => Some(Self::Tie),
            Answer::Right => Some(Self::Right),
            Answer::MuchRight => Some(Self::MuchRight),
            Answer::LeftBy(number) => Some(Self::LeftBy(number)),
            Answer::RightBy(number) => Some(Self::RightBy(number)),
            Answer::Best(best) => Some(Self::Best(best)),
            Answer::BestAndWorst(best, worst) => Some(Self::BestAndWorst(best, worst)),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> Cow<'static, str> {
        Answer::from(self).name()
    }
}

impl TryFrom<Answer> for AnswerKind {
    type Error = String;

    /// # Errors
    /// A skipped question has no answer.
    fn try_from(answer: Answer) -> Result<Self, String> {
        Self::of(answer).ok_or_else(|| format!("\"{answer}\" is no answer; skip has an address of its own"))
    }
}

impl From<AnswerKind> for Answer {
    fn from(kind: AnswerKind) -> Self {
        match kind {
            AnswerKind::MuchLeft => Self::MuchLeft,
            AnswerKind::Left => Self::Left,
            AnswerKind::Tie => Self::Tie,
            AnswerKind::Right => Self::Right,
            AnswerKind::MuchRight => Self::MuchRight,
            AnswerKind::LeftBy(number) => Self::LeftBy(number),
            AnswerKind::RightBy(number) => Self::RightBy(number),
            AnswerKind::Best(best) => Self::Best(best),
            AnswerKind::BestAndWorst(best, worst) => Self::BestAndWorst(best, worst),
        }
    }
}
