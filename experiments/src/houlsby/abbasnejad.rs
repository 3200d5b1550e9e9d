//! Abbasnejad, Bonilla and Sanner, *Sparse Gaussian processes for learning preferences*, figure 1: the Kronecker model by EP,
//! by Laplace's approximation, and by the readings of its Sparse EP over what is kept, on Sushi with 80 % of each user's pairs for training.
//!
//! The paper sets "the hyper-parameters for both item and user kernels to 10 and 1" and shows curves without numbers; taken here as
//! lengthscales of standardised features. Its text: Sparse EP predicts best, then EP, then Laplace; Laplace is fitted
//! fastest; Sparse EP predicts fastest. Each answer is scored once, at convergence. The readings: a fit to the answers of the kept users about
//! the kept items; the full fit's sites of these; and the projection of the full posterior on the kept utilities, of the users with the largest
//! scores or taken greedily; or on directions in the space of the users' features. As many users, or directions, are kept as a stated loss of
//! accuracy asks for, too.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use anyhow::Result;
use rather::inference::{Method, Settings};
use rather::many::collaborative::Data;
use rather::many::kronecker::KroneckerSettings;
use rather::many::kronecker::sparse::Selection;
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
    /// Users and items that Sparse EP keeps, as 4x8, separated by commas.
    #[arg(long, value_delimiter = ',', default_values = ["4x8", "12x10", "24x10"])]
    kept: Vec<Kept>,
    /// Directions in the space of the users' features that it keeps, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [4, 8, 12, 24])]
    directions: Vec<usize>,
    /// The loss of accuracy, as the full model expects it, for which users, and directions, are chosen.
    #[arg(long, default_value_t = 0.005)]
    loss: f64,
    /// Also EP's largest mismatch of moments after each of so many sweeps, for the largest number of users.
    #[arg(long, default_value_t = 0)]
    sweeps: usize,
    /// File of results, one line of JSON each; what it holds already is not run again.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// How many users and items are kept.
#[derive(Debug, Clone, Copy)]
struct Kept {
    users: usize,
    items: usize,
}

impl FromStr for Kept {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = text
            .split_once('x')
            .and_then(|(users, items)| Some(Self { users: users.parse().ok()?, items: items.parse().ok()? }));
        found.ok_or_else(|| format!("{text} must be users x items, as 4x8"))
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.users, self.items)
    }
}

/// What is predicted from.
#[derive(Debug, Clone, Copy)]
enum Reading {
    Full(Method),
    Refit(Kept),
    Restricted(Kept),
    Largest(Kept),
    Greedy(Kept),
    Chosen(f64),
    Directions(usize),
    Compressed(f64),
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(Method::Laplace) => f.write_str("Laplace"),
            Self::Full(_) => f.write_str("EP"),
            Self::Refit(kept) => write!(f, "refit {kept}"),
            Self::Restricted(kept) => write!(f, "sites {kept}"),
            Self::Largest(kept) => write!(f, "projection {kept}"),
            Self::Greedy(kept) => write!(f, "greedy {kept}"),
            Self::Chosen(loss) => write!(f, "users for {loss}"),
            Self::Directions(count) => write!(f, "directions {count}"),
            Self::Compressed(loss) => write!(f, "directions for {loss}"),
        }
    }
}

impl Reading {
    /// All of them, EP first.
    fn all(options: &Options) -> Vec<Self> {
        let of_kept =
            |&kept| [Self::Refit(kept), Self::Restricted(kept), Self::Largest(kept), Self::Greedy(kept)];
        let full = [Self::Full(Method::Ep), Self::Full(Method::Laplace)];
        let directions = options.directions.iter().map(|&count| Self::Directions(count));
        let chosen = [Self::Chosen(options.loss), Self::Compressed(options.loss)];
        full.into_iter()
            .chain(options.kept.iter().flat_map(of_kept))
            .chain(directions)
            .chain(chosen)
            .collect()
    }

