//! What the integration tests share: small problems, from the reference's files or made up.
#![allow(dead_code)]

use rather::Comparison;
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::prior::Space;
use rather::inference::{Factors, Method, Settings, correction};
use rather::kernel::{Kernel, Schema, parse};
use rather::likelihood::Values;
use rather::points::Points;
use rather::posterior::Posterior;
use rather_numerics::special::normal;
use serde_json::Value;

/// A reference file: near-exact answers of an independent implementation, in `tests/oracle/`.
pub(crate) fn oracle(name: &str) -> Value {
    let path = format!("{}/tests/oracle/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A problem with given hyperparameters.
pub(crate) struct Case {
    pub(crate) points: Points,
    pub(crate) test_points: Points,
    pub(crate) test_pairs: Vec<(usize, usize)>,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) kernel: Kernel,
    pub(crate) noise: f64,
}

fn numbers(json: &Value) -> Vec<f64> {
    json.as_array().map_or(Vec::new(), |a| a.iter().map(|x| x.as_f64().unwrap()).collect())
}

fn rows(json: &Value, first_id: u64) -> Points {
    let rows: Vec<Vec<f64>> = json.as_array().map_or(Vec::new(), |a| a.iter().map(numbers).collect());
    let dims = rows.first().map_or(0, Vec::len);
    let ids = (0..rows.len() as u64).map(|i| first_id + i).collect();
    Points::new(ids, dims, rows.concat())
}

/// Names `x0`, `x1`, … for plain numeric columns.
pub(crate) fn schema(dims: usize) -> Schema {
    Schema { names: (0..dims).map(|d| format!("x{d}")).collect(), categorical: vec![false; dims], context: 0 }
}

pub(crate) fn se(dims: usize, variance: f64, lengthscale: f64) -> Kernel {
    let mut kernel = parse("se", &schema(dims), false).unwrap();
    kernel.set_parameters(&[variance, lengthscale]).unwrap();
    kernel
}

impl Case {
    pub(crate) fn from_json(json: &Value) -> Self {
        let points = rows(&json["items"], 0);
        let index = |key: &str| numbers(&json[key]).into_iter().map(|x| x as usize);
        let comparisons = index("winners")
            .zip(index("losers"))
            .map(|(winner, loser)| Comparison { winner, loser, count: 1.0 })
            .collect();
        let number = |key: &str| json[key].as_f64().unwrap();
        let test_pairs = json["test_pairs"].as_array().map_or(Vec::new(), |a| {
            a.iter().map(|p| (p[0].as_u64().unwrap() as usize, p[1].as_u64().unwrap() as usize)).collect()
        });
        Self {
            kernel: se(points.dims(), number("variance"), number("lengthscale")),
            noise: number("noise_sd_per_item"),
            test_points: rows(&json["test_items"], 1000),
            test_pairs,
            comparisons,
            points,
        }
    }

    pub(crate) fn posterior(&self, method: Method, space: Option<Space>) -> Posterior {
        self.posterior_by(Factors::Pair, method, space)
    }

    /// The log evidence of expectation propagation, and its leading correction.
    pub(crate) fn corrected(&self) -> (f64, f64) {
        let observations = Observations::new(&self.comparisons);
        let points = self.points.select(&observations.items);
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        };
        let found = problem.evaluate(&self.kernel, self.noise, None, &Settings::default()).unwrap();
        let likelihoods = observations.responses.likelihoods(&self.noise.into());
        let correction =
            correction::log_evidence(&found.prior, &observations.merged, &likelihoods, &found.outcome);
        (found.outcome.log_evidence, correction.unwrap())
    }

    /// With the sites of the given factors.
    pub(crate) fn posterior_by(&self, factors: Factors, method: Method, space: Option<Space>) -> Posterior {
        let observations = Observations::new(&self.comparisons);
        let points = self.points.select(&observations.items);
        let problem = Problem { points: &points, observations: &observations, method, space, inducing: None };
        let settings = Settings { factors, ..Settings::default() };
        let evidence = problem.evaluate(&self.kernel, self.noise, None, &settings).unwrap();
        Posterior::new(&problem, self.kernel.clone(), self.noise, evidence)
    }
}

/// The posterior of expectation propagation, of answers about `points`.
pub(crate) fn posterior_of(
    points: &Points,
    observations: &Observations,
    kernel: Kernel,
    values: impl Into<Values>,
    settings: &Settings,
) -> Posterior {
    let (compared, values) = (points.select(&observations.items), values.into());
    let problem =
        Problem { points: &compared, observations, method: Method::Ep, space: None, inducing: None };
    let evidence = problem.evaluate(&kernel, values.clone(), None, settings).unwrap();
    Posterior::new(&problem, kernel, values, evidence)
}

pub(crate) fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} where {expected} is right");
}

pub(crate) fn close_all(found: &[f64], expected: &Value, tolerance: f64, what: &str) {
    let expected = numbers(expected);
    assert_eq!(found.len(), expected.len(), "{what}");
    for (f, e) in found.iter().zip(&expected) {
        close(*f, *e, tolerance, what);
    }
}

/// Uniform and normal numbers, the same on every machine.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        normal::quantile(self.uniform())
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }
}
