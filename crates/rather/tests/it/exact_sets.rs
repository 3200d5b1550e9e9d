//! The exact posterior of answers about sets, taken jointly: against importance sampling, known probabilities, expectation propagation, and among samplers.

use rather::answers::Answer;
use rather::check::{CheckSettings, check, check_user};
use rather::exact::{ExactPosterior, ExactSettings, Sampler};
use rather::inference::{Method, Settings};
use rather::kernel::{Kernel, parse};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::model::{FitSettings, Items, Model};
use rather::posterior::{Moments, Posterior};
use rather::{Error, Unsupported};

use crate::choice_sets::{Golden, observations, points, problem, reference_kernel};
use crate::common::schema;

const X: [f64; 7] = [-1.6, -1.0, 1.2, 0.3, -0.4, 0.8, 2.0];

fn kernel(expression: &str, parameters: &[f64]) -> Kernel {
    let mut kernel = parse(expression, &schema(1), false).unwrap();
    kernel.set_parameters(parameters).unwrap();
    kernel
}

fn draw(answers: &[Answer], kernel: Kernel, noise: f64, sampler: Sampler) -> Result<ExactPosterior, Error> {
    let settings = ExactSettings { samples: 20_000, thinning: 3, sampler, ..ExactSettings::default() };
    let (points, observations) = (points(&X), observations(answers));
    let compared = points.select(&observations.items);
    ExactPosterior::new(&problem(&compared, &observations), kernel, noise, &settings)
}

fn ordered(items: &[usize], top: usize, bottom: usize) -> Answer {
    Answer::ordered(items, top, bottom).unwrap()
}

/// Best ones, worst ones, rankings and the first of rankings, beside comparisons, of which one is given twice.
fn told() -> Vec<Answer> {
    vec![
        ordered(&[1, 0, 2], 1, 0),
        ordered(&[3, 0, 1, 2, 4], 1, 0).times(2),
        ordered(&[2, 5, 0, 6], 0, 1),
        ordered(&[3, 1, 0, 2], 3, 0),
        ordered(&[6, 3, 0, 1, 2], 2, 0),
        Answer::rather(0, 4),
        Answer::rather(3, 5).times(2),
    ]
}

/// The same with best and worst ones, which have more comparisons than differences that are independent.
fn singular() -> Vec<Answer> {
    [told(), vec![ordered(&[4, 1, 3, 5, 6], 1, 1), ordered(&[5, 3, 0, 1, 2, 4, 6], 2, 2)]].concat()
}

/// Means within so many standard deviations, and standard deviations within that share.
fn near(what: &str, found: &Moments, (mean, variance): (&[f64], &[f64]), tolerance: f64) {
    for i in 0..mean.len() {
        let (own, sd) = (found.variance[i].sqrt(), variance[i].sqrt());
        println!("{what} {i}: {} {} {own} {sd}", found.mean[i], mean[i]);
        assert!((found.mean[i] - mean[i]).abs() < tolerance * sd, "{what}: mean of {i}");
        assert!((own / sd - 1.0).abs() < tolerance, "{what}: sd of {i}");
    }
}

#[test]
fn the_best_of_several_is_as_by_importance_sampling() {
    let Golden { x, answers, mean, sd, log_evidence } = Golden::read();
    let (points, observations) = (points(&x), observations(&answers));
    let settings = ExactSettings { samples: 20_000, ..ExactSettings::default() };
    let exact =
        ExactPosterior::new(&problem(&points, &observations), reference_kernel(), 1.0, &settings).unwrap();
    println!("{:?}", exact.report());
    // 20,000 independent draws know a mean to .007 standard deviations at most, and a standard deviation to .5 %; the reference knows as much.
    let variance: Vec<f64> = sd.iter().map(|sd| sd * sd).collect();
    near("best", &exact.utilities(&points), (&mean, &variance), 0.02);
    let found = exact.log_evidence().unwrap();
    assert!((found.value - log_evidence).abs() < 0.01, "{found:?} {log_evidence}");
}

