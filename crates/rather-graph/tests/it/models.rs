//! Models built from the nodes: Kalman filter and smoother, recursive Gaussian processes, experiment design; against the
//! reference's figures and against the engine.

use std::sync::Arc;

use crate::common::{GOLDEN, golden, line, matrix, near, se, vector};
use rather::likelihood::{Likelihood, Probit};
use rather::points::Points;
use rather::streaming::Basis;
use rather_graph::{
    Approximation, Constant, Graph, LinearGaussian, Message, Messages, Moment, Node, Prior, RecursiveGp,
    Response, Schedule, Scores, experiment_design, gp_prediction,
};
use rather_numerics::linalg::{Matrix, cholesky, product, solve_lower, transpose_product};
use rather_numerics::random::{normal, stream};
use rather_numerics::special::normal::cdf;
use serde_json::Value;

/// Where jitter enters: with and without a basis, or with another jitter.
const JITTER: f64 = 1e-7;

fn equals(found: &Moment, json: &Value, what: &str) {
    near(found.mean(), &vector(&json["mu"]), GOLDEN, what);
    near(found.covariance().data(), matrix(&json["Sigma"]).data(), GOLDEN, what);
}

// ---- Kalman -------------------------------------------------------------------------------------------------------

#[test]
fn the_filter_and_the_smoother_equal_the_reference() {
    let json = golden();
    let json = &json["kalman"];
    let input = &json["inputs"];
    let one = |key: &str| Matrix::from_fn(1, 1, |_, _| input[key].as_f64().unwrap());
    let of = |key: &str| matrix(&input[key]);
    let model = LinearGaussian::new(of("A"), of("B"), of("C"), one("Q"), one("R")).unwrap();
    let initial = Message::moment(vector(&input["m0"]), of("V0")).unwrap();
    let observed: Vec<_> = vector(&input["z"]).into_iter().map(|z| Some(vec![z])).collect();
    let filter = model.filter(&initial, &observed).unwrap();
    let smooth = model.smooth(&initial, &observed).unwrap();
    for (k, (f, s)) in filter.iter().zip(&smooth).enumerate() {
        equals(&f.to_moment().unwrap(), &json["filter"][k], &format!("filter {}", k + 1));
        equals(&s.to_moment().unwrap(), &json["smoother"][k], &format!("smoother {}", k + 1));
    }
    // At the last step both know the same.
    let last = |m: &[Message]| m[m.len() - 1].to_moment().unwrap();
    near(last(&filter).covariance().data(), last(&smooth).covariance().data(), 1e-13, "last step");
    // In information form the same comes out.
    let initial = Message::from(initial.to_information().unwrap());
    let smooth = model.smooth(&initial, &observed).unwrap();
    equals(&smooth[0].to_moment().unwrap(), &json["smoother"][0], "smoother from information form");
}

