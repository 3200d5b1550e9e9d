//! The noisy utilities of answers about sets, drawn beside the weights of the prior's features.

use rand_chacha::ChaCha8Rng;

use super::noisy_set::NoisySet;
use crate::evidence::Evidence;
use crate::inference::observations::Observation;
use crate::inference::prior::Prior;
use crate::inference::sites::Sites;
use crate::likelihood::Likelihoods;
use crate::{Error, Unsupported};
use rather_numerics::linalg::{Matrix, solve_lower_transposed_vec, solve_lower_vec};

/// Answers about sets beside answers of other kinds, by data augmentation: given the weights, noisy utilities are drawn one after the other, and given
/// these the answers are Gaussian factors on the weights, which take the place of their sites.
///
/// # References
/// Albert and Chib, *Bayesian analysis of binary and polychotomous response data* (1993), JASA 88.
pub(super) struct NoisySets {
    /// Each with the noise of its options.
    sets: Vec<(NoisySet, f64)>,
    /// The first observation that is of a set.
    pub(super) first: usize,
    /// Of each projection, what the noisy utilities say of it, whatever they are, and the sites of the other answers: the precision; and of the latter the
    /// precision times the mean.
    tau: Vec<f64>,
    nu: Vec<f64>,
    /// The Cholesky factor of the weights' precision.
    pub(super) factor: Matrix,
}

impl NoisySets {
    /// Those of `observations`, the last of them; `None` if there are none.
    pub(super) fn new(
        evidence: &Evidence,
        observations: &[Observation],
        likelihoods: &Likelihoods,
    ) -> Result<Option<Self>, Error> {
        let of_set = |o: &Observation| likelihoods.about_set(o.answer).is_some();
        let Some(first) = observations.iter().position(of_set) else { return Ok(None) };
        let Evidence { prior, outcome } = evidence;
        let of_others =
            Sites { tau: outcome.sites.tau[..first].to_vec(), nu: outcome.sites.nu[..first].to_vec() };
        let (mut tau, nu) = of_others.by_edge(&observations[..first], prior.edges.len());
        let (mut sets, mut rest, mut place) = (Vec::new(), &observations[first..], 0);
        while let Some(o) = rest.first() {
            let set = likelihoods.set(o.answer).filter(|_| o.count().fract() == 0.0);
            let set = set.ok_or(Unsupported::JointAnswers)?;
            let (of_answer, others) = rest.split_at(set.order().pairs());
            let noisy = NoisySet::new(set.order(), of_answer, 0);
            for _ in 0..o.count() as usize {
                noisy.add_precision(precision(set.noise()), &mut tau);
                sets.push((noisy.at(place), set.noise()));
                place += noisy.len();
            }
            rest = others;
        }
        let factor = prior.absorb(&tau, &nu).ok_or(Error::Inference)?.factor;
        Ok(Some(Self { sets, first, tau, nu, factor }))
    }

    /// Noisy differences in the order that was told, near the projections `z`.
    pub(super) fn start(&self, z: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut y = vec![0.0; self.sets.iter().map(|(set, _)| set.len()).sum()];
        self.sets.iter().for_each(|(set, noise)| set.start(z, *noise, rng, &mut y));
        y
    }

    /// Draws them anew given the projections.
    pub(super) fn redraw(&self, z: &[f64], y: &mut [f64], rng: &mut ChaCha8Rng) {
        self.sets.iter().for_each(|(set, noise)| set.redraw(z, *noise, rng, y));
    }

    /// The mean of the weights under the noisy utilities and the sites of the other answers.
    pub(super) fn centre(&self, prior: &Prior, y: &[f64]) -> Vec<f64> {
        let mut nu = self.nu.clone();
        self.sets.iter().for_each(|(set, noise)| set.add_sums(y, precision(*noise), &mut nu));
        // The prior mean of a projection is no part of the weights.
        nu.iter_mut().zip(self.tau.iter().zip(&prior.means)).for_each(|(nu, (tau, mean))| *nu -= tau * mean);
        let mut weights = prior.features.times(&prior.scatter(&nu));
        solve_lower_vec(&self.factor, &mut weights);
        solve_lower_transposed_vec(&self.factor, &mut weights);
        weights
    }
}

/// What a comparison says whose items have this noise.
fn precision(noise: f64) -> f64 {
    0.5 / (noise * noise)
}
