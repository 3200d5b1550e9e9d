//! Streaming inference with answers about sets, taken jointly: against the batch, and its invariants.

use std::sync::Arc;

use rather::answers::Answer;
use rather::evidence::Problem;
use rather::features::{Column, ColumnValues};
use rather::inference::observations::Observations;
use rather::inference::prior::Space;
use rather::inference::{Factors, Method, Settings as Inference};
use rather::kernel::{Kernel, Schema, parse};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{AnswerIndex, ResponseModel};
use rather::model::{Ep, FitSettings, Inference as Way, Integration, Items, Model};
use rather::points::Points;
use rather::posterior::Posterior;
use rather::streaming::{Forgetting, Settings, State, StreamingModel};
use rather::{Error, Unsupported};
use rather_numerics::random::{normal, stream, uniform};

use crate::common::se;

const NOISE: f64 = 0.8;

fn line(x: &[f64]) -> Points {
    Points::new((0..x.len() as u64).collect(), 1, x.to_vec())
}

fn near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len());
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("{what}: {apart:.1e}");
    assert!(apart < tolerance, "{what}: {apart}\n{found:?}\n{expected:?}");
}

/// Items on the line, and answers about two to five of them by a wavy taste.
fn listener(items: usize, answers: usize, seed: u64) -> (Points, Vec<Answer>) {
    let rng = &mut stream(seed, 0);
    let x: Vec<f64> = (0..items).map(|_| uniform(rng)).collect();
    let answer = |k: usize| {
        let options = 2 + k % 4;
        let mut seen: Vec<(f64, usize)> = (0..options)
            .map(|j| (k * 3 + j * (1 + k % 2 * 2)) % items)
            .map(|i| (2.0 * (5.0 * x[i]).sin() + x[i] + NOISE * normal(rng), i))
            .collect();
        seen.sort_by(|a, b| b.0.total_cmp(&a.0));
        let items: Vec<usize> = seen.iter().map(|(_, item)| *item).collect();
        let (top, bottom) = [(1, 0), (0, 1), (1, 1), (options - 1, 0)][k / 4 % 4];
        Answer::ordered(&items, top, bottom.min(options - top)).unwrap()
    };
    let answers = (0..answers).map(answer).collect();
    (line(&x), answers)
}

fn observations(answers: &[Answer]) -> Observations {
    Observations::of(&answers.into(), &[], ResponseModel::default())
}

fn hear(model: &mut StreamingModel, items: &Points, answers: &[Answer], all: &Observations) {
    for answer in answers {
        let about: Vec<usize> = answer.items().collect();
        if answer.is_of_set() {
            let at = all.responses.replies.iter().position(|reply| *reply == answer.reply).unwrap();
            model.observe_set(items, &about, AnswerIndex(at as u32)).unwrap();
        } else {
            model.observe(items, (about[0], Some(about[1])), AnswerIndex::CHOICE, false).unwrap();
        }
    }
}

fn new(kernel: Kernel, basis: Points, settings: Settings, all: &Observations) -> StreamingModel {
    let settings = Settings { noise: NOISE, ..settings };
    StreamingModel::new(kernel, basis, settings)
        .unwrap()
        .with_responses(Arc::clone(&all.responses), NOISE.into())
}

/// Where the batch is compared with, a basis needs as little jitter as its Cholesky factor allows.
fn little_jitter() -> Settings {
    Settings { jitter: 1e-13, ..Settings::default() }
}

/// The engine's posterior of the same answers, each with a site of its own, with inducing items or without.
fn batch(items: &Points, answers: &[Answer], kernel: &Kernel, inducing: Option<&[usize]>) -> Posterior {
    let observations = observations(answers);
    assert_eq!(observations.items, (0..items.len()).collect::<Vec<_>>());
    let space = inducing.is_none().then_some(Space::Items);
    let problem = Problem { points: items, observations: &observations, method: Method::Ep, space, inducing };
    let tight = Inference { tolerance: 1e-11, factors: Factors::Answer, ..Inference::default() };
    let evidence = problem.evaluate(kernel, NOISE, None, &tight).unwrap();
    Posterior::new(&problem, kernel.clone(), NOISE, evidence)
}

/// With the compared items as the basis, the model at rest is the engine's.
#[test]
fn at_rest_it_is_the_engine() {
    let (items, answers) = listener(11, 40, 2);
    let all = observations(&answers);
    let kernel = se(1, 4.0, 0.2);
    let mut model = new(kernel.clone(), items.clone(), little_jitter(), &all);
    hear(&mut model, &items, &answers, &all);
    assert_eq!((model.answers(), model.kept()), (40, 40));
    let one_pass = model.log_evidence();
    let refined = model.refine(80);
    let engine = batch(&items, &answers, &kernel, None);
    println!("{one_pass} {} {}", refined.log_evidence, engine.outcome().log_evidence);
    let test = line(&[-0.2, 0.15, 0.5, 0.77, 1.3]);
    let (a, b) = (model.relative_utilities(&test, &test), engine.relative_utilities(&test, &test));
    // Jitter enters.
    near(&a.mean, &b.mean, 1e-6, "mean");
    near(&a.variance, &b.variance, 1e-6, "variance");
    near(model.covariance(&test).data(), engine.covariance(&test).data(), 1e-6, "covariance");
    assert!((refined.log_evidence - engine.outcome().log_evidence).abs() < 1e-6);
    // One pass is within some percent of that.
    assert!((one_pass - refined.log_evidence).abs() < 1.0);
}

