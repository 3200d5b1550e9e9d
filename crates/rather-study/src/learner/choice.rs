//! A question that was chosen.

use crate::Error;
use crate::alternative::{Alternative, options};
use serde::{Deserialize, Serialize};

/// A question that was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The side to show on the left.
    pub left: Alternative,
    /// The side to show on the right.
    pub right: Alternative,
    /// The further options of a set, in the order in which to show them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Alternative>,
    /// Its value by the acquisition function, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What the time limit cut off, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// What a time limit cut off. A duel chosen so depends on the machine; any other follows from the answers alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cut {
    /// The search for the best duel: the best one found so far was taken, or, where there was no time to learn, the best of a first look.
    Search,
    /// Already the model: two sides were taken at random.
    Model,
}

impl Choice {
    /// The question about these options, of which there are two at least.
    pub(super) fn of(
        mut options: Vec<Alternative>,
        score: Option<f64>,
        cut: Option<Cut>,
    ) -> Result<Self, Error> {
        let others = options.split_off(options.len().min(2));
        let found = options.len();
        let [left, right] =
            <[Alternative; 2]>::try_from(options).map_err(|_| Error::Options { expected: 2, found })?;
        Ok(Self { left, right, others, score, cut })
    }

    /// The options, in the order in which to show them.
    pub fn options(&self) -> impl Iterator<Item = &Alternative> {
        options(&self.left, &self.right, &self.others)
    }
}
