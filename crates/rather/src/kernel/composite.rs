//! Scaled kernels, sums and products: values and gradients of a tree.

use super::covariance::{Pairs, dot};
use super::{Kernel, Node};

impl Kernel {
    /// Writes $k(x_i,x')$ for every pair.
    pub(super) fn values(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        match self.node() {
            Node::Atom(atom) => atom.values(pairs, out),
            Node::Scaled(variance, kernel) => {
                kernel.values(pairs, out);
                out.iter_mut().for_each(|value| *value *= variance);
            }
            Node::Sum(terms) => accumulate(terms, pairs, out, 0.0, |sum, value| *sum += value),
            Node::Product(factors) => {
                accumulate(factors, pairs, out, 1.0, |product, value| *product *= value);
            }
        }
    }

    /// Writes $\sum_iw_i\,\partial k(x_i,x')/\partial\log\theta$ for every parameter and returns
    /// $\sum_iw_ik(x_i,x')$.
    ///
    /// A scaled kernel multiplies what its inside says by the variance; a sum hands its weights on; a product hands
    /// each factor the weights times the other factors.
    pub(super) fn contract(&self, pairs: &Pairs<'_>, weights: &[f64], gradient: &mut [f64]) -> f64 {
        match self.node() {
            Node::Atom(atom) => atom.contract(pairs, weights, gradient),
            Node::Scaled(variance, kernel) => {
                let (own, inner) = gradient.split_at_mut(1);
                let sum = variance * kernel.contract(pairs, weights, inner);
                inner.iter_mut().for_each(|g| *g *= variance);
                own[0] = sum;
                sum
            }
            Node::Sum(terms) => {
                let parts = split(terms, gradient);
                parts.into_iter().map(|(term, part)| term.contract(pairs, weights, part)).sum()
            }
            Node::Product(factors) => {
                let n = weights.len();
                let mut values = vec![vec![0.0; n]; factors.len()];
                for (factor, column) in factors.iter().zip(&mut values) {
                    factor.values(pairs, column);
                }
                for (k, (factor, part)) in split(factors, gradient).into_iter().enumerate() {
                    if part.is_empty() {
                        continue;
                    }
                    let mut others = weights.to_vec();
                    for (_, column) in values.iter().enumerate().filter(|(other, _)| *other != k) {
                        others.iter_mut().zip(column).for_each(|(w, value)| *w *= value);
                    }
                    factor.contract(pairs, &others, part);
                }
                let mut product = vec![1.0; n];
                for column in &values {
                    product.iter_mut().zip(column).for_each(|(p, value)| *p *= value);
                }
                dot(weights, &product)
            }
        }
    }
}

/// Values of a part that are held at a time. They are held on the stack: values of a kernel need no allocation.
const CHUNK: usize = 64;

fn accumulate(
    parts: &[Kernel],
    pairs: &Pairs<'_>,
    out: &mut [f64],
    start: f64,
    join: impl Fn(&mut f64, f64),
) {
    let mut buffer = [0.0; CHUNK];
    for (k, out) in out.chunks_mut(CHUNK).enumerate() {
        let pairs = pairs.part(k * CHUNK..k * CHUNK + out.len());
        let column = &mut buffer[..out.len()];
        out.fill(start);
        for part in parts {
            part.values(&pairs, column);
            out.iter_mut().zip(&*column).for_each(|(joined, &value)| join(joined, value));
        }
    }
}

/// Every part with its own piece of the gradient.
fn split<'a, 'g>(parts: &'a [Kernel], mut gradient: &'g mut [f64]) -> Vec<(&'a Kernel, &'g mut [f64])> {
    let mut pieces = Vec::with_capacity(parts.len());
    for part in parts {
        let (piece, rest) = gradient.split_at_mut(part.parameters().len());
        pieces.push((part, piece));
        gradient = rest;
    }
    pieces
}