/// Four states, two outputs, twenty steps, some without observation, against conditioning the joint of all states.
#[test]
fn the_smoother_equals_conditioning_all_states_at_once() {
    let rng = &mut stream(3, 0);
    let (n, o, steps) = (4, 2, 20);
    let mut random = |r: usize, c: usize, s: f64| Matrix::from_fn(r, c, |_, _| s * normal(rng));
    let a = random(n, n, 0.4);
    let (b, c) = (random(n, 2, 1.0), random(o, n, 1.0));
    let (q, r, v0) = (spd(&random(2, 4, 0.5)), spd(&random(o, 4, 0.6)), spd(&random(n, 6, 0.7)));
    let m0: Vec<f64> = random(n, 1, 1.0).col(0).to_vec();
    let observed: Vec<Option<Vec<f64>>> =
        (0..steps).map(|k| (k % 5 != 3).then(|| random(o, 1, 2.0).col(0).to_vec())).collect();
    let model = LinearGaussian::new(a.clone(), b.clone(), c.clone(), q.clone(), r.clone()).unwrap();
    let initial = Message::moment(m0.clone(), v0.clone()).unwrap();
    let smooth = model.smooth(&initial, &observed).unwrap();
    let filter = model.filter(&initial, &observed).unwrap();

    // The joint prior of all states, block by block.
    let drive = congruence(&b, &q);
    let total = n * steps;
    let (mut mean, mut joint) = (vec![0.0; total], Matrix::zeros(total, total));
    let (mut m, mut v) = (m0, v0);
    for k in 0..steps {
        m = a.times(&m);
        v = congruence(&a, &v);
        v.data_mut().iter_mut().zip(drive.data()).for_each(|(v, d)| *v += d);
        mean[k * n..][..n].copy_from_slice(&m);
        let mut block = v.clone();
        for l in k..steps {
            for i in 0..n {
                for j in 0..n {
                    joint[(l * n + i, k * n + j)] = block[(i, j)];
                    joint[(k * n + j, l * n + i)] = block[(i, j)];
                }
            }
            block = product(&a, &block);
        }
    }
    let condition = |until: usize| {
        let seen: Vec<usize> = (0..until).filter(|&k| observed[k].is_some()).collect();
        let look = Matrix::from_fn(seen.len() * o, total, |row, col| {
            if col / n == seen[row / o] { c[(row % o, col % n)] } else { 0.0 }
        });
        let z: Vec<f64> = seen.iter().flat_map(|&k| observed[k].clone().unwrap()).collect();
        let mut s = congruence(&look, &joint);
        for row in 0..s.rows() {
            for col in 0..s.rows() {
                if row / o == col / o {
                    s[(row, col)] += r[(row % o, col % o)];
                }
            }
        }
        assert!(cholesky(&mut s));
        let mut half = product(&look, &joint);
        solve_lower(&s, &mut half);
        let mut error = Matrix::from_fn(z.len(), 1, |i, _| z[i] - look.times(&mean)[i]);
        solve_lower(&s, &mut error);
        let taken = transpose_product(&half, &half);
        let moved = half.transpose_times(error.col(0));
        let mean: Vec<f64> = mean.iter().zip(&moved).map(|(m, d)| m + d).collect();
        (mean, Matrix::from_fn(total, total, |i, j| joint[(i, j)] - taken[(i, j)]))
    };
    let check = |found: &Moment, k: usize, (mean, covariance): &(Vec<f64>, Matrix), what: &str| {
        near(found.mean(), &mean[k * n..(k + 1) * n], 1e-10, what);
        let block = Matrix::from_fn(n, n, |i, j| covariance[(k * n + i, k * n + j)]);
        near(found.covariance().data(), block.data(), 1e-10, what);
    };
    let all = condition(steps);
    for k in 0..steps {
        check(&smooth[k].to_moment().unwrap(), k, &all, &format!("smoother {k}"));
        check(&filter[k].to_moment().unwrap(), k, &condition(k + 1), &format!("filter {k}"));
    }
}

fn congruence(a: &Matrix, s: &Matrix) -> Matrix {
    product(&product(a, s), &Matrix::from_fn(a.cols(), a.rows(), |i, j| a[(j, i)]))
}

fn spd(root: &Matrix) -> Matrix {
    congruence(root, &Matrix::from_fn(root.cols(), root.cols(), |i, j| if i == j { 1.0 } else { 0.0 }))
}

// ---- recursive regression -----------------------------------------------------------------------------------------

fn regression(basis: &[f64], inputs: &[f64], targets: &[f64], jitter: f64) -> (Basis, Moment) {
    let basis = Basis::with_jitter(se(1.0, 0.2), line(basis), jitter).unwrap();
    let mut gp = RecursiveGp::new(basis.clone()).unwrap();
    let inputs = line(inputs);
    for (i, &y) in targets.iter().enumerate() {
        gp.value(&inputs, i, y, 0.01).unwrap();
    }
    let belief = gp.posterior(1).unwrap();
    (basis, belief)
}

