//! What features do: second routes to weights, contrasts, shares and relevances.

use crate::common::close;
use rather::Person;
use rather::answers::{Answer, Answers};
use rather::explain::FeatureValue;
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::model::{FitSettings, Items, Model};
use rather::points::Points;

const X: [f64; 5] = [1.0, 2.0, 4.0, 7.0, 11.0];

fn items() -> Items {
    let kinds = ["black", "green", "black", "green", "black"].map(str::to_owned).to_vec();
    Items {
        keys: (0..5).map(|i| format!("i{i}")).collect(),
        columns: vec![
            Column { name: "price".into(), values: ColumnValues::Numeric(X.to_vec()) },
            Column { name: "noise".into(), values: ColumnValues::Numeric(vec![1.0, -1.0, 0.0, -1.0, 1.0]) },
            Column { name: "kind".into(), values: ColumnValues::Text(kinds) },
        ],
    }
}

fn settings(kernel: &str, fixed: &[(&str, f64)]) -> FitSettings {
    FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: kernel.into(), ard: false }),
        fixed: fixed.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
        raw_features: true,
        ..FitSettings::default()
    }
}

fn dear_is_liked() -> Vec<Answer> {
    let pairs = (0..5).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.flat_map(|(a, b)| [(a, b), (a, b), (a, b), (b, a)]).map(|(a, b)| Answer::rather(a, b)).collect()
}

/// The weight of `linear` is the difference of two items a unit apart, by the joint Gaussian.
#[test]
fn contrasts_of_linear_are_its_weight_times_the_distance() {
    let fixed = [("variance", 0.1), ("noise", 0.5)];
    let model =
        Model::fit_answers(&items(), &dear_is_liked(), &[], &settings("linear[price]", &fixed), &|_| ())
            .unwrap();
    let found = Person::Single(&model).explain(0).unwrap();
    let (name, mean, sd) = &found.weights[0];
    let joint = model.belief().joint(model.points()).unwrap();
    // Items 0 and 1 are a unit apart, items 2 and 4 are seven.
    let (expected, variance) = joint.difference(1, 0);
    assert_eq!(name, "price");
    assert!(*mean > 0.0);
    close(*mean, expected, 1e-8, "mean");
    close(*sd, variance.sqrt(), 1e-6, "sd");
    close(joint.difference(4, 2).0, 7.0 * mean, 1e-7, "seven units");
    let effect = &found.effects[0];
    assert_eq!(effect.reference, FeatureValue::Number(4.0));
    for (value, (m, v)) in
        effect.values.iter().zip(effect.difference.mean.iter().zip(&effect.difference.variance))
    {
        let FeatureValue::Number(x) = value else { panic!("a price is a number") };
        close(*m, mean * (x - 4.0), 1e-7, "contrast");
        close(v.sqrt(), sd * (x - 4.0).abs(), 1e-7, "its deviation");
    }
}

