//! Answers of every kind, alone and together: evidence and gradient by a second route, and what learning makes of them.

use crate::common;
use crate::common::{close, se};
use proptest::prelude::*;
use rather::answers::{Answer, Answers};
use rather::evidence::Problem;
use rather::exact::{ExactPosterior, ExactSettings};
use rather::inference::observations::Observations;
use rather::inference::prior::Space;
use rather::inference::{Factors, Method, Settings, Status};
use rather::kernel::Kernel;
use rather::learn::choice::{KernelChoice, KernelSpec, Options};
use rather::learn::uncertainty::standard_deviations;
use rather::learn::{Hyperparameter, Hyperparameters, Units, maximise};
use rather::likelihood::{Lapses, Link, ResponseModel, Values};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model};
use rather::points::Points;
use rather::representation::Representation;
use rather_numerics::lbfgs::Stop;
use rather_numerics::special::normal;

const EXACT: Settings =
    Settings { tolerance: 1e-11, sweeps: 500, sequential_sweeps: 500, factors: Factors::Pair };
/// The share of lapses where a test has some.
const RATE: f64 = 0.15;

/// A kernel, items and answers.
struct Made {
    points: Points,
    kernel: Kernel,
    observations: Observations,
    values: Values,
    settings: Settings,
}

impl Made {
    fn new(rows: &[[f64; 2]], kernel: Kernel, answers: &[Answer], response_model: ResponseModel) -> Self {
        let users = ["ann".to_owned(), "bob".to_owned()];
        let observations = Observations::of(&Answers::from(answers), &users, response_model);
        let points = Points::from_rows(rows).select(&observations.items);
        let others = observations.responses.parameters(0.8);
        let values = Values(std::iter::once(0.8).chain(others.iter().map(|e| e.value)).collect());
        // With a site a pair, inference of these contradictions does not settle where people lapse and have logistic noise, and says so.
        let unsettled = response_model.link == Link::Logistic && response_model.lapses != Lapses::Never;
        let factors = if unsettled { Factors::Answer } else { Factors::Pair };
        Self { points, kernel, observations, values, settings: Settings { factors, ..EXACT } }
    }

    fn problem(&self, method: Method, space: Option<Space>) -> Problem<'_> {
        Problem { points: &self.points, observations: &self.observations, method, space, inducing: None }
    }

    fn log_evidence(&self, method: Method, space: Option<Space>, kernel: &Kernel, values: &Values) -> f64 {
        let evidence =
            self.problem(method, space).evaluate(kernel, values.clone(), None, &self.settings).unwrap();
        assert!(evidence.outcome.residual <= 1e-8, "residual {}", evidence.outcome.residual);
        evidence.outcome.log_evidence
    }

    /// The likelihoods' parameters: the noise, and the others.
    fn entries(&self) -> Vec<Hyperparameter> {
        let noise = Hyperparameter::positive("noise", 0.8, 1.0);
        std::iter::once(noise).chain(self.observations.responses.parameters(0.8)).collect()
    }
}

const ROWS: [[f64; 2]; 6] = [[0.0, 0.1], [0.9, -0.3], [-0.6, 0.8], [1.4, 1.1], [-1.0, -0.9], [0.3, 1.5]];

/// Something of every kind.
fn everything() -> Vec<Answer> {
    vec![
        Answer::rather(0, 1).by(0),
        Answer::rather(3, 2).times(2).by(1).with_noise(1.7),
        Answer::tie(1, 4).times(3).by(0),
        Answer::tie(5, 0).shown_left(5),
        Answer::better(3, 4, 1).shown_left(4).by(1),
        Answer::better(3, 0, 2).shown_left(3),
        Answer::better(2, 5, 3),
        Answer::better(4, 2, 1).times(2),
        Answer::labelled(1, true),
        Answer::labelled(4, false).times(2),
        Answer::rated(0, 2).by(0),
        Answer::rated(3, 3).by(1),
        Answer::rated(5, 0).by(1),
        Answer::rated(2, 1).by(0),
        Answer::measured(0, 3.1),
        Answer::measured(3, 5.6),
        Answer::measured(4, -9.0),
        Answer::at_least(5, 4.0),
        Answer::at_most(1, 2.0),
        Answer::difference(0, 2, 3.0).shown_left(2),
        Answer::difference(0, 5, 0.0).shown_left(5),
        Answer::good(3, true).by(1),
        Answer::good(4, false).times(2),
        Answer::rather(0, 2).times(0.3),
    ]
}

