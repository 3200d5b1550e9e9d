//! What many items and comparisons cost: seconds, memory, and what is learned.

use std::time::Instant;

use anyhow::Result;
use rather::evaluate::Scores;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{Ep, FitSettings, Inference, Items, Model};
use rather::representation::Representation;

use super::world::{LENGTHSCALE, NOISE, SPREAD, World};
use crate::speed::peak_memory;

const HELD_OUT: usize = 20_000;

/// One fit, of items by name alone or with their features, its costs, and how good its predictions of noisy and of noiseless choices are.
fn fit(items: usize, comparisons: usize, by_name: bool, seed: u64, settings: &FitSettings) -> Result<f64> {
    let world = World::draw(items, seed);
    let answers = world.compare(&world.pairs(comparisons, seed), seed);
    let table = Items { columns: if by_name { Vec::new() } else { world.items().columns }, ..world.items() };
    let start = Instant::now();
    let model = Model::fit(&table, &answers, settings, &|_| ())?;
    let seconds = start.elapsed().as_secs_f64();
    let pairs = world.pairs(HELD_OUT, seed + 1);
    let held_out = world.compare(&pairs, seed + 1);
    let as_asked: Vec<(usize, usize)> = held_out.iter().map(|c| (c.winner, c.loser)).collect();
    let probabilities = model.probabilities(model.points(), &as_asked);
    let right = probabilities.iter().filter(|&&p| p > 0.5).count() as f64 / HELD_OUT as f64;
    let log_loss = -probabilities.iter().map(|p| p.ln()).sum::<f64>() / HELD_OUT as f64;
    let means = model.utilities(model.points()).mean;
    let held = model.report().representation.map_or(String::new(), |held| held.to_string());
    let estimated = model.report().representation.map_or(f64::NAN, |held| held.estimated as f64);
    let peak = peak_memory().unwrap_or(f64::NAN);
    println!(
        "{items:6} items, {comparisons:8} comparisons: {seconds:6.2} s, {} sweeps, peak memory of the process {:.0} MB, {:.2} of the \
         {:.0} MB estimated for the fit; \
         held-out accuracy {right:.4} (noiseless pairs {:.4}), log loss {log_loss:.4}; {} by {held}",
        model.report().sweeps,
        peak / 1e6,
        peak / estimated,
        estimated / 1e6,
        world.accuracy(&pairs, &means),
        model.kernel_expression(),
    );
    Ok(seconds)
}

/// The program's defaults, where the representation is chosen, too.
pub(super) fn learned(seed: u64) -> Result<()> {
    println!(
        "\nkernel and hyperparameters learned; guessing has a log loss of {:.4}",
        Scores::GUESSING.log_loss
    );
    fit(5_000, 50_000, false, seed, &FitSettings::default())?;
    let kernel = KernelChoice::Given(KernelSpec { expression: "se".into(), ard: true });
    fit(5_000, 50_000, false, seed, &FitSettings { kernel, ..FitSettings::default() })?;
    Ok(())
}

/// Items by name, with as much memory as there is by default.
pub(super) fn names(seed: u64) -> Result<()> {
    println!("\nitems by name, hyperparameters learned");
    fit(100_000, 1_000_000, true, seed, &FitSettings::default())?;
    Ok(())
}

/// Hyperparameters fixed, more and more comparisons.
pub(super) fn million(seed: u64) -> Result<()> {
    println!("\n100 inducing items, hyperparameters fixed");
    let values = [("variance", SPREAD * SPREAD), ("lengthscale", LENGTHSCALE), ("noise", NOISE)];
    let settings = FitSettings {
        inference: Inference::Ep(Ep { representation: Representation::LowRank(100), ..Ep::default() }),
        kernel: KernelChoice::Given(KernelSpec { expression: "se".into(), ard: false }),
        fixed: values.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        raw_features: true,
        ..FitSettings::default()
    };
    let sizes = [62_500, 125_000, 250_000, 500_000, 1_000_000];
    let mut logs = Vec::new();
    for comparisons in sizes {
        let seconds = fit(20_000, comparisons, false, seed, &settings)?;
        logs.push(((comparisons as f64).ln(), seconds.ln()));
    }
    println!("exponent of the number of comparisons, by least squares of logarithms: {:.2}", slope(&logs));
    Ok(())
}

/// The slope of a line through points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let (across, along) =
        points.iter().fold((0.0, 0.0), |(c, l), p| (c + (p.0 - x) * (p.1 - y), l + (p.0 - x).powi(2)));
    across / along
}
