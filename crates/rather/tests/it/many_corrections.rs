//! The formulas that the two papers misprint: each is held against an independent route, and the printed form is shown to
//! fail. [H] is the supplement of Houlsby et al. (2012), [A] is Abbasnejad, Bonilla and Sanner.

#![allow(clippy::needless_range_loop, reason = "formulas of small matrices stand with their indices")]

use crate::common::{close, se};
use rather::Comparison;
use rather::answers::Answer;
use rather::inference::observations::{Edge, Observations};
use rather::inference::prior::{Prior, Space};
use rather::inference::sites::Sites;
use rather::inference::{Method, Settings, run};
use rather::likelihood::{Likelihood, Likelihoods, Probit};
use rather::many::collaborative::{Data, PublishedScheme, Scheme, Settings as Collaborate, Weights};
use rather::many::low_rank::LowRank;
use rather::many::{
    Collaborative, Hierarchical, HierarchicalSettings, PerUser, UserAnswers, UserModel, UserPrior,
};
use rather::points::Points;
use rather_numerics::linalg::{Matrix, cholesky, dot, solve_lower_vec};
use rather_numerics::special::normal::{cdf, pdf};

const DUEL_NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Zeroth to second moments of `N(x | m, v) t(x)` by Simpson's rule over ten standard deviations.
fn moments(m: f64, v: f64, t: impl Fn(f64) -> f64) -> (f64, f64, f64) {
    let (n, sd) = (4000, v.sqrt());
    let (from, h) = (m - 10.0 * sd, 20.0 * sd / n as f64);
    let mut sums = [0.0; 3];
    for i in 0..=n {
        let x = from + h * i as f64;
        let weight = if i == 0 || i == n {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        };
        let f = weight * h / 3.0 * pdf((x - m) / sd) / sd * t(x);
        (0..3).for_each(|k| sums[k] += f * x.powi(k as i32));
    }
    let mean = sums[1] / sums[0];
    (sums[0], mean, sums[2] / sums[0] - mean * mean)
}

/// [H] (1) to (3): the covariance of pair values is `k(i,k) + k(j,l) - k(i,l) - k(j,k)`, that of the difference; a pair turned
/// round has correlation -1; what (1) garbles it to is not symmetric under turning both pairs.
#[test]
fn preference_kernel() {
    let items = Points::from_rows(&[[0.0, 0.1], [1.0, 0.3], [-0.4, 0.9], [0.5, -1.2]]);
    let k = se(2, 1.7, 0.8).matrix(&items);
    let pair = |i, j| Edge::between(i, j);
    let edges = [pair(0, 1), pair(1, 0), pair(2, 3)];
    let prior = Prior::new(k.clone(), &edges, Space::Pairs).unwrap();
    let projected = |e: usize| prior.features.col(prior.order.iter().position(|&o| o == e).unwrap()).to_vec();
    let kp = |(i, j): (usize, usize), (m, n): (usize, usize)| k[(i, m)] + k[(j, n)] - k[(i, n)] - k[(j, m)];
    close(dot(&projected(0), &projected(2)), kp((0, 1), (2, 3)), 1e-12, "covariance of differences");
    let correlation = dot(&projected(0), &projected(1)) / dot(&projected(0), &projected(0));
    close(correlation, -1.0, 1e-12, "a pair turned round");
}

/// [H] (39), (40) forget the noise of an answer: their site gives the tilted mean but not the tilted variance.
#[test]
fn probit_site() {
    let (m, v) = (0.4, 1.5);
    let (_, mean, variance) = moments(m, v, cdf);
    let tilted = Probit::comparison(DUEL_NOISE).tilt(m, v);
    let site_to_marginal = |tau: f64, nu: f64| {
        let precision = 1.0 / v + tau;
        ((m / v + nu) / precision, 1.0 / precision)
    };
    let (a, b) = site_to_marginal(tilted.tau, tilted.nu);
    close(a, mean, 1e-9, "tilted mean");
    close(b, variance, 1e-9, "tilted variance");
    // As printed: m1 = m + v / m_hat with m_hat not a mean but alpha's ratio, v1 = v (1 / (alpha m_hat) - 1).
    let z: f64 = m / (1.0 + v).sqrt();
    let alpha = pdf(z) / cdf(z) / (1.0 + v).sqrt();
    let m_hat = m + v * alpha;
    let printed = v * (1.0 / (alpha * m_hat) - 1.0);
    let (_, b) = site_to_marginal(1.0 / printed, 0.0);
    assert!((b - variance).abs() > 0.05, "the printed variance {b} is wrong, {variance} is right");
    // Corrected in the same terms.
    let corrected = (1.0 + v) / (alpha * (m_hat + alpha)) - v;
    close(1.0 / corrected, tilted.tau, 1e-12, "corrected closed form");
}

