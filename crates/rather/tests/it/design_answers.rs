//! Ties and grades in a study's model: their likelihood, with thresholds that the answers tell.

use rather::Error;
use rather::answers::{Answer, Answers};
use rather::belief::Belief;
use rather::design::{
    Column, Family, Outcome, Prior, Thresholds, Trial, fit, fit_streaming, fit_with_others, observations,
};
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::kernel::Kernel;
use rather::learn::{Hyperparameter, Hyperparameters, maximise};
use rather::likelihood::difference::Difference;
use rather::likelihood::{Kind, ResponseModel, Values};
use rather::points::Points;
use rather::posterior::Posterior;
use rather::search::Domain;
use rather::streaming::{self, Forgetting, StreamingModel};
use rather_numerics::lbfgs::Stop;
use rather_numerics::random::{normal, stream, uniform};

const ITEMS: usize = 8;
/// A study's prior with hyperparameters that are known.
const FIXED: Prior = Prior { family: Family::Se, lengthscale: 0.3, sd: 2.0, learn: false, additive: false };

fn points() -> Points {
    let domain = Domain::unit_box(1);
    domain.points(&(0..ITEMS).map(|i| vec![i as f64 / ITEMS as f64]).collect::<Vec<_>>())
}

fn columns() -> Vec<Column> {
    Column::of_domain(&Domain::unit_box(1))
}

/// A person whose utility rises by 4 duel noises from the first item to the last, who sees no difference below `tie` and a large one
/// from `much` above that.
fn person(answers: usize, tie: f64, much: f64, seed: u64) -> Vec<Trial> {
    let mut rng = stream(seed, 0);
    let mut item = |n: usize| (uniform(&mut rng) * n as f64) as usize;
    let pairs: Vec<(usize, usize)> = (0..answers)
        .map(|_| (item(ITEMS), item(ITEMS - 1)))
        .map(|(a, b)| (a, b + usize::from(b >= a)))
        .collect();
    let said = |(left, right): (usize, usize)| {
        let z = 4.0 * (left as f64 - right as f64) / ITEMS as f64 + normal(&mut rng);
        let answer = match z.abs() {
            size if size < tie => Outcome::Tie,
            size if size < tie + much => {
                if z > 0.0 {
                    Outcome::Left
                } else {
                    Outcome::Right
                }
            }
            _ => {
                if z > 0.0 {
                    Outcome::MuchLeft
                } else {
                    Outcome::MuchRight
                }
            }
        };
        Trial::pair(left, right, Some(answer))
    };
    pairs.into_iter().map(said).collect()
}

/// The duels as a fit would have them.
fn answers(duels: &[Trial]) -> Vec<Answer> {
    let answer = |d: &Trial| match d.answer.map_or(0, Outcome::strength) {
        0 => Answer::tie(d.left, d.right),
        s if s > 0 => Answer::better(d.left, d.right, s as u8),
        s => Answer::better(d.right, d.left, -s as u8),
    };
    duels.iter().map(answer).collect()
}

struct Fit {
    observations: Observations,
    points: Points,
    kernel: Kernel,
}

impl Fit {
    fn of(duels: &[Trial]) -> Self {
        let observations = Observations::of(&Answers::from(&answers(duels)), &[], ResponseModel::default());
        let points = points().select(&observations.items);
        Self { observations, points, kernel: FIXED.kernel(&columns()).unwrap() }
    }

    fn problem(&self) -> Problem<'_> {
        let (points, observations) = (&self.points, &self.observations);
        Problem { points, observations, method: Method::Ep, space: None, inducing: None }
    }

    fn posterior(&self, values: Values) -> Posterior {
        let problem = self.problem();
        let evidence = problem.evaluate(&self.kernel, values.clone(), None, &Settings::default()).unwrap();
        Posterior::new(&problem, self.kernel.clone(), values, evidence)
    }
}

