//! Whether intervals and probabilities keep their promise, hyperparameters learned: of one person, and of many users, in simulated worlds and
//! on real tables.

mod bins;
mod person;
mod tables;
mod users;

use anyhow::Result;
use rather::many::Kind;

/// What is learned from.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum On {
    /// Simulated worlds, whose true utilities are known.
    Worlds,
    /// Real answers, some of which are held out.
    Tables,
}

/// Arguments of the calibration.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// What is learned from.
    #[arg(value_enum, default_value_t = On::Worlds)]
    on: On,
    #[command(flatten)]
    data: crate::Data,
    /// Which worlds or tables; all if none is named.
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
    fn tries(&self, model: Kind) -> bool {
        self.models.is_empty() || self.models.iter().any(|m| m == model.name())
    }

    fn asks_for(&self, world: &str) -> bool {
        self.worlds.is_empty() || self.worlds.iter().any(|w| w == world)
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    match options.on {
        On::Worlds => {
            person::run(options)?;
            println!();
            users::run(options)
        }
        On::Tables => tables::run(options),
    }
}
