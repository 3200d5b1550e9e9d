//! Someone new, from a handful of answers: the latent functions are held fixed, and the weights step and the sites'
//! updates run for that user alone.

use super::Collaborative;
use super::joint::{inverse, solve};
use super::settings::Weights;
use crate::Error;
use crate::inference::observations::{Edge, Observation, Observations};
use crate::inference::set_factor;
use crate::inference::sites::{Updated, update};
use crate::likelihood::Likelihoods;
use crate::many::user_posterior::UserPosterior;
use rather_numerics::linalg::{Matrix, axpy, cholesky, dot};
use rather_numerics::watch;

/// Moments of the latent functions at the newcomer's answers, and these answers' sites.
struct Answered {
    /// Means of the functions at each answer, in its direction, one answer a column.
    h: Matrix,
    /// Their variances.
    variance: Matrix,
    count: Vec<f64>,
    tau: Vec<f64>,
    nu: Vec<f64>,
}

/// A newcomer's weights.
struct Newcomer {
    mean: Vec<f64>,
    covariance: Matrix,
}

impl Collaborative {
    /// Weights under the prior `N(mean, covariance)` and the newcomer's own answers.
    pub(super) fn fold_in(
        &self,
        mean: Vec<f64>,
        covariance: Matrix,
        (observations, likelihoods): (&Observations, &Likelihoods),
    ) -> Result<(Vec<f64>, Matrix), Error> {
        let mut answered = self.answered(observations);
        let prior = Newcomer { mean: mean.clone(), covariance: covariance.clone() };
        let (precision, _) = inverse(covariance.clone()).ok_or(Error::Inference)?;
        let mut state = Newcomer { mean, covariance };
        for _ in (0..self.settings.cycles).take_while(|_| !watch::ends()) {
            let before = state.mean.clone();
            let mismatch = answered.update_sites(&state, (observations, likelihoods), self.settings.damping);
            for _ in 0..self.settings.inner_sweeps {
                match self.settings.weights {
                    Weights::Auto | Weights::PerFunction => answered.per_function(&prior, &mut state),
                    Weights::Joint => {
                        state = answered.jointly(&prior, &precision).ok_or(Error::Inference)?;
                    }
                }
            }
            let moved = (0..before.len())
                .map(|d| (state.mean[d] - before[d]).abs() / state.covariance[(d, d)].sqrt())
                .fold(0.0, f64::max);
            let change = mismatch.max(moved);
            if !change.is_finite() {
                return Err(Error::Inference);
            }
            // One user is cheap: closer than the fit itself.
            if change <= 1e-3 * self.settings.tolerance {
                break;
            }
        }
        Ok((state.mean, state.covariance))
    }

    fn answered(&self, Observations { items, edges, merged, .. }: &Observations) -> Answered {
        let known = self.items.some(items);
        let about: Vec<Edge> = merged.iter().map(|o| edges[o.edge()]).collect();
        let functions = self.state.items.len();
        let (mut h, mut variance) =
            (Matrix::zeros(functions, about.len()), Matrix::zeros(functions, about.len()));
        for (d, half) in self.state.items.iter().enumerate() {
            let function = UserPosterior {
                mean: half.posterior.weights.clone(),
                covariance: self.covariances[d].clone(),
                scale: 1.0,
            };
            let z = function.projections(&known, &about);
            for (n, o) in merged.iter().enumerate() {
                (h[(d, n)], variance[(d, n)]) = (o.sign() * z.mean[n], z.variance[n]);
            }
        }
        let count = merged.iter().map(Observation::count).collect();
        let n = merged.len();
        Answered { h, variance, count, tau: vec![0.0; n], nu: vec![0.0; n] }
    }
}

