//! Answers of many users about sets, taken jointly: against dense inference, differences, one person alone, and files.

use crate::common::{close, schema, se};
use rather::Unsupported;
use rather::answers::{Answer, Answers};
use rather::evaluate::tested_of_user;
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::prior::{Prior, Space};
use rather::inference::sites::Sites;
use rather::inference::{self, Factors, Method, Settings as Inference};
use rather::kernel::{Kernel, parse};
use rather::likelihood::{Lapses, Link, ResponseModel};
use rather::many::collaborative::{Data, PublishedScheme, Scheme, Settings, Weights};
use rather::many::kronecker::KroneckerSettings;
use rather::many::population::{Population, PopulationData, PopulationSettings};
use rather::many::{Collaborative, Kind, Kronecker, PerUser, UserAnswers, UserModel, UserPrior};
use rather::model::Items;
use rather::points::Points;
use rather_numerics::linalg::Matrix;
use rather_numerics::random::{normal, stream, uniform};

const NOISE: f64 = 1.0;
const EXACT: Inference =
    Inference { tolerance: 1e-12, sweeps: 400, sequential_sweeps: 400, factors: Factors::Pair };
const USERS: usize = 6;
const ITEMS: usize = 6;

struct Made {
    items: Points,
    users: Points,
    said: Vec<Answer>,
}

/// Users of two tastes, each with answers about sets of three to five items, and a comparison.
fn made(seed: u64, users: usize, each: usize) -> Made {
    let mut rng = stream(seed, 0);
    let mut plane = |n: usize| {
        let rows: Vec<[f64; 2]> = (0..n).map(|_| [normal(&mut rng), normal(&mut rng)]).collect();
        Points::from_rows(&rows)
    };
    let (items, of_users) = (plane(ITEMS), plane(users));
    let mut said = Vec::new();
    for user in 0..users {
        for k in 0..each {
            let (options, top, bottom) = [(3, 1, 0), (4, 1, 1), (4, 3, 0), (5, 0, 1), (2, 1, 0)][k % 5];
            let mut free: Vec<usize> = (0..ITEMS).collect();
            let shown: Vec<usize> =
                (0..options).map(|_| free.remove((uniform(&mut rng) * free.len() as f64) as usize)).collect();
            let mut seen: Vec<(f64, usize)> = shown
                .into_iter()
                .map(|i| (2.0 * of_users.row(user)[0] * items.row(i)[0] + normal(&mut rng), i))
                .collect();
            seen.sort_by(|a, b| b.0.total_cmp(&a.0));
            let order: Vec<usize> = seen.into_iter().map(|(_, item)| item).collect();
            said.push(Answer::ordered(&order, top, bottom).unwrap().by(user));
        }
    }
    Made { items, users: of_users, said }
}

impl Made {
    fn answers(&self) -> UserAnswers {
        UserAnswers::new(self.users.len(), ITEMS, &self.said).unwrap()
    }
}

/// The answers come back as they were, in an order that does not depend on theirs.
#[test]
fn records_are_pairs_of_sets() {
    let made = made(1, USERS, 5);
    let answers = made.answers();
    let mut turned = made.said.clone();
    turned.reverse();
    assert_eq!(answers, UserAnswers::new(USERS, ITEMS, &turned).unwrap());
    assert_eq!(answers.by_answer().count(), made.said.len());
    assert_eq!(answers.records().len(), USERS * (3 + 6 + 6 + 10 + 1));
    assert_eq!(answers.total(), made.said.len() as f64);
    for user in 0..USERS {
        let own: Vec<Answer> = made.said.iter().filter(|a| a.user() == Some(user)).copied().collect();
        let given = answers.given_by(user);
        assert_eq!(given.len(), own.len());
        assert!(given.iter().all(|answer| own.contains(&answer)));
    }
    let again: Vec<Answer> = answers.answers().collect();
    assert_eq!(answers, UserAnswers::new(USERS, ITEMS, &again).unwrap());
    // Twice the same is one answer that counts twice.
    let twice: Vec<Answer> = made.said.iter().chain(&made.said).copied().collect();
    let doubled = UserAnswers::new(USERS, ITEMS, &twice).unwrap();
    assert_eq!(doubled.records().len(), answers.records().len());
    assert_eq!(doubled.total(), 2.0 * answers.total());
    let some = answers.filter(|n, _| n.is_multiple_of(2)).unwrap();
    assert_eq!(some.by_answer().count(), made.said.len().div_ceil(2));
    assert_eq!(answers.select(&[1, 4]).unwrap().by_answer().count(), 10);
    assert_eq!(answers.pooled().total(), answers.total());
}

