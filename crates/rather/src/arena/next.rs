//! What may be voted next, and how many more votes tell two items apart.

use crate::model::Model;
use crate::posterior::Joint;
use rather_numerics::special::normal;

/// The probability from which on one item is above another.
const APART: f64 = 0.975;
/// A step for a derivative, in standard deviations of the noise.
const STEP: f64 = 1e-4;

/// The probabilities of a vote for the first, for neither and for the second of two items whose utilities differ by `z`.
pub fn chances(model: &Model, z: f64) -> [f64; 3] {
    model.belief().likelihoods().chances(z)
}

/// How many more votes about `i` and `j` alone would tell them apart, if their utilities differ as the means do: until the better one is above the
/// other with a probability of 97.5 %. 0 if they are apart; `None` if they do not differ at all.
///
/// # Formula
/// With $d$ and $v$ the mean and the variance of the difference and $I=\sum_yp_y'(d)^2/p_y(d)$ the information of a vote,
/// $n=\big((z_{.975}/d)^2-1/v\big)/I$.
pub fn votes_to_separate(model: &Model, joint: &Joint, i: usize, j: usize) -> Option<f64> {
    let (d, v) = joint.difference(i, j);
    let needed = (normal::quantile(APART) / d).powi(2);
    if !needed.is_finite() || v <= 0.0 {
        return None;
    }
    let step = STEP * model.hyperparameters().noise();
    let (more, less, here) = (chances(model, d + step), chances(model, d - step), chances(model, d));
    let part = |k: usize| ((more[k] - less[k]) / (2.0 * step)).powi(2) / here[k].max(f64::MIN_POSITIVE);
    let information: f64 = (0..3).filter(|&k| here[k] > 0.0).map(part).sum();
    Some(((needed - 1.0 / v) / information).max(0.0))
}
