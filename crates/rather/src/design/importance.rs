//! Draws of utilities from the posterior: from its Gaussian approximation, each with a weight that makes up for what that leaves out.
//!
//! Of items that are far apart in units of the noise an answer cuts off one side of their difference, and the posterior of a dozen such answers is
//! no Gaussian: the best of ten items is then stated with .74 where the exact posterior has .80. Moments of expectation propagation are near, so
//! its draws need no more than importance weights.

use rand_chacha::ChaCha8Rng;

use crate::Error;
use crate::belief::Belief;
use crate::points::Points;
use crate::posterior::{Posterior, Sampler};

/// With more answers than this the Gaussian is near, and no draw of it is near in all answers.
const MOST_ANSWERS: usize = 200;
/// Weights whose effective number is a smaller share of the draws are left alone: a few draws would decide.
const FEWEST_EFFECTIVE: f64 = 0.1;

/// Utilities to be drawn.
pub(super) struct Draws<'a> {
    /// How many are asked for; those of the compared items follow where draws are weighted.
    asked: usize,
    sampler: Sampler,
    /// The Gaussians whose draws are weighted; none if all draws count alike.
    weighted: Vec<&'a Posterior>,
}

impl<'a> Draws<'a> {
    /// Of the utilities of `points`.
    ///
    /// # Errors
    /// [`Error::Covariance`] if the covariance is not finite.
    pub(super) fn new(belief: &'a Belief, points: &Points) -> Result<Self, Error> {
        let components = belief.components()?;
        let is_weighted = |(_, posterior): &(f64, &Posterior)| {
            let answers = posterior.observations.merged.len();
            posterior.has_log_ratio() && (1..=MOST_ANSWERS).contains(&answers)
        };
        if !components.iter().all(is_weighted) {
            let sampler = Sampler::at(points, &components)?;
            return Ok(Self { asked: points.len(), sampler, weighted: Vec::new() });
        }
        // All hyperparameters are about the same answers.
        let all = points.followed_by(components[0].1.compared());
        let sampler = Sampler::at(&all, &components)?;
        let weighted = components.into_iter().map(|(_, posterior)| posterior).collect();
        Ok(Self { asked: points.len(), sampler, weighted })
    }

    /// Hands `number` draws to `take`: the position of the Gaussian that it is from, the utilities, and the weight, which is 1 on average.
    ///
    /// # Formula
    /// The self-normalised weights $p(f\mid D)/q(f)$ of each Gaussian $q$ ([`Posterior::log_ratio`]), cut at the root of their number times their mean.
    ///
    /// # References
    /// Ionides, *Truncated importance sampling* (2008), Journal of Computational and Graphical Statistics 17.
    pub(super) fn each(&self, number: usize, rng: &mut ChaCha8Rng, mut take: impl FnMut(usize, &[f64], f64)) {
        for (component, utilities) in self.sampler.draws(number, rng) {
            let draws = utilities.cols();
            let weights = match self.weighted.get(component) {
                Some(posterior) => weights(
                    (0..draws).map(|k| posterior.log_ratio(&utilities.col(k)[self.asked..])).collect(),
                ),
                None => vec![1.0; draws],
            };
            for (k, weight) in weights.into_iter().enumerate() {
                take(component, &utilities.col(k)[..self.asked], weight);
            }
        }
    }
}

/// Weights of which the mean is 1, from their logarithms but for a constant; all 1 where they are too unequal.
fn weights(logs: Vec<f64>) -> Vec<f64> {
    let number = logs.len() as f64;
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut weights: Vec<f64> = logs.into_iter().map(|log| (log - largest).exp()).collect();
    let mean = weights.iter().sum::<f64>() / number;
    weights.iter_mut().for_each(|w| *w = w.min(mean * number.sqrt()));
    let sum: f64 = weights.iter().sum();
    let effective = sum * sum / weights.iter().map(|w| w * w).sum::<f64>();
    if effective.is_nan() || effective < FEWEST_EFFECTIVE * number {
        return vec![1.0; weights.len()];
    }
    weights.iter_mut().for_each(|w| *w *= number / sum);
    weights
}
