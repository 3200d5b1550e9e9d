//! Preferential optimisation of the test functions of the field: the regret of the recommended setting, policy by policy.
//!
//! A function is standardised over its domain and larger is better. A comparison of `a` and `b` says whether `f(a) - f(b) + e` is
//! positive, with `e` normal of standard deviation 0.1. The model is that of studies,
//! and knows the answers alone.

mod functions;
mod records;
mod run;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use rather::design::Prior;

use crate::policy::{DEFAULT, Named, PriorOptions};
use functions::{FUNCTIONS, Standardised};
use records::Record;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Functions; all if none is named.
    #[arg(long, value_delimiter = ',')]
    functions: Vec<String>,
    /// Policies: `default`, `ACQUISITION` or `ACQUISITION@OPPONENT`.
    #[arg(long, value_delimiter = ',', default_values = [DEFAULT, "believer", "eubo", "thompson", "ucb:2", "random"])]
    policies: Vec<Named>,
    #[command(flatten)]
    prior: PriorOptions,
    /// Runs of a policy for a function.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// Seed of the first run.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Comparisons a dimension.
    #[arg(long, default_value_t = 30)]
    comparisons: usize,
    /// Runs at the same time.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Regrets of other programs for the table, a JSON object a line: {"function", "policy", "seed", "regret"}.
    #[arg(long)]
    peers: Vec<PathBuf>,
    /// File that every run is added to, a JSON object a line. Runs that are in it are not repeated, so that parts may be done one
    /// after another, or apart and their files joined.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// A run that is asked for.
struct Job<'a> {
    function: &'a Standardised,
    policy: &'a Named,
    seed: u64,
}

impl Job<'_> {
    fn is(&self, record: &Record, comparisons: usize, prior: &Prior) -> bool {
        record.function == self.function.function.name
            && record.policy == self.policy.name
            && record.seed == self.seed
            && record.comparisons == Some(comparisons)
            && record.prior.as_ref() == Some(prior)
    }

    fn run(&self, comparisons: usize, prior: &Prior) -> Result<Record> {
        let all = comparisons * self.function.dims();
        let regret = run::regret(&self.policy.policy, prior, self.function, all, self.seed)?;
        Ok(Record {
            function: self.function.function.name.to_owned(),
            policy: self.policy.name.clone(),
            seed: self.seed,
            comparisons: Some(comparisons),
            prior: Some(*prior),
            regret,
        })
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(options.seeds > 0, "--seeds must be at least 1");
    ensure!(options.comparisons > 0, "--comparisons must be at least 1");
    ensure!(options.threads > 0, "--threads must be at least 1");
    let functions = functions(&options.functions)?;
    let peers = options.peers.iter().map(|path| records::read(path)).collect::<Result<Vec<_>>>()?.concat();
    describe(&functions);
    let jobs = jobs(&functions, options);
    let done = options.out.as_deref().filter(|path| path.exists()).map_or(Ok(Vec::new()), records::read)?;
    let prior = options.prior.prior();
    let before =
        |job: &Job<'_>| done.iter().find(|record| job.is(record, options.comparisons, &prior)).cloned();
    let found: Vec<Option<Record>> = jobs.iter().map(before).collect();
    let missing: Vec<&Job<'_>> =
        jobs.iter().zip(&found).filter(|(_, f)| f.is_none()).map(|(j, _)| j).collect();
    let mut new = all(&missing, options)?.into_iter();
    let records = found.into_iter().filter_map(|record| record.or_else(|| new.next())).chain(peers);
    let names = functions.iter().map(|f| f.function.name);
    print!("\n{}", records::table(names, &records.collect::<Vec<_>>()));
    Ok(())
}

/// The functions of these names in the order of the table, all if there are none.
fn functions(names: &[String]) -> Result<Vec<Standardised>> {
    if let Some(unknown) = names.iter().find(|name| FUNCTIONS.iter().all(|f| f.name != *name)) {
        bail!("there is no function called {unknown}: there are {}", FUNCTIONS.map(|f| f.name).join(", "));
    }
    let asked = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    Ok(FUNCTIONS.iter().filter(|f| asked(f.name)).map(Standardised::new).collect())
}

