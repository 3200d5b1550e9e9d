//! New users on Sushi: error after so many answers of their own, from everyone else's answers and alone.
//!
//! 100 users with 20 answers each are known; 100 others come one at a time, and 25 pairs of each are predicted. The latent
//! functions stay as the known users made them, so a newcomer costs milliseconds.

use std::path::PathBuf;

use anyhow::Result;
use rather::Comparison;
use serde::{Deserialize, Serialize};

use super::data::{self, Labels};
use super::measure::{self, Quality, Tally, mean_and_error, with_error};
use super::methods::Method;
use super::protocol::{self, Sizes};
use super::results::{self, Results};

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: crate::Data,
    /// Number of random splits.
    #[arg(long, default_value_t = 10)]
    splits: u64,
    /// Only these models (`CP-default`, `SU`), separated by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// File of results, one line of JSON each; what it holds already is not run again.
    #[arg(long)]
    out: Option<PathBuf>,
}

const KNOWN: usize = 100;
const NEW: usize = 100;
/// A newcomer's own answers.
const ANSWERS: [usize; 6] = [0, 1, 3, 5, 10, 20];
/// Everyone's mean, everyone's functions, everyone's prior; alone.
const MODELS: [&str; 5] = ["CP-default", "CP-mean", "CPU-learned", "BI", "SU"];
/// An independent implementation, for the same numbers of answers; three splits, a population mean of variance 2.
const REFERENCE: [(&str, [f64; 6]); 3] = [
    ("CP-mean", [0.346, 0.315, 0.284, 0.255, 0.204, 0.148]),
    ("BI", [0.346, 0.315, 0.287, 0.259, 0.213, 0.158]),
    ("SU", [0.500, 0.407, 0.343, 0.300, 0.228, 0.165]),
];

/// One model on one split.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    method: String,
    split: u64,
    /// One entry a number of answers.
    quality: Vec<Quality>,
}

impl results::Outcome for Outcome {
    fn key(&self) -> String {
        format!("{} {}", self.method, self.split)
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let sushi = data::read("sushi", &options.data.folder, Labels::Items)?;
    let mut results = Results::<Outcome>::open(options.out.as_deref())?;
    println!(
        "Error for {NEW} new users, mean ± standard error over {} splits; reference in brackets",
        options.splits
    );
    println!("{:<12} {}", "own answers", ANSWERS.map(|k| format!("{k:>24}")).concat());
    let mut alone = None;
    let mut together = Vec::new();
    for name in MODELS {
        if !options.only.is_empty() && !options.only.iter().any(|o| o.eq_ignore_ascii_case(name)) {
            continue;
        }
        let bar = measure::progress(options.splits, format!("newcomers {name}"))?;
        let mut outcomes = Vec::new();
        for number in 0..options.splits {
            outcomes.push(results.get_or(&format!("{name} {number}"), || one(&sushi, name, number))?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        let at = |k: usize| outcomes.iter().map(move |o| o.quality[k].error);
        let reference = REFERENCE.iter().find(|(n, _)| *n == name);
        let cell = |k: usize| {
            let published = reference.map_or(String::new(), |(_, r)| format!(" ({:.3})", r[k]));
            format!("{:>24}", format!("{}{published}", with_error(at(k))))
        };
        println!("{name:<12} {}", (0..ANSWERS.len()).map(cell).collect::<String>());
        let five = mean_and_error(at(3)).0;
        if name == "SU" {
            alone = Some(five);
        } else {
            together.push((name, five));
        }
    }
    let Some(alone) = alone else { return Ok(()) };
    for (name, five) in together {
        println!("after five answers {name} is {:.1} % below SU", 100.0 * (1.0 - five / alone));
    }
    Ok(())
}

fn one(sushi: &data::DataSet, name: &str, number: u64) -> Result<Outcome> {
    let sizes = Sizes { users: KNOWN + NEW, training: 20, pool: 0, test: 25 };
    let split = protocol::split(sushi, number, &sizes)?;
    let method = Method::named(name).unwrap_or(Method::Su);
    let model = method.fit(&split.first(KNOWN)?)?;
    let mut quality = Vec::new();
    for k in ANSWERS {
        let mut tally = Tally::default();
        for user in KNOWN..KNOWN + NEW {
            let own = |&(winner, loser): &(usize, usize)| Comparison { winner, loser, count: 1.0 };
            let answers: Vec<Comparison> = split.training[user][..k].iter().map(own).collect();
            let newcomer = model.newcomer(Some(&split.users.select(&[user])), &answers.as_slice().into())?;
            tally.add(&model.predict_with(&newcomer, &split.test[user])?);
        }
        quality.push(tally.quality());
    }
    Ok(Outcome { method: name.into(), split: number, quality })
}
