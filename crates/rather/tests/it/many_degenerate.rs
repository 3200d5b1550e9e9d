//! Input at the edge of sense: each works, or is one clear sentence.

use crate::common;
use crate::common::se;
use rather::Error;
use rather::answers::Answer;
use rather::kernel::parse;
use rather::many::collaborative::{Data, Settings};
use rather::many::kronecker::KroneckerSettings;
use rather::many::{
    Collaborative, Hierarchical, HierarchicalSettings, Kronecker, Notice, PerUser, Pooled, UserAnswers,
    UserModel, UserPrior,
};
use rather::points::Points;
use rather_numerics::random::{stream, uniform};

const DUEL_NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;

fn ask(user: usize, winner: usize, loser: usize) -> Answer {
    Answer::rather(winner, loser).by(user)
}

fn items() -> Points {
    Points::from_rows(&[[0.0, 0.0], [1.0, 0.2], [0.3, 1.1], [-0.8, 0.9]])
}

/// Every model, fitted to the same answers.
fn all(points: &Points, users: &Points, answers: &UserAnswers) -> Vec<Box<dyn UserModel>> {
    let kernel = se(2, 2.0, 1.0);
    let data = Data { items: points, users: Some(users), answers };
    let of_users = UserPrior::with_features(se(users.dims(), 1.0, 1.0), 0.3, 0.2);
    let settings = Settings { functions: 5, ..Settings::default() };
    vec![
        Box::new(Collaborative::fit(&data, &kernel, &UserPrior::exchangeable(0.5), &settings).unwrap()),
        Box::new(Collaborative::fit(&data, &kernel, &of_users, &settings).unwrap()),
        Box::new(Kronecker::fit(&data, &kernel, &of_users, &KroneckerSettings::default()).unwrap()),
        Box::new(Hierarchical::fit(points, answers, &kernel, &HierarchicalSettings::default()).unwrap()),
        Box::new(PerUser::fit(points, answers, &kernel, DUEL_NOISE).unwrap()),
        Box::new(Pooled::fit(points, answers, &kernel, DUEL_NOISE).unwrap()),
    ]
}

fn sensible(model: &dyn UserModel, user: usize) {
    let pairs = [(0, 1), (2, 3), (3, 0)];
    let found = model.predict(user, &pairs).unwrap();
    for (p, &(left, right)) in pairs.iter().enumerate() {
        assert!(found.mean[p].is_finite(), "{model:?}");
        assert!(found.variance[p] >= 0.0 && found.variance[p].is_finite(), "{model:?}");
        assert!((0.0..=1.0).contains(&found.probability[p]), "{model:?}");
        let turned = model.predict(user, &[(right, left)]).unwrap();
        assert!((turned.probability[0] + found.probability[p] - 1.0).abs() < 1e-9, "{model:?}");
    }
    assert_eq!(model.rank(user).unwrap().len(), model.items().len());
    assert!(model.log_evidence().is_finite());
}

fn line(users: usize) -> Points {
    Points::new((0..users as u64).collect(), 1, (0..users).map(|u| 0.3 * u as f64).collect())
}

#[test]
fn users_without_answers() {
    let answers = UserAnswers::new(5, 4, [ask(1, 0, 1), ask(3, 2, 3), ask(3, 0, 3)]).unwrap();
    for model in all(&items(), &line(5), &answers) {
        (0..5).for_each(|u| sensible(model.as_ref(), u));
        let silent = model.report().notices.iter().any(|n| matches!(n, Notice::Silent { users: 3 }));
        // Everyone as one has a voice.
        assert!(silent || model.predict(0, &[(0, 1)]).unwrap().probability[0] > 0.5);
    }
}

#[test]
fn one_class_only() {
    let every: Vec<Answer> =
        (0..6).flat_map(|u| [ask(u, 0, 1), ask(u, 0, 2), ask(u, 0, 3), ask(u, 1, 2), ask(u, 2, 3)]).collect();
    let answers = UserAnswers::new(6, 4, &every).unwrap();
    for model in all(&items(), &line(6), &answers) {
        (0..6).for_each(|u| sensible(model.as_ref(), u));
        assert!(model.predict(0, &[(0, 3)]).unwrap().probability[0] > 0.7, "{:?}", model.report());
    }
}

