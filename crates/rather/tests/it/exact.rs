//! The exact posterior: against an independent reference, closed forms, brute force, and its samplers against one another.

use crate::common::{Case, oracle, se};
use rather::evidence::Problem;
use rather::exact::{ExactPosterior, ExactSettings, Sampler};
use rather::inference::Method;
use rather::inference::observations::Observations;
use rather::inference::prior::Space;
use rather::points::Points;
use rather::{Comparison, Error};
use rather_numerics::special::normal::cdf;
use serde_json::Value;

const CASES: [&str; 7] =
    ["chain", "contradictory", "eight-items", "five-items", "low-noise", "one-duel", "repeated"];
const SAMPLERS: [Sampler; 4] = [Sampler::MinimaxTilting, Sampler::Gibbs, Sampler::LinEss, Sampler::EpSlice];

fn with(sampler: Sampler) -> ExactSettings {
    ExactSettings { sampler, ..ExactSettings::default() }
}

fn exact(case: &Case, space: Option<Space>, settings: &ExactSettings) -> Result<ExactPosterior, Error> {
    let observations = Observations::new(&case.comparisons);
    let points = case.points.select(&observations.items);
    let problem =
        Problem { points: &points, observations: &observations, method: Method::Ep, space, inducing: None };
    ExactPosterior::new(&problem, case.kernel.clone(), case.noise, settings)
}

/// Items on a line, with differences of noise 0.01.
fn repeated_duel(count: u32) -> Case {
    Case {
        points: Points::from_rows(&[[0.0], [0.4]]),
        test_points: Points::from_rows(&[[0.0], [0.4]]),
        test_pairs: vec![(0, 1)],
        comparisons: vec![Comparison { winner: 0, loser: 1, count: count.into() }],
        kernel: se(1, 1.0, 0.3),
        noise: 0.01,
    }
}

/// Fifteen comparisons of six items, some repeated, some against each other.
fn mixed() -> Case {
    let points = Points::from_rows(&[[0.1], [0.25], [0.4], [0.6], [0.8], [0.95]]);
    let pairs =
        [(1, 0), (1, 0), (2, 0), (0, 2), (3, 2), (3, 4), (3, 5), (4, 5), (5, 4), (2, 5), (1, 4), (3, 1)];
    let mut comparisons: Vec<Comparison> =
        pairs.map(|(winner, loser)| Comparison { winner, loser, count: 1.0 }).into();
    comparisons.push(Comparison { winner: 2, loser: 4, count: 3.0 });
    Case {
        test_points: points.clone(),
        points,
        test_pairs: vec![(0, 1), (2, 3), (4, 5), (5, 3)],
        comparisons,
        kernel: se(1, 1.0, 0.3),
        noise: 0.2,
    }
}

