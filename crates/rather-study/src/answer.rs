//! What a person may say to a duel.

use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An answer to a duel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Answer {
    /// The left side is preferred.
    Left,
    /// The right side is preferred.
    Right,
    /// No preference.
    Tie,
    /// No answer; the pair is not asked again at once.
    Skip,
}

impl Answer {
    /// All answers.
    pub const ALL: [Self; 4] = [Self::Left, Self::Right, Self::Tie, Self::Skip];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Tie => "tie",
            Self::Skip => "skip",
        }
    }

    /// The same for the model, which learns nothing from a skipped duel.
    pub(crate) fn to_design(self) -> Option<rather::design::Answer> {
        match self {
            Self::Left => Some(rather::design::Answer::Left),
            Self::Right => Some(rather::design::Answer::Right),
            Self::Tie => Some(rather::design::Answer::Tie),
            Self::Skip => None,
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

    fn from_str(text: &str) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|answer| text.trim().eq_ignore_ascii_case(answer.name()));
        known.ok_or_else(|| Error::UnknownAnswer { text: text.to_owned() })
    }
}
