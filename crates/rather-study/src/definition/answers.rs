//! Which answers a study takes.

use super::Definition;
use crate::Error;
use crate::answer::Answer;
use crate::error::or;
use rather::likelihood::{Kind, kinds};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Which answers may be given to a question. It may always be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Answers {
    /// One of the two sides.
    Sides,
    /// A side, or no preference.
    #[default]
    Ties,
    /// A side that is a little better or much better, or no preference.
    Graded,
    /// By how much a side is better, or that neither is: a number from 0 to the largest one of a kind of answer
    /// ([`Response::comparison_scale`](rather::likelihood::Response::comparison_scale)), which may be one's own. Of `difference` they are those of
    /// a comparison category rating, 1 to 3.
    Numbers(Kind),
    /// Of a set of options the best one.
    Best,
    /// Of a set of options the best one and the worst one.
    BestAndWorst,
}

impl Answers {
    /// All that there are: those of kinds of answers that ask for numbers by the names of these, of one's own, too.
    pub fn known() -> Vec<Self> {
        let numbers = kinds().into_iter().filter(|kind| kind.scale().is_some()).map(Self::Numbers);
        let of_two = [Self::Sides, Self::Ties, Self::Graded].into_iter().chain(numbers);
        of_two.chain([Self::Best, Self::BestAndWorst]).collect()
    }

    /// The kind of answer whose numbers are asked for, if they are.
    pub fn numbers(self) -> Option<Kind> {
        match self {
            Self::Numbers(kind) => Some(kind),
            _ => None,
        }
    }

    /// All of them, to a question about so many options.
    pub fn all(self, options: usize) -> Vec<Answer> {
        use Answer as A;
        // A set has twelve options at most.
        let numbers = || (1..=options).filter_map(|number| u8::try_from(number).ok());
        let pairs = || numbers().flat_map(|best| numbers().map(move |worst| (best, worst)));
        match self {
            Self::Sides => vec![A::Left, A::Right, A::Skip],
            Self::Ties => vec![A::Left, A::Right, A::Tie, A::Skip],
            Self::Graded => A::ALL.to_vec(),
            Self::Numbers(kind) => {
                let scale = || 1..=kind.scale().unwrap_or(1);
                let sides = scale().rev().map(A::LeftBy).chain([A::Tie]).chain(scale().map(A::RightBy));
                sides.chain([A::Skip]).collect()
            }
            Self::Best => numbers().map(A::Best).chain([A::Skip]).collect(),
            Self::BestAndWorst => {
                let different = pairs().filter(|(best, worst)| best != worst);
                different.map(|(best, worst)| A::BestAndWorst(best, worst)).chain([A::Skip]).collect()
            }
        }
    }

    /// Whether they are about sets of options.
    pub fn are_of_sets(self) -> bool {
        matches!(self, Self::Best | Self::BestAndWorst)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sides => "sides",
            Self::Ties => "ties",
            Self::Graded => "graded",
            Self::Numbers(kind) => kind.0.name(),
            Self::Best => "best",
            Self::BestAndWorst => "best and worst",
        }
    }
}

impl Definition {
    /// All answers that a question takes.
    pub fn takes(&self) -> Vec<Answer> {
        self.answers.all(self.options)
    }

