//! Abbasnejad, Bonilla and Sanner, *Sparse Gaussian processes for learning preferences*, figure 1: the Kronecker model by EP,
//! by EP on the four users and eight items of which most was learned, and by Laplace's approximation, on Sushi with 80 % of
//! each user's pairs for training.
//!
//! The paper sets "the hyper-parameters for both item and user kernels to 10 and 1" and shows curves without numbers; taken here as
//! lengthscales of standardised features. Its text: Sparse EP predicts best, then EP, then Laplace; Laplace is fitted
//! fastest; Sparse EP predicts fastest. The sparse procedure is the corrected one: each answer is scored once, at convergence.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use rather::inference::{Method, Settings};
use rather::many::collaborative::Data;
use rather::many::kronecker::KroneckerSettings;
use rather::many::{Kronecker, UserModel, UserPrior};
use serde::{Deserialize, Serialize};

use super::data::{self, DataSet, Labels};
use super::measure::{self, mean_and_error, with_error};
use super::methods::squared_exponential;
use super::protocol::{self, Sizes, Split};
use super::results::{self, Results};

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: crate::Data,
    /// Number of random splits.
    #[arg(long, default_value_t = 5)]
    splits: u64,
    /// Numbers of users, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [10, 30, 60, 90, 120, 150, 180, 210])]
    users: Vec<usize>,
    /// Lengthscales by the rule of the median distance instead of 10 and 1.
    #[arg(long)]
    median: bool,
    /// Also EP's largest mismatch of moments after each of so many sweeps, for the largest number of users.
    #[arg(long, default_value_t = 0)]
    sweeps: usize,
    /// File of results, one line of JSON each; what it holds already is not run again.
    #[arg(long)]
    out: Option<PathBuf>,
}

const INFERENCES: [&str; 3] = ["EP", "Sparse EP", "Laplace"];
/// Training pairs of 45.
const TRAINING: usize = 36;
const SPARSE_USERS: usize = 4;
const SPARSE_ITEMS: usize = 8;

/// One way of inference on one split.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    inference: String,
    kernels: String,
    users: usize,
    split: u64,
    error: f64,
    fit_seconds: f64,
    predict_seconds: f64,
    sweeps: usize,
}

impl results::Outcome for Outcome {
    fn key(&self) -> String {
        key(&self.inference, &self.kernels, self.users, self.split)
    }
}

fn key(inference: &str, kernels: &str, users: usize, split: u64) -> String {
    format!("{inference} {kernels} {users} {split}")
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let sushi = data::read("sushi", &options.data.folder, Labels::Items)?;
    let mut results = Results::<Outcome>::open(options.out.as_deref())?;
    println!(
        "{:>5} {:>11} {:<10} {:>15} {:>10} {:>14} {:>7}",
        "users", "preferences", "inference", "accuracy", "fit, s", "prediction, ms", "sweeps"
    );
    for &users in &options.users {
        for inference in INFERENCES {
            row(&sushi, users, inference, options, &mut results)?;
        }
    }
    let largest = options.users.iter().copied().max().unwrap_or(0);
    (1..=options.sweeps).try_for_each(|sweeps| convergence(&sushi, largest, sweeps, options))
}

fn row(
    sushi: &DataSet,
    users: usize,
    inference: &str,
    options: &Options,
    results: &mut Results<Outcome>,
) -> Result<()> {
    let kernels = if options.median { "median" } else { "10, 1" };
    let bar = measure::progress(options.splits, format!("{users} users, {inference}"))?;
    let mut all = Vec::new();
    for number in 0..options.splits {
        all.push(results.get_or(&key(inference, kernels, users, number), || {
            let split = protocol::split(sushi, number, &sizes(users))?;
            one(&split, inference, kernels, number)
        })?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mean = |of: fn(&Outcome) -> f64| mean_and_error(all.iter().map(of)).0;
    println!(
        "{users:>5} {:>11} {inference:<10} {:>15} {:>10.3} {:>14.2} {:>7.1}",
        users * TRAINING,
        with_error(all.iter().map(|o| 1.0 - o.error)),
        mean(|o| o.fit_seconds),
        1e3 * mean(|o| o.predict_seconds),
        mean(|o| o.sweeps as f64),
    );
    Ok(())
}

fn sizes(users: usize) -> Sizes {
    Sizes { users, training: TRAINING, pool: 0, test: usize::MAX }
}

fn fit(split: &Split, kernels: &str, settings: &KroneckerSettings) -> Result<Kronecker> {
    let (item, user) =
        if kernels == "median" { (split.item_lengthscale, split.user_lengthscale) } else { (10.0, 1.0) };
    let items = squared_exponential(split.items.dims(), item)?;
    let users = squared_exponential(split.users.dims(), user)?;
    let prior = UserPrior { kernel: Some(users), share: 1.0, individual: 0.0, common: 0.0 };
    Ok(Kronecker::fit(&data(split), &items, &prior, settings)?)
}

fn data(split: &Split) -> Data<'_> {
    Data { items: &split.items, users: Some(&split.users), answers: &split.answers }
}

fn one(split: &Split, inference: &str, kernels: &str, number: u64) -> Result<Outcome> {
    let method = if inference == "Laplace" { Method::Laplace } else { Method::Ep };
    let start = Instant::now();
    let mut model = fit(split, kernels, &KroneckerSettings { method, ..Default::default() })?;
    if inference == "Sparse EP" {
        let selection = model.scores(&split.answers).select(SPARSE_USERS, SPARSE_ITEMS);
        model = selection.fit(&model, &data(split))?;
    }
    let fit_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let quality = measure::of_users(&model, &split.test)?;
    Ok(Outcome {
        inference: inference.into(),
        kernels: kernels.into(),
        users: split.users.len(),
        split: number,
        error: quality.error,
        fit_seconds,
        predict_seconds: start.elapsed().as_secs_f64(),
        sweeps: model.report().cycles,
    })
}

/// Figure 1 (b): what is left of EP's mismatch after so many parallel sweeps.
fn convergence(sushi: &DataSet, users: usize, sweeps: usize, options: &Options) -> Result<()> {
    let split = protocol::split(sushi, 0, &sizes(users))?;
    let inference = Settings { sweeps, sequential_sweeps: 0, ..Settings::default() };
    let kernels = if options.median { "median" } else { "10, 1" };
    let model = fit(&split, kernels, &KroneckerSettings { inference, ..Default::default() })?;
    println!("after {sweeps:>2} sweeps of {} preferences: {:.2e}", users * TRAINING, model.report().residual);
    Ok(())
}
