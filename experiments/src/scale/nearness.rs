//! Features of few inducing items beside the whole covariance, for every way of choosing them.

use std::time::Instant;

use anyhow::Result;
use rather::evidence::Problem;
use rather::inducing::{Inducing, informative};
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::kernel::{Kernel, Schema, parse};
use rather::posterior::Posterior;

use super::world::{LENGTHSCALE, NOISE, SPREAD, World};

const ITEMS: usize = 500;
const COMPARISONS: usize = 2000;
const HELD_OUT: usize = 5000;

/// What one run found.
struct Found {
    log_evidence: f64,
    sweeps: usize,
    means: Vec<f64>,
    seconds: f64,
}

pub(super) fn table(seed: u64) -> Result<()> {
    let world = World::draw(ITEMS, seed);
    let observations = Observations::new(&world.compare(&world.pairs(COMPARISONS, seed), seed));
    let test = world.pairs(HELD_OUT, seed + 1);
    let kernel = kernel()?;
    let points = world.points.select(&observations.items);
    let run = |inducing: Option<&[usize]>| -> Result<Found> {
        let start = Instant::now();
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing,
        };
        let evidence = problem.evaluate(&kernel, NOISE, None, &Settings::default())?;
        let (log_evidence, sweeps) = (evidence.outcome.log_evidence, evidence.outcome.sweeps);
        let means = Posterior::new(&problem, kernel.clone(), NOISE, evidence).utilities(&world.points).mean;
        Ok(Found { log_evidence, sweeps, means, seconds: start.elapsed().as_secs_f64() })
    };
    let whole = run(None)?;
    println!(
        "\n{ITEMS} items in four dimensions, {COMPARISONS} comparisons, {HELD_OUT} pairs held out, fixed hyperparameters"
    );
    println!("inducing items        R  log evidence  accuracy  rmse to whole  sweeps  seconds");
    let line = |name: &str, count: usize, found: &Found| {
        let squares: f64 = found.means.iter().zip(&whole.means).map(|(a, b)| (a - b).powi(2)).sum();
        println!(
            "{name:<18} {count:4}  {:12.5}  {:8.4}  {:13.1e}  {:6}  {:7.3}",
            found.log_evidence,
            world.accuracy(&test, &found.means),
            (squares / ITEMS as f64).sqrt(),
            found.sweeps,
            found.seconds
        );
    };
    for count in [25, 50, 100, 200, points.len()] {
        let coarse = Inducing::Covering.choose(&kernel, &points, count.min(64));
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: Some(&coarse),
        };
        let told = problem.evaluate(&kernel, NOISE, None, &Settings::default())?.outcome;
        let ways = [
            ("covering", Inducing::Covering.choose(&kernel, &points, count)),
            ("k-means++", Inducing::KMeans { seed }.choose(&kernel, &points, count)),
            ("random", Inducing::Random { seed }.choose(&kernel, &points, count)),
            ("informative", informative::items(&observations, &told.sites, &told.posterior.variance, count)),
        ];
        // All items are all items.
        for (name, inducing) in &ways[..if count == points.len() { 1 } else { 4 }] {
            line(name, inducing.len(), &run(Some(inducing))?);
        }
    }
    line("whole covariance", points.len(), &whole);
    Ok(())
}

fn kernel() -> Result<Kernel> {
    let schema =
        Schema { names: (0..4).map(|d| format!("x{d}")).collect(), categorical: vec![false; 4], context: 0 };
    let mut kernel = parse("se", &schema, false)?;
    kernel.set_parameters(&[SPREAD * SPREAD, LENGTHSCALE])?;
    Ok(kernel)
}
