//! The judges of a board.

use super::learn::Learned;
use rather::arena::{self, Cast};
use serde::Serialize;

/// A line of the table of judges.
#[derive(Debug, Clone, Serialize)]
pub(super) struct JudgeLine {
    pub(super) judge: String,
    pub(super) votes: f64,
    /// The share of decisive votes that are for the item of the larger utility, and what the model expects.
    pub(super) agreement: Option<f64>,
    pub(super) expected_agreement: Option<f64>,
    /// The share of votes for the left side beyond what is expected, and its standard error.
    pub(super) left: Option<f64>,
    pub(super) left_error: Option<f64>,
    pub(super) ties: Option<f64>,
    /// Pairs in both orders, and those whose winner changed with the side.
    pub(super) swapped: usize,
    pub(super) flipped: usize,
    /// The standard deviation of the noise relative to that of the others, and the probability of a lapse, if they were learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) noise: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lapse: Option<f64>,
}

/// Judges in the table, at most: those of the most votes.
const MOST: usize = 20;

/// The judges of the most votes, as many as the table has, those of most votes first.
pub(super) fn lines(cast: &Cast<'_>, learned: &Learned) -> Vec<JudgeLine> {
    let votes = &learned.votes;
    let judges = arena::judges(cast, MOST);
    let parameters = learned.model.reported_hyperparameters();
    let value = |name: &str| parameters.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    let number = |x: f64| x.is_finite().then_some(x);
    let line = |judge: arena::Judge| {
        let name = votes.voters[judge.voter].clone();
        let rate = value("lapse").zip(value(&format!("lapse.odds[{name}]")));
        JudgeLine {
            votes: judge.votes,
            agreement: number(judge.agreement),
            expected_agreement: number(judge.expected_agreement),
            left: judge.left.map(|(left, _)| left),
            left_error: judge.left.map(|(_, error)| error),
            ties: number(judge.ties),
            swapped: judge.swapped.0,
            flipped: judge.swapped.1,
            noise: value(&format!("factor[{name}]")),
            lapse: rate.map(|(rate, odds)| odds * rate / (1.0 - rate + odds * rate)),
            judge: name,
        }
    };
    judges.into_iter().map(line).collect()
}