/// Differences that are not all whole numbers, among other answers.
fn differences() -> Vec<Answer> {
    vec![
        Answer::difference(0, 1, 1.7).by(0),
        Answer::difference(2, 0, 3.0).shown_left(0),
        Answer::difference(3, 4, -0.4).times(2).with_noise(1.4),
        Answer::difference(1, 5, 0.0).shown_left(5),
        Answer::rather(0, 4).shown_left(4),
        Answer::tie(2, 3).times(0.6),
    ]
}

fn manners() -> Vec<ResponseModel> {
    vec![
        ResponseModel::default(),
        ResponseModel { bias: true, user_noise: true, ..ResponseModel::default() },
        ResponseModel { lapses: Lapses::ByUser, bias: true, ..ResponseModel::default() },
        ResponseModel { lapses: Lapses::Learned, robust: true, bias: true, ..ResponseModel::default() },
        ResponseModel {
            link: Link::Logistic,
            lapses: Lapses::Rate(RATE),
            bias: true,
            ..ResponseModel::default()
        },
    ]
}

/// The gradient of the evidence in every parameter of every kind of answer equals differences. Inference is at its fixpoint to 1e-11, so
/// a central difference with a step of 1e-4 has an error of 1e-7 of the third derivative and of 1e-7 by rounding.
#[test]
fn the_gradient_of_a_mixed_fit_equals_differences() {
    let every = |said: Vec<Answer>| manners().into_iter().map(move |model| (model, said.clone()));
    for (response_model, said) in every(everything()).chain(every(differences())) {
        let made = Made::new(&ROWS, se(2, 3.0, 1.2), &said, response_model);
        for method in [Method::Ep, Method::Laplace] {
            for space in [Space::Items, Space::Pairs] {
                let problem = made.problem(method, Some(space));
                let evidence =
                    problem.evaluate(&made.kernel, made.values.clone(), None, &made.settings).unwrap();
                // Far below what a difference with this step can tell.
                let residual = evidence.outcome.residual;
                assert!(residual <= 1e-8, "{response_model:?} {method:?}: {residual}");
                let gradient = problem.gradient(&made.kernel, &evidence);
                let entries = made.entries();
                assert_eq!(gradient.len(), 2 + entries.len());
                const H: f64 = 1e-4;
                for (i, entry) in entries.iter().enumerate() {
                    let at = |h: f64| {
                        let mut values = made.values.clone();
                        values.0[i] = entry.scale.value(entry.scale.coordinate(values.0[i]) + h);
                        made.log_evidence(method, Some(space), &made.kernel, &values)
                    };
                    let expected = (at(H) - at(-H)) / (2.0 * H);
                    let what = format!("{} of {response_model:?}, {method:?} over {space:?}", entry.name);
                    let slope = if i == 0 { 1.0 } else { entry.scale.slope(made.values.0[i]) };
                    close(gradient[2 + i] * slope, expected, 2e-6 * expected.abs().max(1.0), &what);
                }
                let values: Vec<f64> = made.kernel.parameters().iter().map(|p| p.value).collect();
                for i in 0..2 {
                    let at = |h: f64| {
                        let (mut kernel, mut values) = (made.kernel.clone(), values.clone());
                        values[i] *= h.exp();
                        kernel.set_parameters(&values).unwrap();
                        made.log_evidence(method, Some(space), &kernel, &made.values)
                    };
                    let expected = (at(H) - at(-H)) / (2.0 * H);
                    close(gradient[i], expected, 2e-6 * expected.abs().max(1.0), "kernel");
                }
            }
        }
    }
}

/// Three judges, of whom one answers by coins: the odds of lapses are that one's, and the judge's answers count less.
#[test]
fn the_judge_who_answers_by_coins_is_found() {
    let n = 12;
    let items = Items { keys: (0..n).map(|i| i.to_string()).collect(), columns: Vec::new() };
    let users: Vec<String> = ["ann", "bob", "coin"].map(String::from).to_vec();
    let mut rng = rather_numerics::random::stream(3, 0);
    let mut normal = || rather_numerics::random::normal(&mut rng);
    let mut answers = Vec::new();
    for m in 0..600 {
        let (a, b) = (m % n, (m + 1 + m / n % (n - 1)) % n);
        let user = m % 3;
        let z = 0.6 * (a as f64 - b as f64) + std::f64::consts::SQRT_2 * normal();
        let first = if user == 2 { normal() > 0.0 } else { z > 0.0 };
        let (winner, loser) = if first { (a, b) } else { (b, a) };
        answers.push(Answer::rather(winner, loser).by(user));
    }
    let fit = |lapses| {
        let response_model = ResponseModel { lapses, ..ResponseModel::default() };
        let settings = FitSettings { response_model, ..FitSettings::default() };
        Model::fit_given(&items, &answers, &users, &settings, &|_| ()).unwrap()
    };
    let model = fit(Lapses::ByUser);
    let learned = model.reported_hyperparameters();
    let value = |name: &str| learned.iter().find(|(known, _)| known == name).unwrap().1;
    let odds = |user: &str| {
        let rate = value("lapse");
        rate / (1.0 - rate) * value(&format!("lapse.odds[{user}]"))
    };
    // Half of a coin's answers are the ones that would be meant: the rate of lapses is 1.
    assert!(odds("coin") > 1.0 && odds("ann") < 0.1 && odds("bob") < 0.1, "{learned:?}");
    assert!(model.report().log_evidence > fit(Lapses::Learned).report().log_evidence + 5.0);
}

