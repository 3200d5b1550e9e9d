//! The prior over all users' utilities of all items, `K_users x K_items`, in the product of the two feature spaces.
//!
//! `f(u, i) = (psi_u x phi_i)' omega`, `omega ~ N(0, I)` with `r_u r_x` entries; an answer of user `u` about pair `p` is about
//! `psi_u x g_p`, `g_p = phi_i - phi_j`. With `M_u = sum tau g g'` over one user's answers,
//! `B = I + sum_u (psi_u psi_u') x M_u`: its size is `r_u r_x`, whatever the number of answers. The same posterior as dense EP
//! on `k_users k_items`.

use crate::inference::prior::{Absorbed, GaussianPrior};
use rather_numerics::linalg::{
    Matrix, axpy, cholesky, dot, inverse_from_cholesky, mirror_lower, solve_lower_transposed_vec,
    solve_lower_vec,
};
use rather_numerics::parallel;

/// A distinct combination of user and pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asked {
    pub(super) user: usize,
    pub(super) pair: usize,
}

/// The prior in feature space.
#[derive(Debug, Clone)]
pub(super) struct KroneckerPrior {
    /// `Psi`, `r_u` x users.
    pub(super) users: Matrix,
    /// `g_p`, `r_x` x pairs.
    pub(super) pairs: Matrix,
    /// The projections, sorted by user.
    pub(super) asked: Vec<Asked>,
    /// Where each user's projections begin, and where the last ends.
    pub(super) starts: Vec<usize>,
}

impl KroneckerPrior {
    pub(super) fn new(users: Matrix, pairs: Matrix, asked: Vec<Asked>) -> Self {
        let starts = (0..=users.cols()).map(|u| asked.partition_point(|a| a.user < u)).collect();
        Self { users, pairs, asked, starts }
    }

    /// The same for prediction alone, in the features `users` and `rank` features of items: it has no projections any more.
    pub(super) fn of_features(&self, users: Matrix, rank: usize) -> Self {
        Self { users, pairs: Matrix::zeros(rank, 0), asked: Vec::new(), starts: Vec::new() }
    }

    /// `r_u` and `r_x`.
    pub(super) fn ranks(&self) -> (usize, usize) {
        (self.users.rows(), self.pairs.rows())
    }

    /// `M_u = sum tau g g'` for every user, `r_x` x `r_x`.
    pub(super) fn blocks(&self, tau: &[f64]) -> Vec<Matrix> {
        let rx = self.pairs.rows();
        let one = |u: usize| {
            let mut m = Matrix::zeros(rx, rx);
            let range = self.starts[u]..self.starts[u + 1];
            for (asked, tau) in self.asked[range.clone()].iter().zip(&tau[range]) {
                let g = self.pairs.col(asked.pair);
                for (j, &gj) in g.iter().enumerate() {
                    axpy(tau * gj, g, m.col_mut(j));
                }
            }
            m
        };
        parallel::map(self.users.cols(), 1, one)
    }

    /// `sum_e x_e psi x g`.
    fn scatter(&self, x: &[f64]) -> Vec<f64> {
        let (ru, rx) = self.ranks();
        let mut out = vec![0.0; ru * rx];
        let mut of_user = vec![0.0; rx];
        for u in 0..self.users.cols() {
            of_user.fill(0.0);
            let range = self.starts[u]..self.starts[u + 1];
            for (asked, &x) in self.asked[range.clone()].iter().zip(&x[range]) {
                axpy(x, self.pairs.col(asked.pair), &mut of_user);
            }
            for (a, &psi) in self.users.col(u).iter().enumerate() {
                axpy(psi, &of_user, &mut out[a * rx..(a + 1) * rx]);
            }
        }
        out
    }

    /// `(psi' x I) omega`: the weights of one user's utility function over the items' features.
    pub(super) fn of_user(&self, psi: &[f64], omega: &[f64]) -> Vec<f64> {
        let rx = self.pairs.rows();
        let mut out = vec![0.0; rx];
        for (a, &x) in psi.iter().enumerate() {
            axpy(x, &omega[a * rx..(a + 1) * rx], &mut out);
        }
        out
    }

