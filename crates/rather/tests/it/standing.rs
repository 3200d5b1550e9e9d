//! How surely items stand in a ranking: by draws, against integrals and other representations of the same posterior.

use crate::common::close;
use rather::answers::{Answer, Answers};
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::model::{FitSettings, Items, Model, Representation};
use rather::{Comparison, Person};
use rather_numerics::random::stream;
use rather_numerics::special::normal;

/// Five standard errors of a probability from 4,000 draws.
const CHANCE: f64 = 0.04;

fn names(n: usize) -> Items {
    Items { keys: (0..n).map(|i| format!("i{i}")).collect(), columns: vec![] }
}

fn chain(n: usize) -> Vec<Comparison> {
    let duel = |winner, loser, count| Comparison { winner, loser, count };
    (1..n).flat_map(|i| [duel(i - 1, i, 3.0), duel(i, i - 1, 1.0)]).collect()
}

fn settings(kernel: &str, representation: Representation) -> FitSettings {
    let mut settings = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: kernel.into(), ard: false }),
        fixed: vec![("variance".into(), 2.0), ("noise".into(), 1.0)],
        ..FitSettings::default()
    };
    settings.inference =
        rather::model::Inference::Ep(rather::model::Ep { representation, ..Default::default() });
    settings
}

/// Of two items the better one is the best with the probability that their difference is positive.
#[test]
fn of_two_items_the_best_is_an_integral() {
    let model = Model::fit(&names(2), &chain(2), &settings("white", Representation::Full), &|_| ()).unwrap();
    let person = Person::Single(&model);
    let ranking = person.rank(model.points());
    let found = person.standings(model.points(), &ranking, 1, 0).unwrap();
    let z = model.belief().differences(model.points(), &[(ranking[0].item, ranking[1].item)]);
    let expected = normal::cdf(z.mean[0] / z.variance[0].sqrt());
    close(found[0].probability_best, expected, CHANCE, "best of two");
    close(found[0].probability_best + found[1].probability_best, 1.0, 1e-9, "somebody is best");
    close(found[0].probability_best, found[0].probability_top, 1e-9, "the best one is the best");
    // Once more with the same seed.
    assert_eq!(found, person.standings(model.points(), &ranking, 1, 0).unwrap());
}

/// A sparse precision draws by perturbation, a full covariance by its features: the same posterior.
#[test]
fn representations_agree() {
    let of = |representation| {
        let model = Model::fit(&names(6), &chain(6), &settings("white", representation), &|_| ()).unwrap();
        let person = Person::Single(&model);
        let ranking = person.rank(model.points());
        assert_eq!(ranking[0].item, 0);
        person.standings(model.points(), &ranking, 3, 1).unwrap()
    };
    for (full, sparse) in of(Representation::Full).iter().zip(of(Representation::Sparse)) {
        close(full.probability_best, sparse.probability_best, 2.0 * CHANCE, "best");
        close(full.probability_top, sparse.probability_top, 2.0 * CHANCE, "among three");
    }
}

/// Items that were never compared are drawn from what the features leave; with the same features they tie.
#[test]
fn items_of_which_nothing_is_known_share_the_chances() {
    let sweet = Column { name: "sweet".into(), values: ColumnValues::Numeric(vec![0.0, 1.0, 9.0, 9.0]) };
    let items = Items { columns: vec![sweet], ..names(4) };
    let model = Model::fit(
        &items,
        &chain(2),
        &FitSettings {
            fixed: vec![("variance".into(), 2.0), ("lengthscale".into(), 0.1)],
            ..settings("se", Representation::Full)
        },
        &|_| (),
    )
    .unwrap();
    let person = Person::Single(&model);
    let ranking = person.rank(model.points());
    let found = person.standings(model.points(), &ranking, 1, 0).unwrap();
    let of = |item| found[ranking.iter().position(|r| r.item == item).unwrap()];
    close(of(2).probability_best, of(3).probability_best, 1e-9, "twins");
    assert!(of(2).probability_best > 0.1, "{found:?}");
    assert_eq!((of(2).rank_low, of(2).rank_high), (of(3).rank_low, of(3).rank_high));
    assert!(found.iter().all(|s| s.rank_low >= 1 && s.rank_high <= 4 && s.group >= 1));
}

/// Names of which nothing is known are independent, and one of them that comes twice is the same both times.
#[test]
fn unknown_names_are_drawn_apart() {
    let model = Model::fit(&names(5), &chain(2), &settings("white", Representation::Full), &|_| ()).unwrap();
    let number = 4_000;
    let points = model.points().select(&[0, 3, 4, 3]);
    let draws = Person::Single(&model).draws(&points, number, &mut stream(1, 0)).unwrap();
    let covariance = |i, j| (0..number).map(|k| draws[(i, k)] * draws[(j, k)]).sum::<f64>() / number as f64;
    assert!((0..number).all(|k| draws[(1, k)] == draws[(3, k)]));
    // Five standard errors: those of the average of products of two normal numbers of variance 2.
    close(covariance(1, 1), 2.0, 5.0 * (8.0 / number as f64).sqrt(), "variance");
    close(covariance(1, 2), 0.0, 5.0 * (4.0 / number as f64).sqrt(), "covariance");
    close(covariance(0, 1), 0.0, 5.0 * (4.0 / number as f64).sqrt(), "covariance with one that was compared");
}

/// Somebody of a model of many users: the best is the one that the user's own answers say.
#[test]
fn users_have_standings() {
    let users = Items { keys: ["ann", "bob"].map(str::to_owned).to_vec(), columns: vec![] };
    let by = |user: usize, order: [usize; 3]| {
        (0..8).flat_map(move |_| {
            [(order[0], order[1]), (order[1], order[2])].map(|(a, b)| Answer::rather(a, b).by(user))
        })
    };
    let answers: Answers = by(0, [0, 1, 2]).chain(by(1, [2, 1, 0])).collect();
    let data = PopulationData { items: &names(3), users: &users, answers: &answers };
    let population = Population::fit(&data, &PopulationSettings::new(Kind::PerUser), &|_| ()).unwrap();
    for (user, best) in [(0, 0), (1, 2)] {
        let person = Person::User(&population, population.model().user(user).unwrap());
        let ranking = person.rank(population.points());
        assert_eq!(ranking[0].item, best);
        let found = person.standings(population.points(), &ranking, 2, 0).unwrap();
        assert!(found[0].probability_best > 0.8 && found[0].rank_low == 1, "{found:?}");
        close(found.iter().map(|s| s.probability_top).sum(), 2.0, 1e-9, "two are among two");
    }
}