/// Where inference does not settle, it says so.
#[test]
fn contradictions_that_do_not_settle_are_not_trusted() {
    let response_model = ResponseModel {
        link: Link::Logistic,
        lapses: Lapses::Rate(RATE),
        bias: true,
        ..ResponseModel::default()
    };
    let mut said = everything();
    said.extend([Answer::difference(2, 0, 3.0), Answer::good(1, true), Answer::rather(5, 2)]);
    let made = Made::new(&ROWS, se(2, 3.0, 1.2), &said, response_model);
    let problem = made.problem(Method::Ep, Some(Space::Items));
    let outcome = problem.evaluate(&made.kernel, made.values.clone(), None, &EXACT).unwrap().outcome;
    assert_eq!((outcome.status, outcome.trustworthy), (Status::Limit, false), "{}", outcome.residual);
}

/// One answer of each kind about two items: expectation propagation is exact, and so is the evidence, here by an integral over
/// the one projection.
#[test]
fn the_evidence_of_one_answer_is_an_integral() {
    for answer in everything().into_iter().chain(differences()) {
        for response_model in manners() {
            let made = Made::new(&ROWS, se(2, 3.0, 1.2), &[answer], response_model);
            let likelihoods = made.observations.responses.likelihoods(&made.values);
            let k = made.kernel.matrix(&made.points);
            let variance = match answer.minus {
                Some(_) => k[(0, 0)] + k[(1, 1)] - 2.0 * k[(1, 0)],
                None => k[(0, 0)],
            };
            let o = made.observations.merged[0];
            // With a site an answer, several of the same are approximated.
            if o.count() != 1.0 && made.settings.factors == Factors::Answer {
                continue;
            }
            // The trapezoidal rule, which has all digits of an integrand this smooth.
            const STEPS: i32 = 4000;
            let h = 20.0 / f64::from(STEPS);
            let density = |u: f64| {
                let log = likelihoods.of(o.answer).log_density(o.sign() * u * variance.sqrt()).value;
                normal::pdf(u) * (o.count() * log).exp()
            };
            let z: f64 = (-STEPS / 2..=STEPS / 2).map(|i| density(h * f64::from(i)) * h).sum();
            let found = made.log_evidence(Method::Ep, None, &made.kernel, &made.values);
            close(found, z.ln(), 1e-10 * z.ln().abs().max(1.0), &format!("{answer:?} by {response_model:?}"));
        }
    }
}

/// A rating, a tie and a value of two items against the integral over both utilities: what is left is expectation propagation's own
/// error.
#[test]
fn mixed_evidence_is_near_the_exact_one() {
    let answers = [
        Answer::rated(0, 1),
        Answer::rated(1, 0),
        Answer::tie(0, 1),
        Answer::better(0, 1, 1),
        Answer::measured(0, 2.0),
    ];
    let made = Made::new(&ROWS[..2], se(2, 3.0, 1.2), &answers, ResponseModel::default());
    let likelihoods = made.observations.responses.likelihoods(&made.values);
    let k = made.kernel.matrix(&made.points);
    let (l00, l10) = (k[(0, 0)].sqrt(), k[(1, 0)] / k[(0, 0)].sqrt());
    let l11 = (k[(1, 1)] - l10 * l10).sqrt();
    let h = 0.05;
    let grid = || (-140..=140).map(|i| h * f64::from(i));
    let (mut z, mut first) = (0.0, 0.0);
    for (u, w) in grid().flat_map(|u| grid().map(move |w| (u, w))) {
        let f = [l00 * u, l10 * u + l11 * w];
        let said: f64 = made
            .observations
            .merged
            .iter()
            .map(|o| {
                let edge = made.observations.edges[o.edge()];
                let along = f[edge.plus()] - edge.minus().map_or(0.0, |m| f[m]);
                o.count() * likelihoods.of(o.answer).log_density(o.sign() * along).value
            })
            .sum();
        let weight = normal::pdf(u) * normal::pdf(w) * said.exp() * h * h;
        z += weight;
        first += weight * f[0];
    }
    let problem = made.problem(Method::Ep, None);
    let evidence = problem.evaluate(&made.kernel, made.values.clone(), None, &EXACT).unwrap();
    close(evidence.outcome.log_evidence, z.ln(), 5e-3, "evidence");
    let posterior =
        rather::posterior::Posterior::new(&problem, made.kernel.clone(), made.values.clone(), evidence);
    close(posterior.utilities(&made.points).mean[0], first / z, 1e-2, "mean");
}

