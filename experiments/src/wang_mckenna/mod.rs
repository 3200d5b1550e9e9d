//! Wang and McKenna (2010), Table 1: learn from `m` comparisons of regression targets, predict the others.
//!
//! As in the paper: features standardised, an isotropic squared exponential, evidence maximised over the ratio
//! gamma of variance to squared noise and the lengthscale, from log gamma = 0 (GPEP) or 1 (GPEP2) and a
//! lengthscale of sqrt(d). Training pairs are drawn at random among unequal targets; all others are tested, at most
//! 20,000 of them. The last column is the program's own default: the kernel chosen by evidence.

mod figures;
mod open_choices;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::sites::Sites;
use rather::inference::{Method, Settings};
use rather::kernel::parse;
use rather::learn::choice::{self, KernelChoice};
use rather::learn::{Hyperparameters, Learned, Units, maximise};
use rather::posterior::Posterior;
use rather_numerics::lbfgs;

use crate::regression::{DataSet, Rows, Split, TABLE_1};

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: crate::Data,
    /// Number of random splits of each data set.
    #[arg(long, default_value_t = 20)]
    splits: u64,
    /// Only data sets whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Also try the choices that the paper leaves open, one by one.
    #[arg(long)]
    choices: bool,
    /// Also draw Figures 1(a), 1(b) and 2 into this folder.
    #[arg(long)]
    figures: Option<PathBuf>,
}

/// One way of learning: a column of the table.
#[derive(Clone, Copy)]
enum Column {
    Gpla,
    Gpep,
    Gpep2,
    Rather,
}

const COLUMNS: [(Column, &str); 4] =
    [(Column::Gpla, "GPLA"), (Column::Gpep, "GPEP"), (Column::Gpep2, "GPEP2"), (Column::Rather, "rather")];

/// The figures of the paper's Table 1, mean and standard deviation: GPLA, GPEP, GPEP2.
const PUBLISHED: [[(f64, f64); 3]; 4] = [
    [(14.43, 2.02), (13.80, 1.28), (12.70, 1.08)],
    [(17.78, 0.97), (17.12, 1.10), (17.06, 0.74)],
    [(12.12, 1.49), (10.16, 0.61), (9.26, 0.36)],
    [(12.85, 0.46), (10.28, 0.49), (9.29, 0.38)],
];

const MOST_TEST_PAIRS: usize = 20_000;

pub(crate) fn run(options: &Options) -> Result<()> {
    let sets: Vec<(usize, &DataSet)> = TABLE_1
        .iter()
        .enumerate()
        .filter(|(_, set)| options.only.as_ref().is_none_or(|only| set.name.contains(only.as_str())))
        .collect();
    require(sets.iter().map(|(_, set)| set.path(&options.data.folder)))?;
    let rows = sets.iter().map(|(_, set)| set.read(&options.data.folder)).collect::<Result<Vec<Rows>>>()?;
    table(&sets, &rows, options)?;
    if options.choices {
        for ((_, set), rows) in sets.iter().zip(&rows) {
            open_choices::print(set, rows, options.splits)?;
        }
    }
    match &options.figures {
        Some(folder) => figures::draw(&options.data.folder, folder, options.splits),
        None => Ok(()),
    }
}

/// One sentence that names every file that is missing.
fn require(paths: impl Iterator<Item = PathBuf>) -> Result<()> {
    let missing: Vec<String> = paths.filter(|p| !p.is_file()).map(|p| p.display().to_string()).collect();
    ensure!(missing.is_empty(), "the experiment needs {}; name their folder with --data", missing.join(", "));
    Ok(())
}

fn table(sets: &[(usize, &DataSet)], rows: &[Rows], options: &Options) -> Result<()> {
    println!("Test error in percent, mean ± standard deviation over {} splits (published)", options.splits);
    let names = COLUMNS.map(|(_, name)| format!("{name:<28}")).concat();
    println!("{:<15} {:>4}  {names}seconds a split", "data", "m");
    for ((at, set), rows) in sets.iter().zip(rows) {
        let bar = progress(set.name, options.splits * COLUMNS.len() as u64)?;
        let mut seconds = Vec::new();
        let mut cells = String::new();
        for (c, (column, _)) in COLUMNS.into_iter().enumerate() {
            let start = Instant::now();
            let errors = (0..options.splits)
                .map(|seed| {
                    let split = rows.split(set.pairs, MOST_TEST_PAIRS, seed);
                    bar.inc(1);
                    Ok(100.0 * error(&learned_utilities(rows, &split, column)?, &split))
                })
                .collect::<Result<Vec<f64>>>()?;
            let (mean, sd) = mean_and_sd(&errors);
            let paper = PUBLISHED[*at].get(c).map_or(String::new(), |(m, s)| format!("({m:.2} ± {s:.2})"));
            cells += &format!("{:<28}", format!("{mean:.2} ± {sd:.2} {paper}"));
            seconds.push(format!("{:.2}", start.elapsed().as_secs_f64() / options.splits as f64));
        }
        bar.finish_and_clear();
        println!("{:<15} {:>4}  {cells}{}", set.name, set.pairs, seconds.join(" / "));
    }
    Ok(())
}

