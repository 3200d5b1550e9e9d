//! The Kronecker model against dense inference on the same covariance, and its sparse form.

use crate::common::{close, se};
use rather::Comparison;
use rather::answers::{Answer, Answers};
use rather::inference::observations::Observations;
use rather::inference::prior::{Prior, Space};
use rather::inference::sites::Sites;
use rather::inference::{self, Factors, Method, Outcome, Settings};
use rather::likelihood::Likelihoods;
use rather::many::collaborative::Data;
use rather::many::kronecker::KroneckerSettings;
use rather::many::kronecker::sparse::Selection;
use rather::many::{Kronecker, UserAnswers, UserModel, UserPrior};
use rather::points::Points;
use rather_numerics::linalg::{Matrix, cholesky, solve_lower, solve_lower_transposed};
use rather_numerics::random::{normal, stream, uniform};

const DUEL_NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;
const EXACT: Settings =
    Settings { tolerance: 1e-12, sweeps: 400, sequential_sweeps: 400, factors: Factors::Pair };
const USERS: usize = 12;
const ITEMS: usize = 6;

struct Made {
    items: Points,
    users: Points,
    answers: UserAnswers,
}

fn made(seed: u64) -> Made {
    let mut rng = stream(seed, 0);
    let mut plane = |n: usize| {
        let rows: Vec<[f64; 2]> = (0..n).map(|_| [normal(&mut rng), normal(&mut rng)]).collect();
        Points::from_rows(&rows)
    };
    let (items, users) = (plane(ITEMS), plane(USERS));
    let mut said = Vec::new();
    for user in 0..USERS {
        for _ in 0..12 {
            let i = (uniform(&mut rng) * ITEMS as f64) as usize;
            let j = (i + 1 + (uniform(&mut rng) * (ITEMS - 1) as f64) as usize) % ITEMS;
            let z = users.row(user)[0] * (items.row(i)[0] - items.row(j)[0]);
            let (winner, loser) = if 2.0 * z + normal(&mut rng) > 0.0 { (i, j) } else { (j, i) };
            said.push(Answer::rather(winner, loser).by(user));
        }
    }
    Made { items, users, answers: UserAnswers::new(USERS, ITEMS, &said).unwrap() }
}

/// Inference over all users' utilities of all items with a covariance that is written out.
fn dense(made: &Made, prior: &UserPrior, method: Method) -> (Observations, Outcome) {
    let (ku, kx) = (prior.matrix(USERS, Some(&made.users)), se(2, 2.0, 1.0).matrix(&made.items));
    let comparisons: Vec<Comparison> = made
        .answers
        .answers()
        .map(|a| {
            let (first, (winner, loser)) = (a.user().unwrap() * ITEMS, a.pair().unwrap());
            Comparison { winner: first + winner, loser: first + loser, count: a.count }
        })
        .collect();
    let observations = Observations::new(&comparisons);
    let at = |n: usize| (observations.items[n] / ITEMS, observations.items[n] % ITEMS);
    let size = observations.items.len();
    let k = Matrix::from_fn(size, size, |m, n| ku[(at(m).0, at(n).0)] * kx[(at(m).1, at(n).1)]);
    let prior = Prior::new(k, &observations.edges, Space::Items).unwrap();
    let start = Sites::empty(observations.merged.len());
    let outcome =
        inference::run(method, &prior, &observations.merged, &Likelihoods::new(DUEL_NOISE), start, &EXACT)
            .unwrap();
    (observations, outcome)
}

fn kronecker(made: &Made, prior: &UserPrior, method: Method) -> Kronecker {
    let data = Data { items: &made.items, users: Some(&made.users), answers: &made.answers };
    let settings = KroneckerSettings { method, inference: EXACT, ..KroneckerSettings::default() };
    Kronecker::fit(&data, &se(2, 2.0, 1.0), prior, &settings).unwrap()
}

/// The bar is 1e-8; the features leave out less than 1e-13 of a variance, and both runs converge to 1e-12.
#[test]
fn equals_dense_inference() {
    let smooth = UserPrior::with_features(se(2, 1.0, 1.5), 0.0, 0.0);
    for prior in [UserPrior::with_features(se(2, 1.0, 1.5), 0.2, 0.3), smooth, UserPrior::exchangeable(0.4)] {
        for method in [Method::Ep, Method::Laplace] {
            let made = made(1);
            let (observations, outcome) = dense(&made, &prior, method);
            let model = kronecker(&made, &prior, method);
            close(model.log_evidence(), outcome.log_evidence, 1e-8, "log evidence");
            for (e, edge) in observations.edges.iter().enumerate() {
                let (i, j) = (observations.items[edge.plus()], observations.items[edge.minus().unwrap()]);
                let found = model.predict(i / ITEMS, &[(i % ITEMS, j % ITEMS)]).unwrap();
                close(found.mean[0], outcome.posterior.mean[e], 1e-8, "mean");
                close(found.variance[0], outcome.posterior.variance[e], 1e-8, "variance");
            }
        }
    }
}