/// People who contradict themselves at random: sites of negative precision, and inference still settles, with a Gaussian.
#[test]
fn lapses_and_outliers_converge() {
    let mut answers = Vec::new();
    for (a, b) in (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))) {
        answers.push(Answer::rather(a, b).times(8));
        answers.push(Answer::rather(b, a).times(2));
    }
    for (i, y) in [4.0, 3.2, 2.1, 1.2, -0.3, 60.0].into_iter().enumerate() {
        answers.push(Answer::measured(i, y).times(1 + i as u32 % 2));
    }
    let response_model =
        ResponseModel { lapses: Lapses::Rate(RATE), robust: true, ..ResponseModel::default() };
    for variance in [1.0, 30.0, 1e4] {
        let made = Made::new(&ROWS, se(2, variance, 0.7), &answers, response_model);
        for method in [Method::Ep, Method::Laplace] {
            let problem = made.problem(method, None);
            let settings = Settings { tolerance: 1e-7, ..Settings::default() };
            let found = problem.evaluate(&made.kernel, made.values.clone(), None, &settings).unwrap().outcome;
            assert_eq!(found.status, Status::Converged, "{method:?} at {variance}: {}", found.residual);
            assert!(found.posterior.variance.iter().all(|v| *v >= 0.0 && v.is_finite()));
            if method == Method::Ep {
                assert!(found.sites.tau.iter().any(|t| *t < 0.0), "no site is negative at {variance}");
            }
        }
    }
}