fn progress(name: &'static str, steps: u64) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{msg:<15} {bar:40} {pos}/{len} {eta}")?;
    Ok(ProgressBar::new(steps).with_style(style).with_message(name))
}

fn mean_and_sd(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let squares = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}

/// Learns from the training pairs of a split; the mean utility of every row.
fn learned_utilities(rows: &Rows, split: &Split, column: Column) -> Result<Vec<f64>> {
    let observations = Observations::new(&split.training);
    let points = rows.points.select(&observations.items);
    let method = if matches!(column, Column::Gpla) { Method::Laplace } else { Method::Ep };
    let problem =
        Problem { points: &points, observations: &observations, method, space: None, inducing: None };
    let learned = match column {
        Column::Gpla | Column::Gpep => from_start(&problem, rows, 0.0)?,
        Column::Gpep2 => from_start(&problem, rows, 1.0)?,
        Column::Rather => {
            let auto = KernelChoice::Auto { ard: false };
            choice::choose(&problem, &auto, &learning(rows, true), &|_| ())?.learned
        }
    };
    utilities(&problem, rows, &learned.hyperparameters, Some(&learned.sites))
}

/// The mean utility of every row at given hyperparameters.
fn utilities(
    problem: &Problem<'_>,
    rows: &Rows,
    at: &Hyperparameters,
    sites: Option<&Sites>,
) -> Result<Vec<f64>> {
    let evidence = problem.evaluate(&at.kernel, at.noise(), sites, &Settings::default())?;
    let posterior = Posterior::new(problem, at.kernel.clone(), at.noise(), evidence);
    Ok(posterior.utilities(&rows.points).mean)
}

/// The paper's learning: no priors, one start at the given log gamma and a lengthscale of sqrt(d).
fn from_start(problem: &Problem<'_>, rows: &Rows, log_gamma: f64) -> Result<Learned> {
    let start = isotropic(problem, rows, log_gamma, 0.5 * (rows.schema.names.len() as f64).ln())?;
    Ok(maximise(problem, &start, &Settings::default(), lbfgs::Stop::default(), None, &|| true)?)
}

/// The isotropic squared exponential with unit noise per item at given log gamma and log lengthscale.
fn isotropic(
    problem: &Problem<'_>,
    rows: &Rows,
    log_gamma: f64,
    log_lengthscale: f64,
) -> Result<Hyperparameters> {
    let kernel = parse("se", &rows.schema, false)?;
    let mut at = Hyperparameters::new(kernel, problem.points, &learning(rows, false))?;
    at.set(&[log_gamma.exp(), log_lengthscale.exp(), 1.0])?;
    Ok(at)
}

fn learning(rows: &Rows, priors: bool) -> choice::Options<'_> {
    choice::Options {
        schema: &rows.schema,
        units: Units::ItemNoise,
        fixed: &[],
        feature_units: &[],
        priors,
        inference: Settings::default(),
    }
}

/// The share of test pairs in the wrong order; a pair of equal predictions is half wrong.
fn error(utility: &[f64], split: &Split) -> f64 {
    let wrong = |&(better, worse): &(usize, usize)| match utility[better].total_cmp(&utility[worse]) {
        std::cmp::Ordering::Greater => 0.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 1.0,
    };
    split.test.iter().map(wrong).sum::<f64>() / split.test.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPLITS: u64 = 20;

    /// Mean test error in percent over 20 splits, or `None` (said on standard error) without the data.
    fn mean_error(name: &str, column: Column) -> Option<f64> {
        let folder = crate::published_data()?;
        let set = TABLE_1.iter().find(|s| s.name == name).unwrap();
        let rows = set.read(&folder).unwrap();
        let test_error = |seed| {
            let split = rows.split(set.pairs, MOST_TEST_PAIRS, seed);
            100.0 * error(&learned_utilities(&rows, &split, column).unwrap(), &split)
        };
        let errors: Vec<f64> = (0..SPLITS).map(test_error).collect();
        let (mean, sd) = mean_and_sd(&errors);
        println!("{name}: {mean:.2} ± {sd:.2}");
        Some(mean)
    }

    /// The bounds are an independent reference's figures (14.05, 19.14, 11.66, 10.00) and half to one of the
    /// standard deviations that it gives for a single split.
    #[test]
    fn isotropic_squared_exponential_reaches_the_reference() {
        for (name, bound) in
            [("pyrimidines", 14.9), ("triazines", 19.6), ("machine_cpu", 12.1), ("boston_housing", 10.4)]
        {
            if let Some(error) = mean_error(name, Column::Gpep) {
                assert!(error <= bound, "{name}: {error} > {bound}");
            }
        }
    }

    /// The kernel chosen by evidence is better than the paper's best kernel on machine CPU.
    #[test]
    fn the_default_kernel_is_better() {
        if let Some(error) = mean_error("machine_cpu", Column::Rather) {
            assert!(error <= 10.16, "machine_cpu: {error}");
        }
    }
}