    /// Reads an answer, in the words of [`Answer`]'s `FromStr`.
    ///
    /// # Errors
    /// As [`Definition::check_answer`].
    ///
    /// # Examples
    /// ```
    /// use rather_study::definition::Answers;
    /// use rather_study::{Answer, Definition};
    ///
    /// let teas = Definition::of_items(["Assam", "Keemun", "Oolong", "Sencha"]);
    /// let graded = Definition { answers: Answers::Graded, ..teas.clone() };
    /// assert_eq!(graded.parse_answer("much-left")?, Answer::MuchLeft);
    /// let sides = Definition { answers: Answers::Sides, ..teas.clone() };
    /// let sentence = sides.parse_answer("tie").unwrap_err().to_string();
    /// assert_eq!(sentence, "\"tie\" is not an answer of this study; write left, right or skip");
    /// let numbers = Definition { answers: "difference".parse().unwrap(), ..teas.clone() };
    /// assert_eq!(numbers.parse_answer("-2")?, Answer::RightBy(2));
    /// let sentence = numbers.parse_answer("left").unwrap_err().to_string();
    /// assert_eq!(sentence, "\"left\" is not an answer of this study; write a number from 3 (left) over 0 to -3 (right), or skip");
    /// let sets = teas.asking(3, Answers::BestAndWorst);
    /// assert_eq!(sets.parse_answer("best 3, worst 1")?, Answer::BestAndWorst(3, 1));
    /// # Ok::<(), rather_study::Error>(())
    /// ```
    pub fn parse_answer(&self, text: &str) -> Result<Answer, Error> {
        let about_set = || Answer::about_set(text).filter(|_| self.answers.are_of_sets());
        let number = || self.answers.numbers().and_then(|_| signed(text));
        let unknown = || Error::UnknownAnswer { text: text.to_owned(), known: self.takes() };
        let answer = about_set().or_else(number).or_else(|| text.parse().ok()).ok_or_else(unknown)?;
        self.check_answer(answer).map(|()| answer).map_err(|error| match error {
            Error::UnknownAnswer { known, .. } => Error::UnknownAnswer { text: text.to_owned(), known },
            other => other,
        })
    }

    /// Checks that `answer` is one that a question takes.
    ///
    /// # Errors
    /// [`Error::UnknownAnswer`], which names all of them; [`Error::NoOption`] and [`Error::SameExtremes`] for an answer about a set.
    pub fn check_answer(&self, answer: Answer) -> Result<(), Error> {
        let known = self.takes();
        if known.contains(&answer) {
            return Ok(());
        }
        let asked = match self.answers {
            Answers::Best => matches!(answer, Answer::Best(_)),
            Answers::BestAndWorst => matches!(answer, Answer::BestAndWorst(..)),
            Answers::Sides | Answers::Ties | Answers::Graded | Answers::Numbers(_) => false,
        };
        match answer.extremes().filter(|_| asked) {
            Some((best, Some(worst))) if best == worst => {
                Err(Error::SameExtremes { option: best.to_string() })
            }
            Some((best, worst)) => {
                let is_none = |&number: &u8| number == 0 || usize::from(number) > self.options;
                let number = [Some(best), worst].into_iter().flatten().find(is_none).unwrap_or(best);
                Err(Error::NoOption { number, options: self.options })
            }
            None => Err(Error::UnknownAnswer { text: answer.name().into_owned(), known }),
        }
    }
}

impl FromStr for Answers {
    type Err = String;

    /// # Errors
    /// The sentence that names all of them.
    fn from_str(text: &str) -> Result<Self, String> {
        let all = Self::known();
        let plain = |text: &str| text.trim().replace(['-', '_'], " ").to_lowercase();
        let found = all.iter().find(|answers| plain(text) == plain(answers.name()));
        found.copied().ok_or_else(|| {
            let of_two = all.iter().filter(|answers| !answers.are_of_sets()).map(|answers| answers.name());
            format!(
                "{} is not a set of answers; write {}, or, of several options, best or \"best and worst\"",
                rather_io::quote(text),
                or(&of_two.collect::<Vec<_>>())
            )
        })
    }
}

impl From<Answers> for String {
    fn from(answers: Answers) -> Self {
        answers.name().to_owned()
    }
}

impl TryFrom<String> for Answers {
    type Error = String;

    /// # Errors
    /// As of [`FromStr`].
    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

/// A number as an answer: positive where the left side is better.
pub(crate) fn signed(text: &str) -> Option<Answer> {
    let number: i8 = text.trim().trim_start_matches('+').parse().ok()?;
    Some(match number {
        0 => Answer::Tie,
        1.. => Answer::LeftBy(number.unsigned_abs()),
        _ => Answer::RightBy(number.unsigned_abs()),
    })
}
