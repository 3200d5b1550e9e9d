//! Table 2: five models, five data sets, 100 users, 25 random splits; error and seconds beside the published ones.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use super::data::{self, DataSet, Labels};
use super::methods::{METHODS, Method};
use super::protocol::{self, Split};
use super::published::{COLUMNS, TABLE};
use super::results::{Outcome, Results};

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

/// Whether a data set and a method are asked for.
fn wanted(only: &[String], set: &str, method: &str) -> bool {
    let asked = |o: &String| match o.split_once('/') {
        Some((s, m)) => s.eq_ignore_ascii_case(set) && m.eq_ignore_ascii_case(method),
        None => o.eq_ignore_ascii_case(set) || o.eq_ignore_ascii_case(method),
    };
    only.is_empty() || only.iter().any(asked)
}

fn row(set: &DataSet, method: Method, name: &str, options: &Options, results: &mut Results) -> Result<()> {
    let style = ProgressStyle::with_template("{msg:<24} {bar:40} {pos}/{len} {eta}")?;
    let bar = ProgressBar::new(options.splits).with_style(style).with_message(format!("{} {name}", set.name));
    let mut outcomes = Vec::new();
    for number in 0..options.splits {
        let labels = format!("{:?}", options.labels).to_lowercase();
        let key = (set.name.to_string(), labels.clone(), name.to_string(), number);
        let outcome = match results.get(&key) {
            Some(outcome) => outcome.clone(),
            None => {
                let split = protocol::split(set, number)?;
                let outcome = evaluate(set, method, name, &labels, number, &split)?;
                results.add(outcome.clone())?;
                outcome
            }
        };
        outcomes.push(outcome);
        bar.inc(1);
    }
    bar.finish_and_clear();
    print_row(set.name, name, &outcomes);
    Ok(())
}

fn evaluate(
    set: &DataSet,
    method: Method,
    name: &str,
    labels: &str,
    number: u64,
    split: &Split,
) -> Result<Outcome> {
    let start = Instant::now();
    let model = method.fit(split)?;
    let seconds = start.elapsed().as_secs_f64();
    let (mut wrong, mut undecided, mut loss, mut count) = (0.0, 0.0, 0.0, 0.0);
    for (user, pairs) in split.test.iter().enumerate() {
        let found = model.predict(user, pairs)?;
        for (m, p) in found.mean.iter().zip(&found.probability) {
            // The first of each pair is the winner.
            let tied = f64::from(u8::from(*m == 0.0));
            wrong += if *m < 0.0 { 1.0 } else { 0.5 * tied };
            undecided += tied;
            loss -= p.ln();
            count += 1.0;
        }
    }
    let report = model.report();
    Ok(Outcome {
        set: set.name.into(),
        labels: labels.into(),
        method: name.into(),
        split: number,
        error: wrong / count,
        undecided: undecided / count,
        log_loss: loss / count,
        seconds,
        log_evidence: report.log_evidence,
        cycles: report.cycles,
        converged: report.status != rather::inference::Status::Limit,
    })
}

fn print_row(set: &str, name: &str, outcomes: &[Outcome]) {
    let column = METHODS.iter().find(|(_, n, _)| *n == name).map_or("", |(_, _, column)| *column);
    let at = COLUMNS.iter().position(|c| *c == column).unwrap_or(0);
    let published = TABLE.iter().find(|t| t.name == set);
    let paper = published.map_or(String::new(), |p| {
        format!("paper {:.3}, supplement {:.3}, {:.1} s in 2012", p.main[at], p.supplement[at], p.seconds[at])
    });
    let of = |f: fn(&Outcome) -> f64| mean_and_error(&outcomes.iter().map(f).collect::<Vec<_>>());
    let (error, spread) = of(|o| o.error);
    let open = outcomes.iter().filter(|o| !o.converged).count();
    let note = if open > 0 { format!("; {open} not converged") } else { String::new() };
    println!(
        "{set:<11} {name:<14} {:>15} {:>7.3} {:>8.2} {:>9.1}   {paper}{note}",
        format!("{error:.4} ± {spread:.4}"),
        of(|o| o.log_loss).0,
        of(|o| o.seconds).0,
        of(|o| o.log_evidence).0,
    );
}

/// Mean and standard error.
fn mean_and_error(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let squares = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (mean, (squares / (n - 1.0).max(1.0) / n).sqrt())
}
