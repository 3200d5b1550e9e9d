//! Models of many users by names: every kind fits whatever data there are, and comes back from its parts as it went in.

use crate::common::close;
use rather::answers::{Answer, Answers};
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::many::population::{PopulationData, PopulationNotice, PopulationSettings};
use rather::many::{Kind, Population, UserPosterior};
use rather::model::Items;
use rather::{Comparison, Error};
use rather_numerics::random::{normals, stream, uniform};

const ITEMS: usize = 8;

fn named(prefix: &str, n: usize, columns: Vec<Column>) -> Items {
    Items { keys: (0..n).map(|i| format!("{prefix}{i}")).collect(), columns }
}

fn numbers(name: &str, values: Vec<f64>) -> Column {
    Column { name: name.into(), values: ColumnValues::Numeric(values) }
}

fn items() -> Items {
    let values = (0..ITEMS).map(|i| (1.3 * i as f64).sin() + 0.2 * i as f64).collect();
    named("i", ITEMS, vec![numbers("sweet", values)])
}

/// Two tastes, told apart by a feature: half of the users like what is sweet, the others do not.
fn users(n: usize) -> Items {
    named("u", n, vec![numbers("age", (0..n).map(|u| (u % 2) as f64 + 0.01 * u as f64).collect())])
}

fn answers(users: usize, each: usize) -> Vec<Answer> {
    let ColumnValues::Numeric(sweet) = &items().columns[0].values else { unreachable!() };
    let mut rng = stream(5, 0);
    let mut pick = |n: usize| ((uniform(&mut rng) * n as f64) as usize).min(n - 1);
    let mut noise = normals(users * each, &mut stream(6, 0)).into_iter();
    let mut out = Vec::new();
    for user in 0..users {
        let taste = if user % 2 == 0 { 3.0 } else { -3.0 };
        for _ in 0..each {
            let (i, j) = (pick(ITEMS), pick(ITEMS - 1));
            let j = if j < i { j } else { j + 1 };
            let left = taste * (sweet[i] - sweet[j]) + noise.next().unwrap() > 0.0;
            let (winner, loser) = if left { (i, j) } else { (j, i) };
            out.push(Answer::rather(winner, loser).by(user));
        }
    }
    out
}

fn fit(kind: Kind, users: &Items, answers: &[Answer]) -> Population {
    let items = items();
    let data = PopulationData { items: &items, users, answers: &answers.into() };
    Population::fit(&data, &PopulationSettings::new(kind), &|_| ()).unwrap()
}

fn all_pairs() -> Vec<(usize, usize)> {
    (0..ITEMS).flat_map(|i| (0..ITEMS).filter(move |&j| j != i).map(move |j| (i, j))).collect()
}

fn same(a: &Population, b: &Population, user: &str) {
    let at = a.users().position(user).unwrap();
    let (old, new) = (a.model().predict(at, &all_pairs()), b.model().predict(at, &all_pairs()));
    for (x, y) in old.unwrap().probability.iter().zip(&new.unwrap().probability) {
        close(*x, *y, 1e-9, user);
    }
}

#[test]
fn every_kind_comes_back_from_its_parts() {
    for features in [true, false] {
        let users = if features { users(12) } else { named("u", 12, vec![]) };
        let said: Vec<Answer> = answers(12, 8).into_iter().filter(|a| a.user() != Some(3)).collect();
        for kind in Kind::ALL {
            let model = fit(kind, &users, &said);
            let again = Population::from_parts(model.to_parts()).unwrap();
            for user in ["u0", "u3", "u11"] {
                same(&model, &again, user);
            }
            let few = [
                Comparison { winner: 0, loser: 5, count: 2.0 },
                Comparison { winner: 1, loser: 2, count: 1.0 },
            ];
            let row = named("new", 1, vec![numbers("age", vec![1.0])]);
            for answers in [&few[..], &[]] {
                let someone = |p: &Population| {
                    let posterior = p.newcomer(Some(&row), &answers.into()).unwrap();
                    p.model().predict_with(&posterior, &all_pairs()).unwrap().probability
                };
                for (x, y) in someone(&model).iter().zip(&someone(&again)) {
                    close(*x, *y, 1e-8, kind.name());
                }
            }
            assert_eq!(again.to_parts(), model.to_parts(), "{}", kind.name());
            let average = model.average_user().unwrap();
            assert!(average.rank(&model.model().items().known()).iter().all(|r| r.mean.is_finite()));
        }
    }
}

