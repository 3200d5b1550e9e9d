//! Figure 2 of the supplement: log evidence and test error on Synthetic over the logarithms of the two lengthscales, whose
//! true values are 0 and 0.

use std::path::PathBuf;

use anyhow::Result;
use rather::many::collaborative::{Data, Settings};
use rather::many::kronecker::KroneckerSettings;
use rather::many::{Collaborative, Kronecker, UserModel, UserPrior};
use serde::{Deserialize, Serialize};

use super::data::{self, Labels};
use super::measure;
use super::methods::squared_exponential;
use super::protocol::{self, Sizes, Split};
use super::results::{self, Results};

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: crate::Data,
    /// Number of the split.
    #[arg(long, default_value_t = 0)]
    split: u64,
    /// Largest absolute value of a log lengthscale.
    #[arg(long, default_value_t = 1.0)]
    reach: f64,
    /// Distance of two log lengthscales.
    #[arg(long, default_value_t = 0.5)]
    step: f64,
    /// File of results, one line of JSON each; what it holds already is not run again.
    #[arg(long)]
    out: Option<PathBuf>,
}

const MODELS: [&str; 2] = ["CPU", "BO"];

/// One model at one pair of lengthscales.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    model: String,
    split: u64,
    log_user: f64,
    log_item: f64,
    log_evidence: f64,
    error: f64,
}

impl results::Outcome for Outcome {
    fn key(&self) -> String {
        key(&self.model, self.split, self.log_user, self.log_item)
    }
}

fn key(model: &str, split: u64, log_user: f64, log_item: f64) -> String {
    format!("{model} {split} {log_user:.3} {log_item:.3}")
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let set = data::read("synthetic", &options.data.folder, Labels::Items)?;
    let split = protocol::split(&set, options.split, &Sizes::table2(&set))?;
    let mut results = Results::<Outcome>::open(options.out.as_deref())?;
    let steps = (options.reach / options.step).round() as i32;
    let grid: Vec<f64> = (-steps..=steps).map(|k| f64::from(k) * options.step).collect();
    println!("Log evidence (test error) on Synthetic, split {}; true log lengthscales 0, 0", options.split);
    println!(
        "Independent reference, D = 20: CPU best at (user 0, item 0.5), -1337.2; (0, 0) -1365.0; BO best at (-0.5, -0.5), -1151.6"
    );
    for model in MODELS {
        let bar = measure::progress((grid.len() * grid.len()) as u64, format!("evidence {model}"))?;
        let mut all = Vec::new();
        for &log_user in &grid {
            for &log_item in &grid {
                let key = key(model, options.split, log_user, log_item);
                all.push(results.get_or(&key, || one(&split, options.split, model, log_user, log_item))?);
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        print(model, &grid, &all);
    }
    Ok(())
}

fn one(split: &Split, number: u64, model: &str, log_user: f64, log_item: f64) -> Result<Outcome> {
    let items = squared_exponential(split.items.dims(), log_item.exp())?;
    let users = squared_exponential(split.users.dims(), log_user.exp())?;
    // What the authors' data have on the diagonal of the users' covariance.
    let prior = UserPrior { kernel: Some(users), share: 1.0, individual: 1e-5, common: 0.0 };
    let data = Data { items: &split.items, users: Some(&split.users), answers: &split.answers };
    let fitted: Box<dyn UserModel> = match model {
        "CPU" => Box::new(Collaborative::fit(&data, &items, &prior, &Settings::default())?),
        _ => Box::new(Kronecker::fit(&data, &items, &prior, &KroneckerSettings::default())?),
    };
    Ok(Outcome {
        model: model.into(),
        split: number,
        log_user,
        log_item,
        log_evidence: fitted.log_evidence(),
        error: measure::of_users(fitted.as_ref(), &split.test)?.error,
    })
}

/// Rows: log lengthscale of users; columns: of items.
fn print(model: &str, grid: &[f64], all: &[Outcome]) {
    println!(
        "{model:<7} {}",
        grid.iter().map(|g| format!("{:>17}", format!("item {g:.1}"))).collect::<String>()
    );
    for row in all.chunks(grid.len()) {
        let cell = |o: &Outcome| format!("{:>17}", format!("{:.1} ({:.3})", o.log_evidence, o.error));
        println!("{:<7} {}", format!("u {:.1}", row[0].log_user), row.iter().map(cell).collect::<String>());
    }
    if let Some(best) = all.iter().max_by(|a, b| a.log_evidence.total_cmp(&b.log_evidence)) {
        println!("best: user {:.1}, item {:.1}, {:.1}", best.log_user, best.log_item, best.log_evidence);
    }
}
