//! Weights with one joint Gaussian over users and latent functions, for users without features.
//!
//! Prior `w_u = b + e_u` with `e_u ~ N(0, I)` and `b ~ N(0, c I)`, so the precision over all users is
//! `(I - kappa 1 1') x I_D`, `kappa = c / (1 + c U)`. The answers add a `D x D` block a user, so the posterior is
//! `blockdiag(M_u) - kappa (1 x I)(1 x I)'`: block diagonal but for a term of rank `D`, and costs `O(U D^3)`.

use super::sides::Half;
use super::state::{Problem, State};
use rather_numerics::linalg::{
    Matrix, axpy, cholesky, dot, solve_lower, solve_lower_transposed_vec, solve_lower_vec,
};
use rather_numerics::linalg::{mirror_lower, transpose_product};
use rather_numerics::parallel;

/// The weights' joint posterior.
#[derive(Debug, Clone)]
pub(super) struct JointWeights {
    /// The covariance of each user's weights, `D x D`.
    pub(super) covariance: Vec<Matrix>,
    /// `KL(q(W) || prior)`.
    pub(super) divergence: f64,
    /// Mean of the sum of all users' weights.
    pub(super) total: Vec<f64>,
    /// Its covariance, `D x D`.
    pub(super) total_covariance: Matrix,
}

/// What the answers of one user say about its weights: `exp(-w' T w / 2 + b' w)`.
struct Block {
    t: Matrix,
    b: Vec<f64>,
    /// `(I + T)^-1`.
    inverse: Matrix,
    log_det: f64,
}

impl JointWeights {
    pub(super) fn guess(mean: Vec<Vec<f64>>, variances: &[f64]) -> Self {
        let d = mean.len();
        let diagonal = |v: &f64| Matrix::from_fn(d, d, |i, j| if i == j { *v } else { 0.0 });
        Self {
            covariance: variances.iter().map(diagonal).collect(),
            divergence: 0.0,
            total: mean.iter().map(|w| w.iter().sum()).collect(),
            total_covariance: Matrix::zeros(d, d),
        }
    }

    /// `sum_{d != e} S_de h_d h_e`: what the covariance of a user's weights adds to the variance of `g`.
    pub(super) fn cross_variance(&self, user: usize, h: impl Fn(usize) -> f64) -> f64 {
        let s = &self.covariance[user];
        let h: Vec<f64> = (0..s.rows()).map(h).collect();
        let own = |d: usize| h[d] * (dot(s.col(d), &h) - s[(d, d)] * h[d]);
        (0..h.len()).map(own).sum()
    }

    /// `sum_{e != d} S_de h_e`.
    fn cross_mean(&self, user: usize, d: usize, h: &[f64]) -> f64 {
        let s = &self.covariance[user];
        dot(s.col(d), h) - s[(d, d)] * h[d]
    }
}

impl State {
    /// One sweep: all weights at once, then one function after the other.
    pub(super) fn joint_sweep(&mut self, problem: &Problem<'_>, tau: &[f64], nu: &[f64]) -> Option<()> {
        self.joint_weights(problem, tau, nu)?;
        self.refresh_means(problem);
        let functions = self.items.len();
        for d in 0..functions {
            let (w, h) = (&self.users[d].posterior, &self.items[d].posterior.mean);
            let joint = self.joint.as_ref()?;
            let others: Vec<Vec<f64>> = self.pair_values();
            let (c, l) = self.sum_over_users(problem, |n, u, p| {
                let residual = nu[n] - tau[n] * (self.mean[n] - w.mean[u] * h[p]);
                let cross = tau[n] * joint.cross_mean(u, d, &others[p]);
                (tau[n] * (w.mean[u] * w.mean[u] + w.variance[u]), residual * w.mean[u] - cross)
            });
            let items = Half::of_items(problem.items, c, l)?;
            self.replace(problem, d, None, items);
        }
        Some(())
    }

    /// The means of all latent functions at each pair.
    fn pair_values(&self) -> Vec<Vec<f64>> {
        let pairs = self.items.first().map_or(0, |h| h.posterior.mean.len());
        (0..pairs).map(|p| self.items.iter().map(|h| h.posterior.mean[p]).collect()).collect()
    }

    fn refresh_means(&mut self, problem: &Problem<'_>) {
        for (n, r) in problem.answers.records().iter().enumerate() {
            let halves = self.users.iter().zip(&self.items);
            self.mean[n] = halves.map(|(w, h)| w.posterior.mean[r.user] * h.posterior.mean[r.edge]).sum();
        }
    }

