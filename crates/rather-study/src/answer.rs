//! What a person may say to a question.

use crate::Error;
use rather::design;
use rather::likelihood::Kind;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// An answer to a comparison of two, or to a question about a set of options. Its name is that of an outcome in a table of comparisons, so that
/// answers that were exported are read by `rather fit` for what they are; of a set it has the numbers of options as they were shown, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Answer {
    /// The left side is preferred; in a graded study, it is a little better.
    Left,
    /// The right side is preferred; in a graded study, it is a little better.
    Right,
    /// No preference.
    Tie,
    /// No answer; the same is not asked again at once.
    Skip,
    /// The left side is much better.
    MuchLeft,
    /// The right side is much better.
    MuchRight,
    /// The left side is better by this number, of a study whose answers are numbers.
    LeftBy(u8),
    /// The right side is better by this number, of a study whose answers are numbers.
    RightBy(u8),
    /// Of a set, the option of this number is the best.
    Best(u8),
    /// Of a set, the option of the first number is the best and that of the second the worst.
    BestAndWorst(u8, u8),
}

impl Answer {
    /// All answers to a comparison of two but numbers.
    pub const ALL: [Self; 6] =
        [Self::Left, Self::Right, Self::Tie, Self::Skip, Self::MuchLeft, Self::MuchRight];