/// A user alone is a person alone.
#[test]
fn users_alone_are_persons() {
    let made = made(2, USERS, 5);
    let kernel = se(2, 2.0, 1.0);
    let model = PerUser::fit(&made.items, &made.answers(), &kernel, NOISE).unwrap();
    let mut sum = 0.0;
    for user in 0..USERS {
        let own: Answers = made
            .said
            .iter()
            .filter(|a| a.user() == Some(user))
            .map(|a| Answer { reply: rather::likelihood::Reply { user: None, ..a.reply }, ..*a })
            .collect();
        let observations = Observations::of(&own, &[], ResponseModel::default());
        let points = made.items.select(&observations.items);
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        };
        sum += problem.evaluate(&kernel, NOISE, None, &Inference::default()).unwrap().outcome.log_evidence;
        let newcomer = model.newcomer(None, &own).unwrap();
        let known = model.user(user).unwrap();
        for (a, b) in known.mean.iter().zip(&newcomer.mean) {
            close(*a, *b, 1e-6, "newcomer");
        }
    }
    // Both stop within 1e-8 of the fixpoint, of which the evidence is a maximum.
    close(model.log_evidence(), sum, 1e-9, "log evidence");
}

/// The bar is 1e-8, as for comparisons.
#[test]
fn kronecker_is_dense_inference() {
    let made = made(3, USERS, 5);
    let answers = made.answers();
    let kernel = se(2, 2.0, 1.0);
    let prior = UserPrior::with_features(se(2, 1.0, 1.5), 0.2, 0.3);
    let (ku, kx) = (prior.matrix(USERS, Some(&made.users)), kernel.matrix(&made.items));
    let apart = |answer: &Answer| {
        let first = answer.user().unwrap() * ITEMS;
        Answer { reply: rather::likelihood::Reply { user: None, ..answer.reply }, ..*answer }
            .renumbered(|item| first + item)
    };
    let all: Answers = made.said.iter().map(apart).collect();
    let observations = Observations::of(&all, &[], ResponseModel::default());
    let at = |n: usize| (observations.items[n] / ITEMS, observations.items[n] % ITEMS);
    let size = observations.items.len();
    let k = Matrix::from_fn(size, size, |m, n| ku[(at(m).0, at(n).0)] * kx[(at(m).1, at(n).1)]);
    let dense = Prior::new(k, &observations.edges, Space::Items).unwrap();
    let likelihoods = observations.responses.likelihoods(&NOISE.into());
    let start = Sites::empty(observations.merged.len());
    let outcome =
        inference::run(Method::Ep, &dense, &observations.merged, &likelihoods, start, &EXACT).unwrap();
    let data = Data { items: &made.items, users: Some(&made.users), answers: &answers };
    let settings = KroneckerSettings { inference: EXACT, values: NOISE.into(), method: Method::Ep };
    let model = Kronecker::fit(&data, &kernel, &prior, &settings).unwrap();
    close(model.log_evidence(), outcome.log_evidence, 1e-8, "log evidence");
    for (e, edge) in observations.edges.iter().enumerate() {
        let (i, j) = (observations.items[edge.plus()], observations.items[edge.minus().unwrap()]);
        let found = model.predict(i / ITEMS, &[(i % ITEMS, j % ITEMS)]).unwrap();
        close(found.mean[0], outcome.posterior.mean[e], 1e-8, "mean");
        close(found.variance[0], outcome.posterior.variance[e], 1e-8, "variance");
    }
}

/// Central differences of fourth order.
fn difference(f: impl Fn(f64) -> f64) -> f64 {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    (4.0 * central(1e-3) - central(2e-3)) / 3.0
}

fn shifted(kernel: &Kernel, index: usize, by: f64) -> Kernel {
    let mut out = kernel.clone();
    let mut values: Vec<f64> = kernel.parameters().iter().map(|p| p.value).collect();
    values[index] *= by.exp();
    out.set_parameters(&values).unwrap();
    out
}

