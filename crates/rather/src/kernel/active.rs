//! The columns an atom acts on, and their lengthscales.

use serde::{Deserialize, Serialize};

use super::{Parameter, Role};
use crate::Error;

/// The active columns of an atom with their lengthscales: none (all are 1, and no parameters), a single one for all
/// columns ("isotropic"), or one for each ("automatic relevance determination", ARD).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Active {
    /// The columns of the items' features, each at most once.
    pub dims: Vec<usize>,
    /// The lengthscales, in units of the columns.
    pub lengthscales: Vec<f64>,
}

impl Active {
    /// All columns `dims` with one and the same lengthscale.
    pub fn isotropic(dims: Vec<usize>, lengthscale: f64) -> Self {
        Self { dims, lengthscales: vec![lengthscale] }
    }

    /// Every column of `dims` with a lengthscale of its own, `lengthscale` for a start.
    pub fn ard(dims: Vec<usize>, lengthscale: f64) -> Self {
        let lengthscales = vec![lengthscale; dims.len()];
        Self { dims, lengthscales }
    }

    /// Every active column with the inverse of its lengthscale (never infinite).
    pub(super) fn inverse_scales(&self) -> impl Iterator<Item = (usize, f64)> {
        let inverse = |k: usize| match self.lengthscales.as_slice() {
            [] => 1.0,
            [all] => 1.0 / all,
            each => 1.0 / each[k],
        };
        self.dims.iter().enumerate().map(move |(k, &dim)| (dim, inverse(k).min(f64::MAX)))
    }

    /// Adds to the gradient by the logarithms of the lengthscales its parts from each active column.
    pub(super) fn add_gradient(&self, parts: impl Iterator<Item = f64>, gradient: &mut [f64]) {
        match gradient {
            [] => parts.for_each(drop),
            [all] => *all += parts.sum::<f64>(),
            each => each.iter_mut().zip(parts).for_each(|(g, part)| *g += part),
        }
    }

    pub(super) fn parameters(&self) -> Vec<Parameter> {
        let dim = |k: usize| {
            let own = self.lengthscales.len() > 1 || self.dims.len() == 1;
            self.dims.get(k).copied().filter(|_| own)
        };
        let parameter = |(k, &value): (usize, &f64)| Parameter {
            name: "lengthscale".into(),
            value,
            role: Role::Lengthscale,
            dim: dim(k),
        };
        self.lengthscales.iter().enumerate().map(parameter).collect()
    }

    pub(super) fn parameters_mut(&mut self) -> Vec<&mut f64> {
        self.lengthscales.iter_mut().collect()
    }

    pub(super) fn check(&self, kernel: &'static str, dims: usize) -> Result<(), Error> {
        let problem = if self.dims.is_empty() {
            "it acts on no feature"
        } else if self.dims.iter().any(|&dim| dim >= dims) {
            "it acts on a feature that the items do not have"
        } else if ![0, 1, self.dims.len()].contains(&self.lengthscales.len()) {
            "it needs one lengthscale, or one for each of its features"
        } else {
            return Ok(());
        };
        Err(Error::KernelShape { kernel, problem })
    }
}

/// $(d/l)^2$, at most `1e300`: the sum over columns stays finite, and a slope of 0 times it is 0.
#[inline]
pub(super) fn capped_square(scaled: f64) -> f64 {
    const CAP: f64 = 1e300;
    let square = scaled * scaled;
    if square < CAP { square } else { CAP }
}
