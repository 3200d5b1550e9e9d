//! An average over the posteriors of several kernels.

use super::{Joint, Moments, Posterior};
use crate::Error;
use crate::likelihood::Preference;
use crate::points::Points;
use rather_numerics::linalg::Matrix;

/// The posteriors under several kernels, each with its weight: what is predicted is an average of what they predict.
///
/// # Formula
/// With weights $w_k$ that add up to 1: probabilities are $\sum_kw_kp_k$; the moments of a utility are those of the mixture, $m=\sum_kw_km_k$ and
/// $v=\sum_kw_k(v_k+m_k^2)-m^2$, and covariances likewise.
///
/// # References
/// Hoeting, Madigan, Raftery and Volinsky, *Bayesian model averaging: a tutorial* (1999), Statistical Science 14.
#[derive(Debug, Clone)]
pub struct Mixture {
    components: Vec<(f64, Posterior)>,
}

impl Mixture {
    /// The average of `components`, the best first; their weights are scaled to add up to 1.
    ///
    /// # Panics
    /// If there is no component, or no weight that is positive.
    pub fn new(mut components: Vec<(f64, Posterior)>) -> Self {
        let total: f64 = components.iter().map(|(weight, _)| weight).sum();
        assert!(total > 0.0 && total.is_finite(), "a mixture has weights");
        components.iter_mut().for_each(|(weight, _)| *weight /= total);
        // What is left of 1, as a file has it.
        components[0].0 = 1.0 - components[1..].iter().map(|(weight, _)| weight).sum::<f64>();
        Self { components }
    }

    /// The average with weights that add up to 1 as they are, so that a model from a file is the same to the bit.
    pub(crate) fn as_weighted(components: Vec<(f64, Posterior)>) -> Self {
        Self { components }
    }

    /// The weights and the posteriors, the best first.
    pub fn components(&self) -> &[(f64, Posterior)] {
        &self.components
    }

    /// The weights, that of the best first.
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.components.iter().map(|(weight, _)| *weight).collect()
    }

    /// The posterior of the best kernel.
    pub fn best(&self) -> &Posterior {
        &self.components[0].1
    }

    /// The average of numbers.
    pub(crate) fn average(&self, of: impl Fn(&Posterior) -> Vec<f64>) -> Vec<f64> {
        let all: Vec<(f64, Vec<f64>)> = self.components.iter().map(|(weight, p)| (*weight, of(p))).collect();
        (0..all[0].1.len()).map(|i| all.iter().map(|(weight, x)| weight * x[i]).sum()).collect()
    }

    /// As [`Mixture::average`], of numbers that may not be had.
    pub(crate) fn try_average(
        &self,
        of: impl Fn(&Posterior) -> Result<Vec<f64>, Error>,
    ) -> Result<Vec<f64>, Error> {
        let all = self.components.iter().map(|(_, p)| of(p)).collect::<Result<Vec<_>, Error>>()?;
        let weights = || self.components.iter().map(|(weight, _)| weight);
        Ok((0..all[0].len()).map(|i| weights().zip(&all).map(|(weight, x)| weight * x[i]).sum()).collect())
    }

    /// The moments of the mixture of Gaussians.
    pub(crate) fn moments(&self, of: impl Fn(&Posterior) -> Moments) -> Moments {
        mixed(&self.components.iter().map(|(weight, p)| (*weight, of(p))).collect::<Vec<_>>())
    }

    /// The covariance of the mixture, where each component has its means and covariance.
    fn mixed(all: &[(f64, Joint)]) -> Joint {
        let n = all[0].1.len();
        let mean: Vec<f64> = (0..n).map(|i| all.iter().map(|(w, j)| w * j.mean[i]).sum()).collect();
        let covariance = Matrix::from_fn(n, n, |i, j| {
            let of = |(w, joint): &(f64, Joint)| {
                w * (joint.covariance[(i, j)] + (joint.mean[i] - mean[i]) * (joint.mean[j] - mean[j]))
            };
            all.iter().map(of).sum()
        });
        Joint { mean, covariance }
    }

    /// The Gaussian over the utilities of `points` with the means and the covariance of the mixture.
    pub fn joint(&self, points: &Points) -> Joint {
        let all: Vec<(f64, Joint)> = self.components.iter().map(|(w, p)| (*w, p.joint(points))).collect();
        Self::mixed(&all)
    }

    /// As [`Posterior::outcomes`], averaged.
    pub(crate) fn outcomes(
        &self,
        of: impl Fn(&Posterior) -> Result<Vec<Vec<(Preference, f64)>>, Error>,
    ) -> Result<Vec<Vec<(Preference, f64)>>, Error> {
        let mut out: Vec<Vec<(Preference, f64)>> = Vec::new();
        for (weight, posterior) in &self.components {
            let scaled =
                of(posterior)?.into_iter().map(|o| o.into_iter().map(|(name, p)| (name, weight * p)));
            let scaled = scaled.map(Iterator::collect::<Vec<_>>);
            if out.is_empty() {
                out = scaled.collect();
                continue;
            }
            for (sum, more) in out.iter_mut().zip(scaled) {
                sum.iter_mut().zip(more).for_each(|(sum, more)| sum.1 += more.1);
            }
        }
        Ok(out)
    }
}

/// The moments of a mixture of Gaussians, of their weights and moments.
pub(crate) fn mixed(all: &[(f64, Moments)]) -> Moments {
    let mean: Vec<f64> =
        (0..all[0].1.mean.len()).map(|i| all.iter().map(|(w, m)| w * m.mean[i]).sum()).collect();
    let spread =
        |i: usize| all.iter().map(|(w, m)| w * (m.variance[i] + (m.mean[i] - mean[i]).powi(2))).sum::<f64>();
    let variance = (0..mean.len()).map(spread).collect();
    Moments { mean, variance }
}
