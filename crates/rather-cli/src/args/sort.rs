//! The command line of `rather sort`.

use clap::Args;
use rather::acquisition::Acquisition;
use rather_study::sort::Goal;
use std::path::PathBuf;

/// Sort a list by a judge, with as few comparisons as possible
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather sort ideas.txt --ask --question 'Which is more useful?'
  rather sort ideas.txt --judge 'python3 judge.py {left} {right}' --jobs 4
  rather sort ideas.txt --judge 'fast=./fast {left} {right}' \\
      --judge 'careful=./careful {left} {right}' --both-orders --until top:5:0.9

LIST has one item a line, or is a table of items: the key first, then features,
which are learned from.

A judge is a program: {left} and {right} stand for the two items, {question}
for the question. It writes left or right (or A, B, 1, 2, one of the items) or
tie as the first line of its standard output; skip, and other pairs are asked
first. It fails if it writes anything else, ends with another status than 0,
or takes longer than --timeout; then the question is asked again. Several
judges share the questions, and each has a noise of its own that is learned: a
judge who agrees with the others counts for more. After five failed questions
one after the other, or ten that it failed or skipped, a judge is not asked
any more.

Every answer is in the study at once: the same command goes on where it was
interrupted, and `rather study` shows and exports the answers.

First, all items are joined by a chain of comparisons. Then the pairs are asked
whose answers tell most about the order of all items, of the spanning tree of
such pairs as many at a time as there are judges waiting.

JSON keys: ranking (as of rank), judges (name, answers, skipped, failures,
noise, agreement), answers, budget, reached, stop, calls, spent, study,
warnings.")]
pub(crate) struct SortArgs {
    /// The list: one item a line, or a table of items
    #[arg(value_name = "LIST")]
    pub(crate) list: PathBuf,
    /// Program that compares two items, as COMMAND or NAME=COMMAND (repeatable)
    #[arg(long, value_name = "COMMAND", required_unless_present = "ask", conflicts_with = "ask")]
    pub(crate) judge: Vec<String>,
    /// You are the judge, in the terminal
    #[arg(long)]
    pub(crate) ask: bool,
    /// What judges are asked
    #[arg(long, value_name = "TEXT", default_value = "Which is better?")]
    pub(crate) question: String,
    /// File of the study that keeps the answers [default: the list's, with the ending .study]
    #[arg(long, value_name = "FILE")]
    pub(crate) study: Option<PathBuf>,
    /// Stop once the first is the best with a probability (best:0.95), the K first are among the K best (top:K:0.9), or the expected regret is below a limit (regret:0.1)
    #[arg(long, value_name = "GOAL")]
    pub(crate) until: Option<Goal>,
    /// Most answers [default: half of all pairs, at most 5 n log2 n]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: Option<u64>,
    /// Price of a call of a judge
    #[arg(long, value_name = "PRICE", value_parser = amount, requires = "spend")]
    pub(crate) price: Option<f64>,
    /// Most that all calls may cost
    #[arg(long, value_name = "AMOUNT", value_parser = amount, requires = "price")]
    pub(crate) spend: Option<f64>,
    /// Ask each pair in both orders, for judges who favour a position
    #[arg(long)]
    pub(crate) both_orders: bool,
    /// Questions that each judge is asked at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256), conflicts_with = "ask")]
    pub(crate) jobs: u16,
    /// Seconds that a judge may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, conflicts_with = "ask")]
    pub(crate) timeout: f64,
    /// How often a judge that failed is asked the same again
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=100), conflicts_with = "ask")]
    pub(crate) retries: u32,
    /// What makes a comparison useful [default: order, with --until bald]
    #[arg(long, value_name = "NAME")]
    pub(crate) acquisition: Option<Acquisition>,
    /// Write the ranking as CSV
    #[arg(long)]
    pub(crate) csv: bool,
}

fn amount(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() && x > 0.0 => Ok(x),
        _ => Err("write an amount above 0, such as 0.002".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.01..=86_400.0).contains(&x) => Ok(x),
        _ => Err("write seconds from 0.01 to 86400".to_owned()),
    }
}