/// Someone with a known user's features is predicted like a silent user with the same features; with answers, like a user
/// who had given them, up to what these answers tell about everyone else.
#[test]
fn newcomers() {
    let mut made = made(2);
    let prior = UserPrior::with_features(se(2, 1.0, 1.5), 0.2, 0.3);
    let all: Vec<Answer> = made.answers.answers().collect();
    let others: Vec<Answer> = all.iter().filter(|a| a.user() != Some(4)).copied().collect();
    let own = made.answers.given_by(4);
    let full = kronecker(&made, &prior, Method::Ep);
    made.answers = UserAnswers::new(USERS, ITEMS, &others).unwrap();
    let model = kronecker(&made, &prior, Method::Ep);
    let features = Points::new(vec![77], 2, made.users.row(4).to_vec());
    let (known, new) =
        (model.user(4).unwrap(), model.newcomer(Some(&features), &Answers::default()).unwrap());
    for (a, b) in
        known.mean.iter().chain(known.covariance.data()).zip(new.mean.iter().chain(new.covariance.data()))
    {
        close(*a, *b, 1e-9, "without answers");
    }
    let answered = model.newcomer(Some(&features), &own).unwrap();
    let found = model.predict_with(&answered, &[(0, 1), (2, 5)]).unwrap().probability;
    let expected = full.predict(4, &[(0, 1), (2, 5)]).unwrap().probability;
    for (a, b) in found.iter().zip(&expected) {
        // The others' sites would move a little.
        close(*a, *b, 0.02, "with answers");
    }
    assert!(model.newcomer(None, &own).unwrap_err().to_string().contains("features"));
}

/// With everyone and everything selected the sparse model is the full one; with a few, users and items outside are still
/// predicted, and the factorised matrix is that of the few.
#[test]
fn sparse_selection() {
    let made = made(3);
    let data = Data { items: &made.items, users: Some(&made.users), answers: &made.answers };
    let prior = UserPrior::with_features(se(2, 1.0, 1.5), 0.1, 0.0);
    let full = kronecker(&made, &prior, Method::Ep);
    let scores = full.scores(&made.answers);
    let everything = scores.select(USERS, ITEMS).fit(&full, &data).unwrap();
    close(everything.log_evidence(), full.log_evidence(), 1e-8, "log evidence");
    let few = scores.select(4, 4);
    let sparse = few.fit(&full, &data).unwrap();
    assert!(sparse.ranks().0 <= 4 && sparse.ranks().1 <= 4);
    let outside = (0..USERS).find(|u| !few.users.contains(u)).unwrap();
    let found = sparse.predict(outside, &[(0, 1), (2, 3)]).unwrap();
    assert!(found.variance.iter().all(|v| *v > 0.0));
    // The same answers in the features of everyone: inference knows only the few, so predictions agree.
    let answers = few.answers(&made.answers).unwrap();
    let same = kronecker(&Made { answers, ..made }, &prior, Method::Ep);
    let expected = same.predict(outside, &[(0, 1), (2, 3)]).unwrap();
    close(sparse.log_evidence(), same.log_evidence(), 1e-8, "log evidence");
    for p in 0..2 {
        close(found.mean[p], expected.mean[p], 1e-8, "mean");
        close(found.variance[p], expected.variance[p], 1e-8, "variance");
    }
}

/// `A^-1 B` of a positive definite `A`.
fn solved(mut a: Matrix, mut b: Matrix) -> Matrix {
    assert!(cholesky(&mut a));
    solve_lower(&a, &mut b);
    solve_lower_transposed(&a, &mut b);
    b
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), b.cols(), |i, j| (0..a.cols()).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

fn transposed(a: &Matrix) -> Matrix {
    Matrix::from_fn(a.cols(), a.rows(), |i, j| a[(j, i)])
}

