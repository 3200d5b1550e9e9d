//! EP and Laplace against the near-exact answers of an independent reference (`tests/oracle/`). The reference's EP has a site an answer.

use crate::common;
use crate::common::{Case, close, oracle};
use rather::inference::prior::Space;
use rather::inference::{Factors, Method};

const CASES: [&str; 7] =
    ["chain", "contradictory", "eight-items", "five-items", "low-noise", "one-duel", "repeated"];

/// The reference's fixpoints are converged to 1e-13; ours to 1e-8 in the moments.
const FIXPOINT: f64 = 1e-6;

#[test]
fn ep_equals_the_reference() {
    for name in CASES {
        let json = oracle(name);
        let case = Case::from_json(&json);
        for space in [Space::Items, Space::Pairs] {
            let posterior = case.posterior_by(Factors::Answer, Method::Ep, Some(space));
            let outcome = posterior.outcome();
            close(outcome.log_evidence, json["ep"]["log_evidence"].as_f64().unwrap(), FIXPOINT, name);
            let train = posterior.utilities(&case.points);
            common::close_all(&train.mean, &json["ep"]["mean"], FIXPOINT, name);
            common::close_all(&train.variance, &json["ep"]["variance"], FIXPOINT, name);
            let test = posterior.utilities(&case.test_points);
            common::close_all(&test.mean, &json["ep"]["test_mean"], FIXPOINT, name);
            common::close_all(&test.variance, &json["ep"]["test_variance"], FIXPOINT, name);
            let probability = posterior.probabilities(&case.test_points, &case.test_pairs);
            common::close_all(&probability, &json["ep"]["test_probability"], FIXPOINT, name);
        }
    }
}

#[test]
fn laplace_equals_the_reference() {
    for name in CASES {
        let json = oracle(name);
        let case = Case::from_json(&json);
        for space in [Space::Items, Space::Pairs] {
            let posterior = case.posterior(Method::Laplace, Some(space));
            let reference = &json["laplace"];
            close(
                posterior.outcome().log_evidence,
                reference["log_evidence"].as_f64().unwrap(),
                FIXPOINT,
                name,
            );
            let train = posterior.utilities(&case.points);
            common::close_all(&train.mean, &reference["mean"], FIXPOINT, name);
            common::close_all(&train.variance, &reference["variance"], FIXPOINT, name);
        }
    }
}

/// The two spaces hold the same posterior.
#[test]
fn item_space_equals_duel_space() {
    for name in CASES {
        let json = oracle(name);
        let case = Case::from_json(&json);
        for method in [Method::Ep, Method::Laplace] {
            let [items, duels] = [Space::Items, Space::Pairs].map(|s| case.posterior(method, Some(s)));
            close(items.outcome().log_evidence, duels.outcome().log_evidence, 1e-9, name);
            let [a, b] = [&items, &duels].map(|p| p.utilities(&case.test_points));
            for (x, y) in a.mean.iter().chain(&a.variance).zip(b.mean.iter().chain(&b.variance)) {
                close(*x, *y, 1e-9, name);
            }
        }
    }
}

#[test]
fn the_hard_cases_converge_to_the_reference() {
    let json = oracle("hard-cases");
    for json in json.as_array().unwrap() {
        let name = json["name"].as_str().unwrap();
        let case = Case::from_json(json);
        for space in [Space::Items, Space::Pairs] {
            let posterior = case.posterior_by(Factors::Answer, Method::Ep, Some(space));
            let outcome = posterior.outcome();
            println!("{name} {space:?}: {} sweeps, residual {:.1e}", outcome.sweeps, outcome.residual);
            assert!(outcome.residual <= 1e-8, "{name} {space:?}: residual {:e}", outcome.residual);
            let expected = json["ep"]["log_evidence"].as_f64().unwrap();
            close(outcome.log_evidence, expected, 1e-6 * expected.abs(), name);
            let train = posterior.utilities(&case.points);
            common::close_all(&train.mean, &json["ep"]["mean"], FIXPOINT, name);
        }
    }
}

/// The corrected evidence is nearer to the exact one wherever that of expectation propagation is off by more than the reference's own error.
#[test]
fn corrected_evidence_is_nearer_to_exact() {
    for name in CASES {
        let json = oracle(name);
        let case = Case::from_json(&json);
        let (outcome, correction) = case.corrected();
        let exact = json["exact"]["log_evidence"].as_f64().unwrap();
        let (before, after) = (outcome - exact, outcome + correction - exact);
        println!("{name}: off by {before:.6}, corrected {after:.6}");
        assert!(after.abs() <= 0.5 * before.abs() + 2e-4, "{name}: off by {before}, corrected {after}");
    }
}

/// The ratio of evidences is nearer to the exact probability wherever the Gaussian is off by more than 0.01.
#[test]
fn sharper_probabilities_are_nearer_to_exact() {
    let mut compared = 0;
    for name in CASES {
        let json = oracle(name);
        let case = Case::from_json(&json);
        let posterior = case.posterior(Method::Ep, None);
        let gaussian = posterior.probabilities(&case.test_points, &case.test_pairs);
        let sharp = posterior.sharp_probabilities(&case.test_points, &case.test_pairs).unwrap();
        for (i, exact) in json["exact"]["test_probability"].as_array().unwrap().iter().enumerate() {
            let exact = exact.as_f64().unwrap();
            let (g, s) = ((gaussian[i] - exact).abs(), (sharp[i] - exact).abs());
            println!("{name}: exact {exact:.4} gaussian {:.4} sharp {:.4}", gaussian[i], sharp[i]);
            if g > 0.01 {
                compared += 1;
                assert!(
                    s < g,
                    "{name} pair {i}: exact {exact}, gaussian {}, sharp {}",
                    gaussian[i],
                    sharp[i]
                );
            }
        }
    }
    assert!(compared > 0);
}
