//! Latent variables, jointly and by messages, against the covariance of all points and against an independent reference
//! (`tests/oracle/context-golden.json`).

use proptest::prelude::*;
use rather::answers::{Answer, Answers};
use rather::evidence::Problem;
use rather::inference::latent::chains::{Chains, Settled};
use rather::inference::latent::joint::{Joint, JointPrior};
use rather::inference::observations::{Edge, Observations};
use rather::inference::prior::Space;
use rather::inference::sites::Sites;
use rather::inference::sparse::Limits;
use rather::inference::{Method, Outcome, Settings, ep};
use rather::kernel::{Kernel, Schema, parse};
use rather::likelihood::{ResponseModel, Values};
use rather::points::Points;
use rather::posterior::Posterior;
use rather_numerics::special::normal;
use serde_json::Value;

use crate::common::{close, oracle};

/// Sides of comparisons: an item and the values of columns, and who was preferred to whom.
struct World {
    points: Points,
    schema: Schema,
    observations: Observations,
}

/// Numeric columns of comparisons; the last one is a time, with the first time of the item beside it.
fn schema(names: &[&str]) -> Schema {
    let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    names.push(String::new());
    Schema { categorical: vec![false; names.len()], context: names.len(), names }
}

impl World {
    /// Two sides a comparison, the preferred one first.
    fn new(names: &[&str], sides: &[(u64, Vec<f64>)]) -> Self {
        let first = |item: u64| {
            let own = sides.iter().filter(|(i, _)| *i == item);
            own.map(|(_, row)| *row.last().unwrap()).fold(f64::INFINITY, f64::min)
        };
        let rows = sides.iter().flat_map(|(item, row)| row.iter().copied().chain([first(*item)]));
        let ids = sides.iter().map(|(item, _)| *item).collect();
        let points = Points::new(ids, names.len() + 1, rows.collect());
        let answers: Answers = (0..sides.len() / 2).map(|m| Answer::rather(2 * m, 2 * m + 1)).collect();
        let observations = Observations::of(&answers, &[], ResponseModel::default());
        Self { points, schema: schema(names), observations }
    }

    fn kernel(&self, expression: &str, values: &[f64]) -> Kernel {
        let mut kernel = parse(expression, &self.schema, false).unwrap();
        kernel.set_parameters(values).unwrap();
        kernel
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            points: &self.points,
            observations: &self.observations,
            method: Method::Ep,
            space: Some(Space::Pairs),
            inducing: None,
        }
    }

    fn jointly(&self, kernel: &Kernel, noise: f64) -> (JointPrior, Outcome) {
        let edges = &self.observations.edges;
        let joint = Joint::new(kernel, &self.points, edges, &Limits::default()).unwrap();
        let prior = joint.prior(kernel).unwrap();
        let likelihoods = self.observations.responses.likelihoods(&noise.into());
        let start = Sites::empty(self.observations.merged.len());
        let settings = Settings { tolerance: 1e-10, ..Settings::default() };
        let outcome = ep::run(&prior, &self.observations.merged, &likelihoods, start, &settings).unwrap();
        (prior, outcome)
    }

    fn by_messages(&self, kernel: &Kernel, noise: f64) -> Settled {
        let chains = Chains::new(kernel, &self.points, &self.observations.edges).unwrap();
        let prior = chains.prior(kernel).unwrap();
        let likelihoods = self.observations.responses.likelihoods(&noise.into());
        let settings = Settings { tolerance: 1e-11, ..Settings::default() };
        prior.run(&self.observations.merged, &likelihoods, None, &settings).unwrap()
    }

    fn in_full(&self, kernel: &Kernel, noise: f64) -> (Posterior, Outcome, Vec<f64>) {
        let problem = self.problem();
        let values: Values = noise.into();
        let settings = Settings { tolerance: 1e-10, ..Settings::default() };
        let evidence = problem.evaluate(kernel, values.clone(), None, &settings).unwrap();
        let gradient = problem.gradient(kernel, &evidence);
        let outcome = evidence.outcome.clone();
        (Posterior::new(&problem, kernel.clone(), values, evidence), outcome, gradient)
    }
}

const GOLDEN: &[&str] = &["style1", "style2", "home", "day"];

fn number(json: &Value) -> f64 {
    json.as_f64().unwrap()
}

/// The left side of a duel of the reference, and the right one; the columns of the right side are 0.
fn duel(json: &Value) -> [(u64, Vec<f64>); 2] {
    let day = number(&json["day"]);
    let columns = vec![number(&json["style"][0]), number(&json["style"][1]), number(&json["home"]), day];
    let item = |key: &str| json[key].as_u64().unwrap();
    [(item("left"), columns), (item("right"), vec![0.0, 0.0, 0.0, day])]
}