impl Answered {
    fn update_sites(
        &mut self,
        state: &Newcomer,
        (observations, likelihoods): (&Observations, &Likelihoods),
        damping: f64,
    ) -> f64 {
        let mut largest = 0.0_f64;
        for (first, of_answer) in observations.answers() {
            let own = first..first + of_answer.len();
            let (tau, nu) = (&self.tau[own.clone()], &self.nu[own.clone()]);
            let updated = match likelihoods.set(of_answer[0].answer) {
                Some(set) => {
                    let of_pairs: Vec<(f64, f64)> = own.clone().map(|n| self.moments(n, state)).collect();
                    let updated = set_factor::of_moments(set, &of_pairs, (tau, nu), None);
                    // As below, where nothing is left without the site.
                    if !updated.first.mismatch.is_finite() {
                        continue;
                    }
                    updated
                }
                None => {
                    let (m, v) = self.moments(first, state);
                    if 1.0 - tau[0] * v <= 0.0 {
                        continue;
                    }
                    Updated::one(update(likelihoods.of(of_answer[0].answer), tau[0], nu[0], m, v, 0.0))
                }
            };
            largest = largest.max(updated.first.mismatch);
            for (n, new) in own.zip(updated.each()) {
                self.tau[n] += damping * (new.tau - self.tau[n]);
                self.nu[n] += damping * (new.nu - self.nu[n]);
            }
        }
        largest
    }

    /// Mean and variance of what an observation is about, in its direction.
    fn moments(&self, n: usize, state: &Newcomer) -> (f64, f64) {
        let (h, vh) = (self.h.col(n), self.variance.col(n));
        let mut v = dot(h, &state.covariance.times(h));
        for (d, (mean, vh)) in state.mean.iter().zip(vh).enumerate() {
            v += (mean * mean + state.covariance[(d, d)]) * vh;
        }
        (dot(h, &state.mean), v)
    }

    /// One sweep over the functions, as the fit's own weights step; the prior is independent over functions.
    fn per_function(&self, prior: &Newcomer, state: &mut Newcomer) {
        for d in 0..state.mean.len() {
            let v0 = prior.covariance[(d, d)];
            let (mut tau, mut nu) = (1.0 / v0, prior.mean[d] / v0);
            for n in 0..self.count.len() {
                let h = self.h[(d, n)];
                let rest = dot(self.h.col(n), &state.mean) - state.mean[d] * h;
                tau += self.count[n] * self.tau[n] * (h * h + self.variance[(d, n)]);
                nu += self.count[n] * (self.nu[n] - self.tau[n] * rest) * h;
            }
            state.mean[d] = nu / tau;
            state.covariance[(d, d)] = 1.0 / tau;
        }
    }

    fn jointly(&self, prior: &Newcomer, precision: &Matrix) -> Option<Newcomer> {
        let mut m = precision.clone();
        let mut b = precision.times(&prior.mean);
        for n in 0..self.count.len() {
            let (h, tau) = (self.h.col(n), self.count[n] * self.tau[n]);
            for (j, &hj) in h.iter().enumerate() {
                axpy(tau * hj, h, m.col_mut(j));
                m[(j, j)] += tau * self.variance[(j, n)];
            }
            axpy(self.count[n] * self.nu[n], h, &mut b);
        }
        let (covariance, _) = inverse(m.clone())?;
        if !cholesky(&mut m) {
            return None;
        }
        solve(&m, &mut b);
        Some(Newcomer { mean: b, covariance })
    }
}

#[cfg(test)]
mod tests {
    use super::super::diagonal;
    use super::*;

    /// A diagonal prior and one function: both forms are the same Gaussian.
    #[test]
    fn the_two_forms_agree_on_one_function() {
        let answered = Answered {
            h: Matrix::from_fn(1, 2, |_, n| 1.0 + n as f64),
            variance: Matrix::from_fn(1, 2, |_, _| 0.3),
            count: vec![1.0, 2.0],
            tau: vec![0.4, 0.7],
            nu: vec![0.5, -0.2],
        };
        let prior = Newcomer { mean: vec![0.2], covariance: diagonal([1.5].into_iter()) };
        let mut one = Newcomer { mean: vec![0.0], covariance: diagonal([1.5].into_iter()) };
        answered.per_function(&prior, &mut one);
        let other = answered.jointly(&prior, &diagonal([1.0 / 1.5].into_iter())).unwrap();
        assert!((one.mean[0] - other.mean[0]).abs() < 1e-14);
        assert!((one.covariance[(0, 0)] - other.covariance[(0, 0)]).abs() < 1e-14);
    }
}
