//! The posterior given a draw of the noisy differences.

use super::differences::NoisyDifferences;
use super::ep_slice::EpSlice;
use crate::Error;
use crate::inference::observations::Observation;
use crate::posterior::Posterior;
use rather_numerics::linalg::solve_lower_transposed_vec;
use rather_numerics::random::stream;

/// Iterations of the chain before its state is taken. It starts at a draw of expectation propagation's Gaussian and mixes
/// in a few iterations.
const ITERATIONS: usize = 50;

impl Posterior {
    /// The Gaussian over utilities given one draw of the noisy differences behind the comparisons from their exact
    /// posterior, a normal distribution cut to the positive orthant ([`crate::exact`]). Averaged over draws these Gaussians are
    /// the exact posterior. Call it for a posterior that expectation propagation found.
    ///
    /// # Errors
    /// As [`NoisyDifferences::new`], and [`Unsupported::NoisyDifferences`](crate::Unsupported::NoisyDifferences) if there are other answers than plain comparisons and orders of sets, or answers with
    /// weights.
    pub fn given_a_draw(&self, seed: u64) -> Result<Self, Error> {
        let halves = |o: &Observation| (2.0 * o.count()).fract() == 0.0;
        if !self.observations.responses.is_of_choices() || !self.observations.merged.iter().all(halves) {
            return Err(crate::Unsupported::NoisyDifferences.into());
        }
        let noise = self.s() * std::f64::consts::FRAC_1_SQRT_2;
        // Half a comparison, of a tie, has no noisy difference of its own: it is taken for a whole one.
        let whole: Vec<f64> = self.observations.merged.iter().map(|o| o.count().ceil()).collect();
        let mut observations = self.observations.clone();
        observations.weigh(&whole);
        let differences = NoisyDifferences::new(&self.prior, &observations, noise)?;
        let around = EpSlice::new(&observations, &self.outcome);
        let mut rng = stream(seed, 0);
        let z = around.draw(&differences, &mut rng);
        let mut y = differences.start(&z, &mut rng);
        for _ in 0..ITERATIONS {
            around.iterate(&differences, &mut y, &mut rng);
        }
        let mut weights = differences.half_mean(&y);
        solve_lower_transposed_vec(differences.factor(), &mut weights);
        let mut out = self.clone();
        out.outcome.posterior.factor = differences.factor().clone();
        out.outcome.posterior.weights = weights;
        Ok(out)
    }
}
