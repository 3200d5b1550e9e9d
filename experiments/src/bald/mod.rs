//! Houlsby et al. (2012), supplement, Table 1: labels needed for 95 % of the performance of the whole pool.
//!
//! # Protocol
//! Rows are split at random into a pool and a test set; a row of each class, drawn from the pool, is labelled to begin
//! with, and every method asks for one label after another. The model is a Gaussian process classifier (probit, EP).
//! The paper leaves open what follows, and one choice holds for all data sets:
//!
//! - *Hyperparameters*: isotropic squared exponential on standardised features; variance and lengthscale by evidence,
//!   once a split, from the labels of the pool (not of the test set), the same for all methods.
//! - *Performance*: the mean predictive probability of the true class on the test set. The caption says "predictive
//!   performance", the text "classification error"; the probability is the reading that can give most of the published
//!   figures. With accuracy, cancer's two initial labels give 91 % of the 92 % wanted, so 2.3 labels are needed where
//!   the paper has 16.8, and wdbc needs 7 / 14 / 6 (BALD, random, entropy) where it has 18 / 47 / 23; the probability
//!   gives 19 / 43 / 21. Its curves are smooth too, as the small published errors ask for.
//! - *Reach*: the first number of labels in each run, averaged, as the published figures are: whole numbers divided by
//!   5 to 20. With a smooth measure the other readings differ little.
//! - *Shares*: half of the rows in the pool. With three quarters, counts grow by up to a fifth and the order of methods
//!   is the same.
//! - *Classes*: see [`TABLE_1`].
//! - *IVM*: the entropy of the latent value after an answer is averaged over both answers. Told the answers, as the text
//!   has it, it does not reach the target on australian within 120 labels and needs 52 on cancer (19 averaged).
//!
//! # Where BALD's count is off
//! - *australian* (about 60, published 18.5). A seventh of its test labels is predicted wrongly with the whole pool, and the
//!   evidence finds a small variance, with which probabilities rise slowly. It is the measure and the hyperparameters:
//!   with accuracy BALD needs 21, with a fixed large variance and the median distance 27, with `--ard` 40.
//! - *crabs* (about 15, published 9.8). The classes are split by a plane, which the squared exponential grows from a
//!   variance at its bound. `--kernel se+linear` gives 10.1; accuracy gives 9.0 / 11.6 / 9.3 for BALD, random, entropy,
//!   the published figures to within their errors.
//! - *letter E/F* (47, published 30). It hangs on the hyperparameters: 38 if they are learned from 300 labels of
//!   the pool, 35 if with `--kernel se+linear` too, 21 with `--ard`, 52 at the median distance.
//!
//! `--kernel se+linear` comes nearer on the last two, but with it random sampling is as good as BALD on cancer (20.0
//! against 19.6) and entropy better on letter D/P (32 against 33).

mod belief;
mod data;
mod figures;
mod hyperparameters;
mod protocol;
mod published;
mod reading;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use rather_numerics::linalg::mirror_lower;
use rather_numerics::random::stream;
use rayon::prelude::*;

use belief::PriorDraws;
use data::Rows;
use protocol::{CHOICES, Measure, Split, Trial};
use published::{Published, TABLE_1};
use reading::{Count, Curves, Reading, mean_and_error};

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: crate::Data,
    /// Random splits of each data set.
    #[arg(long, default_value_t = 20)]
    repeats: u64,
    /// Only data sets whose name contains one of these.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Share of the rows in the pool; the others are the test set.
    #[arg(long, default_value_t = 0.5)]
    share: f64,
    /// Labels at which a run ends; a run that has not reached the target counts with this number.
    #[arg(long, default_value_t = 120)]
    most: usize,
    /// What performance is.
    #[arg(long, value_enum, default_value_t = Measure::Probability)]
    measure: Measure,
    /// When the target is reached.
    #[arg(long, value_enum, default_value_t = Reading::First)]
    reading: Reading,
    /// Kernel of the model.
    #[arg(long, default_value = "se")]
    kernel: String,
    /// A lengthscale for every feature.
    #[arg(long)]
    ard: bool,
    /// Rows of the pool from which the hyperparameters are learned, at most.
    #[arg(long, default_value_t = 1000)]
    learn_from: usize,
    /// Seed of the splits.
    #[arg(long, default_value_t = 2011)]
    seed: u64,
    /// Also draw the learning curves into this folder.
    #[arg(long)]
    output: Option<PathBuf>,
}

