//! Leaderboards from votes: made-up arenas of any size, how many intervals hold the truth, and judges without a human (GenAI-Bench).

mod coverage;
mod genai;
mod votes;

use anyhow::Result;
use std::path::PathBuf;

use crate::Data;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: Data,
    /// What to run: `coverage` (made-up arenas), `genai` (model judges of GenAI-Bench against the humans), `generate` (a file of made-up votes).
    #[arg(long, value_delimiter = ',', default_value = "coverage,genai")]
    parts: Vec<String>,
    /// Made-up arenas of `coverage`.
    #[arg(long, default_value_t = 100)]
    worlds: u64,
    /// Which arenas of `coverage`.
    #[arg(long, value_delimiter = ',', default_value = "ties,few,bad,style,voters,all")]
    arenas: Vec<String>,
    /// A folder for the votes and the truths of `coverage`, which `peers/arena.py groups` reads.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Votes of `generate`.
    #[arg(long, default_value_t = 2_000_000)]
    votes: usize,
    /// Models of `generate`.
    #[arg(long, default_value_t = 150)]
    models: usize,
    /// The file of `generate`: .jsonl, or .csv.
    #[arg(long, default_value = "votes.jsonl")]
    out: PathBuf,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    for part in &options.parts {
        match part.as_str() {
            "coverage" => coverage::run(options.worlds, &options.arenas, options.keep.as_deref())?,
            "genai" => genai::run(&options.data.folder)?,
            "generate" => votes::generate(options.models, options.votes, &options.out)?,
            other => anyhow::bail!("there is no part {other}; the parts are coverage, genai and generate"),
        }
    }
    Ok(())
}
