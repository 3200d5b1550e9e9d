//! What all answers together say about the moment of each: filter forward, smooth backward.

use super::belief::{Along, Belief};
use super::forgetting::{Forgetting, decay};
use super::model::StreamingModel;
use rather_numerics::linalg::{
    Matrix, cholesky, product, solve_lower, solve_lower_transposed, transpose_product,
};

/// The belief at the time of one answer, seen along its projection.
pub(super) struct AtAnswer {
    /// The moments of $u=p^\top w$.
    pub(super) along: Along,
    /// Mean of $w$.
    pub(super) mean: Vec<f64>,
    /// $\Sigma p$.
    pub(super) spread: Vec<f64>,
}

/// The beliefs at all answers, given all answers.
pub(super) struct Smoothed {
    pub(super) answers: Vec<AtAnswer>,
    /// At the base, before the first of them; without a walk the belief of all times.
    pub(super) base: Belief,
    /// The log of the integral of the base times all sites.
    pub(super) log_integral: f64,
}

/// Filters and smooths with the sites as they are. `None` if a site does not fit.
///
/// # References
/// Rauch, Tung and Striebel, *Maximum likelihood estimates of linear dynamic systems* (1965).
pub(super) fn run(model: &StreamingModel) -> Option<Smoothed> {
    let walk = match model.settings.forgetting {
        Forgetting::Drift { half_life } => Some(half_life),
        Forgetting::Never | Forgetting::Power { .. } => None,
    };
    let mut belief = model.base_now()?;
    let mut scratch = vec![0.0; belief.len()];
    let mut log_integral = 0.0;
    let mut filtered = vec![belief.clone()];
    let each = model.answers.each();
    for of_answer in &each {
        if !model.walk(&mut belief) {
            return None;
        }
        log_integral += model.absorb_kept(&mut belief, of_answer.clone(), &mut scratch, |n| model.site(n))?;
        if walk.is_some() {
            filtered.push(belief.clone());
        }
    }
    let at = |belief: &Belief, n: usize| {
        let mut spread = vec![0.0; belief.len()];
        let along = belief.along(model.answers.features(n), &mut spread);
        AtAnswer { along, mean: belief.mean.clone(), spread }
    };
    let count = model.answers.len();
    let Some(half_life) = walk else {
        // One and the same belief at all times.
        let answers = (0..count).map(|n| at(&belief, n)).collect();
        return Some(Smoothed { answers, base: belief, log_integral });
    };
    let mut answers = Vec::with_capacity(count);
    for (of_answer, filtered) in each.into_iter().zip(&filtered).rev() {
        answers.extend(of_answer.rev().map(|n| at(&belief, n)));
        belief = backward(half_life, filtered, &belief)?;
    }
    answers.reverse();
    Some(Smoothed { answers, base: belief, log_integral })
}

/// One step back: `filtered` is the belief at a time from the answers up to it, `next` that one step later from all.
fn backward(half_life: f64, filtered: &Belief, next: &Belief) -> Option<Belief> {
    let a = decay(half_life);
    let mut predicted = filtered.clone();
    if !(Forgetting::Drift { half_life }).advance(&mut predicted) {
        return None;
    }
    let mut factor = predicted.covariance.clone();
    if !cholesky(&mut factor) {
        return None;
    }
    // The transposed gain: P^-1 a Sigma.
    let mut gain = filtered.covariance.clone();
    gain.data_mut().iter_mut().for_each(|x| *x *= a);
    solve_lower(&factor, &mut gain);
    solve_lower_transposed(&factor, &mut gain);
    let change: Vec<f64> = next.mean.iter().zip(&predicted.mean).map(|(n, p)| n - p).collect();
    let moved = gain.transpose_times(&change);
    let mean = filtered.mean.iter().zip(&moved).map(|(m, d)| m + d).collect();
    let n = filtered.len();
    let narrower = Matrix::from_fn(n, n, |i, j| next.covariance[(i, j)] - predicted.covariance[(i, j)]);
    let taken = transpose_product(&gain, &product(&narrower, &gain));
    let covariance =
        Matrix::from_fn(n, n, |i, j| filtered.covariance[(i, j)] + 0.5 * (taken[(i, j)] + taken[(j, i)]));
    Some(Belief { mean, covariance })
}