#[test]
fn recursive_regression_equals_the_reference_and_the_batch() {
    let json = golden();
    let json = &json["recursive_gpr"];
    let input = &json["inputs"];
    let (x, y) = (vector(&input["x"]), vector(&input["y"]));
    let test = line(&vector(&input["test"]));
    for case in ["basis_is_data", "basis_grid5"] {
        let json = &json[case];
        let (basis, belief) = regression(&vector(&json["basis"]), &x, &y, input["jitter"].as_f64().unwrap());
        near(belief.mean(), &vector(&json["mu_b"]), GOLDEN, case);
        near(belief.covariance().data(), matrix(&json["Sigma_b"]).data(), GOLDEN, case);
        near(basis.weights(&test).data(), matrix(&json["J"]).data(), GOLDEN, "J");
        let residual = basis.residual(&test);
        let d: Vec<f64> = (0..3).map(|i| residual[(i, i)]).collect();
        near(&d, &vector(&json["D"]), GOLDEN, "D");
        let diagonal = Matrix::from_fn(3, 3, |i, j| if i == j { d[i] } else { 0.0 });
        let node = gp_prediction("GPP", basis.weights(&test), diagonal).unwrap();
        let prediction = node.send(1, &[&belief.into(), &Message::flat(3)]).unwrap().to_moment().unwrap();
        near(prediction.mean(), &vector(&json["mean"]), GOLDEN, "predicted mean");
        let variance: Vec<f64> = (0..3).map(|i| prediction.covariance()[(i, i)]).collect();
        near(&variance, &vector(&json["var"]), GOLDEN, "predicted variance");
    }
    // The basis that holds the data is the Gaussian process without a basis, up to jitter.
    near(&vector(&json["basis_is_data"]["mean"]), &vector(&json["batch"]["mean"]), JITTER, "batch");
}

/// Any order of the data gives the same belief.
#[test]
fn regression_does_not_depend_on_the_order() {
    let (x, y) = ([0.1, 0.35, 0.5, 0.8], [0.2, 0.9, 0.6, -0.4]);
    let basis = [0.0, 0.25, 0.5, 0.75, 1.0];
    let (_, forward) = regression(&basis, &x, &y, 1e-9);
    let reversed = |a: [f64; 4]| [a[3], a[2], a[1], a[0]];
    let (_, backward) = regression(&basis, &reversed(x), &reversed(y), 1e-9);
    near(forward.mean(), backward.mean(), 1e-12, "mean");
    near(forward.covariance().data(), backward.covariance().data(), 1e-12, "covariance");
}

// ---- the response node --------------------------------------------------------------------------------------------

fn probit() -> Arc<dyn Likelihood> {
    // s = 1: the scale of the thesis.
    Arc::new(Probit::label(1.0))
}

fn respond(mean: f64, variance: f64, positive: bool, approximation: Approximation) -> (f64, f64) {
    let node = Response::new("t", probit(), positive, approximation);
    let found = node.send(0, &[&Message::scalar(mean, variance).unwrap()]).unwrap().to_information().unwrap();
    (found.precision()[(0, 0)], found.shift()[0])
}

#[test]
fn the_response_message_equals_the_reference() {
    let json = golden();
    for (key, json) in json["response_message"].as_object().unwrap() {
        let number = |name: &str| -> f64 {
            let part = key.split(' ').find_map(|p| p.strip_prefix(name)?.strip_prefix('=')).unwrap();
            part.parse().unwrap()
        };
        let (y, m, v) = (number("y"), number("m"), number("v"));
        for (name, approximation) in [("adf", Approximation::Moments), ("laplace", Approximation::Laplace)] {
            let (tau, nu) = respond(m, v, y > 0.0, approximation);
            let expected = |k: &str| json[name][k].as_f64().unwrap();
            near(&[tau, nu], &[expected("tau"), expected("nu")], 1e-13, &format!("{key}, {name}"));
        }
        // Forward times backward is the posterior.
        let (tau, nu) = respond(m, v, y > 0.0, Approximation::Moments);
        let variance = v / (1.0 + v * tau);
        let posterior = [variance * (m / v + nu), variance];
        near(
            &posterior,
            &[json["adf"]["post_mean"].as_f64().unwrap(), json["adf"]["post_var"].as_f64().unwrap()],
            1e-13,
            key,
        );
    }
}

