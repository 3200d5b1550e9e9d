//! Properties of the models of many users: two routes to one number, gradients against differences, and symmetries.

use crate::common;
use crate::common::{close, se};
use proptest::prelude::*;
use rather::answers::{Answer, Answers};
use rather::inference::{Factors, Method, Settings as Inference};
use rather::kernel::{Kernel, parse};
use rather::many::collaborative::{Data, Settings, Weights};
use rather::many::kronecker::KroneckerSettings;
use rather::many::{
    Collaborative, Hierarchical, HierarchicalSettings, Kronecker, PerUser, UserAnswers, UserModel, UserPrior,
};
use rather::points::Points;
use rather_numerics::random::{normal, normals, stream, uniform};

const DUEL_NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;
const EXACT: Inference =
    Inference { tolerance: 1e-12, sweeps: 400, sequential_sweeps: 400, factors: Factors::Pair };

/// A small made-up problem.
#[derive(Debug, Clone)]
struct Made {
    items: Points,
    users: Points,
    said: Vec<Answer>,
}

impl Made {
    /// `users` users with two tastes between them, `each` answers a user, about items in the plane.
    fn new(seed: u64, users: usize, items: usize, each: usize) -> Self {
        let mut rng = stream(seed, 0);
        let mut plane = |n: usize| -> Points {
            let rows: Vec<[f64; 2]> = (0..n).map(|_| [normal(&mut rng), normal(&mut rng)]).collect();
            Points::from_rows(&rows)
        };
        let (points, people) = (plane(items), plane(users));
        let tastes = [normals(items, &mut rng), normals(items, &mut rng)];
        let mut said = Vec::new();
        for user in 0..users {
            let (a, b) = (people.row(user)[0], 1.0 + people.row(user)[1]);
            for _ in 0..each {
                let i = (uniform(&mut rng) * items as f64) as usize;
                let j = (i + 1 + (uniform(&mut rng) * (items - 1) as f64) as usize) % items;
                let z = a * (tastes[0][i] - tastes[0][j]) + b * (tastes[1][i] - tastes[1][j]);
                let (winner, loser) = if 1.5 * z + normal(&mut rng) > 0.0 { (i, j) } else { (j, i) };
                said.push(Answer::rather(winner, loser).by(user));
            }
        }
        Self { items: points, users: people, said }
    }

    fn answers(&self) -> UserAnswers {
        UserAnswers::new(self.users.len(), self.items.len(), &self.said).unwrap()
    }

    fn fit(&self, kernel: &Kernel, prior: &UserPrior, settings: &Settings) -> Collaborative {
        let answers = self.answers();
        let data = Data { items: &self.items, users: Some(&self.users), answers: &answers };
        let model = Collaborative::fit(&data, kernel, prior, settings).unwrap();
        assert!(model.report().residual <= settings.tolerance, "{:?}", model.report());
        model
    }
}

fn all_pairs(items: usize) -> Vec<(usize, usize)> {
    (0..items).flat_map(|i| (i + 1..items).map(move |j| (i, j))).collect()
}

fn settings(weights: Weights) -> Settings {
    Settings { functions: 3, tolerance: 1e-9, cycles: 20_000, weights, ..Settings::default() }
}

fn mixed(individual: f64, common: f64) -> UserPrior {
    UserPrior::with_features(se(2, 1.0, 1.3), individual, common)
}

/// The same model by every way of describing its users.
fn priors() -> Vec<(UserPrior, Weights)> {
    vec![
        (UserPrior::exchangeable(0.0), Weights::PerFunction),
        (UserPrior::exchangeable(0.7), Weights::PerFunction),
        (UserPrior::exchangeable(0.0), Weights::Joint),
        (UserPrior::exchangeable(0.7), Weights::Joint),
        (mixed(0.3, 0.0), Weights::PerFunction),
        (mixed(0.3, 0.4), Weights::PerFunction),
    ]
}

fn same(a: &dyn UserModel, b: &dyn UserModel, tolerance: f64, what: &str) {
    close(a.log_evidence(), b.log_evidence(), tolerance * 10.0, what);
    for user in 0..a.users() {
        let pairs = all_pairs(a.items().len());
        let (x, y) = (a.predict(user, &pairs).unwrap(), b.predict(user, &pairs).unwrap());
        for p in 0..pairs.len() {
            close(x.mean[p], y.mean[p], tolerance, &format!("{what}: mean, user {user}, pair {p}"));
            close(
                x.variance[p],
                y.variance[p],
                tolerance,
                &format!("{what}: variance, user {user}, pair {p}"),
            );
        }
    }
}