    /// Its name.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Left => "left".into(),
            Self::Right => "right".into(),
            Self::Tie => "tie".into(),
            Self::Skip => "skip".into(),
            Self::MuchLeft => "much left".into(),
            Self::MuchRight => "much right".into(),
            Self::LeftBy(number) => format!("left by {number}").into(),
            Self::RightBy(number) => format!("right by {number}").into(),
            Self::Best(best) => format!("best {best}").into(),
            Self::BestAndWorst(best, worst) => format!("best {best}, worst {worst}").into(),
        }
    }

    /// The answer of this very name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let known = Self::ALL.into_iter().chain(Self::by_number(name)).chain(Self::about_set(name));
        known.into_iter().find(|answer| answer.name() == name)
    }

    /// By how much one side is better, in words: `left by 2`.
    pub(crate) fn by_number(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split([' ', '-', '_']).map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let number = |text: &str| text.parse::<u8>().ok().filter(|number| (1..=127).contains(number));
        match words.as_slice() {
            ["left", "by", by] => number(by).map(Self::LeftBy),
            ["right", "by", by] => number(by).map(Self::RightBy),
            _ => None,
        }
    }

    /// An answer about a set in words or numbers: `best 2`, `best 2, worst 4`, `2`, `2 4`; the best one comes first.
    pub(crate) fn about_set(text: &str) -> Option<Self> {
        let words: Vec<String> =
            text.split([' ', ',', '-', '_']).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let number = |text: &str| text.parse::<u8>().ok().filter(|&number| number > 0);
        match words.as_slice() {
            ["best", best] | [best] => Some(Self::Best(number(best)?)),
            ["best", best, "worst", worst] | [best, worst] => {
                Some(Self::BestAndWorst(number(best)?, number(worst)?))
            }
            _ => None,
        }
    }

    /// The numbers of the options that it calls the best and the worst, if it is about a set.
    pub fn extremes(self) -> Option<(u8, Option<u8>)> {
        match self {
            Self::Best(best) => Some((best, None)),
            Self::BestAndWorst(best, worst) => Some((best, Some(worst))),
            _ => None,
        }
    }

    /// Whether it is an answer to a question about so many options: a skip to any.
    pub(crate) fn suits(self, options: usize) -> bool {
        let shown = |number: u8| (1..=options).contains(&usize::from(number));
        match self.extremes() {
            None => self == Self::Skip || options == 2,
            Some((best, worst)) => {
                options > 2 && shown(best) && worst.is_none_or(|worst| shown(worst) && worst != best)
            }
        }
    }

    /// How much the left side is preferred: 2 much, 1 a little (or at all), 0 not, or the number that was given; negative for the right
    /// one; `None` for a skipped question and for one about a set.
    pub fn strength(self) -> Option<i8> {
        match self {
            Self::MuchLeft => Some(2),
            Self::Left => Some(1),
            Self::Tie => Some(0),
            Self::Right => Some(-1),
            Self::MuchRight => Some(-2),
            Self::LeftBy(number) => i8::try_from(number).ok(),
            Self::RightBy(number) => i8::try_from(number).ok().map(|number| -number),
            Self::Skip | Self::Best(_) | Self::BestAndWorst(..) => None,
        }
    }

    /// The same without a word on how much better.
    #[must_use]
    pub fn plain(self) -> Self {
        match self {
            Self::MuchLeft | Self::LeftBy(_) => Self::Left,
            Self::MuchRight | Self::RightBy(_) => Self::Right,
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

    /// The same for the model, which learns nothing from a skipped duel; `numbers` is the kind of answer whose numbers are asked for, if they are.
    pub(crate) fn to_design(self, numbers: Option<Kind>) -> Option<design::Outcome> {
        if let (Some(kind), Some(number)) = (numbers, self.strength()) {
            return Some(design::Outcome::By { kind, number });
        }
        match self {
            Self::Left => Some(design::Outcome::Left),
            Self::Right => Some(design::Outcome::Right),
            Self::Tie => Some(design::Outcome::Tie),
            // Numbers are those of a kind of answer.
            Self::Skip | Self::LeftBy(_) | Self::RightBy(_) => None,
            Self::MuchLeft => Some(design::Outcome::MuchLeft),
            Self::MuchRight => Some(design::Outcome::MuchRight),
            Self::Best(best) => Some(design::Outcome::Extremes { best: best.saturating_sub(1), worst: None }),
            Self::BestAndWorst(best, worst) => Some(design::Outcome::Extremes {
                best: best.saturating_sub(1),
                worst: Some(worst.saturating_sub(1)),
            }),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl From<Answer> for String {
    fn from(answer: Answer) -> Self {
        answer.name().into_owned()
    }
}

impl TryFrom<String> for Answer {
    type Error = Error;

    /// # Errors
    /// [`Error::UnknownAnswer`] if it is no answer's very name.
    fn try_from(name: String) -> Result<Self, Error> {
        Self::of_name(&name).ok_or_else(|| Error::UnknownAnswer { text: name, known: Self::ALL.to_vec() })
    }
}

impl FromStr for Answer {
    type Err = Error;

    /// A name, which may have hyphens for its spaces, or any outcome of a table: `much-left`, `left-by-2`, `a little right`, `>>`; of a set the
    /// numbers alone, too.
    fn from_str(text: &str) -> Result<Self, Error> {
        let plain = text.trim().replace(['-', '_'], " ");
        let skipped = plain.eq_ignore_ascii_case(&Self::Skip.name()).then_some(Self::Skip);
        let known = skipped
            .or_else(|| Self::in_words(&plain))
            .or_else(|| Self::by_number(&plain))
            .or_else(|| Self::about_set(&plain));
        known.ok_or_else(|| Error::UnknownAnswer { text: text.to_owned(), known: Self::ALL.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_suits_questions_about_as_many_options() {
        assert!(
            Answer::Left.suits(2) && !Answer::Left.suits(4) && Answer::Skip.suits(2) && Answer::Skip.suits(4)
        );
        assert!(Answer::Best(4).suits(4) && !Answer::Best(5).suits(4) && !Answer::Best(1).suits(2));
        assert!(Answer::BestAndWorst(4, 1).suits(4) && !Answer::BestAndWorst(4, 4).suits(4));
        assert!(
            serde_json::from_str::<Answer>("\"best 0\"").is_err() && Answer::about_set("best 300").is_none()
        );
    }

    #[test]
    fn names_words_and_signs_are_answers() {
        let of_sets = [Answer::Best(2), Answer::BestAndWorst(12, 3)];
        for answer in Answer::ALL.into_iter().chain(of_sets) {
            assert_eq!(answer.name().parse::<Answer>().unwrap(), answer);
            let json = serde_json::to_string(&answer).unwrap();
            assert_eq!(json, format!("\"{answer}\""));
            assert_eq!(serde_json::from_str::<Answer>(&json).unwrap(), answer);
            let strength = answer.to_design(None).map(design::Outcome::strength);
            assert_eq!(answer.strength(), strength.filter(|_| answer.extremes().is_none()));
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
            ("left-by-2", Answer::LeftBy(2)),
            ("Right by 10", Answer::RightBy(10)),
            ("best-3", Answer::Best(3)),
            ("Best 3 worst 1", Answer::BestAndWorst(3, 1)),
            ("7, 1", Answer::BestAndWorst(7, 1)),
        ] {
            assert_eq!(text.parse::<Answer>().unwrap(), answer, "{text}");
        }
        assert_eq!(
            "best".parse::<Answer>().unwrap_err().to_string(),
            "\"best\" is not an answer of this study; write left, right, tie, skip, much left or much right"
        );
    }
}
