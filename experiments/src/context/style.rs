//! Votes of simulated judges who like length: how often the interval of its weight holds the planted one.

use anyhow::{Context, Result};
use rand::RngExt;
use rather::answers::Answer;
use rather::context::Sides;
use rather::likelihood::ResponseModel;
use rather_numerics::random::{normal, stream};

use super::{column, fit};

/// The planted weight, beside the noise of one vote.
const WEIGHT: f64 = 0.179;
const MODELS: u32 = 50;
const VOTES: usize = 20_000;

pub(super) fn run(worlds: u64) -> Result<()> {
    println!("style: a planted weight of {WEIGHT}, {VOTES} votes about {MODELS} models, {worlds} worlds");
    let (mut inside, mut errors) = (0, Vec::new());
    for seed in 0..worlds {
        let (mean, sd) = estimate(seed)?;
        inside += usize::from((mean - WEIGHT).abs() <= 1.96 * sd);
        errors.push((mean - WEIGHT) / WEIGHT);
        println!("  world {seed}: {mean:.4}, sd {sd:.4}");
    }
    let n = worlds as f64;
    println!(
        "inside the 95 % interval in {inside} of {worlds}; mean error {:+.1} %, mean absolute error {:.1} %",
        100.0 * errors.iter().sum::<f64>() / n,
        100.0 * errors.iter().map(|e: &f64| e.abs()).sum::<f64>() / n
    );
    Ok(())
}

/// Posterior mean and standard deviation of the weight in one world.
fn estimate(seed: u64) -> Result<(f64, f64)> {
    let mut rng = stream(seed, 0);
    let skills: Vec<f64> = (0..MODELS).map(|_| normal(&mut rng)).collect();
    // Each model has its own usual length.
    let usual: Vec<f64> = (0..MODELS).map(|_| normal(&mut rng)).collect();
    let (mut items, mut lengths, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    for vote in 0..VOTES {
        let a = rng.random_range(0..MODELS);
        let b = (a + rng.random_range(1..MODELS)) % MODELS;
        let two = [a, b].map(|model| usual[model as usize] + normal(&mut rng));
        let z = skills[a as usize] - skills[b as usize] + WEIGHT * (two[0] - two[1]) + normal(&mut rng);
        items.extend([a, b]);
        lengths.extend(two);
        let (left, right) = (2 * vote, 2 * vote + 1);
        answers.push(if z > 0.0 { Answer::rather(left, right) } else { Answer::rather(right, left) });
    }
    let sides = Sides { items, columns: vec![column("length", lengths, false, false)], teams: vec![] };
    let keys = (0..MODELS).map(|model| model.to_string()).collect();
    let model = fit(keys, &sides, &answers, "white[item] + linear[length]", ResponseModel::default())?;
    let (_, mean, sd) = model.weights().pop().context("the model has no weight")?;
    Ok((mean, sd))
}
