//! The same fits by `rather` and by its peers from Python: the same files, one thread, in one run; a table.
//!
//! Every fit has a process of its own. The table is Markdown. Seconds are processor seconds of the fit alone, from data in memory to a model that can
//! predict, the median of up to 21 fits; memory is the process's peak, what it imports included.

mod fit;
mod measured;
mod problem;
mod recipes;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

pub(crate) use fit::{Options as FitOptions, run as run_fit};
use measured::{Measured, Row, Run, Timed};
use problem::Problem;

/// Arguments of the comparison.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Problems: ITEMSxCOMPARISONS with features, free-ITEMSxCOMPARISONS without, takeno-DUELS, or the name of a probe.
    #[arg(long, value_delimiter = ',', default_values_t = recipes::names())]
    problems: Vec<String>,
    /// The Python of the peers' environment.
    #[arg(long, default_value = "target/peers/bin/python")]
    python: PathBuf,
    /// The peers' drivers.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/peers"))]
    drivers: PathBuf,
    /// Seconds by the clock after which a fit is given up.
    #[arg(long, default_value_t = 100)]
    limit: u64,
    /// Leave out the peers.
    #[arg(long)]
    alone: bool,
    /// Seed of the problems.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Data sets of each problem, whose medians are shown.
    #[arg(long, default_value_t = 1)]
    datasets: u64,
    /// Keep the files of the problems here, a folder each; of several data sets those of the last.
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// Who fits: a name, its driver (none: this program), how.
struct Method {
    name: &'static str,
    driver: Option<&'static str>,
    how: &'static str,
}

const fn method(name: &'static str, driver: Option<&'static str>, how: &'static str) -> Method {
    Method { name, driver, how }
}

/// With features. The first of each `how` is what others are compared with.
const WITH_FEATURES: [Method; 5] = [
    method("rather", None, "fixed"),
    method("PairwiseGP", Some("pairwise_gp.py"), "fixed"),
    method("rather", None, "learned"),
    method("PairwiseGP", Some("pairwise_gp.py"), "learned"),
    method("rather", None, "auto"),
];

/// Without. Maximum likelihood learns nothing, so it is compared with fixed hyperparameters.
const WITHOUT: [Method; 5] = [
    method("rather", None, "fixed"),
    method("choix EP", Some("choix_ep.py"), "fixed"),
    method("choix ILSR", Some("choix_ilsr.py"), "fixed"),
    method("evalica BT", Some("evalica_bt.py"), "fixed"),
    method("rather", None, "learned"),
];

pub(crate) fn run(options: &Options) -> Result<()> {
    let peers = !options.alone && options.python.exists();
    if !peers && !options.alone {
        eprintln!(
            "no Python at {}: make the peers' environment with experiments/peers/setup.sh, or name one with --python; \
             without it only rather is measured",
            options.python.display()
        );
    }
    println!("{}\n\n{}", measured::machine(), measured::HEADER);
    let mut timed = Vec::new();
    for (i, name) in options.problems.iter().enumerate() {
        let seeds = (0..options.datasets.max(1)).map(|k| options.seed + i as u64 + APART * k);
        let problems: Vec<Problem> = seeds.map(|seed| recipes::problem(name, seed)).collect::<Result<_>>()?;
        for row in rows(name, &problems, options, peers)? {
            println!("{row}");
            // Probes differ in more than their size.
            let sized = problems.iter().zip(row.runs).filter(|(problem, _)| problem.kind != recipes::PROBE);
            timed.extend(sized.filter_map(|(problem, run)| {
                Some(Timed {
                    method: format!("{}, {}", row.method, row.how),
                    kind: problem.kind,
                    comparisons: problem.comparisons(),
                    seconds: run.measured.seconds()?,
                })
            }));
        }
    }
    print!("\n{}", measured::exponents(&timed));
    Ok(())
}

/// Between the seeds of two data sets of a problem; more than there are problems.
const APART: u64 = 1_000;

/// The rows of one problem, over its data sets.
fn rows<'a>(name: &'a str, problems: &[Problem], options: &Options, peers: bool) -> Result<Vec<Row<'a>>> {
    let methods = if problems[0].has_features() { &WITH_FEATURES } else { &WITHOUT };
    let methods: Vec<&Method> = methods.iter().filter(|m| peers || m.driver.is_none()).collect();
    let row = |m: &&Method| Row { problem: name, method: m.name, how: m.how, runs: Vec::new() };
    let mut rows: Vec<Row<'a>> = methods.iter().map(row).collect();
    for problem in problems {
        let folder = options.keep.as_ref().map_or_else(
            || std::env::temp_dir().join(format!("rather-peers-{}-{name}", std::process::id())),
            |keep| keep.join(name),
        );
        problem.write(&folder)?;
        let mut ours = Vec::new();
        for (m, row) in methods.iter().zip(&mut rows) {
            let measured = child(m, &folder, options)?;
            if m.driver.is_none() {
                ours.push((m.how, measured.seconds()));
            }
            let rather = ours.iter().find(|(how, _)| *how == m.how).and_then(|(_, seconds)| *seconds);
            row.runs.push(Run { measured, rather });
        }
        if options.keep.is_none() {
            std::fs::remove_dir_all(&folder)?;
        }
    }
    Ok(rows)
}

/// Runs a fit in a process of its own, on one thread.
fn child(method: &Method, folder: &Path, options: &Options) -> Result<Measured> {
    let mut command = match method.driver {
        Some(driver) => {
            let mut command = Command::new(&options.python);
            command.arg(options.drivers.join(driver));
            command
        }
        None => {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("peers-fit");
            command
        }
    };
    for threads in ["RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(threads, "1");
    }
    let child = command.arg(folder).arg(method.how).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let Some(output) = within(child, Duration::from_secs(options.limit))? else {
        return Ok(Measured::Failed { error: format!("given up after {} s", options.limit) });
    };
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().last().map(serde_json::from_str) {
        Some(measured) => measured.with_context(|| format!("{} printed {text}", method.name)),
        // It died: killed for its memory, or by a signal of its own.
        None => Ok(Measured::Failed {
            error: format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()),
        }),
    }
}

/// What the process printed, if it ends before the limit; else it is ended. It prints a line or two, so nothing fills up.
fn within(mut child: Child, limit: Duration) -> Result<Option<Output>> {
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(Some(child.wait_with_output()?))
}
