//! A precision matrix on a graph, with what is asked of its inverse.

use std::sync::Arc;

use super::conjugate::{self, Accuracy};
use super::graph::{Graph, each_into};
use super::messages::Messages;
use rand_chacha::ChaCha8Rng;
use rather_numerics::linalg::Matrix;
use rather_numerics::linalg::sparse::{SelectedInverse, SparseCholesky};
use rather_numerics::order::by_key;
use rather_numerics::random::normals;

/// `Q = diag(d) + sum_e w_e (u_i - u_j)(u_i - u_j)'` over the nodes of a graph.
#[derive(Debug, Clone)]
pub struct Precision {
    graph: Arc<Graph>,
    diagonal: Vec<f64>,
    weights: Vec<f64>,
    solver: Solver,
}

/// The residual of conjugate gradients, relative to the right side, that counts as none; and, from the means under other sites, the share of their
/// residual that is as good as none.
const TOLERANCE: f64 = 1e-10;
const SHARE: f64 = 1e-3;

/// Columns of the inverse that are solved for in one go.
const COLUMNS: usize = 64;
/// Pairs with the same first node from which on its column of the inverse takes less time than a path of the factor for each.
const PAIRS_A_COLUMN: usize = 4;

/// How the inverse is asked.
#[derive(Debug, Clone)]
enum Solver {
    Factor { factor: SparseCholesky, inverse: SelectedInverse },
    Messages(Messages),
}

