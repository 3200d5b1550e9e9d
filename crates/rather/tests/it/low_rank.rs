//! Inference with a prior of low rank: the same as the whole prior's where all items are inducing, its gradient against
//! differences, near the whole prior's where few are.

use crate::common::{close, schema, se};
use proptest::prelude::*;
use rather::Comparison;
use rather::evidence::Problem;
use rather::features::{Column, ColumnValues};
use rather::inducing::covering;
use rather::inference::blocks::{Belief, Block, Natural};
use rather::inference::observations::Observations;
use rather::inference::{Factors, Method, Settings, Status};
use rather::kernel::{Kernel, parse};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{Ep, FitSettings, Inference, Items, Model, Notice};
use rather::points::Points;
use rather::posterior::Posterior;
use rather::representation::Representation;
use rather_numerics::random;

const EXACT: Settings =
    Settings { tolerance: 1e-12, sweeps: 400, sequential_sweeps: 400, factors: Factors::Pair };

#[derive(Debug, Clone)]
struct Made {
    points: Points,
    comparisons: Vec<Comparison>,
    kernel: Kernel,
    noise: f64,
    inducing: Vec<usize>,
}

const KERNELS: [&str; 5] = ["se", "matern32", "rq", "se[x0] * matern52[x1] + se", "matern52 + linear"];

fn made() -> impl Strategy<Value = Made> {
    let rows = prop::collection::vec([-2.0..2.0f64, -2.0..2.0f64], 4..10);
    let pairs = prop::collection::vec((0..1000usize, 0..1000usize, 1..4u32), 1..20);
    let logs = prop::collection::vec(-0.7..0.7f64, 12);
    (rows, pairs, 0..KERNELS.len(), logs, 1..4usize).prop_map(|(rows, pairs, which, logs, every)| {
        let n = rows.len();
        let comparisons: Vec<Comparison> = pairs
            .into_iter()
            .map(|(a, b, count)| Comparison {
                winner: a % n,
                loser: (a % n + 1 + b % (n - 1)) % n,
                count: count.into(),
            })
            .collect();
        let mut kernel = parse(KERNELS[which], &schema(2), false).unwrap();
        let values: Vec<f64> =
            kernel.parameters().iter().zip(logs.iter().cycle()).map(|(p, l)| p.value * l.exp()).collect();
        kernel.set_parameters(&values).unwrap();
        let noise = (0.5 * logs[11]).exp();
        let observations = Observations::new(&comparisons);
        let inducing = (0..observations.items.len()).step_by(every).collect();
        Made { points: Points::from_rows(&rows), comparisons, kernel, noise, inducing }
    })
}

impl Made {
    fn with<T>(&self, inducing: Option<&[usize]>, run: impl FnOnce(&Problem<'_>) -> T) -> T {
        let observations = Observations::new(&self.comparisons);
        let points = self.points.select(&observations.items);
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing,
        };
        run(&problem)
    }

    fn log_evidence(&self, kernel: &Kernel, noise: f64) -> f64 {
        self.with(Some(&self.inducing), |problem| {
            problem.evaluate(kernel, noise, None, &EXACT).unwrap().outcome.log_evidence
        })
    }
}

/// Central differences, by Richardson's extrapolation (error of fourth order).
fn difference(f: impl Fn(f64) -> f64) -> f64 {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    (4.0 * central(1e-3) - central(2e-3)) / 3.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In every kernel parameter and the noise. 1e-6 is relative, 1e-7 the differences' own rounding.
    #[test]
    fn gradients_equal_differences(made in made()) {
        let gradient = made.with(Some(&made.inducing), |problem| {
            let evidence = problem.evaluate(&made.kernel, made.noise, None, &EXACT).unwrap();
            problem.gradient(&made.kernel, &evidence)
        });
        let start: Vec<f64> = made.kernel.parameters().iter().map(|p| p.value).collect();
        for (i, &found) in gradient.iter().enumerate() {
            let expected = difference(|step| {
                let mut values = start.clone();
                if let Some(value) = values.get_mut(i) {
                    *value *= step.exp();
                }
                let noise = if i == start.len() { made.noise * step.exp() } else { made.noise };
                let mut kernel = made.kernel.clone();
                kernel.set_parameters(&values).unwrap();
                made.log_evidence(&kernel, noise)
            });
            let tolerance = 1e-6 * expected.abs() + 1e-7;
            prop_assert!((found - expected).abs() <= tolerance, "parameter {i}: {found}, differences {expected}");
        }
    }

    /// With all items inducing it is the whole prior.
    #[test]
    fn all_items_inducing_change_nothing(made in made()) {
        let all: Vec<usize> = (0..Observations::new(&made.comparisons).items.len()).collect();
        let run = |inducing| made.with(inducing, |problem| {
            let evidence = problem.evaluate(&made.kernel, made.noise, None, &EXACT).unwrap();
            prop_assert_eq!(evidence.outcome.status, Status::Converged);
            let log_evidence = evidence.outcome.log_evidence;
            let posterior = Posterior::new(problem, made.kernel.clone(), made.noise, evidence);
            Ok((log_evidence, posterior.utilities(&made.points)))
        });
        let (whole, low) = (run(None)?, run(Some(&all))?);
        close(low.0, whole.0, 1e-8, "log evidence");
        for (a, b) in low.1.mean.iter().zip(&whole.1.mean).chain(low.1.variance.iter().zip(&whole.1.variance)) {
            close(*a, *b, 1e-7, "moments");
        }
    }
}

