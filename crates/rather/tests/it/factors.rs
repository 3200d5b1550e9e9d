//! One factor a pair: all that is said of one pair has one site, and that is exact where only one pair is compared.

use crate::common::{Case, close, oracle, schema};
use rather::Comparison;
use rather::answers::{Answer, Answers};
use rather::check::{CheckSettings, check};
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::prior::Space;
use rather::inference::sites::Sites;
use rather::inference::sparse::{Field, Limits};
use rather::inference::{Factors, Method, Outcome, Settings, Status, ep};
use rather::kernel::{Kernel, parse};
use rather::likelihood::{Lapses, Likelihoods, Link, ResponseModel, Values};
use rather::model::{Ep, FitSettings, Inference, Items, Model};
use rather::points::Points;
use rather_numerics::special::normal;

const EACH: Settings =
    Settings { tolerance: 1e-8, sweeps: 400, sequential_sweeps: 400, factors: Factors::Answer };

/// Items by name, all of the same prior variance.
fn white(items: usize, variance: f64) -> (Points, Kernel) {
    let mut kernel = parse("white", &schema(0), false).unwrap();
    kernel.set_parameters(&[variance]).unwrap();
    (Points::new((0..items as u64).collect(), 0, Vec::new()), kernel)
}

/// `wins` for the first of two items, `losses` against it.
fn pair(first: usize, second: usize, wins: u32, losses: u32) -> [Comparison; 2] {
    [
        Comparison { winner: first, loser: second, count: wins.into() },
        Comparison { winner: second, loser: first, count: losses.into() },
    ]
}

fn infer(
    items: usize,
    variance: f64,
    comparisons: &[Comparison],
    settings: &Settings,
) -> (Outcome, Problem<'static>) {
    let (points, kernel) = white(items, variance);
    let said: Vec<Comparison> = comparisons.iter().copied().filter(|c| c.count > 0.0).collect();
    let observations = Observations::new(&said);
    let (points, observations) = (Box::leak(Box::new(points)), Box::leak(Box::new(observations)));
    let problem = Problem { points, observations, method: Method::Ep, space: None, inducing: None };
    let outcome = problem.evaluate(&kernel, 1.0, None, settings).unwrap().outcome;
    (outcome, problem)
}

/// Evidence, and the mean and standard deviation of the first difference.
#[derive(Debug, Clone, Copy)]
struct Truth {
    log_evidence: f64,
    mean: f64,
    sd: f64,
}

/// The log of the integral of `exp(log t)`, mean and standard deviation, by the trapezoid rule over `low` to `high`.
fn integrate(log_t: impl Fn(f64) -> f64, low: f64, high: f64, points: usize) -> Truth {
    let step = (high - low) / points as f64;
    let grid = || (0..=points).map(|i| low + step * i as f64);
    let top = grid().map(&log_t).fold(f64::NEG_INFINITY, f64::max);
    let weight = |z: f64| (log_t(z) - top).exp();
    let total: f64 = grid().map(weight).sum();
    let mean = grid().map(|z| z * weight(z)).sum::<f64>() / total;
    let variance = grid().map(|z| (z - mean).powi(2) * weight(z)).sum::<f64>() / total;
    Truth { log_evidence: top + (total * step).ln(), mean, sd: variance.sqrt() }
}