fn golden(name: &str) -> (Value, World, Kernel) {
    let json = oracle("context-golden")[name].clone();
    let sides: Vec<(u64, Vec<f64>)> = json["duels"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| {
            let [left, right] = duel(row);
            if row["left_won"].as_bool().unwrap() { [left, right] } else { [right, left] }
        })
        .collect();
    let world = World::new(GOLDEN, &sides);
    let of = |key: &str| number(&json[key]);
    let expression = format!("white[item] + white[item]*{name}[day] + linear[style1, style2] + linear[home]");
    let values = [
        of("variance_item"),
        of("variance_time"),
        of("lengthscale_days"),
        of("variance_style"),
        of("variance_home"),
    ];
    // `linear` with one lengthscale for all has none: its variance is its scale.
    let kernel = world.kernel(&expression, &values);
    (json, world, kernel)
}

/// The noise of the reference is a variance of 2 on the difference: a standard deviation of 1 an item.
const NOISE: f64 = 1.0;

#[test]
fn the_reference_in_full_and_jointly() {
    for name in ["matern12", "matern32"] {
        let (json, world, kernel) = golden(name);
        let (posterior, full, _) = world.in_full(&kernel, NOISE);
        let (prior, outcome) = world.jointly(&kernel, NOISE);
        let evidence = number(&json["log_evidence"]);
        close(full.log_evidence, evidence, 1e-7, "in full");
        close(outcome.log_evidence, evidence, 1e-7, "jointly");
        let weight =
            |term: usize, k: usize| prior.effect(&outcome.posterior, term, &world.points, 0).unwrap()[k];
        for (k, (mean, variance)) in [weight(2, 0), weight(2, 1), weight(3, 0)].into_iter().enumerate() {
            close(mean, number(&json["weights"]["mean"][k]), 1e-7, "mean of a weight");
            close(variance.sqrt(), number(&json["weights"]["sd"][k]), 1e-7, "sd of a weight");
        }
        for row in json["new"].as_array().unwrap() {
            let [left, right] = duel(row);
            let sides = [left, right];
            let rows = sides.iter().flat_map(|(_, row)| row.iter().copied().chain([0.0])).collect();
            let points = Points::new(sides.iter().map(|(item, _)| *item).collect(), GOLDEN.len() + 1, rows);
            let z = posterior.differences(&points, &[(0, 1)]);
            let (mean, variance) = prior.moments(&outcome.posterior, &points, &[Edge::between(0, 1)]);
            for (mean, variance) in [(z.mean[0], z.variance[0]), (mean[0], variance[0])] {
                close(mean, number(&row["mean"]), 1e-7, "mean");
                close(variance.sqrt(), number(&row["sd"]), 1e-7, "sd");
                let probability = normal::cdf(mean / (2.0 + variance).sqrt());
                close(probability, number(&row["probability"]), 1e-7, "probability");
            }
        }
    }
}

/// Kernels with latent variables, and how many parameters they have.
const KERNELS: &[&str] = &[
    "white[item] + white[item]*matern12[day]",
    "white[item]*matern32[day] + linear[x]",
    "white[item]*matern52[day]",
    "white[item] + white[item]*wiener[day]",
    "white[item] + white[item]*iwiener[day] + white[item]*linear[x]",
    "white[item]*(constant + matern12[day]) + linear[x]*white[item]",
    "white[item] + matern12[day]*linear[x]",
];

