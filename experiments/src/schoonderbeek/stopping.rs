//! When to stop: the posterior expected regret of the recommendation falls below so many units of noise.

use anyhow::Result;
use rand_chacha::ChaCha8Rng;
use rather::streaming::{Basis, Settings, StreamingModel};
use rather_numerics::linalg::{Matrix, cholesky};
use rather_numerics::random::{normals, stream};
use rayon::prelude::*;

use super::Options;
use super::listener::Listener;
use super::rules::{Belief, Rule, best};
use super::tuning::{GOOD, LENGTHSCALE, VARIANCE, dense};
use super::world::{grid, mean, quantile, se, times_lower};

const DRAWS: usize = 200;
const EPSILONS: [f64; 3] = [0.4, 0.3, 0.2];
/// For each: median duels, within 5 %, mean regret in one dimension; median duels, within 5 %, within 10 %, mean regret in two.
const REFERENCE: [([f64; 3], [f64; 4]); 3] = [
    ([4.0, 0.60, 0.075], [20.0, 0.56, 0.84, 0.067]),
    ([5.0, 0.70, 0.049], [25.0, 0.70, 0.92, 0.040]),
    ([7.0, 0.82, 0.029], [33.0, 0.86, 0.98, 0.026]),
];

/// After every duel: the expected regret as the model sees it, and the true one as a share of the range.
struct Run {
    expected: Vec<f64>,
    regret: Vec<f64>,
}

/// The mean of `max g - g(recommended)` over draws of the basis values, seen at the candidates.
fn expected_regret(
    model: &StreamingModel,
    weights: &Matrix,
    recommended: usize,
    rng: &mut ChaCha8Rng,
) -> f64 {
    let (mean, mut l) = (model.basis_mean(), model.basis_covariance());
    let n = mean.len();
    let jitter = 1e-9 * (0..n).map(|i| l[(i, i)]).sum::<f64>() / n as f64;
    l.add_diagonal(jitter);
    if !cholesky(&mut l) {
        return f64::INFINITY;
    }
    let mut total = 0.0;
    for _ in 0..DRAWS {
        let basis: Vec<f64> =
            times_lower(&l, &normals(n, rng)).iter().zip(&mean).map(|(d, m)| d + m).collect();
        let g = weights.times(&basis);
        total += g.iter().copied().fold(f64::NEG_INFINITY, f64::max) - g[recommended];
    }
    total / DRAWS as f64
}

fn tune(dims: usize, budget: usize, seed: u64) -> Result<Run> {
    let listener = Listener::draw(dims, 4.0, 0.0, &mut stream(seed, 1));
    let rng = &mut stream(seed, 3);
    let kernel = se(dims, VARIANCE, LENGTHSCALE);
    let weights = Basis::new(kernel.clone(), grid(dims, dense(dims)))?.weights(&listener.candidates);
    let mut model = StreamingModel::new(kernel.clone(), grid(dims, dense(dims)), Settings::default())?;
    let mut run = Run { expected: Vec::new(), regret: Vec::new() };
    let mut winner = 0;
    for duel in 0..budget {
        let (mean, covariance) =
            (model.utilities(&listener.candidates).mean, model.covariance(&listener.candidates));
        let belief = Belief {
            mean: &mean,
            covariance: &covariance,
            candidates: &listener.candidates,
            kernel: &kernel,
            heard: &[],
        };
        let rule = if duel == 0 { Rule::RandomPair } else { Rule::Bald };
        let (a, b) = rule.next(&belief, winner, rng);
        let (won, lost) = if listener.prefers(a, b, rng) { (a, b) } else { (b, a) };
        winner = won;
        model.answer(&listener.candidates, won, lost)?;
        model.refine(3);
        let recommended = best(model.utilities(&listener.candidates).mean.into_iter());
        run.expected.push(expected_regret(&model, &weights, recommended, rng));
        run.regret.push(listener.regret(recommended));
    }
    Ok(run)
}

pub(super) fn print(options: &Options) -> Result<()> {
    println!(
        "When to stop: the expected regret of the recommendation ({DRAWS} draws) below epsilon, {} runs (reference: 50)\n",
        options.runs
    );
    let runs = |dims: usize, budget: usize| {
        (0..options.runs)
            .into_par_iter()
            .map(|run| tune(dims, budget, options.seed + run))
            .collect::<Result<Vec<Run>>>()
    };
    let (one, two) = (runs(1, 40)?, runs(2, 80)?);
    println!(
        "{:<8} {:<16} {:<16} {:<18} {:<16} {:<16} {:<16} {:<18}",
        "epsilon",
        "1-D duels",
        "within 5 %",
        "mean regret",
        "2-D duels",
        "within 5 %",
        "within 10 %",
        "mean regret"
    );
    for (epsilon, (r1, r2)) in EPSILONS.into_iter().zip(REFERENCE) {
        // A run that does not stop in time stops at its end.
        let stops = |runs: &[Run]| -> Vec<(f64, f64)> {
            let at = |r: &Run| r.expected.iter().position(|&e| e < epsilon).unwrap_or(r.expected.len() - 1);
            runs.iter().map(|r| (at(r) as f64 + 1.0, r.regret[at(r)])).collect()
        };
        let within = |stops: &[(f64, f64)], share: f64| {
            stops.iter().filter(|s| s.1 <= share).count() as f64 / stops.len() as f64
        };
        let median = |stops: &[(f64, f64)]| quantile(&stops.iter().map(|s| s.0).collect::<Vec<_>>(), 0.5);
        let regret = |stops: &[(f64, f64)]| mean(&stops.iter().map(|s| s.1).collect::<Vec<_>>());
        let (a, b) = (stops(&one), stops(&two));
        let cell = |value: f64, reference: f64| format!("{value:.2} ({reference:.2})");
        println!(
            "{epsilon:<8} {:<16} {:<16} {:<18} {:<16} {:<16} {:<16} {:<18}",
            format!("{:.0} ({:.0})", median(&a), r1[0]),
            cell(within(&a, GOOD), r1[1]),
            format!("{:.3} ({:.3})", regret(&a), r1[2]),
            format!("{:.0} ({:.0})", median(&b), r2[0]),
            cell(within(&b, GOOD), r2[1]),
            cell(within(&b, 2.0 * GOOD), r2[2]),
            format!("{:.3} ({:.3})", regret(&b), r2[3]),
        );
    }
    println!();
    Ok(())
}
