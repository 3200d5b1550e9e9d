//! What a model says about answers of other kinds than a plain choice.

use super::Model;
use crate::Error;
use crate::points::Points;

impl Model {
    /// What may be said of each pair of positions in `points`, the first of which is shown on the left: names from "much left" over "tie" to
    /// "much right" with their probabilities, an advantage of the left included; empty for a model of plain choices. The words are those
    /// of the table ([`Naming::grades`](super::Naming::grades)). [`Model::probabilities`] are those of a preference, without such an
    /// advantage.
    pub fn outcomes(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<Vec<(String, f64)>> {
        self.naming.outcomes(self.belief().outcomes(points, pairs))
    }

    /// As [`Model::outcomes`], nearer to exact and slower ([`Posterior::sharp_outcomes`](crate::posterior::Posterior::sharp_outcomes)).
    ///
    /// # Errors
    /// As [`Posterior::sharp_outcomes`](crate::posterior::Posterior::sharp_outcomes).
    pub fn sharp_outcomes(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
    ) -> Result<Vec<Vec<(String, f64)>>, Error> {
        Ok(self.naming.outcomes(self.belief().sharp_outcomes(points, pairs)?))
    }

    /// As [`Model::probabilities`], of somebody to whom the left item of each pair is shown on the left: what was learned of its advantage
    /// counts. The same without such an advantage.
    pub fn shown_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.belief().shown_probabilities(points, pairs)
    }

    /// As [`Model::shown_probabilities`], nearer to exact and slower.
    ///
    /// # Errors
    /// As [`Model::sharp_probabilities`].
    pub fn sharp_shown_probabilities(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
    ) -> Result<Vec<f64>, Error> {
        self.belief().sharp_shown_probabilities(points, pairs)
    }

    /// The probabilities of the levels of a rating, the lowest first, for each of `points`; empty for a model without ratings.
    pub fn ratings(&self, points: &Points) -> Vec<Vec<f64>> {
        self.belief().ratings(points)
    }
}
