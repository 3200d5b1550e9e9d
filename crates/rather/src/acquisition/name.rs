//! An acquisition function with its setting, by name.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{ACQUISITIONS, AcquisitionFunction, AnswerModel, Contrast, PairBelief, Score, Setting};
use crate::Error;

/// An acquisition function with its setting: one of [`ACQUISITIONS`], written by its name and the setting behind a colon, or one's own
/// ([`AcquisitionFunction`]). Two are equal if they are written the same.
///
/// # Examples
/// ```
/// use rather::acquisition::{Acquisition, bald::Bald};
///
/// assert_eq!("bald".parse(), Ok(Acquisition::new(&Bald)));
/// assert_eq!("ucb".parse::<Acquisition>()?.to_string(), "ucb:2");
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Acquisition {
    pub(super) function: &'static dyn AcquisitionFunction,
    pub(super) setting: f64,
}

impl Acquisition {
    /// `function` with the setting that it takes if none is given.
    pub fn new(function: &'static dyn AcquisitionFunction) -> Self {
        Self { function, setting: function.setting().default() }
    }

    /// All that can be named, each with the setting that it takes if none is given.
    pub fn all() -> impl Iterator<Item = Self> {
        ACQUISITIONS.iter().map(|&function| Self::new(function))
    }

    /// The value of a comparison as a function of the difference's moments and of what may be `answers`, with derivatives; `None` for those that
    /// need joint draws. Of a function that [is absolute](AcquisitionFunction::is_absolute)
    /// the contrast has the variance of the challenger's own utility; of one that [conditions on a draw](AcquisitionFunction::conditions_on_a_draw)
    /// it is one under that posterior ([`super::believer::components`]).
    pub fn score(&self, contrast: &Contrast, answers: &AnswerModel) -> Option<Score> {
        self.function.score(contrast, answers, self.setting)
    }

    /// The value of a comparison under one or several beliefs, as such a function has it ([`AcquisitionFunction::scores_of_mixture`]); `gains` are
    /// for one that [needs them](AcquisitionFunction::needs_gains).
    pub(crate) fn scores(&self, parts: &[PairBelief<'_>], gains: &[Vec<f64>]) -> Vec<Score> {
        match parts {
            _ if self.needs_gains() => self.scores_given_gains(parts, gains, self.setting),
            [alone] => vec![self.score(&alone.contrast, alone.answers).unwrap_or(Score::NOTHING)],
            _ => self.scores_of_mixture(parts, self.setting),
        }
    }

    /// Whether it is such a function ([`Acquisition::score`]).
    pub fn is_closed_form(&self) -> bool {
        self.score(&Contrast { mean: 0.0, variance: 1.0, base: 0.0 }, &AnswerModel::probit(1.0)).is_some()
    }

    /// Checks that it can choose comparisons: all pairs, or those with one `opponent`.
    ///
    /// # Errors
    /// [`Error::ChoiceOfTwo`], [`Error::NeedsOpponent`].
    pub fn check(&self, opponent: bool) -> Result<(), Error> {
        let q = self.function.items(self.setting);
        if q != 2 {
            return Err(Error::ChoiceOfTwo { acquisition: self.to_string(), q });
        }
        if self.needs_opponent() && !opponent {
            return Err(Error::NeedsOpponent { acquisition: self.to_string() });
        }
        Ok(())
    }
}

/// What the function says of itself.
impl Deref for Acquisition {
    type Target = dyn AcquisitionFunction;

    fn deref(&self) -> &Self::Target {
        self.function
    }
}

impl PartialEq for Acquisition {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.setting == other.setting
    }
}

impl fmt::Display for Acquisition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.function.setting() {
            Setting::Nothing => f.write_str(self.name()),
            _ => write!(f, "{}:{}", self.name(), self.setting),
        }
    }
}

impl FromStr for Acquisition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, setting) = match text.trim().split_once(':') {
            Some((name, setting)) => (name.trim(), Some(setting.trim())),
            None => (text.trim(), None),
        };
        let Some(found) = Self::all().find(|a| a.name().eq_ignore_ascii_case(name)) else {
            let known: Vec<String> = Self::all().map(|a| a.to_string()).collect();
            return Err(Error::UnknownAcquisition { name: text.into(), known: known.join(", ") });
        };
        let Some(setting) = setting else { return Ok(found) };
        let takes = found.function.setting();
        let setting = takes.parse(setting).ok_or_else(|| Error::AcquisitionSetting {
            acquisition: text.into(),
            expected: takes.expected(found.name()),
        })?;
        Ok(Self { setting, ..found })
    }
}

impl TryFrom<String> for Acquisition {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Acquisition> for String {
    fn from(acquisition: Acquisition) -> Self {
        acquisition.to_string()
    }
}