/// The posterior of all utilities that the sites of dense inference make, written out: mean and covariance.
fn written_out(k: &Matrix, observations: &Observations, outcome: &Outcome) -> (Matrix, Matrix) {
    let (tau, nu) = outcome.sites.by_edge(&observations.merged, observations.edges.len());
    let mut a = Matrix::zeros(tau.len(), k.rows());
    for (e, edge) in observations.edges.iter().enumerate() {
        a[(e, observations.items[edge.plus()])] = 1.0;
        a[(e, observations.items[edge.minus().unwrap()])] = -1.0;
    }
    let cross = product(k, &transposed(&a));
    let mut inner = product(&a, &cross);
    (0..tau.len()).for_each(|e| inner[(e, e)] += 1.0 / tau[e]);
    let taken = product(&cross, &solved(inner, transposed(&cross)));
    let covariance = Matrix::from_fn(k.rows(), k.rows(), |i, j| k[(i, j)] - taken[(i, j)]);
    let nu = Matrix::from_fn(nu.len(), 1, |e, _| nu[e]);
    (product(&covariance, &product(&transposed(&a), &nu)), covariance)
}

/// The projection against its formula with matrices that are written out: `K_*S K_SS^-1 mu_S`, and
/// `K_** - K_*S K_SS^-1 (K_SS - Sigma_S) K_SS^-1 K_S*`. Both runs converge to 1e-12; `K_SS` has a condition of up to 1e5.
#[test]
fn a_projection_is_the_prior_given_the_marginal_of_what_is_kept() {
    let made = made(5);
    let data = Data { items: &made.items, users: Some(&made.users), answers: &made.answers };
    let prior = UserPrior::with_features(se(2, 1.0, 1.5), 0.2, 0.3);
    let full = kronecker(&made, &prior, Method::Ep);
    let (observations, outcome) = dense(&made, &prior, Method::Ep);
    let (ku, kx) = (prior.matrix(USERS, Some(&made.users)), se(2, 2.0, 1.0).matrix(&made.items));
    let size = USERS * ITEMS;
    let k = Matrix::from_fn(size, size, |m, n| ku[(m / ITEMS, n / ITEMS)] * kx[(m % ITEMS, n % ITEMS)]);
    let (mean, covariance) = written_out(&k, &observations, &outcome);
    let kept = Selection { users: vec![1, 4, 7], items: vec![0, 2, 3, 5] };
    let places: Vec<usize> =
        kept.users.iter().flat_map(|user| kept.items.iter().map(move |item| user * ITEMS + item)).collect();
    let among = |of: &Matrix| Matrix::from_fn(places.len(), places.len(), |i, j| of[(places[i], places[j])]);
    let gain = solved(among(&k), Matrix::from_fn(places.len(), size, |i, j| k[(places[i], j)]));
    let mean_kept = Matrix::from_fn(places.len(), 1, |i, _| mean[(places[i], 0)]);
    let expected_mean = product(&transposed(&gain), &mean_kept);
    let (prior_kept, posterior_kept) = (among(&k), among(&covariance));
    let known =
        Matrix::from_fn(places.len(), places.len(), |i, j| prior_kept[(i, j)] - posterior_kept[(i, j)]);
    let taken = product(&transposed(&gain), &product(&known, &gain));
    let left = |i: usize, j: usize| k[(i, j)] - taken[(i, j)];
    let model = kept.project(&full, &data).unwrap();
    assert_eq!(model.ranks(), (3, 4));
    for user in 0..USERS {
        for (i, j) in [(0, 1), (2, 4), (5, 3)] {
            let (a, b) = (user * ITEMS + i, user * ITEMS + j);
            let found = model.predict(user, &[(i, j)]).unwrap();
            close(found.mean[0], expected_mean[(a, 0)] - expected_mean[(b, 0)], 1e-7, "mean");
            close(found.variance[0], left(a, a) + left(b, b) - 2.0 * left(a, b), 1e-7, "variance");
        }
    }
    // With everything kept it is the full model.
    let all = Selection { users: (0..USERS).collect(), items: (0..ITEMS).collect() };
    let same = all.project(&full, &data).unwrap();
    let (found, expected) = (same.predict(3, &[(0, 1)]).unwrap(), full.predict(3, &[(0, 1)]).unwrap());
    close(found.mean[0], expected.mean[0], 1e-8, "mean");
    close(found.variance[0], expected.variance[0], 1e-8, "variance");
    // Somebody new is told about by what is kept.
    let features = Points::new(vec![77], 2, made.users.row(1).to_vec());
    let new = model.newcomer(Some(&features), &Answers::default()).unwrap();
    assert!(new.mean.iter().all(|x| x.is_finite()) && new.mean.len() == 4);
}

