//! Table 3 and figure 3: ten questions to each user by BALD, by entropy and at random, for CPU, CP and SU; the model is fitted
//! again after every round of one question to each, CPU and CP from where they ended before.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use rather::acquisition::pool::Pairs;
use rather::acquisition::{Acquisition, Request};
use rather::many::UserModel;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::data::{self, DataSet, Labels};
use super::measure::{self, mean_and_error, with_error};
use super::methods::Method;
use super::protocol::{self, Sizes, Split};
use super::results::{self, Results, wanted};

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: crate::Data,
    /// Number of random splits.
    #[arg(long, default_value_t = 25)]
    splits: u64,
    /// Largest number of users.
    #[arg(long, default_value_t = 1000)]
    users: usize,
    /// Only these data sets and models (`sushi`, `CP`, `sushi/CP`), separated by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Which answers MovieLens, Election and Jura give.
    #[arg(long, value_enum, default_value_t = Labels::Scripts)]
    labels: Labels,
    /// File of results, one line of JSON each; what it holds already is not run again.
    #[arg(long)]
    out: Option<PathBuf>,
}

const MODELS: [(&str, Method); 3] = [("CPU", Method::Cpu), ("CP", Method::Cp), ("SU", Method::Su)];
const STRATEGIES: [(&str, &str); 3] = [("B", "bald"), ("E", "entropy"), ("R", "random")];
/// Questions a user.
const ROUNDS: usize = 10;

/// The published errors after ten questions: CPU, CP, SU by B, E, R each.
const TABLE: [(&str, [f64; 9]); 5] = [
    ("synthetic", [0.136, 0.136, 0.140, 0.154, 0.161, 0.179, 0.253, 0.263, 0.276]),
    ("sushi", [0.150, 0.155, 0.185, 0.143, 0.151, 0.179, 0.183, 0.199, 0.215]),
    ("movielens", [0.172, 0.177, 0.200, 0.165, 0.171, 0.196, 0.233, 0.240, 0.253]),
    ("election", [0.221, 0.188, 0.265, 0.107, 0.103, 0.184, 0.331, 0.349, 0.344]),
    ("jura", [0.143, 0.144, 0.170, 0.138, 0.138, 0.170, 0.183, 0.169, 0.201]),
];

/// One learning curve.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    set: String,
    users: usize,
    labels: String,
    model: String,
    strategy: String,
    split: u64,
    /// Test error after 0, 1, ... questions a user.
    errors: Vec<f64>,
}

impl results::Outcome for Outcome {
    fn key(&self) -> String {
        let Self { set, users, labels, model, strategy, split, .. } = self;
        key(set, *users, labels, model, strategy, *split)
    }
}

fn key(set: &str, users: usize, labels: &str, model: &str, strategy: &str, split: u64) -> String {
    format!("{set} {users} {labels} {model} {strategy} {split}")
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut results = Results::open(options.out.as_deref())?;
    println!(
        "Test error after {ROUNDS} questions a user, up to {} users, {} splits",
        options.users, options.splits
    );
    println!("{:<11} {:<6} {:>15}  paper   error after 0, 1, ... questions", "data", "method", "error");
    let mut any = false;
    for (set, published) in TABLE {
        let mut data = None;
        for (m, (model, method)) in MODELS.into_iter().enumerate() {
            if !wanted(&options.only, set, model) {
                continue;
            }
            any = true;
            if data.is_none() {
                data = Some(data::read_large(set, &options.data.folder, options.labels)?);
            }
            let Some(data) = &data else { continue };
            for (s, (strategy, acquisition)) in STRATEGIES.into_iter().enumerate() {
                let names = (model, strategy);
                let all = curves(data, method, acquisition.parse()?, names, options, &mut results)?;
                print(set, names, &all, published[3 * m + s]);
            }
        }
    }
    ensure!(any, "nothing matches --only {}", options.only.join(","));
    Ok(())
}

fn curves(
    data: &DataSet,
    method: Method,
    acquisition: Acquisition,
    (model, strategy): (&str, &str),
    options: &Options,
    results: &mut Results<Outcome>,
) -> Result<Vec<Outcome>> {
    let labels = format!("{:?}", options.labels).to_lowercase();
    let bar =
        measure::progress(options.splits * (ROUNDS as u64 + 1), format!("{} {model}-{strategy}", data.name))?;
    let keys: Vec<String> = (0..options.splits)
        .map(|split| key(data.name, options.users, &labels, model, strategy, split))
        .collect();
    let all = results.get_each(&keys, |split| {
        let split = split as u64;
        let errors = curve(data, method, acquisition, split, options.users, &bar)?;
        Ok(Outcome {
            set: data.name.into(),
            users: options.users,
            labels: labels.clone(),
            model: model.into(),
            strategy: strategy.into(),
            split,
            errors,
        })
    })?;
    bar.finish_and_clear();
    Ok(all)
}

/// The main paper's numbers of training, pool and test pairs.
fn sizes(set: &str, users: usize) -> Sizes {
    let (training, pool, test) = match set {
        "election" => (3, 22, 3),
        "jura" => (3, 15, 3),
        _ => (5, 35, 5),
    };
    Sizes { users, training, pool, test }
}

fn curve(
    data: &DataSet,
    method: Method,
    acquisition: Acquisition,
    number: u64,
    users: usize,
    bar: &indicatif::ProgressBar,
) -> Result<Vec<f64>> {
    let mut split = protocol::split(data, number, &sizes(data.name, users))?;
    let all: Vec<usize> = (0..split.users.len()).collect();
    let mut fitted = method.fit_on(&split, None)?;
    let mut errors = vec![measure::of_users(fitted.model(), &split.test)?.error];
    bar.inc(1);
    for round in 0..ROUNDS {
        ask(&mut split, fitted.model(), acquisition, number * 100 + round as u64)?;
        let training = std::mem::take(&mut split.training);
        let before = split.answers.clone();
        split = split.with_training(&all, training)?;
        fitted = method.fit_on(&split, Some((&fitted, &before)))?;
        errors.push(measure::of_users(fitted.model(), &split.test)?.error);
        bar.inc(1);
    }
    Ok(errors)
}

/// Moves one pair of every user from the pool to the training pairs.
fn ask(split: &mut Split, model: &dyn UserModel, acquisition: Acquisition, seed: u64) -> Result<()> {
    let choose = |user: usize| -> Result<usize> {
        let pool = &split.pool[user];
        let request = Request::new(acquisition, Pairs::Given(pool), 1, seed * 10_000 + user as u64);
        let asked = model.suggest(&model.user(user)?, &request)?;
        let pair = asked.first().map(|q| (q.challenger, q.opponent));
        Ok(pool.iter().position(|&p| Some(p) == pair).unwrap_or(0))
    };
    let chosen: Vec<usize> = (0..split.pool.len()).into_par_iter().map(choose).collect::<Result<_>>()?;
    for (user, at) in chosen.into_iter().enumerate() {
        let pair = split.pool[user].swap_remove(at);
        split.training[user].push(pair);
    }
    Ok(())
}

fn print(set: &str, (model, strategy): (&str, &str), all: &[Outcome], published: f64) {
    let at = |k: usize| all.iter().map(move |o| o.errors[k]);
    let curve: String = (0..=ROUNDS).map(|k| format!(" {:.3}", mean_and_error(at(k)).0)).collect();
    println!(
        "{set:<11} {:<6} {:>15}  {published:.3}  {curve}",
        format!("{model}-{strategy}"),
        with_error(at(ROUNDS))
    );
}
