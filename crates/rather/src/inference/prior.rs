//! The Gaussian prior in feature form, and how it absorbs sites.
//!
//! Any covariance over nodes is `C = F'F` to working precision (pivoted Cholesky), so the nodes' values are
//! `f = F'w` with `w ~ N(0, I)`, and every projection is a vector of features. Identical items get identical
//! features, so no jitter is needed and their difference is zero exactly; smooth kernels get few features.
//!
//! With sites of precision `tau` and shift `nu` on the projections `p_e`, `B = I + sum tau p p'`:
//! `v_e = p_e' B^-1 p_e`, `E w = B^-1 sum nu p` (EP in one dimension per comparison: Takeno).

use super::Settings;
use super::observations::{Edge, Observation};
use super::sequential::{self, Settled};
use super::sites::Sites;
use super::sparse::Precision;
use crate::likelihood::Likelihoods;
use rather_numerics::linalg::{self, Matrix, TriangularFeatures, axpy, dot};
use rather_numerics::order::descending;
use rather_numerics::{parallel, watch};

/// What the nodes of the prior stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// A node is an item, a projection the difference of two.
    Items,
    /// A node is a pair of items, a projection the node itself (Takeno's form; Huszar's preference kernel).
    #[serde(alias = "duels")]
    Pairs,
}

impl Space {
    /// The space with fewer nodes, in which a sweep is cheaper.
    pub fn cheaper(items: usize, edges: usize) -> Self {
        if edges < items { Self::Pairs } else { Self::Items }
    }
}

/// What inference needs of a Gaussian prior: the moments of its projections under any sites.
pub trait GaussianPrior: Sync {
    /// Number of projections.
    fn projections(&self) -> usize;

    /// The posterior marginals of all projections under sites with precisions `tau` and shifts `nu` (one a projection),
    /// in the memory of an earlier result. `None` if the numbers break down.
    fn absorb_into(&self, tau: &[f64], nu: &[f64], earlier: Absorbed) -> Option<Absorbed>;

    /// The variance that each projection has besides that of its features, independent of all else; empty if none has.
    fn rest(&self) -> &[f64] {
        &[]
    }

    /// Whether a projection is the difference of two items.
    fn compares(&self, _projection: usize) -> bool {
        true
    }

    /// How the posterior means of the projections move when the shifts `nu` change by `x`.
    fn shift(&self, posterior: &Absorbed, x: &[f64]) -> Vec<f64>;

    /// Twice the log of what the means contribute to the integral of prior times sites: `nu'm` for zero prior means.
    fn quadratic(&self, _tau: &[f64], nu: &[f64], posterior: &Absorbed) -> f64 {
        dot(nu, &posterior.mean)
    }

    /// The log determinant of the posterior's precision relative to the prior's.
    fn log_det(&self, posterior: &Absorbed) -> f64 {
        posterior.log_det
    }

    /// What is kept of the posterior after the last sweep: not what takes the memory of the items' covariance and can be found again.
    fn keep(&self, posterior: Absorbed) -> Absorbed {
        Absorbed { half: Matrix::default(), ..posterior }
    }

    /// Sequential EP from `start`, where parallel sweeps do not converge, the share `damping` of every update; `None` if this prior has no such
    /// thing.
    fn settle(
        &self,
        _observations: &[Observation],
        _likelihoods: &Likelihoods,
        _start: Sites,
        _damping: f64,
        _settings: &Settings,
    ) -> Option<Settled> {
        None
    }
}

/// A Gaussian over nodes, as features, with the projections that observations are about.
#[derive(Debug, Clone)]
pub struct Prior {
    /// Features of the nodes: column `i` belongs to node `i`; `rank x nodes`. The first `triangular` columns are
    /// a lower triangle.
    pub features: Matrix,
    /// Number of columns of the triangle.
    pub triangular: usize,
    /// Which item (or, in duel space, which pair) each node is.
    pub order: Vec<usize>,
    /// The projections, over nodes.
    pub edges: Vec<Edge>,
    /// What the nodes are.
    pub space: Space,
    /// Number of items (equal to the number of nodes in item space).
    pub items: usize,
    /// The projections, over items.
    pub item_edges: Vec<Edge>,
    /// The prior mean of each projection; zero unless set by [`Prior::with_means`].
    pub means: Vec<f64>,
    /// What each projection's variance has besides that of the features: what features of low rank leave of it ([`Prior::low_rank`]), and the
    /// random effect of a pair ([`Prior::with_pair_effect`]); empty if there is neither.
    pub rest: Vec<f64>,
    /// Whether the features are of low rank.
    pub low_rank: bool,
    /// Whether the nodes are independent: the features are a diagonal.
    pub(super) independent: bool,
    /// For each node, the projections it takes part in, with the node at the other end.
    pub(super) neighbours: Vec<Vec<(usize, Option<usize>)>>,
}

