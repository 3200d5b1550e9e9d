//! How well the answers tell the hyperparameters.

use super::Hyperparameters;
use super::rough::Rough;
use crate::Error;
use crate::evidence::Problem;
use crate::inference::Settings;
use crate::inference::sites::Sites;
use rather_numerics::linalg::{Matrix, cholesky, inverse_from_cholesky};
use rather_numerics::random;

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
    let covariance = covariance(problem, at, sites, settings)?;
    Ok((0..covariance.rows()).map(|k| covariance[(k, k)].sqrt()).collect())
}

/// The posterior of the hyperparameters in their coordinates, in the order of [`Hyperparameters::free`].
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Means.
    pub mean: Vec<f64>,
    /// Standard deviations.
    pub sd: Vec<f64>,
    /// The number of independent draws that the weighted ones are worth.
    pub effective: f64,
}

/// Degrees of freedom of what draws are proposed from: its tails are wider than those of a posterior that is skewed.
const FREEDOM: usize = 5;

/// The posterior means and standard deviations of the learned hyperparameters, beyond the curvature at the maximum: an offset, say, is
/// known the less the larger the variance of utilities may be, and the curvature knows one variance only.
///
/// # Formula
/// Importance sampling: draws $\theta_i$ from Student's distribution about the maximum with Laplace's covariance, weighted by
/// $Z(\theta_i) p(\theta_i)/q(\theta_i)$; draws outside the bounds weigh nothing.
///
/// # Errors
/// As [`standard_deviations`].
pub fn sampled(
    problem: &Problem<'_>,
    at: &Hyperparameters,
    sites: Option<&Sites>,
    settings: &Settings,
    (draws, seed): (usize, u64),
) -> Result<Known, Error> {
    let mut root = covariance(problem, at, sites, settings)?;
    if !cholesky(&mut root) {
        return Err(Error::Inference);
    }
    let free = at.free();
    let (n, rng) = (free.len(), &mut random::stream(seed, 0));
    let mut weighted: Vec<(f64, Vec<f64>)> = Vec::with_capacity(draws);
    for _ in 0..draws {
        let e = random::normals(n, rng);
        let chi: f64 = random::normals(FREEDOM, rng).iter().map(|x| x * x).sum();
        let wide = (FREEDOM as f64 / chi).sqrt();
        let x: Vec<f64> = (0..n)
            .map(|i| {
                at.entries[free[i]].coordinate() + wide * (0..=i).map(|j| root[(i, j)] * e[j]).sum::<f64>()
            })
            .collect();
        let within = free.iter().zip(&x).all(|(&i, &x)| {
            let (low, high) = at.entries[i].coordinate_bounds();
            (low..=high).contains(&x)
        });
        let mut there = at.clone();
        let mut values: Vec<f64> = there.entries.iter().map(|e| e.value).collect();
        free.iter().zip(&x).for_each(|(&i, &x)| values[i] = at.entries[i].scale.value(x));
        // Where inference fails, there is no evidence for it.
        let found = there
            .set(&values)
            .and_then(|()| problem.evaluate(&there.kernel, there.values(), sites, settings))
            .map(|evidence| (evidence.outcome.trustworthy, evidence.outcome.log_evidence));
        let (true, Ok((true, log_evidence))) = (within, found) else { continue };
        let squared: f64 = e.iter().map(|e| (wide * e).powi(2)).sum();
        let proposed = -0.5 * (FREEDOM + n) as f64 * (squared / FREEDOM as f64).ln_1p();
        weighted.push((log_evidence + there.log_prior().0 - proposed, x));
    }
    let largest = weighted.iter().map(|(w, _)| *w).fold(f64::NEG_INFINITY, f64::max);
    weighted.iter_mut().for_each(|(w, _)| *w = (*w - largest).exp());
    let total: f64 = weighted.iter().map(|(w, _)| w).sum();
    if !(total.is_finite() && total > 0.0) {
        return Err(Error::Inference);
    }
    let average = |f: &dyn Fn(&[f64]) -> f64| weighted.iter().map(|(w, x)| w * f(x)).sum::<f64>() / total;
    let mean: Vec<f64> = (0..n).map(|k| average(&|x| x[k])).collect();
    let sd = (0..n).map(|k| average(&|x| (x[k] - mean[k]).powi(2)).sqrt()).collect();
    let effective = total * total / weighted.iter().map(|(w, _)| w * w).sum::<f64>();
    Ok(Known { mean, sd, effective })
}

/// The step of a coordinate for [`curvature`], which is needed to a few per cent: wide enough for the rough inference of learning.
const WIDE_STEP: f64 = 0.1;

