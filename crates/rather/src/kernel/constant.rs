//! The constant kernel.

use super::covariance::{Covariance, Pairs};
use super::{Active, Parameter};

/// $k=1$: an offset shared by all items. It cancels in every comparison; it has its use inside products,
/// `se * (constant + linear)`, and for factors on single utilities.
pub(super) struct Constant;

impl Covariance for Constant {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn active(&self) -> Option<&Active> {
        None
    }

    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    fn parameters_mut(&mut self) -> Vec<&mut f64> {
        Vec::new()
    }

    fn values(&self, _pairs: &Pairs<'_>, out: &mut [f64]) {
        out.fill(1.0);
    }

    fn contract(&self, _pairs: &Pairs<'_>, weights: &[f64], _gradient: &mut [f64]) -> f64 {
        weights.iter().sum()
    }
}
