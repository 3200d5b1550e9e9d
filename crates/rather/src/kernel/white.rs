//! The white, or independent, kernel.

use super::atom::{Covariance, Pairs};
use super::{Active, AtomKind, Domain, Latent, Parameter};

/// $k=1$ if both are the same item, else $0$: every item has a utility of its own. Alone it is the prior for items known
/// by name only, a Bayesian form of Thurstone's model (case V).
///
/// Sameness is that of [`crate::points::Points::id`], so two items with equal features still differ.
///
/// # References
/// Thurstone, *A law of comparative judgment* (1927), Psychological Review 34, doi:10.1037/h0070288.
#[derive(Debug, Clone)]
pub(crate) struct White;

impl Covariance for White {
    fn name(&self) -> &'static str {
        "white"
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
        Some(Latent::Items)
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn values(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        let (ids, other) = pairs.ids();
        out.iter_mut().zip(ids).for_each(|(value, &id)| *value = f64::from(u8::from(id == other)));
    }

    fn contract(&self, pairs: &Pairs<'_>, weights: &[f64], _gradient: &mut [f64]) -> f64 {
        let (ids, other) = pairs.ids();
        weights.iter().zip(ids).filter(|(_, id)| **id == other).map(|(w, _)| w).sum()
    }
}

pub(super) static ATOM: AtomKind = AtomKind {
    name: "white",
    aliases: &["independent"],
    key: "white",
    domain: Domain::Identity,
    meaning: "a utility of every item's own",
    make: |_| Box::new(White),
};

/// $k=1$ if both have the same levels in all columns, else $0$: every combination of levels has an effect of its own, as a random effect in a mixed
/// model. In brackets, `white[surface]`; times `white[item]` it is an item's own effect in each level.
///
/// # References
/// Pinheiro and Bates, *Mixed-effects models in S and S-PLUS* (2000), chapter 2.
#[derive(Debug, Clone)]
struct Levels {
    /// The columns, without lengthscales.
    active: Active,
}

impl Covariance for Levels {
    fn name(&self) -> &'static str {
        "white"
    }

    fn boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
    }

    fn active(&self) -> Option<&Active> {
        Some(&self.active)
    }

    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    fn parameters_mut(&mut self) -> Vec<&mut f64> {
        Vec::new()
    }

    fn latent(&self) -> Option<Latent> {
        Some(Latent::Levels(self.active.dims.clone()))
    }

    fn values(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        out.fill(1.0);
        for &dim in &self.active.dims {
            let (xs, other) = pairs.feature(dim);
            out.iter_mut().zip(xs).filter(|(_, x)| **x != other).for_each(|(value, _)| *value = 0.0);
        }
    }

    fn contract(&self, pairs: &Pairs<'_>, weights: &[f64], _gradient: &mut [f64]) -> f64 {
        let mut values = vec![0.0; weights.len()];
        self.values(pairs, &mut values);
        weights.iter().zip(values).map(|(w, v)| w * v).sum()
    }
}

pub(super) static LEVELS: AtomKind = AtomKind {
    name: "white",
    aliases: &[],
    key: "levels",
    domain: Domain::Categories,
    meaning: "an effect of every level of a column",
    make: |active| Box::new(Levels { active: Active { lengthscales: Vec::new(), ..active } }),
};