    fn project(&self, omega: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.asked.len());
        for u in 0..self.users.cols() {
            let of_user = self.of_user(self.users.col(u), omega);
            let asked = &self.asked[self.starts[u]..self.starts[u + 1]];
            out.extend(asked.iter().map(|a| dot(self.pairs.col(a.pair), &of_user)));
        }
        out
    }

    /// The lower triangle of `B`.
    fn precision(&self, blocks: &[Matrix]) -> Matrix {
        let (ru, rx) = self.ranks();
        let size = ru * rx;
        let mut out = Matrix::zeros(size, size);
        let column_block = |right: usize, columns: &mut [f64]| {
            let mut block = vec![0.0; rx * rx];
            for left in right..ru {
                block.fill(0.0);
                for (u, m) in blocks.iter().enumerate() {
                    let psi = self.users.col(u);
                    axpy(psi[left] * psi[right], m.data(), &mut block);
                }
                for j in 0..rx {
                    let at = j * size + left * rx;
                    columns[at..at + rx].copy_from_slice(&block[j * rx..(j + 1) * rx]);
                }
            }
        };
        parallel::for_each_chunk(out.data_mut(), size * rx, column_block);
        out.add_diagonal(1.0);
        out
    }
}

/// `(psi' x I) B^-1 (psi x I)`: the covariance of the weights of a user with features `psi`, from all of `B^-1`.
pub(super) fn covariance_of(psi: &[f64], inverse: &Matrix, rx: usize) -> Matrix {
    let mut out = Matrix::zeros(rx, rx);
    for (b, &right) in psi.iter().enumerate() {
        for (a, &left) in psi.iter().enumerate() {
            let scale = left * right;
            for j in 0..rx {
                let column = inverse.col(b * rx + j);
                axpy(scale, &column[a * rx..(a + 1) * rx], out.col_mut(j));
            }
        }
    }
    out
}

/// All of `B^-1` from its Cholesky factor.
pub(super) fn inverse(factor: &Matrix) -> Matrix {
    let mut out = inverse_from_cholesky(factor);
    mirror_lower(&mut out);
    out
}

impl GaussianPrior for KroneckerPrior {
    fn projections(&self) -> usize {
        self.asked.len()
    }

    fn absorb_into(&self, tau: &[f64], nu: &[f64], _earlier: Absorbed) -> Option<Absorbed> {
        if tau.iter().any(|t| t.is_nan()) {
            return None;
        }
        let rx = self.pairs.rows();
        let mut factor = self.precision(&self.blocks(tau));
        if !cholesky(&mut factor) {
            return None;
        }
        let mut weights = self.scatter(nu);
        solve_lower_vec(&factor, &mut weights);
        solve_lower_transposed_vec(&factor, &mut weights);
        let mean = self.project(&weights);
        let inverse = inverse(&factor);
        let variances = |u: usize| -> Vec<f64> {
            let asked = &self.asked[self.starts[u]..self.starts[u + 1]];
            if asked.is_empty() {
                return Vec::new();
            }
            let c = covariance_of(self.users.col(u), &inverse, rx);
            let one = |a: &Asked| {
                let g = self.pairs.col(a.pair);
                dot(g, &c.times(g)).max(0.0)
            };
            asked.iter().map(one).collect()
        };
        let parts: Vec<Vec<f64>> = parallel::map(self.users.cols(), 1, variances);
        let log_det = 2.0 * (0..factor.rows()).map(|i| factor[(i, i)].ln()).sum::<f64>();
        Some(Absorbed { factor, weights, mean, variance: parts.concat(), log_det, ..Absorbed::default() })
    }

    fn shift(&self, posterior: &Absorbed, x: &[f64]) -> Vec<f64> {
        let mut weights = self.scatter(x);
        solve_lower_vec(&posterior.factor, &mut weights);
        solve_lower_transposed_vec(&posterior.factor, &mut weights);
        self.project(&weights)
    }
}