/// Who says nothing, one thing or the same thing only, one person alone, ten answers to one question: all of it fits.
#[test]
fn thin_answers_fit() {
    let ask = |user, winner, loser, count| Answer::rather(winner, loser).by(user).times(count);
    let cases: [(usize, Vec<Answer>); 5] = [
        (1, vec![ask(0, 0, 1, 1)]),
        (3, vec![ask(1, 0, 1, 10)]),
        (2, vec![ask(0, 0, 1, 1), ask(0, 1, 0, 1), ask(1, 2, 3, 1)]),
        (4, (0..4).map(|u| ask(u, 7, 0, 1)).collect()),
        (60, (0..60).map(|u| ask(u, u % ITEMS, (u + 1) % ITEMS, 1)).collect()),
    ];
    for (n, said) in cases {
        for kind in Kind::ALL {
            let model = fit(kind, &named("u", n, vec![]), &said);
            let p = model.model().predict(n - 1, &all_pairs()).unwrap().probability;
            assert!(p.iter().all(|p| *p > 0.0 && *p < 1.0), "{} {n}", kind.name());
            Population::from_parts(model.to_parts()).unwrap();
        }
    }
}

/// Nine in ten of the held-out choices of two opposite tastes are foreseen by the models that learn what users share.
#[test]
fn users_are_told_apart() {
    let said = answers(40, 20);
    let (test, training): (Vec<_>, Vec<_>) = said.iter().enumerate().partition(|(n, _)| n % 4 == 0);
    let training: Vec<Answer> = training.into_iter().map(|(_, a)| *a).collect();
    let right = |kind: Kind| {
        let model = fit(kind, &users(40), &training);
        let hit = |a: &Answer| {
            f64::from(
                model.model().predict(a.user().unwrap(), &[a.pair().unwrap()]).unwrap().probability[0] > 0.5,
            )
        };
        test.iter().map(|(_, a)| hit(a)).sum::<f64>() / test.len() as f64
    };
    let consensus = right(Kind::Pooled);
    for kind in [Kind::Collaborative, Kind::Hierarchical, Kind::Kronecker] {
        let share = right(kind);
        assert!(share > 0.85 && share > consensus + 0.2, "{} {share} {consensus}", kind.name());
    }
}

#[test]
fn features_of_users_have_their_notices() {
    let said = answers(10, 6);
    let notices = |kind| fit(kind, &users(10), &said).notices().to_vec();
    let unused = PopulationNotice::UnusedUserFeatures { kind: Kind::PerUser };
    assert!(notices(Kind::PerUser).contains(&unused));
    assert!(!notices(Kind::Collaborative).contains(&unused));
    let model = fit(Kind::Collaborative, &users(10), &said);
    assert!(model.needs_user_features());
    assert!(matches!(model.newcomer(None, &Answers::default()), Err(Error::ManyUsers { .. })));
}

/// Four items, of which two and two have the same features, and users who tell them apart (as in two groups of items of a kind).
fn twins() -> (Items, Vec<Answer>) {
    let group = ColumnValues::Text(["x", "x", "y", "y"].map(String::from).to_vec());
    let table = named("i", 4, vec![Column { name: "group".into(), values: group }]);
    let ask = |user, winner, loser, count| Answer::rather(winner, loser).by(user).times(count);
    let of = |u| {
        [ask(u, 0, 1, 5), ask(u, 1, 0, 1), ask(u, 2, 3, 5), ask(u, 3, 2, 1), ask(u, 0, 3, 2), ask(u, 2, 1, 2)]
    };
    (table, (0..4).flat_map(of).collect())
}

/// Every kind takes items of equal features. The default tells them apart (5 of 6 is 0.83, and users are shrunk a little); a kernel of
/// features alone takes them for equal.
#[test]
fn items_of_equal_features() {
    let (items, said) = twins();
    let users = named("u", 4, vec![]);
    let data = PopulationData { items: &items, users: &users, answers: &said.as_slice().into() };
    for kind in Kind::ALL {
        let settings = PopulationSettings::new(kind);
        let p = |settings: &PopulationSettings| {
            let model =
                Population::fit(&data, settings, &|_| ()).unwrap_or_else(|e| panic!("{}: {e}", kind.name()));
            model.model().predict(0, &[(0, 1)]).unwrap().probability[0]
        };
        let own = p(&settings);
        assert!(own > 0.65 && own < 0.9, "{}: {own}", kind.name());
        for expression in ["categorical", "categorical + white"] {
            let kernel = KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false });
            let given = p(&PopulationSettings { kernel, ..settings.clone() });
            let equal = expression == "categorical";
            assert!(
                if equal { (given - 0.5).abs() < 1e-6 } else { given > 0.65 },
                "{} {expression}: {given}",
                kind.name()
            );
        }
    }
}

