//! What an atom of a kernel must be able to do, and the items it sees.

use std::fmt;
use std::ops::Range;

use super::{Active, Latent, Parameter};
use crate::points::Points;
use rather_numerics::linalg::Matrix;

/// An atom of a kernel: a covariance function with parameters of its own.
///
/// It works on one column of a covariance matrix at a time ([`Pairs`]), so that no caller needs a second matrix. One that depends on the scaled
/// distance of two items only is a [`Profile`](super::Profile), which asks for less. [`AtomKind`](super::AtomKind) makes it known to kernel
/// expressions and model files, [`check_covariance`](super::check_covariance) tests it.
pub trait Covariance: fmt::Debug + Send + Sync {
    /// Its name in a kernel expression.
    fn name(&self) -> &'static str;

    /// A copy of it.
    fn boxed(&self) -> Box<dyn Covariance>;

    /// The columns it acts on; `None` if it does not look at features.
    fn active(&self) -> Option<&Active>;

    /// Its parameters, in a fixed order.
    fn parameters(&self) -> Vec<Parameter>;

    /// The parameters' places, in the same order.
    fn parameters_mut(&mut self) -> Vec<&mut f64>;

    /// Writes $k(x_i,x')$ for every pair.
    fn values(&self, pairs: &Pairs<'_>, out: &mut [f64]);

    /// Writes $\sum_iw_i \partial k(x_i,x')/\partial\log\theta$ for every parameter and returns $\sum_iw_ik(x_i,x')$.
    fn contract(&self, pairs: &Pairs<'_>, weights: &[f64], gradient: &mut [f64]) -> f64;

    /// Adds $w_i \partial k(x_i,x')/\partial x'_c$ to entry $(c,i)$ of `out`, for every pair and every column $c$ of numbers.
    /// Nothing for a function that does not depend on numbers, or jumps.
    fn add_input_gradient(&self, _pairs: &Pairs<'_>, _weights: &[f64], _out: &mut Matrix) {}

    /// What it is as latent variables, if it is one of those forms. A sum of products of such atoms takes a sparse precision.
    fn latent(&self) -> Option<Latent> {
        None
    }

    /// Whether different items are independent, whatever their features.
    fn is_independent(&self) -> bool {
        false
    }

    /// The variance of utilities that a variance of 1 stands for, $k(x,x)$ on average over items whose features have the standard deviations
    /// `spreads`: 1 where $k(x,x)=1$.
    fn typical_variance(&self, _spreads: &[f64]) -> f64 {
        1.0
    }
}

/// An atom as a leaf of a kernel; equal to another if name, columns and parameters are.
#[derive(Debug)]
pub struct Atom(pub(super) Box<dyn Covariance>);

impl Clone for Atom {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        a.name() == b.name() && a.active() == b.active() && a.parameters() == b.parameters()
    }
}

/// Items column by column: the loops over pairs then run through memory in its order.
#[derive(Debug, Clone)]
pub(crate) struct Items {
    ids: Vec<u64>,
    columns: Vec<Vec<f64>>,
}

impl Items {
    pub(super) fn new(points: &Points) -> Self {
        let n = points.len();
        Self {
            ids: (0..n).map(|i| points.id(i)).collect(),
            columns: (0..points.dims()).map(|c| (0..n).map(|i| points.row(i)[c]).collect()).collect(),
        }
    }

    /// Number of items.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Puts another item in the place of item `i`.
    pub(super) fn set(&mut self, i: usize, id: u64, row: &[f64]) {
        self.ids[i] = id;
        for (column, &value) in self.columns.iter_mut().zip(row) {
            column[i] = value;
        }
    }
}

/// A run of items $x_i$, each paired with the same other item $x'$: a part of one column of a covariance matrix.
#[derive(Debug)]
pub struct Pairs<'a> {
    items: &'a Items,
    range: Range<usize>,
    others: &'a Items,
    other: usize,
}

impl<'a> Pairs<'a> {
    /// The `items` in `range`, paired with the item `other` of `others`.
    pub(super) fn new(items: &'a Items, range: Range<usize>, others: &'a Items, other: usize) -> Self {
        Self { items, range, others, other }
    }

    /// Item `j` and all items after it, paired with item `j`: a column of the lower triangle.
    pub(super) fn below(items: &'a Items, j: usize) -> Self {
        Self::new(items, j..items.ids.len(), items, j)
    }

    /// The pairs at the positions in `range` only.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let start = self.range.start;
        Self { range: start + range.start..start + range.end, ..*self }
    }

    /// Feature `dim` of every item $x_i$, and of $x'$.
    pub fn feature(&self, dim: usize) -> (&'a [f64], f64) {
        (&self.items.columns[dim][self.range.clone()], self.others.columns[dim][self.other])
    }

    /// The identity of every item $x_i$, and of $x'$.
    pub fn ids(&self) -> (&'a [u64], u64) {
        (&self.items.ids[self.range.clone()], self.others.ids[self.other])
    }
}