fn small() -> (Points, Points, UserAnswers) {
    let items = Points::from_rows(&[[0.0, 0.0], [1.0, 0.2], [0.3, 1.1], [-0.8, 0.9]]);
    let users = Points::from_rows(&[[0.0], [0.7], [1.9], [3.0]]);
    let ask = |user, winner, loser| Answer::rather(winner, loser).by(user);
    let said = [
        ask(0, 0, 1),
        ask(0, 0, 2),
        ask(0, 1, 3),
        ask(1, 0, 2),
        ask(1, 2, 3),
        ask(2, 1, 0),
        ask(2, 3, 0),
        ask(2, 1, 2),
        ask(3, 3, 1),
        ask(3, 3, 2),
    ];
    (items, users, UserAnswers::new(4, 4, said).unwrap())
}

/// [H] (23), (27), (31) to (36): a factor's site is the marginal less the *other* factor's site, in natural parameters. A run
/// of the published scheme is at its fixpoint exactly where the merged one is; with the printed rule (less the factor's own
/// old site) no fixpoint but the uniform site exists, as `theta = marginal - theta` doubles the marginal.
#[test]
fn sites_are_the_marginal_less_the_other_factor() {
    let (items, users, answers) = small();
    let data = Data { items: &items, users: Some(&users), answers: &answers };
    let prior = UserPrior { kernel: Some(se(1, 1.0, 1.0)), share: 1.0, individual: 0.1, common: 0.0 };
    let merged = Collaborate {
        functions: 2,
        tolerance: 1e-10,
        cycles: 5000,
        weights: Weights::PerFunction,
        ..Default::default()
    };
    let scheme =
        PublishedScheme { damping: 0.8, annealing: 1.0, tolerance: 1e-9, cycles: 3000, ..Default::default() };
    let published = Collaborate { scheme: Scheme::Published(scheme), ..merged.clone() };
    let kernel = se(2, 2.0, 1.0);
    let a = Collaborative::fit(&data, &kernel, &prior, &merged).unwrap();
    let b = Collaborative::fit(&data, &kernel, &prior, &published).unwrap();
    // (44) to (52), corrected, are the merged form's evidence.
    close(a.log_evidence(), b.log_evidence(), 1e-7, "log evidence");
    let ((m, v), (n, w)) = (a.fitted(), b.fitted());
    (0..m.len()).for_each(|i| close(m[i], n[i], 1e-6, "mean"));
    (0..m.len()).for_each(|i| close(v[i], w[i], 1e-6, "variance"));
}

/// [H], line after (29): users' weights have the users' covariance. With the items' in its place, two users of like features
/// would not be alike.
#[test]
fn weights_have_the_covariance_of_users() {
    let (items, _, _) = small();
    let users = Points::from_rows(&[[0.0], [0.01], [5.0], [9.0]]);
    let ask = |user, winner, loser| Answer::rather(winner, loser).by(user).times(4);
    let answers =
        UserAnswers::new(4, 4, [ask(0, 0, 1), ask(0, 2, 3), ask(2, 1, 0), ask(2, 3, 2), ask(3, 1, 2)])
            .unwrap();
    let data = Data { items: &items, users: Some(&users), answers: &answers };
    let prior = UserPrior { kernel: Some(se(1, 1.0, 1.0)), share: 1.0, individual: 0.0, common: 0.0 };
    let model = Collaborative::fit(&data, &se(2, 2.0, 1.0), &prior, &Collaborate::default()).unwrap();
    let p = |user| model.predict(user, &[(0, 1)]).unwrap().probability[0];
    assert!((p(0) - p(1)).abs() < 1e-3, "{} {}", p(0), p(1));
    assert!(p(0) > 0.55 && p(2) < 0.45, "{} {}", p(0), p(2));
}