/// What is lost, in nats, because the learned hyperparameters were not known beforehand: the log of the share of their prior's volume
/// in which the answers are nearly as probable as at the maximum.
///
/// # Formula
/// Laplace's approximation of the integral over the hyperparameters,
/// $\log\int Z(\theta)p(\theta) d\theta\approx\log Z(\hat\theta)+\log\frac{p(\hat\theta)}{p(\theta_0)}-\tfrac12\log\frac{|H|}{|P|}$ for a
/// normal prior about $\theta_0$ with precision $P$ (MacKay 1992, "Bayesian interpolation", section 4, the Occam factor). This is the
/// last term: 0 for a hyperparameter that the answers say nothing about. Where `at` is no maximum (one of them is at a bound), the
/// diagonal of $H$ stands for it, and no entry counts as less than its prior's. Without priors it is one nat a hyperparameter.
///
/// # Errors
/// As [`Problem::evaluate`].
pub fn log_volume(
    problem: &Problem<'_>,
    at: &Hyperparameters,
    sites: &Sites,
    settings: &Settings,
) -> Result<f64, Error> {
    let free = at.free();
    let Some(prior) = at.log_det_prior() else { return Ok(free.len() as f64) };
    let mut hessian = curvature(&Rough::new(problem, &at.kernel), at, sites, settings)?;
    let diagonal: Vec<f64> = (0..free.len()).map(|k| hessian[(k, k)]).collect();
    let log_det = if cholesky(&mut hessian) {
        (0..free.len()).map(|k| 2.0 * hessian[(k, k)].ln()).sum::<f64>()
    } else {
        let least = |k: usize| at.entries[free[k]].prior.map_or(0.0, |prior| prior.sd.powi(-2));
        diagonal.iter().enumerate().map(|(k, h)| h.max(least(k)).ln()).sum()
    };
    Ok((0.5 * (log_det - prior)).max(0.0))
}

/// Minus the second derivatives of evidence times prior in the learned coordinates, by differences of the rough gradient towards the farther bound.
pub(super) fn curvature(
    rough: &Rough<'_>,
    at: &Hyperparameters,
    sites: &Sites,
    settings: &Settings,
) -> Result<Matrix, Error> {
    let gradient = |there: &Hyperparameters| {
        let found = rough.infer(there, Some(sites.clone()), settings, true)?;
        if found.trustworthy { Ok(found.gradient) } else { Err(Error::Inference) }
    };
    let free = at.free();
    let here = slope(&gradient, at, (0, 0.0))?;
    let mut hessian = Matrix::zeros(free.len(), free.len());
    for k in 0..free.len() {
        // Away from the nearer bound.
        let entry = &at.entries[free[k]];
        let (low, high) = entry.coordinate_bounds();
        let step = if entry.coordinate() - low > high - entry.coordinate() { -WIDE_STEP } else { WIDE_STEP };
        let there = slope(&gradient, at, (k, step))?;
        for (i, (there, here)) in there.iter().zip(&here).enumerate() {
            let second = 0.5 * (here - there) / step;
            hessian[(i, k)] += second;
            hessian[(k, i)] += second;
        }
    }
    Ok(hessian)
}

/// The gradient of the log evidence in all hyperparameters.
type Gradient<'a> = dyn Fn(&Hyperparameters) -> Result<Vec<f64>, Error> + 'a;

fn exact_gradient(
    problem: &Problem<'_>,
    there: &Hyperparameters,
    sites: Option<&Sites>,
    settings: &Settings,
) -> Result<Vec<f64>, Error> {
    let evidence = problem.evaluate(&there.kernel, there.values(), sites, settings)?;
    Ok(problem.into_gradient(&there.kernel, evidence))
}

/// The gradient of evidence times prior in the learned coordinates, `step` away along the `k`-th of them.
fn slope(gradient: &Gradient<'_>, at: &Hyperparameters, (k, step): (usize, f64)) -> Result<Vec<f64>, Error> {
    let mut there = at.clone();
    let mut values: Vec<f64> = there.entries.iter().map(|e| e.value).collect();
    if let Some(&i) = at.free().get(k) {
        let entry = &there.entries[i];
        values[i] = entry.scale.value(entry.coordinate() + step);
    }
    there.set(&values)?;
    let all = gradient(&there)?;
    let (_, slope) = there.log_prior();
    Ok(there.in_coordinates(&all).iter().zip(&slope).map(|(g, p)| g + p).collect())
}

/// The inverse of the curvature at the maximum.
fn covariance(
    problem: &Problem<'_>,
    at: &Hyperparameters,
    sites: Option<&Sites>,
    settings: &Settings,
) -> Result<Matrix, Error> {
    let free = at.free();
    let mut hessian = Matrix::zeros(free.len(), free.len());
    for k in 0..free.len() {
        let gradient = |there: &Hyperparameters| exact_gradient(problem, there, sites, settings);
        let along = |step: f64| slope(&gradient, at, (k, step));
        let (above, below) = (along(STEP)?, along(-STEP)?);
        for (i, (a, b)) in above.iter().zip(&below).enumerate() {
            let second = 0.5 * (b - a) / (2.0 * STEP);
            hessian[(i, k)] += second;
            hessian[(k, i)] += second;
        }
    }
    if !cholesky(&mut hessian) {
        return Err(Error::Inference);
    }
    Ok(inverse_from_cholesky(&hessian))
}