    /// The model that predicts, made of the full one by EP.
    fn of(self, ep: &Kronecker, split: &Split, kernels: &str) -> Result<Kronecker> {
        let data = data(split);
        let scores = || ep.scores(&split.answers);
        let largest = |kept: Kept| scores().select(kept.users, kept.items);
        let model = match self {
            Self::Full(Method::Laplace) => {
                let method = Method::Laplace;
                return fit(split, kernels, &KroneckerSettings { method, ..Default::default() });
            }
            Self::Full(_) => return Ok(ep.clone()),
            Self::Refit(kept) => largest(kept).fit(ep, &data),
            Self::Restricted(kept) => largest(kept).restrict(ep, &data),
            Self::Largest(kept) => largest(kept).project(ep, &data),
            Self::Greedy(kept) => {
                let mut users = ep.informative_users();
                users.truncate(kept.users);
                users.sort_unstable();
                Selection { users, ..largest(kept) }.project(ep, &data)
            }
            Self::Directions(count) => ep.in_directions(count),
            Self::Compressed(loss) => ep.compressed(&split.answers, loss),
            Self::Chosen(loss) => Selection::within(ep, &data, loss).map(|(_, model)| model),
        };
        Ok(model?)
    }
}

/// Training pairs of 45.
const TRAINING: usize = 36;

/// One reading on one split.
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
    /// Features of users from which it predicts.
    rank: usize,
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
        "{:>5} {:>11} {:<20} {:>15} {:>10} {:>14} {:>7} {:>6}",
        "users", "preferences", "reading", "accuracy", "fit, s", "prediction, ms", "sweeps", "kept"
    );
    for &users in &options.users {
        block(&sushi, users, options, &mut results)?;
    }
    let largest = options.users.iter().copied().max().unwrap_or(0);
    (1..=options.sweeps).try_for_each(|sweeps| convergence(&sushi, largest, sweeps, options))
}

/// All readings of so many users.
fn block(sushi: &DataSet, users: usize, options: &Options, results: &mut Results<Outcome>) -> Result<()> {
    let kernels = if options.median { "median" } else { "10, 1" };
    let readings = Reading::all(options);
    let bar = measure::progress(options.splits * readings.len() as u64, format!("{users} users"))?;
    let mut all: Vec<Vec<Outcome>> = vec![Vec::new(); readings.len()];
    for number in 0..options.splits {
        let split = protocol::split(sushi, number, &sizes(users))?;
        let start = Instant::now();
        let ep = fit(&split, kernels, &KroneckerSettings::default())?;
        let seconds = start.elapsed().as_secs_f64();
        for (reading, all) in readings.iter().zip(&mut all) {
            let key = key(&reading.to_string(), kernels, users, number);
            all.push(results.get_or(&key, || one(&split, *reading, kernels, number, (&ep, seconds)))?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    for (reading, all) in readings.iter().zip(&all) {
        row(users, *reading, all);
    }
    Ok(())
}

fn row(users: usize, reading: Reading, all: &[Outcome]) {
    let mean = |of: fn(&Outcome) -> f64| mean_and_error(all.iter().map(of)).0;
    println!(
        "{users:>5} {:>11} {:<20} {:>15} {:>10.3} {:>14.2} {:>7.1} {:>6.1}",
        users * TRAINING,
        reading.to_string(),
        with_error(all.iter().map(|o| 1.0 - o.error)),
        mean(|o| o.fit_seconds),
        1e3 * mean(|o| o.predict_seconds),
        mean(|o| o.sweeps as f64),
        mean(|o| o.rank as f64),
    );
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

/// One reading. What it makes of the full model by EP adds to the seconds of that.
fn one(
    split: &Split,
    reading: Reading,
    kernels: &str,
    number: u64,
    (ep, seconds): (&Kronecker, f64),
) -> Result<Outcome> {
    let start = Instant::now();
    let model = reading.of(ep, split, kernels)?;
    let own = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let quality = measure::of_users(&model, &split.test)?;
    Ok(Outcome {
        inference: reading.to_string(),
        kernels: kernels.into(),
        users: split.users.len(),
        split: number,
        error: quality.error,
        fit_seconds: if matches!(reading, Reading::Full(Method::Laplace)) { own } else { seconds + own },
        predict_seconds: start.elapsed().as_secs_f64(),
        sweeps: model.report().cycles,
        rank: model.ranks().0,
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