fn assert_close(a: &Belief, b: &Belief, tolerance: f64) {
    let (a, b) = (a.utilities(&points()), b.utilities(&points()));
    for (a, b) in a.mean.iter().zip(&b.mean).chain(a.variance.iter().zip(&b.variance)) {
        assert!((a - b).abs() < tolerance, "{a} {b}");
    }
}

/// A study's model is that of the engine with these thresholds. Features that a study leaves out are below a thousandth of a standard
/// deviation, which 1e-4 leaves room for in their squares.
#[test]
fn a_study_believes_what_a_fit_does() {
    let duels = person(40, 0.6, 1.2, 3);
    let believed = fit(&points(), &columns(), &duels, &FIXED).unwrap();
    let fit = Fit::of(&duels);
    let thresholds = Thresholds::of(&points(), &columns(), &duels, &FIXED).unwrap();
    let values = thresholds.values(&fit.observations.responses, 1.0);
    assert_eq!(values, Values(vec![Prior::NOISE, thresholds.tie.unwrap(), thresholds.much.unwrap()]));
    assert_close(&believed, &fit.posterior(values).into(), 1e-4);
}

/// Thresholds are learned with the kernel held, from the first 33 of 40 answers: the same maximum as of a fit with a fixed kernel, by whatever
/// way. Learning ends where the objective is flat to 1e-3 nats; the thresholds are known to some 0.15, so that is 0.01 of theirs.
#[test]
fn thresholds_are_those_of_the_evidence() {
    let duels = person(40, 0.6, 1.2, 3);
    let found = Thresholds::of(&points(), &columns(), &duels, &FIXED).unwrap();
    let fit = Fit::of(&duels[..33]);
    let mut entries: Vec<Hyperparameter> = fit
        .kernel
        .parameters()
        .into_iter()
        .map(|p| Hyperparameter { fixed: true, ..Hyperparameter::positive(&p.name, p.value, 1.0) })
        .collect();
    entries.push(Hyperparameter { fixed: true, ..Hyperparameter::positive("noise", Prior::NOISE, 1.0) });
    entries.extend(fit.observations.responses.parameters(Prior::NOISE));
    let start = Hyperparameters { kernel: fit.kernel.clone(), entries };
    let stop = Stop { gradient: 1e-4, decrease: 1e-8, ..Stop::default() };
    let learned = maximise(&fit.problem(), &start, &Settings::default(), stop, None, &|| true).unwrap();
    let Values(values) = learned.hyperparameters.values();
    assert!((found.tie.unwrap() - values[1]).abs() < 0.01, "{found:?} {values:?}");
    assert!((found.much.unwrap() - values[2]).abs() < 0.01, "{found:?} {values:?}");
}

/// With 400 answers a threshold is known to about 0.05; 0.2 is four times that.
#[test]
fn a_persons_thresholds_are_found() {
    for (tie, much) in [(0.3, 0.8), (1.0, 1.5)] {
        let duels = person(400, tie, much, 11);
        let found = Thresholds::of(&points(), &columns(), &duels, &FIXED).unwrap();
        assert!(
            (found.tie.unwrap() - tie).abs() < 0.2 && (found.much.unwrap() - much).abs() < 0.2,
            "{found:?}"
        );
    }
}

#[test]
fn a_grade_says_more_than_a_side_and_a_tie_holds_together() {
    let mean = |answer| {
        // A second duel, so that both grades and a tie exist.
        let duels = [
            Trial::pair(0, 7, Some(answer)),
            Trial::pair(2, 3, Some(Outcome::MuchRight)),
            Trial::pair(5, 4, Some(Outcome::Tie)),
        ];
        let posterior = fit(&points(), &columns(), &duels, &FIXED).unwrap();
        posterior.differences(&points(), &[(0, 7)]).mean[0]
    };
    let all = [Outcome::MuchLeft, Outcome::Left, Outcome::Tie, Outcome::Right, Outcome::MuchRight].map(mean);
    assert!(all.windows(2).all(|w| w[0] > w[1]), "{all:?}");
}

