//! What a person may say to a duel.

use crate::Error;
use rather::design;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An answer to a duel. Its name is that of an outcome in a table of comparisons, so that answers that were exported are read by
/// `rather fit` for what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Answer {
    /// The left side is preferred; in a graded study, it is a little better.
    #[serde(rename = "left")]
    Left,
    /// The right side is preferred; in a graded study, it is a little better.
    #[serde(rename = "right")]
    Right,
    /// No preference.
    #[serde(rename = "tie")]
    Tie,
    /// No answer; the pair is not asked again at once.
    #[serde(rename = "skip")]
    Skip,
    /// The left side is much better.
    #[serde(rename = "much left")]
    MuchLeft,
    /// The right side is much better.
    #[serde(rename = "much right")]
    MuchRight,
}

impl Answer {
    /// All answers.
    pub const ALL: [Self; 6] =
        [Self::Left, Self::Right, Self::Tie, Self::Skip, Self::MuchLeft, Self::MuchRight];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Tie => "tie",
            Self::Skip => "skip",
            Self::MuchLeft => "much left",
            Self::MuchRight => "much right",
        }
    }

    /// How much the left side is preferred: 2 much, 1 a little (or at all), 0 not; negative for the right one; `None` for a skipped duel.
    pub fn strength(self) -> Option<i8> {
        match self {
            Self::MuchLeft => Some(2),
            Self::Left => Some(1),
            Self::Tie => Some(0),
            Self::Right => Some(-1),
            Self::MuchRight => Some(-2),
            Self::Skip => None,
        }
    }

    /// The same without a word on how much better.
    #[must_use]
    pub fn plain(self) -> Self {
        match self {
            Self::MuchLeft => Self::Left,
            Self::MuchRight => Self::Right,
            other => other,
        }
    }

    /// An answer in the words and signs of a table's outcomes: `much left`, `a little right`, `tie`, `=`, `>>`; a preference without a word
    /// on its strength is a little.
    pub(crate) fn in_words(text: &str) -> Option<Self> {
        Some(match rather_io::outcome_in_words(text)? {
            3.. => Self::MuchLeft,
            1..=2 => Self::Left,
            0 => Self::Tie,
            -2..=-1 => Self::Right,
            _ => Self::MuchRight,
        })
    }

    /// The same for the model, which learns nothing from a skipped duel.
    pub(crate) fn to_design(self) -> Option<design::Outcome> {
        match self {
            Self::Left => Some(design::Outcome::Left),
            Self::Right => Some(design::Outcome::Right),
            Self::Tie => Some(design::Outcome::Tie),
            Self::Skip => None,
            Self::MuchLeft => Some(design::Outcome::MuchLeft),
            Self::MuchRight => Some(design::Outcome::MuchRight),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Answer {
    type Err = Error;

    /// A name, which may have a hyphen for its space, or any outcome of a table: `much-left`, `a little right`, `>>`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let plain = text.trim().replace(['-', '_'], " ");
        let skipped = plain.eq_ignore_ascii_case(Self::Skip.name()).then_some(Self::Skip);
        let known = skipped.or_else(|| Self::in_words(&plain));
        known.ok_or_else(|| Error::UnknownAnswer { text: text.to_owned(), known: &Self::ALL })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_words_and_signs_are_answers() {
        for answer in Answer::ALL {
            assert_eq!(answer.name().parse::<Answer>().unwrap(), answer);
            let json = serde_json::to_string(&answer).unwrap();
            assert_eq!(json, format!("\"{answer}\""));
            assert_eq!(serde_json::from_str::<Answer>(&json).unwrap(), answer);
            assert_eq!(answer.strength(), answer.to_design().map(design::Outcome::strength));
        }
        for (text, answer) in [
            ("much-left", Answer::MuchLeft),
            (" Much_Right ", Answer::MuchRight),
            ("a little left", Answer::Left),
            ("very much right", Answer::MuchRight),
            (">>", Answer::MuchLeft),
            ("<", Answer::Right),
            ("=", Answer::Tie),
            ("draw", Answer::Tie),
        ] {
            assert_eq!(text.parse::<Answer>().unwrap(), answer, "{text}");
        }
        assert_eq!(
            "best".parse::<Answer>().unwrap_err().to_string(),
            "\"best\" is not an answer of this study; write left, right, tie, skip, much left or much right"
        );
    }
}
