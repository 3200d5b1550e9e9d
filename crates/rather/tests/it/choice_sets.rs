//! Answers about sets of options, taken jointly: against importance sampling, plain comparisons, differences and themselves.

use rather::answers::{Answer, Answers};
use rather::evaluate::tested;
use rather::evidence::Problem;
use rather::features::{Column, ColumnValues};
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings, correction};
use rather::kernel::{Kernel, parse};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, Link, ResponseModel};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, PairEffect, Representation};
use rather::points::Points;
use rather::posterior::Posterior;
use rather::{Person, Unsupported};
use rather_numerics::linalg::{Matrix, cholesky, solve_lower_vec};
use rather_numerics::random::{self, stream};
use rather_numerics::special::normal;
use serde_json::Value;

use crate::common::{oracle, schema};

fn floats(json: &Value) -> Vec<f64> {
    json.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn places(json: &Value) -> Vec<usize> {
    json.as_array().unwrap().iter().map(|x| x.as_u64().unwrap() as usize).collect()
}

/// "This is the best of these."
fn best(of: &[usize], best: usize) -> Answer {
    let others = of.iter().copied().filter(|&i| i != best);
    Answer::ordered(&std::iter::once(best).chain(others).collect::<Vec<_>>(), 1, 0).unwrap()
}

fn ranking(of: &[usize]) -> Answer {
    Answer::ordered(of, of.len() - 1, 0).unwrap()
}

pub(crate) fn reference_kernel() -> Kernel {
    let mut kernel = parse("se + white", &schema(1), false).unwrap();
    kernel.set_parameters(&[2.0, 1.0, 0.2]).unwrap();
    kernel
}

pub(crate) fn points(x: &[f64]) -> Points {
    Points::new((0..x.len() as u64).collect(), 1, x.to_vec())
}

pub(crate) fn observations(answers: &[Answer]) -> Observations {
    Observations::of(&answers.into(), &[], ResponseModel::default())
}

pub(crate) fn problem<'a>(points: &'a Points, observations: &'a Observations) -> Problem<'a> {
    Problem { points, observations, method: Method::Ep, space: None, inducing: None }
}

/// Answers about the best of several, and their posterior by importance sampling.
pub(crate) struct Golden {
    pub(crate) x: Vec<f64>,
    pub(crate) answers: Vec<Answer>,
    pub(crate) mean: Vec<f64>,
    pub(crate) sd: Vec<f64>,
    pub(crate) log_evidence: f64,
}

impl Golden {
    pub(crate) fn read() -> Self {
        let json = oracle("choice-sets-golden");
        let case = json.as_array().unwrap().iter().find(|case| case["kind"] == "best_normal").unwrap();
        let answer = |a: &Value| best(&places(&a["options"]), a["best"].as_u64().unwrap() as usize);
        let exact = &case["exact"];
        Self {
            x: floats(&case["items"]),
            answers: case["answers"].as_array().unwrap().iter().map(answer).collect(),
            mean: floats(&exact["mean"]),
            sd: floats(&exact["sd"]),
            log_evidence: exact["log_evidence"].as_f64().unwrap(),
        }
    }
}

#[test]
fn the_best_of_several_is_as_by_importance_sampling() {
    let Golden { x, answers, mean, sd, log_evidence: expected } = Golden::read();
    let (points, observations) = (points(&x), observations(&answers));
    let problem = problem(&points, &observations);
    let kernel = reference_kernel();
    let evidence = problem.evaluate(&kernel, 1.0, None, &Settings::default()).unwrap();
    let log_evidence = evidence.outcome.log_evidence;
    let likelihoods = observations.responses.likelihoods(&1.0.into());
    let corrected = log_evidence
        + correction::log_evidence(&evidence.prior, &observations.merged, &likelihoods, &evidence.outcome)
            .unwrap();
    println!("{log_evidence} {corrected} {:?} {}", evidence.outcome.status, evidence.outcome.sweeps);
    let log_evidence = corrected;
    assert!((log_evidence - expected).abs() < 0.02, "{log_evidence}");
    let posterior = Posterior::new(&problem, kernel, 1.0, evidence);
    let found = posterior.utilities(&points);
    for i in 0..x.len() {
        let own = found.variance[i].sqrt();
        println!("{i}: {} {} {own} {}", found.mean[i], mean[i], sd[i]);
        assert!((found.mean[i] - mean[i]).abs() < 0.02 * sd[i], "mean of {i}");
        assert!((own / sd[i] - 1.0).abs() < 0.02, "sd of {i}");
    }
}

/// Answers of every form about seven items.
fn every_form() -> Vec<Answer> {
    vec![
        best(&[0, 1, 2], 1),
        best(&[0, 1, 2, 3, 4], 3),
        Answer::ordered(&[2, 5, 0, 6], 0, 1).unwrap(),
        Answer::ordered(&[4, 1, 3, 5, 6], 1, 1).unwrap(),
        ranking(&[3, 1, 0, 2]),
        Answer::ordered(&[6, 3, 0, 1, 2], 2, 0).unwrap(),
        Answer::ordered(&[5, 3, 0, 1, 2, 4, 6], 2, 2).unwrap(),
        Answer::rather(0, 4),
        Answer::rather(3, 5),
    ]
}

const X: [f64; 7] = [-1.6, -1.0, 1.2, 0.3, -0.4, 0.8, 2.0];

#[test]
fn the_gradient_of_the_evidence_is_that_of_differences() {
    let (points, observations) = (points(&X), observations(&every_form()));
    let problem = problem(&points, &observations);
    let settings = Settings { tolerance: 1e-11, ..Settings::default() };
    let at = |logs: &[f64]| {
        let mut kernel = reference_kernel();
        kernel.set_parameters(&logs[..3].iter().map(|x| x.exp()).collect::<Vec<_>>()).unwrap();
        let evidence = problem.evaluate(&kernel, logs[3].exp(), None, &settings).unwrap();
        (problem.gradient(&kernel, &evidence), evidence.outcome.log_evidence)
    };
    let here = [2.0_f64.ln(), 0.3, 0.2_f64.ln(), 0.8_f64.ln()];
    let (gradient, _) = at(&here);
    for k in 0..4 {
        let step = 1e-4;
        let shifted = |by: f64| {
            let mut there = here;
            there[k] += by;
            at(&there).1
        };
        let slope = (shifted(step) - shifted(-step)) / (2.0 * step);
        println!("{k}: {} {slope}", gradient[k]);
        // Differences of second order are off by step² times a third derivative.
        assert!((gradient[k] - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{k}: {} {slope}", gradient[k]);
    }
}

#[test]
fn of_two_options_it_is_the_comparison() {
    let of_two = |a, b| Answer::ordered(&[a, b], 1, 0).unwrap();
    assert_eq!(of_two(3, 1), Answer::rather(3, 1));
    assert_eq!(Answer::ordered(&[3, 1], 0, 1).unwrap(), Answer::rather(3, 1));
    let answers = [(0, 1), (1, 2), (0, 2), (3, 1), (3, 0)];
    let sets: Vec<Answer> = answers.iter().map(|&(a, b)| of_two(a, b)).collect();
    let pairs: Vec<Answer> = answers.iter().map(|&(a, b)| Answer::rather(a, b)).collect();
    assert_eq!(observations(&sets), observations(&pairs));
}

#[test]
fn equal_answers_are_counted() {
    let (points, kernel) = (points(&X), reference_kernel());
    let settings = Settings { tolerance: 1e-11, ..Settings::default() };
    let of = |answers: &[Answer]| {
        let observations = observations(answers);
        let problem = problem(&points, &observations);
        let evidence = problem.evaluate(&kernel, 0.7, None, &settings).unwrap();
        let gradient = problem.gradient(&kernel, &evidence);
        (observations.merged.len(), evidence.outcome.log_evidence, evidence.outcome.posterior.mean, gradient)
    };
    let once = every_form();
    let twice: Vec<Answer> = once.iter().chain(&once).copied().collect();
    let counted: Vec<Answer> = once.iter().map(|a| a.times(2)).collect();
    let ((merged, evidence, mean, gradient), other) = (of(&twice), of(&counted));
    assert_eq!(merged, other.0);
    assert_eq!((evidence, mean, gradient), (other.1, other.2, other.3));
    // The order of options between which nothing is known does not matter.
    let turned = Answer::ordered(&[3, 4, 2, 1, 0], 1, 0).unwrap();
    assert_eq!(observations(&[best(&[0, 1, 2, 3, 4], 3)]), observations(&[turned]));
    // Two copies that are not merged, since their noises differ by nothing that counts.
    let apart: Vec<Answer> =
        once.iter().flat_map(|&a| [a, a.with_noise(if a.is_of_set() { 1.0 + 1e-13 } else { 1.0 })]).collect();
    let (more, separate, means, _) = of(&apart);
    assert!(more > merged);
    assert!((separate - evidence).abs() < 1e-7, "{separate} {evidence}");
    let apart = means.iter().zip(of(&counted).2).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-7, "{apart}");
}

#[test]
fn what_is_no_set_is_refused() {
    let text = |items: &[usize], top, bottom| Answer::ordered(items, top, bottom).unwrap_err().to_string();
    assert!(text(&[0], 1, 0).contains("2 to 12"), "{}", text(&[0], 1, 0));
    assert!(text(&(0..13).collect::<Vec<_>>(), 1, 0).contains("2 to 12"));
    assert!(text(&[0, 1, 2], 0, 0).contains("names an item"));
    assert!(text(&[0, 1, 2], 2, 2).contains("names an item"));
    let check = |answer: Answer| answer.check(7, 5).unwrap_err().to_string();
    assert!(check(ranking(&[0, 1, 9])).contains('9'));
    assert!(check(ranking(&[0, 1, 3, 1])).contains("itself"), "{}", check(ranking(&[0, 1, 3, 1])));
    let broken = Answer { reply: ranking(&[0, 1, 2]).reply, ..ranking(&[0, 1, 2, 3]) };
    assert!(check(broken).contains("another number"));
}

fn items(n: usize) -> Items {
    let x = (0..n).map(|i| X[i]).collect();
    let column = Column { name: "x".into(), values: ColumnValues::Numeric(x) };
    Items { keys: (0..n).map(|i| format!("i{i}")).collect(), columns: vec![column] }
}

fn settings(kernel: &str) -> FitSettings {
    FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: kernel.into(), ard: false }),
        inference: Inference::Ep(Ep {
            integration: Integration::Off,
            pair_effect: PairEffect::Off,
            ..Ep::default()
        }),
        ..FitSettings::default()
    }
}