/// A ring of items, each compared with the next `wins` times for it and `losses` against: exact by integrating item after item on a
/// grid, which is a trace of a product of matrices. The first difference is that of the first two items.
fn ring(said: &[(u32, u32)], variance: f64) -> Truth {
    const STEP: f64 = 0.16;
    const HALF: i32 = 70;
    let values: Vec<f64> = (-HALF..=HALF).map(|i| STEP * f64::from(i)).collect();
    let n = values.len();
    let sd = variance.sqrt();
    let link = |(wins, losses): (u32, u32)| -> Vec<f64> {
        let entry = |i: usize, j: usize| {
            let z = (values[i] - values[j]) / std::f64::consts::SQRT_2;
            let log = f64::from(wins) * normal::log_cdf(z) + f64::from(losses) * normal::log_cdf(-z);
            normal::pdf(values[i] / sd) / sd * STEP * log.exp()
        };
        (0..n * n).map(|k| entry(k / n, k % n)).collect()
    };
    let times = |a: &[f64], b: &[f64]| -> Vec<f64> {
        let mut out = vec![0.0; n * n];
        for i in 0..n {
            for (k, &x) in a[i * n..(i + 1) * n].iter().enumerate() {
                out[i * n..(i + 1) * n].iter_mut().zip(&b[k * n..(k + 1) * n]).for_each(|(o, y)| *o += x * y);
            }
        }
        out
    };
    let others = said[2..].iter().fold(link(said[1]), |product, &next| times(&product, &link(next)));
    let first = link(said[0]);
    // What the rest of the ring says of the first two items, whose prior is in `first` and in `others`.
    let joint = |i: usize, j: usize| first[i * n + j] * others[j * n + i];
    let cells = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let total: f64 = cells().map(|(i, j)| joint(i, j)).sum();
    let z = |i: usize, j: usize| values[i] - values[j];
    let mean = cells().map(|(i, j)| z(i, j) * joint(i, j)).sum::<f64>() / total;
    let second = cells().map(|(i, j)| (z(i, j) - mean).powi(2) * joint(i, j)).sum::<f64>() / total;
    Truth { log_evidence: total.ln(), mean, sd: second.sqrt() }
}

/// What was said along a ring, and the log evidence: exact, and by a site an answer.
type Row<'a> = (&'a [(u32, u32)], f64, f64);

/// The table of specification 1: the evidence within .002 of the truth, standard deviations within .01 of theirs.
#[test]
fn repeated_pairs_are_nearly_exact() {
    let rings: [Row<'_>; 3] = [
        (&[(50, 0), (50, 0), (0, 50)], -5.382, -5.541),
        (&[(30, 0), (30, 0), (30, 0), (30, 0), (0, 30)], -15.912, -16.059),
        (&[(20, 0), (18, 2), (10, 10), (15, 5), (2, 18)], -52.515, -52.526),
    ];
    for (said, exact, published) in rings {
        let n = said.len();
        let comparisons: Vec<Comparison> = said
            .iter()
            .enumerate()
            .flat_map(|(i, &(wins, losses))| pair(i, (i + 1) % n, wins, losses))
            .collect();
        let truth = ring(said, 5.0);
        // The specification's are by sampling, to about .001.
        close(truth.log_evidence, exact, 2e-3, "the truth");
        let (found, _) = infer(n, 5.0, &comparisons, &Settings::default());
        let ratio = found.posterior.variance[0].sqrt() / truth.sd;
        println!("{said:?}: {} of {}, sd ratio {ratio}", found.log_evidence, truth.log_evidence);
        close(found.log_evidence, truth.log_evidence, 2e-3, "log evidence");
        close(ratio, 1.0, 0.01, "sd ratio");
        close(found.posterior.mean[0].abs(), truth.mean.abs(), 0.01 * truth.sd, "mean");
        let (each, _) = infer(n, 5.0, &comparisons, &EACH);
        close(each.log_evidence, published, 2e-3, "published log evidence");
    }
}

/// Two items: one factor is all there is, so that nothing is approximate but the shape. Both fixpoints of the table.
#[test]
fn one_pair_is_exact() {
    for (count, exact, published) in [(10, -1.3744, -1.4440), (100, -2.0000, -2.1314)] {
        let said = [Comparison { winner: 0, loser: 1, count: f64::from(count) }];
        let (found, _) = infer(2, 5.0, &said, &Settings::default());
        close(found.log_evidence, exact, 1e-4, "log evidence");
        let (each, _) = infer(2, 5.0, &said, &EACH);
        close(each.log_evidence, published, 1e-4, "published log evidence");
    }
}

