//! A posterior that a Gaussian over the weights of a kernel's features already is.

use super::Posterior;
use crate::Error;
use crate::inference::observations::Observations;
use crate::inference::prior::{Prior, Space};
use crate::inference::sites::Sites;
use crate::inference::{Method, Outcome, Status};
use crate::kernel::Kernel;
use crate::likelihood::Likelihoods;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, cholesky, inverse_from_cholesky, mirror_lower};

impl Posterior {
    /// The posterior in which the weights of the features of `kernel` over `points` are `N(mean, covariance)`, and what the
    /// features leave of a utility is `scale` times the kernel's: what a model of many users believes about one of them.
    ///
    /// # Errors
    /// [`Error::Covariance`] and [`Error::Inference`] if the covariance is none.
    pub(crate) fn of_weights(
        kernel: &Kernel,
        points: &Points,
        (mean, covariance): (&[f64], &Matrix),
        scale: f64,
        noise: f64,
    ) -> Result<Self, Error> {
        let mut prior = Prior::new(kernel.matrix(points), &[], Space::Items).ok_or(Error::Covariance)?;
        let rank = prior.rank();
        if rank != mean.len() || scale <= 0.0 || !scale.is_finite() {
            return Err(Error::Inference);
        }
        // The features of the kernel times the scale: weights are in units of its root.
        let root = scale.sqrt();
        prior.features.data_mut().iter_mut().for_each(|x| *x *= root);
        let pivots = Matrix::from_fn(rank, rank, |i, j| prior.features[(i, j)]);
        let weights = mean.iter().map(|m| m / root).collect();
        let mut own = Matrix::from_fn(rank, rank, |i, j| covariance[(i, j)] / scale);
        // A direction that is known for certain would have no precision.
        own.add_diagonal(CERTAIN);
        let factor = (|| {
            if !cholesky(&mut own) {
                return None;
            }
            let mut precision = inverse_from_cholesky(&own);
            mirror_lower(&mut precision);
            cholesky(&mut precision).then_some(precision)
        })();
        let outcome = Outcome {
            log_evidence: 0.0,
            d_values: vec![0.0],
            status: Status::Converged,
            residual: 0.0,
            clipped: 0,
            trustworthy: true,
            sweeps: 0,
            sites: Sites::default(),
            posterior: crate::inference::prior::Absorbed {
                factor: factor.ok_or(Error::Inference)?,
                weights,
                ..Default::default()
            },
            implicit: None,
            d_rest: Vec::new(),
        };
        Ok(Self {
            kernel: kernel.clone().scaled(scale),
            likelihoods: Likelihoods::new(noise),
            points: points.clone(),
            observations: Observations::new(&[]),
            method: Method::Ep,
            prior,
            outcome,
            pivots,
        })
    }
}

/// The least variance of a direction, relative to the prior's.
const CERTAIN: f64 = 1e-10;
