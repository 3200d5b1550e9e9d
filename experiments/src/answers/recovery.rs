//! Simulated answers of every kind give their parameters back: how often the truth is within two posterior standard deviations.

use anyhow::Result;
use rather::answers::{Answer, Answers};
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::learn::choice::Options;
use rather::learn::uncertainty::sampled;
use rather::learn::{Hyperparameters, Units, maximise};
use rather::likelihood::{Lapses, Link, ResponseModel};
use rather_numerics::lbfgs::Stop;
use rather_numerics::random::{normal, uniform};

use super::world::{Person, World, kernel, schema, summary};

/// A kind of answer, how many are given, and the parameters they are given by.
struct Case {
    name: &'static str,
    response_model: ResponseModel,
    truth: &'static [(&'static str, f64)],
    answers: fn(&mut World) -> Vec<Answer>,
}

const ITEMS: usize = 40;
/// Weighted draws that a posterior standard deviation is of.
const DRAWS: usize = 100;

fn say(world: &mut World, answers: usize, person: Person) -> Vec<Answer> {
    (0..answers).map(|_| world.say(&person)).collect()
}

/// The level of a noisy value between thresholds.
fn level(value: f64, thresholds: &[f64]) -> u16 {
    thresholds.iter().filter(|t| value > **t).count() as u16
}

const THRESHOLDS: [f64; 4] = [-2.4, -0.6, 0.7, 2.2];

fn cases() -> Vec<Case> {
    let plain = ResponseModel::default();
    vec![
        Case {
            name: "ties",
            response_model: plain,
            truth: &[("tie", 1.2)],
            answers: |w| say(w, 300, Person { tie: 1.2, ..Person::default() }),
        },
        Case {
            name: "grades",
            response_model: plain,
            truth: &[("tie", 0.8), ("grade[2]", 2.0)],
            answers: |w| say(w, 300, Person { tie: 0.8, much: 2.0, ..Person::default() }),
        },
        Case {
            name: "lapses",
            response_model: ResponseModel { lapses: Lapses::Learned, ..plain },
            truth: &[("lapse", 0.2)],
            answers: |w| say(w, 600, Person { lapse: 0.2, ..Person::default() }),
        },
        Case {
            name: "position bias",
            response_model: ResponseModel { bias: true, ..plain },
            truth: &[("bias", 0.7)],
            answers: |w| say(w, 300, Person { bias: 0.7, ..Person::default() }),
        },
        Case {
            name: "ties, logistic",
            response_model: ResponseModel { link: Link::Logistic, ..plain },
            truth: &[("tie", 1.2)],
            answers: |w| {
                let logistic = |w: &mut World| {
                    let (left, right) = w.pair();
                    let u = uniform(&mut w.rng);
                    let scale = 6.0_f64.sqrt() / std::f64::consts::PI;
                    let z = w.utility[left] - w.utility[right] + scale * (u / (1.0 - u)).ln();
                    match z {
                        z if z.abs() < 1.2 => Answer::tie(left, right),
                        z if z > 0.0 => Answer::better(left, right, 1),
                        _ => Answer::better(right, left, 1),
                    }
                };
                (0..300).map(|_| logistic(w)).collect()
            },
        },
        Case {
            name: "ratings",
            response_model: plain,
            truth: &[
                ("rating.first", THRESHOLDS[0]),
                ("rating.gap[2]", 1.8),
                ("rating.gap[3]", 1.3),
                ("rating.gap[4]", 1.5),
            ],
            answers: |w| {
                let rate = |w: &mut World, n: usize| {
                    let value = w.noisy(n % ITEMS, 1.0);
                    Answer::rated(n % ITEMS, level(value, &THRESHOLDS))
                };
                (0..240).map(|n| rate(w, n)).collect()
            },
        },
        Case {
            name: "ratings of two users",
            response_model: plain,
            truth: &[("offset[ann]", 0.8), ("offset[bob]", -0.8)],
            answers: |w| {
                let rate = |w: &mut World, n: usize| {
                    let user = n / ITEMS % 2;
                    let value = w.noisy(n % ITEMS, 1.0) + if user == 0 { 0.8 } else { -0.8 };
                    Answer::rated(n % ITEMS, level(value, &THRESHOLDS)).by(user)
                };
                (0..240).map(|n| rate(w, n)).collect()
            },
        },
        Case {
            name: "values beside duels",
            response_model: plain,
            truth: &[("value.offset", 50.0), ("value.scale", 4.0), ("value.sd", 3.0)],
            answers: |w| {
                let mut all = say(w, 200, Person::default());
                for item in 0..ITEMS {
                    let y = 50.0 + 4.0 * w.utility[item] + 3.0 * normal(&mut w.rng);
                    // The scale ends at 60.
                    all.push(if y > 60.0 { Answer::at_least(item, 60.0) } else { Answer::measured(item, y) });
                }
                all
            },
        },
        Case {
            name: "values with outliers",
            response_model: ResponseModel { robust: true, ..plain },
            truth: &[("value.offset", 50.0), ("value.scale", 4.0), ("value.sd", 2.0), ("value.freedom", 3.0)],
            answers: |w| {
                let mut all = say(w, 200, Person::default());
                for n in 0..3 * ITEMS {
                    let chi: f64 = (0..3).map(|_| normal(&mut w.rng).powi(2)).sum();
                    let noise = 2.0 * normal(&mut w.rng) / (chi / 3.0).sqrt();
                    all.push(Answer::measured(n % ITEMS, 50.0 + 4.0 * w.utility[n % ITEMS] + noise));
                }
                all
            },
        },
        Case {
            name: "noise by user",
            response_model: ResponseModel { user_noise: true, ..plain },
            truth: &[("factor[bob]", 3.0)],
            answers: |w| {
                let duel = |w: &mut World, n: usize| {
                    let (left, right) = w.pair();
                    let clear = w.utility[left] - w.utility[right];
                    let factor = [1.0, 3.0][n % 2];
                    let z = clear + factor * std::f64::consts::SQRT_2 * normal(&mut w.rng);
                    let (winner, loser) = if z > 0.0 { (left, right) } else { (right, left) };
                    Answer::rather(winner, loser).by(n % 2)
                };
                (0..500).map(|n| duel(w, n)).collect()
            },
        },
    ]
}