/// Items in a square, comparisons of a smooth utility.
fn simulated(items: usize, comparisons: usize, seed: u64) -> (Points, Vec<Comparison>) {
    let mut rng = random::stream(seed, 0);
    let rows: Vec<[f64; 2]> =
        (0..items).map(|_| [4.0 * random::uniform(&mut rng), 4.0 * random::uniform(&mut rng)]).collect();
    let utility = |r: &[f64; 2]| 2.0 * (1.3 * r[0]).sin() + (r[1] - 2.0).powi(2);
    let comparisons = (0..comparisons)
        .map(|_| {
            let mut item = || ((random::uniform(&mut rng) * items as f64) as usize).min(items - 1);
            let (a, b) = (item(), item());
            let b = if a == b { (a + 1) % items } else { b };
            let noise = random::normal(&mut rng) - random::normal(&mut rng);
            let (winner, loser) =
                if utility(&rows[a]) - utility(&rows[b]) + noise > 0.0 { (a, b) } else { (b, a) };
            Comparison { winner, loser, count: 1.0 }
        })
        .collect();
    (Points::from_rows(&rows), comparisons)
}

#[test]
fn few_inducing_items_come_near_and_more_come_nearer() {
    let (points, comparisons) = simulated(200, 800, 3);
    let observations = Observations::new(&comparisons);
    let compared = points.select(&observations.items);
    let kernel = se(2, 4.0, 1.0);
    let run = |inducing: Option<&[usize]>| {
        let problem = Problem {
            points: &compared,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing,
        };
        let evidence = problem.evaluate(&kernel, 1.0, None, &Settings::default()).unwrap();
        assert_eq!(evidence.outcome.status, Status::Converged);
        Posterior::new(&problem, kernel.clone(), 1.0, evidence).utilities(&compared).mean
    };
    let whole = run(None);
    let error = |count: usize| {
        let found = run(Some(&covering(&kernel, &compared, count, 0.0)));
        let sum: f64 = found.iter().zip(&whole).map(|(a, b)| (a - b).powi(2)).sum();
        (sum / whole.len() as f64).sqrt()
    };
    let errors = [10, 20, 40, 80].map(error);
    assert!(errors.windows(2).all(|w| w[1] < w[0]), "{errors:?}");
    // The utilities' own uncertainty is some tenths.
    assert!(errors[2] < 0.05 && errors[3] < 0.005, "{errors:?}");
}

#[test]
fn threads_do_not_change_a_bit() {
    let (points, comparisons) = simulated(600, 12_000, 5);
    let observations = Observations::new(&comparisons);
    let compared = points.select(&observations.items);
    let kernel = se(2, 4.0, 1.0);
    let inducing = covering(&kernel, &compared, 60, 0.0);
    let run = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let problem = Problem {
                points: &compared,
                observations: &observations,
                method: Method::Ep,
                space: None,
                inducing: Some(&inducing),
            };
            let evidence = problem.evaluate(&kernel, 1.0, None, &Settings::default()).unwrap();
            (evidence.outcome.log_evidence, problem.gradient(&kernel, &evidence))
        })
    };
    assert_eq!(run(1), run(2));
}