#[test]
fn a_model_keeps_its_answers_in_its_file() {
    let answers: Answers = every_form().into_iter().chain([every_form()[4]]).collect();
    let model = Model::fit_given(&items(7), answers, &[], &settings("se"), &|_| ()).unwrap();
    assert!(model.report().trustworthy && model.report().comparisons == 10.0);
    let again = Model::from_parts(model.to_parts()).unwrap();
    assert_eq!(again.observations(), model.observations());
    assert_eq!(again.utilities(again.points()), model.utilities(model.points()));
    let mut parts = model.to_parts();
    parts.losers.pop();
    assert!(Model::from_parts(parts).is_err());
    let mut parts = model.to_parts();
    let last = parts.losers.len() - 1;
    parts.winners[last] = parts.winners[0];
    assert!(Model::from_parts(parts).is_err());
}

/// The probability of an order of noisy utilities around `f` (noise of standard deviation 1, options in the order that is said), by sums over a grid.
fn exact_probability(f: &[f64], top: usize, bottom: usize) -> f64 {
    const STEPS: usize = 240;
    let low = f.iter().copied().fold(f64::INFINITY, f64::min) - 6.0;
    let high = f.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 6.0;
    let h = (high - low) / STEPS as f64;
    let at = |g: usize| low + h * g as f64;
    let grid = |of: &dyn Fn(f64) -> f64| (0..=STEPS).map(|g| of(at(g))).collect::<Vec<f64>>();
    let density = |i: usize| grid(&|u| normal::pdf(u - f[i]));
    let below = |i: usize| grid(&|u| normal::cdf(u - f[i]));
    // The probabilities that a chain is above, and below, each point of the grid, by the trapezoidal rule.
    let times = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<f64>>();
    let up_to = |x: &[f64]| {
        let mut sum = 0.0;
        let mut out = vec![0.0];
        out.extend(x.windows(2).map(|w| {
            sum += 0.5 * h * (w[0] + w[1]);
            sum
        }));
        out
    };
    let from = |x: &[f64]| {
        let mut reversed = up_to(&x.iter().rev().copied().collect::<Vec<_>>());
        reversed.reverse();
        reversed
    };
    let n = f.len();
    let mut above = vec![1.0; STEPS + 1];
    let mut best = Vec::new();
    for i in 0..top {
        best = times(&density(i), &above);
        above = from(&best);
    }
    let mut beneath = vec![1.0; STEPS + 1];
    let mut worst = Vec::new();
    for i in (n - bottom..n).rev() {
        worst = times(&density(i), &beneath);
        beneath = up_to(&worst);
    }
    let between: Vec<Vec<f64>> = (top..n - bottom).map(below).collect();
    match (top, bottom) {
        (_, 0) => *up_to(&between.iter().fold(best, |sum, b| times(&sum, b))).last().unwrap(),
        (0, _) => {
            let over = |sum: Vec<f64>, b: &Vec<f64>| sum.iter().zip(b).map(|(s, b)| s * (1.0 - b)).collect();
            *up_to(&between.iter().fold(worst, over)).last().unwrap()
        }
        _ => {
            let mut sum = 0.0;
            for upper in 0..=STEPS {
                for lower in 0..upper {
                    let all: f64 = between.iter().map(|b| b[upper] - b[lower]).product();
                    sum += best[upper] * worst[lower] * all;
                }
            }
            sum * h * h
        }
    }
}

