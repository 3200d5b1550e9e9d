//! The process that fits with `rather`: the counterpart of `peers/peer.py`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rather::Comparison;
use rather::evaluate::Scores;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model};
use rather_io::{ItemOptions, Reading, Tied, read_answers, read_items, settle};

use super::measured::Measured;
use super::problem::Truth;
use crate::speed::cpu_seconds;

/// A fit is repeated until so many seconds have passed or so many fits; the median counts.
const ENOUGH_SECONDS: f64 = 1.0;
const ENOUGH_FITS: usize = 21;

/// Arguments of one fit.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder of a problem's files.
    folder: PathBuf,
    /// `fixed`: the true hyperparameters; `learned`: of the same kernel; `auto`: of the kernel that is chosen.
    how: String,
}

/// Fits, and prints one line of JSON; an error is a result too.
pub(crate) fn run(options: &Options) -> Result<()> {
    let measured = measure(options).unwrap_or_else(|error| Measured::Failed { error: format!("{error:#}") });
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

fn measure(options: &Options) -> Result<Measured> {
    let truth: Truth = serde_json::from_str(&fs::read_to_string(options.folder.join("truth.json"))?)?;
    let table = read_items(&options.folder.join("items.csv"), &ItemOptions::default())?;
    let read = |name| -> Result<Vec<Comparison>> {
        let read = read_answers(&options.folder.join(name), &table, &Reading::COMPARISONS)?;
        Ok(settle(vec![read], Tied::Dropped)?.comparisons())
    };
    let (train, test) = (read("train.csv")?, read("test.csv")?);
    let settings = settings(&options.how, &truth);
    let items = Items { keys: table.keys, columns: table.columns };
    let pairs: Vec<(usize, usize)> = test.iter().map(|c| (c.winner, c.loser)).collect();
    let mut seconds = Vec::new();
    loop {
        let start = cpu_seconds();
        let model = Model::fit(&items, &train, &settings, &|_| ())?;
        // The fit is over when the model can predict.
        model.probabilities(model.points(), &pairs[..1]);
        seconds.push(cpu_seconds() - start);
        if seconds.iter().sum::<f64>() >= ENOUGH_SECONDS || seconds.len() >= ENOUGH_FITS {
            let p = model.probabilities(model.points(), &pairs);
            let scores = Scores::new(&p.into_iter().map(|p| (p, 1.0)).collect::<Vec<_>>());
            seconds.sort_by(f64::total_cmp);
            return Ok(Measured::Fitted {
                seconds: seconds[seconds.len() / 2],
                peak_mb: peak_mb()?,
                accuracy: scores.accuracy,
                log_loss: scores.log_loss,
            });
        }
    }
}

/// The fit's settings. With features the kernel is the peers': squared exponential with a lengthscale per feature.
fn settings(how: &str, truth: &Truth) -> FitSettings {
    let given =
        |expression: &str, ard| KernelChoice::Given(KernelSpec { expression: expression.into(), ard });
    let defaults = FitSettings::default();
    let kernel = match how {
        "auto" => defaults.kernel,
        _ if truth.lengthscales.is_empty() => given("white", false),
        _ => given("se", true),
    };
    let mut fixed = Vec::new();
    if how == "fixed" {
        // One feature's lengthscale has no name in brackets.
        let name = |d: usize| match truth.lengthscales.len() {
            1 => "lengthscale".to_string(),
            _ => format!("lengthscale[x{d}]"),
        };
        fixed.extend(truth.lengthscales.iter().enumerate().map(|(d, &l)| (name(d), l)));
        fixed.push(("variance".into(), truth.variance));
        fixed.push(("noise".into(), truth.noise));
    }
    // Like with like: the peers take the hyperparameters of maximal evidence.
    let integration = if how == "auto" { Integration::Auto } else { Integration::Off };
    FitSettings {
        inference: Inference::Ep(Ep { integration, ..Ep::default() }),
        kernel,
        fixed,
        ..FitSettings::default()
    }
}

/// The largest memory this process has held.
fn peak_mb() -> Result<f64> {
    let status = fs::read_to_string(Path::new("/proc/self/status"))?;
    let line =
        status.lines().find_map(|l| l.strip_prefix("VmHWM:")).context("no VmHWM in /proc/self/status")?;
    let kilobytes: f64 = line.split_whitespace().next().context("no number after VmHWM")?.parse()?;
    Ok(kilobytes / 1024.0)
}