/// The prior after absorbing sites.
#[derive(Debug, Clone, Default)]
pub struct Absorbed {
    /// Cholesky factor `R` of `B` (lower triangle).
    pub factor: Matrix,
    /// `R^-1 F`: its columns' inner products are the posterior covariances of the nodes.
    pub half: Matrix,
    /// `E w`.
    pub weights: Vec<f64>,
    /// Mean of each projection.
    pub mean: Vec<f64>,
    /// Variance of each projection.
    pub variance: Vec<f64>,
    /// `log |B|`; 0 under a prior with a sparse precision, which finds it when it is asked for ([`GaussianPrior::log_det`]).
    pub log_det: f64,
    /// Priors with a sparse precision only: that of the posterior, and `weights` are the means of the nodes.
    pub precision: Option<Box<Precision>>,
    /// Priors of latent variables only: that of the posterior, and `weights` are the means of the variables.
    pub(crate) joint: Option<Box<super::latent::joint::Factor>>,
}

/// Rows of features worked on at a time: 1,000 columns of it fill a megabyte.
const STRIP: usize = 128;

/// Rows that are orthogonalised at a time.
const ROWS: usize = 4096;

/// With so many times more nodes than features, what the triangle saves does not matter, and what is read from memory does.
const LONG: usize = 3;

/// Where one in so many of all pairs is compared, the covariances of all are cheaper than the differences of those.
const DENSE: usize = 16;
/// Where one in so many is compared, their Laplacian is multiplied with as any matrix.
const FULL: usize = 8;
/// What a difference must be of the sum it is taken from, not to have lost half of its digits.
const CANCELLED: f64 = 1e-8;

/// `B` has eigenvalues of at least 1, so a pivot of this size says that rounding, 2^-53 of its square, is no
/// longer far below them.
const LARGEST_CHOLESKY_PIVOT: f64 = 3e4;

impl Prior {
    /// The prior over the items with covariance `c` (only its lower triangle is read), for projections
    /// `edges` over them. `None` if `c` holds something that is not a number.
    pub fn new(c: Matrix, edges: &[Edge], space: Space) -> Option<Self> {
        Self::but_for(c, edges, space, 0.0)
    }

    /// As [`Prior::new`], without features that explain at most the variance `negligible` of any node.
    pub fn but_for(c: Matrix, edges: &[Edge], space: Space, negligible: f64) -> Option<Self> {
        let items = c.rows();
        let (c, node_edges) = match space {
            Space::Items => (c, edges.to_vec()),
            Space::Pairs => {
                let nodes = (0..edges.len()).map(Edge::alone).collect();
                (preference_covariance(&c, edges), nodes)
            }
        };
        Some(Self::of_features(TriangularFeatures::within(c, negligible)?, node_edges, edges, space, items))
    }

    /// The prior over the items, without the features that explain less than the share `tolerance` of the largest variance: only
    /// a column of the covariance a feature is asked for. `own` are the items' variances.
    pub fn within(
        own: &[f64],
        column: impl FnMut(usize) -> Vec<f64>,
        edges: &[Edge],
        tolerance: f64,
    ) -> Option<Self> {
        let features = TriangularFeatures::by_columns(own, column, tolerance, own.len())?;
        Some(Self::of_features(features, edges.to_vec(), edges, Space::Items, own.len()))
    }

