//! The judges of a board.

use crate::learn::Learned;
use rather::arena::{self, Cast};
use serde::Serialize;

/// A line of the table of judges.
#[derive(Debug, Clone, Serialize)]
pub struct JudgeLine {
    /// Their name.
    pub judge: String,
    /// Votes of theirs about two items.
    pub votes: f64,
    /// The share of decisive votes that are for the item of the larger utility.
    pub agreement: Option<f64>,
    /// What the model expects of it.
    pub expected_agreement: Option<f64>,
    /// The share of votes for the left side beyond what is expected.
    pub left: Option<f64>,
    /// Its standard error.
    pub left_error: Option<f64>,
    /// The share of ties.
    pub ties: Option<f64>,
    /// Pairs in both orders.
    pub swapped: usize,
    /// Those whose winner changed with the side.
    pub flipped: usize,
    /// The standard deviation of the noise relative to that of the others, if it was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The probability of a lapse, if it was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lapse: Option<f64>,
}

/// Judges in the table, at most: those of the most votes.
const MOST: usize = 20;

/// The judges of the most votes, as many as the table has, those of most votes first.
pub(crate) fn lines(cast: &Cast<'_>, learned: &Learned) -> Vec<JudgeLine> {
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
