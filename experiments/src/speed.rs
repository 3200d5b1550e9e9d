//! What a person waits for, and the memory it takes: one table.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rather::Comparison;
use rather::features::{Column, ColumnValues};
use rather::inference::prior::{Absorbed, GaussianPrior, Prior, Space};
use rather::kernel::{Schema, parse};
use rather::model::{FitSettings, Items, Model};
use rather_io::{ItemOptions, Reading, Tied, read_answers, read_items, settle};
use rather_numerics::linalg::{Matrix, cholesky, inverse_from_cholesky};
use rustix::time::{ClockId, clock_gettime};

/// Arguments of the table.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Leave out what takes more than a few seconds.
    #[arg(long)]
    quick: bool,
    /// Only this many items, one fit: to read the peak memory of one size.
    #[arg(long)]
    only: Option<usize>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    println!("threads: {}", rayon::current_num_threads());
    if let Some(n) = options.only {
        return fit(n, 3 * n);
    }
    for n in [200, 500, 1000] {
        sweep(n);
    }
    fit(500, 1000)?;
    if !options.quick {
        fit(1000, 3000)?;
    }
    million()
}

/// CPU seconds of this process so far, all threads and the system's part included.
pub(crate) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// A sweep of inference in item space beside one Cholesky factorisation and one inverse of the same size.
fn sweep(n: usize) {
    let (items, utility) = landscape(n);
    let comparisons = answers(&utility, 3 * n);
    let observations = rather::inference::observations::Observations::new(&comparisons);
    let (encoder, _) = rather::features::Encoder::fit(&items.columns, false);
    let points = encoder.encode(&items.columns, (0..n as u64).collect()).expect("the same columns");
    let points = points.select(&observations.items);
    let schema =
        Schema { names: (0..4).map(|d| format!("x{d}")).collect(), categorical: vec![false; 4], context: 0 };
    let covariance = parse("matern32", &schema, false).expect("a kernel").matrix(&points);
    let prior = Prior::new(covariance.clone(), &observations.edges, Space::Items).expect("a covariance");
    let (tau, nu) = (vec![0.3; prior.edges.len()], vec![0.1; prior.edges.len()]);
    let mut memory = Absorbed::default();
    let mut definite = covariance;
    definite.add_diagonal(1.0);
    let mut copy = definite.clone();
    let mut ratios = Vec::new();
    let (mut ours, mut yardstick) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..15 {
        let a = seconds(|| {
            memory = prior.absorb_into(&tau, &nu, std::mem::take(&mut memory)).expect("positive definite");
        });
        copy.data_mut().copy_from_slice(definite.data());
        let b = seconds(|| {
            assert!(cholesky(&mut copy));
            black_box(inverse_from_cholesky(&copy));
        });
        ratios.push(a / b);
        (ours, yardstick) = (ours.min(a), yardstick.min(b));
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "sweep, {n} items, {} comparisons, rank {}: {:.2} ms; Cholesky + inverse {:.2} ms; ratio (median of 15) {:.2}",
        comparisons.len(),
        prior.rank(),
        1e3 * ours,
        1e3 * yardstick,
        ratios[ratios.len() / 2]
    );
}

/// The program's default fit: kernel and hyperparameters by evidence.
fn fit(n: usize, m: usize) -> Result<()> {
    let (items, utility) = landscape(n);
    let comparisons = answers(&utility, m);
    let before = peak_memory();
    let mut model = None;
    let time = seconds(|| model = Some(Model::fit(&items, &comparisons, &FitSettings::default(), &|_| ())));
    let model = model.expect("it ran")?;
    let compared = model.compared().len();
    print!("fit, {n} items, {m} comparisons, 4-D, all learned ({}): {time:.2} s", model.kernel_expression());
    match (before, peak_memory()) {
        // Only if this fit set the peak: `--only N` starts from a small one.
        (Some(before), Some(after)) if after > before => {
            let matrices = (after - before) / (8.0 * (compared * compared) as f64);
            println!(
                ", peak memory {:.0} MB above the data: {matrices:.1} matrices of N x N",
                (after - before) / 1e6
            );
        }
        _ => println!(),
    }
    Ok(())
}

/// A million comparisons among a hundred items known by name, read from a file.
fn million() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("rather-speed-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let result = million_in(&folder);
    fs::remove_dir_all(&folder)?;
    result
}

fn million_in(folder: &Path) -> Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (items, comparisons) = (folder.join("items.csv"), folder.join("comparisons.csv"));
    let mut text = String::from("item\n");
    (0..100).try_for_each(|i| writeln!(text, "item{i}"))?;
    fs::write(&items, &text)?;
    let utility: Vec<f64> = (0..100).map(|_| normal(&mut rng)).collect();
    let mut text = String::from("winner,loser\n");
    for c in answers(&utility, 1_000_000) {
        writeln!(text, "item{},item{}", c.winner, c.loser)?;
    }
    fs::write(&comparisons, &text)?;
    let mut read = 0.0;
    let start = Instant::now();
    let table = read_items(&items, &ItemOptions::default())?;
    let read_table = read_answers(&comparisons, &table, &Reading::default())?;
    let answers = settle(vec![read_table], Tied::Kept)?;
    read += start.elapsed().as_secs_f64();
    let items = Items { keys: table.keys.clone(), columns: table.columns.clone() };
    Model::fit_given(&items, answers.answers, &[], &FitSettings::default(), &|_| ())?;
    let total = start.elapsed().as_secs_f64();
    println!(
        "fit, 100 items by name, 1,000,000 comparisons from CSV: {total:.2} s, of which reading {read:.2} s"
    );
    Ok(())
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// Items with four features, and a smooth utility of them.
fn landscape(n: usize) -> (Items, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(n as u64);
    let x = Matrix::from_fn(n, 4, |_, _| rng.random_range(-1.7..1.7));
    let utility = (0..n)
        .map(|i| {
            3.0 * ((1.3 * x[(i, 0)]).sin() + 0.7 * x[(i, 1)] * x[(i, 2)].cos()
                - 0.5 * (x[(i, 3)] - 0.3).powi(2))
        })
        .collect();
    let column =
        |d: usize| Column { name: format!("x{d}"), values: ColumnValues::Numeric(x.col(d).to_vec()) };
    (Items { keys: (0..n).map(|i| i.to_string()).collect(), columns: (0..4).map(column).collect() }, utility)
}

/// Comparisons of random pairs with unit noise on each side.
fn answers(utility: &[f64], m: usize) -> Vec<Comparison> {
    let mut rng = ChaCha8Rng::seed_from_u64(m as u64);
    let n = utility.len();
    (0..m)
        .map(|_| {
            let a = rng.random_range(0..n);
            let b = (a + rng.random_range(1..n)) % n;
            let (winner, loser) =
                if utility[a] + normal(&mut rng) > utility[b] + normal(&mut rng) { (a, b) } else { (b, a) };
            Comparison { winner, loser, count: 1.0 }
        })
        .collect()
}

/// A standard normal number, by the inverse of its distribution function.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rather_numerics::special::normal::quantile(rng.random_range(1e-16..1.0))
}

/// The largest memory this process has held, in bytes, where the system tells.
pub(crate) fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(1024.0 * kilobytes)
}
