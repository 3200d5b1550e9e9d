//! Whose utilities are asked about: a ranking is the same whatever else is ranked, and its numbers are those of the joint Gaussian.

use crate::common::close;
use rather::acquisition::Request;
use rather::acquisition::pool::Pairs;
use rather::answers::{Answer, Answers};
use rather::features::{Column, ColumnValues};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::model::{FitSettings, Items, Model, Ranked};
use rather::{Error, Person, Unsupported};

fn items(sweet: &[f64], prefix: &str) -> Items {
    let column = Column { name: "sweet".into(), values: ColumnValues::Numeric(sweet.to_vec()) };
    Items { keys: (0..sweet.len()).map(|i| format!("{prefix}{i}")).collect(), columns: vec![column] }
}

/// Of five items the last is never compared.
fn known() -> Items {
    items(&[0.1, 1.0, 1.7, 2.9, 4.0], "i")
}

fn said() -> Vec<Answer> {
    let of = |user: usize, taste: [(usize, usize); 4]| taste.map(|(a, b)| Answer::rather(a, b).by(user));
    let (sweet, dry) = ([(1, 0), (2, 1), (3, 2), (3, 0)], [(0, 1), (1, 2), (2, 3), (0, 3)]);
    [of(0, sweet), of(1, dry), of(2, sweet)].concat()
}

fn population(kind: Kind) -> Population {
    let users = Items { keys: ["ann", "bob", "cid"].map(str::to_owned).to_vec(), columns: vec![] };
    let answers: Answers = said().into_iter().collect();
    let data = PopulationData { items: &known(), users: &users, answers: &answers };
    Population::fit(&data, &PopulationSettings::new(kind), &|_| ()).unwrap()
}

fn place(ranking: &[Ranked], item: usize) -> Ranked {
    *ranking.iter().find(|r| r.item == item).unwrap()
}

/// An item ranked alone, among new ones, and among those learned from: relative to the same average.
#[test]
fn a_utility_does_not_depend_on_what_else_is_ranked() {
    let model = Model::fit_answers(&known(), &said(), &[], &FitSettings::default(), &|_| ()).unwrap();
    let populations = Kind::ALL.map(population);
    let users = populations.iter().map(|p| Person::User(p, p.model().user(0).unwrap()));
    let averages = populations.iter().map(|p| Person::User(p, p.average_user().unwrap()));
    for person in users.chain(averages).chain([Person::Single(&model)]) {
        let table = items(&[0.5, 1.7, 3.3], "n");
        let new = Items { keys: vec!["n0".into(), "i2".into(), "n2".into()], ..table };
        let points = person.items().encode(&new).unwrap();
        let all = person.rank(person.items().points());
        let [own, among] = [place(&all, 2), place(&person.rank(&points), 1)];
        close(own.mean, among.mean, 1e-7, "mean among new ones");
        close(own.sd, among.sd, 1e-6, "sd among new ones");
        for new in 0..points.len() {
            let alone = person.rank(&points.select(&[new]))[0];
            let among = place(&person.rank(&points), new);
            close(alone.mean, among.mean, 1e-9, "mean alone");
            close(alone.sd, among.sd, 1e-7, "sd alone");
        }
        assert_eq!(person.compared(), [0, 1, 2, 3]);
    }
}

/// Against the joint Gaussian of all utilities, contrast by contrast.
#[test]
fn a_ranking_is_a_contrast_with_the_compared_items() {
    let population = population(Kind::Hierarchical);
    let user = population.model().user(1).unwrap();
    let (mean, covariance) = user.utilities(&population.model().items().known());
    let person = Person::User(&population, user);
    let n = mean.len();
    for Ranked { item, mean: found, sd } in person.rank(person.items().points()) {
        let weight = |i: usize| f64::from(u8::from(i == item)) - if i < 4 { 0.25 } else { 0.0 };
        let expected: f64 = (0..n).map(|i| weight(i) * mean[i]).sum();
        let variance: f64 = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| weight(i) * weight(j) * covariance[(i, j)])
            .sum();
        close(found, expected, 1e-12, "mean");
        close(sd, variance.max(0.0).sqrt(), 1e-7, "sd");
    }
}

/// What is asked next of a user about the model's own items is what the model itself suggests; new items may be asked about, too.
#[test]
fn suggestions_are_of_any_items() {
    let population = population(Kind::PerUser);
    let user = population.model().user(2).unwrap();
    let request = Request::new("bald".parse().unwrap(), Pairs::All, 3, 0);
    let person = Person::User(&population, user.clone());
    let own = person.suggest(person.items().points(), &request).unwrap();
    assert_eq!(own, population.model().suggest(&user, &request).unwrap());
    let points = person.items().encode(&items(&[0.1, 9.0, 0.2], "n")).unwrap();
    let found = person.suggest(&points, &Request { n: 1, ..request }).unwrap()[0];
    // Nothing is known of the second, which is unlike all others.
    assert!(found.opponent == 1 || found.challenger == 1, "{found:?}");
    let draws = Request::new("believer".parse().unwrap(), Pairs::Against(0), 1, 0);
    assert!(matches!(person.suggest(&points, &draws), Err(Error::Unsupported(_))));
    let sharp = person.sharp_probabilities(&points, &[(0, 1)]);
    assert!(matches!(sharp, Err(Error::Unsupported(Unsupported::EvidenceRatio))), "{sharp:?}");
}
