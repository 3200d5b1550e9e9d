//! The Gaussian prior in feature form, and how it absorbs sites.
//!
//! Any covariance over nodes is `C = F'F` to working precision (pivoted Cholesky), so the nodes' values are
//! `f = F'w` with `w ~ N(0, I)`, and every projection is a vector of features. Identical items get identical
//! features, so no jitter is needed and their difference is zero exactly; smooth kernels get few features.
//!
//! With sites of precision `tau` and shift `nu` on the projections `p_e`, `B = I + sum tau p p'`:
//! `v_e = p_e' B^-1 p_e`, `E w = B^-1 sum nu p` (specification: EP in one dimension per comparison).

use super::observations::Edge;
use crate::linalg::{self, Matrix, PivotedCholesky, axpy, dot};

/// What the nodes of the prior stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// A node is an item, a projection the difference of two.
    Items,
    /// A node is a pair of items, a projection the node itself (Takeno's form; Huszar's preference kernel).
    Duels,
}

impl Space {
    /// The space with fewer nodes, in which a sweep is cheaper.
    pub fn cheaper(items: usize, edges: usize) -> Self {
        if edges < items { Self::Duels } else { Self::Items }
    }
}

/// A zero-mean Gaussian over nodes, as features, with the projections that observations are about.
#[derive(Debug, Clone)]
pub struct Prior {
    /// Features of the nodes: column `i` belongs to node `i`; `rank x nodes`.
    pub features: Matrix,
    /// The nodes in pivot order; the first `rank` determine all others.
    pub order: Vec<usize>,
    /// The projections, over nodes.
    pub edges: Vec<Edge>,
    /// What the nodes are.
    pub space: Space,
    /// Number of items (equal to the number of nodes in item space).
    pub items: usize,
    /// The projections, over items.
    pub item_edges: Vec<Edge>,
}

/// The prior after absorbing sites.
#[derive(Debug, Clone)]
pub struct Absorbed {
    /// Cholesky factor of `B` (lower triangle).
    pub factor: Matrix,
    /// `E w`.
    pub weights: Vec<f64>,
    /// Mean of each projection.
    pub mean: Vec<f64>,
    /// Variance of each projection.
    pub variance: Vec<f64>,
    /// `log |B|`.
    pub log_det: f64,
}

impl Prior {
    /// The prior over the items with covariance `c` (only its lower triangle is read), for projections
    /// `edges` over them. `None` if `c` holds something that is not a number.
    pub fn new(c: Matrix, edges: &[Edge], space: Space) -> Option<Self> {
        let items = c.rows();
        let (c, node_edges) = match space {
            Space::Items => (c, edges.to_vec()),
            Space::Duels => {
                let nodes = (0..edges.len()).map(|e| Edge { plus: e, minus: None }).collect();
                (preference_covariance(&c, edges), nodes)
            }
        };
        let PivotedCholesky { features, order } = PivotedCholesky::new(c)?;
        Some(Self { features, order, edges: node_edges, space, items, item_edges: edges.to_vec() })
    }

    /// Number of features.
    pub fn rank(&self) -> usize {
        self.features.rows()
    }

    /// `F Lambda` for the weighted graph Laplacian `Lambda = sum_e tau_e a_e a_e'` (`rank x nodes`).
    pub fn features_times_laplacian(&self, tau: &[f64], out: &mut Matrix) {
        out.data_mut().fill(0.0);
        let mut diagonal = vec![0.0; self.features.cols()];
        for (edge, &t) in self.edges.iter().zip(tau) {
            diagonal[edge.plus] += t;
            if let Some(minus) = edge.minus {
                diagonal[minus] += t;
                axpy(-t, self.features.col(minus), out.col_mut(edge.plus));
                axpy(-t, self.features.col(edge.plus), out.col_mut(minus));
            }
        }
        for (i, &d) in diagonal.iter().enumerate() {
            axpy(d, self.features.col(i), out.col_mut(i));
        }
    }

    /// Sum over projections of `value_e a_e`, a vector over nodes.
    pub fn scatter(&self, values: &[f64]) -> Vec<f64> {
        scatter(&self.edges, values, self.features.cols())
    }

    /// The projections of values at the nodes.
    pub fn project(&self, nodes: &[f64]) -> Vec<f64> {
        self.edges.iter().map(|e| nodes[e.plus] - e.minus.map_or(0.0, |minus| nodes[minus])).collect()
    }

    /// The posterior marginals of all projections under sites with precisions `tau` and shifts `nu` (one
    /// an edge, repeated comparisons summed). `None` if `B` is not positive definite.
    pub fn absorb(&self, tau: &[f64], nu: &[f64]) -> Option<Absorbed> {
        let mut buffer = Matrix::zeros(self.rank(), self.features.cols());
        self.features_times_laplacian(tau, &mut buffer);
        let mut factor = linalg::identity_plus_symmetric_product(&self.features, &buffer);
        if !linalg::cholesky(&mut factor) {
            return None;
        }
        buffer.data_mut().copy_from_slice(self.features.data());
        linalg::solve_lower(&factor, &mut buffer);

        let mut weights = self.features.times(&self.scatter(nu));
        linalg::solve_lower_vec(&factor, &mut weights);
        linalg::solve_lower_transposed_vec(&factor, &mut weights);
        let nodes = self.features.transpose_times(&weights);
        let mean = self.project(&nodes);
        let variance = self
            .edges
            .iter()
            .map(|e| match e.minus {
                Some(minus) => linalg::squared_distance(buffer.col(e.plus), buffer.col(minus)),
                None => dot(buffer.col(e.plus), buffer.col(e.plus)),
            })
            .collect();
        let log_det = 2.0 * (0..self.rank()).map(|i| factor[(i, i)].ln()).sum::<f64>();
        Some(Absorbed { factor, weights, mean, variance, log_det })
    }
}

/// Sum over edges of `value_e a_e`, a vector over `nodes` nodes.
pub fn scatter(edges: &[Edge], values: &[f64], nodes: usize) -> Vec<f64> {
    let mut out = vec![0.0; nodes];
    for (edge, &value) in edges.iter().zip(values) {
        out[edge.plus] += value;
        if let Some(minus) = edge.minus {
            out[minus] -= value;
        }
    }
    out
}

/// `A C A'`: the covariance of the projections, Huszar's preference kernel (lower triangle of `c` read).
fn preference_covariance(c: &Matrix, edges: &[Edge]) -> Matrix {
    let at = |i: usize, j: usize| if i >= j { c[(i, j)] } else { c[(j, i)] };
    let ends = |e: &Edge| [(Some(e.plus), 1.0), (e.minus, -1.0)];
    Matrix::from_fn(edges.len(), edges.len(), |m, n| {
        let mut sum = 0.0;
        for (i, si) in ends(&edges[m]) {
            for (j, sj) in ends(&edges[n]) {
                if let (Some(i), Some(j)) = (i, j) {
                    sum += si * sj * at(i, j);
                }
            }
        }
        // A variance, so rounding must not make it negative.
        if m == n { sum.max(0.0) } else { sum }
    })
}