/// Blocks of comparisons that share nothing but their sums find the same posterior, evidence and gradient; so does one that was lost.
#[test]
fn blocks_find_what_all_together_find() {
    let (points, comparisons) = simulated(150, 900, 11);
    let kernel = se(2, 4.0, 1.0);
    let inducing = covering(&kernel, &points, 40, 0.0);
    let observations = Observations::new(&comparisons);
    let compared = points.select(&observations.items);
    let among: Vec<usize> = inducing.iter().map(|i| observations.items.binary_search(i).unwrap()).collect();
    let problem = Problem {
        points: &compared,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: Some(&among),
    };
    let each = Settings { factors: Factors::Answer, ..EXACT };
    let whole = problem.evaluate(&kernel, 1.0, None, &each).unwrap();
    let gradient = problem.gradient(&kernel, &whole);
    // All comparisons of a pair in one block, as together they are one projection with one rest.
    let of_block = |b: usize| -> Vec<Comparison> {
        let mine = |c: &&Comparison| (c.winner.min(c.loser) * 31 + c.winner.max(c.loser)) % 3 == b;
        comparisons.iter().filter(mine).copied().collect()
    };
    let chosen = points.select(&inducing);
    let block = |b: usize| Block::new(&kernel, 1.0, &chosen, &points, &of_block(b)).unwrap();
    let mut blocks: Vec<Block> = (0..3).map(block).collect();
    let mut sweeps = 0;
    let (belief, swept) = loop {
        let mut sum = Natural::nothing(blocks[0].features());
        blocks.iter().for_each(|block| sum.add(&block.natural()).unwrap());
        let belief = Belief::new(&sum).unwrap();
        let before = blocks.clone();
        let swept: Vec<_> = blocks.iter_mut().map(|block| block.sweep(&belief, 1.0)).collect();
        sweeps += 1;
        if sweeps == 4 {
            blocks[1] = block(1);
        }
        if swept.iter().all(|s| s.residual < 1e-12) {
            blocks = before;
            break (belief, swept);
        }
        assert!(sweeps < 100);
    };
    let log_evidence = belief.log_evidence + swept.iter().map(|s| s.log_evidence).sum::<f64>();
    close(log_evidence, whole.outcome.log_evidence, 1e-10, "log evidence");
    for (a, b) in belief.weights.iter().zip(&whole.outcome.posterior.weights) {
        close(*a, *b, 1e-8, "weights");
    }
    let mut found = vec![0.0; gradient.len()];
    for (block, swept) in blocks.iter().zip(&swept) {
        let part = block.gradient(&belief).into_iter().chain([swept.d_log_noise]);
        found.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    for (found, expected) in found.iter().zip(&gradient) {
        assert!((found - expected).abs() <= 1e-7 * (1.0 + expected.abs()), "{found} {expected}");
    }
}

/// A model of features says what they leave out, and warns where that is much.
#[test]
fn what_features_leave_out_is_said() {
    let (points, comparisons) = simulated(200, 900, 3);
    let column = |d: usize| {
        let values = (0..points.len()).map(|i| points.row(i)[d]).collect();
        Column { name: format!("x{d}"), values: ColumnValues::Numeric(values) }
    };
    let items = Items {
        keys: (0..points.len()).map(|i| i.to_string()).collect(),
        columns: vec![column(0), column(1)],
    };
    let fit = |expression: &str, fixed: &[(&str, f64)], features: usize| {
        let kernel = KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false });
        let fixed = fixed.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let representation = Representation::LowRank(features);
        let settings = FitSettings {
            inference: Inference::Ep(Ep { representation, ..Ep::default() }),
            kernel,
            fixed,
            raw_features: true,
            ..FitSettings::default()
        };
        Model::fit(&items, &comparisons, &settings, &|_| ()).unwrap()
    };
    let warned =
        |model: &Model| model.report().notices.iter().any(|notice| matches!(notice, Notice::Rough { .. }));
    let smooth = fit("se", &[("noise", 1.0), ("variance", 4.0), ("lengthscale", 3.0)], 60);
    let found = smooth.report().low_rank.unwrap();
    assert!(found.most_unexplained < 0.01 && found.unexplained <= found.most_unexplained, "{found:?}");
    assert!(found.effect.unwrap().largest < 0.01 && !warned(&smooth), "{found:?}");
    // Half of the variance is an item's own: no feature of others can explain it.
    let own = [("noise", 1.0), ("se.variance", 2.0), ("lengthscale", 3.0), ("white.variance", 2.0)];
    let rough = fit("se + white", &own, 60);
    let found = rough.report().low_rank.unwrap();
    assert!((0.3..=0.5).contains(&found.unexplained) && warned(&rough), "{found:?}");
    let effect = found.effect.unwrap();
    assert!(effect.items > 20 && effect.mean > 0.01 && effect.largest > 0.05, "{effect:?}");
    let whole = {
        let kernel = KernelChoice::Given(KernelSpec { expression: "se + white".into(), ard: false });
        let fixed = own.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let settings = FitSettings { kernel, fixed, raw_features: true, ..FitSettings::default() };
        Model::fit(&items, &comparisons, &settings, &|_| ()).unwrap()
    };
    let pairs: Vec<(usize, usize)> = (0..200).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
    let [p, q] = [&rough, &whole].map(|model| model.probabilities(model.points(), &pairs));
    let mean = p.iter().zip(&q).map(|(p, q)| (p - q).abs()).sum::<f64>() / pairs.len() as f64;
    // The answers among some of the items say less than all answers do.
    assert!((0.25..4.0).contains(&(effect.mean / mean)), "{mean} {effect:?}");
    assert!(whole.report().low_rank.is_none());
}