    fn joint_weights(&mut self, problem: &Problem<'_>, tau: &[f64], nu: &[f64]) -> Option<()> {
        let users = problem.answers.users();
        let d = self.items.len();
        let values = self.pair_values();
        let block = |u: usize| self.block(problem, u, &values, tau, nu);
        let blocks: Option<Vec<Block>> =
            parallel::map(users, problem.grain(users), block).into_iter().collect();
        let blocks = blocks?;
        let kappa = problem.common / (1.0 + problem.common * users as f64);
        // Sum of the blocks' inverses and of the means under them, in the order of the users.
        let mut sum = Matrix::zeros(d, d);
        let mut lone_total = vec![0.0; d];
        for b in &blocks {
            axpy(1.0, b.inverse.data(), sum.data_mut());
            axpy(1.0, &b.inverse.times(&b.b), &mut lone_total);
        }
        // I - kappa sum, whose inverse couples the users.
        let mut coupling = sum.clone();
        coupling.data_mut().iter_mut().for_each(|x| *x *= -kappa);
        coupling.add_diagonal(1.0);
        let (coupling, coupling_log_det) = inverse(coupling)?;
        let total = coupling.times(&lone_total);
        let total_covariance = transpose_product(&coupling, &sum);

        let mut covariance = Vec::with_capacity(users);
        let mut means = vec![vec![0.0; users]; d];
        let mut divergence = 0.0;
        for (u, b) in blocks.iter().enumerate() {
            let mut shift = b.b.clone();
            axpy(kappa, &total, &mut shift);
            let mean = b.inverse.times(&shift);
            let mut s = transpose_product(&b.inverse, &transpose_product(&coupling, &b.inverse));
            s.data_mut().iter_mut().for_each(|x| *x *= kappa);
            axpy(1.0, b.inverse.data(), s.data_mut());
            let spread: f64 = dot(b.t.data(), s.data()) + dot(&mean, &b.t.times(&mean));
            // KL = E[sites] - log Z, with log Z = (b'm - log det) / 2.
            divergence += 0.5 * dot(&b.b, &mean) - 0.5 * spread + 0.5 * b.log_det;
            (0..d).for_each(|k| means[k][u] = mean[k]);
            covariance.push(s);
        }
        let scale = (1.0 + problem.common * users as f64).ln();
        divergence += 0.5 * (coupling_log_det + d as f64 * scale);
        for (k, mean) in means.into_iter().enumerate() {
            let variance = covariance.iter().map(|s| s[(k, k)]).collect();
            self.users[k] = Half::guess(mean, variance);
        }
        self.joint = Some(JointWeights { covariance, divergence, total, total_covariance });
        Some(())
    }

    fn block(
        &self,
        problem: &Problem<'_>,
        u: usize,
        values: &[Vec<f64>],
        tau: &[f64],
        nu: &[f64],
    ) -> Option<Block> {
        let d = self.items.len();
        let mut t = Matrix::zeros(d, d);
        let mut b = vec![0.0; d];
        for n in problem.answers.of_user(u) {
            let p = problem.pair[n] as usize;
            for (j, &hj) in values[p].iter().enumerate() {
                axpy(tau[n] * hj, &values[p], t.col_mut(j));
                t[(j, j)] += tau[n] * self.items[j].posterior.variance[p];
            }
            axpy(nu[n], &values[p], &mut b);
        }
        let mut m = t.clone();
        m.add_diagonal(1.0);
        let (inverse, log_det) = inverse(m)?;
        Some(Block { t, b, inverse, log_det })
    }
}

/// The inverse of a small symmetric positive definite matrix, and its log determinant.
pub(super) fn inverse(mut a: Matrix) -> Option<(Matrix, f64)> {
    let n = a.rows();
    if !cholesky(&mut a) {
        return None;
    }
    let mut half = Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
    solve_lower(&a, &mut half);
    let mut out = transpose_product(&half, &half);
    mirror_lower(&mut out);
    Some((out, 2.0 * (0..n).map(|i| a[(i, i)].ln()).sum::<f64>()))
}

/// `A^-1 x` from the Cholesky factor of `A`.
pub(super) fn solve(factor: &Matrix, x: &mut [f64]) {
    solve_lower_vec(factor, x);
    solve_lower_transposed_vec(factor, x);
}
