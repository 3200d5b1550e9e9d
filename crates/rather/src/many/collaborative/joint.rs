//! Weights with one joint Gaussian over users and latent functions, for users without features.
//!
//! Prior `w_u = b + e_u` with `e_u ~ N(0, I)` and `b ~ N(0, c I)`, so the precision over all users is
//! `(I - kappa 1 1') x I_D`, `kappa = c / (1 + c U)`. The answers add a `D x D` block a user, so the posterior is
//! `blockdiag(M_u) - kappa (1 x I)(1 x I)'`: block diagonal but for a term of rank `D`, and costs `O(U D^3)`.
//!
//! The latent functions see all weights through two sums a pair, `A_p = sum tau (S_u + m_u m_u')` and `B_p = sum nu m_u`: one pass over the
//! answers serves the step of every function.

use super::gaussians::{
    Gaussian, Gaussians, add_outer, add_outer_triangle, add_product, axpy, columns, dot, invert, pack,
    triangle, unpack,
};
use super::rotation::Rotation;
use super::sides::Half;
use super::state::Problem;
use rather_numerics::linalg::{
    Matrix, cholesky, product, product_transposed, solve_lower_transposed_vec, solve_lower_vec,
    transpose_product,
};
use rather_numerics::{parallel, simd, watch};

/// The weights' joint posterior.
#[derive(Debug, Clone)]
pub(super) struct JointWeights {
    /// Every user's weights.
    pub(super) of_users: Gaussians,
    /// `KL(q(W) || prior)`.
    pub(super) divergence: f64,
    /// Mean of the sum of all users' weights.
    pub(super) total: Vec<f64>,
    /// Its covariance, `D x D`.
    pub(super) total_covariance: Matrix,
}

/// In which order joint weights and functions are updated between two updates of the answers' sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// Weights before each sweep over the functions.
    InTurn,
    /// Weights once, which is what costs with many users.
    WeightsOnce,
    /// Weights once, rotated with the functions into each other.
    Rotation,
}

impl Course {
    /// Updates of the weights, and sweeps over the functions after each.
    fn rounds(self, sweeps: usize) -> (usize, usize) {
        match self {
            Self::InTurn => (sweeps, 1),
            Self::WeightsOnce | Self::Rotation => (1, sweeps),
        }
    }
}

/// Means and variances of the latent functions at the pairs, pair by pair.
#[derive(Clone)]
pub(super) struct AtPairs {
    functions: usize,
    mean: Vec<f64>,
    variance: Vec<f64>,
}

impl AtPairs {
    pub(super) fn of(items: &[Half]) -> Self {
        let pairs = items.first().map_or(0, |half| half.posterior.mean.len());
        let zeros = vec![0.0; items.len() * pairs];
        let mut out = Self { functions: items.len(), mean: zeros.clone(), variance: zeros };
        items.iter().enumerate().for_each(|(d, half)| out.put(d, half));
        out
    }

    fn put(&mut self, d: usize, half: &Half) {
        let places = || (d..).step_by(self.functions);
        places().zip(&half.posterior.mean).for_each(|(at, x)| self.mean[at] = *x);
        places().zip(&half.posterior.variance).for_each(|(at, x)| self.variance[at] = *x);
    }

    /// `h <- R h`, as of functions that are independent.
    fn rotate(&mut self, r: &Matrix) {
        let d = self.functions;
        let squares = Matrix::from_fn(d, d, |i, j| r[(i, j)] * r[(i, j)]);
        for (own, by) in [(&mut self.mean, r), (&mut self.variance, &squares)] {
            own.chunks_exact_mut(d).for_each(|own| {
                let rotated = by.times(own);
                own.copy_from_slice(&rotated);
            });
        }
    }

    pub(super) fn at(&self, pair: usize) -> (&[f64], &[f64]) {
        let own = pair * self.functions..(pair + 1) * self.functions;
        (&self.mean[own.clone()], &self.variance[own])
    }

    /// `E g = m'h` and `Var g = sum_d (m_d^2 + S_dd) v_d + h' S h` of a pair under weights `N(m, S)`.
    #[inline(always)]
    pub(super) fn moments(&self, pair: usize, weights: &Gaussian<'_>) -> (f64, f64) {
        let (h, v) = self.at(pair);
        (dot(weights.mean, h), weights.spread(h, v))
    }
}

/// What a run of users adds to the sums over all.
struct Part {
    /// Of `M_u^-1`.
    inverses: Vec<f64>,
    /// Of `M_u^-1 b_u`.
    means: Vec<f64>,
    log_det: f64,
}

/// Numbers in the sums of all pairs that a group of functions may take, if one function alone does not take more.
pub(in crate::many) const LARGEST_SUMS: u64 = 1 << 25;