/// Nothing depends on the order of the answers, to the bit; and a count is as many answers.
#[test]
fn order_and_counts() {
    let made = Made::new(3, 6, 5, 9);
    let mut shuffled = made.clone();
    shuffled.said.reverse();
    shuffled.said.rotate_left(7);
    assert_eq!(made.answers(), shuffled.answers());
    let mut counted = made.clone();
    let first = counted.said[0];
    counted.said[0].count = 3.0;
    let mut repeated = made.clone();
    repeated.said.extend([first, first]);
    assert_eq!(counted.answers(), repeated.answers());
}

/// Items numbered the other way round: pairs change their orientation, all else stays.
#[test]
fn orientation_and_order_of_items_do_not_matter() {
    let made = Made::new(5, 6, 5, 9);
    let turn = |i: usize| 4 - i;
    let mut turned = made.clone();
    turned.items = made.items.select(&[4, 3, 2, 1, 0]);
    for a in &mut turned.said {
        (a.plus, a.minus) = (turn(a.plus), a.minus.map(turn));
    }
    let kernel = se(2, 1.5, 1.0);
    for (prior, weights) in priors() {
        let (a, b) =
            (made.fit(&kernel, &prior, &settings(weights)), turned.fit(&kernel, &prior, &settings(weights)));
        close(a.log_evidence(), b.log_evidence(), 1e-6, "log evidence");
        for user in 0..6 {
            for (i, j) in all_pairs(5) {
                let x = a.predict(user, &[(i, j)]).unwrap();
                let y = b.predict(user, &[(turn(i), turn(j))]).unwrap();
                close(x.mean[0], y.mean[0], 1e-6, "mean");
                close(x.variance[0], y.variance[0], 1e-6, "variance");
            }
        }
    }
}

#[test]
fn order_of_users_does_not_matter() {
    let made = Made::new(6, 6, 5, 9);
    let mut turned = made.clone();
    turned.users = made.users.select(&[5, 4, 3, 2, 1, 0]);
    turned.said.iter_mut().for_each(|a| *a = a.by(5 - a.user().unwrap()));
    let kernel = se(2, 1.5, 1.0);
    for (prior, weights) in priors() {
        let (a, b) =
            (made.fit(&kernel, &prior, &settings(weights)), turned.fit(&kernel, &prior, &settings(weights)));
        close(a.log_evidence(), b.log_evidence(), 1e-6, "log evidence");
        for user in 0..6 {
            let (x, y) = (a.predict(user, &[(0, 3)]).unwrap(), b.predict(5 - user, &[(0, 3)]).unwrap());
            close(x.mean[0], y.mean[0], 1e-6, "mean");
        }
    }
}

/// Another unit of utilities: noise twice as large and a kernel four times.
#[test]
fn only_the_ratio_of_variance_to_noise_counts() {
    let made = Made::new(7, 5, 5, 8);
    for (prior, weights) in priors() {
        let a = made.fit(&se(2, 1.5, 1.0), &prior, &settings(weights));
        let wide = Settings { values: (2.0 * DUEL_NOISE).into(), ..settings(weights) };
        let b = made.fit(&se(2, 6.0, 1.0), &prior, &wide);
        close(a.log_evidence(), b.log_evidence(), 1e-7, "log evidence");
        let (x, y) = (a.predict(2, &[(0, 3)]).unwrap(), b.predict(2, &[(0, 3)]).unwrap());
        close(x.probability[0], y.probability[0], 1e-7, "probability");
        close(2.0 * x.mean[0], y.mean[0], 1e-6, "mean");
    }
}

/// With independent users, one who said nothing is the prior: means of zero, variance of the product.
#[test]
fn a_silent_stranger_is_the_prior() {
    let mut made = Made::new(8, 5, 5, 8);
    made.said.retain(|a| a.user() != Some(2));
    for weights in [Weights::PerFunction, Weights::Joint] {
        let model = made.fit(&se(2, 1.5, 1.0), &UserPrior::exchangeable(0.0), &settings(weights));
        let known = model.user(2).unwrap();
        let new = model.newcomer(None, &Answers::default()).unwrap();
        assert!(known.mean.iter().all(|m| m.abs() < 1e-12));
        let found = model.predict_with(&new, &[(0, 1)]).unwrap();
        close(found.probability[0], 0.5, 1e-12, "a coin toss");
        let other = model.predict(2, &[(0, 1)]).unwrap();
        close(found.variance[0], other.variance[0], 1e-9, "variance");
    }
}

