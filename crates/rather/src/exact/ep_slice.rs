//! Elliptical slice sampling of the noiseless differences, around the Gaussian of expectation propagation.

use std::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;

use super::differences::NoisyDifferences;
use super::liness;
use crate::inference::Outcome;
use crate::inference::observations::{Observation, Observations};
use crate::inference::sites::Sites;
use rather_numerics::linalg::{Matrix, solve_lower_transposed_vec};
use rather_numerics::random::{normals, uniform};
use rather_numerics::special::normal;

/// Moves the noiseless differences $z$, with all noise integrated out but that of answers about sets, whose noisy utilities are held.
///
/// # Formula
/// The posterior of $w$ is EP's Gaussian $\mathcal N(\hat w,B^{-1})$ times what the sites leave of the likelihood,
/// $$ \log L(z)=\sum_mk_m\big[\log\Phi(z_m/s)-\tilde\nu_mz_m+\tfrac12\tilde\tau_mz_m^2\big], $$
/// which varies little. An ellipse around $\hat w$ through the current point and a draw of the Gaussian is searched for a point
/// with $\log L>\log L(z)+\log u$ by shrinking an interval of angles. EP only has to be near: the result is exact for any
/// sites. Of answers about sets, $L$ has what their noisy utilities say of $z$, a Gaussian, over what their sites do.
///
/// # References
/// Fagan, Bhandari and Cunningham, *Elliptical slice sampling with expectation propagation* (2016), UAI; Murray, Adams and
/// MacKay, *Elliptical slice sampling* (2010), AISTATS.
#[derive(Debug, Clone)]
pub struct EpSlice {
    /// Each observation with its site, but those of answers about sets.
    sites: Vec<(Observation, f64, f64)>,
    /// The sites of answers about sets, one a projection.
    of_sets: (Vec<f64>, Vec<f64>),
    /// The Gaussian's mean of `z`.
    mean: Vec<f64>,
    /// The Cholesky factor of its precision of `w`.
    factor: Matrix,
}

impl EpSlice {
    /// Sampling of the posterior under `observations` around what EP found for it.
    pub fn new(observations: &Observations, outcome: &Outcome) -> Self {
        let (merged, Sites { tau, nu }) = (&observations.merged, &outcome.sites);
        let plain = merged.iter().position(|o| observations.order(o).is_some()).unwrap_or(merged.len());
        let sites = merged[..plain].iter().zip(tau).zip(nu);
        let of_sets = Sites { tau: tau[plain..].to_vec(), nu: nu[plain..].to_vec() };
        Self {
            sites: sites.map(|((&o, &tau), &nu)| (o, tau, nu)).collect(),
            of_sets: of_sets.by_edge(&merged[plain..], observations.edges.len()),
            mean: outcome.posterior.mean.clone(),
            factor: outcome.posterior.factor.clone(),
        }
    }

    /// One iteration on the noisy differences: [`liness::rotate`], then $z$ given $y$, a step of $z$, and $y$ given $z$.
    ///
    /// The step alone mixes in a few iterations wherever EP is near; the rotation does not depend on EP.
    pub fn iterate(&self, differences: &NoisyDifferences, y: &mut [f64], rng: &mut ChaCha8Rng) {
        liness::rotate(differences, y, rng);
        let mut z = differences.differences_given(y, rng);
        self.step(differences, y, &mut z, rng);
        differences.redraw(&z, y, rng);
    }

    /// Draws $z$ anew, given its last value and, of answers about sets, the noisy differences `y`.
    fn step(&self, differences: &NoisyDifferences, y: &[f64], z: &mut [f64], rng: &mut ChaCha8Rng) {
        let said = differences.said_by_sets(y);
        let log_ratio = |z: &[f64]| {
            let of_sets = said.as_ref().map_or(0.0, |said| self.log_ratio_of_sets(z, said));
            self.log_ratio(z, differences.s()) + of_sets
        };
        let direction = self.direction(differences, rng);
        let centred: Vec<f64> = z.iter().zip(&self.mean).map(|(z, m)| z - m).collect();
        let level = log_ratio(z) + uniform(rng).ln();
        let mut angle = TAU * uniform(rng);
        let (mut from, mut to) = (angle - TAU, angle);
        // At angle 0 is the current point, so the interval cannot shrink to nothing before a point is found, but for
        // rounding; then the point stays.
        while to - from > f64::EPSILON {
            let (sin, cos) = angle.sin_cos();
            for ((z, m), (c, d)) in z.iter_mut().zip(&self.mean).zip(centred.iter().zip(&direction)) {
                *z = m + c * cos + d * sin;
            }
            if log_ratio(z) > level {
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

    fn log_ratio_of_sets(&self, z: &[f64], (tau, nu): &(Vec<f64>, Vec<f64>)) -> f64 {
        let excess = tau.iter().zip(&self.of_sets.0).zip(nu.iter().zip(&self.of_sets.1));
        z.iter().zip(excess).map(|(z, ((t, s), (n, m)))| z * (n - m - 0.5 * (t - s) * z)).sum()
    }
}