/// The table of the functions as they are used.
fn describe(functions: &[Standardised]) {
    println!("| function | reference | domain | optimum | mean | sd |\n|---|---|---|---|---|---|");
    for Standardised { function, mean, sd } in functions {
        let mut domain: Vec<String> = function.domain.iter().map(|(l, h)| format!("[{l}, {h}]")).collect();
        let dims = domain.len();
        domain.dedup();
        let power = if domain.len() < dims { format!("^{dims}") } else { String::new() };
        println!(
            "| {} | {} | {}{power} | {:.6} | {mean:.6} | {sd:.6} |",
            function.name,
            function.reference,
            domain.join(" × "),
            function.best()
        );
    }
}

fn jobs<'a>(functions: &'a [Standardised], options: &'a Options) -> Vec<Job<'a>> {
    let seeds = options.seed..options.seed + options.seeds;
    let of_policy = |function, policy| seeds.clone().map(move |seed| Job { function, policy, seed });
    let of_function = |function| options.policies.iter().flat_map(move |policy| of_policy(function, policy));
    functions.iter().flat_map(of_function).collect()
}

/// The records of `jobs` in their order, each added to the file as it comes. Threads of its own: the library's are rayon's.
fn all(jobs: &[&Job<'_>], options: &Options) -> Result<Vec<Record>> {
    let file = Mutex::new(options.out.as_deref().map(to_add).transpose()?);
    let bar = ProgressBar::new(jobs.len() as u64)
        .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed_precise} {msg}")?);
    let (next, prior) = (AtomicUsize::new(0), options.prior.prior());
    let work = || -> Result<Vec<(usize, Record)>> {
        let mut records = Vec::new();
        while let Some((i, job)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, jobs.get(i)?)))
        {
            let record = job.run(options.comparisons, &prior)?;
            if let Some(file) = file.lock().expect("no thread panics while it writes").as_mut() {
                writeln!(file, "{}", serde_json::to_string(&record)?)?;
            }
            bar.set_message(format!("{} {}", record.function, record.policy));
            bar.inc(1);
            records.push((i, record));
        }
        Ok(records)
    };
    let parts: Vec<Result<Vec<(usize, Record)>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|t| t.join().expect("a run does not panic")).collect()
    });
    bar.finish_and_clear();
    let mut records = parts.into_iter().collect::<Result<Vec<_>>>()?.concat();
    records.sort_by_key(|(i, _)| *i);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

fn to_add(path: &Path) -> Result<File> {
    OpenOptions::new().create(true).append(true).open(path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_function_is_refused_with_those_there_are() {
        let error = functions(&["branin".into(), "brannin".into()]).err().unwrap().to_string();
        assert!(error.contains("brannin") && error.contains("hartmann"), "{error}");
    }

    /// The second time nothing runs, and the file stays as it was; on two threads the same records come in the same order.
    #[test]
    fn runs_in_a_file_are_not_repeated() {
        let path = std::env::temp_dir().join(format!("rather-pbo-out-{}.jsonl", std::process::id()));
        let mut options = Options {
            functions: vec!["levy".into()],
            policies: vec!["random".parse().unwrap()],
            prior: PriorOptions::default(),
            seeds: 3,
            seed: 5,
            comparisons: 2,
            threads: 2,
            peers: Vec::new(),
            out: Some(path.clone()),
        };
        run(&options).unwrap();
        let first = records::read(&path).unwrap();
        assert_eq!(first.len(), 3);
        run(&options).unwrap();
        assert_eq!(records::read(&path).unwrap(), first);
        options.seeds = 4;
        run(&options).unwrap();
        assert_eq!(records::read(&path).unwrap().len(), 4);
        // Runs with another prior are others.
        options.prior.lengthscale = 0.2;
        run(&options).unwrap();
        assert_eq!(records::read(&path).unwrap().len(), 8);
        std::fs::remove_file(&path).unwrap();
    }
}
