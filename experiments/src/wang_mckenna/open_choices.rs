//! What the paper leaves open, tried one by one: does it explain where its own errors are lower?

use anyhow::Result;
use rather::Comparison;
use rather::evidence::Problem;
use rather::inference::Method;
use rather::inference::observations::Observations;

use super::{Column, error, isotropic, learned_utilities, mean_and_sd, progress, utilities};
use crate::regression::{DataSet, Rows, Split};

/// One way to read the protocol.
struct Reading {
    name: &'static str,
    split: fn(&Rows, usize, u64) -> Split,
    column: Column,
}

const READINGS: [Reading; 5] = [
    Reading { name: "as in the table (GPEP)", split: apart, column: Column::Gpep },
    Reading { name: "started at log gamma = 1 (GPEP2)", split: apart, column: Column::Gpep2 },
    Reading { name: "training pairs among the test pairs", split: together, column: Column::Gpep },
    Reading { name: "pairs drawn with replacement", split: repeated, column: Column::Gpep },
    Reading { name: "ties drawn too, the second row winning", split: with_ties, column: Column::Gpep },
];

/// Log gamma and log lengthscale of the grid on which the test error itself is minimised.
const GRID: [[f64; 7]; 2] = [[0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0], [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]];

/// Prints the mean test error under every reading, and the smallest error of any setting on a grid: what no choice
/// of hyperparameters could get below.
pub(super) fn print(set: &DataSet, rows: &Rows, splits: u64) -> Result<()> {
    println!("\n{}: the choices the paper leaves open", set.name);
    let bar = progress(set.name, splits * (READINGS.len() as u64 + 1))?;
    for Reading { name, split, column } in READINGS {
        let errors = (0..splits)
            .map(|seed| {
                bar.inc(1);
                let split = split(rows, set.pairs, seed);
                Ok(100.0 * error(&learned_utilities(rows, &split, column)?, &split))
            })
            .collect::<Result<Vec<f64>>>()?;
        let (mean, sd) = mean_and_sd(&errors);
        bar.suspend(|| println!("  {name:<42} {mean:.2} ± {sd:.2}"));
    }
    let mut best = (f64::INFINITY, 0.0, 0.0);
    let mut sums = vec![0.0; GRID[0].len() * GRID[1].len()];
    let few = splits.min(5);
    for seed in 0..few {
        let split = apart(rows, set.pairs, seed);
        let observations = Observations::new(&split.training);
        let points = rows.points.select(&observations.items);
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        };
        for (k, sum) in sums.iter_mut().enumerate() {
            let (log_gamma, log_lengthscale) = cell(k);
            let at = isotropic(&problem, rows, log_gamma, log_lengthscale)?;
            *sum += 100.0 * error(&utilities(&problem, rows, &at, None)?, &split) / few as f64;
        }
    }
    bar.finish_and_clear();
    for (k, &mean) in sums.iter().enumerate() {
        let (log_gamma, log_lengthscale) = cell(k);
        if mean < best.0 {
            best = (mean, log_gamma, log_lengthscale);
        }
    }
    let (mean, log_gamma, log_lengthscale) = best;
    println!(
        "  {:<42} {mean:.2} at log gamma = {log_gamma}, log lengthscale = {log_lengthscale} ({few} splits)",
        "lowest on a grid, chosen by the test error"
    );
    Ok(())
}

fn cell(k: usize) -> (f64, f64) {
    (GRID[0][k % GRID[0].len()], GRID[1][k / GRID[0].len()])
}

fn apart(rows: &Rows, pairs: usize, seed: u64) -> Split {
    rows.split(pairs, super::MOST_TEST_PAIRS, seed)
}

fn together(rows: &Rows, pairs: usize, seed: u64) -> Split {
    let mut split = apart(rows, pairs, seed);
    split.test.extend(split.training.iter().map(|c| (c.winner, c.loser)));
    split
}

fn repeated(rows: &Rows, pairs: usize, seed: u64) -> Split {
    drawn(rows, pairs, seed, false)
}

fn with_ties(rows: &Rows, pairs: usize, seed: u64) -> Split {
    drawn(rows, pairs, seed, true)
}

/// Training and test pairs drawn independently; with ties, by the paper's rule for its sine: the first wins if its
/// target is larger, else the second.
fn drawn(rows: &Rows, pairs: usize, seed: u64, ties: bool) -> Split {
    let mut draws = rows.draws(seed, ties);
    let training =
        draws.by_ref().take(pairs).map(|(winner, loser)| Comparison { winner, loser, count: 1.0 }).collect();
    Split { training, test: draws.take(super::MOST_TEST_PAIRS).collect() }
}