/// At a fixpoint the evidence changes with the priors alone, so its gradient is that of differences only if updates and evidence are of one factor.
#[test]
fn gradients_are_those_of_differences() {
    let made = made(4, USERS, 5);
    let answers = made.answers();
    let data = Data { items: &made.items, users: Some(&made.users), answers: &answers };
    let kernel = parse("se + linear", &schema(2), false).unwrap();
    let features = UserPrior::with_features(se(2, 1.0, 1.5), 0.3, 0.4);
    let cases = [(features.clone(), Weights::PerFunction), (UserPrior::exchangeable(0.4), Weights::Joint)];
    for (prior, weights) in cases {
        let settings = Settings {
            functions: 2,
            weights,
            values: NOISE.into(),
            tolerance: 1e-11,
            cycles: 5_000,
            ..Settings::default()
        };
        let model = Collaborative::fit(&data, &kernel, &prior, &settings).unwrap();
        let gradient = model.gradient(&data).unwrap();
        let evidence = |kernel: &Kernel, prior: &UserPrior| {
            model.refit(&data, kernel, prior, &settings).unwrap().log_evidence()
        };
        for (i, g) in gradient.items.iter().enumerate() {
            let expected = difference(|h| evidence(&shifted(&kernel, i, h), &prior));
            // Differences of a fixpoint reached to 1e-11 with steps of 1e-3.
            close(*g, expected, 1e-5, &format!("collaborative, item kernel {i}"));
        }
        let common =
            difference(|h| evidence(&kernel, &UserPrior { common: prior.common + h, ..prior.clone() }));
        close(gradient.common, common, 1e-5, "collaborative, common");
    }
    let settings = KroneckerSettings { inference: EXACT, values: NOISE.into(), method: Method::Ep };
    let evidence =
        |kernel: &Kernel| Kronecker::fit(&data, kernel, &features, &settings).unwrap().log_evidence();
    let gradient = Kronecker::fit(&data, &kernel, &features, &settings).unwrap().gradient(&data);
    for (i, g) in gradient.items.iter().enumerate() {
        close(*g, difference(|h| evidence(&shifted(&kernel, i, h))), 1e-6, "kronecker, item kernel");
    }
}

fn named(prefix: &str, n: usize) -> Items {
    Items { keys: (0..n).map(|k| format!("{prefix}{k}")).collect(), columns: Vec::new() }
}

const KINDS: [Kind; 5] =
    [Kind::PerUser, Kind::Pooled, Kind::Hierarchical, Kind::Kronecker, Kind::Collaborative];

/// Every model learns, predicts what is held out better than guessing, comes back from its parts, and knows a newcomer.
#[test]
fn every_model_takes_sets() {
    const MANY: usize = 24;
    let (known, held_out) = {
        let mut rng = stream(5, 0);
        // Two tastes, which are opposite.
        let utility = |user: usize, item: usize| {
            let x = 1.5 * (item as f64 - 2.5);
            if user.is_multiple_of(2) { x } else { -x }
        };
        let mut said = [Vec::new(), Vec::new()];
        for user in 0..MANY {
            for k in 0..8 {
                let mut free: Vec<usize> = (0..ITEMS).collect();
                let mut draw = || free.remove((uniform(&mut rng) * free.len() as f64) as usize);
                let shown: Vec<usize> = (0..4).map(|_| draw()).collect();
                let mut look = |item: usize| (utility(user, item) + normal(&mut rng), item);
                let mut seen: Vec<(f64, usize)> = shown.into_iter().map(&mut look).collect();
                seen.sort_by(|a, b| b.0.total_cmp(&a.0));
                let order: Vec<usize> = seen.into_iter().map(|(_, item)| item).collect();
                said[usize::from(k >= 6)].push(Answer::ordered(&order, 1, 1).unwrap().by(user));
            }
        }
        let [known, held_out] = said;
        (known, held_out)
    };
    let (items, users) = (named("i", ITEMS), named("u", MANY));
    let answers: Answers = known.iter().copied().collect();
    for kind in KINDS {
        let data = PopulationData { items: &items, users: &users, answers: &answers };
        let model = Population::fit(&data, &PopulationSettings::new(kind), &|_| ()).unwrap();
        let (mut loss, mut count) = (0.0, 0.0);
        for user in 0..MANY {
            let own: Answers = held_out.iter().filter(|a| a.user() == Some(user)).copied().collect();
            for tested in tested_of_user(model.model(), user, &own).unwrap() {
                assert_eq!(tested.predicted.len(), 12);
                loss -= tested.of_answer().ln();
                count += 1.0;
            }
        }
        loss /= count;
        println!("{kind:?}: log loss {loss}, guessing {}", 12_f64.ln());
        // All as one know that half of them differ from the other half, and no more.
        let guessing = 12_f64.ln();
        let bar = if kind == Kind::Pooled { guessing + 0.1 } else { guessing - 0.5 };
        assert!(loss < bar, "{kind:?}: {loss}");
        let back = Population::from_parts(model.to_parts()).unwrap();
        let pairs = [(0, 1), (5, 2), (3, 4)];
        for user in [0, 7] {
            let (a, b) =
                (model.model().predict(user, &pairs).unwrap(), back.model().predict(user, &pairs).unwrap());
            for (a, b) in a.probability.iter().zip(&b.probability) {
                close(*a, *b, 1e-9, "from parts");
            }
        }
        let own: Answers = known.iter().filter(|a| a.user() == Some(3)).copied().collect();
        let newcomer = model.newcomer(None, &own).unwrap();
        let p = model.model().predict_with(&newcomer, &[(0, 5)]).unwrap().probability[0];
        if kind != Kind::Pooled {
            assert!(p > 0.8, "{kind:?}: {p}");
        }
    }
}