/// On a basis of some of the items it is the engine with these as inducing items: what a basis leaves open of a set hangs together there, too.
#[test]
fn at_rest_on_a_basis_it_is_the_engine_of_low_rank() {
    let (items, answers) = listener(11, 40, 3);
    let all = observations(&answers);
    let kernel = se(1, 4.0, 0.25);
    let some = [0, 2, 5, 7, 8, 10];
    let mut model = new(kernel.clone(), items.select(&some), little_jitter(), &all);
    hear(&mut model, &items, &answers, &all);
    let refined = model.refine(200);
    let engine = batch(&items, &answers, &kernel, Some(&some));
    println!("{refined:?} {}", engine.outcome().log_evidence);
    // Of inducing items nothing is left open, which the two add up differently.
    let known = items.select(&some);
    let (a, b) = (model.relative_utilities(&known, &known), engine.relative_utilities(&known, &known));
    near(&a.mean, &b.mean, 1e-6, "mean");
    near(&a.variance, &b.variance, 1e-6, "variance");
    assert!((refined.log_evidence - engine.outcome().log_evidence).abs() < 1e-6);
}

/// A fading taste is a Gaussian process in items and time: the engine's batch on both gives the same.
#[test]
fn fading_equals_the_engine_with_time_as_a_feature() {
    let (items, answers) = listener(8, 24, 8);
    let all = observations(&answers);
    let half_life = 15.0;
    let settings = Settings { forgetting: Forgetting::Drift { half_life }, ..little_jitter() };
    let mut model = new(se(1, 4.0, 0.2), items.clone(), settings, &all);
    hear(&mut model, &items, &answers, &all);
    let refined = model.refine(300);
    assert!(refined.residual < 1e-9, "{refined:?}");
    let schema = Schema { names: vec!["x".into(), "t".into()], categorical: vec![false; 2], context: 0 };
    let mut kernel = parse("se[x] * matern12[t]", &schema, false).unwrap();
    kernel.set_parameters(&[4.0, 0.2, half_life / std::f64::consts::LN_2]).unwrap();
    let mut at = Vec::new();
    let mut timed = Vec::new();
    for (t, answer) in answers.iter().enumerate() {
        let first = at.len();
        at.extend(answer.items().map(|i| [items.row(i)[0], t as f64]));
        let mut place = first;
        let places: Vec<(usize, usize)> = answer
            .items()
            .map(|i| {
                (i, {
                    place += 1;
                    place - 1
                })
            })
            .collect();
        timed.push(answer.renumbered(|i| places.iter().find(|(item, _)| *item == i).unwrap().1));
    }
    let engine = batch(&Points::from_rows(&at), &timed, &kernel, None);
    let grid = [0.0, 0.3, 0.6, 1.0];
    let now = Points::from_rows(&grid.map(|x| [x, 23.0]));
    let grid = line(&grid);
    let (a, b) = (model.relative_utilities(&grid, &grid), engine.relative_utilities(&now, &now));
    near(&a.mean, &b.mean, 1e-6, "mean");
    near(&a.variance, &b.variance, 1e-6, "variance");
    assert!((refined.log_evidence - engine.outcome().log_evidence).abs() < 1e-6);
}

/// What answers said before they went stays, whole answers at a time.
#[test]
fn forgetting_the_answers_does_not_forget_what_they_said() {
    let (items, answers) = listener(10, 40, 4);
    let all = observations(&answers);
    let told = |memory| {
        let mut model = new(se(1, 4.0, 0.2), items.clone(), Settings { memory, ..little_jitter() }, &all);
        hear(&mut model, &items, &answers, &all);
        model
    };
    let everything = told(1_000);
    for memory in [0, 3, 17, 40] {
        let mut model = told(memory);
        println!("{memory}: {} kept", model.kept());
        assert_eq!(model.answers(), 40);
        assert!(model.kept() <= memory && (memory < 10 || model.kept() > 0));
        near(&model.basis_mean(), &everything.basis_mean(), 1e-9, "mean");
        let [a, b] = [&model, &everything].map(StreamingModel::basis_covariance);
        near(a.data(), b.data(), 1e-9, "covariance");
        assert!((model.log_evidence() - everything.log_evidence()).abs() < 1e-9);
        // From what is kept and what was said before, the belief is the same again.
        model.refine(0);
        near(&model.basis_mean(), &everything.basis_mean(), 1e-9, "mean again");
    }
}