fn answers() -> impl Strategy<Value = Vec<Answer>> {
    let everything = everything();
    let one = (0..everything.len(), 0..6_usize, 1..6_usize, 1..4_u32).prop_map(move |(n, a, d, count)| {
        let like = everything[n];
        let minus = like.minus.map(|_| (a + d) % 6);
        Answer { plus: a, minus, count: count.into(), ..like }
    });
    prop::collection::vec(one, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// The order of answers, and which of two items a tie names first, change nothing.
    #[test]
    fn merging_forgets_the_order(answers in answers(), which in 0..4_usize) {
        let response_model = manners()[which];
        let users = ["ann".to_owned(), "bob".to_owned()];
        let a = Observations::of(&Answers::from(&answers), &users, response_model);
        let turned: Vec<Answer> = answers
            .iter()
            .rev()
            .map(|o| match o.minus {
                Some(minus) if o.is_tie() => {
                    let mut turned = Answer { plus: minus, minus: Some(o.plus), ..*o };
                    turned.reply.side = -o.reply.side;
                    turned
                }
                _ => *o,
            })
            .collect();
        prop_assert_eq!(&a, &Observations::of(&Answers::from(&turned), &users, response_model));
        prop_assert_eq!(a.total(), answers.iter().map(|o| o.count).sum::<f64>());
    }

    /// Whatever is said, inference ends with numbers, a status and a Gaussian; both spaces agree.
    #[test]
    fn any_answers_have_a_posterior(answers in answers(), which in 0..4_usize, log_variance in -2.0..6.0_f64) {
        let made = Made::new(&ROWS, se(2, log_variance.exp(), 1.0), &answers, manners()[which]);
        let found = [Space::Items, Space::Pairs].map(|space| {
            made.problem(Method::Ep, Some(space)).evaluate(&made.kernel, made.values.clone(), None, &EXACT).unwrap().outcome
        });
        for outcome in &found {
            prop_assert!(outcome.log_evidence.is_finite() && outcome.d_values.iter().all(|d| d.is_finite()));
            prop_assert!(outcome.posterior.variance.iter().all(|v| v.is_finite() && *v >= 0.0));
        }
        if found.iter().all(|o| o.status == Status::Converged) {
            let [a, b] = [&found[0], &found[1]].map(|o| o.log_evidence);
            prop_assert!((a - b).abs() < 1e-7 * a.abs().max(1.0), "{} and {}", a, b);
        }
    }
}

fn items(n: usize) -> Items {
    Items { keys: (0..n).map(|i| i.to_string()).collect(), columns: Vec::new() }
}

/// A model of everything says the same after its parts have been put together again.
#[test]
fn a_mixed_model_survives_its_parts() {
    let users = ["ann".to_owned(), "bob".to_owned()];
    for response_model in manners() {
        let settings = FitSettings { response_model, ..FitSettings::default() };
        let model = Model::fit_answers(&items(6), &everything(), &users, &settings, &|_| ()).unwrap();
        let again = Model::from_parts(model.to_parts()).unwrap();
        let pairs = [(0, 1), (3, 5)];
        assert_eq!(model.outcomes(model.points(), &pairs), again.outcomes(again.points(), &pairs));
        assert_eq!(model.ratings(model.points()), again.ratings(again.points()));
        assert_eq!(model.probabilities(model.points(), &pairs), again.probabilities(again.points(), &pairs));
        for said in model.outcomes(model.points(), &pairs) {
            assert_eq!(said.len(), 7);
            close(said.iter().map(|(_, p)| p).sum(), 1.0, 1e-9, "all that may be said");
        }
        for levels in model.ratings(model.points()) {
            close(levels.iter().sum(), 1.0, 1e-9, "all levels");
        }
    }
}

/// What cannot be said is an error with a sentence.
#[test]
fn what_cannot_be_said_is_refused() {
    let fit = |answers: &[Answer], settings: &FitSettings| {
        Model::fit_answers(&items(3), answers, &[], settings, &|_| ()).map(|_| ()).unwrap_err().to_string()
    };
    let plain = FitSettings::default();
    let cases = [
        (Answer::measured(1, f64::NAN), "answer 0 (counted from 0) has a value that is not a finite number"),
        (Answer::tie(1, 1), "comparison 0 (counted from 0) compares item 1 with itself"),
        (
            Answer::rated(7, 1),
            "comparison 0 (counted from 0) names item 7, but there are 3 items, counted from 0",
        ),
        (Answer::better(0, 1, 200), "answer 0 (counted from 0) has a grade or a level that there is not"),
        (
            Answer::rather(0, 1).with_noise(0.0),
            "answer 0 (counted from 0) has a noise that is not a positive number",
        ),
        (
            Answer::rather(0, 1).times(-0.5),
            "answer 0 (counted from 0) has a count that is not a positive number",
        ),
        (Answer::rather(0, 1).times(0), "answer 0 (counted from 0) is given no time at all; leave it out"),
    ];
    for (answer, sentence) in cases {
        assert_eq!(fit(&[answer], &plain), sentence);
    }
    let pair_effect = ResponseModel { pair_effect: true, ..ResponseModel::default() };
    let streaming = FitSettings { inference: Method::Streaming.into(), response_model: pair_effect, ..plain };
    let refused = fit(&[Answer::rather(0, 1)], &streaming);
    assert!(refused.starts_with("a pair effect needs expectation propagation"), "{refused}");
}

/// Two simulated people, one who sees ties and grades, one who answers at random now and then: their thresholds and their rate are
/// found, to within three of the posterior standard deviations that the evidence tells. `experiments -- answers` does it for every kind, twenty
/// times each.
#[test]
fn simulated_people_are_found_out() {
    use rand::RngExt;
    use rather_numerics::random::{normal, normals, stream, uniform};
    const ITEMS: usize = 12;
    let mut rng = stream(7, 0);
    let utility: Vec<f64> = normals(ITEMS, &mut rng).iter().map(|x| 2.5 * x).collect();
    let mut difference = || {
        let a = rng.random_range(0..ITEMS);
        let b = (a + rng.random_range(1..ITEMS)) % ITEMS;
        let z = utility[a] - utility[b] + std::f64::consts::SQRT_2 * normal(&mut rng);
        (if z > 0.0 { (a, b) } else { (b, a) }, z.abs(), uniform(&mut rng))
    };
    let graded: Vec<Answer> = (0..400)
        .map(|_| match difference() {
            ((a, b), z, _) if z < 1.0 => Answer::tie(a, b),
            ((a, b), z, _) => Answer::better(a, b, if z < 3.0 { 1 } else { 2 }),
        })
        .collect();
    let lapsing: Vec<Answer> = (0..800)
        .map(|_| match difference() {
            // Half of the answers at random are the right ones.
            ((a, b), _, u) if u < 0.1 => Answer::rather(b, a),
            ((a, b), ..) => Answer::rather(a, b),
        })
        .collect();
    let learned = ResponseModel { lapses: Lapses::Learned, ..ResponseModel::default() };
    type Truth = &'static [(&'static str, f64)];
    let people: [(&[Answer], ResponseModel, Truth); 2] = [
        (&graded, ResponseModel::default(), &[("tie", 1.0), ("grade[2]", 2.0)]),
        (&lapsing, learned, &[("lapse", 0.2)]),
    ];
    for (answers, response_model, truth) in people {
        let observations = Observations::of(&Answers::from(answers), &[], response_model);
        let ids = observations.items.iter().map(|&i| i as u64).collect();
        let points = Points::new(ids, 0, Vec::new());
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        };
        let schema = common::schema(0);
        let options = Options {
            schema: &schema,
            units: Units::ItemNoise,
            fixed: &[],
            feature_units: &[],
            priors: true,
            inference: Settings::default(),
        };
        let kernel = rather::kernel::parse("white", &schema, false).unwrap();
        let start = Hyperparameters::for_answers(kernel, &points, &observations.responses, &options).unwrap();
        let stop = Stop { gradient: 1e-3, decrease: 1e-6, ..Stop::default() };
        let found = maximise(&problem, &start, &Settings::default(), stop, None, &|| true).unwrap();
        let at = &found.hyperparameters;
        // Learning looked where it says that it was: the tolerance is that of inference while learning, of second order.
        let there = problem.evaluate(&at.kernel, at.values(), None, &Settings::default()).unwrap();
        close(found.log_evidence, there.outcome.log_evidence, 1e-4, "the evidence where learning ended");
        let sd = standard_deviations(&problem, at, Some(&found.sites), &Settings::default()).unwrap();
        for &(name, truth) in truth {
            let (k, entry) = at
                .free()
                .into_iter()
                .map(|i| &at.entries[i])
                .enumerate()
                .find(|(_, entry)| entry.name == name)
                .unwrap();
            let off = entry.coordinate() - entry.scale.coordinate(truth);
            assert!(off.abs() < 3.0 * sd[k] && sd[k] < 0.5, "{name} {}: {off} of {}", entry.value, sd[k]);
        }
    }
}

