//! Properties of inference on made-up problems: two routes to one number, gradients against differences.

use crate::common;
use crate::common::{close, schema};
use proptest::prelude::*;
use rather::Comparison;
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::prior::Space;
use rather::inference::{Factors, Method, Settings, Status};
use rather::kernel::{Kernel, parse};
use rather::points::Points;
use rather::posterior::Posterior;

const EXACT: Settings =
    Settings { tolerance: 1e-12, sweeps: 400, sequential_sweeps: 400, factors: Factors::Pair };

/// A problem with 3 to 7 items of two features, 1 to 14 comparisons among them, and some hyperparameters.
#[derive(Debug, Clone)]
struct Made {
    points: Points,
    comparisons: Vec<Comparison>,
    kernel: Kernel,
    noise: f64,
}

const KERNELS: [&str; 6] =
    ["se", "matern12", "matern32", "rq", "linear + white", "se[x0] * matern52[x1] + se"];

fn made() -> impl Strategy<Value = Made> {
    let rows = prop::collection::vec([-2.0..2.0f64, -2.0..2.0f64], 3..8);
    let pairs = prop::collection::vec((0..1000usize, 0..1000usize, 1..4u32), 1..15);
    let logs = prop::collection::vec(-1.0..1.0f64, 12);
    (rows, pairs, 0..KERNELS.len(), logs, any::<bool>()).prop_map(|(rows, pairs, which, logs, ard)| {
        let n = rows.len();
        let comparisons = pairs
            .into_iter()
            .map(|(a, b, count)| {
                let (winner, step) = (a % n, 1 + b % (n - 1));
                Comparison { winner, loser: (winner + step) % n, count: count.into() }
            })
            .collect();
        let mut kernel = parse(KERNELS[which], &schema(2), ard).unwrap();
        let values: Vec<f64> =
            kernel.parameters().iter().zip(logs.iter().cycle()).map(|(p, l)| p.value * l.exp()).collect();
        kernel.set_parameters(&values).unwrap();
        Made { points: Points::from_rows(&rows), comparisons, kernel, noise: (0.5 * logs[11]).exp() }
    })
}

impl Made {
    fn log_evidence(&self, method: Method, kernel: &Kernel, noise: f64) -> f64 {
        self.with(method, None, |problem| {
            problem.evaluate(kernel, noise, None, &EXACT).unwrap().outcome.log_evidence
        })
    }

    fn with<T>(&self, method: Method, space: Option<Space>, run: impl FnOnce(&Problem<'_>) -> T) -> T {
        let observations = Observations::new(&self.comparisons);
        let points = self.points.select(&observations.items);
        run(&Problem { points: &points, observations: &observations, method, space, inducing: None })
    }

    fn posterior(&self, method: Method, space: Option<Space>) -> Posterior {
        self.with(method, space, |problem| {
            let evidence = problem.evaluate(&self.kernel, self.noise, None, &EXACT).unwrap();
            Posterior::new(problem, self.kernel.clone(), self.noise, evidence)
        })
    }
}

/// Central differences of a function of log parameters, by Richardson's extrapolation (error of fourth order).
fn difference(f: impl Fn(f64) -> f64) -> f64 {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    (4.0 * central(1e-3) - central(2e-3)) / 3.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The evidence's gradient in every kernel parameter and the noise, EP and Laplace, both spaces.
    #[test]
    fn gradients_equal_differences(made in made(), laplace: bool, duels: bool) {
        let method = if laplace { Method::Laplace } else { Method::Ep };
        let space = if duels { Space::Pairs } else { Space::Items };
        let gradient = made.with(method, Some(space), |problem| {
            let evidence = problem.evaluate(&made.kernel, made.noise, None, &EXACT).unwrap();
            problem.gradient(&made.kernel, &evidence)
        });
        let start: Vec<f64> = made.kernel.parameters().iter().map(|p| p.value).collect();
        for (i, &g) in gradient.iter().enumerate() {
            let d = difference(|h| {
                let (mut kernel, mut noise, mut values) = (made.kernel.clone(), made.noise, start.clone());
                match values.get_mut(i) {
                    Some(value) => *value *= h.exp(),
                    None => noise *= h.exp(),
                }
                kernel.set_parameters(&values).unwrap();
                made.log_evidence(method, &kernel, noise)
            });
            // 1e-6 relative, and the rounding of the evidence over the step: 1e-13 * 10 / 1e-3.
            close(g, d, 1e-6 * d.abs() + 1e-8, &format!("{method:?} parameter {i}"));
        }
    }

    #[test]
    fn item_space_equals_duel_space(made in made(), laplace: bool) {
        let method = if laplace { Method::Laplace } else { Method::Ep };
        let [a, b] = [Space::Items, Space::Pairs].map(|space| made.posterior(method, Some(space)));
        close(a.outcome().log_evidence, b.outcome().log_evidence, 1e-9, "evidence");
        let new = Points::new(vec![100, 101], 2, vec![0.3, -0.2, 1.5, 1.0]);
        for points in [&made.points, &new] {
            let [x, y] = [&a, &b].map(|p| p.utilities(points));
            for (x, y) in x.mean.iter().chain(&x.variance).zip(y.mean.iter().chain(&y.variance)) {
                close(*x, *y, 1e-9, "utility");
            }
        }
    }

    /// A count is the same as saying it so many times: merged and unmerged comparisons give one posterior.
    #[test]
    fn merging_changes_nothing(made in made()) {
        let repeated = Made {
            comparisons: made
                .comparisons
                .iter()
                .flat_map(|c| (0..c.count as u32).map(|_| Comparison { count: 1.0, ..*c }))
                .rev()
                .collect(),
            ..made.clone()
        };
        let [a, b] = [&made, &repeated].map(|m| m.posterior(Method::Ep, None));
        prop_assert_eq!(a.outcome().log_evidence.to_bits(), b.outcome().log_evidence.to_bits());
    }

    /// The joint covariance agrees with the marginal moments, and probabilities of both orders add up to one.
    #[test]
    fn predictions_agree_with_each_other(made in made()) {
        let posterior = made.posterior(Method::Ep, None);
        let n = made.points.len();
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).collect();
        let covariance = posterior.covariance(&made.points);
        let utilities = posterior.utilities(&made.points);
        for i in 0..n {
            close(covariance[(i, i)], utilities.variance[i], 1e-9, "variance");
        }
        let differences = posterior.differences(&made.points, &pairs);
        let joint = posterior.difference_covariance(&made.points, &pairs);
        let p = posterior.probabilities(&made.points, &pairs);
        for (k, &(i, j)) in pairs.iter().enumerate() {
            let variance = covariance[(i, i)] + covariance[(j, j)] - 2.0 * covariance[(i, j)];
            close(differences.variance[k], variance, 1e-9, "variance of a difference");
            close(joint[(k, k)], variance, 1e-9, "joint variance");
            close(p[k] + p[j * n + i], 1.0, 1e-12, "probabilities of both orders");
        }
    }