/// A silent user and a newcomer with the same features are the same; and so are a user's own posterior and that of a
/// newcomer who gives the same answers, up to what the user's answers have told about the latent functions.
#[test]
fn newcomers_are_like_silent_users() {
    let mut made = Made::new(9, 6, 5, 10);
    made.said.retain(|a| a.user() != Some(2));
    for (prior, weights) in priors() {
        let model = made.fit(&se(2, 1.5, 1.0), &prior, &settings(weights));
        let features = made.users.select(&[2]);
        let features = Points::new(vec![99], 2, features.row(0).to_vec());
        let (known, new) =
            (model.user(2).unwrap(), model.newcomer(Some(&features), &Answers::default()).unwrap());
        for (a, b) in known.mean.iter().zip(&new.mean) {
            close(*a, *b, 1e-7, "mean");
        }
        for (a, b) in known.covariance.data().iter().zip(new.covariance.data()) {
            close(*a, *b, 1e-7, "covariance");
        }
        close(known.scale, new.scale, 1e-7, "scale");
    }
}

/// Folding in the answers of a known user, as a newcomer, moves the prediction towards that user's.
#[test]
fn folding_in_comes_near_a_fit() {
    let made = Made::new(10, 30, 6, 20);
    let answers = made.answers();
    for weights in [Weights::PerFunction, Weights::Joint] {
        let model = made.fit(&se(2, 1.5, 1.0), &UserPrior::exchangeable(0.5), &settings(weights));
        let (mut near, mut far) = (0.0, 0.0);
        for user in 0..30 {
            let new = model.newcomer(None, &answers.given_by(user)).unwrap();
            let known = model.predict(user, &all_pairs(6)).unwrap().probability;
            let folded = model.predict_with(&new, &all_pairs(6)).unwrap().probability;
            let blank = model
                .predict_with(&model.newcomer(None, &Answers::default()).unwrap(), &all_pairs(6))
                .unwrap()
                .probability;
            near += known.iter().zip(&folded).map(|(a, b)| (a - b).abs()).sum::<f64>();
            far += known.iter().zip(&blank).map(|(a, b)| (a - b).abs()).sum::<f64>();
        }
        println!("{weights:?}: {near} against {far}");
        // A user of 30 tells little about the functions: what remains is that little.
        assert!(near < 0.25 * far, "{near} against {far}");
    }
}

/// Central differences of fourth order.
fn difference(f: impl Fn(f64) -> f64) -> f64 {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    (4.0 * central(1e-3) - central(2e-3)) / 3.0
}

fn shifted(kernel: &Kernel, at: usize, by: f64) -> Kernel {
    let mut out = kernel.clone();
    let mut values: Vec<f64> = kernel.parameters().iter().map(|p| p.value).collect();
    values[at] *= by.exp();
    out.set_parameters(&values).unwrap();
    out
}

/// The collaborative evidence's gradient, in everything that can be learned. Refitting from the fixpoint stays on its
/// branch, so that differences see one smooth function.
#[test]
fn collaborative_gradient() {
    let made = Made::new(11, 7, 5, 10);
    let answers = made.answers();
    let data = Data { items: &made.items, users: Some(&made.users), answers: &answers };
    let kernel = parse("se + linear", &common::schema(2), false).unwrap();
    let inducing = Settings { inducing_users: Some(vec![0, 2, 5]), ..settings(Weights::PerFunction) };
    let mut cases: Vec<(UserPrior, Settings)> =
        priors().into_iter().map(|(prior, weights)| (prior, settings(weights))).collect();
    cases.push((mixed(0.3, 0.4), inducing));
    for (prior, settings) in cases {
        let settings = Settings { tolerance: 1e-11, ..settings };
        let model = Collaborative::fit(&data, &kernel, &prior, &settings).unwrap();
        // Warm starts inherit the count of skipped updates of the start only if there were any.
        let gradient = model.gradient(&data).unwrap();
        let evidence = |kernel: &Kernel, prior: &UserPrior| {
            model.refit(&data, kernel, prior, &settings).unwrap().log_evidence()
        };
        let what = format!("{prior:?} {:?}", settings.weights);
        for (i, g) in gradient.items.iter().enumerate() {
            let expected = difference(|h| evidence(&shifted(&kernel, i, h), &prior));
            close(*g, expected, 1e-5, &format!("item kernel {i}, {what}"));
        }
        for (i, g) in gradient.users.iter().enumerate() {
            let own = prior.kernel.clone().unwrap();
            let expected = difference(|h| {
                evidence(&kernel, &UserPrior { kernel: Some(shifted(&own, i, h)), ..prior.clone() })
            });
            close(*g, expected, 1e-5, &format!("user kernel {i}, {what}"));
        }
        if prior.kernel.is_some() {
            let share =
                difference(|h| evidence(&kernel, &UserPrior { share: prior.share + h, ..prior.clone() }));
            close(gradient.share, share, 1e-5, &format!("share, {what}"));
            let individual = difference(|h| {
                evidence(&kernel, &UserPrior { individual: prior.individual + h, ..prior.clone() })
            });
            close(gradient.individual, individual, 1e-5, &format!("individual, {what}"));
        }
        if prior.common > 0.0 {
            let common =
                difference(|h| evidence(&kernel, &UserPrior { common: prior.common + h, ..prior.clone() }));
            close(gradient.common, common, 1e-5, &format!("common, {what}"));
        }
    }
}

