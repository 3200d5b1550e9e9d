//! Models of many users against the numbers of an independent reference (`tests/oracle/many-users-golden.json`).

use crate::common;
use crate::common::{close, oracle, se};
use rather::answers::Answer;
use rather::inference;
use rather::kernel::Kernel;
use rather::many::collaborative::{Ascent, Data, PublishedScheme, Scheme, Settings, Weights};
use rather::many::kronecker::KroneckerSettings;
use rather::many::low_rank::LowRank;
use rather::many::{
    Collaborative, Hierarchical, HierarchicalSettings, Kronecker, PerUser, UserAnswers, UserModel, UserPrior,
};
use rather::points::Points;
use rather_numerics::linalg::{Matrix, cholesky, solve_lower};
use serde_json::Value;

/// The reference gives six to eight digits, and both fixpoints are converged further.
const DIGITS: f64 = 1e-6;
const DUEL_NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;

fn rows(json: &Value) -> Vec<Vec<f64>> {
    let numbers = |row: &Value| row.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    json.as_array().unwrap().iter().map(numbers).collect()
}

struct Golden {
    json: Value,
    items: Points,
    users: Points,
    pairs: Vec<(usize, usize)>,
    answers: UserAnswers,
    kernel: Kernel,
}

impl Golden {
    fn read() -> Self {
        let json = oracle("many-users-golden");
        let problem = &json["problem"];
        let points = |key: &str| {
            let rows = rows(&problem[key]);
            Points::new((0..rows.len() as u64).collect(), rows[0].len(), rows.concat())
        };
        let pairs: Vec<(usize, usize)> =
            rows(&problem["pairs"]).iter().map(|p| (p[0] as usize, p[1] as usize)).collect();
        let mut answers = Vec::new();
        for (user, labels) in rows(&problem["T"]).iter().enumerate() {
            for (&(i, j), &t) in pairs.iter().zip(labels) {
                let (winner, loser) = if t > 0.0 { (i, j) } else { (j, i) };
                answers.extend((t != 0.0).then(|| Answer::rather(winner, loser).by(user)));
            }
        }
        let answers = UserAnswers::new(4, 4, &answers).unwrap();
        let (items, users) = (points("X"), points("Xu"));
        Self { json, items, users, pairs, answers, kernel: se(2, 2.0, 1.0) }
    }

    /// Means and variances of all pairs for all users.
    fn compare(&self, model: &dyn UserModel, expected: &Value, what: &str) {
        let (means, variances) = (rows(&expected["mean"]), rows(&expected["var"]));
        for user in 0..4 {
            let found = model.predict(user, &self.pairs).unwrap();
            for p in 0..self.pairs.len() {
                let (m, v) = (means[user][p], variances[user][p]);
                let relative = |x: f64| DIGITS * x.abs().max(1.0);
                close(found.mean[p], m, relative(m), &format!("{what}: mean of user {user}, pair {p}"));
                close(
                    found.variance[p],
                    v,
                    relative(v),
                    &format!("{what}: variance of user {user}, pair {p}"),
                );
            }
        }
    }

    fn collaborative(&self, users: &UserPrior, settings: &Settings) -> Collaborative {
        let data = Data { items: &self.items, users: Some(&self.users), answers: &self.answers };
        Collaborative::fit(&data, &self.kernel, users, settings).unwrap()
    }
}

fn converged(seed: u64) -> Settings {
    let weights = Weights::PerFunction;
    Settings { functions: 2, weights, tolerance: 1e-10, cycles: 5000, seed, ..Settings::default() }
}

fn number(json: &Value) -> f64 {
    json.as_f64().unwrap()
}

#[test]
fn single_users() {
    let golden = Golden::read();
    let model = PerUser::fit(&golden.items, &golden.answers, &golden.kernel, DUEL_NOISE).unwrap();
    let expected: f64 = golden.json["SU"]["logZ"].as_array().unwrap().iter().map(number).sum();
    close(model.log_evidence(), expected, DIGITS, "log evidence");
    golden.compare(&model, &golden.json["SU"], "SU");
}

#[test]
fn hierarchical_after_each_number_of_iterations() {
    let golden = Golden::read();
    for iterations in [0, 1, 3] {
        let inference = inference::Settings { tolerance: 1e-13, ..Default::default() };
        let settings = HierarchicalSettings { iterations, inference, ..Default::default() };
        let model = Hierarchical::fit(&golden.items, &golden.answers, &golden.kernel, &settings).unwrap();
        let expected = &golden.json[format!("BI_{iterations}")];
        close(model.log_evidence(), number(&expected["sum_logZ"]), DIGITS, "log evidence");
        golden.compare(&model, expected, "BI");
        let prior = model.predict_with(&model.prior(), &golden.pairs).unwrap();
        common::close_all(&prior.mean, &expected["prior_mean_pairs"], DIGITS, "prior mean");
    }
}

