//! Every kind of answer: do simulations give their parameters back, and do the likelihoods pay?

mod football;
mod lapses;
mod mixed;
mod recovery;
mod ties;
mod world;

use anyhow::Result;

use crate::Data;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: Data,
    /// Which parts: recovery, lapses, ties, mixed, football.
    #[arg(long, value_delimiter = ',', default_values_t = PARTS.map(str::to_owned))]
    parts: Vec<String>,
    /// Simulated worlds a row.
    #[arg(long, default_value_t = 20)]
    repeats: usize,
    /// Seed of the simulations.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

const PARTS: [&str; 5] = ["recovery", "lapses", "ties", "mixed", "football"];

pub(crate) fn run(options: &Options) -> Result<()> {
    for part in &options.parts {
        match part.as_str() {
            "recovery" => recovery::run(options.repeats, options.seed)?,
            "lapses" => lapses::run(options.repeats, options.seed)?,
            "ties" => ties::run(options.repeats, options.seed)?,
            "mixed" => mixed::run(options.repeats, options.seed)?,
            "football" => football::run(&options.data.folder, options.seed)?,
            other => anyhow::bail!("there is no part called \"{other}\"; there are {}", PARTS.join(", ")),
        }
        println!();
    }
    Ok(())
}
