//! The check of one of many users, against the check of one person and against an integral.

use crate::common::close;
use rather::answers::{Answer, Answers};
use rather::check::{CheckSettings, Verdict, check_user, compare};
use rather::evidence::Problem;
use rather::exact::{ExactPosterior, ExactSettings, Sampler};
use rather::features::{Column, ColumnValues};
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::likelihood::{Reply, ResponseModel};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::model::Items;
use rather::posterior::Posterior;
use rather::{Error, Unsupported};

/// Deviations of two samples differ by sampling only: so many standard errors.
const ERRORS: f64 = 6.0;

fn fitted(kind: Kind, items: usize, said: &[Answer]) -> Population {
    let values = (0..items).map(|i| (1.7 * i as f64).sin() * 2.0).collect();
    let column = Column { name: "x".into(), values: ColumnValues::Numeric(values) };
    let items = Items { keys: (0..items).map(|i| format!("i{i}")).collect(), columns: vec![column] };
    let users = Items { keys: ["ann", "bob", "cid", "dan"].map(str::to_owned).to_vec(), columns: vec![] };
    let answers: Answers = said.iter().copied().collect();
    let data = PopulationData { items: &items, users: &users, answers: &answers };
    Population::fit(&data, &PopulationSettings::new(kind), &|_| ()).unwrap()
}

/// Choices, some of which contradict each other, a tie and ratings, of three of the four users.
fn said() -> Vec<Answer> {
    let of = |user: usize| {
        let choices = [(0, 1), (1, 2), (3, 1), (4, 0), (2, 4), (1, 0)];
        let choices = choices.map(|(a, b)| Answer::rather((a + user) % 6, (b + user) % 6));
        let others = [Answer::tie(1, 4), Answer::rated(2, 0), Answer::rated(user, 1), Answer::rated(5, 2)];
        choices.into_iter().chain(others).map(move |answer| answer.by(user))
    };
    (0..3).flat_map(of).collect()
}

fn same(what: &str, found: f64, expected: f64, errors: [f64; 2]) {
    let tolerance = ERRORS * (errors[0].powi(2) + errors[1].powi(2)).sqrt() + 1e-6;
    close(found, expected, tolerance, what);
}

/// Alone under the kernel's prior, a user is a person, about whom the exact posterior of one person is. All answers of a pooled model are those
/// of one person.
#[test]
fn a_user_is_checked_as_a_person_is() {
    let said = said();
    for kind in [Kind::PerUser, Kind::Pooled] {
        let population = fitted(kind, 6, &said);
        let found = check_user(&population, 1, &CheckSettings::default()).unwrap();
        let own = said.iter().filter(|a| kind == Kind::Pooled || a.user() == Some(1));
        let own: Answers = own.map(|a| Answer { reply: Reply { user: None, ..a.reply }, ..*a }).collect();
        let observations = Observations::of(&own, &[], ResponseModel::default());
        let h = population.hyperparameters();
        let values = observations.responses.values(population.model().responses().responses(), &h.values());
        let points = population.points().select(&observations.items);
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        };
        let evidence = problem.evaluate(&h.kernel, values.clone(), None, &Settings::default()).unwrap();
        let approximate = Posterior::new(&problem, h.kernel.clone(), values.clone(), evidence);
        let settings = ExactSettings { seed: 9, ..ExactSettings::default() };
        let exact = ExactPosterior::new(&problem, h.kernel.clone(), values, &settings).unwrap();
        let n = points.len();
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
        let expected = compare(&approximate, &exact, &points, &pairs);
        assert_eq!((found.items, found.answers), (n, own.len() as f64));
        assert_eq!((found.part, found.agreement.pairs), (None, pairs.len()));
        let (a, b) = (found.agreement, expected);
        same("means", a.means.largest, b.means.largest, [a.means.error, b.means.error]);
        same("median of means", a.means.median, b.means.median, [a.means.error, b.means.error]);
        let (p, q) = (a.probabilities, b.probabilities);
        same("probabilities", p.largest, q.largest, [p.error, q.error]);
        let (r, s) = (a.sd_ratio, b.sd_ratio);
        same("smallest sd", r.smallest, s.smallest, [r.error, s.error]);
        same("largest sd", r.largest, s.largest, [r.error, s.error]);
    }
}

/// One answer: the posterior of the difference is one integral, under the mean and the variance that were learned from others. Expectation
/// propagation has its moments, so that only the probability may differ.
#[test]
fn under_a_learned_prior_it_is_the_integral() {
    let mut said: Vec<Answer> = (0..3).flat_map(|user| [Answer::rather(0, 1).by(user).times(6)]).collect();
    said.push(Answer::rather(1, 0).by(3));
    let population = fitted(Kind::Hierarchical, 2, &said);
    let (model, settings) = (population.model(), CheckSettings::default());
    let items = model.items().known();
    let prior = model.newcomer(None, &Answers::default()).unwrap().differences(&items, &[(0, 1)]);
    let (mean, sd) = (prior.mean[0], prior.variance[0].sqrt());
    assert!(mean > 0.3 * sd, "others' answers move the mean: {mean}, {sd}");
    let choice = model.responses().likelihoods().choice();
    // By the trapezoidal rule, which is exact to rounding for what falls off like a Gaussian.
    let steps = (0..4_001).map(|i| mean + sd * (f64::from(i) - 2_000.0) / 200.0);
    let (mut mass, mut wins) = (0.0, 0.0);
    for z in steps {
        let density = (-0.5 * ((z - mean) / sd).powi(2)).exp() * choice.probability(-z, 0.0);
        mass += density;
        wins += density * choice.probability(z, 0.0);
    }
    let gaussian = model.predict(3, &[(0, 1)]).unwrap().probability[0];
    let found = check_user(&population, 3, &settings).unwrap();
    let p = found.agreement.probabilities;
    same("probability", p.largest, (gaussian - wins / mass).abs(), [p.error, 0.0]);
    assert!(found.agreement.means.within_error && found.agreement.sd_ratio.within_error, "{found:?}");
    assert_ne!(found.verdict, Verdict::Unsettled);
}

/// Of answers beyond what sampling holds some are checked; what cannot be checked has its error.
#[test]
fn much_is_checked_in_part_and_what_cannot_be_has_its_error() {
    let many: Vec<Answer> = said()
        .into_iter()
        .chain([Answer::rather(0, 1).by(2), Answer::rather(4, 5).by(2).times(20_000)])
        .collect();
    let population = fitted(Kind::PerUser, 6, &many);
    let settings = CheckSettings::default();
    let found = check_user(&population, 2, &settings).unwrap();
    let part = found.part.unwrap();
    assert_eq!((found.items, found.answers), (6, 20_011.0));
    assert!((2..6).contains(&part.items) && part.answers < 500.0, "{part:?}");
    let error = |population: &Population, user| check_user(population, user, &settings).unwrap_err();
    assert!(matches!(error(&population, 3), Error::NoComparisons));
    assert!(matches!(error(&population, 4), Error::NewUser { .. }));
    for kind in [Kind::Kronecker, Kind::Collaborative] {
        let found = error(&fitted(kind, 6, &said()), 1);
        assert!(matches!(found, Error::Unsupported(Unsupported::Draw)), "{found}");
    }
    let gibbs = ExactSettings { sampler: Sampler::Gibbs, ..settings.exact };
    let found = check_user(&population, 0, &CheckSettings { exact: gibbs, ..settings }).unwrap_err();
    assert!(matches!(found, Error::Unsupported(Unsupported::NoisyDifferences)), "{found}");
}