    fn of_features(
        TriangularFeatures { features, order }: TriangularFeatures,
        node_edges: Vec<Edge>,
        edges: &[Edge],
        space: Space,
        items: usize,
    ) -> Self {
        let mut node_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(node, &i)| node_of[i] = node);
        let renamed = |e: Edge| Edge::new(node_of[e.plus()], e.minus().map(|m| node_of[m]));
        let node_edges: Vec<Edge> = node_edges.into_iter().map(renamed).collect();
        let neighbours = neighbours(&node_edges, order.len());
        let triangular = features.rows();
        let (item_edges, means) = (edges.to_vec(), vec![0.0; edges.len()]);
        Self {
            independent: is_diagonal(&features),
            features,
            triangular,
            order,
            edges: node_edges,
            space,
            items,
            item_edges,
            means,
            rest: Vec::new(),
            low_rank: false,
            neighbours,
        }
    }

    /// This prior with the given means of the projections.
    ///
    /// # Panics
    /// If there are not as many as projections.
    #[must_use]
    pub fn with_means(mut self, means: Vec<f64>) -> Self {
        assert_eq!(means.len(), self.edges.len(), "one mean a projection");
        self.means = means;
        self
    }

    /// This prior with a random effect of variance `variance` in every difference of two nodes, independent of all else.
    #[must_use]
    pub fn with_pair_effect(mut self, variance: f64) -> Self {
        if variance > 0.0 {
            self.rest.resize(self.edges.len(), 0.0);
            let pairs = self.rest.iter_mut().zip(&self.item_edges).filter(|(_, edge)| edge.minus().is_some());
            pairs.for_each(|(rest, _)| *rest += variance);
        }
        self
    }

    /// This prior with one more node, of features `p` and an independent part of standard deviation `rest`, and
    /// one more projection: that node.
    #[must_use]
    pub fn with_node(&self, p: &[f64], rest: f64) -> Self {
        let (rank, nodes) = (self.rank(), self.features.cols());
        let features = Matrix::from_fn(rank + 1, nodes + 1, |k, i| match (k < rank, i < nodes) {
            (true, true) => self.features[(k, i)],
            (true, false) => p[k],
            (false, true) => 0.0,
            (false, false) => rest,
        });
        let mut edges = self.edges.clone();
        edges.push(Edge::alone(nodes));
        let mut means = self.means.clone();
        means.push(0.0);
        let mut rests = self.rest.clone();
        if !rests.is_empty() {
            rests.push(0.0);
        }
        let mut order = self.order.clone();
        order.push(nodes);
        let neighbours = neighbours(&edges, nodes + 1);
        Self {
            features,
            order,
            edges,
            means,
            rest: rests,
            neighbours,
            independent: false,
            item_edges: self.item_edges.clone(),
            ..*self
        }
    }

    /// This prior without the features that explain at most the variance `negligible` of any node; `None` if more than three quarters are left, or this
    /// is of low rank already.
    pub(crate) fn without(&self, negligible: f64) -> Option<Self> {
        if self.low_rank || self.independent || !self.rest.is_empty() {
            return None;
        }
        // Features come in the order of what they explain, the most last, and on the diagonal is how much that is.
        let rank = self.rank();
        let left = (0..rank).find(|&k| self.features[(k, k)].powi(2) > negligible).unwrap_or(rank);
        if 4 * left < rank {
            return None;
        }
        let mut features = Matrix::zeros(rank - left, self.features.cols());
        (0..features.cols()).for_each(|j| features.col_mut(j).copy_from_slice(&self.features.col(j)[left..]));
        Some(Self {
            features,
            triangular: 0,
            low_rank: true,
            order: self.order.clone(),
            edges: self.edges.clone(),
            item_edges: self.item_edges.clone(),
            means: self.means.clone(),
            rest: Vec::new(),
            neighbours: self.neighbours.clone(),
            ..*self
        })
    }

    /// Number of features.
    pub fn rank(&self) -> usize {
        self.features.rows()
    }

    /// `F Lambda` for the weighted graph Laplacian `Lambda = sum_e tau_e a_e a_e'` (`rank x nodes`).
    pub fn features_times_laplacian(&self, tau: &[f64], out: &mut Matrix) {
        self.times_laplacian(&self.features, tau, out);
    }

    /// `X Lambda` for a matrix with a column a node.
    pub(super) fn times_laplacian(&self, x: &Matrix, tau: &[f64], out: &mut Matrix) {
        let nodes = x.cols();
        if self.edges.len() > nodes * nodes / FULL {
            *out = linalg::product(x, &self.laplacian(tau));
            return;
        }
        linalg::for_each_column_block(out, |first, columns| self.laplacian_columns(x, tau, first, columns));
    }

    /// `Lambda` of [`Prior::times_laplacian`].
    fn laplacian(&self, tau: &[f64]) -> Matrix {
        let nodes = self.features.cols();
        let mut out = Matrix::zeros(nodes, nodes);
        for (edge, &tau) in self.edges.iter().zip(tau) {
            let plus = edge.plus();
            out[(plus, plus)] += tau;
            if let Some(minus) = edge.minus() {
                out[(minus, minus)] += tau;
                out[(plus, minus)] -= tau;
                out[(minus, plus)] -= tau;
            }
        }
        out
    }

    /// Columns of `X Lambda` from the node `first` on.
    fn laplacian_columns(&self, x: &Matrix, tau: &[f64], first: usize, columns: &mut [f64]) {
        let rank = x.rows().max(1);
        // Strip by strip of rows, so that the neighbours' features are read from cache.
        for top in (0..rank).step_by(STRIP) {
            let rows = top..(top + STRIP).min(rank);
            for (offset, out) in columns.chunks_mut(rank).enumerate() {
                let node = first + offset;
                let out = &mut out[rows.clone()];
                out.fill(0.0);
                let mut diagonal = 0.0;
                for &(edge, other) in &self.neighbours[node] {
                    diagonal += tau[edge];
                    if let Some(other) = other {
                        axpy(-tau[edge], &x.col(other)[rows.clone()], out);
                    }
                }
                axpy(diagonal, &x.col(node)[rows.clone()], out);
            }
        }
    }

    /// `B = I + F Lambda F'`, in its lower triangle; `buffer` is of the size of `F`, and afterwards holds anything.
    pub fn precision(&self, tau: &[f64], buffer: &mut Matrix, out: &mut Matrix) {
        if self.independent {
            return self.precision_of_independent(tau, out);
        }
        if self.features.cols() >= LONG * self.rank() {
            let columns = |first: usize, columns: &mut [f64]| {
                self.laplacian_columns(&self.features, tau, first, columns);
            };
            return linalg::identity_plus_symmetric_product_with(&self.features, columns, out);
        }
        self.features_times_laplacian(tau, buffer);
        linalg::identity_plus_symmetric_product(&self.features, buffer, self.triangular, out);
    }

    /// As [`Prior::precision`] for independent nodes of standard deviations `d`: `B_ij = d_i Lambda_ij d_j`, and 1 more on the
    /// diagonal.
    fn precision_of_independent(&self, tau: &[f64], out: &mut Matrix) {
        out.data_mut().fill(0.0);
        let d = |i: usize| self.features[(i, i)];
        for (edge, &tau) in self.edges.iter().zip(tau) {
            let (plus, minus) = (edge.plus(), edge.minus());
            out[(plus, plus)] += tau * d(plus) * d(plus);
            if let Some(minus) = minus {
                out[(minus, minus)] += tau * d(minus) * d(minus);
                out[(plus.max(minus), plus.min(minus))] -= tau * d(plus) * d(minus);
            }
        }
        out.add_diagonal(1.0);
    }

    /// Sum over projections of `value_e a_e`, a vector over nodes.
    pub fn scatter(&self, values: &[f64]) -> Vec<f64> {
        scatter(&self.edges, values, self.features.cols())
    }

    /// The projections of values at the nodes.
    pub fn project(&self, nodes: &[f64]) -> Vec<f64> {
        self.edges.iter().map(|e| nodes[e.plus()] - e.minus().map_or(0.0, |minus| nodes[minus])).collect()
    }

    /// The posterior variances of the projections, from [`Absorbed::half`].
    pub(super) fn variances(&self, half: &Matrix) -> Vec<f64> {
        let variance = |e: &Edge| match e.minus() {
            Some(minus) => linalg::squared_distance(half.col(e.plus()), half.col(minus)),
            None => dot(half.col(e.plus()), half.col(e.plus())),
        };
        let nodes = half.cols();
        if self.edges.len() < nodes * nodes / DENSE {
            return parallel::map(self.edges.len(), 1024, |e| variance(&self.edges[e]));
        }
        // So many pairs that all inner products at once are cheaper.
        let products = linalg::lower_gram(half, self.triangular);
        let looked_up = |e: &Edge| difference_in(&products, e).unwrap_or_else(|| variance(e));
        parallel::map(self.edges.len(), 1024, |e| looked_up(&self.edges[e]))
    }

    /// The posterior variances of the projections of independent nodes, where many pairs are compared: of `D B^-1 D`. `None` if that
    /// is not so, or digits would be lost.
    fn variances_of_independent(&self, factor: &Matrix) -> Option<Vec<f64>> {
        let nodes = self.features.cols();
        if !self.independent || self.edges.len() < nodes * nodes / DENSE {
            return None;
        }
        let mut covariance = linalg::inverse_from_cholesky(factor);
        for j in 0..nodes {
            let of_column = self.features[(j, j)];
            let column = covariance.col_mut(j);
            (j..nodes).for_each(|i| column[i] *= of_column * self.features[(i, i)]);
        }
        self.edges.iter().map(|e| difference_in(&covariance, e)).collect()
    }

    /// The posterior marginals of all projections under sites with precisions `tau` and shifts `nu` (one
    /// an edge, repeated comparisons summed). `None` if `B` is not positive definite.
    pub fn absorb(&self, tau: &[f64], nu: &[f64]) -> Option<Absorbed> {
        let mut absorbed = self.absorb_into(tau, nu, Absorbed::default())?;
        if absorbed.half.cols() == 0 {
            self.solve_features(&absorbed.factor, &mut absorbed.half);
        }
        Some(absorbed)
    }

    /// `R^-1 F`.
    pub(super) fn solve_features(&self, factor: &Matrix, out: &mut Matrix) {
        out.resize(self.rank(), self.features.cols());
        out.data_mut().copy_from_slice(self.features.data());
        linalg::solve_lower_trapezoid(factor, out, self.triangular);
    }

    /// `F x` for values `x` at the nodes.
    fn to_weights(&self, nodes: &[f64]) -> Vec<f64> {
        if self.independent { self.scaled(nodes) } else { self.features.times(nodes) }
    }

    /// `F' w` for weights `w`.
    fn to_nodes(&self, weights: &[f64]) -> Vec<f64> {
        if self.independent { self.scaled(weights) } else { self.features.transpose_times(weights) }
    }

    /// `F x` or `F' x`, where `F` is a diagonal.
    fn scaled(&self, x: &[f64]) -> Vec<f64> {
        x.iter().enumerate().map(|(i, x)| self.features[(i, i)] * x).collect()
    }

    /// The factor of `B` from its rows `sqrt(tau) p` and `I`, never forming `B`: dearer, and right where sites
    /// are so precise that rounding hides the prior in `B` (noise below a millionth of the utilities).
    fn factor_by_rows(&self, tau: &[f64]) -> Option<Matrix> {
        if tau.iter().any(|&t| t.is_nan() || t < 0.0) {
            return None;
        }
        let order = descending(tau);
        let rank = self.rank();
        let mut factor = Matrix::zeros(rank, 0);
        // The largest first; a block at a time, under what the blocks before it have left.
        for block in order.chunks(ROWS.max(rank)) {
            let above = factor.cols();
            let mut rows = Matrix::zeros(above + block.len() + rank, rank);
            for k in 0..rank {
                let column = rows.col_mut(k);
                (0..above).for_each(|i| column[i] = factor[(k, i)]);
                for (row, &e) in block.iter().enumerate() {
                    let (plus, minus) = (self.edges[e].plus(), self.edges[e].minus());
                    let p = self.features[(k, plus)] - minus.map_or(0.0, |m| self.features[(k, m)]);
                    column[above + row] = tau[e].sqrt() * p;
                }
            }
            factor = linalg::orthogonal_factor(rows);
        }
        let mut rows = Matrix::zeros(factor.cols() + rank, rank);
        for k in 0..rank {
            let above = factor.cols();
            (0..above).for_each(|i| rows[(i, k)] = factor[(k, i)]);
            rows[(above + k, k)] = 1.0;
        }
        let factor = linalg::orthogonal_factor(rows);
        (0..rank).all(|i| factor[(i, i)].is_finite() && factor[(i, i)] > 0.0).then_some(factor)
    }
}

