//! The constant kernel.

use super::atom::{Covariance, Pairs};
use super::{Active, AtomKind, Domain, Latent, Parameter};

/// $k=1$: an offset shared by all items. It cancels in every comparison; it has its use inside products,
/// `se * (constant + linear)`, and for factors on single utilities.
#[derive(Debug, Clone)]
pub(super) struct Constant;

impl Covariance for Constant {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
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

    fn latent(&self) -> Option<Latent> {
        Some(Latent::Constant)
    }

    fn values(&self, _pairs: &Pairs<'_>, out: &mut [f64]) {
        out.fill(1.0);
    }

    fn contract(&self, _pairs: &Pairs<'_>, weights: &[f64], _gradient: &mut [f64]) -> f64 {
        weights.iter().sum()
    }
}

pub(super) static ATOM: AtomKind = AtomKind {
    name: "constant",
    aliases: &[],
    key: "constant",
    domain: Domain::Identity,
    meaning: "an offset that all items share",
    make: |_| Box::new(Constant),
};