    /// Whatever the data, a run ends with finite numbers and an honest status.
    #[test]
    fn extreme_problems_end_with_finite_numbers(
        made in made(),
        noise in -12.0..6.0f64,
        variance in -6.0..9.0f64,
    ) {
        let made = Made { noise: 10f64.powf(noise), kernel: made.kernel.clone().scaled(10f64.powf(variance)), ..made };
        let settings = Settings { sweeps: 60, sequential_sweeps: 20, ..Settings::default() };
        made.with(Method::Ep, None, |problem| {
            let evidence = problem.evaluate(&made.kernel, made.noise, None, &settings).unwrap();
            let outcome = &evidence.outcome;
            assert!(outcome.log_evidence.is_finite());
            assert_eq!(outcome.status == Status::Converged, outcome.residual <= settings.tolerance);
            assert!(problem.gradient(&made.kernel, &evidence).iter().all(|g| g.is_finite()));
            let posterior = Posterior::new(problem, made.kernel.clone(), made.noise, evidence.clone());
            let u = posterior.utilities(&made.points);
            assert!(u.mean.iter().all(|m| m.is_finite()) && u.variance.iter().all(|v| *v >= 0.0 && v.is_finite()));
            let p = posterior.probabilities(&made.points, &[(0, 1)]);
            assert!((0.0..=1.0).contains(&p[0]));
        });
    }
}

/// The schedule's hard cases at full size (the reference's files hold smaller ones):
/// 5,000 comparisons of 50 items at a noise of 0.01, and labels at random with a variance of 100.
#[test]
fn five_thousand_comparisons_at_low_noise_converge() {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let rows: Vec<[f64; 4]> = (0..50).map(|_| std::array::from_fn(|_| uniform())).collect();
    let points = Points::from_rows(&rows);
    let utility: Vec<f64> = rows.iter().map(|x| (5.0 * x[0]).sin() + x[1] * x[2] - x[3] * x[3]).collect();
    for (variance, at_random, count) in [(1.0, false, 5_000), (100.0, true, 500)] {
        let comparisons = (0..count)
            .map(|_| {
                let a = (50.0 * uniform()) as usize;
                let b = (a + 1 + (49.0 * uniform()) as usize) % 50;
                let noise: f64 = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
                let left = if at_random {
                    uniform() < 0.5
                } else {
                    utility[a] - utility[b] + 0.01 * 2_f64.sqrt() * noise > 0.0
                };
                let (winner, loser) = if left { (a, b) } else { (b, a) };
                Comparison { winner, loser, count: 1.0 }
            })
            .collect();
        let made =
            Made { points: points.clone(), comparisons, kernel: common::se(4, variance, 0.6), noise: 0.01 };
        for space in [Space::Items, Space::Pairs] {
            let outcome = made.with(Method::Ep, Some(space), |problem| {
                problem.evaluate(&made.kernel, made.noise, None, &Settings::default()).unwrap().outcome
            });
            println!("{count} {space:?}: {} sweeps, residual {:.1e}", outcome.sweeps, outcome.residual);
            assert_eq!(outcome.status, Status::Converged, "residual {:e}", outcome.residual);
        }
    }
}