impl GaussianPrior for Prior {
    fn projections(&self) -> usize {
        self.edges.len()
    }

    fn absorb_into(&self, tau: &[f64], nu: &[f64], earlier: Absorbed) -> Option<Absorbed> {
        let Absorbed { mut factor, half: mut buffer, .. } = earlier;
        buffer.resize(self.rank(), self.features.cols());
        factor.resize(self.rank(), self.rank());
        self.precision(tau, &mut buffer, &mut factor);
        let squared = linalg::cholesky(&mut factor)
            && (0..self.rank()).all(|i| factor[(i, i)] < LARGEST_CHOLESKY_PIVOT);
        if watch::ends() {
            return None;
        }
        if !squared {
            factor = self.factor_by_rows(tau)?;
        }
        let shift: Vec<f64> = nu.iter().zip(tau).zip(&self.means).map(|((n, t), g)| n - t * g).collect();
        let mut weights = self.to_weights(&self.scatter(&shift));
        linalg::solve_lower_vec(&factor, &mut weights);
        linalg::solve_lower_transposed_vec(&factor, &mut weights);
        let nodes = self.to_nodes(&weights);
        let mean = self.project(&nodes).iter().zip(&self.means).map(|(m, g)| m + g).collect();
        let variance = match self.variances_of_independent(&factor) {
            Some(variance) => {
                buffer.resize(0, 0);
                variance
            }
            None => {
                self.solve_features(&factor, &mut buffer);
                self.variances(&buffer)
            }
        };
        if watch::ends() {
            return None;
        }
        let log_det = 2.0 * (0..self.rank()).map(|i| factor[(i, i)].ln()).sum::<f64>();
        Some(Absorbed { factor, half: buffer, weights, mean, variance, log_det, ..Absorbed::default() })
    }

