//! Answers as games, which baselines of sports learn from: two items, and whether one of them won.

use super::{Data, Fold, Tested};
use crate::answers::Answer;
use rather_numerics::order;

/// A game: two items, what the first of them scored (0, 1/2 or 1), and how often.
pub(super) struct Game {
    pub(super) items: (usize, usize),
    pub(super) score: f64,
    pub(super) count: f64,
}

impl Game {
    /// Nothing of an answer that compares no two items.
    fn of(answer: &Answer) -> Option<Self> {
        let (first, second) = answer.pair()?;
        Some(Self {
            items: (first, second),
            score: if answer.is_tie() { 0.5 } else { 1.0 },
            count: answer.count,
        })
    }

    /// All of them, if all are games.
    pub(super) fn all(answers: &[Answer]) -> Option<Vec<Self>> {
        answers.iter().map(Self::of).collect()
    }
}

/// How many games were ties, and how many were not.
pub(super) fn ties(games: &[Game]) -> (f64, f64) {
    let of = |tied: bool| {
        games.iter().filter(|game| (game.score == 0.5) == tied).map(|game| game.count).sum::<f64>()
    };
    (of(true), of(false))
}

/// What is predicted of `test`, answers about so many items, after `training` in this order; `like` are these answers as a model predicted them.
/// `None` if this is not about games.
pub type OfGames =
    fn(training: &[Answer], test: &[Answer], items: usize, like: &[Tested]) -> Option<Vec<Tested>>;

/// What a baseline predicts of the answers of each fold, after those of its training in the order `at` tells (else that of the rows); `like` are
/// these answers as a model predicted them.
pub fn of_folds(
    baseline: OfGames,
    data: &Data<'_>,
    folds: &[Fold],
    at: Option<&[f64]>,
    like: &[Vec<Tested>],
) -> Option<Vec<Vec<Tested>>> {
    if data.sides.is_some_and(|sides| !sides.teams.is_empty()) {
        return None;
    }
    let answers = data.about_entrants();
    let one = |(fold, like): (&Fold, &Vec<Tested>)| {
        let mut rows = fold.training.clone();
        match at {
            Some(at) => order::sort_ascending(&mut rows, |&row| at[row]),
            None => rows.sort_unstable(),
        }
        let training: Vec<Answer> = rows.iter().map(|&row| answers[row]).collect();
        let test: Vec<Answer> = fold.test.iter().map(|&row| answers[row]).collect();
        baseline(&training, &test, data.items.keys.len(), like)
    };
    folds.iter().zip(like).map(one).collect()
}

/// The tested answers, of each of which `outcomes` of its two items, the one that comes first first, has the probabilities that it wins, of a tie, and
/// that it loses; `None` if there are other outcomes.
pub(super) fn tested(
    test: &[Answer],
    like: &[Tested],
    outcomes: impl Fn((usize, usize)) -> [f64; 3],
) -> Option<Vec<Tested>> {
    let one = |(answer, like): (&Answer, &Tested)| {
        let (first, second) = answer.pair()?;
        let [win, tied, lose] = outcomes((first.min(second), first.max(second)));
        let predicted = match like.predicted.len() {
            2 => vec![win / (win + lose), lose / (win + lose)],
            3 => vec![win, tied, lose],
            _ => return None,
        };
        Some(Tested { predicted, value: None, ..like.clone() })
    };
    test.iter().zip(like).map(one).collect()
}