/// Log of `Phi(z / sqrt 2)^wins Phi(-z / sqrt 2)^losses N(z; 0, variance)`.
fn log_tilted(wins: f64, losses: f64, variance: f64) -> impl Fn(f64) -> f64 {
    move |z: f64| {
        let u = z / std::f64::consts::SQRT_2;
        let against = if losses > 0.0 { losses * normal::log_cdf(-u) } else { 0.0 };
        wins * normal::log_cdf(u) + against
            - 0.5 * (z * z / variance + (std::f64::consts::TAU * variance).ln())
    }
}

/// Counts beyond anybody's patience: mean and standard deviation against quadrature, and the sharper probability on the right side.
#[test]
fn huge_counts_are_right() {
    for count in [1_000_000, 100_000_000, 1_000_000_000, 4_000_000_000_u32] {
        let said = [Comparison { winner: 0, loser: 1, count: f64::from(count) }];
        let (found, problem) = infer(2, 10.0, &said, &Settings::default());
        let truth = integrate(log_tilted(f64::from(count), 0.0, 20.0), 0.0, 60.0, 60_000);
        let (mean, sd) = (found.posterior.mean[0], found.posterior.variance[0].sqrt());
        println!("{count}: {} {mean} {sd}, {truth:?}", found.log_evidence);
        close(found.log_evidence, truth.log_evidence, 1e-6, "log evidence");
        close(mean / truth.mean, 1.0, 1e-6, "mean");
        close(sd / truth.sd, 1.0, 1e-6, "sd");
        assert_eq!(found.status, Status::Converged);
        let (_, kernel) = white(2, 10.0);
        let evidence = problem.evaluate(&kernel, 1.0, None, &Settings::default()).unwrap();
        let posterior = rather::posterior::Posterior::new(&problem, kernel, 1.0, evidence);
        let sharp = posterior.sharp_probabilities(problem.points, &[(0, 1)]).unwrap()[0];
        // One answer more says hardly anything after so many: 1 - k / (k + 1) of order 1e-6 and less.
        assert!(sharp > 1.0 - 2e-6, "{sharp}");
    }
    for (wins, losses) in
        [(2_000_000_000_u32, 1_000_000_000), (3_000_000, 1_000_000), (4_000_000_000, 4_000_000_000)]
    {
        let (found, _) = infer(2, 10.0, &pair(0, 1, wins, losses), &Settings::default());
        let (k, l) = (f64::from(wins), f64::from(losses));
        // The answers alone: a normal distribution about the quantile of their share.
        let centre = std::f64::consts::SQRT_2 * normal::quantile(k / (k + l));
        let (mean, sd) = (found.posterior.mean[0], found.posterior.variance[0].sqrt());
        let near = 20.0 * sd;
        let truth = integrate(log_tilted(k, l, 20.0), centre - near, centre + near, 4000);
        println!("{wins}:{losses}: {mean} {sd}, {truth:?}");
        close(mean, truth.mean, 0.01 * truth.sd, "mean");
        // Logs of 1e9 and their 16 digits: curvature to some 1e-5.
        close(sd / truth.sd, 1.0, 1e-3, "sd");
    }
}

