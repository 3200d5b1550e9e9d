//! The comparison of approximations with the exact posterior, against an independent reference.

use crate::common::{Case, oracle};
use rather::check::{Agreement, compare};
use rather::evidence::Problem;
use rather::exact::{ExactPosterior, ExactSettings};
use rather::inference::observations::Observations;
use rather::inference::{Factors, Method};
use rather::points::Points;
use serde_json::Value;

const CASES: [&str; 7] =
    ["chain", "contradictory", "eight-items", "five-items", "low-noise", "one-duel", "repeated"];

/// Deviations differ from those of the reference by sampling only; the errors of the items are of a size.
const ERRORS: f64 = 6.0;

fn exact(case: &Case, samples: usize) -> ExactPosterior {
    let observations = Observations::new(&case.comparisons);
    let points = case.points.select(&observations.items);
    let problem = Problem {
        points: &points,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    let settings = ExactSettings { samples, ..ExactSettings::default() };
    ExactPosterior::new(&problem, case.kernel.clone(), case.noise, &settings).unwrap()
}

fn numbers(json: &Value) -> Vec<f64> {
    json.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Relative to their average.
fn centred(x: Vec<f64>) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter().map(|x| x - mean).collect()
}

fn largest(x: impl Iterator<Item = f64>) -> f64 {
    x.map(f64::abs).fold(0.0, f64::max)
}

/// The largest difference of the reference's approximation to its exact means, in standard deviations.
fn reference_means(json: &Value, method: &str, key: &str, exact: &ExactPosterior, points: &Points) -> f64 {
    let [found, truth] = [method, "exact"].map(|m| centred(numbers(&json[m][key])));
    let sd = exact.relative_utilities(points, points).variance;
    largest(found.iter().zip(&truth).zip(&sd).map(|((f, t), v)| (f - t) / v.sqrt()))
}

fn near(what: &str, found: f64, expected: f64, error: f64) {
    assert!(
        (found - expected).abs() <= ERRORS * error + 1e-6,
        "{what}: {found} where {expected} ± {error} is right"
    );
}

#[test]
fn deviations_are_those_of_the_reference() {
    for name in CASES {
        let json = oracle(name);
        let case = Case::from_json(&json);
        let exact = exact(&case, 20_000);
        for (method, key) in [(Method::Ep, "ep"), (Method::Laplace, "laplace")] {
            let approximate = case.posterior_by(Factors::Answer, method, None);
            let found = compare(&approximate, &exact, &case.points, &[]);
            let expected = reference_means(&json, key, "mean", &exact, &case.points);
            near(&format!("{name} {key} mean"), found.means.largest, expected, found.means.error);
            assert_eq!((found.pairs, found.probabilities.largest), (0, 0.0));
        }
        let found: Agreement = compare(
            &case.posterior_by(Factors::Answer, Method::Ep, None),
            &exact,
            &case.test_points,
            &case.test_pairs,
        );
        let expected = reference_means(&json, "ep", "test_mean", &exact, &case.test_points);
        near(&format!("{name} test mean"), found.means.largest, expected, found.means.error);
        let [ep, truth] = ["ep", "exact"].map(|m| numbers(&json[m]["test_probability"]));
        let expected = largest(ep.iter().zip(&truth).map(|(e, t)| e - t));
        near(
            &format!("{name} probability"),
            found.probabilities.largest,
            expected,
            found.probabilities.error,
        );
        println!("{name}: {found:?}");
    }
}

/// An approximation compared with itself, as it were: one duel's posterior mean is matched by EP exactly.
#[test]
fn no_difference_is_within_sampling_error() {
    let json = oracle("one-duel");
    let case = Case::from_json(&json);
    let found = compare(&case.posterior(Method::Ep, None), &exact(&case, 4_000), &case.points, &[(0, 1)]);
    assert!(found.means.within_error && found.sd_ratio.within_error, "{found:?}");
    assert!(found.means.error > 0.0 && found.sd_ratio.largest - 1.0 < 0.1);
    let laplace =
        compare(&case.posterior(Method::Laplace, None), &exact(&case, 4_000), &case.points, &[(0, 1)]);
    assert!(!laplace.means.within_error, "{laplace:?}");
}
