//! Table 2: five models, five data sets, 100 users, 25 random splits; error and seconds beside the published ones.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::data::{self, DataSet, Labels};
use super::measure::{self, Quality, mean_and_error, with_error};
use super::methods::{METHODS, Method};
use super::protocol::{self, Sizes, Split};
use super::published::{COLUMNS, TABLE};
use super::results::{self, Results, wanted};

/// What one method did on one split.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    set: String,
    labels: String,
    method: String,
    split: u64,
    #[serde(flatten)]
    quality: Quality,
    /// Seconds of fitting.
    seconds: f64,
    log_evidence: f64,
    cycles: usize,
    converged: bool,
}

impl results::Outcome for Outcome {
    fn key(&self) -> String {
        key(&self.set, &self.labels, &self.method, self.split)
    }
}

fn key(set: &str, labels: &str, method: &str, split: u64) -> String {
    format!("{set} {labels} {method} {split}")
}

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: crate::Data,
    /// Number of random splits.
    #[arg(long, default_value_t = 25)]
    splits: u64,
    /// Only these data sets and methods (`sushi`, `CP`, `sushi/CP`), separated by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Which answers MovieLens, Election and Jura give.
    #[arg(long, value_enum, default_value_t = Labels::Scripts)]
    labels: Labels,
    /// File of results, one line of JSON each; what it holds already is not run again.
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut results = Results::open(options.out.as_deref())?;
    let mut rows = Vec::new();
    for name in data::NAMES {
        let methods: Vec<(Method, &str)> = METHODS
            .iter()
            .filter(|(_, method, _)| wanted(&options.only, name, method))
            .map(|&(m, method, _)| (m, method))
            .collect();
        if !methods.is_empty() {
            rows.push((data::read(name, &options.data.folder, options.labels)?, methods));
        }
    }
    ensure!(!rows.is_empty(), "nothing matches --only {}", options.only.join(","));
    println!("Test error, mean ± standard error over {} splits, and seconds of a fit", options.splits);
    println!("{:<11} {:<14} {:>15} {:>7} {:>8} {:>9}", "data", "method", "error", "loss", "seconds", "log Z");
    for (set, methods) in &rows {
        for &(method, name) in methods {
            row(set, method, name, options, &mut results)?;
        }
    }
    Ok(())
}

fn row(
    set: &DataSet,
    method: Method,
    name: &str,
    options: &Options,
    results: &mut Results<Outcome>,
) -> Result<()> {
    let bar = measure::progress(options.splits, format!("{} {name}", set.name))?;
    let labels = format!("{:?}", options.labels).to_lowercase();
    let mut outcomes = Vec::new();
    for number in 0..options.splits {
        outcomes.push(results.get_or(&key(set.name, &labels, name, number), || {
            let split = protocol::split(set, number, &Sizes::table2(set))?;
            let (quality, seconds, report) = evaluate(method, &split)?;
            Ok(Outcome {
                set: set.name.into(),
                labels: labels.clone(),
                method: name.into(),
                split: number,
                quality,
                seconds,
                log_evidence: report.log_evidence,
                cycles: report.cycles,
                converged: report.status != rather::inference::Status::Limit,
            })
        })?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    print_row(set.name, name, &outcomes);
    Ok(())
}

fn evaluate(method: Method, split: &Split) -> Result<(Quality, f64, rather::many::Report)> {
    let start = Instant::now();
    let model = method.fit(split)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok((measure::of_users(model.as_ref(), &split.test)?, seconds, model.report().clone()))
}

fn print_row(set: &str, name: &str, outcomes: &[Outcome]) {
    let column = METHODS.iter().find(|(_, n, _)| *n == name).map_or("", |(_, _, column)| *column);
    let at = COLUMNS.iter().position(|c| *c == column).unwrap_or(0);
    let published = TABLE.iter().find(|t| t.name == set);
    let paper = published.map_or(String::new(), |p| {
        format!("paper {:.3}, supplement {:.3}, {:.1} s in 2012", p.main[at], p.supplement[at], p.seconds[at])
    });
    let mean = |of: fn(&Outcome) -> f64| mean_and_error(outcomes.iter().map(of)).0;
    let open = outcomes.iter().filter(|o| !o.converged).count();
    let note = if open > 0 { format!("; {open} not converged") } else { String::new() };
    println!(
        "{set:<11} {name:<14} {:>15} {:>7.3} {:>8.2} {:>9.1}   {paper}{note}",
        with_error(outcomes.iter().map(|o| o.quality.error)),
        mean(|o| o.quality.log_loss),
        mean(|o| o.seconds),
        mean(|o| o.log_evidence),
    );
}