fn numbers(json: &serde_json::Value) -> Vec<f64> {
    json.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn root_mean_square(found: &[f64], right: &[f64]) -> f64 {
    let squares = found.iter().zip(right).map(|(f, r)| (f - r).powi(2)).sum::<f64>();
    (squares / right.len() as f64).sqrt()
}

/// The reference problems in which a pair is compared more than once: at least as near to the exact answers as a site an answer.
#[test]
fn a_site_a_pair_is_nearer_to_exact() {
    for name in ["repeated", "contradictory", "five-items", "eight-items", "low-noise"] {
        let json = oracle(name);
        let case = Case::from_json(&json);
        let exact = &json["exact"];
        let spread = exact["log_evidence_spread"].as_f64().unwrap();
        let [pair, answer] =
            [Factors::Pair, Factors::Answer].map(|factors| case.posterior_by(factors, Method::Ep, None));
        let off = |of: &rather::posterior::Posterior| {
            let u = of.utilities(&case.points);
            let sd = |v: &[f64]| v.iter().map(|v| v.sqrt()).collect::<Vec<_>>();
            [
                (of.outcome().log_evidence - exact["log_evidence"].as_f64().unwrap()).abs(),
                root_mean_square(&u.mean, &numbers(&exact["mean"])),
                root_mean_square(&sd(&u.variance), &sd(&numbers(&exact["variance"]))),
            ]
        };
        let (pair, answer) = (off(&pair), off(&answer));
        println!("{name}: {pair:?} {answer:?} spread {spread}");
        // Where two errors of a site an answer happen to cancel, mending one of them costs as much as there was of it; moments are known from sampling, to
        // .003 of a standard deviation.
        for (k, slack) in [2e-3 + 2.0 * spread, 3e-3, 3e-3].into_iter().enumerate() {
            assert!(pair[k] <= answer[k] + slack, "{name} {k}: {pair:?} {answer:?}");
        }
        if ["repeated", "contradictory"].contains(&name) {
            assert!(pair[0] < 1e-6 + 2.0 * spread, "{name}: {pair:?}");
        }
    }
}

/// Answers of all kinds about one pair.
fn mixed() -> Vec<Answer> {
    vec![
        Answer::rather(0, 1).times(7),
        Answer::rather(1, 0).times(3),
        Answer::rather(0, 1).times(2).with_noise(2.5),
        Answer::rather(1, 0).by(1),
        Answer::tie(0, 1).times(4),
        Answer::better(0, 1, 1).times(2),
        Answer::better(1, 0, 2),
    ]
}

fn manners() -> [ResponseModel; 4] {
    let plain = ResponseModel::default();
    [
        plain,
        ResponseModel { link: Link::Logistic, ..plain },
        ResponseModel { lapses: Lapses::Rate(0.1), user_noise: true, ..plain },
        ResponseModel { lapses: Lapses::Learned, link: Link::Logistic, ..plain },
    ]
}

/// The truth about the difference of two items.
fn truth_of(observations: &Observations, likelihoods: &Likelihoods, variance: f64) -> Truth {
    let log_t = |z: f64| {
        let said: f64 = observations
            .merged
            .iter()
            .map(|o| o.count() * likelihoods.of(o.answer).log_density(o.sign() * z).value)
            .sum();
        said - 0.5 * (z * z / variance + (std::f64::consts::TAU * variance).ln())
    };
    integrate(log_t, -40.0, 40.0, 40_000)
}

/// One pair, answers of every kind: evidence and moments are exact, and the gradient is that of the exact evidence, in every representation.
#[test]
fn every_kind_of_answer_joins_the_factor() {
    let users = ["ann".to_owned(), "bob".to_owned()];
    for response_model in manners() {
        let observations = Observations::of(&Answers::from(&mixed()), &users, response_model);
        let (points, kernel) = white(2, 6.0);
        let others = observations.responses.parameters(1.0);
        let values = Values(std::iter::once(1.0).chain(others.iter().map(|e| e.value)).collect());
        let truth = truth_of(&observations, &observations.responses.likelihoods(&values), 12.0);
        let difference = |i: usize| {
            let at = |h: f64| {
                let mut there = values.clone();
                there.0[i] = if i == 0 { there.0[0] * h.exp() } else { there.0[i] + h };
                truth_of(&observations, &observations.responses.likelihoods(&there), 12.0).log_evidence
            };
            (at(1e-4) - at(-1e-4)) / 2e-4
        };
        let expected: Vec<f64> = (0..values.0.len()).map(difference).collect();
        let all = [0, 1];
        for (space, inducing) in
            [(Some(Space::Items), None), (Some(Space::Pairs), None), (None, Some(&all[..]))]
        {
            let problem =
                Problem { points: &points, observations: &observations, method: Method::Ep, space, inducing };
            let found =
                problem.evaluate(&kernel, values.clone(), None, &Settings::default()).unwrap().outcome;
            // White at low rank: the features of both items are all there is.
            close(found.log_evidence, truth.log_evidence, 1e-9, "log evidence");
            close(found.posterior.mean[0], truth.mean, 1e-8, "mean");
            close(found.posterior.variance[0].sqrt(), truth.sd, 1e-8, "sd");
            for (i, (d, e)) in found.d_values.iter().zip(&expected).enumerate() {
                // Differences of second order: 1e-8 of third derivatives.
                close(*d, *e, 1e-6 * e.abs().max(1.0), &format!("value {i}"));
            }
        }
        let field = Field::new(2, &observations.edges, &[], &Limits::default()).unwrap();
        let start = Sites::empty(observations.merged.len());
        let likelihoods = observations.responses.likelihoods(&values);
        let prior = field.prior(6.0, 0.0).unwrap();
        let found = ep::run(&prior, &observations.merged, &likelihoods, start, &Settings::default()).unwrap();
        close(found.log_evidence, truth.log_evidence, 1e-9, "log evidence of the sparse precision");
    }
}

/// Values measured of one item are Gaussian: with them in its factor, and a label, evidence and gradient are exact.
#[test]
fn measured_values_join_the_factor() {
    let said = [
        Answer::measured(0, 1.2).times(3),
        Answer::measured(0, 0.4),
        Answer::labelled(0, true).times(2),
        Answer::labelled(0, false),
    ];
    let observations = Observations::of(&Answers::from(&said), &[], ResponseModel::default());
    let (points, kernel) = white(1, 2.0);
    let others = observations.responses.parameters(1.0);
    let values = Values(std::iter::once(1.0).chain(others.iter().map(|e| e.value)).collect());
    let at = |values: &Values| truth_of(&observations, &observations.responses.likelihoods(values), 2.0);
    let truth = at(&values);
    let problem = Problem {
        points: &points,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    let found = problem.evaluate(&kernel, values.clone(), None, &Settings::default()).unwrap().outcome;
    close(found.log_evidence, truth.log_evidence, 1e-9, "log evidence");
    close(found.posterior.mean[0], truth.mean, 1e-8, "mean");
    close(found.posterior.variance[0].sqrt(), truth.sd, 1e-8, "sd");
    for i in 0..values.0.len() {
        let moved = |h: f64| {
            let mut there = values.clone();
            there.0[i] = if i == 0 { there.0[0] * h.exp() } else { there.0[i] + h };
            at(&there).log_evidence
        };
        let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        // Rounding of the evidence over the step, and 1e-10 of third derivatives.
        close(found.d_values[i], expected, 1e-6 * expected.abs().max(1.0), &format!("value {i}"));
    }
}

/// What a check by sampling finds of pairs that were compared fifty times: intervals as wide as they should be, where a site an answer has them
/// at .8 of that.
#[test]
fn a_check_of_repeated_pairs_finds_their_intervals() {
    let items = Items { keys: ["a", "b", "c"].map(String::from).to_vec(), columns: Vec::new() };
    let said: Vec<Comparison> =
        [(0, 1), (1, 2), (0, 2)].map(|(winner, loser)| Comparison { winner, loser, count: 50.0 }).to_vec();
    let fixed = vec![("noise".to_owned(), 1.0), ("variance".to_owned(), 5.0)];
    let ratio = |factors| {
        let inference = Settings { factors, ..Settings::default() };
        let settings = FitSettings {
            inference: Inference::Ep(Ep { convergence: inference, ..Ep::default() }),
            fixed: fixed.clone(),
            ..FitSettings::default()
        };
        let model = Model::fit(&items, &said, &settings, &|_| ()).unwrap();
        check(&model, &CheckSettings::default()).unwrap().agreement.sd_ratio
    };
    let (pair, answer) = (ratio(Factors::Pair), ratio(Factors::Answer));
    println!("{pair:?} {answer:?}");
    // The ratios by sampling, with their errors.
    assert!(pair.smallest > 0.97 - 3.0 * pair.error && pair.largest < 1.03 + 3.0 * pair.error, "{pair:?}");
    assert!(answer.smallest < 0.9, "{answer:?}");
}