/// Items in an order, of which so many are the best and so many the worst.
type Ordered<'a> = (&'a [usize], usize, usize);

/// What the posterior and the evidence are, by importance draws around the Gaussian `N(mean, covariance)`: log evidence, means, standard deviations.
fn by_importance(
    prior: &Matrix,
    answers: &[Ordered<'_>],
    (mean, covariance): (&[f64], &Matrix),
    draws: usize,
) -> (f64, Vec<f64>, Vec<f64>) {
    let n = mean.len();
    let factor = |c: &Matrix, by: f64| {
        let mut l = Matrix::from_fn(n, n, |i, j| by * c[(i, j)]);
        assert!(cholesky(&mut l));
        l
    };
    // Somewhat wider, so that the tails are in it.
    let (of_prior, wide) = (factor(prior, 1.0), factor(covariance, 1.3));
    let log_density = |l: &Matrix, mut x: Vec<f64>| {
        solve_lower_vec(l, &mut x);
        -0.5 * x.iter().map(|x| x * x).sum::<f64>() - (0..n).map(|i| l[(i, i)].ln()).sum::<f64>()
    };
    let rng = &mut stream(7, 0);
    let mut draw = || random::normal(rng);
    let (mut total, mut first, mut second) = (0.0, vec![0.0; n], vec![0.0; n]);
    for _ in 0..draws {
        let e: Vec<f64> = (0..n).map(|_| draw()).collect();
        let f: Vec<f64> =
            (0..n).map(|i| mean[i] + (0..=i).map(|j| wide[(i, j)] * e[j]).sum::<f64>()).collect();
        let of = |(items, top, bottom): &Ordered<'_>| {
            let f: Vec<f64> = items.iter().map(|&i| f[i]).collect();
            exact_probability(&f, *top, *bottom).ln()
        };
        let centred = f.iter().zip(mean).map(|(f, m)| f - m).collect();
        let log_weight = log_density(&of_prior, f.clone()) - log_density(&wide, centred)
            + answers.iter().map(of).sum::<f64>();
        let weight = log_weight.exp();
        total += weight;
        for i in 0..n {
            first[i] += weight * f[i];
            second[i] += weight * f[i] * f[i];
        }
    }
    let means: Vec<f64> = first.iter().map(|x| x / total).collect();
    let sds = second.iter().zip(&means).map(|(x, m)| (x / total - m * m).sqrt()).collect();
    ((total / draws as f64).ln(), means, sds)
}