#[test]
fn kronecker() {
    let golden = Golden::read();
    let prior = UserPrior { kernel: Some(se(1, 1.0, 1.0)), share: 1.0, individual: 0.1, common: 0.0 };
    let data = Data { items: &golden.items, users: Some(&golden.users), answers: &golden.answers };
    let model = Kronecker::fit(&data, &golden.kernel, &prior, &KroneckerSettings::default()).unwrap();
    close(model.log_evidence(), number(&golden.json["BO"]["logZ"]), DIGITS, "log evidence");
    golden.compare(&model, &golden.json["BO"], "BO");
}

#[test]
fn collaborative_without_features() {
    let golden = Golden::read();
    let expected = &golden.json["CP_struct_d"];
    for seed in 0..4 {
        let model = golden.collaborative(&UserPrior::exchangeable(0.0), &converged(seed));
        println!("CP: {} cycles", model.report().cycles);
        close(model.log_evidence(), number(&expected["ev"]), DIGITS, "log evidence");
        golden.compare(&model, expected, "CP");
    }
}

#[test]
fn collaborative_with_joint_weights() {
    let golden = Golden::read();
    let expected = &golden.json["CP_struct_u"];
    let settings = Settings { weights: Weights::Joint, ..converged(0) };
    let model = golden.collaborative(&UserPrior::exchangeable(0.0), &settings);
    println!("CP joint: {} cycles", model.report().cycles);
    close(model.log_evidence(), number(&expected["ev"]), DIGITS, "log evidence");
    golden.compare(&model, expected, "CP, joint");
}

#[test]
fn collaborative_with_features() {
    let golden = Golden::read();
    let expected = &golden.json["CPU_struct_d"];
    let prior = UserPrior { kernel: Some(se(1, 1.0, 1.0)), share: 1.0, individual: 0.1, common: 0.0 };
    for seed in 0..4 {
        let model = golden.collaborative(&prior, &converged(seed));
        println!("CPU: {} cycles", model.report().cycles);
        close(model.log_evidence(), number(&expected["ev"]), DIGITS, "log evidence");
        golden.compare(&model, expected, "CPU");
    }
}

/// The scheme over pair values and full factorisation, with constant damping, has the same fixpoint, by either ascent.
#[test]
fn published_scheme() {
    let golden = Golden::read();
    let with_features = UserPrior { kernel: Some(se(1, 1.0, 1.0)), share: 1.0, individual: 0.1, common: 0.0 };
    for (name, prior) in [("CP_pair", UserPrior::exchangeable(0.0)), ("CPU_pair", with_features)] {
        for ascent in [Ascent::Block, Ascent::Raiko] {
            let scheme =
                PublishedScheme { damping: 0.8, annealing: 1.0, tolerance: 1e-9, cycles: 2000, ascent };
            let settings = Settings { scheme: Scheme::Published(scheme), ..converged(0) };
            let model = golden.collaborative(&prior, &settings);
            let what = format!("{name}, {ascent:?}");
            println!("{what}: {} cycles, {:e}", model.report().cycles, model.report().residual);
            close(model.log_evidence(), number(&golden.json[name]["ev"]), DIGITS, &what);
            golden.compare(&model, &golden.json[name], &what);
        }
    }
}

#[test]
fn fitc() {
    let golden = Golden::read();
    let json = &golden.json["FITC"];
    let numbers = |key: &str| -> Vec<f64> { json[key].as_array().unwrap().iter().map(number).collect() };
    let (x, xm, x_star) = (numbers("X"), numbers("Xm"), number(&json["xstar"]));
    let k = |a: f64, b: f64| (-0.5 * (a - b) * (a - b)).exp();
    let features = |x: &[f64]| {
        let mut l = Matrix::from_fn(xm.len(), xm.len(), |i, j| k(xm[i], xm[j]));
        assert!(cholesky(&mut l));
        let mut v = Matrix::from_fn(xm.len(), x.len(), |i, j| k(xm[i], x[j]));
        solve_lower(&l, &mut v);
        v
    };
    let v = features(&x);
    let rest = (0..x.len()).map(|i| 1.0 - v.col(i).iter().map(|x| x * x).sum::<f64>()).collect();
    let posterior = LowRank { features: v, rest }.absorb(&numbers("tau"), &numbers("nu")).unwrap();
    common::close_all(&posterior.mean, &json["mean"], DIGITS, "mean");
    common::close_all(&posterior.variance, &json["var"], DIGITS, "variance");
    close(posterior.log_normaliser, number(&json["log_norm"]), DIGITS, "log normaliser");
    let (mean, variance) = posterior.elsewhere(features(&[x_star]).col(0), 1.0);
    close(mean, number(&json["mean_star"][0]), DIGITS, "mean elsewhere");
    close(variance, number(&json["var_star"][0]), DIGITS, "variance elsewhere");
}