impl JointWeights {
    /// Given means, one row a function, and the prior's variances.
    pub(super) fn guess(means: &[Vec<f64>], variances: &[f64]) -> Self {
        let d = means.len();
        let mut of_users = Gaussians::zeros(variances.len(), d);
        for (u, variance) in variances.iter().enumerate() {
            let (covariance, mean) = of_users.get_mut(u);
            (0..d).for_each(|i| covariance[triangle(d) - triangle(d - i)] = *variance);
            mean.iter_mut().zip(means).for_each(|(m, of_function)| *m = of_function[u]);
        }
        let total = means.iter().map(|w| w.iter().sum()).collect();
        Self { of_users, divergence: 0.0, total, total_covariance: Matrix::zeros(d, d) }
    }

    /// With the answers' sites held fixed: all weights at once, a rotation of weights and functions if that is wanted, and the latent functions one
    /// after the other, some times. Returns what the functions were when weights last changed.
    pub(super) fn sweeps(
        &mut self,
        problem: &Problem<'_>,
        items: &mut [Half],
        (tau, nu): (&[f64], &[f64]),
        course: Course,
    ) -> Option<AtPairs> {
        let mut at_pairs = AtPairs::of(items);
        let mut before = at_pairs.clone();
        let (rounds, of_functions) = course.rounds(problem.settings.inner_sweeps);
        for _ in 0..rounds {
            self.weights_step(problem, &at_pairs, tau, nu)?;
            if course == Course::Rotation {
                self.rotate(problem, items, &mut at_pairs);
            }
            before = at_pairs.clone();
            self.functions_sweeps(problem, items, &mut at_pairs, (tau, nu), of_functions)?;
        }
        Some(before)
    }

    fn weights_step(
        &mut self,
        problem: &Problem<'_>,
        at_pairs: &AtPairs,
        tau: &[f64],
        nu: &[f64],
    ) -> Option<()> {
        let (users, d) = (problem.answers.users(), self.of_users.dimension());
        let stride = self.of_users.stride();
        // Depends on the data only, and with it the order in which the parts' sums add up.
        let run = problem.grain(users);
        let alone = |chunk: usize, data: &mut [f64]| {
            let mut part = Part { inverses: vec![0.0; d * d], means: vec![0.0; d], log_det: 0.0 };
            let (mut m, mut b) = (vec![0.0; d * d], vec![0.0; d]);
            simd::vectorised(
                #[inline(always)]
                || {
                    for (u, own) in (chunk * run..).zip(data.chunks_exact_mut(stride)) {
                        let (covariance, mean) = own.split_at_mut(triangle(d));
                        precision(problem, u, at_pairs, (tau, nu), (&mut m, &mut b));
                        part.log_det += invert(&mut m, d)?;
                        mean.fill(0.0);
                        add_product(&m, &b, mean);
                        axpy(1.0, &m, &mut part.inverses);
                        axpy(1.0, mean, &mut part.means);
                        pack(&m, d, covariance);
                    }
                    Some(())
                },
            )?;
            (!watch::ends()).then_some(part)
        };
        let parts = parallel::map_chunks(self.of_users.data_mut(), run * stride, alone);
        let mut sum = Matrix::zeros(d, d);
        let mut lone_total = vec![0.0; d];
        let mut log_det = 0.0;
        for part in parts {
            let part = part?;
            axpy(1.0, &part.inverses, sum.data_mut());
            axpy(1.0, &part.means, &mut lone_total);
            log_det += part.log_det;
        }
        // I - kappa sum, whose inverse couples the users.
        let kappa = problem.common / (1.0 + problem.common * users as f64);
        let mut coupling = sum.clone();
        coupling.data_mut().iter_mut().for_each(|x| *x *= -kappa);
        coupling.add_diagonal(1.0);
        let (coupling, coupling_log_det) = inverse(coupling)?;
        self.total = coupling.times(&lone_total);
        self.total_covariance = transpose_product(&coupling, &sum);
        let mut root = coupling;
        if !cholesky(&mut root) {
            return None;
        }
        let together = |_: usize, data: &mut [f64]| {
            simd::vectorised(
                #[inline(always)]
                || couple(data, &root, &self.total, kappa),
            )
        };
        let divergences = parallel::map_chunks(self.of_users.data_mut(), run * stride, together);
        let scale = d as f64 * (1.0 + problem.common * users as f64).ln();
        self.divergence = divergences.iter().sum::<f64>() + 0.5 * (log_det + coupling_log_det + scale);
        Some(())
    }

    /// Rotates weights and functions into each other; where no rotation is known to be better, they stay.
    fn rotate(&mut self, problem: &Problem<'_>, items: &[Half], at_pairs: &mut AtPairs) {
        let squares = self.squares_under_prior(problem);
        let users = problem.answers.users();
        if let Some(rotation) = Rotation::best(&squares, users, items, problem.items.rank()) {
            self.rotate_weights(problem, &rotation.of_weights);
            at_pairs.rotate(&rotation.of_functions);
        }
    }

