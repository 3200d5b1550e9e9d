//! Mutated inputs for all readers, each in a process of its own:
//!
//! ```text
//! cargo run --release -p rather-fuzz -- --inputs 1000000
//! ```
//!
//! Prints for each reader the inputs, panics, the slowest input and the largest memory. Ends with status 1 after a panic, an abort, or
//! more than 1 GiB.

use clap::Parser;
use rather_fuzz::mutate::{Dice, mutate};
use rather_fuzz::{TARGETS, Target, corpus, target};
use serde_json::{Value, json};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Memory that no reader may take for inputs of up to 64 KiB.
const MOST_KIB: u64 = 1 << 20;

/// Mutated inputs for the readers of rather.
#[derive(Debug, Parser)]
struct Args {
    /// How many inputs, over all readers.
    #[arg(long, default_value_t = 100_000)]
    inputs: u64,
    /// The seed of the mutations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this reader, which gets all inputs.
    #[arg(long)]
    target: Option<String>,
    /// Where inputs are kept that brought a reader down.
    #[arg(long, default_value = "fuzz/artifacts")]
    artifacts: PathBuf,
    /// In this process, without others: what is done for each reader.
    #[arg(long, hide = true)]
    here: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let (true, Some(name)) = (args.here, &args.target) {
        println!("{}", run(target(name), &args));
        return ExitCode::SUCCESS;
    }
    println!(
        "{:<16}{:>10}{:>8}{:>12}{:>10}{:>10}",
        "reader", "inputs", "panics", "slowest/ms", "MiB", "CPU/s"
    );
    let mut sound = true;
    let mut total = (0, 0, 0.0);
    for reader in TARGETS.iter().filter(|reader| args.target.as_ref().is_none_or(|name| name == reader.name))
    {
        let inputs =
            if args.target.is_some() { args.inputs } else { args.inputs * u64::from(reader.share) / 100 };
        let Some(found) = in_child(reader, inputs, &args) else {
            println!("{:<16}{inputs:>10}  ended without a result: an abort, or out of memory", reader.name);
            sound = false;
            continue;
        };
        let number = |name: &str| found[name].as_f64().unwrap_or(f64::NAN);
        let (panics, kib) = (number("panics"), number("peak_kib"));
        println!(
            "{:<16}{inputs:>10}{panics:>8}{:>12.1}{:>10.0}{:>10.1}",
            reader.name,
            number("slowest_ms"),
            kib / 1024.0,
            number("cpu_s")
        );
        // A figure that is not there is no proof.
        sound &= panics == 0.0 && kib <= MOST_KIB as f64;
        total = (total.0 + inputs, total.1 + panics as u64, total.2 + number("cpu_s"));
    }
    println!("{:<16}{:>10}{:>8}{:>12}{:>10}{:>10.1}", "all", total.0, total.1, "", "", total.2);
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The result of a process of its own for one reader; `None` if it gave none.
fn in_child(reader: &Target, inputs: u64, args: &Args) -> Option<Value> {
    let program = std::env::current_exe().ok()?;
    let child = Command::new(program)
        .args([
            "--here",
            "--target",
            reader.name,
            "--inputs",
            &inputs.to_string(),
            "--seed",
            &args.seed.to_string(),
        ])
        .arg("--artifacts")
        .arg(&args.artifacts)
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    if output.status.success() { serde_json::from_str(text.lines().last()?).ok() } else { None }
}

/// Runs one reader on its corpus and on mutations of it.
fn run(reader: &Target, args: &Args) -> Value {
    let corpus = corpus::inputs(reader.name);
    let mut dice = Dice(args.seed ^ u64::from(crc32fast::hash(reader.name.as_bytes())));
    let (mut panics, mut slowest) = (0_u64, Duration::ZERO);
    for number in 0..args.inputs {
        let input = match corpus.get(number as usize) {
            Some(as_it_is) => as_it_is.clone(),
            None => mutate(&corpus[dice.below(corpus.len())], &corpus[dice.below(corpus.len())], &mut dice),
        };
        let start = Instant::now();
        if panic::catch_unwind(AssertUnwindSafe(|| (reader.run)(&input))).is_err() {
            panics += 1;
            keep(reader, number, &input, args);
        }
        slowest = slowest.max(start.elapsed());
    }
    json!({
        "panics": panics,
        "slowest_ms": slowest.as_secs_f64() * 1e3,
        "peak_kib": of_process("status", "VmHWM:"),
        "cpu_s": cpu_seconds(),
    })
}

/// Keeps an input that brought a reader down.
fn keep(reader: &Target, number: u64, input: &[u8], args: &Args) {
    let path = args.artifacts.join(format!("{}-{}-{number}", reader.name, args.seed));
    match std::fs::create_dir_all(&args.artifacts).and_then(|()| std::fs::write(&path, input)) {
        Ok(()) => eprintln!("kept as {}", path.display()),
        Err(error) => eprintln!("the input {number} could not be kept: {error}"),
    }
}

/// A figure that Linux keeps about this process; `None` elsewhere.
fn of_process(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/self/{file}")).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
}

/// Processor time of all threads of this process, in seconds; `None` where Linux does not tell it.
fn cpu_seconds() -> Option<f64> {
    /// Ticks in a second, on every Linux of today.
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS)
}
