//! An answer that was held out, with what was predicted.

use super::question::Question;
use crate::Comparison;
use crate::likelihood::choice_set::SetChoice;
use crate::likelihood::{Kind, Predictive, Reply};

/// A held-out answer. Of two items the one that comes first stands first among the outcomes, whoever was preferred: a probability above one half
/// is as likely to be right as one below.
#[derive(Debug, Clone, PartialEq)]
pub struct Tested {
    /// The kind of answer.
    pub kind: Kind,
    /// The predicted probability of everything that could have been answered: of a choice that the first item is preferred, and the second; of
    /// grades from the strongest preference for the first to that for the second; of a rating the levels; of a set of items every answer of the same form
    /// (the best, a ranking), if there are no more than 120, else the given one. Of a measured value its density alone.
    pub predicted: Vec<f64>,
    /// Which of them was answered; `None` of a measured value, and where not all are there.
    pub given: Option<usize>,
    /// How often this was the answer.
    pub count: f64,
    /// Of a number that was measured, also of a difference: where it lies in its predicted distribution.
    pub value: Option<Placed>,
}

/// A measured number in its predicted distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// The continuous ranked probability score, in the number's unit.
    pub crps: f64,
    /// The predicted probability of less.
    pub below: f64,
    /// That of at most as much.
    pub up_to: f64,
}

impl Placed {
    /// Where `value` lies.
    pub(super) fn new(predicted: &Predictive, value: f64) -> Self {
        Self { crps: predicted.crps(value), below: predicted.below(value), up_to: predicted.up_to(value) }
    }
}

impl Tested {
    /// `comparison`, of which `probability` was predicted for the winner.
    pub fn new(comparison: &Comparison, probability: f64) -> Self {
        let &Comparison { winner, loser, count } = comparison;
        let (predicted, given) = match winner < loser {
            true => (vec![probability, 1.0 - probability], 0),
            false => (vec![1.0 - probability, probability], 1),
        };
        Self { kind: Reply::CHOICE.kind, predicted, given: Some(given), count, value: None }
    }

    /// The answer to a question, of whose options these are the probabilities.
    pub fn answered(question: &Question, mut predicted: Vec<f64>) -> Self {
        // Of two, one is what the other leaves, without rounding of its own.
        if let (Some(given), [_, _]) = (question.given, predicted.as_slice()) {
            predicted[1 - given] = 1.0 - predicted[given];
        }
        Self { kind: question.kind, predicted, given: question.given, count: question.count, value: None }
    }

    /// The same of the second item and the first: what could have been answered about two items is the same from either end.
    #[must_use]
    pub(super) fn turned(mut self) -> Self {
        self.predicted.reverse();
        self.given = self.given.map(|given| self.predicted.len() - 1 - given);
        self
    }

    /// The probability that was predicted for the answer, or its density.
    pub fn of_answer(&self) -> f64 {
        self.predicted[self.given.unwrap_or(0)]
    }

    /// Whether what could have been answered has an order, from one end to the other.
    pub(super) fn has_order(&self) -> bool {
        self.kind != Kind(&SetChoice)
    }

    /// Whether the central predictive interval of probability `level` has the answer: of a measured number, or of one of more than two outcomes in
    /// their order. Intervals of outcomes and of whole numbers hold at least that much, and so cover more.
    pub(super) fn is_covered(&self, level: f64) -> Option<bool> {
        let tail = 0.5 * (1.0 - level);
        let (below, up_to) = match (self.value, self.given) {
            (Some(Placed { below, up_to, .. }), _) => (below, up_to),
            (None, Some(given)) if self.predicted.len() > 2 && self.has_order() => {
                let below = self.predicted[..given].iter().sum::<f64>();
                (below, below + self.predicted[given])
            }
            _ => return None,
        };
        Some(up_to >= tail && below < 1.0 - tail)
    }

    /// Probabilities and whether they came true: of two outcomes that of the first, of more those of all; nothing of a density.
    pub fn forecasts(&self) -> impl Iterator<Item = (f64, bool)> + '_ {
        let shown = match (self.given, self.predicted.len()) {
            (None, _) => 0,
            (_, 2) => 1,
            (_, outcomes) => outcomes,
        };
        (0..shown).map(|k| (self.predicted[k], self.given == Some(k)))
    }
}