/// Draws from the exact posterior of a mixed fit: expectation propagation's means are within a tenth of a standard deviation of
/// theirs, and its standard deviations within a tenth, beyond four standard errors of the draws.
#[test]
fn expectation_propagation_is_near_the_exact_posterior() {
    let sampling =
        ExactSettings { samples: 8_000, burn_in: 100, thinning: 2, seed: 1, ..ExactSettings::default() };
    for response_model in [
        ResponseModel::default(),
        ResponseModel { lapses: Lapses::Rate(RATE), bias: true, ..ResponseModel::default() },
    ] {
        let made = Made::new(&ROWS, se(2, 3.0, 1.2), &everything(), response_model);
        let problem = made.problem(Method::Ep, None);
        let exact =
            ExactPosterior::new(&problem, made.kernel.clone(), made.values.clone(), &sampling).unwrap();
        assert!(exact.report().mixed(), "{:?}", exact.report());
        let evidence = problem.evaluate(&made.kernel, made.values.clone(), None, &EXACT).unwrap();
        let posterior =
            rather::posterior::Posterior::new(&problem, made.kernel.clone(), made.values.clone(), evidence);
        let found = posterior.utilities(&made.points);
        let (truth, error) = (exact.utilities(&made.points), exact.utility_errors(&made.points).mean);
        let (mean, variance) = (truth.mean, truth.variance);
        for i in 0..ROWS.len() {
            let sd = variance[i].sqrt();
            close(found.mean[i], mean[i], 0.1 * sd + 4.0 * error[i], "mean");
            close(found.variance[i].sqrt() / sd, 1.0, 0.1 + 4.0 * error[i] / sd, "standard deviation");
        }
    }
}

/// Hyperparameters that are not learned, and a kernel of names.
fn fixed(values: &[(&str, f64)], response_model: ResponseModel) -> FitSettings {
    let kernel = KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false });
    let fixed = values.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    FitSettings { kernel, fixed, response_model, ..FitSettings::default() }
}