/// Without ties and grades nothing has changed: to the bit, the plain probit.
#[test]
fn plain_answers_have_plain_likelihoods() {
    let plain: Vec<Trial> = person(30, 0.0, f64::INFINITY, 5);
    assert!(observations(&plain).responses.is_plain());
    let thresholds = Thresholds::of(&points(), &columns(), &plain, &FIXED).unwrap();
    assert_eq!(thresholds, Thresholds::default());
    // Nor is anything else heard of who splits ties.
    let split = [Trial::pair(0, 1, Some(Outcome::Split))];
    assert!(observations(&split).responses.is_plain());
    assert_eq!(observations(&split).total(), 1.0);
}

#[test]
fn few_answers_of_any_kind_have_a_posterior() {
    let all =
        [Outcome::MuchLeft, Outcome::Left, Outcome::Tie, Outcome::Split, Outcome::Right, Outcome::MuchRight];
    let prior = Prior { learn: true, ..FIXED };
    let others = vec![person(10, 0.5, 1.0, 1), person(10, 0.5, 1.0, 2), person(10, 0.5, 1.0, 3)];
    for answer in all {
        // The same said again and again: no threshold has an end that the answers tell.
        for n in [1, 2, 9, 10, 40] {
            let duels: Vec<Trial> = (0..n).map(|i| Trial::pair(i % 7, i % 7 + 1, Some(answer))).collect();
            for posterior in [
                fit(&points(), &columns(), &duels, &prior).unwrap(),
                fit_streaming(&points(), &columns(), &duels, &FIXED, Forgetting::Never).unwrap(),
                fit_with_others(&points(), &columns(), &duels, &others, &FIXED).unwrap(),
            ] {
                let found = posterior.utilities(&points());
                assert!(found.mean.iter().chain(&found.variance).all(|x| x.is_finite()), "{answer:?} {n}");
            }
        }
    }
}

/// The basis may leave a thousandth of a utility's variance of 4 open: 4e-3.
#[test]
fn what_is_heard_one_by_one_is_believed_as_by_the_batch() {
    let duels = person(60, 0.6, 1.2, 8);
    let prior = FIXED;
    let batch = fit(&points(), &columns(), &duels, &prior).unwrap();
    let heard = fit_streaming(&points(), &columns(), &duels, &prior, Forgetting::Never).unwrap();
    assert_close(&batch, &heard, 4e-3);
    // A tie long after the thresholds were learned has one, too.
    let mut late = person(120, 0.0, 1.0, 8);
    late.push(Trial::pair(0, 1, Some(Outcome::Tie)));
    let heard = fit_streaming(&points(), &columns(), &late, &prior, Forgetting::Never).unwrap();
    assert!(heard.utilities(&points()).mean.iter().all(|m| m.is_finite()));
}

#[test]
fn a_streaming_model_between_thresholds() {
    let kernel = FIXED.kernel(&columns()).unwrap();
    let mut model = StreamingModel::new(kernel, points(), streaming::Settings::default()).unwrap();
    model.answer_between(&points(), 0, 1, (-0.5, Some(0.5))).unwrap();
    model.answer_between(&points(), 2, 1, (1.0, None)).unwrap();
    let saved = serde_json::to_string(&model.state()).unwrap();
    let again = StreamingModel::resume(serde_json::from_str(&saved).unwrap()).unwrap();
    assert_eq!(again.utilities(&points()), model.utilities(&points()));
    for bounds in [(f64::NAN, None), (0.0, Some(0.0)), (1.0, Some(-1.0)), (0.0, Some(f64::INFINITY))] {
        let refused = model.answer_between(&points(), 0, 1, bounds);
        assert!(matches!(refused, Err(Error::Parameter { .. })), "{bounds:?}");
    }
    assert!(matches!(
        model.answer_between(&points(), 3, 3, (0.0, None)),
        Err(Error::SelfComparison { item: 3, .. })
    ));
    assert_eq!(model.answers(), 2);
}