#[test]
fn identical_users_and_identical_items() {
    let points = Points::from_rows(&[[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]);
    let users = Points::new(vec![0, 1, 2], 1, vec![1.0; 3]);
    let said: Vec<Answer> = (0..3).flat_map(|u| [ask(u, 0, 2), ask(u, 1, 3), ask(u, 0, 1)]).collect();
    let answers = UserAnswers::new(3, 4, &said).unwrap();
    for model in all(&points, &users, &answers) {
        (0..3).for_each(|u| sensible(model.as_ref(), u));
        let twins = model.predict(1, &[(0, 1)]).unwrap();
        assert!(
            twins.mean[0].abs() < 1e-9 && twins.variance[0] < 1e-9,
            "items with equal features are equal"
        );
    }
}

/// Users of equal features and no individual part are forced to agree, without trouble.
#[test]
fn users_that_must_agree() {
    let users = Points::new(vec![0, 1], 1, vec![1.0; 2]);
    let said = [ask(0, 0, 1), ask(1, 1, 0), ask(0, 2, 3), ask(1, 2, 3)];
    let answers = UserAnswers::new(2, 4, said).unwrap();
    let items = items();
    let data = Data { items: &items, users: Some(&users), answers: &answers };
    let prior = UserPrior::with_features(se(1, 1.0, 1.0), 0.0, 0.0);
    let kernel = se(2, 2.0, 1.0);
    let both: [Box<dyn UserModel>; 2] = [
        Box::new(Collaborative::fit(&data, &kernel, &prior, &Settings::default()).unwrap()),
        Box::new(Kronecker::fit(&data, &kernel, &prior, &KroneckerSettings::default()).unwrap()),
    ];
    for model in both {
        let p = |u| model.predict(u, &[(0, 1)]).unwrap().probability[0];
        assert!((p(0) - p(1)).abs() < 1e-9);
    }
}

#[test]
fn thousands_of_users_with_one_answer_each() {
    let mut rng = stream(4, 0);
    let mut said = Vec::new();
    for user in 0..4_000 {
        let i = (uniform(&mut rng) * 4.0) as usize;
        let j = (i + 1 + (uniform(&mut rng) * 3.0) as usize) % 4;
        // Most people like items in their order.
        let (low, high) = (i.min(j), i.max(j));
        let usual = uniform(&mut rng) < 0.8;
        said.push(if usual { ask(user, low, high) } else { ask(user, high, low) });
    }
    let answers = UserAnswers::new(4_000, 4, &said).unwrap();
    let points = items();
    let kernel = se(2, 2.0, 1.0);
    let data = Data { items: &points, users: None, answers: &answers };
    let settings = Settings { functions: 5, ..Settings::default() };
    let models: [Box<dyn UserModel>; 4] = [
        Box::new(Collaborative::fit(&data, &kernel, &UserPrior::exchangeable(0.5), &settings).unwrap()),
        Box::new(Hierarchical::fit(&points, &answers, &kernel, &HierarchicalSettings::default()).unwrap()),
        Box::new(PerUser::fit(&points, &answers, &kernel, DUEL_NOISE).unwrap()),
        Box::new(Pooled::fit(&points, &answers, &kernel, DUEL_NOISE).unwrap()),
    ];
    for model in models {
        sensible(model.as_ref(), 3_999);
        println!("{:?}", model.report());
    }
    let data = Data { users: Some(&points), ..data };
    let error = Kronecker::fit(&data, &kernel, &UserPrior::exchangeable(0.5), &KroneckerSettings::default())
        .unwrap_err();
    assert!(matches!(error, Error::KroneckerSize { .. }), "{error}");
}

/// Too little for a product of two unknowns: the model says so.
#[test]
fn one_user_with_one_answer() {
    let answers = UserAnswers::new(1, 4, [ask(0, 0, 1)]).unwrap();
    for model in all(&items(), &line(1), &answers) {
        sensible(model.as_ref(), 0);
    }
    let points = items();
    let data = Data { items: &points, users: None, answers: &answers };
    let settings = Settings::default();
    let model =
        Collaborative::fit(&data, &se(2, 2.0, 1.0), &UserPrior::exchangeable(0.0), &settings).unwrap();
    println!("{:?}", model.report());
}

#[test]
fn many_copies_of_contradictory_answers() {
    let often = |winner, loser| Answer::rather(winner, loser).by(0).times(100_000);
    let answers = UserAnswers::new(2, 4, [often(0, 1), often(1, 0), often(2, 3), ask(1, 0, 3)]).unwrap();
    for model in all(&items(), &line(2), &answers) {
        sensible(model.as_ref(), 0);
        let p = model.predict(0, &[(0, 1), (2, 3)]).unwrap().probability;
        assert!((p[0] - 0.5).abs() < 0.05, "{:?} {p:?}", model.report());
        assert!(p[1] > 0.9, "{:?} {p:?}", model.report());
    }
}

#[test]
fn a_user_unknown_at_prediction_and_newcomers() {
    let answers = UserAnswers::new(2, 4, [ask(0, 0, 1), ask(1, 2, 3)]).unwrap();
    let newcomer = Points::new(vec![50], 1, vec![0.1]);
    for model in all(&items(), &line(2), &answers) {
        let error = model.predict(7, &[(0, 1)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the model knows 2 users, counted from 0, and user 7 is not among them; predict for a new user from \
             features, answers or both"
        );
        assert!(matches!(model.predict(0, &[(0, 4)]), Err(Error::UnknownItem { row: 0, item: 4, items: 4 })));
        for said in [vec![], vec![Answer::rather(3, 0)]] {
            let new = model.newcomer(Some(&newcomer), &said.as_slice().into()).unwrap();
            let p = model.predict_with(&new, &[(3, 0)]).unwrap().probability[0];
            assert!(p > 0.0 && p < 1.0);
        }
        let own = [Answer::rather(3, 3)];
        assert!(matches!(
            model.newcomer(Some(&newcomer), &own.as_slice().into()),
            Err(Error::SelfComparison { .. })
        ));
    }
}

#[test]
fn answers_that_make_no_sense() {
    let make = |said: &[Answer]| UserAnswers::new(2, 4, said).unwrap_err().to_string();
    assert_eq!(make(&[]), "there is no comparison to learn from");
    assert_eq!(
        make(&[ask(0, 0, 1), ask(2, 0, 1)]),
        "answer 1 (counted from 0) is of user 2, but there are 2 users, counted from 0"
    );
    assert!(make(&[ask(0, 0, 9)]).contains("item 9"));
    assert!(make(&[ask(0, 1, 1)]).contains("with itself"));
    assert_eq!(make(&[]), "there is no comparison to learn from");
}

#[test]
fn settings_that_make_no_sense() {
    let answers = UserAnswers::new(2, 4, [ask(0, 0, 1), ask(1, 2, 3)]).unwrap();
    let (points, users) = (items(), line(2));
    let kernel = se(2, 2.0, 1.0);
    let data = Data { items: &points, users: Some(&users), answers: &answers };
    let fit = |prior: &UserPrior, settings: &Settings| {
        Collaborative::fit(&data, &kernel, prior, settings).unwrap_err()
    };
    let strangers = UserPrior::exchangeable(0.5);
    let message = fit(&strangers, &Settings { functions: 0, ..Settings::default() }).to_string();
    assert_eq!(message, "functions = 0 is not allowed: it must be positive and finite");
    let message = fit(&strangers, &Settings { damping: 1.5, ..Settings::default() }).to_string();
    assert!(message.starts_with("damping = 1.5"), "{message}");
    let message = fit(&UserPrior::exchangeable(-1.0), &Settings::default()).to_string();
    assert!(message.starts_with("common = -1"), "{message}");
    let nobody = Data { users: None, ..data };
    let prior = UserPrior::with_features(se(1, 1.0, 1.0), 0.1, 0.0);
    let message = Collaborative::fit(&nobody, &kernel, &prior, &Settings::default()).unwrap_err().to_string();
    assert!(message.contains("no features"), "{message}");
    let three = line(3);
    let wrong = Data { users: Some(&three), ..data };
    assert!(matches!(
        Collaborative::fit(&wrong, &kernel, &prior, &Settings::default()),
        Err(Error::Length { .. })
    ));
    let white = parse("white", &common::schema(2), false).unwrap();
    assert!(Collaborative::fit(&data, &white, &strangers, &Settings::default()).is_ok());
}
