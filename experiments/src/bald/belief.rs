//! What the labels of some rows of a table say about all of them, under a covariance that is computed once.

use anyhow::{Result, anyhow};
use rand_chacha::ChaCha8Rng;
use rather::inference::observations::{Edge, Observation};
use rather::inference::prior::{Prior, Space};
use rather::inference::sites::Sites;
use rather::inference::{self, Factors, Method, Outcome, Settings};
use rather::likelihood::{AnswerIndex, Likelihoods};
use rather::posterior::Moments;
use rather_numerics::linalg::{
    Matrix, TriangularFeatures, dot, solve_lower, solve_lower_transposed, solve_lower_transposed_vec,
    solve_lower_vec, transpose_product,
};
use rather_numerics::random::normals;

/// The noise of a latent value, which is the scale.
pub(super) const NOISE: f64 = 1.0;

/// Mismatch of moments at which inference stops: far below what changes a choice among rows, or a class.
const INFERENCE: Settings =
    Settings { tolerance: 1e-5, sweeps: 100, sequential_sweeps: 100, factors: Factors::Pair };

/// The labels so far, and the posterior under them.
pub(super) struct Belief<'a> {
    covariance: &'a Matrix,
    /// The labelled rows, and whether they are of the positive class.
    pub(super) labelled: Vec<(usize, bool)>,
    prior: Prior,
    outcome: Outcome,
    /// The features of the first nodes, a lower triangle.
    pivots: Matrix,
}

impl<'a> Belief<'a> {
    /// The posterior under `labelled` rows; `covariance` is that of all rows.
    pub(super) fn new(covariance: &'a Matrix, labelled: Vec<(usize, bool)>) -> Result<Self> {
        let empty = Sites::empty(labelled.len());
        Self::from_sites(covariance, labelled, empty)
    }

    /// One label more. Inference starts from the sites there are, so that it takes a few sweeps.
    pub(super) fn told(mut self, row: usize, positive: bool) -> Result<Self> {
        let Sites { mut tau, mut nu } = self.outcome.sites;
        tau.push(0.0);
        nu.push(0.0);
        self.labelled.push((row, positive));
        Self::from_sites(self.covariance, self.labelled, Sites { tau, nu })
    }

    fn from_sites(covariance: &'a Matrix, labelled: Vec<(usize, bool)>, start: Sites) -> Result<Self> {
        let n = labelled.len();
        let among = Matrix::from_fn(n, n, |i, j| covariance[(labelled[i].0, labelled[j].0)]);
        let edges: Vec<Edge> = (0..n).map(Edge::alone).collect();
        let broken = || anyhow!("inference broke down with {n} labels");
        let prior = Prior::new(among, &edges, Space::Items).ok_or_else(broken)?;
        let observation = |(edge, &(_, positive)): (usize, &(usize, bool))| {
            let sign = if positive { 1.0 } else { -1.0 };
            Observation::new(edge, sign, 1.0, AnswerIndex::LABEL)
        };
        let observations: Vec<Observation> = labelled.iter().enumerate().map(observation).collect();
        let likelihoods = Likelihoods::new(NOISE);
        let outcome = inference::run(Method::Ep, &prior, &observations, &likelihoods, start, &INFERENCE)
            .ok_or_else(broken)?;
        let pivots = Matrix::from_fn(prior.rank(), prior.rank(), |i, j| prior.features[(i, j)]);
        Ok(Self { covariance, labelled, prior, outcome, pivots })
    }

    /// The row of every node that features are made of.
    fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.prior.order[..self.prior.rank()].iter().map(|&node| self.labelled[node].0)
    }

    /// The means of the latent values of `rows`.
    pub(super) fn means(&self, rows: &[usize]) -> Vec<f64> {
        let mut weights = self.outcome.posterior.weights.clone();
        solve_lower_vec(&self.pivots, &mut weights);
        let mut all = vec![0.0; self.covariance.rows()];
        for (node, weight) in self.nodes().zip(weights) {
            rather_numerics::linalg::axpy(weight, self.covariance.col(node), &mut all);
        }
        rows.iter().map(|&row| all[row]).collect()
    }

    /// The features of `rows`, one a column.
    fn features(&self, rows: &[usize]) -> Matrix {
        let nodes: Vec<usize> = self.nodes().collect();
        let mut features =
            Matrix::from_fn(nodes.len(), rows.len(), |k, j| self.covariance[(nodes[k], rows[j])]);
        solve_lower_transposed(&self.pivots, &mut features);
        features
    }

    /// Means and variances of the latent values of `rows`.
    pub(super) fn moments(&self, rows: &[usize]) -> Moments {
        let features = self.features(rows);
        let mut shrunk = features.clone();
        solve_lower(&self.outcome.posterior.factor, &mut shrunk);
        let variance = rows.iter().enumerate().map(|(j, &row)| {
            let (phi, psi) = (features.col(j), shrunk.col(j));
            (self.covariance[(row, row)] - dot(phi, phi)).max(0.0) + dot(psi, psi)
        });
        Moments {
            variance: variance.collect(),
            mean: features.transpose_times(&self.outcome.posterior.weights),
        }
    }

    /// A draw of the latent values of `rows` for every column of `from`, which are draws of all rows from the prior
    /// (Matheron's rule in feature space: what the features do not explain stays as it was drawn).
    pub(super) fn draws(&self, rows: &[usize], from: &Matrix, rng: &mut ChaCha8Rng) -> Matrix {
        let (rank, members) = (self.prior.rank(), from.cols());
        let nodes: Vec<usize> = self.nodes().collect();
        let mut change = Matrix::from_fn(rank, members, |k, member| -from[(nodes[k], member)]);
        solve_lower_transposed(&self.pivots, &mut change);
        for member in 0..members {
            let mut w = normals(rank, rng);
            solve_lower_transposed_vec(&self.outcome.posterior.factor, &mut w);
            let change = change.col_mut(member);
            for ((c, w), mean) in change.iter_mut().zip(w).zip(&self.outcome.posterior.weights) {
                *c += w + mean;
            }
        }
        let mut out = transpose_product(&self.features(rows), &change);
        for member in 0..members {
            for (out, &row) in out.col_mut(member).iter_mut().zip(rows) {
                *out += from[(row, member)];
            }
        }
        out
    }
}

/// Draws from the prior of all rows at once.
pub(super) struct PriorDraws {
    /// One row a column.
    features: Matrix,
}

impl PriorDraws {
    pub(super) fn new(covariance: &Matrix) -> Result<Self> {
        let features = TriangularFeatures::new(covariance.clone())
            .ok_or_else(|| anyhow!("the covariance is not finite"))?;
        Ok(Self { features: features.in_order() })
    }

    /// So many draws, one a column.
    pub(super) fn draw(&self, members: usize, rng: &mut ChaCha8Rng) -> Matrix {
        let mut weights = Matrix::zeros(self.features.rows(), members);
        for member in 0..members {
            weights.col_mut(member).copy_from_slice(&normals(self.features.rows(), rng));
        }
        transpose_product(&self.features, &weights)
    }
}
