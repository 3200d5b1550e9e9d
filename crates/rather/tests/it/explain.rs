//! What features do: second routes to weights, contrasts, shares and relevances.

use crate::common::close;
use rather::Person;
use rather::answers::{Answer, Answers};
use rather::explain::FeatureValue;
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, Representation};
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

/// Weights of the items' average with a value of the feature, and of the compared items with the opposite sign.
fn average_of(joint: &rather::posterior::Joint, items: usize) -> (f64, f64) {
    let n = joint.mean.len();
    let weight = |i: usize| if i < items { 1.0 / items as f64 } else { -1.0 / (n - items) as f64 };
    let mean = (0..n).map(|i| weight(i) * joint.mean[i]).sum();
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    (mean, pairs.map(|(i, j)| weight(i) * weight(j) * joint.covariance[(i, j)]).sum())
}

/// By the joint Gaussian of all items with the value, and of the compared ones.
#[test]
fn partial_dependence_is_the_average_of_the_joint() {
    let kernel = "matern52[price, noise] + categorical[kind] + white";
    let low_rank = Representation::LowRank(3);
    let ways = [
        Ep { integration: Integration::Off, ..Ep::default() },
        Ep { integration: Integration::Always, ..Ep::default() },
        Ep { representation: low_rank, integration: Integration::Off, ..Ep::default() },
    ];
    for (way, ep) in ways.into_iter().enumerate() {
        let how = FitSettings { inference: Inference::Ep(ep), ..settings(kernel, &[]) };
        let model = Model::fit_answers(&items(), &dear_is_liked(), &[], &how, &|_| ()).unwrap();
        assert_eq!(model.belief().mixture().is_some(), way == 1);
        let some = model.points().select(&[0, 2, 3]);
        let person = Person::Single(&model);
        let found = person.partial_dependence("price", &some, &[], 4).unwrap();
        let at = [1.0, 3.0, 5.0, 7.0];
        assert_eq!(found.values, at.iter().map(|&x| FeatureValue::Number(x)).collect::<Vec<_>>());
        for (k, &x) in at.iter().enumerate() {
            let rows = (0..3).flat_map(|i| [x, some.row(i)[1], some.row(i)[2]]).collect();
            let placed = Points::new((0..3).map(|i| some.id(i)).collect(), 3, rows);
            let joint = model.belief().joint(&placed.followed_by(model.points())).unwrap();
            let (mean, variance) = average_of(&joint, 3);
            close(found.utility.mean[k], mean, 1e-9, "mean");
            close(found.utility.variance[k], variance, 1e-9, "variance");
        }
        let kinds = person.partial_dependence("kind", model.points(), &[], 9).unwrap();
        assert_eq!(kinds.values.len(), 2);
    }
}

#[test]
fn partial_dependence_of_one_of_many_users_is_that_of_a_model_of_theirs() {
    let users = Items { keys: vec!["ann".into()], columns: vec![] };
    let answers: Answers = dear_is_liked().into_iter().map(|a| a.by(0)).collect();
    let data = PopulationData { items: &items(), users: &users, answers: &answers };
    let fixed: Vec<(String, f64)> =
        [("variance", 2.0), ("lengthscale", 3.0)].map(|(name, value)| (name.to_owned(), value)).to_vec();
    let of_each = PopulationSettings {
        kernel: settings("se", &[]).kernel,
        fixed: fixed.clone(),
        raw_features: true,
        ..PopulationSettings::new(Kind::PerUser)
    };
    let population = Population::fit(&data, &of_each, &|_| ()).unwrap();
    let person = Person::User(&population, population.model().user(0).unwrap());
    let noise = population.hyperparameters().noise();
    let fixed = [("variance", 2.0), ("lengthscale", 3.0), ("noise", noise)];
    let model =
        Model::fit_answers(&items(), &dear_is_liked(), &[], &settings("se", &fixed), &|_| ()).unwrap();
    let values = [1.5, 9.0].map(FeatureValue::Number);
    let [one, other] = [person, Person::Single(&model)]
        .map(|person| person.partial_dependence("Price", person.items().points(), &values, 0).unwrap());
    assert_eq!(one.values, values);
    for k in 0..2 {
        close(one.utility.mean[k], other.utility.mean[k], 1e-5, "mean");
        close(one.utility.variance[k], other.utility.variance[k], 1e-5, "variance");
    }
}