fn value(model: &Model, name: &str) -> f64 {
    model.reported_hyperparameters().into_iter().find(|(other, _)| other == name).unwrap().1
}

/// With a learned advantage b of the left, "left" has the probability Phi((m + b) / sqrt(2 noise^2 + v)).
#[test]
fn an_advantage_of_the_left_counts_where_sides_are_given() {
    let shown = |left: usize, right: usize, left_won: bool| {
        let (winner, loser) = if left_won { (left, right) } else { (right, left) };
        Answer::rather(winner, loser).shown_left(left)
    };
    let answers = [
        shown(0, 1, true).times(5),
        shown(1, 0, true).times(4),
        shown(1, 2, true).times(6),
        shown(2, 1, false),
        shown(2, 0, true).times(2),
    ];
    let response_model = ResponseModel { bias: true, ..ResponseModel::default() };
    // Of one bias, the probabilities are closed.
    let settings = FitSettings {
        inference: Inference::Ep(Ep { integration: Integration::Off, ..Ep::default() }),
        ..fixed(&[("noise", 0.8), ("variance", 2.0)], response_model)
    };
    let model = Model::fit_answers(&items(3), &answers, &[], &settings, &|_| ()).unwrap();
    let (points, pairs) = (model.points(), [(0, 1), (1, 0), (2, 0)]);
    let (bias, z) = (value(&model, "bias"), model.belief().differences(points, &pairs));
    assert!(bias > 0.3, "{bias}");
    let found = model.shown_probabilities(points, &pairs);
    let outcomes = model.outcomes(points, &pairs);
    for (i, &p) in found.iter().enumerate() {
        let expected = normal::cdf((z.mean[i] + bias) / (2.0 * 0.64 + z.variance[i]).sqrt());
        close(p, expected, 1e-12, "shown on the left");
        close(outcomes[i][0].1, p, 1e-12, "the same as an outcome");
    }
    close(
        model.probabilities(points, &pairs)[0],
        normal::cdf(z.mean[0] / (1.28 + z.variance[0]).sqrt()),
        1e-12,
        "without sides",
    );
    let sharp = model.sharp_shown_probabilities(points, &pairs).unwrap();
    assert!(sharp.iter().zip(&found).all(|(p, q)| (p - q).abs() < 0.05), "{sharp:?} {found:?}");
    let plain =
        Model::fit_answers(&items(3), &answers, &[], &fixed(&[], ResponseModel::default()), &|_| ()).unwrap();
    assert_eq!(
        plain.shown_probabilities(plain.points(), &pairs),
        plain.probabilities(plain.points(), &pairs)
    );
}