    /// `sum_u E w w' - kappa E (sum_u w)(sum_u w)'`: the log prior is its trace times -1/2.
    fn squares_under_prior(&self, problem: &Problem<'_>) -> Matrix {
        let (users, d) = (problem.answers.users(), self.of_users.dimension());
        let mut sum = vec![0.0; triangle(d)];
        for of_user in self.of_users.iter() {
            axpy(1.0, of_user.covariance, &mut sum);
            add_outer_triangle(&mut sum, 1.0, of_user.mean, 0);
        }
        let kappa = problem.common / (1.0 + problem.common * users as f64);
        add_outer_triangle(&mut sum, -kappa, &self.total, 0);
        let mut full = vec![0.0; d * d];
        unpack(&sum, d, &mut full);
        Matrix::from_fn(d, d, |i, j| full[j * d + i] - kappa * self.total_covariance[(i, j)])
    }

    /// `w <- P w` for every user. The divergence stays that of the weights before.
    fn rotate_weights(&mut self, problem: &Problem<'_>, p: &Matrix) {
        let (users, d) = (problem.answers.users(), self.of_users.dimension());
        let run = problem.grain(users);
        let stride = self.of_users.stride();
        parallel::for_each_chunk(self.of_users.data_mut(), run * stride, |_, data| {
            simd::vectorised(
                #[inline(always)]
                || {
                    let (mut s, mut half, mut shift) = (vec![0.0; d * d], vec![0.0; d * d], vec![0.0; d]);
                    for own in data.chunks_exact_mut(stride) {
                        let (covariance, mean) = own.split_at_mut(triangle(d));
                        shift.fill(0.0);
                        add_product(p.data(), mean, &mut shift);
                        mean.copy_from_slice(&shift);
                        unpack(covariance, d, &mut s);
                        // S P', then P (S P').
                        half.fill(0.0);
                        for (i, column) in half.chunks_exact_mut(d).enumerate() {
                            for (k, of_s) in s.chunks_exact(d).enumerate() {
                                axpy(p[(i, k)], of_s, column);
                            }
                        }
                        s.fill(0.0);
                        for (column, of_half) in s.chunks_exact_mut(d).zip(half.chunks_exact(d)) {
                            add_product(p.data(), of_half, column);
                        }
                        pack(&s, d, covariance);
                    }
                },
            );
        });
        self.total = p.times(&self.total);
        self.total_covariance = product_transposed(&product(p, &self.total_covariance), p);
    }

    /// Function `d` sees the others as they are by then.
    fn functions_sweeps(
        &self,
        problem: &Problem<'_>,
        items: &mut [Half],
        at_pairs: &mut AtPairs,
        (tau, nu): (&[f64], &[f64]),
        count: usize,
    ) -> Option<()> {
        let (pairs, d) = (problem.answers.edges().len(), self.of_users.dimension());
        let shifts = self.shifts(problem, nu);
        let group = (LARGEST_SUMS as usize / (pairs * d).max(1)).clamp(1, d);
        let mut sums = (0..0, Vec::new());
        for _ in 0..count {
            // `B_p - sum_e A_de h_e` over the functions `e` before `d`.
            let mut left = shifts.clone();
            for first in (0..d).step_by(group) {
                let own = first..(first + group).min(d);
                if sums.0 != own {
                    sums = (own.clone(), self.squares(problem, own, tau));
                }
                function_steps(problem, (&sums.0, &sums.1), items, at_pairs, &mut left)?;
            }
        }
        Some(())
    }

    /// `B_p` of every pair.
    fn shifts(&self, problem: &Problem<'_>, nu: &[f64]) -> Vec<f64> {
        let (answers, d) = (problem.answers, self.of_users.dimension());
        let mut out = vec![0.0; answers.edges().len() * d];
        for (n, r) in answers.records().iter().enumerate() {
            axpy(nu[n], self.of_users.get(r.user).mean, &mut out[r.edge * d..(r.edge + 1) * d]);
        }
        out
    }

    /// Columns of the lower triangle of every `A_p`.
    fn squares(&self, problem: &Problem<'_>, of: std::ops::Range<usize>, tau: &[f64]) -> Vec<f64> {
        let (answers, d) = (problem.answers, self.of_users.dimension());
        let pairs = answers.edges().len();
        let of_all = triangle(d) - triangle(d - of.start)..triangle(d) - triangle(d - of.end);
        let stride = of_all.len();
        let mut out = vec![0.0; pairs * stride];
        let run = problem.grain(pairs);
        parallel::for_each_chunk(&mut out, run * stride, |chunk, squares| {
            simd::vectorised(
                #[inline(always)]
                || {
                    for (pair, squares) in (chunk * run..).zip(squares.chunks_exact_mut(stride)) {
                        for &n in answers.about(pair) {
                            let Gaussian { covariance, mean } = self.of_users.get(answers.records()[n].user);
                            axpy(tau[n], &covariance[of_all.clone()], squares);
                            add_outer_triangle(squares, tau[n], mean, of.start);
                        }
                    }
                },
            );
        });
        out
    }
}

