//! The gradient of the log evidence in the two priors' hyperparameters.
//!
//! At a fixpoint without skipped updates only the explicit dependence on the priors counts:
//! `d log Z = sum_ij G_ij dK_ij`, `G = sum_d [b b' - (Lambda - Lambda S Lambda)] / 2`, `b = nu - Lambda m`, with `Lambda`,
//! `nu` the sites that the answers give one side and `S`, `m` its posterior. No covariance is inverted.

use super::Collaborative;
use super::sides::{Half, ItemSide};
use super::state::UserWeights;
use crate::Error;
use crate::inference::gradient::{add_outer, laplacian};
use crate::inference::prior::{Prior, scatter};
use crate::many::learning::Gradient;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, axpy, dot, solve_lower, subtract_gram, transpose_product};

/// `G` over users, or what is needed of it.
struct OverUsers {
    trace: f64,
    total: f64,
    /// All of `G`, if there is a kernel.
    full: Option<Matrix>,
}

impl Collaborative {
    /// The gradient of the log evidence, for the items and users (encoded features) that the model was fitted to.
    ///
    /// # Errors
    /// [`Error::ManyUsers`] with inducing items: pair values' own variances then depend on the kernel in a way that is
    /// not followed here.
    pub fn gradient(&self, pairs: &super::Data<'_>) -> Result<Gradient, Error> {
        let ItemSide::Exact(prior) = ItemSide::new(&self.items, pairs.answers.edges())? else {
            return Err(Error::ManyUsers {
                model: "collaborative",
                problem: "cannot learn its kernels from inducing points; learn from all items, then fit with inducing \
                          points",
            });
        };
        let points = self.items.points().select(&prior.order);
        let items = self.items.kernel().gradient(&points, &self.over_items(&prior));
        let over_users = self.over_users();
        let mut out =
            Gradient { items, individual: over_users.trace, common: over_users.total, ..Gradient::default() };
        if let (Some(kernel), Some(g), Some(points)) =
            (&self.users.prior.kernel, &over_users.full, pairs.users)
        {
            let (points, weights) = self.through_inducing(points, g);
            let k = kernel.matrix(&points);
            out.share = dot(k.data(), weights.data());
            let share = self.users.prior.share;
            out.users = kernel.gradient(&points, &weights).into_iter().map(|g| share * g).collect();
        }
        Ok(out)
    }

    /// `G` over items, in the order of the prior's nodes.
    fn over_items(&self, prior: &Prior) -> Matrix {
        let nodes = prior.features.cols();
        let mut precision = vec![0.0; prior.edges.len()];
        self.state.items.iter().for_each(|half| axpy(1.0, &half.tau, &mut precision));
        let mut g = laplacian(&prior.edges, nodes, &precision);
        let mut shrunk = Matrix::zeros(prior.rank(), nodes);
        for half in &self.state.items {
            prior.features_times_laplacian(&half.tau, &mut shrunk);
            solve_lower(&half.posterior.factor, &mut shrunk);
            subtract_gram(&mut g, &shrunk);
        }
        g.data_mut().iter_mut().for_each(|x| *x *= -0.5);
        for half in &self.state.items {
            let b = scatter(&prior.edges, &left_over(half), nodes);
            add_outer(&mut g, &b, &b, 0.5);
        }
        g
    }