/// Outcomes by ratios of evidences, against draws of the exact posterior: nearer than those of the Gaussian.
#[test]
fn sharper_outcomes_are_nearer_to_exact() {
    let answers = [
        Answer::better(0, 1, 2).times(3),
        Answer::better(1, 2, 2).times(3),
        Answer::better(2, 3, 1).times(2),
        Answer::tie(2, 3),
    ];
    let (noise, tie, gap) = (0.5, 0.4, 0.9);
    let settings = fixed(
        &[("noise", noise), ("variance", 9.0), ("tie", tie), ("grade[2]", gap)],
        ResponseModel::default(),
    );
    let model = Model::fit_answers(&items(4), &answers, &[], &settings, &|_| ()).unwrap();
    let problem = Problem {
        points: model.points(),
        observations: model.observations(),
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    let h = model.hyperparameters();
    let sampling =
        ExactSettings { samples: 80_000, burn_in: 200, thinning: 3, seed: 5, ..ExactSettings::default() };
    let drawn = ExactPosterior::new(&problem, h.kernel.clone(), h.values(), &sampling).unwrap();
    assert!(drawn.r_hat() < 1.01, "{}", drawn.r_hat());
    let draws = drawn.samples(model.points(), 80_000).unwrap();
    let s = std::f64::consts::SQRT_2 * noise;
    let thresholds = [f64::INFINITY, tie + gap, tie, -tie, -tie - gap, f64::NEG_INFINITY];
    let mut errors = [0.0_f64; 2];
    for pair in [(0, 1), (0, 3), (1, 3), (2, 3)] {
        let mut exact = [0.0; 5];
        let count = draws.cols() as f64;
        for j in 0..draws.cols() {
            let z = draws[(pair.0, j)] - draws[(pair.1, j)];
            let below = thresholds.map(|c| normal::cdf((c - z) / s));
            (0..5).for_each(|k| exact[k] += below[k] - below[k + 1]);
        }
        // The posterior's own averages over the same draws.
        for ((_, p), exact) in drawn.outcomes(model.points(), &[pair]).remove(0).iter().zip(&exact) {
            close(*p, exact / count, 1e-4, "an outcome by the draws");
        }
        let said = [
            model.outcomes(model.points(), &[pair]).remove(0),
            model.sharp_outcomes(model.points(), &[pair]).unwrap().remove(0),
        ];
        for (error, said) in errors.iter_mut().zip(&said) {
            close(said.iter().map(|(_, p)| p).sum(), 1.0, 1e-8, "all outcomes");
            for ((_, p), exact) in said.iter().zip(&exact) {
                *error = error.max((p - exact / count).abs());
            }
        }
    }
    // The draws' own error is about a thousandth, half of what sharpening takes off here.
    assert!(errors[1] < errors[0], "Gaussian {}, sharper {}", errors[0], errors[1]);
}

/// With lapses the ratio of evidences is no nearer to exact, so it is refused.
#[test]
fn nothing_is_sharpened_where_people_lapse() {
    let response_model = ResponseModel { lapses: Lapses::Rate(0.1), ..ResponseModel::default() };
    let answers = [Answer::rather(0, 1).times(3), Answer::rather(1, 2)];
    let model = Model::fit_answers(&items(3), &answers, &[], &fixed(&[], response_model), &|_| ()).unwrap();
    let error = model.sharp_probabilities(model.points(), &[(0, 1)]).unwrap_err();
    assert_eq!(error, rather::Unsupported::EvidenceRatio.into());
}

/// `independent` is another word for `white`, in every representation.
#[test]
fn independent_is_white() {
    let answers: Vec<Answer> =
        (0..40).map(|i| Answer::rather(i * 7 % 12, (i * 7 + 1 + i % 5) % 12)).collect();
    for representation in [Representation::Auto, Representation::Full, Representation::Sparse] {
        let fit = |expression: &str| {
            let kernel = KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false });
            let settings = FitSettings {
                inference: Inference::Ep(Ep { representation, ..Ep::default() }),
                kernel,
                ..FitSettings::default()
            };
            Model::fit_answers(&items(12), &answers, &[], &settings, &|_| ()).unwrap()
        };
        let [white, other, spaced] = ["white", "independent", " ( Independent ) "].map(fit);
        for other in [&other, &spaced] {
            assert_eq!(other.report().log_evidence, white.report().log_evidence, "{representation:?}");
            assert_eq!(other.report().representation, white.report().representation);
            assert_eq!(other.kernel_expression(), "white");
        }
    }
    let low_rank = |expression: &str| {
        let kernel = KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false });
        let settings = FitSettings {
            inference: Inference::Ep(Ep { representation: Representation::LowRank(3), ..Ep::default() }),
            kernel,
            ..FitSettings::default()
        };
        Model::fit_answers(&items(12), &answers, &[], &settings, &|_| ()).unwrap_err()
    };
    assert_eq!(low_rank("white"), low_rank("independent"));
}

/// Eight items of which many have equal features: rounding leaves their differences a variance of the square of the precision of numbers, and steps of
/// its size are no steps. Laplace's approximation converges for ties among them at every scale.
#[test]
fn laplace_converges_for_items_with_equal_features() {
    let rows: Vec<[f64; 2]> = (0..8).map(|i| [f64::from(i % 3), 0.0]).collect();
    let answers: Vec<Answer> = (0..60)
        .map(|k: usize| (k, k * 5 % 8, (k * 5 + 1 + k / 8 % 7) % 8))
        .map(|(k, a, b)| match k % 7 {
            0 => Answer::tie(a, b),
            1 => Answer::better(a.min(b), a.max(b), 1),
            _ => Answer::better(a.max(b), a.min(b), 1),
        })
        .collect();
    for variance in [0.1, 1.0, 10.0, 100.0, 1000.0] {
        for lengthscale in [0.3, 1.0, 3.0, 10.0] {
            let made = Made::new(&rows, se(2, variance, lengthscale), &answers, ResponseModel::default());
            for space in [Space::Items, Space::Pairs] {
                let problem = made.problem(Method::Laplace, Some(space));
                let found = problem
                    .evaluate(&made.kernel, made.values.clone(), None, &Settings::default())
                    .unwrap()
                    .outcome;
                assert!(
                    found.trustworthy && found.status != Status::Limit,
                    "{variance} {lengthscale} {space:?}: {} {:?}",
                    found.residual,
                    found.status
                );
            }
        }
    }
}
