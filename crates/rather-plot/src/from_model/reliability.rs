//! Predictions of comparisons that the model was not learned from.

use rather::Comparison;
use rather::evaluate::{Calibration, Tested};
use rather::model::Model;
use rather::points::Points;

use crate::Reliability;

/// How the model's predictions for `held_out`, comparisons of `points`, turned out. Which item is on the left is settled
/// as in [`Tested`].
pub fn reliability(model: &Model, points: &Points, held_out: &[Comparison]) -> Reliability {
    let pairs: Vec<(usize, usize)> = held_out.iter().map(|c| (c.winner, c.loser)).collect();
    let probabilities = model.probabilities(points, &pairs);
    let tested: Vec<Tested> = held_out.iter().zip(probabilities).map(|(c, p)| Tested::new(c, p)).collect();
    Reliability::new(&Calibration::default_bins(&tested), "")
}