/// A contrast is the difference of two new items that have everything but the feature in common, and nothing at the reference.
#[test]
fn contrasts_are_differences() {
    let kernel = "matern52[price, noise] + categorical[kind] + white";
    let model = Model::fit_answers(&items(), &dear_is_liked(), &[], &settings(kernel, &[]), &|_| ()).unwrap();
    let found = Person::Single(&model).explain(0).unwrap();
    assert_eq!(found.effects.len(), 3);
    for effect in &found.effects {
        let at = effect.values.iter().position(|value| *value == effect.reference).unwrap();
        assert_eq!((effect.difference.mean[at], effect.difference.variance[at]), (0.0, 0.0));
    }
    // Median price 4; the noise is -1 or 1 as often, at median 0; the most common kind is black, code 0.
    let rows = Points::new(vec![7, 7], 3, vec![11.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
    let by_hand = model.belief().differences(&rows, &[(0, 1)]);
    let price = &found.effects[0];
    let last = price.values.len() - 1;
    assert_eq!(price.values[last], FeatureValue::Number(11.0));
    close(price.difference.mean[last], by_hand.mean[0], 1e-9, "mean");
    close(price.difference.variance[last], by_hand.variance[0], 1e-9, "variance");
    assert!(by_hand.mean[0] > 0.0);
    let even = Person::Single(&model).effect("Price ", Some(11)).unwrap();
    assert!(even.values.contains(&FeatureValue::Number(2.0)) && even.values.contains(&even.reference));
    assert!(Person::Single(&model).effect("colour", None).is_err());
}

#[test]
fn shares_and_relevances_follow_from_the_kernel() {
    let fixed = [("se.variance", 3.0), ("lengthscale", 2.0), ("white.variance", 1.5)];
    let model =
        Model::fit_answers(&items(), &dear_is_liked(), &[], &settings("se[price] + white", &fixed), &|_| ())
            .unwrap();
    let found = Person::Single(&model).explain(0).unwrap();
    assert_eq!(found.shares.len(), 2);
    close(found.shares.iter().map(|s| s.1).sum(), 1.0, 1e-12, "shares");
    // By the variances of all pairs: tr(HKH) is the sum of d_ij / 2n over all i, j.
    let spread = |d: &dyn Fn(f64) -> f64| X.iter().flat_map(|a| X.iter().map(move |b| d(a - b))).sum::<f64>();
    let se = spread(&|d| 2.0 * 3.0 * (1.0 - (-0.5 * (d / 2.0).powi(2)).exp()));
    let white = spread(&|d| if d == 0.0 { 0.0 } else { 2.0 * 1.5 });
    close(found.shares[0].1, se / (se + white), 1e-9, "share of se");
    let mean = X.iter().sum::<f64>() / 5.0;
    let sd = (X.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 5.0).sqrt();
    assert_eq!((found.relevances.len(), found.relevances[0].feature.as_str()), (1, "price"));
    close(found.relevances[0].lengthscale, 2.0, 1e-12, "lengthscale");
    close(found.relevances[0].relevance, sd / 2.0, 1e-12, "relevance");
}

/// What decides is missed when it is exchanged; what no kernel looks at is not.
#[test]
fn importance_is_what_a_feature_is_worth() {
    let model =
        Model::fit_answers(&items(), &dear_is_liked(), &[], &settings("se[price]", &[]), &|_| ()).unwrap();
    let found = Person::Single(&model).explain(3).unwrap().importances.unwrap();
    assert!(found[0].1 > 0.05, "{found:?}");
    assert_eq!((found[1].1, found[2].1), (0.0, 0.0));
}

#[test]
fn users_and_names_are_explained() {
    let users = Items { keys: ["ann", "bob"].map(str::to_owned).to_vec(), columns: vec![] };
    let of = |user: usize, answers: Vec<Answer>| answers.into_iter().map(move |a| a.by(user));
    let cheap = dear_is_liked().into_iter().filter_map(|a| a.pair()).map(|(a, b)| Answer::rather(b, a));
    let answers: Answers = of(0, dear_is_liked()).chain(of(1, cheap.collect())).collect();
    let data = PopulationData { items: &items(), users: &users, answers: &answers };
    let kernel = settings("se", &[]).kernel;
    let of_each = PopulationSettings { kernel, ..PopulationSettings::new(Kind::PerUser) };
    let population = Population::fit(&data, &of_each, &|_| ()).unwrap();
    for (user, sign) in [(0, 1.0), (1, -1.0)] {
        let person = Person::User(&population, population.model().user(user).unwrap());
        let found = person.explain(0).unwrap();
        let price = &found.effects[0];
        assert!(sign * price.difference.mean[price.values.len() - 1] > 0.0, "{price:?}");
        assert_eq!(found.importances, None);
    }
    let names = Items { columns: vec![], ..items() };
    let model = Model::fit_answers(&names, &dear_is_liked(), &[], &settings("white", &[]), &|_| ()).unwrap();
    let found = Person::Single(&model).explain(0).unwrap();
    assert!(found.effects.is_empty() && found.weights.is_empty() && found.importances == Some(vec![]));
}