/// The probit is log-concave: the precision is between 0 and 1, whatever comes in.
#[test]
fn the_response_precision_is_between_nought_and_one() {
    for m in (-40..=40).map(f64::from) {
        for v in (-12..=8).map(|k| 10_f64.powf(f64::from(k) / 2.0)) {
            for approximation in [Approximation::Moments, Approximation::Laplace] {
                let (tau, nu) = respond(m, v, true, approximation);
                assert!((0.0..=1.0).contains(&tau) && nu.is_finite(), "{m} {v} {approximation:?}: {tau}");
            }
        }
    }
}

/// The moments after the answer against an integral by the trapezoid rule.
#[test]
fn the_response_moments_equal_quadrature() {
    for (m, v) in [(0.3, 1.5), (-2.0, 0.4), (1.0, 9.0)] {
        let step = 0.02 * f64::sqrt(v);
        let grid = || (-500..=500).map(|i| m + step * f64::from(i));
        let weight = |f: f64| cdf(f) * (-(f - m).powi(2) / (2.0 * v)).exp();
        let total: f64 = grid().map(weight).sum();
        let mean = grid().map(|f| f * weight(f)).sum::<f64>() / total;
        let variance = grid().map(|f| (f - mean).powi(2) * weight(f)).sum::<f64>() / total;
        let (tau, nu) = respond(m, v, true, Approximation::Moments);
        let found = v / (1.0 + v * tau);
        near(&[found * (m / v + nu), found], &[mean, variance], 1e-12, "moments");
    }
}

// ---- preference learning ------------------------------------------------------------------------------------------

struct Preference {
    items: Points,
    duels: Vec<(usize, usize)>,
    json: Value,
}

fn preference() -> Preference {
    let json = golden()["preference"].clone();
    let items = line(&vector(&json["inputs"]["items"]));
    let duels = json["inputs"]["duels_first_second_y"].as_array().unwrap();
    let duels = duels
        .iter()
        .map(|d| {
            let d = vector(d);
            let (a, b) = (d[0] as usize, d[1] as usize);
            if d[2] > 0.0 { (a, b) } else { (b, a) }
        })
        .collect();
    Preference { items, duels, json }
}

fn learn(p: &Preference, duels: &[(usize, usize)], approximation: Approximation, sweeps: usize) -> Moment {
    let basis = Basis::with_jitter(se(4.0, 0.3), p.items.clone(), 1e-9).unwrap();
    let mut gp = RecursiveGp::new(basis).unwrap();
    for &duel in duels {
        gp.duel(&p.items, duel, probit(), approximation).unwrap();
    }
    gp.posterior(sweeps).unwrap()
}

#[test]
fn recursive_preference_learning_equals_the_reference() {
    let p = preference();
    let cases = [("adf_one_pass", Approximation::Moments), ("laplace_one_pass", Approximation::Laplace)];
    for (name, approximation) in cases {
        let found = learn(&p, &p.duels, approximation, 1);
        near(found.mean(), &vector(&p.json[name]["mean"]), JITTER, name);
        near(found.covariance().data(), matrix(&p.json[name]["cov"]).data(), JITTER, name);
    }
}

/// Passes back and forth come to rest at batch expectation propagation, or batch Laplace, in any order of the answers.
#[test]
fn at_rest_it_is_the_batch_in_any_order() {
    let p = preference();
    let mut shuffled = p.duels.clone();
    shuffled.reverse();
    shuffled.swap(1, 5);
    let cases = [("batch_ep", Approximation::Moments), ("batch_laplace", Approximation::Laplace)];
    for (name, approximation) in cases {
        let found = learn(&p, &p.duels, approximation, 15);
        near(found.mean(), &vector(&p.json[name]["mean"]), JITTER, name);
        near(found.covariance().data(), matrix(&p.json[name]["cov"]).data(), JITTER, name);
        let other = learn(&p, &shuffled, approximation, 15);
        near(found.mean(), other.mean(), 1e-9, "another order");
    }
}

