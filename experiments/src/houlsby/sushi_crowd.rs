//! Sushi as a recommendation task (Simpson and Gurevych 2020, *Scalable Bayesian preference learning for crowds*): 100 users of
//! set A with 5 and with 20 training pairs each, and all 5,000 users of set B with 10 pairs each among 100 kinds.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use rather::many::collaborative::{Data, Settings};
use rather::many::{Collaborative, UserModel, UserPrior};
use rather_numerics::random::stream;
use serde::{Deserialize, Serialize};

use super::data::{self, DataSet, Labels, pairs};
use super::measure::{self, Quality, mean_and_error, with_error};
use super::methods::{Method, squared_exponential};
use super::protocol::{self, Sizes, Won};
use super::results::{self, Results};

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: crate::Data,
    /// Number of random splits of set A; set B has one.
    #[arg(long, default_value_t = 25)]
    splits: u64,
    /// Only these tasks (`A5`, `A20`, `B`), separated by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// File of results, one line of JSON each; what it holds already is not run again.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Task, its training pairs a user, and crowdGPPL's accuracy and cross entropy, where published figures are at hand.
const TASKS: [(&str, usize, &str); 3] =
    [("A5", 5, "0.71, 0.56"), ("A20", 20, "0.85, 0.31"), ("B", 10, "0.78, about 30 minutes on 12 cores")];
const METHODS: [&str; 4] = ["CP-default", "CP-mean", "CPU-learned", "BI"];

/// One model on one split.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    task: String,
    method: String,
    split: u64,
    #[serde(flatten)]
    quality: Quality,
    /// Kendall's tau of the predicted and the true order of a user's ten kinds, mean over users.
    tau: f64,
    seconds: f64,
}

impl results::Outcome for Outcome {
    fn key(&self) -> String {
        format!("{} {} {}", self.task, self.method, self.split)
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut results = Results::<Outcome>::open(options.out.as_deref())?;
    let sushi = data::read("sushi", &options.data.folder, Labels::Items)?;
    println!(
        "{:<5} {:<12} {:>15} {:>15} {:>15} {:>8}  crowdGPPL: accuracy, cross entropy",
        "task", "method", "accuracy", "cross entropy", "tau", "seconds"
    );
    for (task, each, published) in TASKS {
        if !options.only.is_empty() && !options.only.iter().any(|o| o.eq_ignore_ascii_case(task)) {
            continue;
        }
        let (splits, methods) = if task == "B" { (1, &METHODS[..1]) } else { (options.splits, &METHODS[..]) };
        for method in methods {
            let bar = measure::progress(splits, format!("{task} {method}"))?;
            let mut outcomes = Vec::new();
            for split in 0..splits {
                outcomes.push(results.get_or(&format!("{task} {method} {split}"), || match task {
                    "B" => set_b(options, method, each),
                    _ => set_a(&sushi, task, method, each, split),
                })?);
                bar.inc(1);
            }
            bar.finish_and_clear();
            println!(
                "{task:<5} {method:<12} {:>15} {:>15} {:>15} {:>8.2}  {published}",
                with_error(outcomes.iter().map(|o| 1.0 - o.quality.error)),
                with_error(outcomes.iter().map(|o| o.quality.log_loss)),
                with_error(outcomes.iter().map(|o| o.tau)),
                mean_and_error(outcomes.iter().map(|o| o.seconds)).0,
            );
        }
    }
    Ok(())
}

/// What is measured of a fitted model; `all` holds every pair of each user.
fn measured(
    names: (&str, &str, u64),
    model: &dyn UserModel,
    seconds: f64,
    test: &[Won],
    all: &[Won],
) -> Result<Outcome> {
    let quality = measure::of_users(model, test)?;
    // Of an order, the share of pairs in the right order, from -1 to 1.
    let tau = 1.0 - 2.0 * measure::of_users(model, all)?.error;
    let (task, method, split) = names;
    Ok(Outcome { task: task.into(), method: method.into(), split, quality, tau, seconds })
}

fn set_a(sushi: &DataSet, task: &str, name: &str, each: usize, number: u64) -> Result<Outcome> {
    // 25 test pairs a user, and whatever is neither for training nor for testing is not used.
    let sizes = Sizes { users: 100, training: each, pool: 20 - each, test: 25 };
    let split = protocol::split(sushi, number, &sizes)?;
    let all: Vec<Won> = (0..split.users.len())
        .map(|u| [&split.training[u][..], &split.pool[u], &split.test[u]].concat())
        .collect();
    let start = Instant::now();
    let model = Method::named(name).unwrap_or(Method::CpDefault).fit(&split)?;
    let seconds = start.elapsed().as_secs_f64();
    measured((task, name, number), model.as_ref(), seconds, &split.test, &all)
}

fn set_b(options: &Options, name: &str, each: usize) -> Result<Outcome> {
    let (items, orders) = data::sushi::read_b(&options.data.folder)?;
    let items = protocol::standardised(&items);
    let mut rng = stream(0, 0);
    let (mut training, mut test, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for order in &orders {
        // Positions in the order: the first of a pair is the better one.
        let mut won: Won = pairs(order.len()).into_iter().map(|(i, j)| (order[i], order[j])).collect();
        protocol::shuffle(&mut won, &mut rng);
        let (known, held_out) = won.split_at(each);
        training.push(known.to_vec());
        test.push(held_out.to_vec());
        all.push(won);
    }
    let answers = protocol::answers(items.len(), &training)?;
    let kernel = squared_exponential(items.dims(), protocol::lengthscale(&items))?;
    let start = Instant::now();
    let data = Data { items: &items, users: None, answers: &answers };
    let model = Collaborative::fit(&data, &kernel, &UserPrior::exchangeable(0.5), &Settings::default())?;
    let seconds = start.elapsed().as_secs_f64();
    measured(("B", name, 0), &model, seconds, &test, &all)
}