/// Of items that are alike all rankings, and all items as the best, are equally likely.
#[test]
fn the_evidence_of_items_that_are_alike_is_known() {
    let alike = || kernel("white", &[1.7]);
    for (answer, outcomes) in [
        (ordered(&[2, 0, 1], 1, 0), 3.0_f64),
        (ordered(&[2, 0, 1, 5], 0, 1), 4.0),
        (ordered(&[2, 0, 1, 4, 3], 4, 0), 120.0),
        (ordered(&[2, 0, 1, 4, 3], 2, 0), 20.0),
    ] {
        let found = draw(&[answer], alike(), 0.8, Sampler::Auto).unwrap().log_evidence().unwrap();
        assert!((found.value + outcomes.ln()).abs() < 4.0 * found.error + 1e-6, "{found:?} {outcomes}");
    }
    let best_and_worst = draw(&[ordered(&[2, 0, 1, 4], 1, 1)], alike(), 0.8, Sampler::Auto).unwrap();
    assert_eq!(best_and_worst.log_evidence(), None);
}

#[test]
fn the_samplers_agree_with_each_other() {
    let all = points(&X);
    let of = |answers: &[Answer], sampler| {
        let exact = draw(answers, reference_kernel(), 0.7, sampler).unwrap();
        println!("{sampler:?}: {:?}", exact.report());
        assert!(exact.report().mixed(), "{:?}", exact.report());
        (exact.utilities(&all), exact.report().effective_samples)
    };
    let (independent, _) = of(&told(), Sampler::MinimaxTilting);
    for sampler in [Sampler::Gibbs, Sampler::LinEss, Sampler::EpSlice] {
        let (found, effective) = of(&told(), sampler);
        // Four standard errors of a mean and of the reference's.
        let tolerance = 4.0 * (1.0 / effective + 1.0 / 20_000.0).sqrt();
        near(&format!("{sampler:?}"), &found, (&independent.mean, &independent.variance), tolerance);
    }
    let (slices, effective) = of(&singular(), Sampler::Auto);
    let (lines, _) = of(&singular(), Sampler::LinEss);
    near("best and worst", &lines, (&slices.mean, &slices.variance), 4.0 * (2.0 / effective).sqrt());
    for sampler in [Sampler::MinimaxTilting, Sampler::Gibbs] {
        let error = draw(&singular(), reference_kernel(), 0.7, sampler).unwrap_err();
        assert_eq!(error, Unsupported::NoisyDifferences.into());
    }
}

#[test]
fn expectation_propagation_is_near() {
    let all = points(&X);
    for (name, answers) in [("best or worst", told()), ("best and worst", singular())] {
        let observations = observations(&answers);
        let problem = problem(&all, &observations);
        let evidence = problem.evaluate(&reference_kernel(), 1.0, None, &Settings::default()).unwrap();
        let log_evidence = evidence.outcome.log_evidence;
        let ep = Posterior::new(&problem, reference_kernel(), 1.0, evidence).utilities(&all);
        let exact = draw(&answers, reference_kernel(), 1.0, Sampler::Auto).unwrap();
        println!("{:?}", exact.report());
        // Means within .02 standard deviations and standard deviations within 2 %, and what 20,000 draws leave open.
        near(name, &ep, (&exact.utilities(&all).mean, &exact.utilities(&all).variance), 0.03);
        if let Some(z) = exact.log_evidence() {
            println!("{z:?} {log_evidence}");
            assert!((z.value - log_evidence).abs() < 0.1, "{z:?} {log_evidence}");
        }
    }
}

fn names() -> Items {
    Items { keys: (0..7).map(|i| format!("i{i}")).collect(), columns: Vec::new() }
}