    fn over_users(&self) -> OverUsers {
        let users = self.users.low_rank.rest.len();
        if let UserWeights::Joint(joint) = &self.state.weights {
            // 1' K^-1 = 1' / (1 + c U): only the weights' total counts.
            let scale = 1.0 + self.users.prior.common * users as f64;
            let square = |d: usize| joint.total_covariance[(d, d)] + joint.total[d] * joint.total[d];
            let one = |d: usize| 0.5 * (square(d) / (scale * scale) - users as f64 / scale);
            let total = (0..joint.total.len()).map(one).sum();
            return OverUsers { trace: 0.0, total, full: None };
        }
        let mut out = OverUsers { trace: 0.0, total: 0.0, full: None };
        if self.users.prior.kernel.is_some() {
            let mut full = Matrix::zeros(users, users);
            for half in self.state.weights.per_function() {
                self.add_user_half(half, &mut full);
            }
            out.trace = (0..users).map(|u| full[(u, u)]).sum();
            out.total = full.data().iter().sum();
            out.full = Some(full);
            return out;
        }
        for half in self.state.weights.per_function() {
            let b = left_over(half);
            let total: f64 = b.iter().sum();
            let (mut trace, mut sum) = (dot(&b, &b), total * total);
            let t_r = self.times_factor(half);
            for u in 0..users {
                let taken = half.tau[u] * self.shrink(half, u);
                trace -= taken - dot(t_r.col(u), t_r.col(u));
                sum -= taken;
            }
            let row_sums = t_r.times(&vec![1.0; users]);
            sum += dot(&row_sums, &row_sums);
            out.trace += 0.5 * trace;
            out.total += 0.5 * sum;
        }
        out
    }

    /// `s = 1 / (1 + delta tau)`: with it, `T - T diag(delta s) T = diag(tau s)`.
    fn shrink(&self, half: &Half, u: usize) -> f64 {
        1.0 / (1.0 + self.users.low_rank.rest[u] * half.tau[u])
    }

    /// `R diag(tau)` with `R = L_B^-1 V diag(s)`, so that `T S T = T diag(delta s) T + (R T)'(R T)`.
    fn times_factor(&self, half: &Half) -> Matrix {
        let mut out = self.users.low_rank.features.clone();
        for u in 0..out.cols() {
            let scale = half.tau[u] * self.shrink(half, u);
            out.col_mut(u).iter_mut().for_each(|x| *x *= scale);
        }
        if out.rows() > 0 {
            solve_lower(&half.posterior.factor, &mut out);
        }
        out
    }

    fn add_user_half(&self, half: &Half, g: &mut Matrix) {
        let b = left_over(half);
        add_outer(g, &b, &b, 0.5);
        let t_r = self.times_factor(half);
        axpy(0.5, transpose_product(&t_r, &t_r).data(), g.data_mut());
        for u in 0..b.len() {
            g[(u, u)] -= 0.5 * half.tau[u] * self.shrink(half, u);
        }
    }

    /// Points and weights with `sum W_ij dk_ij = sum G_ij dK'_ij / share`, where `K'` is the kernel's own covariance or,
    /// with inducing users, FITC's: `dQ = A' dK_mn + dK_nm A - A' dK_mm A` off the diagonal, `A = K_mm^-1 K_mn`, and the
    /// kernel's own variances on it.
    fn through_inducing(&self, points: &Points, g: &Matrix) -> (Points, Matrix) {
        let Some((base, triangle)) = self.users.base().filter(|_| self.users.inducing.is_some()) else {
            return (points.clone(), g.clone());
        };
        let (m, n) = (base.len(), points.len());
        let mut a = Matrix::from_fn(m, n, |i, j| self.users.low_rank.features[(i, j)]);
        // V = T^-T k, so A = T^-1 V: a solve with the lower triangle itself.
        solve_lower(triangle, &mut a);
        let mut off_diagonal = g.clone();
        (0..n).for_each(|i| off_diagonal[(i, i)] = 0.0);
        let a_transposed = Matrix::from_fn(n, m, |i, j| a[(j, i)]);
        // (A E)' = E A', as E is symmetric.
        let e_a = transpose_product(&off_diagonal, &a_transposed);
        let a_e_a = transpose_product(&a_transposed, &e_a);
        let weights = Matrix::from_fn(m + n, m + n, |i, j| match (i < m, j < m) {
            (true, true) => -a_e_a[(i, j)],
            (true, false) => e_a[(j - m, i)],
            (false, true) => e_a[(i - m, j)],
            (false, false) => {
                if i == j {
                    g[(i - m, i - m)]
                } else {
                    0.0
                }
            }
        });
        (base.followed_by(points), weights)
    }
}

/// `b = nu - tau m`.
fn left_over(half: &Half) -> Vec<f64> {
    let sites = half.nu.iter().zip(&half.tau);
    sites.zip(&half.posterior.mean).map(|((nu, tau), m)| nu - tau * m).collect()
}