fn sides(items: u64, comparisons: usize) -> impl Strategy<Value = Vec<(u64, Vec<f64>)>> {
    let one = (0..items, 1..items, -1.0..1.0, -1.0..1.0, 0..8).prop_map(move |(i, step, x, y, day)| {
        let j = (i + step) % items;
        [(i, vec![x, f64::from(day)]), (j, vec![y, f64::from(day)])]
    });
    prop::collection::vec(one, comparisons).prop_map(|all| all.into_iter().flatten().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// State space equals the dense Gaussian process over (item, date): evidence, gradient, predictions before, between and after the dates.
    #[test]
    fn latent_variables_are_the_full_covariance(
        sides in sides(4, 14),
        which in 0..KERNELS.len() - 1,
        scales in prop::collection::vec(0.3_f64..2.0, 8),
        at in prop::collection::vec(-2.0..11.0, 4),
    ) {
        let world = World::new(&["x", "day"], &sides);
        let kernel = parse(KERNELS[which], &world.schema, false).unwrap();
        let values = &scales[..kernel.parameters().len()];
        let kernel = world.kernel(KERNELS[which], values);
        let (posterior, full, gradient) = world.in_full(&kernel, 0.7);
        let (prior, outcome) = world.jointly(&kernel, 0.7);
        close(outcome.log_evidence, full.log_evidence, 1e-8, "evidence");
        for (a, b) in prior.gradient(&outcome).unwrap().iter().zip(&gradient) {
            close(*a, *b, 1e-6, "gradient");
        }
        for (k, &time) in at.iter().enumerate() {
            // A known item against another, a stranger, or itself at another time.
            let other = [1, 9, 0, 0][k];
            let later = if other == 0 { time + 0.3 } else { time };
            let points = Points::new(
                vec![0, other],
                3,
                vec![0.4, time, first(&world, 0, time), -0.2, later, first(&world, other, later)],
            );
            let z = posterior.differences(&points, &[(0, 1)]);
            let (mean, variance) = prior.moments(&outcome.posterior, &points, &[Edge::between(0, 1)]);
            close(mean[0], z.mean[0], 1e-7, "mean");
            close(variance[0], z.variance[0], 1e-7, "variance");
            let c = prior.covariance(&outcome.posterior, &points);
            close(c[(0, 0)] - 2.0 * c[(0, 1)] + c[(1, 1)], z.variance[0], 1e-7, "variance by covariances");
            let (_, alone) = prior.moments(&outcome.posterior, &points, &[Edge::alone(0), Edge::alone(1)]);
            close(c[(0, 0)], alone[0], 1e-7, "own variance");
            close(c[(1, 1)], alone[1], 1e-7, "own variance of the other");
        }
    }
}

/// The first time of an item, or this time if it has none.
fn first(world: &World, item: u64, time: f64) -> f64 {
    let own = (0..world.points.len()).find(|&i| world.points.id(i) == item);
    own.map_or(time, |i| world.points.row(i)[2])
}

#[test]
fn products_of_two_carriers_have_no_latent_variables() {
    let world = World::new(&["x", "day"], &[(0, vec![0.1, 0.0]), (1, vec![0.2, 0.0])]);
    let limits = Limits::default();
    let joint = |expression: &str| {
        let kernel = parse(expression, &world.schema, false).unwrap();
        Joint::new(&kernel, &world.points, &world.observations.edges, &limits).is_some()
    };
    assert!(KERNELS[..6].iter().all(|expression| joint(expression)));
    assert!(!joint(KERNELS[6]));
    assert!(!joint("se[x]"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Where comparisons join the chains to a tree, messages are exact.
    #[test]
    fn messages_on_a_tree_are_exact(
        parents in prop::collection::vec((0.0_f64..1.0, 0..8, prop::bool::ANY), 7),
        which in prop::sample::select(vec![0, 2, 3]),
        scales in prop::collection::vec(0.3_f64..2.0, 8),
    ) {
        let mut sides = Vec::new();
        for (child, (parent, day, wins)) in (1..).zip(&parents) {
            let parent = (parent * f64::from(child as u32)) as u64;
            let pair = [(child, vec![0.0, f64::from(*day)]), (parent, vec![0.0, f64::from(*day)])];
            sides.extend(if *wins { pair } else { [pair[1].clone(), pair[0].clone()] });
        }
        let world = World::new(&["x", "day"], &sides);
        let count = parse(KERNELS[which], &world.schema, false).unwrap().parameters().len();
        let kernel = world.kernel(KERNELS[which], &scales[..count]);
        let (prior, outcome) = world.jointly(&kernel, 0.7);
        let Settled { outcome: messages, gradient, .. } = world.by_messages(&kernel, 0.7);
        close(messages.log_evidence, outcome.log_evidence, 1e-8, "evidence");
        close(messages.d_log_noise(), outcome.d_log_noise(), 1e-7, "slope in the noise");
        for (a, b) in gradient.iter().zip(prior.gradient(&outcome).unwrap()) {
            close(*a, b, 1e-6, "gradient");
        }
        for e in 0..world.observations.edges.len() {
            close(messages.posterior.mean[e], outcome.posterior.mean[e], 1e-7, "mean");
            close(messages.posterior.variance[e], outcome.posterior.variance[e], 1e-7, "variance");
        }
    }

    /// With loops the gradient is that of the evidence that is reported, and means are near those of the joint posterior.
    #[test]
    fn messages_with_loops(
        sides in sides(4, 14),
        which in 0..KERNELS.len() - 1,
        scales in prop::collection::vec(0.3_f64..1.5, 8),
    ) {
        let world = World::new(&["x", "day"], &sides);
        let count = parse(KERNELS[which], &world.schema, false).unwrap().parameters().len();
        let at = |values: &[f64]| world.by_messages(&world.kernel(KERNELS[which], values), 0.7);
        let Settled { outcome, gradient, .. } = at(&scales[..count]);
        prop_assert!(outcome.residual < 1e-9, "{}", outcome.residual);
        for k in 0..count {
            let moved = |by: f64| {
                let mut values = scales[..count].to_vec();
                values[k] *= f64::exp(by);
                at(&values).outcome.log_evidence
            };
            let difference = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            close(gradient[k], difference, 1e-5, "slope");
        }
        let (_, exact) = world.jointly(&world.kernel(KERNELS[which], &scales[..count]), 0.7);
        for e in 0..world.observations.edges.len() {
            // What messages count twice among loops as tight as these; on real tables it is far less.
            let sd = exact.posterior.variance[e].sqrt();
            close(outcome.posterior.mean[e], exact.posterior.mean[e], 0.5 * sd, "mean");
        }
    }
}