/// The steps of some functions, from the columns of every `A_p` that are theirs and what is `left` of every `B_p`.
fn function_steps(
    problem: &Problem<'_>,
    (functions, squares): (&std::ops::Range<usize>, &[f64]),
    items: &mut [Half],
    at_pairs: &mut AtPairs,
    left: &mut [f64],
) -> Option<()> {
    let (pairs, d) = (problem.answers.edges().len(), items.len());
    let stride = squares.len() / pairs.max(1);
    let mut from = 0;
    for function in functions.clone() {
        let own = from..from + d - function;
        from = own.end;
        let column = |pair: usize| &squares[pair * stride..][own.clone()];
        let shift = |pair: usize| {
            let after = dot(&column(pair)[1..], &at_pairs.at(pair).0[function + 1..]);
            left[pair * d + function] - after
        };
        let (c, l) = ((0..pairs).map(|pair| column(pair)[0]).collect(), (0..pairs).map(shift).collect());
        items[function] = Half::of_items(problem.items, c, l)?;
        at_pairs.put(function, &items[function]);
        for (pair, h) in items[function].posterior.mean.iter().enumerate() {
            axpy(-h, &column(pair)[1..], &mut left[pair * d + function + 1..(pair + 1) * d]);
        }
        if watch::ends() {
            return None;
        }
    }
    Some(())
}

/// `M_u = I + T_u` and `b_u`, from what a user's answers say about the weights, `exp(-w' T w / 2 + b' w)`.
#[inline(always)]
fn precision(
    problem: &Problem<'_>,
    user: usize,
    at_pairs: &AtPairs,
    (tau, nu): (&[f64], &[f64]),
    (m, b): (&mut [f64], &mut [f64]),
) {
    let d = b.len();
    m.fill(0.0);
    b.fill(0.0);
    (0..d).for_each(|i| m[i * d + i] = 1.0);
    for n in problem.answers.of_user(user) {
        let (h, v) = at_pairs.at(problem.pair[n] as usize);
        add_outer(m, tau[n], h);
        (0..d).for_each(|j| m[j * d + j] += tau[n] * v[j]);
        axpy(nu[n], h, b);
    }
}

/// Makes of `M_u^-1` and `M_u^-1 b_u` of a run of users the covariances and means under the prior that couples them; returns what these add to
/// the divergence, `E[sites] - log Z`, but for determinants.
///
/// `S = M^-1 + kappa M^-1 C M^-1` and `m = M^-1 (b + kappa total)`, so `tr(T S) = D + kappa tr(C M^-1) - tr S` and
/// `m' T m = m' (b + kappa total) - m' m`: neither `T` nor `b` is needed any more.
#[inline(always)]
fn couple(data: &mut [f64], root: &Matrix, total: &[f64], kappa: f64) -> f64 {
    let d = total.len();
    let mut divergence = 0.0;
    let (mut s, mut half, mut shift) = (vec![0.0; d * d], vec![0.0; d * d], vec![0.0; d]);
    for own in data.chunks_exact_mut(triangle(d) + d) {
        let (covariance, mean) = own.split_at_mut(triangle(d));
        unpack(covariance, d, &mut s);
        shift.fill(0.0);
        add_product(&s, total, &mut shift);
        axpy(kappa, &shift, mean);
        // M^-1 R, with C = R R'.
        half.fill(0.0);
        let mut coupled = 0.0;
        for (k, column) in half.chunks_exact_mut(d).enumerate() {
            let of_root = &root.col(k)[k..];
            add_product(&s[k * d..], of_root, column);
            coupled += dot(of_root, &column[k..]);
        }
        half.chunks_exact(d).for_each(|column| add_outer_triangle(covariance, kappa, column, 0));
        let variances: f64 = columns(covariance, d).map(|(_, column)| column[0]).sum();
        divergence += dot(mean, mean) + variances - d as f64 - kappa * (dot(mean, total) + coupled);
    }
    0.5 * divergence
}

/// The inverse of a small symmetric positive definite matrix, and its log determinant.
pub(super) fn inverse(mut a: Matrix) -> Option<(Matrix, f64)> {
    let order = a.rows();
    let log_det = invert(a.data_mut(), order)?;
    Some((a, log_det))
}

/// `A^-1 x` from the Cholesky factor of `A`.
pub(super) fn solve(factor: &Matrix, x: &mut [f64]) {
    solve_lower_vec(factor, x);
    solve_lower_transposed_vec(factor, x);
}