    fn rest(&self) -> &[f64] {
        &self.rest
    }

    fn compares(&self, projection: usize) -> bool {
        self.item_edges.get(projection).is_some_and(|edge| edge.minus().is_some())
    }

    fn shift(&self, posterior: &Absorbed, x: &[f64]) -> Vec<f64> {
        let mut weights = self.to_weights(&self.scatter(x));
        linalg::solve_lower_vec(&posterior.factor, &mut weights);
        linalg::solve_lower_transposed_vec(&posterior.factor, &mut weights);
        self.project(&self.to_nodes(&weights))
    }

    /// With prior means `g` and posterior means `m`: `(nu - tau g)'(m - g) + sum (2 nu g - tau g^2)`.
    fn quadratic(&self, tau: &[f64], nu: &[f64], Absorbed { mean, .. }: &Absorbed) -> f64 {
        let one = |e: usize| {
            let g = self.means[e];
            (nu[e] - tau[e] * g) * (mean[e] - g) + g * (2.0 * nu[e] - tau[e] * g)
        };
        (0..nu.len()).map(one).sum()
    }

    fn settle(
        &self,
        observations: &[Observation],
        likelihoods: &Likelihoods,
        start: Sites,
        damping: f64,
        settings: &Settings,
    ) -> Option<Settled> {
        // Of low rank there may be too many nodes for their whole covariance, and parallel sweeps are enough.
        (!self.low_rank).then(|| sequential::run(self, observations, likelihoods, start, damping, settings))
    }
}

