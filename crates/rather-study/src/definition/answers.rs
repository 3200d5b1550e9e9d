//! Which answers a study takes.

use super::Definition;
use crate::Error;
use crate::answer::Answer;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Which answers may be given to a question. It may always be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answers {
    /// One of the two sides.
    Sides,
    /// A side, or no preference.
    #[default]
    Ties,
    /// A side that is a little better or much better, or no preference.
    Graded,
    /// Of a set of options the best one.
    Best,
    /// Of a set of options the best one and the worst one.
    #[serde(rename = "best and worst")]
    BestAndWorst,
}

impl Answers {
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
    /// let sets = teas.asking(3, Answers::BestAndWorst);
    /// assert_eq!(sets.parse_answer("best 3, worst 1")?, Answer::BestAndWorst(3, 1));
    /// # Ok::<(), rather_study::Error>(())
    /// ```
    pub fn parse_answer(&self, text: &str) -> Result<Answer, Error> {
        let about_set = || Answer::about_set(text).filter(|_| self.answers.are_of_sets());
        let unknown = || Error::UnknownAnswer { text: text.to_owned(), known: self.takes() };
        let answer = about_set().or_else(|| text.parse().ok()).ok_or_else(unknown)?;
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
            Answers::Sides | Answers::Ties | Answers::Graded => false,
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
        let all = [Self::Sides, Self::Ties, Self::Graded, Self::Best, Self::BestAndWorst];
        let plain = text.trim().replace(['-', '_'], " ");
        let found = all.into_iter().find(|answers| plain.eq_ignore_ascii_case(answers.name()));
        found.ok_or_else(|| {
            format!(
                "{} is not a set of answers; write sides, ties or graded, or, of several options, best or \"best and worst\"",
                rather_io::quote(text)
            )
        })
    }
}
