//! The gradient of the Kronecker model's log evidence in both covariances.
//!
//! `d log Z = sum G_(ui)(u'j) d[K_users(u, u') K_items(i, j)]` with `G = (b b' - R) / 2` over users x items,
//! `R = Lambda - Lambda S Lambda`, `b = nu - Lambda m` (Laplace adds `(q b' + b q') / 2`, as for one user). Neither `G` nor the
//! covariance of all users' utilities is formed: `R` is contracted through `Z = L_B^-1 (psi_u x Phi Lambda_u)`.

use super::prior::KroneckerPrior;
use crate::inference::Outcome;
use crate::inference::gradient::{add_outer, laplacian};
use crate::inference::observations::{Edge, Observation};
use crate::inference::prior::{GaussianPrior, scatter};
use rather_numerics::linalg::{Matrix, axpy, dot, solve_lower, subtract_gram, transpose_product};

/// `d log Z / d K_users` and `d log Z / d K_items`.
pub(super) struct InCovariances {
    pub(super) users: Matrix,
    pub(super) items: Matrix,
}

/// Contracts `G` with each covariance in turn. `phi` (`r_x` x items) holds the items' features, `pairs` the distinct pairs.
pub(super) fn in_covariances(
    prior: &KroneckerPrior,
    phi: &Matrix,
    pairs: &[Edge],
    observations: &[Observation],
    outcome: &Outcome,
) -> InCovariances {
    let (tau, nu) = outcome.sites.by_edge(observations, prior.asked.len());
    let left_over =
        |x: &[f64], mean: &[f64]| -> Vec<f64> { (0..x.len()).map(|e| x[e] - tau[e] * mean[e]).collect() };
    let b = by_user(prior, pairs, phi.cols(), &left_over(&nu, &outcome.posterior.mean));
    let q = outcome.implicit.as_ref().map(|pull| {
        let moved = prior.shift(&outcome.posterior, pull);
        by_user(prior, pairs, phi.cols(), &left_over(pull, &moved))
    });
    let laplacians = user_laplacians(prior, pairs, phi.cols(), &tau);
    let mut out = precision_taken(prior, phi, &laplacians, &outcome.posterior.factor);
    out.add_means(prior, phi, &b, &b, 0.5);
    if let Some(q) = q {
        out.add_means(prior, phi, &q, &b, 0.5);
        out.add_means(prior, phi, &b, &q, 0.5);
    }
    out
}

/// `sum_e x_e a_e` over items, one user a column.
fn by_user(prior: &KroneckerPrior, pairs: &[Edge], items: usize, x: &[f64]) -> Matrix {
    let mut out = Matrix::zeros(items, prior.users.cols());
    for u in 0..prior.users.cols() {
        let range = prior.starts[u]..prior.starts[u + 1];
        let edges: Vec<Edge> = prior.asked[range.clone()].iter().map(|a| pairs[a.pair]).collect();
        out.col_mut(u).copy_from_slice(&scatter(&edges, &x[range], items));
    }
    out
}

fn user_laplacians(prior: &KroneckerPrior, pairs: &[Edge], items: usize, tau: &[f64]) -> Vec<Matrix> {
    let one = |u: usize| {
        let range = prior.starts[u]..prior.starts[u + 1];
        let edges: Vec<Edge> = prior.asked[range.clone()].iter().map(|a| pairs[a.pair]).collect();
        laplacian(&edges, items, &tau[range])
    };
    (0..prior.users.cols()).map(one).collect()
}

/// `-R / 2`, contracted.
fn precision_taken(
    prior: &KroneckerPrior,
    phi: &Matrix,
    laplacians: &[Matrix],
    factor: &Matrix,
) -> InCovariances {
    let (ru, rx) = prior.ranks();
    let (users, items) = (prior.users.cols(), phi.cols());
    let transposed = Matrix::from_fn(items, rx, |i, k| phi[(k, i)]);
    // Phi Lambda_u, r_x x items, and M_u = Phi Lambda_u Phi'.
    let phi_lambda: Vec<Matrix> = laplacians.iter().map(|l| transpose_product(&transposed, l)).collect();
    let in_features =
        |pl: &Matrix| transpose_product(&Matrix::from_fn(items, rx, |i, k| pl[(k, i)]), &transposed);

    // Over users: tr(K_items Lambda_u S_uu' Lambda_u') = <Z_u, Z_u'> with Z_u = L_B^-1 (psi_u x M_u).
    let mut z = Matrix::zeros(ru * rx, users * rx);
    let mut traces = vec![0.0; users];
    for u in 0..users {
        let m = in_features(&phi_lambda[u]);
        traces[u] = (0..rx).map(|k| m[(k, k)]).sum();
        for (a, &psi) in prior.users.col(u).iter().enumerate() {
            for j in 0..rx {
                axpy(psi, m.col(j), &mut z.col_mut(u * rx + j)[a * rx..(a + 1) * rx]);
            }
        }
    }
    solve_lower(factor, &mut z);
    // Seen as one long column a user.
    let mut long = Matrix::zeros(ru * rx * rx, users);
    long.data_mut().copy_from_slice(z.data());
    drop(z);
    let mut over_users = transpose_product(&long, &long);
    over_users.data_mut().iter_mut().for_each(|x| *x *= 0.5);
    for (u, trace) in traces.iter().enumerate() {
        over_users[(u, u)] -= 0.5 * trace;
    }

    // Over items: sum_uu' K_users(u, u') Lambda_u S_uu' Lambda_u' = sum_a Y_a'Y_a, Y_a = L_B^-1 sum_u psi_ua (psi_u x Phi Lambda_u).
    let mut over_items = Matrix::zeros(items, items);
    for (u, l) in laplacians.iter().enumerate() {
        axpy(dot(prior.users.col(u), prior.users.col(u)), l.data(), over_items.data_mut());
    }
    for a in 0..ru {
        let mut y = Matrix::zeros(ru * rx, items);
        for (u, pl) in phi_lambda.iter().enumerate() {
            let psi = prior.users.col(u);
            for (b, &x) in psi.iter().enumerate() {
                for i in 0..items {
                    axpy(psi[a] * x, pl.col(i), &mut y.col_mut(i)[b * rx..(b + 1) * rx]);
                }
            }
        }
        solve_lower(factor, &mut y);
        subtract_gram(&mut over_items, &y);
    }
    over_items.data_mut().iter_mut().for_each(|x| *x *= -0.5);
    InCovariances { users: over_users, items: over_items }
}

impl InCovariances {
    /// `scale` times the contractions of `x y'`, with `x`, `y` items x users.
    fn add_means(&mut self, prior: &KroneckerPrior, phi: &Matrix, x: &Matrix, y: &Matrix, scale: f64) {
        let in_features = |m: &Matrix| {
            let mut out = Matrix::zeros(phi.rows(), m.cols());
            (0..m.cols()).for_each(|u| out.col_mut(u).copy_from_slice(&phi.times(m.col(u))));
            out
        };
        let product = transpose_product(&in_features(x), &in_features(y));
        axpy(scale, product.data(), self.users.data_mut());
        for a in 0..prior.users.rows() {
            let weights: Vec<f64> = (0..prior.users.cols()).map(|u| prior.users[(a, u)]).collect();
            let (x, y) = (x.times(&weights), y.times(&weights));
            add_outer(&mut self.items, &x, &y, scale);
        }
    }
}
