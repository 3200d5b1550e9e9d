//! What a person may say to a question, and what a model hears of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{History, Trial};
use crate::answers::{Answer, Answers};
use crate::half_life;
use crate::inference::observations::{Given, Observations};
use crate::likelihood::{Kind, ResponseModel};

/// What a person said to a comparison, or to a question about a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// The left item is much better.
    #[serde(rename = "much left")]
    MuchLeft,
    /// The left item is preferred; where "much better" is said too, a little.
    #[serde(rename = "left")]
    Left,
    /// Neither: the noisy difference is below a threshold, which is learned.
    #[serde(rename = "tie")]
    Tie,
    /// Neither, taken for half a comparison each way: without a threshold.
    #[serde(rename = "split")]
    Split,
    /// The right item is preferred; where "much better" is said too, a little.
    #[serde(rename = "right")]
    Right,
    /// The right item is much better.
    #[serde(rename = "much right")]
    MuchRight,
    /// By how much the left item is better, in the numbers of this kind of answer
    /// ([`Response::comparison_scale`](crate::likelihood::Response::comparison_scale)); negative if the right one is, 0 if neither.
    #[serde(rename = "by")]
    By {
        /// The kind of answer.
        kind: Kind,
        /// The number.
        number: i8,
    },
    /// Of a set: the places of the best item and, if it was asked, of the worst one, in the order in which they were shown, counted from 0.
    #[serde(rename = "extremes")]
    Extremes {
        /// The place of the best one.
        best: u8,
        /// The place of the worst one.
        worst: Option<u8>,
    },
}

impl Outcome {
    /// How much the left item is preferred: 2 much, 1 at all (or a little), 0 not, or the number that was given; negative for the right one. Of
    /// a set nothing is said of that: 0.
    pub fn strength(self) -> i8 {
        match self {
            Self::MuchLeft => 2,
            Self::Left => 1,
            Self::Tie | Self::Split | Self::Extremes { .. } => 0,
            Self::Right => -1,
            Self::MuchRight => -2,
            Self::By { number, .. } => number,
        }
    }

    /// Whether neither item is preferred, where one of them could have been.
    pub fn is_tie(self) -> bool {
        matches!(self, Self::Tie | Self::By { number: 0, .. })
    }

    /// The same without thresholds: which is preferred, or a comparison split.
    #[must_use]
    pub fn plain(self) -> Self {
        match self.strength() {
            _ if matches!(self, Self::Extremes { .. }) => self,
            0 => Self::Split,
            strength if strength > 0 => Self::Left,
            _ => Self::Right,
        }
    }
}

/// Whether any answer has a threshold. Where none has, a preference is a plain choice.
pub(super) fn have_thresholds(duels: &[Trial]) -> bool {
    duels.iter().filter_map(|duel| duel.answer).any(|answer| answer != answer.plain())
}

/// The answers, merged, each as much as it counts: choices; where there are ties or grades, their likelihoods
/// ([`Graded`](crate::likelihood::graded::Graded)); numbers with that of their kind; half a comparison each way for a tie that is split; one joint answer for a set
/// ([`Answer::ordered`]); nothing for a question without an answer.
pub fn observations<'a>(history: impl Into<History<'a>>) -> Observations {
    let History { trials, half_life } = history.into();
    if trials.iter().any(Trial::is_of_set) {
        let answers: Answers =
            trials.iter().flat_map(|trial| in_full(trial, have_thresholds(trials))).collect();
        return Observations::of(&answers, &[], ResponseModel::default());
    }
    let graded = have_thresholds(trials);
    let answered = || trials.iter().filter(|trial| trial.answer.is_some());
    let weights = half_life::weights(answered().map(|_| 1.0).collect::<Vec<_>>().into_iter(), half_life);
    // Everything is said twice, so that half a comparison is said once.
    let said = answered().zip(weights).flat_map(|(trial, weight)| {
        twice(trial, graded).into_iter().map(move |answer| (answer, 0.5 * weight * answer.count))
    });
    let (answers, weights): (Answers, Vec<f64>) = said.unzip();
    let mut observations = Observations::of(&answers, &[], ResponseModel::default());
    let given =
        observations.given(&answers, None).zip(weights).map(|(given, weight)| Given { weight, ..given });
    let weights = observations.weights(given);
    observations.weigh(&weights);
    Arc::make_mut(&mut observations.responses).counts.iter_mut().for_each(|count| *count *= 0.5);
    observations
}

/// The answer that a trial is, where some are about sets, which count as they were given.
fn in_full(trial: &Trial, graded: bool) -> Vec<Answer> {
    match trial.ordered() {
        // What is no answer was refused before.
        Some(ordered) => ordered.into_iter().collect(),
        None => twice(trial, graded).into_iter().map(|said| said.times(0.5 * said.count)).collect(),
    }
}

fn twice(duel: &Trial, graded: bool) -> Vec<Answer> {
    let &Trial { left, right, answer, .. } = duel;
    let Some(answer) = answer else { return Vec::new() };
    let strength = answer.strength();
    let (better, worse) = if strength < 0 { (right, left) } else { (left, right) };
    match answer {
        Outcome::Split => vec![Answer::rather(left, right), Answer::rather(right, left)],
        Outcome::By { kind, number } => {
            vec![Answer::compared(left, right, kind, f64::from(number)).times(2)]
        }
        Outcome::Tie => vec![Answer::tie(left, right).times(2)],
        _ if graded => vec![Answer::better(better, worse, strength.unsigned_abs()).times(2)],
        _ => vec![Answer::rather(better, worse).times(2)],
    }
}
