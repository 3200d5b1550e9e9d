//! What a person may say to a duel, and what a model hears of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{History, Trial};
use crate::answers::{Answer, Answers};
use crate::half_life;
use crate::inference::observations::{Given, Observations};
use crate::likelihood::ResponseModel;

/// What a person said to a duel.
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
}

impl Outcome {
    /// How much the left item is preferred: 2 much, 1 at all (or a little), 0 not; negative for the right one.
    pub fn strength(self) -> i8 {
        match self {
            Self::MuchLeft => 2,
            Self::Left => 1,
            Self::Tie | Self::Split => 0,
            Self::Right => -1,
            Self::MuchRight => -2,
        }
    }

    /// The same without thresholds: which is preferred, or a comparison split.
    #[must_use]
    pub fn plain(self) -> Self {
        match self.strength() {
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
/// ([`Graded`](crate::likelihood::graded::Graded)); half a comparison each way for a tie that is split; nothing for a duel without an
/// answer.
pub fn observations<'a>(history: impl Into<History<'a>>) -> Observations {
    let History { trials, half_life } = history.into();
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

fn twice(duel: &Trial, graded: bool) -> Vec<Answer> {
    let &Trial { left, right, answer } = duel;
    let Some(answer) = answer else { return Vec::new() };
    let strength = answer.strength();
    let (better, worse) = if strength < 0 { (right, left) } else { (left, right) };
    match answer {
        Outcome::Split => vec![Answer::rather(left, right), Answer::rather(right, left)],
        Outcome::Tie => vec![Answer::tie(left, right).times(2)],
        _ if graded => vec![Answer::better(better, worse, strength.unsigned_abs()).times(2)],
        _ => vec![Answer::rather(better, worse).times(2)],
    }
}