/// The performance with 2 labels, 3, and so on of every method on one split, and that with the whole pool.
struct Run {
    whole: f64,
    curves: Vec<Vec<f64>>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(options.repeats > 0, "--repeats must be at least 1");
    ensure!(options.most > reading::START, "--most must be more than {}", reading::START);
    ensure!(0.0 < options.share && options.share < 1.0, "--share {} is not between 0 and 1", options.share);
    let wanted = |row: &&Published| {
        options.only.is_empty() || options.only.iter().any(|o| row.set.name.contains(&**o))
    };
    let rows: Vec<&Published> = TABLE_1.iter().filter(wanted).collect();
    let read = rows.iter().map(|row| row.set.read(&options.data.folder)).collect::<Result<Vec<Rows>>>()?;
    println!(
        "Labels needed for 95 % of the whole pool's performance ({}), mean ± standard error over {} splits;",
        options.measure, options.repeats
    );
    println!(
        "> where some runs ended before at {} labels; below each row the published figures\n",
        options.most
    );
    let heads: String = CHOICES.iter().map(|choice| format!("{:>16}", choice.to_string())).collect();
    println!("{:<12} {:>7}{heads} {:>8}", "data", "whole", "seconds");
    let mut counts = Vec::new();
    for (row, data) in rows.iter().zip(&read) {
        counts.push(line(row, data, options)?);
    }
    judge(&rows, &counts);
    Ok(())
}

/// Runs all methods on a data set and prints its row.
fn line(row: &Published, data: &Rows, options: &Options) -> Result<Vec<Count>> {
    let start = Instant::now();
    let bar = ProgressBar::new(options.repeats * CHOICES.len() as u64)
        .with_style(ProgressStyle::with_template("{msg:<12} {bar:40} {pos}/{len} {eta}")?)
        .with_message(row.set.name);
    let runs: Vec<Run> = (0..options.repeats)
        .into_par_iter()
        .map(|number| one(data, options, number, &bar))
        .collect::<Result<_>>()?;
    bar.finish_and_clear();
    let curves =
        |method: usize| Curves(runs.iter().map(|run| (&run.curves[method][..], run.whole)).collect());
    let methods: Vec<Curves<'_>> = (0..CHOICES.len()).map(curves).collect();
    let counts: Vec<Count> = methods.iter().map(|curves| options.reading.count(curves)).collect();
    let cells: String = counts.iter().map(|count| format!("{:>16}", cell(count))).collect();
    let whole = mean_and_error(&runs.iter().map(|run| run.whole).collect::<Vec<_>>()).0;
    println!("{:<12} {:>5.1} %{cells} {:>8.1}", row.set.name, 100.0 * whole, start.elapsed().as_secs_f64());
    let cells: String =
        row.labels.iter().map(|(mean, error)| format!("{:>16}", format!("{mean:.2} ± {error:.2}"))).collect();
    println!("{:<12} {:>7}{cells}", "", "");
    if let Some(folder) = &options.output {
        figures::draw(folder, row.set.name, options.measure, &methods)?;
    }
    Ok(counts)
}

fn one(data: &Rows, options: &Options, number: u64, bar: &ProgressBar) -> Result<Run> {
    let split = Split::new(&data.positive, options.share, options.seed, number);
    let from = &split.pool[..options.learn_from.min(split.pool.len())];
    let kernel = hyperparameters::learned(&options.kernel, options.ard, data, from)?;
    let mut covariance = kernel.matrix(&data.points);
    mirror_lower(&mut covariance);
    let trial = Trial {
        covariance: &covariance,
        positive: &data.positive,
        split: &split,
        prior: &PriorDraws::new(&covariance)?,
        measure: options.measure,
        most: options.most,
    };
    let curves = CHOICES.iter().map(|&choice| {
        let curve = trial.run(choice, &mut stream(options.seed + 1, number));
        bar.inc(1);
        curve
    });
    Ok(Run { whole: trial.whole()?, curves: curves.collect::<Result<_>>()? })
}

fn cell(count: &Count) -> String {
    let sign = if count.missed > 0 { ">" } else { "" };
    match count.error {
        Some(error) => format!("{sign}{:.2} ± {error:.2}", count.labels),
        None => format!("{sign}{:.0}", count.labels),
    }
}

/// How much of the paper's finding is there, and how near its counts for BALD are.
fn judge(rows: &[&Published], counts: &[Vec<Count>]) {
    let of = |choice: usize| counts.iter().map(move |row| row[choice].labels);
    let fewer = of(0).zip(of(1)).filter(|(bald, random)| bald < random).count();
    let at_most = of(0).zip(of(2)).filter(|(bald, entropy)| bald <= entropy).count();
    let off: Vec<&str> = rows
        .iter()
        .zip(of(0))
        .filter(|(row, bald)| !near(*bald, row.labels[0]))
        .map(|(row, _)| row.set.name)
        .collect();
    println!(
        "\nBALD needs fewer labels than random on {fewer} of {}, at most as many as entropy on {at_most};",
        rows.len()
    );
    println!(
        "its count is within 30 % or two standard errors of the paper's on {}{}{}",
        rows.len() - off.len(),
        if off.is_empty() { "" } else { "; off: " },
        off.join(", ")
    );
}

/// Whether a count is within the larger of 30 % and two standard errors of the published one.
fn near(labels: f64, (mean, error): (f64, f64)) -> bool {
    (labels - mean).abs() <= f64::max(0.3 * mean, 2.0 * error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_thirty_percent_or_two_standard_errors_whichever_is_more() {
        assert!(near(13.0, (10.0, 0.1)) && !near(13.1, (10.0, 0.1)));
        assert!(near(6.0, (10.0, 2.0)) && !near(5.9, (10.0, 2.0)));
    }
}
