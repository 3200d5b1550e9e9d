//! Whether intervals and probabilities keep their promise in simulated worlds, hyperparameters learned: of one person, and of many users.

mod bins;
mod person;
mod users;

use anyhow::Result;

/// Arguments of the calibration.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which worlds; all if none is named.
    #[arg(long, value_delimiter = ',')]
    worlds: Vec<String>,
    /// Simulated worlds a row of one person; of many users there are a tenth as many.
    #[arg(long, default_value_t = 200)]
    repeats: usize,
    /// For one person also with other hyperparameters: `maximise` leaves them at their maximum, `truth` knows them.
    #[arg(long, value_delimiter = ',')]
    beside: Vec<String>,
    /// Models of many users; all if none is named.
    #[arg(long, value_delimiter = ',')]
    models: Vec<String>,
    /// Also print the bins of the probabilities.
    #[arg(long)]
    bins: bool,
    /// Seed of the simulations.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Options {
    fn asks_for(&self, world: &str) -> bool {
        self.worlds.is_empty() || self.worlds.iter().any(|w| w == world)
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    person::run(options)?;
    println!();
    users::run(options)
}