fn numbers(json: &Value) -> Vec<f64> {
    json.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Keeps the largest deviation, in standard errors.
#[derive(Default)]
struct Deviations {
    largest: f64,
    count: usize,
}

impl Deviations {
    fn see(&mut self, what: &str, found: f64, expected: f64, errors: [f64; 2]) {
        let error = errors[0].hypot(errors[1]);
        // Results that involve no sampling are off by rounding.
        let deviation = ((found - expected).abs() - 1e-9).max(0.0) / error.max(1e-12);
        assert!(
            deviation <= 4.0,
            "{what}: {found} where {expected} is right, {deviation} standard errors of {error}"
        );
        self.largest = self.largest.max(deviation);
        self.count += 1;
    }

    fn see_all(
        &mut self,
        what: &str,
        found: &[f64],
        expected: &[f64],
        errors: &[f64],
        others: impl Fn(usize) -> f64,
    ) {
        assert_eq!(found.len(), expected.len(), "{what}");
        for i in 0..found.len() {
            self.see(&format!("{what} {i}"), found[i], expected[i], [errors[i], others(i)]);
        }
    }
}

#[test]
fn every_sampler_agrees_with_the_reference() {
    for sampler in SAMPLERS {
        let mut deviations = Deviations::default();
        for name in CASES {
            let json = oracle(name);
            let case = Case::from_json(&json);
            let posterior = exact(&case, None, &with(sampler)).unwrap();
            let reference = &json["exact"];
            let n = reference["effective_samples"].as_f64().unwrap();
            for (points, mean, variance) in
                [(&case.points, "mean", "variance"), (&case.test_points, "test_mean", "test_variance")]
            {
                let (found, errors) = (posterior.utilities(points), posterior.utility_errors(points));
                let (mean, variance) = (numbers(&reference[mean]), numbers(&reference[variance]));
                let what = format!("{name} {sampler:?}");
                deviations.see_all(&what, &found.mean, &mean, &errors.mean, |i| (variance[i] / n).sqrt());
                let other = |i: usize| variance[i] * (2.0 / n).sqrt();
                deviations.see_all(&what, &found.variance, &variance, &errors.variance, other);
            }
            let found = posterior.probabilities(&case.test_points, &case.test_pairs);
            let errors = posterior.probability_errors(&case.test_points, &case.test_pairs);
            let p = numbers(&reference["test_probability"]);
            deviations.see_all(name, &found, &p, &errors, |i| (p[i] * (1.0 - p[i]) / n).sqrt());
            let z = posterior.log_evidence().unwrap();
            let spread = reference["log_evidence_spread"].as_f64().unwrap();
            deviations.see(name, z.value, reference["log_evidence"].as_f64().unwrap(), [z.error, spread]);
            println!(
                "{name} {sampler:?}: {:?}, log evidence {:.6} ± {:.1e}",
                posterior.report(),
                z.value,
                z.error
            );
        }
        println!(
            "{sampler:?}: {} figures, largest {:.2} standard errors",
            deviations.count, deviations.largest
        );
    }
}

/// With one duel, `E z = v sqrt(2 / (pi (v + s^2)))` and half of it belongs to the winner: a truncation of the wrong sign
/// would turn both around.
#[test]
fn the_winner_of_one_duel_is_the_better_one() {
    let case = repeated_duel(1);
    for noise in [0.01, 0.5, 3.0] {
        let case =
            Case { noise, points: case.points.clone(), comparisons: case.comparisons.clone(), ..mixed() };
        let k = case.kernel.matrix(&case.points);
        let v = 2.0 * (k[(0, 0)] - k[(1, 0)]);
        let expected = v * (std::f64::consts::FRAC_2_PI / (v + 2.0 * noise * noise)).sqrt();
        for sampler in SAMPLERS {
            for space in [Space::Items, Space::Pairs] {
                let posterior = exact(&case, Some(space), &with(sampler)).unwrap();
                let (found, errors) =
                    (posterior.utilities(&case.points), posterior.utility_errors(&case.points));
                assert!(found.mean[0] > 0.0 && found.mean[1] < 0.0, "{sampler:?}: {found:?}");
                for (mean, sign, error) in
                    [(found.mean[0], 0.5, errors.mean[0]), (found.mean[1], -0.5, errors.mean[1])]
                {
                    assert!(
                        (mean - sign * expected).abs() <= 4.0 * error,
                        "{sampler:?} {noise}: {mean} ± {error}"
                    );
                }
                assert!((posterior.log_evidence().unwrap().value - 0.5_f64.ln()).abs() < 1e-12);
                assert!(posterior.probabilities(&case.points, &[(0, 1)])[0] > 0.5);
            }
        }
    }
}

/// Moments of `z ~ N(0, v)` times `Phi(z / s)^count`, and the log normaliser, by the trapezium rule.
fn brute_force(v: f64, s: f64, count: u32) -> [f64; 3] {
    let (steps, half_width) = (400_000, 8.0 * v.sqrt());
    let mut sums = [0.0; 3];
    for i in 0..=steps {
        let z = half_width * (2.0 * f64::from(i) / f64::from(steps) - 1.0);
        let density = (-0.5 * z * z / v).exp() * cdf(z / s).powi(count as i32);
        for (sum, power) in sums.iter_mut().zip([1.0, z, z * z]) {
            *sum += density * power;
        }
    }
    let mean = sums[1] / sums[0];
    let step = 2.0 * half_width / f64::from(steps);
    [(sums[0] * step / (std::f64::consts::TAU * v).sqrt()).ln(), mean, sums[2] / sums[0] - mean * mean]
}

/// The case in which Gibbs sampling, and EP, are wrong.
#[test]
fn repeated_duels_are_right() {
    for count in [10, 100] {
        let case = repeated_duel(count);
        let k = case.kernel.matrix(&case.points);
        let [log_z, mean, variance] =
            brute_force(2.0 * (k[(0, 0)] - k[(1, 0)]), 2.0_f64.sqrt() * case.noise, count);
        for sampler in [Sampler::MinimaxTilting, Sampler::LinEss, Sampler::EpSlice, Sampler::Auto] {
            let posterior = exact(&case, None, &with(sampler)).unwrap();
            let z = posterior.differences(&case.points, &[(0, 1)]);
            // By symmetry an item's utility is half of the difference: the mean's error is twice, the variance's four times the item's.
            let errors = posterior.utility_errors(&case.points);
            let evidence = posterior.log_evidence().unwrap();
            println!(
                "{count} {sampler:?}: mean {:.4} ({mean:.4}) variance {:.4} ({variance:.4}) log evidence {:.4} ± {:.4} ({log_z:.4}) {:?}",
                z.mean[0],
                z.variance[0],
                evidence.value,
                evidence.error,
                posterior.report()
            );
            assert!(
                (z.mean[0] - mean).abs() <= 4.0 * (2.0 * errors.mean[0]),
                "{count} {sampler:?}: {z:?}, {mean}"
            );
            assert!(
                (z.variance[0] - variance).abs() <= 4.0 * (4.0 * errors.variance[0]),
                "{count} {sampler:?}: {z:?}"
            );
            assert!((evidence.value - log_z).abs() <= 4.0 * evidence.error + 1e-9, "{evidence:?} {log_z}");
            assert!(posterior.effective_samples() > 500.0 && posterior.r_hat() < 1.02);
        }
        // The chain says itself that it is not to be trusted.
        let gibbs = exact(&case, None, &with(Sampler::Gibbs)).unwrap();
        let mean = gibbs.differences(&case.points, &[(0, 1)]).mean[0];
        println!("{count} Gibbs: mean {mean:.4}, {:?}", gibbs.report());
        assert!(gibbs.effective_samples() < 400.0 && gibbs.r_hat() > 1.05);
    }
}

#[test]
fn the_samplers_agree_with_each_other() {
    let case = mixed();
    let all = SAMPLERS.map(|s| exact(&case, None, &with(s)).unwrap());
    let mut deviations = Deviations::default();
    for (i, a) in all.iter().enumerate() {
        for b in &all[..i] {
            let [(ma, ea), (mb, eb)] =
                [a, b].map(|p| (p.utilities(&case.points), p.utility_errors(&case.points)));
            deviations.see_all("mean", &ma.mean, &mb.mean, &ea.mean, |i| eb.mean[i]);
            deviations.see_all("variance", &ma.variance, &mb.variance, &ea.variance, |i| eb.variance[i]);
            let [(pa, ea), (pb, eb)] = [a, b].map(|p| {
                let at = (&case.points, &case.test_pairs);
                (p.probabilities(at.0, at.1), p.probability_errors(at.0, at.1))
            });
            deviations.see_all("probability", &pa, &pb, &ea, |i| eb[i]);
        }
    }
    println!("{} figures, largest {:.2} standard errors", deviations.count, deviations.largest);
}

/// Both spaces have the same posterior and evidence.
#[test]
fn item_space_agrees_with_duel_space() {
    let case = mixed();
    let [items, duels] =
        [Space::Items, Space::Pairs].map(|s| exact(&case, Some(s), &ExactSettings::default()).unwrap());
    let mut deviations = Deviations::default();
    let [(ma, ea), (mb, eb)] =
        [&items, &duels].map(|p| (p.utilities(&case.points), p.utility_errors(&case.points)));
    deviations.see_all("mean", &ma.mean, &mb.mean, &ea.mean, |i| eb.mean[i]);
    deviations.see_all("variance", &ma.variance, &mb.variance, &ea.variance, |i| eb.variance[i]);
    let [za, zb] = [&items, &duels].map(|p| p.log_evidence().unwrap());
    deviations.see("evidence", za.value, zb.value, [za.error, zb.error]);
}

/// Joint draws of utilities have the posterior's moments, within what 4,000 of them can tell.
#[test]
fn draws_of_utilities_have_the_posteriors_moments() {
    let case = mixed();
    let posterior = exact(&case, None, &ExactSettings::default()).unwrap();
    // An item between the compared ones and one far from all.
    let points = Points::from_rows(&[[0.1], [0.5], [5.0], [0.8]]);
    let n = 4_000;
    let draws = posterior.samples(&points, n).unwrap();
    let covariance = posterior.covariance(&points);
    let mean = posterior.utilities(&points).mean;
    let average = |f: &dyn Fn(&[f64]) -> f64| (0..n).map(|j| f(draws.col(j))).sum::<f64>() / n as f64;
    for i in 0..points.len() {
        let found = average(&|f| f[i]);
        assert!((found - mean[i]).abs() <= 5.0 * (covariance[(i, i)] / n as f64).sqrt(), "{i}: {found}");
        for j in 0..points.len() {
            let found = average(&|f| (f[i] - mean[i]) * (f[j] - mean[j]));
            let error = ((covariance[(i, i)] * covariance[(j, j)] * 2.0) / n as f64).sqrt();
            assert!((found - covariance[(i, j)]).abs() <= 5.0 * error, "{i} {j}: {found}");
        }
    }
    assert_eq!(posterior.samples(&points, 10_000).unwrap().cols(), 10_000);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let case = mixed();
    for sampler in SAMPLERS {
        let settings = ExactSettings { samples: 400, ..with(sampler) };
        let [one, two] = [1, 2].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let posterior = exact(&case, None, &settings).unwrap();
                let z = posterior.log_evidence().unwrap();
                let draws = posterior.samples(&case.points, 50).unwrap();
                let moments = posterior.utilities(&case.points);
                let p = posterior.probabilities(&case.points, &case.test_pairs);
                let all: Vec<u64> = [&moments.mean, &moments.variance, &p, draws.data()]
                    .map(|x: &[f64]| x.to_vec())
                    .concat()
                    .iter()
                    .chain([&z.value, &z.error])
                    .map(|x| x.to_bits())
                    .collect();
                (all, *posterior.report())
            })
        });
        assert_eq!(one, two, "{sampler:?}");
        let other = exact(&case, None, &ExactSettings { seed: 1, ..settings }).unwrap();
        assert_ne!(other.utilities(&case.points).mean[0].to_bits(), one.0[0]);
    }
}

#[test]
fn what_cannot_be_sampled_is_said() {
    let case = Case { noise: 0.0, ..mixed() };
    assert!(matches!(exact(&case, None, &with(Sampler::Auto)), Err(Error::Parameter { .. })));
    let many = Case { noise: 0.5, ..repeated_duel(1_000_000) };
    assert!(matches!(exact(&many, None, &with(Sampler::Auto)), Err(Error::ExactSize { limit: 5_000, .. })));
    let none = ExactSettings { samples: 0, ..with(Sampler::Auto) };
    assert!(matches!(exact(&mixed(), None, &none), Err(Error::Parameter { .. })));
    let auto = exact(&mixed(), None, &with(Sampler::Auto)).unwrap();
    assert_eq!(auto.report().sampler, Sampler::MinimaxTilting);
    assert!(auto.report().acceptance.unwrap() > 0.1);
}