#[test]
fn models_are_fitted_saved_and_checked() {
    let settings = FitSettings { inference: Method::Exact.into(), ..FitSettings::default() };
    let model = Model::fit_given(&names(), &singular(), &[], &settings, &|_| ()).unwrap();
    let again = Model::from_parts(model.to_parts()).unwrap();
    let pairs: Vec<(usize, usize)> = (0..7).flat_map(|i| (0..7).map(move |j| (i, j))).collect();
    let [old, new] = [&model, &again].map(|m| (m.probabilities(m.points(), &pairs), m.rank(m.points())));
    assert_eq!(old, new);
    let found = check(&model, &CheckSettings::default()).unwrap();
    println!("{:?}", found.agreement);
    assert!(found.agreement.probabilities.largest < 0.03);
}

/// Beside answers of other kinds noisy utilities are drawn in turn with the weights.
#[test]
fn other_kinds_stand_beside_sets() {
    let all = points(&X);
    let others =
        [Answer::tie(1, 4), Answer::better(6, 1, 1), Answer::measured(2, 1.5), Answer::labelled(0, false)];
    let answers = [singular(), others.to_vec()].concat();
    let observations = observations(&answers);
    let problem = problem(&all, &observations);
    let evidence = problem.evaluate(&reference_kernel(), 1.0, None, &Settings::default()).unwrap();
    let ep = Posterior::new(&problem, reference_kernel(), 1.0, evidence).utilities(&all);
    let exact = draw(&answers, reference_kernel(), 1.0, Sampler::Auto).unwrap();
    println!("{:?}", exact.report());
    assert!(exact.report().mixed() && exact.log_evidence().is_none());
    near("mixed", &ep, (&exact.utilities(&all).mean, &exact.utilities(&all).variance), 0.03);
    let fraction = [ordered(&[1, 0, 2], 1, 0).times(0.5), Answer::tie(1, 2)];
    let refused = draw(&fraction, reference_kernel(), 1.0, Sampler::Auto).unwrap_err();
    assert_eq!(refused, Unsupported::JointAnswers.into());
}

#[test]
fn users_with_answers_about_sets_are_checked() {
    let users = Items { keys: vec!["ann".into(), "bob".into()], columns: Vec::new() };
    let by = |user: usize| singular().into_iter().map(move |answer| answer.by(user));
    let answers = by(0).chain(by(1).take(4)).collect();
    let data = PopulationData { items: &names(), users: &users, answers: &answers };
    // Whose prior has means.
    let model = Population::fit(&data, &PopulationSettings::new(Kind::Hierarchical), &|_| ()).unwrap();
    for user in 0..2 {
        let found = check_user(&model, user, &CheckSettings::default()).unwrap();
        println!("{:?}", found.agreement);
        assert!(found.sampling.mixed() && found.agreement.probabilities.largest < 0.03);
    }
}

/// The average of the Gaussians given draws is the posterior.
#[test]
fn a_posterior_is_conditioned_on_a_draw() {
    let all = points(&X);
    let observations = observations(&singular());
    let problem = problem(&all, &observations);
    let evidence = problem.evaluate(&reference_kernel(), 1.0, None, &Settings::default()).unwrap();
    let ep = Posterior::new(&problem, reference_kernel(), 1.0, evidence);
    const DRAWS: u64 = 1_000;
    let mut mean = [0.0; X.len()];
    for seed in 0..DRAWS {
        let given = ep.given_a_draw(seed).unwrap().utilities(&all);
        mean.iter_mut().zip(&given.mean).for_each(|(sum, m)| *sum += m / DRAWS as f64);
    }
    let found = ep.utilities(&all);
    for (i, mean) in mean.into_iter().enumerate() {
        // The means of the Gaussians vary by less than the utilities do; expectation propagation is within .02 standard deviations.
        let off = (mean - found.mean[i]).abs() / found.variance[i].sqrt();
        assert!(off < 4.0 / (DRAWS as f64).sqrt() + 0.02, "{i}: {off}");
    }
}
