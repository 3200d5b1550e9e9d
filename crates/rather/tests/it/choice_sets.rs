//! Answers about sets of options, taken jointly: against importance sampling, plain comparisons, differences and themselves.

use rather::answers::{Answer, Answers};
use rather::evidence::Problem;
use rather::features::{Column, ColumnValues};
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings, correction};
use rather::kernel::{Kernel, parse};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::ResponseModel;
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, PairEffect};
use rather::points::Points;
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

fn reference_kernel() -> Kernel {
    let mut kernel = parse("se + white", &schema(1), false).unwrap();
    kernel.set_parameters(&[2.0, 1.0, 0.2]).unwrap();
    kernel
}

fn points(x: &[f64]) -> Points {
    Points::new((0..x.len() as u64).collect(), 1, x.to_vec())
}

fn observations(answers: &[Answer]) -> Observations {
    Observations::of(&answers.into(), &[], ResponseModel::default())
}

fn problem<'a>(points: &'a Points, observations: &'a Observations) -> Problem<'a> {
    Problem { points, observations, method: Method::Ep, space: None, inducing: None }
}

#[test]
fn the_best_of_several_is_as_by_importance_sampling() {
    let json = oracle("choice-sets-golden");
    let case = json.as_array().unwrap().iter().find(|case| case["kind"] == "best_normal").unwrap();
    let answers: Vec<Answer> = case["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| best(&places(&a["options"]), a["best"].as_u64().unwrap() as usize))
        .collect();
    let (x, exact) = (floats(&case["items"]), &case["exact"]);
    let (points, observations) = (points(&x), observations(&answers));
    let problem = problem(&points, &observations);
    let kernel = reference_kernel();
    let evidence = problem.evaluate(&kernel, 1.0, None, &Settings::default()).unwrap();
    let log_evidence = evidence.outcome.log_evidence;
    let likelihoods = observations.responses.likelihoods(&1.0.into());
    let corrected = log_evidence
        + correction::log_evidence(&evidence.prior, &observations.merged, &likelihoods, &evidence.outcome).unwrap();
    println!("{log_evidence} {corrected} {:?} {}", evidence.outcome.status, evidence.outcome.sweeps);
    let log_evidence = corrected;
    assert!((log_evidence - exact["log_evidence"].as_f64().unwrap()).abs() < 0.02, "{log_evidence}");
    let posterior = rather::posterior::Posterior::new(&problem, kernel, 1.0, evidence);
    let found = posterior.utilities(&points);
    let (mean, sd) = (floats(&exact["mean"]), floats(&exact["sd"]));
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