/// FITC against the dense covariance `Q + diag(K - Q)`; [H] (56) has a transpose in the wrong place, (57) and (58) take the
/// sites' means for their shifts.
#[test]
fn fitc() {
    let x = [-2.0, -1.2, -0.4, 0.4, 1.2, 2.0];
    let inducing = [-1.5, 0.2, 1.4];
    let (tau, nu) = ([0.5, 0.0, 1.2, 0.3, 2.0, 0.8], [0.4, 0.0, -0.7, 0.1, 1.5, -0.2]);
    let k = |a: f64, b: f64| (-0.5 * (a - b) * (a - b)).exp();
    let mut l = Matrix::from_fn(3, 3, |i, j| k(inducing[i], inducing[j]));
    assert!(cholesky(&mut l));
    let mut v = Matrix::from_fn(3, 6, |i, j| k(inducing[i], x[j]));
    rather_numerics::linalg::solve_lower(&l, &mut v);
    let rest: Vec<f64> = (0..6).map(|i| 1.0 - dot(v.col(i), v.col(i))).collect();
    // Dense: K' = V'V + diag(rest), posterior (K'^-1 + T)^-1 through B = I + sqrt(T) K' sqrt(T).
    let dense = Matrix::from_fn(6, 6, |i, j| dot(v.col(i), v.col(j)) + if i == j { rest[i] } else { 0.0 });
    let root = |i: usize| f64::sqrt(tau[i]);
    let mut b = Matrix::from_fn(6, 6, |i, j| root(i) * dense[(i, j)] * root(j) + f64::from(u8::from(i == j)));
    assert!(cholesky(&mut b));
    let column = |i: usize| {
        let mut x: Vec<f64> = (0..6).map(|j| root(j) * dense[(j, i)]).collect();
        solve_lower_vec(&b, &mut x);
        x
    };
    let halves: Vec<Vec<f64>> = (0..6).map(column).collect();
    let covariance = |i: usize, j: usize| dense[(i, j)] - dot(&halves[i], &halves[j]);
    let mean = |i: usize| (0..6).map(|j| covariance(i, j) * nu[j]).sum::<f64>();
    let log_det: f64 = (0..6).map(|i| b[(i, i)].ln()).sum();
    let log_z = 0.5 * (0..6).map(|i| nu[i] * mean(i)).sum::<f64>() - log_det;

    let found = LowRank { features: v, rest }.absorb(&tau, &nu).unwrap();
    for i in 0..6 {
        close(found.mean[i], mean(i), 1e-12, "mean");
        close(found.variance[i], covariance(i, i), 1e-12, "variance");
    }
    close(found.log_normaliser, log_z, 1e-12, "log normaliser");
    // As printed, sum of m_site m_new / 2 with m_site = nu / tau, over the nodes that have a site.
    let printed: f64 =
        (0..6).filter(|&i| tau[i] > 0.0).map(|i| 0.5 * nu[i] / tau[i] * mean(i)).sum::<f64>() - log_det;
    assert!((printed - log_z).abs() > 0.1, "{printed} {log_z}");
}

/// [H], section 7: the M step's covariance is an *outer* product, about the *new* mean. With the old mean (zero at first) the
/// prior after one step would be wider by the outer product of the mean's move.
#[test]
fn maximisation_step() {
    let (items, _, answers) = small();
    let kernel = se(2, 2.0, 1.0);
    let settings = HierarchicalSettings { iterations: 1, ..Default::default() };
    let after = Hierarchical::fit(&items, &answers, &kernel, &settings).unwrap().prior();
    let alone = PerUser::fit(&items, &answers, &kernel, DUEL_NOISE).unwrap();
    let each: Vec<_> = (0..4).map(|u| alone.user(u).unwrap()).collect();
    let rank = after.mean.len();
    let mean: Vec<f64> = (0..rank).map(|k| each.iter().map(|p| p.mean[k]).sum::<f64>() / 4.0).collect();
    let covariance = |center: &[f64], i: usize, j: usize| {
        each.iter()
            .map(|p| (p.mean[i] - center[i]) * (p.mean[j] - center[j]) + p.covariance[(i, j)])
            .sum::<f64>()
            / 4.0
    };
    let mut off: f64 = 0.0;
    for i in 0..rank {
        close(after.mean[i], mean[i], 1e-9, "mean");
        for j in 0..rank {
            close(after.covariance[(i, j)], covariance(&mean, i, j), 1e-7, "covariance");
            off = off.max((after.covariance[(i, j)] - covariance(&vec![0.0; rank], i, j)).abs());
        }
    }
    assert!(off > 0.01, "about the old mean: {off}");
}