#[test]
fn what_a_feature_cannot_be_is_refused() {
    let model = Model::fit_answers(&items(), &dear_is_liked(), &[], &settings("se", &[]), &|_| ()).unwrap();
    let asked = |feature: &str, value: FeatureValue| {
        let found = Person::Single(&model).partial_dependence(feature, model.points(), &[value], 0);
        found.err().unwrap().to_string()
    };
    assert!(asked("colour", FeatureValue::Number(1.0)).contains("price"));
    assert!(asked("price", FeatureValue::Category("green".into())).contains("numbers"));
    assert!(asked("kind", FeatureValue::Number(1.0)).contains("categories"));
    let sentence = asked("kind", FeatureValue::Category("white".into()));
    assert_eq!(sentence, "the feature \"kind\" has no category \"white\"; the categories are black, green");
}

/// By the evidences of a grid of lengthscales, one fit each, where the lengthscale alone is learned.
#[test]
fn intervals_of_lengthscales_are_those_of_their_posterior() {
    let n = 24;
    let x: Vec<f64> = (0..n).map(|i| 10.0 * ((37 * i) % n) as f64 / n as f64).collect();
    let column = Column { name: "x".into(), values: ColumnValues::Numeric(x.clone()) };
    let wavy = Items { keys: (0..n).map(|i| format!("i{i}")).collect(), columns: vec![column] };
    let better = |i: usize, j: usize| if x[i].sin() > x[j].sin() { (i, j) } else { (j, i) };
    let pairs = (0..n).flat_map(|i| [1, 5, 7].map(|step| better(i, (i + step) % n)));
    let answers: Vec<Answer> = pairs.map(|(a, b)| Answer::rather(a, b)).collect();
    let fit = |fixed: &[(&str, f64)], integration| {
        let inference = Inference::Ep(Ep { integration, ..Ep::default() });
        let how = FitSettings { inference, priors: false, ..settings("se", fixed) };
        Model::fit_answers(&wavy, &answers, &[], &how, &|_| ()).unwrap()
    };
    let grid: Vec<f64> = (0..81).map(|k| -1.5 + 0.05 * f64::from(k)).collect();
    let evidence: Vec<f64> = grid
        .iter()
        .map(|log| {
            let fixed = [("lengthscale", log.exp()), ("variance", 4.0), ("noise", 0.7)];
            fit(&fixed, Integration::Off).report().log_evidence
        })
        .collect();
    let best = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = evidence.iter().map(|e| (e - best).exp()).collect();
    let average = |of: &dyn Fn(f64) -> f64| {
        grid.iter().zip(&weights).map(|(&x, w)| w * of(x)).sum::<f64>() / weights.iter().sum::<f64>()
    };
    let mean = average(&|x| x);
    let sd = average(&|x| (x - mean).powi(2)).sqrt();
    for integration in [Integration::Always, Integration::Off] {
        let model = fit(&[("variance", 4.0), ("noise", 0.7)], integration);
        let relevance = Person::Single(&model).relevances().remove(0);
        let [low, high] = relevance.lengthscale_interval.unwrap().map(f64::ln);
        println!("{integration:?}: {mean} {sd} against {low} {high}");
        close(0.5 * (low + high), mean, 0.3 * sd, "mean");
        close((high - low) / (2.0 * 1.96), sd, 0.2 * sd, "deviation");
        let [least, most] = relevance.interval().unwrap();
        assert!(least < relevance.relevance && relevance.relevance < most);
    }
    let known = fit(&[("lengthscale", 1.0)], Integration::Always);
    assert_eq!(Person::Single(&known).relevances()[0].lengthscale_interval, None);
    let how = FitSettings {
        inference: Inference::Ep(Ep { representation: Representation::LowRank(8), ..Ep::default() }),
        ..settings("se", &[])
    };
    let low_rank = Model::fit_answers(&wavy, &answers, &[], &how, &|_| ()).unwrap();
    assert_eq!(Person::Single(&low_rank).relevances()[0].lengthscale_interval, None);
}

/// Where directions are averaged over and others left at the maximum, both count; with several features each lengthscale has its own.
#[test]
fn every_lengthscale_has_its_own_interval() {
    let how = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: "se[price, noise]".into(), ard: true }),
        ..settings("se", &[])
    };
    let model = Model::fit_answers(&items(), &dear_is_liked(), &[], &how, &|_| ()).unwrap();
    assert!(model.belief().mixture().is_some());
    let found = Person::Single(&model).relevances();
    assert_eq!(found.len(), 2);
    for relevance in &found {
        let [low, high] = relevance.lengthscale_interval.unwrap();
        assert!(0.0 < low && low < relevance.lengthscale && relevance.lengthscale < high, "{relevance:?}");
    }
    assert_ne!(found[0].lengthscale_interval, found[1].lengthscale_interval);
}
