//! Draws of the weights of the prior's features under answers of any kind, by elliptical slice sampling around the Gaussian of expectation
//! propagation.

use std::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;

use super::chains::{self, Length};
use super::noisy_sets::NoisySets;
use crate::Error;
use crate::evidence::Evidence;
use crate::inference::observations::Observation;
use crate::inference::prior::{Absorbed, Prior};
use crate::inference::ratio::log_ratio;
use crate::likelihood::Likelihoods;
use rather_numerics::linalg::{Matrix, axpy, solve_lower_transposed_vec};
use rather_numerics::random::{normals, uniform};

/// Draws the weights of the prior's features from their exact posterior: one matrix a chain, one draw a column.
///
/// # Formula
/// The posterior of the weights $w$ is expectation propagation's Gaussian $\mathcal N(\hat w,B^{-1})$ times what the sites
/// leave of the likelihoods, $\sum_mk_m\big[\log t_m(z_m)-\tilde\nu_mz_m+\tfrac12\tilde\tau_mz_m^2\big]$. A point with at least a random level of
/// it is searched for on an ellipse around $\hat w$. Expectation propagation only has to be near: the draws are exact for any sites. Answers about sets
/// have no closed density: their noisy utilities are drawn in turn with the weights ([`NoisySets`]).
///
/// # Errors
/// [`Unsupported::JointAnswers`](crate::Unsupported::JointAnswers) for answers about sets with Gumbel noise or a fraction of one; [`Error::Inference`] if a precision is none.
///
/// # References
/// Fagan, Bhandari and Cunningham, *Elliptical slice sampling with expectation propagation* (2016), UAI.
pub(super) fn draw(
    evidence: &Evidence,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    length: Length,
    seed: u64,
) -> Result<Vec<Matrix>, Error> {
    let sets = NoisySets::new(evidence, observations, likelihoods)?;
    let rank = evidence.prior.rank();
    let Some(sets) = sets else {
        let Absorbed { weights, factor, .. } = &evidence.outcome.posterior;
        let around = Around { evidence, observations, likelihoods, centre: weights, factor };
        return Ok(chains::run(length, seed, |rng| around.draw(rng), |w, rng| around.step(w, rng)));
    };
    let observations = &observations[..sets.first];
    let start = |rng: &mut ChaCha8Rng| {
        let Absorbed { weights, factor, .. } = &evidence.outcome.posterior;
        let w = Around { evidence, observations, likelihoods, centre: weights, factor }.draw(rng);
        let y = sets.start(&projections(&evidence.prior, &w), rng);
        [w, y].concat()
    };
    let step = |state: &mut Vec<f64>, rng: &mut ChaCha8Rng| {
        let (w, y) = state.split_at_mut(rank);
        sets.redraw(&projections(&evidence.prior, w), y, rng);
        let centre = sets.centre(&evidence.prior, y);
        Around { evidence, observations, likelihoods, centre: &centre, factor: &sets.factor }.step(w, rng);
    };
    let chains = chains::run(length, seed, start, step);
    Ok(chains.iter().map(|all| Matrix::from_fn(rank, all.cols(), |k, draw| all[(k, draw)])).collect())
}

/// The projections at weights `w`.
fn projections(prior: &Prior, w: &[f64]) -> Vec<f64> {
    let mut z = prior.project(&prior.features.transpose_times(w));
    axpy(1.0, &prior.means, &mut z);
    z
}

/// A Gaussian to sample around, near the posterior under some answers.
struct Around<'a> {
    evidence: &'a Evidence,
    observations: &'a [Observation],
    likelihoods: &'a Likelihoods,
    /// Its mean, and the Cholesky factor of its precision.
    centre: &'a [f64],
    factor: &'a Matrix,
}

impl Around<'_> {
    /// A draw of the Gaussian, less its mean.
    fn direction(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut w = normals(self.evidence.prior.rank(), rng);
        solve_lower_transposed_vec(self.factor, &mut w);
        w
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        self.centre.iter().zip(self.direction(rng)).map(|(m, d)| m + d).collect()
    }

    /// The log of the likelihoods over the sites.
    fn log_ratio(&self, w: &[f64]) -> f64 {
        let Evidence { prior, outcome } = self.evidence;
        log_ratio(prior, &outcome.sites, self.observations, self.likelihoods, &projections(prior, w))
    }

    fn step(&self, w: &mut [f64], rng: &mut ChaCha8Rng) {
        let direction = self.direction(rng);
        let centred: Vec<f64> = w.iter().zip(self.centre).map(|(w, m)| w - m).collect();
        let level = self.log_ratio(w) + uniform(rng).ln();
        let mut angle = TAU * uniform(rng);
        let (mut from, mut to) = (angle - TAU, angle);
        // At angle 0 is the current point; where rounding hides it, the point stays.
        while to - from > f64::EPSILON {
            let (sin, cos) = angle.sin_cos();
            let next: Vec<f64> = self
                .centre
                .iter()
                .zip(centred.iter().zip(&direction))
                .map(|(m, (c, d))| m + c * cos + d * sin)
                .collect();
            if self.log_ratio(&next) > level {
                w.copy_from_slice(&next);
                return;
            }
            if angle < 0.0 {
                from = angle
            } else {
                to = angle
            }
            angle = from + (to - from) * uniform(rng);
        }
    }
}