/// The Gaussian cavity of two utilities of which [A] speaks, in its first example of numbers.
struct Cavity {
    mean: [f64; 2],
    covariance: [[f64; 2]; 2],
    gamma: f64,
}

const CAVITY: Cavity = Cavity { mean: [0.9, 0.3], covariance: [[1.1, 0.2], [0.2, 0.8]], gamma: 0.9 };

impl Cavity {
    fn difference(&self) -> (f64, f64) {
        let [[a, b], [_, d]] = self.covariance;
        (self.mean[0] - self.mean[1], a + d - 2.0 * b)
    }

    /// Covariance of each utility with the difference.
    fn with_difference(&self) -> [f64; 2] {
        let [[a, b], [_, d]] = self.covariance;
        [a - b, b - d]
    }

    fn likelihood(&self) -> Probit {
        Probit::comparison(self.gamma * DUEL_NOISE)
    }
}

/// [A] (17): `r` has a square root below it.
#[test]
fn abbasnejad_normaliser() {
    let (m, v) = CAVITY.difference();
    let gamma2 = CAVITY.gamma * CAVITY.gamma;
    let (z, _, _) = moments(m, v, |x| cdf(x / CAVITY.gamma));
    close(CAVITY.likelihood().probability(m, v), z, 1e-9, "probability");
    close(cdf(m / (gamma2 + v).sqrt()), z, 1e-9, "corrected");
    assert!((cdf(m / (gamma2 + v)) - z).abs() > 0.01, "printed");
}

/// [A] (18), (19): the tilted moments of the two utilities; again roots are missing.
#[test]
fn abbasnejad_tilted_moments() {
    let ((m, v), c) = (CAVITY.difference(), CAVITY.with_difference());
    let (_, mean, variance) = moments(m, v, |x| cdf(x / CAVITY.gamma));
    // Given the difference, the utilities are Gaussian: exact moments from those of the difference.
    let exact_mean = |i: usize| CAVITY.mean[i] + c[i] / v * (mean - m);
    let exact_variance = |i: usize| CAVITY.covariance[i][i] + c[i] * c[i] / (v * v) * (variance - v);
    let s2 = CAVITY.gamma * CAVITY.gamma + v;
    let r = m / s2.sqrt();
    let ratio = pdf(r) / cdf(r);
    let library = CAVITY.likelihood().tilt(m, v);
    for i in 0..2 {
        // w = ratio / sqrt(s2) (1, -1)'; Sigma_hat = Sigma - Sigma (w w' + r / sqrt(s2) w 1') Sigma.
        let corrected = CAVITY.mean[i] + c[i] * ratio / s2.sqrt();
        close(corrected, exact_mean(i), 1e-9, "mean");
        let beta = ratio * (r + ratio) / s2;
        close(CAVITY.covariance[i][i] - c[i] * c[i] * beta, exact_variance(i), 1e-9, "variance");
        // The library's one-dimensional site says the same.
        let gain = c[i] * c[i] * library.tau / (1.0 + library.tau * v);
        close(CAVITY.covariance[i][i] - gain, exact_variance(i), 1e-9, "variance by the site");
        let printed_mean = CAVITY.mean[i] + c[i] * ratio / s2;
        assert!((printed_mean - exact_mean(i)).abs() > 0.02, "printed mean");
        let printed = ratio / s2 * (ratio / s2 + r / s2) * c[i] * c[i];
        assert!((CAVITY.covariance[i][i] - printed - exact_variance(i)).abs() > 0.02, "printed variance");
    }
}