/// Two opposite tastes, and users' features that have nothing to do with them: they cost next to nothing, measured in the log loss of
/// held-out answers.
#[test]
fn features_of_users_that_say_nothing_cost_nothing() {
    for seed in 0..3 {
        let (n, each) = (6, 40);
        let said = answers(n, each);
        let x = normals(2 * n, &mut stream(50 + seed, 0));
        let columns = vec![numbers("a", x[..n].to_vec()), numbers("b", x[n..].to_vec())];
        let (test, training): (Vec<_>, Vec<_>) = said.iter().enumerate().partition(|(k, _)| k % 4 == 0);
        let training: Vec<Answer> = training.into_iter().map(|(_, a)| *a).collect();
        let loss = |users: &Items| {
            let model = fit(Kind::Collaborative, users, &training);
            let one = |a: &Answer| {
                -model.model().predict(a.user().unwrap(), &[a.pair().unwrap()]).unwrap().probability[0].ln()
            };
            test.iter().map(|(_, a)| one(a)).sum::<f64>() / test.len() as f64
        };
        let (with, without) = (loss(&named("u", n, columns)), loss(&named("u", n, vec![])));
        assert!(with < without + 0.005, "{with} with features, {without} without");
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let model = fit(Kind::Collaborative, &named("u", 6, vec![]), &answers(6, 6));
    let refused = |change: &dyn Fn(&mut rather::many::population::PopulationParts)| {
        let mut parts = model.to_parts();
        change(&mut parts);
        Population::from_parts(parts).unwrap_err().to_string()
    };
    let sentence = refused(&|p| p.floats.get_mut("function_tau").unwrap().truncate(3));
    assert_eq!(
        sentence,
        "the model is broken: the latent functions are not those of its users and pairs; fit it again"
    );
    let sentence = refused(&|p| p.integers.get_mut("user").unwrap().reverse());
    assert_eq!(sentence, "the model is broken: the answers are not in order; fit it again");
    let sentence = refused(&|p| p.header.users[1] = "u0".into());
    assert_eq!(sentence, "the model is broken: a name appears twice; fit it again");
}

/// Users who are alike share more than users who are not, and what is known of the prior is in the file.
#[test]
fn what_users_have_in_common_is_chosen() {
    let items = Items { keys: (0..6).map(|i| i.to_string()).collect(), columns: Vec::new() };
    let users = Items { keys: (0..12).map(|u| u.to_string()).collect(), columns: Vec::new() };
    let chosen = |alike: bool| {
        // Neighbours in each user's order are compared: everyone's is the same, or one turned by the user.
        let order = |u: usize, k: usize| if alike { k } else { (k + u) % 6 };
        let of_user = |u: usize| (0..5).map(move |k| (u, order(u, k), order(u, k + 1)));
        let answers: Answers =
            (0..12).flat_map(of_user).map(|(u, a, b)| Answer::rather(a, b).times(2).by(u)).collect();
        let data = PopulationData { items: &items, users: &users, answers: &answers };
        let model = Population::fit(&data, &PopulationSettings::new(Kind::Hierarchical), &|_| ()).unwrap();
        let back = Population::from_parts(model.to_parts()).unwrap();
        assert_eq!(back.reported_hyperparameters(), model.reported_hyperparameters());
        let reported = model.reported_hyperparameters();
        let value = |name: &str| reported.iter().find(|(n, _)| n == name).unwrap().1;
        (value("users.common"), value("users.strength"))
    };
    let (alike, strength) = chosen(true);
    let (unlike, _) = chosen(false);
    assert!(alike > unlike, "{alike} {unlike}");
    assert!(strength >= 20.0);
}

/// The variance of a collaborative model is a multiple of the one that users have alone, shared out among its functions, that of a Kronecker model
/// the one that users have alone; one that is given stays.
#[test]
fn how_far_tastes_differ_is_chosen() {
    const MANY: usize = 16;
    let items = named("i", MANY, vec![]);
    let users = named("u", 24, vec![]);
    // Everyone has one of three tastes.
    let tastes: Vec<Vec<f64>> =
        (0..3).map(|t| normals(MANY, &mut stream(31, t)).iter().map(|e| 2.0 * e).collect()).collect();
    let mut rng = stream(32, 0);
    let mut below = |n: usize| ((uniform(&mut rng) * n as f64) as usize).min(n - 1);
    let mut noise = normals(24 * 15, &mut stream(33, 0)).into_iter();
    let mut said = Answers::default();
    for user in 0..24 {
        for _ in 0..15 {
            let (i, j) = (below(MANY), below(MANY - 1));
            let j = if j < i { j } else { j + 1 };
            let utility = &tastes[user % 3];
            let first = utility[i] - utility[j] + noise.next().unwrap() > 0.0;
            said.push(if first { Answer::rather(i, j) } else { Answer::rather(j, i) }.by(user));
        }
    }
    let data = PopulationData { items: &items, users: &users, answers: &said };
    let variance = |settings: &PopulationSettings| {
        let model = Population::fit(&data, settings, &|_| ()).unwrap();
        let entries = &model.hyperparameters().entries;
        entries.iter().filter(|e| e.name.contains("variance")).map(|e| e.value).sum::<f64>()
    };
    let alone = variance(&PopulationSettings::new(Kind::PerUser));
    // As many functions as items less one.
    let shared = variance(&PopulationSettings::new(Kind::Collaborative)) * (MANY - 1) as f64;
    let multiple = shared / alone;
    assert!([2.0, 4.0, 8.0].iter().any(|m| (multiple / m - 1.0).abs() < 1e-9), "{multiple}");
    // One user's variance in a Kronecker model is that of what all share and of what is the user's own.
    let kronecker = |fixed: &[(String, f64)]| {
        let settings =
            PopulationSettings { fixed: fixed.to_vec(), ..PopulationSettings::new(Kind::Kronecker) };
        (variance(&settings), common_of(&Population::fit(&data, &settings, &|_| ()).unwrap()))
    };
    let (own, common) = kronecker(&[]);
    close(own * (1.0 + common), alone, 1e-12 * alone, "the variance of a user");
    assert!((common / 0.5 - 1.0).abs() > 0.01, "{common} was not learned");
    let fixed = vec![("variance".to_owned(), 0.7)];
    close(kronecker(&fixed).0, 0.7, 1e-12, "the variance");
    let given = variance(&PopulationSettings { fixed, ..PopulationSettings::new(Kind::Collaborative) });
    close(given, 0.7, 1e-12, "the variance");
}

fn common_of(model: &Population) -> f64 {
    model.reported_hyperparameters().iter().find(|(name, _)| name == "users.common").unwrap().1
}

/// Variances are inflated as the file says: of users in the fit, not of newcomers.
#[test]
fn inflations_widen_the_posteriors_of_known_users_and_newcomers() {
    let model = fit(Kind::Collaborative, &named("u", 12, vec![]), &answers(12, 10));
    let mut parts = model.to_parts();
    parts.header.inflation = Some(3.0 * parts.header.inflation.unwrap_or(1.0));
    let wider = Population::from_parts(parts.clone()).unwrap();
    assert_eq!(wider.to_parts(), parts);
    let [narrow, wide] = [&model, &wider].map(|m| {
        let m = m.model();
        (m.user(1).unwrap(), m.newcomer(None, &Answers::default()).unwrap())
    });
    assert_eq!((&narrow.0.mean, &narrow.1.covariance), (&wide.0.mean, &wide.1.covariance));
    let items = model.model().items();
    let variances = |user: &UserPosterior| user.differences(&items.known(), &all_pairs()).variance;
    for (narrow, wide) in variances(&narrow.0).into_iter().zip(variances(&wide.0)) {
        close(wide, 3.0 * narrow, 1e-12, "a variance");
    }
    let mut of_newcomers = model.to_parts();
    of_newcomers.header.newcomer_inflation =
        Some(3.0 * of_newcomers.header.newcomer_inflation.unwrap_or(1.0));
    let wider = Population::from_parts(of_newcomers.clone()).unwrap();
    assert_eq!(wider.to_parts(), of_newcomers);
    let said: Answers = [Answer::rather(0, 1)].into_iter().collect();
    let [narrow_new, wide_new] = [&model, &wider].map(|m| m.model().newcomer(None, &said).unwrap());
    assert_eq!(narrow_new.mean, wide_new.mean);
    assert_eq!(wider.model().user(1).unwrap().covariance, narrow.0.covariance);
    for (narrow, wide) in variances(&narrow_new).into_iter().zip(variances(&wide_new)) {
        close(wide, 3.0 * narrow, 1e-12, "a newcomer's variance");
    }
    parts.header.inflation = Some(0.0);
    of_newcomers.header.newcomer_inflation = Some(f64::NAN);
    for parts in [parts, of_newcomers] {
        let refused = Population::from_parts(parts).unwrap_err().to_string();
        assert!(refused.contains("inflation"), "{refused}");
    }
}