/// The variance of a projection under a covariance of nodes (its lower triangle), or `None` if digits are lost.
fn difference_in(covariance: &Matrix, edge: &Edge) -> Option<f64> {
    let plus = edge.plus();
    let Some(minus) = edge.minus() else { return Some(covariance[(plus, plus)]) };
    let sum = covariance[(plus, plus)] + covariance[(minus, minus)];
    let difference = sum - 2.0 * covariance[(plus.max(minus), plus.min(minus))];
    (difference > CANCELLED * sum).then_some(difference)
}

/// Whether all but the diagonal is 0.
fn is_diagonal(features: &Matrix) -> bool {
    let (rank, nodes) = (features.rows(), features.cols());
    let zero = |j: usize| features.col(j).iter().enumerate().all(|(i, &x)| i == j || x == 0.0);
    rank == nodes && (0..nodes).all(zero)
}

pub(super) fn neighbours(edges: &[Edge], nodes: usize) -> Vec<Vec<(usize, Option<usize>)>> {
    let mut out = vec![Vec::new(); nodes];
    for (e, edge) in edges.iter().enumerate() {
        out[edge.plus()].push((e, edge.minus()));
        if let Some(minus) = edge.minus() {
            out[minus].push((e, Some(edge.plus())));
        }
    }
    out
}

/// Sum over edges of `value_e a_e`, a vector over `nodes` nodes.
pub fn scatter(edges: &[Edge], values: &[f64], nodes: usize) -> Vec<f64> {
    let mut out = vec![0.0; nodes];
    for (edge, &value) in edges.iter().zip(values) {
        out[edge.plus()] += value;
        if let Some(minus) = edge.minus() {
            out[minus] -= value;
        }
    }
    out
}

/// `A C A'`: the covariance of the projections, Huszar's preference kernel (lower triangle of `c` read).
fn preference_covariance(c: &Matrix, edges: &[Edge]) -> Matrix {
    let at = |i: usize, j: usize| if i >= j { c[(i, j)] } else { c[(j, i)] };
    let ends = |e: &Edge| [(Some(e.plus()), 1.0), (e.minus(), -1.0)];
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