impl Precision {
    /// The precision with the diagonal part `d` (one a node, positive) and the weights `w` (one an edge, not negative); where
    /// messages are passed they start from `earlier` ones. `None` if a number is out of its range.
    pub fn new(
        graph: &Arc<Graph>,
        diagonal: Vec<f64>,
        weights: Vec<f64>,
        earlier: Option<Messages>,
    ) -> Option<Self> {
        let positive = diagonal.iter().all(|d| d.is_finite() && *d > 0.0);
        if !(positive && weights.iter().all(|w| w.is_finite() && *w >= 0.0)) {
            return None;
        }
        let solver = match &graph.pattern {
            Some(pattern) => {
                let factor = pattern.factorise(&diagonal, &weights)?;
                let inverse = factor.selected_inverse();
                Solver::Factor { factor, inverse }
            }
            None => Solver::Messages(Messages::settle(graph, &diagonal, &weights, earlier)),
        };
        Some(Self { graph: graph.clone(), diagonal, weights, solver })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// `Q^-1 b`, exact to rounding, or to 1e-10 of `b` by conjugate gradients where the factor is out of reach. `None` if that does not converge.
    pub fn solve(&self, b: &[f64]) -> Option<Vec<f64>> {
        self.solve_within(b, None, Accuracy::to(TOLERANCE))
    }

    /// As [`Precision::solve`], where a sweep follows upon another: by conjugate gradients from `start`, the solution under other sites, until all but a
    /// thousandth of what it is off is gone.
    pub(super) fn solve_from(&self, b: &[f64], start: &[f64]) -> Option<Vec<f64>> {
        self.solve_within(b, Some(start), Accuracy { tolerance: TOLERANCE, share: SHARE })
    }

    /// As [`Precision::solve`], with conjugate gradients as accurate as this.
    pub(super) fn solve_within(
        &self,
        b: &[f64],
        start: Option<&[f64]>,
        accuracy: Accuracy,
    ) -> Option<Vec<f64>> {
        match &self.solver {
            Solver::Factor { factor, .. } => {
                let mut x = Matrix::from_fn(b.len(), 1, |i, _| b[i]);
                factor.solve(&mut x);
                x.data().iter().all(|x| x.is_finite()).then(|| x.data().to_vec())
            }
            Solver::Messages(_) => {
                let start = start.filter(|s| s.len() == b.len());
                // From nothing all of it is off.
                let accuracy = if start.is_some() { accuracy } else { Accuracy { share: 0.0, ..accuracy } };
                let start = start.map_or(vec![0.0; b.len()], <[f64]>::to_vec);
                let system = conjugate::System {
                    graph: &self.graph,
                    diagonal: &self.diagonal,
                    weights: &self.weights,
                };
                system.solve(b, start, accuracy)
            }
        }
    }

    /// `x <- Q^-1 x`, column by column, by the factor. `None` where messages are passed, or if there is no telling.
    pub(in crate::inference) fn solve_all(&self, x: &mut Matrix) -> Option<()> {
        let Solver::Factor { factor, .. } = &self.solver else { return None };
        factor.solve(x);
        x.data().iter().all(|x| x.is_finite()).then_some(())
    }

    /// A draw from `N(0, Q^-1)`: the solution for a draw from `N(0, Q)`. `None` where messages are passed.
    pub fn perturbation(&self, rng: &mut ChaCha8Rng) -> Option<Vec<f64>> {
        if matches!(self.solver, Solver::Messages(_)) {
            return None;
        }
        let mut b = normals(self.diagonal.len(), rng);
        b.iter_mut().zip(&self.diagonal).for_each(|(b, d)| *b *= d.sqrt());
        let along = normals(self.weights.len(), rng);
        for (e, (x, w)) in along.iter().zip(&self.weights).enumerate() {
            let (i, j) = self.graph.ends_of(e);
            b[i] += w.sqrt() * x;
            b[j] -= w.sqrt() * x;
        }
        self.solve(&b)
    }

    /// `log |Q|`: exact, or its Bethe approximation.
    pub fn log_det(&self) -> f64 {
        match &self.solver {
            Solver::Factor { factor, .. } => factor.log_det(),
            Solver::Messages(messages) => messages.log_det(&self.graph, &self.weights),
        }
    }

    /// The variance of each node: exact, or by messages.
    pub fn node_variances(&self) -> Vec<f64> {
        match &self.solver {
            Solver::Factor { inverse, .. } => inverse.diagonal.clone(),
            Solver::Messages(messages) => messages.node_variances(),
        }
    }

    /// The variance of the difference along each edge: exact, or by messages.
    pub fn edge_variances(&self) -> Vec<f64> {
        self.edge_variances_into(Vec::new())
    }

    /// As [`Precision::edge_variances`], in memory that is there.
    pub(super) fn edge_variances_into(&self, memory: Vec<f64>) -> Vec<f64> {
        match &self.solver {
            Solver::Factor { inverse: SelectedInverse { diagonal, between }, .. } => {
                each_into(memory, self.graph.edges(), |e| {
                    let (i, j) = self.graph.ends_of(e);
                    (diagonal[i] + diagonal[j] - 2.0 * between[e]).max(0.0)
                })
            }
            Solver::Messages(messages) => messages.edge_variances(&self.graph, &self.weights, memory),
        }
    }

    /// The memory of the weights and, where messages are passed, these.
    pub(super) fn into_memory(self) -> (Vec<f64>, Option<Messages>) {
        let messages = match self.solver {
            Solver::Messages(messages) => Some(messages),
            Solver::Factor { .. } => None,
        };
        (self.weights, messages)
    }

    /// The covariances of any nodes by the factor; `None` where messages are passed.
    pub fn covariances(&self, nodes: &[usize]) -> Option<Matrix> {
        let Solver::Factor { factor, .. } = &self.solver else { return None };
        let mut out = Matrix::zeros(nodes.len(), nodes.len());
        for (block, of_block) in nodes.chunks(COLUMNS).enumerate() {
            let x = self.columns(factor, of_block);
            for k in 0..of_block.len() {
                let column = x.col(k);
                out.col_mut(block * COLUMNS + k)
                    .iter_mut()
                    .zip(nodes)
                    .for_each(|(c, &node)| *c = column[node]);
            }
        }
        Some(out)
    }

    /// The variances of the differences of any pairs of nodes by the factor; `None` where messages are passed.
    pub fn difference_variances(&self, pairs: &[(usize, usize)]) -> Option<Vec<f64>> {
        let Solver::Factor { factor, inverse } = &self.solver else { return None };
        let order = by_key(&pairs.iter().map(|&(first, _)| first as i64).collect::<Vec<i64>>());
        let by_first: Vec<&[usize]> = order.chunk_by(|&a, &b| pairs[a].0 == pairs[b].0).collect();
        if pairs.len() < PAIRS_A_COLUMN * by_first.len() {
            return Some(factor.difference_variances(pairs));
        }
        let mut out = vec![0.0; pairs.len()];
        for groups in by_first.chunks(COLUMNS) {
            let firsts: Vec<usize> = groups.iter().map(|group| pairs[group[0]].0).collect();
            let inverses = self.columns(factor, &firsts);
            for (k, group) in groups.iter().enumerate() {
                for &at in *group {
                    let (i, j) = pairs[at];
                    let between = inverses[(j, k)];
                    out[at] = (inverse.diagonal[i] + inverse.diagonal[j] - 2.0 * between).max(0.0);
                }
            }
        }
        Some(out)
    }

    /// The columns of the inverse that belong to `nodes`.
    fn columns(&self, factor: &SparseCholesky, nodes: &[usize]) -> Matrix {
        let mut x = Matrix::zeros(self.diagonal.len(), nodes.len());
        nodes.iter().enumerate().for_each(|(k, &node)| x[(node, k)] = 1.0);
        factor.solve(&mut x);
        x
    }
}