/// [A] (8), (21): the site that the printed rule inverts for is `tau [1 -1; -1 1]`, which has no inverse; two numbers an answer
/// are the site.
#[test]
fn abbasnejad_site_has_rank_one() {
    let ((m, v), c) = (CAVITY.difference(), CAVITY.with_difference());
    let tau = CAVITY.likelihood().tilt(m, v).tau;
    let inverse = |[[a, b], [_, d]]: [[f64; 2]; 2]| {
        let det = a * d - b * b;
        [[d / det, -b / det], [-b / det, a / det]]
    };
    let gain = tau / (1.0 + tau * v);
    let tilted = [0, 1].map(|i| [0, 1].map(|j| CAVITY.covariance[i][j] - gain * c[i] * c[j]));
    let (after, before) = (inverse(tilted), inverse(CAVITY.covariance));
    let site = [0, 1].map(|i| [0, 1].map(|j| after[i][j] - before[i][j]));
    for i in 0..2 {
        for j in 0..2 {
            close(site[i][j], if i == j { tau } else { -tau }, 1e-9, "site");
        }
    }
    assert!((site[0][0] * site[1][1] - site[0][1] * site[1][0]).abs() < 1e-9, "not invertible");
}

/// Three items, three comparisons, and the dense posterior under EP's sites.
struct Chain {
    kernel: Matrix,
    tau: Vec<f64>,
    nu: Vec<f64>,
    edges: Vec<Edge>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    site_tau: f64,
    log_evidence: f64,
}

fn chain() -> Chain {
    let items = Points::from_rows(&[[0.0, 0.0], [1.0, 0.2], [0.3, 1.1]]);
    let kernel = se(2, 2.0, 1.0).matrix(&items);
    let ask = |winner, loser| Comparison { winner, loser, count: 1.0 };
    let observations = Observations::new(&[ask(0, 1), ask(1, 2), ask(0, 2)]);
    let prior = Prior::new(kernel.clone(), &observations.edges, Space::Items).unwrap();
    let settings = Settings { tolerance: 1e-12, ..Default::default() };
    let start = Sites::empty(3);
    let likelihood = Likelihoods::new(DUEL_NOISE);
    let outcome = run(Method::Ep, &prior, &observations.merged, &likelihood, start, &settings).unwrap();
    let (tau, nu) = outcome.sites.by_edge(&observations.merged, 3);
    Chain {
        kernel,
        site_tau: tau[0],
        tau,
        nu,
        edges: observations.edges,
        mean: outcome.posterior.mean,
        variance: outcome.posterior.variance,
        log_evidence: outcome.log_evidence,
    }
}

/// `(I + Lambda K)^-1 x` for the chain, by Gaussian elimination.
fn solve(chain: &Chain, x: [f64; 3]) -> [f64; 3] {
    let lambda = lambda(chain);
    let mut a = [[0.0; 4]; 3];
    for (i, row) in a.iter_mut().enumerate() {
        for j in 0..3 {
            row[j] = f64::from(u8::from(i == j))
                + (0..3).map(|k| lambda[i][k] * chain.kernel[(k, j)]).sum::<f64>();
        }
        row[3] = x[i];
    }
    for p in 0..3 {
        for r in p + 1..3 {
            let ratio = a[r][p] / a[p][p];
            let pivot = a[p];
            a[r].iter_mut().zip(pivot).for_each(|(x, y)| *x -= ratio * y);
        }
    }
    let mut out = [0.0; 3];
    for p in (0..3).rev() {
        out[p] = (a[p][3] - (p + 1..3).map(|j| a[p][j] * out[j]).sum::<f64>()) / a[p][p];
    }
    out
}

fn lambda(chain: &Chain) -> [[f64; 3]; 3] {
    let mut out = [[0.0; 3]; 3];
    for (e, edge) in chain.edges.iter().enumerate() {
        let (i, j) = (edge.plus(), edge.minus().unwrap());
        out[i][i] += chain.tau[e];
        out[j][j] += chain.tau[e];
        out[i][j] -= chain.tau[e];
        out[j][i] -= chain.tau[e];
    }
    out
}

