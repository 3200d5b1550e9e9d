//! Covariances and their gradients where only some pairs count: two different lists of items, variances, the edges of a graph.

use super::atom::{Items, Pairs};
use super::{Kernel, PARALLEL};
use crate::comparisons::Edge;
use crate::points::Points;
use rather_numerics::linalg::Matrix;
use rather_numerics::parallel;

/// Edges that one task works on.
const BLOCK: usize = 4096;

impl Kernel {
    /// The gradient of $\sum_{ij}W_{ij}k(a_i,b_j)$ by the logarithm of every parameter; `weights` is $W$, `a.len()` x `b.len()`.
    ///
    /// # Panics
    /// If `weights` has another shape; else as [`Kernel::matrix`].
    pub fn gradient_across(&self, a: &Points, b: &Points, weights: &Matrix) -> Vec<f64> {
        assert!(weights.rows() == a.len() && weights.cols() == b.len(), "weights must be a.len() x b.len()");
        let (rows, others) = (Items::new(a), Items::new(b));
        let count = self.parameters().len();
        let column = |j: usize| {
            let mut gradient = vec![0.0; count];
            self.contract(&Pairs::new(&rows, 0..a.len(), &others, j), weights.col(j), &mut gradient);
            gradient
        };
        summed(parallel::map(b.len(), PARALLEL, column), count)
    }

    /// The gradient of $\sum_iw_ik(a_i,a_i)$ by the logarithm of every parameter.
    ///
    /// # Panics
    /// If `weights` is not one an item; else as [`Kernel::matrix`].
    pub fn gradient_of_diagonal(&self, a: &Points, weights: &[f64]) -> Vec<f64> {
        assert!(weights.len() == a.len(), "weights must be one an item");
        let items = Items::new(a);
        let (count, mut sum) = (self.parameters().len(), vec![0.0; self.parameters().len()]);
        let mut gradient = vec![0.0; count];
        for i in 0..a.len() {
            gradient.fill(0.0);
            self.contract(&Pairs::new(&items, i..i + 1, &items, i), &weights[i..=i], &mut gradient);
            sum.iter_mut().zip(&gradient).for_each(|(s, g)| *s += g);
        }
        sum
    }

    /// The covariance of the two ends of each edge; 0 for an edge with one end.
    ///
    /// # Panics
    /// If an edge names an item that is not there; else as [`Kernel::matrix`].
    pub fn between_pairs(&self, points: &Points, edges: &[Edge]) -> Vec<f64> {
        let items = Items::new(points);
        let mut out = vec![0.0; edges.len()];
        parallel::for_each_chunk(&mut out, BLOCK, |block, out| {
            let edges = &edges[block * BLOCK..][..out.len()];
            for (range, others) in runs(points, edges) {
                let pairs = Pairs::new(&others, 0..range.len(), &items, edges[range.start].plus());
                self.values(&pairs, &mut out[range]);
            }
        });
        out
    }

    /// The gradient of $\sum_ew_ek(x_e,x'_e)$ over the two ends of edges by the logarithm of every parameter; edges with one
    /// end do not count.
    ///
    /// # Panics
    /// If `weights` is not one an edge; else as [`Kernel::between_pairs`].
    pub fn gradient_between_pairs(&self, points: &Points, edges: &[Edge], weights: &[f64]) -> Vec<f64> {
        assert!(weights.len() == edges.len(), "weights must be one an edge");
        let items = Items::new(points);
        let count = self.parameters().len();
        let block = |block: usize| {
            let range = block * BLOCK..edges.len().min((block + 1) * BLOCK);
            let (edges, weights) = (&edges[range.clone()], &weights[range]);
            let (mut sum, mut gradient) = (vec![0.0; count], vec![0.0; count]);
            for (range, others) in runs(points, edges) {
                let pairs = Pairs::new(&others, 0..range.len(), &items, edges[range.start].plus());
                gradient.fill(0.0);
                self.contract(&pairs, &weights[range], &mut gradient);
                sum.iter_mut().zip(&gradient).for_each(|(s, g)| *s += g);
            }
            sum
        };
        summed(parallel::map(edges.len().div_ceil(BLOCK), 1, block), count)
    }
}

/// The parts added up in their order, whoever made them: the same bits for any number of threads.
fn summed(parts: Vec<Vec<f64>>, count: usize) -> Vec<f64> {
    let mut sum = vec![0.0; count];
    for part in &parts {
        sum.iter_mut().zip(part).for_each(|(s, g)| *s += g);
    }
    sum
}

/// Runs of edges with the same first end, each with the items at their other ends.
fn runs<'a>(
    points: &'a Points,
    edges: &'a [Edge],
) -> impl Iterator<Item = (std::ops::Range<usize>, Items)> + 'a {
    let mut start = 0;
    std::iter::from_fn(move || {
        while start < edges.len() && edges[start].minus().is_none() {
            start += 1;
        }
        let first = edges.get(start)?;
        let same = edges[start..].iter().take_while(|e| e.plus() == first.plus() && e.minus().is_some());
        let others: Vec<usize> = same.filter_map(Edge::minus).collect();
        let range = start..start + others.len();
        start = range.end;
        Some((range, Items::new(&points.select(&others))))
    })
}
