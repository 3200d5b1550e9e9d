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
use rather::many::{Kronecker, UserAnswers, UserModel, UserPrior};
use rather::points::Points;
use rather_numerics::linalg::Matrix;
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
