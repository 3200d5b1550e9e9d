//! A question of a history, and its answer.

use super::Outcome;
use crate::Error;
use crate::answers::{Answer, Between};
use crate::likelihood::choice_set::PartialOrder;

/// A question of a history: two items, or a set of three to twelve, by their numbers in the pool or in the list of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// The item shown on the left; of a set the first one.
    pub left: usize,
    /// The item shown on the right; of a set the second one.
    pub right: usize,
    /// The further items of a set.
    pub others: Between,
    /// The answer; `None` if it was skipped or is still open.
    pub answer: Option<Outcome>,
}

impl Trial {
    /// A comparison of two items.
    pub fn pair(left: usize, right: usize, answer: Option<Outcome>) -> Self {
        Self { left, right, others: Between::default(), answer }
    }

    /// A question about a set of items, in the order in which they were shown. Of two items it is a comparison.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two items or more than twelve.
    ///
    /// # Examples
    /// ```
    /// use rather::design::{Outcome, Trial};
    ///
    /// let best = Outcome::Extremes { best: 2, worst: None };
    /// let trial = Trial::set(&[7, 1, 4, 0], Some(best))?;
    /// assert_eq!(trial.winner(), Some(4));
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn set(items: &[usize], answer: Option<Outcome>) -> Result<Self, Error> {
        match items {
            [left, right, others @ ..] if items.len() <= PartialOrder::MOST => {
                let others = Between::of(others.iter().map(|&item| u32::try_from(item).unwrap_or(u32::MAX)));
                Ok(Self { left: *left, right: *right, others, answer })
            }
            _ => {
                let requirement = "a question is about 2 to 12 items";
                Err(Error::Parameter { name: "options".into(), value: items.len() as f64, requirement })
            }
        }
    }

    /// The items, in the order in which they were shown.
    pub fn items(&self) -> impl Iterator<Item = usize> {
        let others = self.others;
        let others = (0..others.items().len()).map(move |k| others.items()[k] as usize);
        [self.left, self.right].into_iter().chain(others)
    }

    /// Whether it is about a set of more than two items.
    pub fn is_of_set(&self) -> bool {
        !self.others.items().is_empty()
    }

    /// The preferred item, or the best of a set, if the answer named one.
    pub fn winner(&self) -> Option<usize> {
        let answer = self.answer?;
        if let Outcome::Extremes { best, .. } = answer {
            return self.items().nth(best.into());
        }
        match answer.strength() {
            0 => None,
            strength if strength > 0 => Some(self.left),
            _ => Some(self.right),
        }
    }

    /// The comparisons whose order the answer tells: itself; of a set those of the best item, and of the worst one, with all others.
    pub fn comparisons(&self) -> Vec<Self> {
        let Some(Outcome::Extremes { best, worst }) = self.answer else { return vec![*self] };
        let items: Vec<usize> = self.items().collect();
        let (best, worst) = (usize::from(best), worst.map(usize::from));
        let over = |&winner: &usize, &loser: &usize| Self::pair(winner, loser, Some(Outcome::Left));
        let place = |at: usize| items.get(at).into_iter();
        let others = |but: [Option<usize>; 2]| {
            let left = (0..items.len()).filter(move |&at| !but.contains(&Some(at)));
            left.map(|at| &items[at]).collect::<Vec<_>>()
        };
        let of_best = place(best)
            .flat_map(|winner| others([Some(best), None]).into_iter().map(move |l| over(winner, l)));
        let of_worst = worst
            .into_iter()
            .flat_map(place)
            .flat_map(|loser| others([Some(best), worst]).into_iter().map(move |winner| over(winner, loser)));
        of_best.chain(of_worst).collect()
    }

    /// The same as an answer about a set; `None` if it is a comparison, or has no answer.
    pub(super) fn ordered(&self) -> Option<Result<Answer, Error>> {
        let Some(Outcome::Extremes { best, worst }) = self.answer else { return None };
        let items: Vec<usize> = self.items().collect();
        let extremes = [Some(best), worst].map(|place| place.map(usize::from));
        let between = (0..items.len()).filter(|&at| !extremes.contains(&Some(at)));
        let order: Vec<usize> = extremes[0].into_iter().chain(between).chain(extremes[1]).collect();
        if order.len() != items.len() || order.iter().any(|&at| at >= items.len()) {
            let problem = "names an item as the best or the worst that is not in its set, or one as both";
            return Some(Err(Error::Answer { row: 0, problem }));
        }
        let order: Vec<usize> = order.into_iter().map(|at| items[at]).collect();
        Some(Answer::ordered(&order, 1, usize::from(worst.is_some())))
    }

    /// Checks that it compares different ones of so many `items`, and that its answer is one to such a question.
    ///
    /// # Errors
    /// [`Error::UnknownItem`], [`Error::SelfComparison`] and [`Error::Answer`], of this `row`.
    pub(super) fn check(&self, row: usize, items: usize) -> Result<(), Error> {
        let of_row = |error| match error {
            Error::Answer { problem, .. } => Error::Answer { row, problem },
            other => other,
        };
        if self.is_of_set() && self.answer.is_some_and(|answer| !matches!(answer, Outcome::Extremes { .. })) {
            let problem = "is about a set, which has a best item, or a best and a worst one";
            return Err(Error::Answer { row, problem });
        }
        let shown: Vec<usize> = self.items().collect();
        Answer::ordered(&shown, 1, 0)?.check(row, items)?;
        self.ordered().transpose().map(|_| ()).map_err(of_row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_the_comparisons_that_its_answer_tells() {
        let trial = |best, worst| Trial::set(&[7, 1, 4, 0], Some(Outcome::Extremes { best, worst })).unwrap();
        let told = |trial: Trial| {
            let pairs = trial.comparisons().into_iter();
            pairs.map(|pair| (pair.left, pair.right)).collect::<Vec<_>>()
        };
        assert_eq!(told(trial(2, None)), [(4, 7), (4, 1), (4, 0)]);
        assert_eq!(told(trial(2, Some(0))), [(4, 7), (4, 1), (4, 0), (1, 7), (0, 7)]);
        assert_eq!(told(Trial::pair(3, 5, Some(Outcome::Right))), [(3, 5)]);
        let ordered = trial(2, Some(0)).ordered().unwrap().unwrap();
        assert_eq!(ordered, Answer::ordered(&[4, 1, 0, 7], 1, 1).unwrap());
    }

    #[test]
    fn what_is_no_answer_to_a_set_is_an_error() {
        let problem = |items: &[usize], answer| {
            Trial::set(items, Some(answer)).unwrap().check(3, 9).unwrap_err().to_string()
        };
        for (best, worst) in [(3, None), (0, Some(3)), (1, Some(1))] {
            assert!(
                problem(&[0, 1, 2], Outcome::Extremes { best, worst }).contains("not in its set"),
                "{best}"
            );
        }
        assert!(problem(&[0, 1, 2], Outcome::Left).contains("is about a set"));
        let best = Outcome::Extremes { best: 0, worst: None };
        assert!(problem(&[0, 1, 1], best).contains("with itself"));
        assert!(problem(&[0, 1, 9], best).contains("names item 9"));
        assert!(Trial::set(&[0], None).is_err() && Trial::set(&[0; 13], None).is_err());
    }
}
