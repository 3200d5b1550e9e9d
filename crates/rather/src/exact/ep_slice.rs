//! Elliptical slice sampling of the noiseless differences, around the Gaussian of expectation propagation.

use std::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;

use super::differences::NoisyDifferences;
use super::liness;
use crate::inference::Outcome;
use crate::inference::observations::Observation;
use rather_numerics::linalg::{Matrix, solve_lower_transposed_vec};
use rather_numerics::random::{normals, uniform};
use rather_numerics::special::normal;

/// Moves the noiseless differences $z$, with all noise integrated out.
///
/// # Formula
/// The posterior of $w$ is EP's Gaussian $\mathcal N(\hat w,B^{-1})$ times what the sites leave of the likelihood,
/// $$ \log L(z)=\sum_mk_m\big[\log\Phi(z_m/s)-\tilde\nu_mz_m+\tfrac12\tilde\tau_mz_m^2\big], $$
/// which varies little. An ellipse around $\hat w$ through the current point and a draw of the Gaussian is searched for a point
/// with $\log L>\log L(z)+\log u$ by shrinking an interval of angles. EP only has to be near: the result is exact for any
/// sites.
///
/// # References
/// Fagan, Bhandari and Cunningham, *Elliptical slice sampling with expectation propagation* (2016), UAI; Murray, Adams and
/// MacKay, *Elliptical slice sampling* (2010), AISTATS.
#[derive(Debug, Clone)]
pub struct EpSlice {
    /// Each observation with its site.
    sites: Vec<(Observation, f64, f64)>,
    /// The Gaussian's mean of `z`.
    mean: Vec<f64>,
    /// The Cholesky factor of its precision of `w`.
    factor: Matrix,
}

impl EpSlice {
    /// Sampling of the posterior under `observations` around what EP found for it.
    pub fn new(observations: &[Observation], outcome: &Outcome) -> Self {
        let sites = observations.iter().zip(&outcome.sites.tau).zip(&outcome.sites.nu);
        Self {
            sites: sites.map(|((&o, &tau), &nu)| (o, tau, nu)).collect(),
            mean: outcome.posterior.mean.clone(),
            factor: outcome.posterior.factor.clone(),
        }
    }

    /// One iteration on the noisy differences: [`liness::rotate`], then $z$ given $y$, a step of $z$, and $y$ given $z$.
    ///
    /// The step alone mixes in a few iterations wherever EP is near; the rotation does not depend on EP.
    pub fn iterate(&self, differences: &NoisyDifferences, y: &mut Vec<f64>, rng: &mut ChaCha8Rng) {
        liness::rotate(differences, y, rng);
        let mut z = differences.differences_given(y, rng);
        self.step(differences, &mut z, rng);
        *y = differences.given_differences(&z, rng);
    }

    /// Draws $z$ anew, given its last value.
    pub fn step(&self, differences: &NoisyDifferences, z: &mut [f64], rng: &mut ChaCha8Rng) {
        let direction = self.direction(differences, rng);
        let centred: Vec<f64> = z.iter().zip(&self.mean).map(|(z, m)| z - m).collect();
        let level = self.log_ratio(z, differences.s()) + uniform(rng).ln();
        let mut angle = TAU * uniform(rng);
        let (mut from, mut to) = (angle - TAU, angle);
        // At angle 0 is the current point, so the interval cannot shrink to nothing before a point is found, but for
        // rounding; then the point stays.
        while to - from > f64::EPSILON {
            let (sin, cos) = angle.sin_cos();
            for ((z, m), (c, d)) in z.iter_mut().zip(&self.mean).zip(centred.iter().zip(&direction)) {
                *z = m + c * cos + d * sin;
            }
            if self.log_ratio(z, differences.s()) > level {
                return;
            }
            if angle < 0.0 {
                from = angle;
            } else {
                to = angle;
            }
            angle = from + (to - from) * uniform(rng);
        }
        z.iter_mut().zip(&self.mean).zip(&centred).for_each(|((z, m), c)| *z = m + c);
    }

    /// A draw of the Gaussian.
    pub fn draw(&self, differences: &NoisyDifferences, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let direction = self.direction(differences, rng);
        self.mean.iter().zip(&direction).map(|(m, d)| m + d).collect()
    }

    /// A draw of the Gaussian, less its mean.
    fn direction(&self, differences: &NoisyDifferences, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut w = normals(differences.rank(), rng);
        solve_lower_transposed_vec(&self.factor, &mut w);
        differences.project(&w)
    }

    fn log_ratio(&self, z: &[f64], s: f64) -> f64 {
        let term = |&(o, tau, nu): &(Observation, f64, f64)| {
            let z = o.sign() * z[o.edge()];
            o.count() * (normal::log_cdf(z / s) + z * (0.5 * tau * z - nu))
        };
        self.sites.iter().map(term).sum()
    }
}