#[test]
fn kronecker_gradient() {
    let made = Made::new(12, 6, 5, 8);
    let answers = made.answers();
    let data = Data { items: &made.items, users: Some(&made.users), answers: &answers };
    let kernel = parse("se + linear", &common::schema(2), false).unwrap();
    for method in [Method::Ep, Method::Laplace] {
        let settings = KroneckerSettings { method, inference: EXACT, ..KroneckerSettings::default() };
        let prior = mixed(0.3, 0.4);
        let evidence = |kernel: &Kernel, prior: &UserPrior| {
            Kronecker::fit(&data, kernel, prior, &settings).unwrap().log_evidence()
        };
        let gradient = Kronecker::fit(&data, &kernel, &prior, &settings).unwrap().gradient(&data);
        for (i, g) in gradient.items.iter().enumerate() {
            close(*g, difference(|h| evidence(&shifted(&kernel, i, h), &prior)), 1e-6, "item kernel");
        }
        let own = prior.kernel.clone().unwrap();
        for (i, g) in gradient.users.iter().enumerate() {
            let moved = |h| UserPrior { kernel: Some(shifted(&own, i, h)), ..prior.clone() };
            close(*g, difference(|h| evidence(&kernel, &moved(h))), 1e-6, "user kernel");
        }
        let share = |h| UserPrior { share: prior.share + h, ..prior.clone() };
        close(gradient.share, difference(|h| evidence(&kernel, &share(h))), 1e-6, "share");
        let individual = |h| UserPrior { individual: prior.individual + h, ..prior.clone() };
        close(gradient.individual, difference(|h| evidence(&kernel, &individual(h))), 1e-6, "individual");
        let common = |h| UserPrior { common: prior.common + h, ..prior.clone() };
        close(gradient.common, difference(|h| evidence(&kernel, &common(h))), 1e-6, "common");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Users without features of a Kronecker model with `K_u = I` are single users.
    #[test]
    fn kronecker_of_independent_users_is_single_users(seed in 0..1000_u64, users in 1..5_usize, each in 1..7_usize) {
        let made = Made::new(seed, users, 5, each);
        let answers = made.answers();
        let kernel = se(2, 2.0, 1.0);
        let data = Data { items: &made.items, users: None, answers: &answers };
        let settings = KroneckerSettings { inference: EXACT, ..KroneckerSettings::default() };
        let joint = Kronecker::fit(&data, &kernel, &UserPrior::exchangeable(0.0), &settings).unwrap();
        let alone = PerUser::fit(&made.items, &answers, &kernel, DUEL_NOISE).unwrap();
        same(&joint, &alone, 1e-7, "independent users");
    }

    /// EM of the hierarchical model: no iteration lowers the evidence by more than EP's own error, and users' posteriors
    /// stay covariances.
    #[test]
    fn hierarchical_evidence_grows(seed in 0..1000_u64) {
        let made = Made::new(seed, 12, 5, 8);
        let answers = made.answers();
        let fit = |iterations| {
            let settings = HierarchicalSettings { iterations, ..HierarchicalSettings::default() };
            Hierarchical::fit(&made.items, &answers, &se(2, 2.0, 1.0), &settings).unwrap()
        };
        let evidence: Vec<f64> = (0..5).map(|k| fit(k).log_evidence()).collect();
        for pair in evidence.windows(2) {
            prop_assert!(pair[1] > pair[0] - 0.05, "{evidence:?}");
        }
    }
}

/// Half of the answers, then all of them: the same as all at once, and in fewer cycles.
#[test]
fn more_answers_lead_to_the_same_fit() {
    let made = Made::new(11, 30, 6, 12);
    let kernel = se(2, 1.0, 1.0);
    for (prior, weights) in priors() {
        let settings = settings(weights);
        let whole = made.fit(&kernel, &prior, &settings);
        let half = Made { said: made.said.iter().copied().step_by(2).collect(), ..made.clone() };
        let first = half.fit(&kernel, &prior, &settings);
        let answers = made.answers();
        let data = Data { items: &made.items, users: Some(&made.users), answers: &answers };
        let grown = first.with_answers(&data, &half.answers()).unwrap();
        let near = (grown.log_evidence() - whole.log_evidence()).abs();
        // Either may end at a fixpoint that the other does not see; the evidence of both is that of the same model.
        assert!(near < 0.02 * whole.log_evidence().abs(), "{weights:?}: {near}");
        let again = whole.with_answers(&data, &answers).unwrap();
        same(&again, &whole, 1e-6, "the same answers again");
        assert!(again.report().cycles <= 3, "{}", again.report().cycles);
    }
}
