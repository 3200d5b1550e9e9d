//! What a model says about answers of other kinds than a plain choice.

use super::Model;
use crate::answers::Opinion;
use crate::likelihood::Said;
use crate::points::Points;
use crate::{Comparison, Error};

/// The plain comparisons among `answers`.
///
/// # Errors
/// [`Error::NoComparisons`] if there is no answer at all; those of [`Opinion::check`].
pub(super) fn check(items: usize, answers: &[Opinion]) -> Result<Vec<Comparison>, Error> {
    if answers.is_empty() {
        return Err(Error::NoComparisons);
    }
    answers.iter().enumerate().try_for_each(|(row, answer)| answer.check(row, items))?;
    let plain = answers.iter().filter(|answer| answer.said.kind == Said::DUEL.kind);
    Ok(plain.filter_map(|a| Some(Comparison { winner: a.plus, loser: a.minus?, count: a.count })).collect())
}

impl Model {
    /// What may be said of each pair of positions in `points`, the first of which is shown on the left: names from "much left" over "tie" to
    /// "much right" with their probabilities, an advantage of the left included; empty for a model of plain choices.
    /// [`Model::probabilities`] are those of a preference, without such an advantage.
    pub fn outcomes(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<Vec<(String, f64)>> {
        // A sparse precision is for plain choices only.
        self.posterior().map_or_else(|_| vec![Vec::new(); pairs.len()], |p| p.outcomes(points, pairs))
    }

    /// The probabilities of the levels of a rating, the lowest first, for each of `points`; empty for a model without ratings.
    pub fn ratings(&self, points: &Points) -> Vec<Vec<f64>> {
        self.posterior().map_or_else(|_| vec![Vec::new(); points.len()], |p| p.ratings(points))
    }
}
