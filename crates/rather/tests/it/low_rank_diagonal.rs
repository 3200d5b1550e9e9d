//! Low rank plus diagonal: the whole prior's answers where all items are inducing, and its gradient against differences.

use crate::common::schema;
use proptest::prelude::*;
use rather::Comparison;
use rather::evidence::Problem;
use rather::inference::low_rank_diagonal::LowRankDiagonal;
use rather::inference::observations::Observations;
use rather::inference::prior::{GaussianPrior, Prior, Space};
use rather::inference::sites::Sites;
use rather::inference::sparse::{Field, Limits};
use rather::inference::{Factors, Method, Outcome, Settings, ep};
use rather::kernel::{Kernel, parse};
use rather::points::Points;

const EXACT: Settings =
    Settings { tolerance: 1e-12, sweeps: 400, sequential_sweeps: 0, factors: Factors::Pair };

#[derive(Debug, Clone)]
struct Made {
    points: Points,
    observations: Observations,
    /// Without the term `white`.
    kernel: Kernel,
    own: f64,
    noise: f64,
    every: usize,
}

fn made() -> impl Strategy<Value = Made> {
    let rows = prop::collection::vec([-2.0..2.0f64, -2.0..2.0f64], 4..10);
    let pairs = prop::collection::vec((0..1000usize, 0..1000usize, 1..4u32), 1..20);
    let kernels = prop::sample::select(vec!["se", "matern32", "se + linear", "se[x0] * matern52[x1]"]);
    (rows, pairs, kernels, -4.0..1.0f64, -0.7..0.4f64, 1..4usize).prop_map(
        |(rows, pairs, kernel, own, noise, every)| {
            let n = rows.len();
            let comparison = |(a, b, count): (usize, usize, u32)| Comparison {
                winner: a % n,
                loser: (a % n + 1 + b % (n - 1)) % n,
                count: count.into(),
            };
            let comparisons: Vec<Comparison> = pairs.into_iter().map(comparison).collect();
            let observations = Observations::new(&comparisons);
            Made {
                points: Points::from_rows(&rows).select(&observations.items),
                observations,
                kernel: parse(kernel, &schema(2), false).unwrap(),
                own: own.exp(),
                noise: noise.exp(),
                every,
            }
        },
    )
}

impl Made {
    /// With the parameters of the kernel and then the own effects' variance times these, in the logarithm.
    fn times(&self, logs: &[f64]) -> Self {
        let mut made = self.clone();
        let mut values: Vec<f64> = made.kernel.parameters().iter().map(|p| p.value).collect();
        values.iter_mut().zip(logs).for_each(|(value, log)| *value *= log.exp());
        made.kernel.set_parameters(&values).unwrap();
        made.own *= logs.get(values.len()).map_or(1.0, |log| log.exp());
        made
    }

    fn with<T>(&self, every: usize, run: impl FnOnce(&LowRankDiagonal<'_>, &Outcome) -> T) -> T {
        let edges = &self.observations.edges;
        let inducing: Vec<usize> = (0..self.points.len()).step_by(every).collect();
        let field = Field::new(self.points.len(), edges, &[], &Limits::default()).unwrap();
        let features = Prior::low_rank(&self.kernel, &self.points, edges, &inducing).unwrap();
        let prior = LowRankDiagonal::new(features, &self.kernel, &self.points, &field, self.own);
        let merged = &self.observations.merged;
        let likelihoods = self.observations.responses.likelihoods(&self.noise.into());
        let outcome = ep::run(&prior, merged, &likelihoods, Sites::empty(merged.len()), &EXACT).unwrap();
        run(&prior, &outcome)
    }

    fn log_evidence(&self) -> f64 {
        self.with(self.every, |_, outcome| outcome.log_evidence)
    }
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= tolerance * (1.0 + expected.abs()),
            "{found}, expected {expected}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// 1e-8: the same sums in another order, at a fixpoint within 1e-12.
    #[test]
    fn with_all_items_inducing_it_is_the_whole_prior(made in made()) {
        let mut whole = Kernel::Sum(vec![made.kernel.clone(), parse("white", &schema(2), false).unwrap()]);
        let mut values: Vec<f64> = whole.parameters().iter().map(|p| p.value).collect();
        *values.last_mut().unwrap() = made.own;
        whole.set_parameters(&values).unwrap();
        let problem = Problem {
            points: &made.points,
            observations: &made.observations,
            method: Method::Ep,
            space: Some(Space::Items),
            inducing: None,
        };
        let expected = problem.evaluate(&whole, made.noise, None, &EXACT).unwrap();
        let gradient = problem.gradient(&whole, &expected);
        made.with(1, |prior, found| {
            let Outcome { log_evidence, posterior, .. } = &expected.outcome;
            close(&[found.log_evidence], &[*log_evidence], 1e-8);
            close(&found.posterior.mean, &posterior.mean, 1e-8);
            close(&found.posterior.variance, &posterior.variance, 1e-8);
            let x: Vec<f64> = (0..posterior.mean.len()).map(|e| (e as f64).sin()).collect();
            let moved = expected.prior.shift(posterior, &x);
            close(&prior.shift(&found.posterior, &x), &moved, 1e-8);
            let merged = &made.observations.merged;
            let (mut slopes, own) = prior.gradient(&made.kernel, &made.points, merged, found).unwrap();
            slopes.push(own);
            close(&slopes, &gradient[..slopes.len()], 1e-7);
        });
    }

    /// 1e-5 is relative, 1e-7 the differences' own rounding; what features leave of an inducing item is 0 and its derivative has one side there.
    #[test]
    fn gradients_equal_differences(made in made()) {
        let merged = &made.observations.merged;
        let found = made.with(made.every, |prior, outcome| {
            let (mut slopes, own) = prior.gradient(&made.kernel, &made.points, merged, outcome).unwrap();
            slopes.push(own);
            slopes
        });
        for (i, &found) in found.iter().enumerate() {
            let at = |step: f64| {
                let mut logs = vec![0.0; i + 1];
                logs[i] = step;
                made.times(&logs).log_evidence()
            };
            let central = |h: f64| (at(h) - at(-h)) / (2.0 * h);
            let expected = (4.0 * central(1e-3) - central(2e-3)) / 3.0;
            let tolerance = 1e-5 * expected.abs() + 1e-7;
            prop_assert!((found - expected).abs() <= tolerance, "parameter {i}: {found}, differences {expected}");
        }
    }
}