#[test]
fn what_does_not_take_sets_says_so() {
    let made = made(6, 2, 5);
    let users = [String::from("a"), String::from("b")];
    let plain = ResponseModel::default();
    let refused = [
        ResponseModel { link: Link::Logistic, ..plain },
        ResponseModel { lapses: Lapses::Rate(0.1), ..plain },
        ResponseModel { pair_effect: true, ..plain },
    ];
    for response_model in refused {
        let error = UserAnswers::of(&users, ITEMS, &made.said, response_model).unwrap_err();
        assert_eq!(error, Unsupported::JointAnswers.into());
    }
    let answers = UserAnswers::of(&users, ITEMS, &made.said, plain).unwrap();
    let data = Data { items: &made.items, users: None, answers: &answers };
    let prior = UserPrior::exchangeable(0.4);
    let laplace = KroneckerSettings { method: Method::Laplace, ..KroneckerSettings::default() };
    let error = Kronecker::fit(&data, &se(2, 2.0, 1.0), &prior, &laplace).unwrap_err();
    assert_eq!(error, Unsupported::JointAnswers.into());
    let published = Settings { scheme: Scheme::Published(PublishedScheme::default()), ..Settings::default() };
    let error = Collaborative::fit(&data, &se(2, 2.0, 1.0), &prior, &published).unwrap_err();
    assert_eq!(error, Unsupported::JointAnswers.into());
}

/// One ranking of everybody, at little noise: factors that are independent by assumption have marginals that are not those of their sites.
#[test]
fn little_noise_is_no_failure() {
    let mut rng = stream(7, 0);
    let mut said = Vec::new();
    for user in 0..60 {
        let mut free: Vec<usize> = (0..10).collect();
        let mut draw = || free.remove((uniform(&mut rng) * free.len() as f64) as usize);
        let shown: Vec<usize> = (0..7).map(|_| draw()).collect();
        let mut seen: Vec<(f64, usize)> =
            shown.into_iter().map(|item| (0.2 * item as f64 + normal(&mut rng), item)).collect();
        seen.sort_by(|a, b| b.0.total_cmp(&a.0));
        let order: Vec<usize> = seen.into_iter().map(|(_, item)| item).collect();
        said.push(Answer::ordered(&order, 6, 0).unwrap().by(user));
    }
    let (items, users) = (named("i", 10), named("u", 60));
    let answers: Answers = said.into_iter().collect();
    for kind in [Kind::Collaborative, Kind::Hierarchical, Kind::Kronecker] {
        for noise in [0.5, 0.05] {
            let fixed = vec![("noise".to_owned(), noise), ("variance".to_owned(), 1.0)];
            let settings = PopulationSettings { fixed, ..PopulationSettings::new(kind) };
            let data = PopulationData { items: &items, users: &users, answers: &answers };
            let model = Population::fit(&data, &settings, &|_| ()).unwrap();
            let p = model.model().predict(0, &[(9, 0)]).unwrap().probability[0];
            println!("{kind:?} {noise}: {} {p}", model.model().log_evidence());
            let own: Answers = answers.iter().filter(|a| a.user() == Some(5)).collect();
            model.newcomer(None, &own).unwrap();
            assert!(p > 0.3 && p < 1.0, "{kind:?} {noise}: {p}");
        }
    }
}