#[test]
fn the_exact_probabilities_are_those_of_the_forms() {
    let f = [0.4, -0.3, 0.9, 0.1];
    for (top, bottom) in [(1, 0), (0, 1), (1, 1), (3, 0), (2, 0)] {
        let between = f.len() - top - bottom;
        let mut sum = 0.0;
        // All arrangements of four, each form as often as the order between does not matter.
        for a in 0..4 {
            for b in (0..4).filter(|b| *b != a) {
                for c in (0..4).filter(|c| ![a, b].contains(c)) {
                    let d = 6 - a - b - c;
                    sum += exact_probability(&[f[a], f[b], f[c], f[d]], top, bottom);
                }
            }
        }
        let times: f64 = (1..=between).map(|k| k as f64).product();
        // The trapezoidal rule on 240 steps of a smooth function.
        assert!((sum / times - 1.0).abs() < 2e-3, "{top} {bottom}: {}", sum / times);
    }
}

#[test]
fn answers_of_every_form_are_as_by_importance_sampling() {
    let x = [-1.6, -1.0, 1.2, 0.3, -0.4];
    let forms: [(&str, &[Ordered<'_>]); 4] = [
        ("worst", &[(&[0, 1, 2], 0, 1), (&[3, 0, 4, 1], 0, 1), (&[2, 4, 3], 0, 1), (&[0, 3, 2, 4], 0, 1)]),
        ("best and worst", &[(&[2, 0, 1, 3], 1, 1), (&[4, 3, 1, 0], 1, 1), (&[2, 3, 4, 0, 1], 1, 1)]),
        ("rankings", &[(&[2, 0, 1], 2, 0), (&[2, 4, 3, 0], 3, 0), (&[4, 2, 1, 0, 3], 4, 0)]),
        ("first of a ranking", &[(&[2, 4, 3, 0], 2, 0), (&[4, 2, 1, 0, 3], 2, 0), (&[3, 2, 0, 1, 4], 3, 0)]),
    ];
    let (points, kernel) = (points(&x), reference_kernel());
    for (name, answers) in forms {
        let said: Vec<Answer> =
            answers.iter().map(|(of, t, b)| Answer::ordered(of, *t, *b).unwrap()).collect();
        let observations = observations(&said);
        let problem = problem(&points, &observations);
        let evidence = problem.evaluate(&kernel, 1.0, None, &Settings::default()).unwrap();
        let likelihoods = observations.responses.likelihoods(&1.0.into());
        let correction =
            correction::log_evidence(&evidence.prior, &observations.merged, &likelihoods, &evidence.outcome)
                .unwrap();
        let log_evidence = evidence.outcome.log_evidence + correction;
        let posterior = Posterior::new(&problem, kernel.clone(), 1.0, evidence);
        let (found, covariance) = (posterior.utilities(&points), posterior.covariance(&points));
        // 20,000 draws know a mean to .007 standard deviations and a standard deviation to .5 %.
        let (exact_evidence, mean, sd) =
            by_importance(&kernel.matrix(&points), answers, (&found.mean, &covariance), 20_000);
        println!("{name}: {log_evidence} ({correction}) {exact_evidence}");
        assert!((log_evidence - exact_evidence).abs() < 0.02, "{name}: {log_evidence} {exact_evidence}");
        for i in 0..x.len() {
            let own = found.variance[i].sqrt();
            println!("{i}: {} {} {own} {}", found.mean[i], mean[i], sd[i]);
            assert!((found.mean[i] - mean[i]).abs() < 0.02 * sd[i], "{name}: mean of {i}");
            assert!((own / sd[i] - 1.0).abs() < 0.02, "{name}: sd of {i}");
        }
    }
}

#[test]
fn sweeps_in_sequence_and_low_noise_find_the_same() {
    let (points, observations) = (points(&X), observations(&every_form()));
    let (problem, kernel) = (problem(&points, &observations), reference_kernel());
    let of =
        |noise: f64, settings: &Settings| problem.evaluate(&kernel, noise, None, settings).unwrap().outcome;
    for noise in [1.0, 0.05, 1e-3] {
        let parallel = of(noise, &Settings::default());
        let sequential = of(noise, &Settings { sweeps: 0, ..Settings::default() });
        println!("{noise}: {} {} {}", parallel.log_evidence, parallel.sweeps, sequential.sweeps);
        assert!(parallel.trustworthy && sequential.trustworthy);
        let apart = (parallel.log_evidence - sequential.log_evidence).abs();
        assert!(apart < 1e-6 * parallel.log_evidence.abs(), "{noise}: {apart}");
    }
}

/// Long rankings that contradict each other, at little noise, and the most options that there may be.
#[test]
fn twelve_options_are_taken() {
    let x: Vec<f64> = (0..12).map(|i| f64::from(i) / 4.0).collect();
    let up: Vec<usize> = (0..12).collect();
    let down: Vec<usize> = up.iter().rev().copied().collect();
    let turned = [&up[6..], &up[..6]].concat();
    let said = [ranking(&up), ranking(&down), Answer::ordered(&turned, 1, 1).unwrap(), best(&up, 7)];
    let (points, observations) = (points(&x), observations(&said));
    let problem = problem(&points, &observations);
    for noise in [1.0, 0.1] {
        let outcome =
            problem.evaluate(&reference_kernel(), noise, None, &Settings::default()).unwrap().outcome;
        println!(
            "{noise}: {} {:?} {} {}",
            outcome.log_evidence, outcome.status, outcome.sweeps, outcome.residual
        );
        assert!(outcome.trustworthy && outcome.log_evidence < 0.0);
    }
}

/// Features of low rank of all items are the full covariance; of some, the gradient is still that of differences.
#[test]
fn features_of_low_rank_take_sets() {
    let (points, observations) = (points(&X), observations(&every_form()));
    let settings = Settings { tolerance: 1e-11, ..Settings::default() };
    let of = |inducing: Option<&[usize]>, logs: &[f64]| {
        let problem = Problem { inducing, ..problem(&points, &observations) };
        let mut kernel = parse("se", &schema(1), false).unwrap();
        kernel.set_parameters(&[logs[0].exp(), logs[1].exp()]).unwrap();
        let evidence = problem.evaluate(&kernel, logs[2].exp(), None, &settings).unwrap();
        (problem.gradient(&kernel, &evidence), evidence.outcome.log_evidence)
    };
    let here = [0.7, 0.1, -0.2];
    let all: Vec<usize> = (0..7).collect();
    let (whole, reduced) = (of(None, &here).1, of(Some(&all), &here).1);
    // What rounding leaves out of the features.
    assert!((whole - reduced).abs() < 1e-5, "{whole} {reduced}");
    let some = [0, 3, 6];
    let gradient = of(Some(&some), &here).0;
    for k in 0..3 {
        let shifted = |by: f64| {
            let mut there = here;
            there[k] += by;
            of(Some(&some), &there).1
        };
        let slope = (shifted(1e-4) - shifted(-1e-4)) / 2e-4;
        println!("{k}: {} {slope}", gradient[k]);
        assert!((gradient[k] - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{k}: {} {slope}", gradient[k]);
    }
}

/// By name, a sparse precision is the full covariance.
#[test]
fn a_sparse_precision_takes_sets() {
    let names = Items { columns: Vec::new(), ..items(7) };
    let of = |representation| {
        let inference = Inference::Ep(Ep {
            representation,
            integration: Integration::Off,
            pair_effect: PairEffect::Off,
            ..Ep::default()
        });
        let settings = FitSettings { inference, ..settings("white") };
        Model::fit_given(&names, &every_form(), &[], &settings, &|_| ()).unwrap()
    };
    let (full, sparse) = (of(Representation::Full), of(Representation::Sparse));
    // The corrected evidence is the full covariance's own.
    let [a, b] = [&full, &sparse].map(|model| model.utilities(model.points()));
    for i in 0..7 {
        let sd = a.variance[i].sqrt();
        assert!((a.mean[i] - b.mean[i]).abs() < 1e-3 * sd, "{i}: {} {}", a.mean[i], b.mean[i]);
        assert!((b.variance[i].sqrt() / sd - 1.0).abs() < 1e-3, "{i}");
    }
}

#[test]
fn probabilities_of_all_outcomes_sum_to_one() {
    let model = Model::fit_given(&items(7), &every_form(), &[], &settings("se"), &|_| ()).unwrap();
    let asked = [
        best(&[0, 1, 2], 1),
        best(&[6, 5, 4, 3, 2, 1, 0], 3),
        Answer::ordered(&[0, 1, 2, 3, 4], 0, 1).unwrap(),
        Answer::ordered(&[0, 1, 2, 3, 4], 1, 1).unwrap(),
        ranking(&[3, 1, 0, 2, 5]),
    ];
    let found = tested(&model, model.points(), &asked.as_slice().into()).unwrap();
    for (t, outcomes) in found.iter().zip([3, 7, 5, 20, 120]) {
        assert_eq!(t.predicted.len(), outcomes);
        assert!((t.predicted.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(t.given.is_some() && t.of_answer() > 0.0);
    }
    // Of too many orders that one alone, by the same moments.
    let long = ranking(&[0, 1, 2, 3, 4, 5, 6]);
    let found = tested(&model, model.points(), &[long].as_slice().into()).unwrap();
    assert!(found[0].given.is_none() && found[0].predicted.len() == 1 && found[0].of_answer() < 1.0);
    let person = Person::Single(&model);
    let [first, last] = person.extremes(model.points(), &[2, 0, 5, 6]).unwrap();
    assert!(
        (first.iter().sum::<f64>() - 1.0).abs() < 1e-12 && (last.iter().sum::<f64>() - 1.0).abs() < 1e-12
    );
    let of_best = tested(&model, model.points(), &[best(&[2, 0, 5, 6], 2)].as_slice().into()).unwrap();
    assert!((of_best[0].of_answer() - first[0]).abs() < 1e-12);
    // Of two it is the plain probability, to the bit.
    let [first, last] = person.extremes(model.points(), &[4, 1]).unwrap();
    let p = model.probabilities(model.points(), &[(4, 1)])[0];
    assert_eq!((first[0], last[1]), (p, p));
    assert!(person.extremes(model.points(), &[4, 1, 4]).is_err());
}

#[test]
fn what_does_not_take_sets_says_so() {
    let refused = |change: &dyn Fn(&mut FitSettings)| {
        let mut settings = settings("se");
        change(&mut settings);
        let error = Model::fit_given(&items(7), &every_form(), &[], &settings, &|_| ()).unwrap_err();
        assert_eq!(error, Unsupported::JointAnswers.into());
    };
    // Normal noise has no closed derivatives, Gumbel noise no closed moments.
    refused(&|s| s.inference = Method::Laplace.into());
    refused(&|s| {
        s.inference = Method::Streaming.into();
        s.half_life = Some(3.0);
    });
    refused(&|s| s.half_life = Some(3.0));
    refused(&|s| s.response_model.link = Link::Logistic);
    refused(&|s| s.response_model.lapses = Lapses::Rate(0.1));
    refused(&|s| s.response_model.pair_effect = true);
    refused(&|s| {
        s.inference = Method::Laplace.into();
        s.response_model =
            ResponseModel { link: Link::Logistic, lapses: Lapses::Learned, ..s.response_model };
    });
}

/// Shares of 95 % intervals of all differences of utilities that hold the truth: of answers taken jointly, and as independent pairs.
fn coverage(form: (usize, usize, usize), worlds: u64) -> [f64; 2] {
    const ITEMS: usize = 10;
    const ANSWERS: usize = 25;
    let (options, top, bottom) = form;
    let points = points(&[0.0; ITEMS]);
    let mut kernel = parse("white", &schema(1), false).unwrap();
    kernel.set_parameters(&[1.0]).unwrap();
    let (mut within, mut all) = ([0.0; 2], 0.0);
    for world in 0..worlds {
        let rng = &mut stream(world, 3);
        let mut draw = || random::normal(rng);
        let f: Vec<f64> = (0..ITEMS).map(|_| draw()).collect();
        let mut said = [Vec::new(), Vec::new()];
        for k in 0..ANSWERS {
            let mut seen: Vec<(f64, usize)> = (0..options)
                .map(|j| (k * 3 + j * (1 + k % 2 * 2)) % ITEMS)
                .map(|item| (f[item] + draw(), item))
                .collect();
            seen.sort_by(|a, b| b.0.total_cmp(&a.0));
            let items: Vec<usize> = seen.iter().map(|(_, item)| *item).collect();
            said[0].push(Answer::ordered(&items, top, bottom).unwrap());
            for (i, &a) in items.iter().enumerate() {
                let others = items[i + 1..].iter().filter(|_| i < top);
                said[1].extend(others.map(|&b| Answer::rather(a, b)));
            }
        }
        for (within, said) in within.iter_mut().zip(&said) {
            let observations = observations(said);
            let problem = problem(&points, &observations);
            let evidence = problem.evaluate(&kernel, 1.0, None, &Settings::default()).unwrap();
            let posterior = Posterior::new(&problem, kernel.clone(), 1.0, evidence);
            let pairs: Vec<(usize, usize)> = (1..ITEMS).map(|i| (i, i - 1)).collect();
            let found = posterior.differences(&points, &pairs);
            for (k, &(a, b)) in pairs.iter().enumerate() {
                let off = (f[a] - f[b] - found.mean[k]).abs();
                *within += f64::from(u8::from(off < 1.959964 * found.variance[k].sqrt()));
            }
        }
        all += (ITEMS - 1) as f64;
    }
    within.map(|count| count / all)
}

/// Intervals of 9 differences in 150 worlds: the standard error of a share of 95 % is at most .01, as differences of neighbours hang together.
#[test]
fn intervals_of_joint_answers_hold_the_truth() {
    for (name, form) in [("best of 5", (5, 1, 0)), ("rankings of 6", (6, 5, 0))] {
        let [joint, pairs] = coverage(form, 150);
        println!("{name}: {joint:.3} jointly, {pairs:.3} as independent pairs");
        assert!((0.93..=0.97).contains(&joint), "{name}: {joint}");
        assert!(pairs < joint, "{name}: {pairs} {joint}");
    }
}