/// Swapping the two items and the sign of the answer changes nothing.
#[test]
fn a_swapped_answer_is_the_same_answer() {
    let items = line(&[0.0, 0.4, 1.0]);
    let basis = Basis::new(se(4.0, 0.3), items.clone()).unwrap();
    let prior = Message::moment(vec![0.0; 3], basis.covariance()).unwrap();
    let j = basis.weights(&items);
    let row = |a: usize, b: usize| Matrix::from_fn(1, 3, |_, k| j[(a, k)] - j[(b, k)]);
    let belief = |weights: Matrix, positive: bool| {
        let mut graph = Graph::new();
        let [g, f] = [("g", 3), ("f", 1)].map(|(name, n)| graph.edge(name, n).unwrap());
        graph.node("prior", Prior::new("K", prior.clone()), &[g]).unwrap();
        let d = Matrix::zeros(1, 1);
        graph.node("prediction", gp_prediction("GPP", weights, d).unwrap(), &[g, f]).unwrap();
        let answer = Response::new("t", probit(), positive, Approximation::Moments);
        graph.node("answer", answer, &[f]).unwrap();
        let mut messages = Messages::new(&graph);
        Schedule::forward(&graph, g).unwrap().run(&graph, &mut messages).unwrap();
        messages.marginal(&graph, g).unwrap().to_moment().unwrap()
    };
    let (a, b) = (belief(row(0, 2), true), belief(row(2, 0), false));
    near(a.mean(), b.mean(), 1e-15, "mean");
    near(a.covariance().data(), b.covariance().data(), 1e-15, "covariance");
}

// ---- experiment design --------------------------------------------------------------------------------------------

/// The node chooses what the best score says, sends a point, and refuses to be asked backwards.
#[test]
fn experiment_design_sends_the_best_setting() {
    let settings = line(&[0.0, 0.25, 0.5, 0.75, 1.0]);
    let basis = Basis::new(se(1.0, 0.3), line(&[0.0, 0.5, 1.0])).unwrap();
    let belief = {
        let mut gp = RecursiveGp::new(basis.clone()).unwrap();
        gp.value(&settings, 2, 1.0, 0.01).unwrap();
        gp.posterior(1).unwrap()
    };
    let parts = (basis.weights(&settings), basis.residual(&settings));
    let scores = |alpha: f64| {
        Scores::new("h", 5, move |m: &Moment| {
            (0..5).map(|i| m.mean()[i] + alpha * m.covariance()[(i, i)].sqrt()).collect()
        })
    };
    for (alpha, expected) in [(0.0, 0.5), (10.0, 0.0)] {
        let node = experiment_design("ED", parts.clone(), scores(alpha), settings.clone()).unwrap();
        let mut graph = Graph::new();
        let [g, x] = [("g", 3), ("x", 1)].map(|(name, n)| graph.edge(name, n).unwrap());
        graph.node("belief", Prior::new("N", belief.clone().into()), &[g]).unwrap();
        graph.node("design", node, &[g, x]).unwrap();
        let mut messages = Messages::new(&graph);
        Schedule::forward(&graph, x).unwrap().run(&graph, &mut messages).unwrap();
        let chosen = messages.forward(x).unwrap().to_moment().unwrap();
        assert_eq!((chosen.mean(), chosen.covariance()[(0, 0)]), (&[expected][..], 0.0));
        let back = Schedule::forward(&graph, g).unwrap().run(&graph, &mut messages).unwrap_err().to_string();
        assert!(back.starts_with("node \"design\" cannot send a message on edge \"g\": inside,"), "{back}");
        assert!(back.contains("other direction only"), "{back}");
    }
    let mut graph = Graph::new();
    let short = graph.edge("short", 2).unwrap();
    let error = graph.node("value", Constant::new("y", &[1.0]), &[short]).unwrap_err();
    assert!(error.to_string().contains("needs 1"), "{error}");
}