/// Saved as JSON and taken up again, the same answers lead to the same bits.
#[test]
fn a_saved_state_goes_on_where_it_stopped() {
    let (items, answers) = listener(10, 40, 5);
    let all = observations(&answers);
    let forgetting = Forgetting::Drift { half_life: 50.0 };
    let settings = Settings { memory: 37, forgetting, ..Settings::default() };
    let mut model = new(se(1, 4.0, 0.2), line(&[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]), settings, &all);
    hear(&mut model, &items, &answers[..25], &all);
    let saved = serde_json::to_value(model.state()).unwrap();
    let resume = |state: serde_json::Value| {
        let state: State = serde_json::from_value(state).unwrap();
        StreamingModel::resume_with(state, Arc::clone(&all.responses), NOISE.into())
    };
    let mut resumed = resume(saved.clone()).unwrap();
    for model in [&mut model, &mut resumed] {
        hear(model, &items, &answers[25..], &all);
        model.refine(2);
    }
    assert_eq!(model.state(), resumed.state());
    // A part of an answer is none, nor is one of other responses, nor one with a half-life.
    let damaged = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut state = saved.clone();
        change(&mut state);
        resume(state).unwrap_err().to_string()
    };
    let of_set = |v: &serde_json::Value| {
        let all = v["answers"].as_array().unwrap();
        all.iter().position(|a| a["kind"]["of-set"]["pairs"] == 6).unwrap()
    };
    let pair = |v: &mut serde_json::Value| {
        let at = of_set(v);
        v["answers"][at + 1]["kind"]["of-set"].take()
    };
    assert!(
        damaged(&|v| {
            v["answers"].as_array_mut().unwrap().pop();
        })
        .contains("streaming state")
    );
    assert!(
        damaged(&|v| {
            let mut of = pair(v);
            of["pair"] = 4.into();
            let at = of_set(v);
            v["answers"][at + 1]["kind"]["of-set"] = of;
        })
        .contains("not whole")
    );
    assert!(
        damaged(&|v| v["settings"]["drift"] = serde_json::json!({"power": {"half_life": 5.0}}))
            .contains("not whole")
    );
    let plain = Arc::new(observations(&[Answer::rather(0, 1)]).responses.as_ref().clone());
    let other = StreamingModel::resume_with(serde_json::from_value(saved).unwrap(), plain, NOISE.into());
    assert!(other.unwrap_err().to_string().contains("responses"));
}

#[test]
fn a_half_life_is_refused() {
    let (items, answers) = listener(8, 8, 6);
    let all = observations(&answers);
    let settings = Settings { forgetting: Forgetting::Power { half_life: 9.0 }, ..Settings::default() };
    let mut model = new(se(1, 4.0, 0.2), items.clone(), settings, &all);
    let at = all.responses.replies.iter().position(|r| *r == answers[1].reply).unwrap() as u32;
    let about: Vec<usize> = answers[1].items().collect();
    let error = model.observe_set(&items, &about, AnswerIndex(at)).unwrap_err();
    assert_eq!(error, Unsupported::JointAnswers.into());
    let mut model = new(se(1, 4.0, 0.2), items.clone(), Settings::default(), &all);
    assert!(matches!(
        model.observe_set(&items, &[1, 2, 1], AnswerIndex(at)),
        Err(Error::SelfComparison { .. } | Error::Answer { .. })
    ));
    assert!(matches!(model.observe_set(&items, &[1], AnswerIndex(at)), Err(Error::ModelParts { .. })));
    assert!(matches!(model.observe_set(&items, &about, AnswerIndex(99)), Err(Error::ModelParts { .. })));
}

/// Fitted by name, with learned hyperparameters, it is near the batch; what is saved predicts the same.
#[test]
fn models_learn_and_are_saved() {
    let (points, answers) = listener(10, 60, 7);
    let columns = |x: bool| {
        let values = ColumnValues::Numeric((0..10).map(|i| points.row(i)[0]).collect());
        if x { vec![Column { name: "x".into(), values }] } else { Vec::new() }
    };
    for (expression, with_features) in [("se", true), ("white", false)] {
        let items =
            Items { keys: (0..10).map(|i| format!("i{i}")).collect(), columns: columns(with_features) };
        let fit = |inference: Way| {
            let kernel = KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false });
            let settings = FitSettings { kernel, inference, ..FitSettings::default() };
            Model::fit_given(&items, &answers, &[], &settings, &|_| ()).unwrap()
        };
        let streamed = fit(Method::Streaming.into());
        let ep = fit(Way::Ep(Ep { integration: Integration::Off, ..Ep::default() }));
        let pairs: Vec<(usize, usize)> = (0..10).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let [p, q] = [&streamed, &ep].map(|m| m.probabilities(m.points(), &pairs));
        println!("{:?} {:?}", streamed.reported_hyperparameters(), ep.reported_hyperparameters());
        // Its prior for the kernel's parameters is another, its maximum of the evidence not the batch's.
        near(&p, &q, 0.05, expression);
        let again = Model::from_parts(streamed.to_parts()).unwrap();
        assert_eq!(again.probabilities(again.points(), &pairs), p);
        assert_eq!(again.to_parts(), streamed.to_parts());
    }
}
