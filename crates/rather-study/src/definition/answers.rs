//! Which answers a study takes.

use crate::Error;
use crate::answer::Answer;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Which answers may be given to a duel. It may always be skipped.
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
}

impl Answers {
    /// All of them.
    pub fn all(self) -> &'static [Answer] {
        use Answer as A;
        match self {
            Self::Sides => &[A::Left, A::Right, A::Skip],
            Self::Ties => &[A::Left, A::Right, A::Tie, A::Skip],
            Self::Graded => &A::ALL,
        }
    }

    /// Whether `answer` is one of them.
    pub fn allow(self, answer: Answer) -> bool {
        self.all().contains(&answer)
    }

    /// Reads one of them, in the words of [`Answer`]'s `FromStr`.
    ///
    /// # Errors
    /// [`Error::UnknownAnswer`], which names all of them.
    ///
    /// # Examples
    /// ```
    /// use rather_study::Answer;
    /// use rather_study::definition::Answers;
    ///
    /// assert_eq!(Answers::Graded.parse("much-left")?, Answer::MuchLeft);
    /// let sentence = Answers::Sides.parse("tie").unwrap_err().to_string();
    /// assert_eq!(sentence, "\"tie\" is not an answer of this study; write left, right or skip");
    /// # Ok::<(), rather_study::Error>(())
    /// ```
    pub fn parse(self, text: &str) -> Result<Answer, Error> {
        let found = text.parse().ok().filter(|&answer| self.allow(answer));
        found.ok_or_else(|| Error::UnknownAnswer { text: text.to_owned(), known: self.all() })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sides => "sides",
            Self::Ties => "ties",
            Self::Graded => "graded",
        }
    }

    /// That `answer` is one of them.
    pub(crate) fn check(self, answer: Answer) -> Result<(), Error> {
        match self.allow(answer) {
            true => Ok(()),
            false => Err(Error::UnknownAnswer { text: answer.name().to_owned(), known: self.all() }),
        }
    }
}

impl FromStr for Answers {
    type Err = String;

    /// # Errors
    /// The sentence that names the three.
    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Sides, Self::Ties, Self::Graded];
        let found = all.into_iter().find(|answers| text.trim().eq_ignore_ascii_case(answers.name()));
        found.ok_or_else(|| {
            format!("{} is not a set of answers; write sides, ties or graded", rather_io::quote(text))
        })
    }
}
