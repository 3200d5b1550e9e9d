//! How well the answers tell the hyperparameters.

use super::Hyperparameters;
use crate::Error;
use crate::evidence::Problem;
use crate::inference::Settings;
use crate::inference::sites::Sites;
use crate::linalg::{Matrix, cholesky, inverse_from_cholesky};

/// The step of a coordinate for differences of the gradient: far above the gradient's own rounding, far below what a coordinate is known to.
const STEP: f64 = 0.02;

/// The standard deviations of the learned hyperparameters in their coordinates (of most, the logarithm), in the order of
/// [`Hyperparameters::free`].
///
/// # Formula
/// Laplace's approximation at the maximum $\hat\theta$ of evidence times prior: the square roots of the diagonal of $H^{-1}$ with
/// $H=-\nabla^2(\log Z+\log p)$, by central differences of the gradient.
///
/// # Errors
/// As [`Problem::evaluate`]; [`Error::Inference`] if `at` is no maximum, because a hyperparameter is at its bound or learning stopped before.
pub fn standard_deviations(
    problem: &Problem<'_>,
    at: &Hyperparameters,
    sites: Option<&Sites>,
    settings: &Settings,
) -> Result<Vec<f64>, Error> {
    let free = at.free();
    let gradient = |k: usize, step: f64| -> Result<Vec<f64>, Error> {
        let mut there = at.clone();
        let mut values: Vec<f64> = there.entries.iter().map(|e| e.value).collect();
        let entry = &there.entries[free[k]];
        values[free[k]] = entry.scale.value(entry.coordinate() + step);
        there.set(&values)?;
        let evidence = problem.evaluate(&there.kernel, there.values(), sites, settings)?;
        let all = problem.into_gradient(&there.kernel, evidence);
        let (_, slope) = there.log_prior();
        Ok(there.in_coordinates(&all).iter().zip(&slope).map(|(g, p)| g + p).collect())
    };
    let mut hessian = Matrix::zeros(free.len(), free.len());
    for k in 0..free.len() {
        let (above, below) = (gradient(k, STEP)?, gradient(k, -STEP)?);
        for (i, (a, b)) in above.iter().zip(&below).enumerate() {
            let second = 0.5 * (b - a) / (2.0 * STEP);
            hessian[(i, k)] += second;
            hessian[(k, i)] += second;
        }
    }
    if !cholesky(&mut hessian) {
        return Err(Error::Inference);
    }
    let inverse = inverse_from_cholesky(&hessian);
    Ok((0..free.len()).map(|k| inverse[(k, k)].sqrt()).collect())
}