pub(super) fn run(repeats: usize, seed: u64) -> Result<()> {
    println!(
        "recovery: {repeats} worlds of {ITEMS} items each, kernel learned, noise of an item 1 (Ann's, where it is by user)"
    );
    println!(
        "within: truth within two posterior standard deviations of the posterior mean (by {DRAWS} weighted draws of all hyperparameters, in the \
         coordinate learned along)\n"
    );
    println!("{:<22} {:<16} {:>7} {:>15} {:>8}", "answers", "parameter", "truth", "learned", "within");
    for case in cases() {
        let mut found: Vec<Vec<(f64, bool)>> = vec![Vec::new(); case.truth.len()];
        for number in 0..repeats {
            let mut world = World::new(ITEMS, seed, number);
            let answers = (case.answers)(&mut world);
            for (row, one) in found.iter_mut().zip(learn(&world, &answers, &case)?) {
                row.extend(one);
            }
        }
        for ((name, truth), row) in case.truth.iter().zip(&found) {
            let values: Vec<f64> = row.iter().map(|r| r.0).collect();
            let within = row.iter().filter(|r| r.1).count();
            let (mean, error) = summary(&values);
            println!(
                "{:<22} {:<16} {:>7.2} {:>8.2} ± {:<4.2} {:>5} of {}",
                case.name,
                name,
                truth,
                mean,
                error,
                within,
                row.len()
            );
        }
    }
    Ok(())
}

/// Of each parameter its value, and whether the truth is within two standard deviations; none if nobody used the level that it is
/// about.
fn learn(world: &World, answers: &[Answer], case: &Case) -> Result<Vec<Option<(f64, bool)>>> {
    let users = ["ann".to_owned(), "bob".to_owned()];
    let observations = Observations::of(&Answers::from(answers), &users, case.response_model);
    let points = world.points.select(&observations.items);
    let problem = Problem {
        points: &points,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    // Of two users' noises one must be the unit.
    let fixed =
        if case.response_model.user_noise { vec![("factor[ann]".to_owned(), 1.0)] } else { Vec::new() };
    let settings = Settings { tolerance: 1e-6, ..Settings::default() };
    let options = Options {
        schema: &schema(),
        units: Units::ItemNoise,
        fixed: &fixed,
        feature_units: &[1.0, 1.0],
        priors: true,
        inference: settings,
    };
    let start = Hyperparameters::for_answers(kernel(), &points, &observations.responses, &options)?;
    let stop = Stop { gradient: 1e-3, decrease: 1e-6, steps: 200, ..Stop::default() };
    let learned = maximise(&problem, &start, &settings, stop, None, &|| true)?;
    let at = &learned.hyperparameters;
    let known = sampled(&problem, at, Some(&learned.sites), &settings, (DRAWS, 0))?;
    let free = at.free();
    case.truth
        .iter()
        .map(|&(name, truth)| {
            let Some(index) = at.entries.iter().position(|e| e.name == name) else { return Ok(None) };
            let place = free.iter().position(|&i| i == index);
            let place = place.ok_or_else(|| anyhow::anyhow!("the parameter {name} is fixed"))?;
            let entry = &at.entries[index];
            let off = known.mean[place] - entry.scale.coordinate(truth);
            Ok(Some((entry.value, off.abs() <= 2.0 * known.sd[place])))
        })
        .collect()
}