#[test]
fn exact_draws_are_of_plain_comparisons() {
    let duels = [Trial::pair(0, 1, Some(Outcome::Tie))];
    let posterior = fit(&points(), &columns(), &duels, &FIXED).unwrap();
    assert!(matches!(
        posterior.gaussian().unwrap().given_a_draw(0),
        Err(Error::Unsupported(rather::Unsupported::NoisyDifferences))
    ));
}

#[test]
fn names_are_stable() {
    for (answer, name) in [
        (Outcome::MuchLeft, "\"much left\""),
        (Outcome::Left, "\"left\""),
        (Outcome::Tie, "\"tie\""),
        (Outcome::Split, "\"split\""),
        (Outcome::Right, "\"right\""),
        (Outcome::MuchRight, "\"much right\""),
    ] {
        assert_eq!(serde_json::to_string(&answer).unwrap(), name);
        assert_eq!(serde_json::from_str::<Outcome>(name).unwrap(), answer);
    }
}

/// A person of whom it is asked by how much one side is better, from -3 to 3.
fn rater(answers: usize, seed: u64) -> Vec<Trial> {
    let numbers = Kind(&Difference);
    let by = |trial: &Trial| {
        let mut rng = stream(seed, (trial.left * ITEMS + trial.right) as u64 + 1);
        let z = 4.0 * (trial.left as f64 - trial.right as f64) / ITEMS as f64 + 0.7 * normal(&mut rng);
        (z.round() as i8).clamp(-3, 3)
    };
    let number =
        |trial: Trial| Trial { answer: Some(Outcome::By { kind: numbers, number: by(&trial) }), ..trial };
    person(answers, 0.0, 0.0, seed).into_iter().map(number).collect()
}

/// Numbers are the likelihood of their kind: the same posterior as that of a fit of the differences by the same parameters, all together and, up to the
/// fixed point's tolerance (as `what_is_not_forgotten_is_believed_as_by_the_batch`), one after the other.
#[test]
fn numbers_are_the_differences_of_a_fit() {
    // Every pair once: several answers about one are one factor to the batch, and several to a stream.
    let mut seen = std::collections::HashSet::new();
    let mut duels = rater(60, 5);
    duels.retain(|d| seen.insert((d.left.min(d.right), d.left.max(d.right))));
    let believed = fit(&points(), &columns(), &duels, &FIXED).unwrap();
    let number = |d: &Trial| f64::from(d.answer.map_or(0, Outcome::strength));
    let answers: Vec<Answer> = duels.iter().map(|d| Answer::difference(d.left, d.right, number(d))).collect();
    let observations = Observations::of(&Answers::from(&answers), &[], ResponseModel::default());
    let fit_of = Fit {
        points: points().select(&observations.items),
        observations,
        kernel: FIXED.kernel(&columns()).unwrap(),
    };
    let thresholds = Thresholds::of(&points(), &columns(), &duels, &FIXED).unwrap();
    assert!(thresholds.tie.is_some() && thresholds.much.is_none() && thresholds.others.is_empty());
    let values = thresholds.values(&fit_of.observations.responses, 1.0);
    assert_close(&believed, &fit_of.posterior(values).into(), 1e-4);
    let streamed = fit_streaming(&points(), &columns(), &duels, &FIXED, Forgetting::Never).unwrap();
    assert_close(&believed, &streamed, 5e-3);
    // A number says more than its sign.
    let mut plain = duels.clone();
    plain.iter_mut().for_each(|d| d.answer = d.answer.map(Outcome::plain));
    let spread = |duels: &[Trial]| {
        let belief = fit(&points(), &columns(), duels, &FIXED).unwrap();
        belief.differences(&points(), &[(0, ITEMS - 1)]).variance[0]
    };
    assert!(spread(&duels) < 0.9 * spread(&plain), "{} {}", spread(&duels), spread(&plain));
}