/// [A] (10): the posterior is `(K^-1 + Lambda)^-1` of the whole matrix, of which a block is taken; not block by block.
#[test]
fn abbasnejad_posterior_is_of_the_whole_matrix() {
    let chain = chain();
    let (i, j) = (chain.edges[0].plus(), chain.edges[0].minus().unwrap());
    let a = |x: usize| {
        if x == i {
            1.0
        } else if x == j {
            -1.0
        } else {
            0.0
        }
    };
    // Var(f_i - f_j) = a'K(I + Lambda K)^-1... = a' K x with x = (I + Lambda K)^-1 a.
    let x = solve(&chain, [a(0), a(1), a(2)]);
    let variance: f64 = (0..3).map(|r| a(r) * (0..3).map(|c| chain.kernel[(r, c)] * x[c]).sum::<f64>()).sum();
    close(chain.variance[0], variance, 1e-9, "variance");
    // Block by block, with this answer's own site only.
    let own = chain.kernel[(i, i)] + chain.kernel[(j, j)] - 2.0 * chain.kernel[(i, j)];
    let printed = 1.0 / (1.0 / own + chain.tau[0]);
    assert!((printed - variance).abs() > 0.05, "printed {printed}, right {variance}");
}

/// [A] (24): the mean of new utilities is `K_* (I + Lambda K)^-1 nu` and the variance subtracts
/// `K_* (I + Lambda K)^-1 Lambda K_*'`; as printed the "variance" is negative, and a root is missing.
#[test]
fn abbasnejad_prediction() {
    let items = Points::from_rows(&[[0.0, 0.0], [1.0, 0.2], [0.3, 1.1]]);
    let ask = |winner, loser| Answer::rather(winner, loser).by(0);
    let answers = UserAnswers::new(1, 3, [ask(0, 1), ask(1, 2), ask(0, 2)]).unwrap();
    let kernel = se(2, 2.0, 1.0);
    let model = PerUser::fit(&items, &answers, &kernel, DUEL_NOISE).unwrap();
    let new = Points::new(vec![7, 8], 2, vec![0.2, -0.4, 0.9, 0.9]);
    let user = model.user(0).unwrap();
    let embedded = model.items().embed(&new);
    let found = user.differences(&embedded, &[(0, 1)]);
    let chain = chain();
    let cross = kernel.cross(&items, &new);
    let star: Vec<f64> = (0..3).map(|i| cross[(i, 0)] - cross[(i, 1)]).collect();
    let mut shift = [0.0; 3];
    for (e, edge) in chain.edges.iter().enumerate() {
        shift[edge.plus()] += chain.nu[e];
        shift[edge.minus().unwrap()] -= chain.nu[e];
    }
    let x = solve(&chain, shift);
    let mean: f64 = (0..3).map(|i| star[i] * x[i]).sum();
    let lambda = lambda(&chain);
    let times = |y: &[f64]| [0, 1, 2].map(|i| (0..3).map(|j| lambda[i][j] * y[j]).sum::<f64>());
    let k_new = kernel.matrix(&new);
    let own = k_new[(0, 0)] + k_new[(1, 1)] - 2.0 * k_new[(0, 1)];
    let taken = solve(&chain, times(&star));
    let variance = own - (0..3).map(|i| star[i] * taken[i]).sum::<f64>();
    close(found.mean[0], mean, 1e-7, "mean");
    close(found.variance[0], variance, 1e-7, "variance");
    let printed_mean: f64 = (0..3).map(|i| star[i] * shift[i]).sum();
    let printed_variance = own - (0..3).map(|i| star[i] * times(&star)[i]).sum::<f64>();
    assert!((printed_mean - mean).abs() > 0.1, "printed mean {printed_mean}, right {mean}");
    assert!((printed_variance - variance).abs() > 0.05, "printed {printed_variance}, right {variance}");
}

/// [A] (22): an answer's site takes `ln(Sigma_old / Sigma_new) / 2` from the entropy, for the difference
/// `ln(1 + tau s) / 2`; as printed it would tell more the *less* it tells.
#[test]
fn abbasnejad_entropy() {
    let chain = chain();
    let (v, tau) = (chain.variance[0], chain.site_tau);
    let cavity = v / (1.0 - tau * v);
    let removed = 0.5 * (cavity / v).ln();
    close(0.5 * (1.0 + tau * cavity).ln(), removed, 1e-12, "entropy");
    let printed = |new: f64, old: f64| 0.5 * (1.0 + new / old).ln();
    assert!(printed(v, cavity) > printed(0.1 * v, cavity), "a smaller new variance should score more");
    // Every visit of a converged answer adds half of ln 2: the sum counts visits.
    close(printed(1.0, 1.0), 0.5 * 2.0_f64.ln(), 1e-12, "a visit");
    assert!(chain.log_evidence.is_finite() && chain.mean[0] > 0.0);
}
