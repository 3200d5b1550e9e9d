//! Bounds on the numbers of a model that is rebuilt from a file, whoever wrote it: within them sums of squares do not overflow, so
//! that no file which is accepted predicts what is not a number.

use crate::Error;
use crate::inference::sites::Sites;
use crate::kernel::Kernel;
use crate::parameter::Hyperparameter;
use crate::points::Points;

/// The largest precision or shift of a site. An answer that is certain to within rounding has about `1e16` of the prior's precision.
const SITE: f64 = 1e100;
/// The largest encoded feature, whose square is finite: the bound of the table readers.
const FEATURE: f64 = 1e150;
/// The largest hyperparameter, and the inverse of the smallest: the bound of values that a user fixes.
const PARAMETER: f64 = 1e100;
/// The largest prior variance of an item.
const VARIANCE: f64 = 1e200;
/// Of so many items the predictions are looked at: all of a small model, some of a large one.
const PROBED: usize = 256;

fn broken(what: &'static str) -> Error {
    Error::ModelParts { what }
}

fn within(values: &[f64], bound: f64) -> bool {
    // Not a number is within nothing.
    values.iter().all(|x| x.abs() <= bound)
}

/// Whether sites, features and hyperparameters are those that a fit can find.
pub(crate) fn check(sites: &Sites, features: &[f64], parameters: &[Hyperparameter]) -> Result<(), Error> {
    if !within(&sites.tau, SITE) || !within(&sites.nu, SITE) {
        return Err(broken("the precision or the shift of a site is beyond 1e100"));
    }
    if !within(features, FEATURE) {
        return Err(broken("a feature is beyond 1e150"));
    }
    if !parameters.iter().all(|p| p.value.abs() <= PARAMETER) {
        return Err(broken("a hyperparameter is beyond 1e100"));
    }
    Ok(())
}

/// Whether other arrays of numbers of a model are finite and no larger than features may be.
pub(crate) fn check_numbers<'a>(mut arrays: impl Iterator<Item = &'a Vec<f64>>) -> Result<(), Error> {
    if arrays.all(|array| within(array, FEATURE)) { Ok(()) } else { Err(broken("a number is beyond 1e150")) }
}

/// Whether the kernel has finite prior variances at all points, and parameters that can be squared.
pub(crate) fn check_kernel(kernel: &Kernel, points: &Points) -> Result<(), Error> {
    if !kernel.parameters().iter().all(|p| (1.0 / PARAMETER..=PARAMETER).contains(&p.value)) {
        return Err(broken("a parameter of the kernel is not between 1e-100 and 1e100"));
    }
    if !within(&kernel.diagonal(points), VARIANCE) {
        return Err(broken("the prior variance of an item is beyond 1e200"));
    }
    Ok(())
}

/// The items whose predictions are looked at, spread over all, and pairs of neighbours among them.
pub(crate) fn probed(items: usize) -> (Vec<usize>, Vec<(usize, usize)>) {
    let step = items.div_ceil(PROBED).max(1);
    let chosen: Vec<usize> = (0..items).step_by(step).collect();
    let pairs = (1..chosen.len()).map(|i| (i - 1, i)).collect();
    (chosen, pairs)
}

/// Whether predictions are numbers: means and variances finite, variances not negative, probabilities from 0 to 1.
pub(crate) fn check_predictions(mean: &[f64], variance: &[f64], probability: &[f64]) -> Result<(), Error> {
    let sound = within(mean, f64::MAX)
        && variance.iter().all(|v| (0.0..=f64::MAX).contains(v))
        && probability.iter().all(|p| (0.0..=1.0).contains(p));
    if sound { Ok(()) } else { Err(broken("what it predicts is not a number")) }
}

/// Matrices of the size nodes x nodes that rebuilding holds at its peak.
pub(crate) const MATRICES: u64 = 4;
/// Bytes of a matrix of numbers.
pub(crate) fn matrix(rows: usize, columns: usize) -> u64 {
    (rows as u64).saturating_mul(columns as u64).saturating_mul(8)
}