/// As few users as a loss allows: no more is lost, as the full model sees it, and fewer users are kept the more may be.
#[test]
fn as_many_users_are_kept_as_a_loss_asks_for() {
    let made = made(6);
    let data = Data { items: &made.items, users: Some(&made.users), answers: &made.answers };
    let full = kronecker(&made, &UserPrior::with_features(se(2, 1.0, 1.5), 0.05, 0.0), Method::Ep);
    let order = full.informative_users();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..USERS).collect::<Vec<_>>(), "all are in the order once");
    let mut before = USERS + 1;
    for loss in [0.0, 0.02, 0.3] {
        let (kept, model) = Selection::within(&full, &data, loss).unwrap();
        assert!(order[..kept.users.len()].iter().all(|user| kept.users.contains(user)));
        let (mut lost, mut pairs) = (0.0, 0.0);
        for user in 0..USERS {
            let mut asked: Vec<(usize, usize)> =
                made.answers.given_by(user).iter().filter_map(|a| a.pair()).collect();
            asked.iter_mut().for_each(|(i, j)| (*i, *j) = ((*i).min(*j), (*i).max(*j)));
            asked.sort_unstable();
            asked.dedup();
            let of = |model: &Kronecker| model.predict(user, &asked).unwrap().probability;
            for (full, sparse) in of(&full).into_iter().zip(of(&model)) {
                let ahead = 2.0 * full - 1.0;
                lost += if ahead * (2.0 * sparse - 1.0) < 0.0 { ahead.abs() } else { 0.0 };
                pairs += 1.0;
            }
        }
        assert!(lost / pairs <= loss + 1e-12, "{lost} of {pairs} for {loss}");
        assert!(kept.users.len() <= before);
        before = kept.users.len();
    }
    assert!(before < USERS, "much may be lost");
}

/// Restricted to everything, sites are those of the full model; restricted to a few, nothing is fitted again.
#[test]
fn sites_inside_are_kept() {
    let made = made(7);
    let data = Data { items: &made.items, users: Some(&made.users), answers: &made.answers };
    let full = kronecker(&made, &UserPrior::with_features(se(2, 1.0, 1.5), 0.1, 0.0), Method::Ep);
    let all = Selection { users: (0..USERS).collect(), items: (0..ITEMS).collect() };
    let same = all.restrict(&full, &data).unwrap().predict(3, &[(0, 1)]).unwrap();
    let expected = full.predict(3, &[(0, 1)]).unwrap();
    close(same.mean[0], expected.mean[0], 1e-7, "mean");
    close(same.variance[0], expected.variance[0], 1e-7, "variance");
    let few = full.scores(&made.answers).select(4, 4);
    let fitted = few.fit(&full, &data).unwrap().predict(few.users[0], &[(0, 1)]).unwrap();
    let kept = few.restrict(&full, &data).unwrap().predict(few.users[0], &[(0, 1)]).unwrap();
    assert!((fitted.mean[0] - kept.mean[0]).abs() > 1e-4, "the sites are not those of a fit");
}

/// All directions are the full model; a few lose no more than they may, and know of a user whom they do not count what they know of one who is like them.
#[test]
fn as_many_directions_are_kept_as_a_loss_asks_for() {
    let made = made(8);
    let full = kronecker(&made, &UserPrior::with_features(se(2, 1.0, 1.5), 0.0, 0.0), Method::Ep);
    let same = full.in_directions(usize::MAX).unwrap();
    let few = full.compressed(&made.answers, 0.01).unwrap();
    assert!(few.ranks().0 < full.ranks().0, "{:?} of {:?}", few.ranks(), full.ranks());
    let (mut lost, mut asked) = (0.0, 0.0);
    for user in 0..USERS {
        let pairs: Vec<(usize, usize)> = (0..ITEMS).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let of = |model: &Kronecker| model.predict(user, &pairs).unwrap();
        let (whole, again, fewer) = (of(&full), of(&same), of(&few));
        for p in 0..pairs.len() {
            close(again.mean[p], whole.mean[p], 1e-8, "mean");
            close(again.variance[p], whole.variance[p], 1e-8, "variance");
            assert!(fewer.variance[p] > whole.variance[p] - 1e-9, "what is left out is the prior's");
            let ahead = 2.0 * whole.probability[p] - 1.0;
            lost += if ahead * (2.0 * fewer.probability[p] - 1.0) < 0.0 { ahead.abs() } else { 0.0 };
            asked += 1.0;
        }
    }
    // The loss is that of answered pairs; of all pairs it is little more.
    assert!(lost / asked < 0.03, "{}", lost / asked);
    let features = Points::new(vec![77], 2, made.users.row(4).to_vec());
    let (known, new) = (few.user(4).unwrap(), few.newcomer(Some(&features), &Answers::default()).unwrap());
    for (a, b) in
        known.mean.iter().chain(known.covariance.data()).zip(new.mean.iter().chain(new.covariance.data()))
    {
        close(*a, *b, 1e-8, "of who is like user 4");
    }
}
