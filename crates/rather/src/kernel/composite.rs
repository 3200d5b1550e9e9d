//! Scaled kernels, sums and products: values and gradients of a tree.

use super::atom::Pairs;
use super::{Kernel, Node};
use rather_numerics::linalg::Matrix;

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

    /// Writes $\sum_iw_i \partial k(x_i,x')/\partial\log\theta$ for every parameter and returns
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
                let values = columns(factors, pairs, weights.len());
                for (k, (factor, part)) in split(factors, gradient).into_iter().enumerate() {
                    if part.is_empty() {
                        continue;
                    }
                    factor.contract(pairs, &times_others(weights, &values, k), part);
                }
                times_others(weights, &values, factors.len()).iter().sum()
            }
        }
    }

    /// Adds $w_i \partial k(x_i,x')/\partial x'_c$ to entry $(c,i)$ of `out`. Weights are handed on as by
    /// [`Kernel::contract`].
    pub(super) fn add_input_gradient(&self, pairs: &Pairs<'_>, weights: &[f64], out: &mut Matrix) {
        match self.node() {
            Node::Atom(atom) => atom.add_input_gradient(pairs, weights, out),
            Node::Scaled(variance, kernel) => {
                let weights: Vec<f64> = weights.iter().map(|w| w * variance).collect();
                kernel.add_input_gradient(pairs, &weights, out);
            }
            Node::Sum(terms) => terms.iter().for_each(|term| term.add_input_gradient(pairs, weights, out)),
            Node::Product(factors) => {
                let values = columns(factors, pairs, weights.len());
                for (k, factor) in factors.iter().enumerate() {
                    factor.add_input_gradient(pairs, &times_others(weights, &values, k), out);
                }
            }
        }
    }
}

/// The values of every part for every pair, one column a part.
fn columns(parts: &[Kernel], pairs: &Pairs<'_>, n: usize) -> Vec<Vec<f64>> {
    let mut values = vec![vec![0.0; n]; parts.len()];
    for (part, column) in parts.iter().zip(&mut values) {
        part.values(pairs, column);
    }
    values
}

/// `weights` times all columns but column `k`.
fn times_others(weights: &[f64], columns: &[Vec<f64>], k: usize) -> Vec<f64> {
    let mut product = weights.to_vec();
    for (_, column) in columns.iter().enumerate().filter(|(other, _)| *other != k) {
        product.iter_mut().zip(column).for_each(|(p, value)| *p *= value);
    }
    product
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
