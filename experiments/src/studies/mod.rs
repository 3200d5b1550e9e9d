//! Whether a study keeps its word, with simulated people: the stated probability that the recommendation is the best, what it is expected to
//! lose where the study says "good enough", and how good it is in many dimensions.

mod best;
mod many_dimensions;
mod person;
mod stop;

use anyhow::Result;
use rather::design::Policy;
use rather_study::Definition;
use rather_study::definition::Subject;

use crate::policy::{DEFAULT, Named, PriorOptions};

/// Arguments of the studies.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which parts: best, stop, many-dimensions; all if none is named.
    #[arg(long, value_delimiter = ',')]
    parts: Vec<String>,
    /// Simulated people a row; in many dimensions a tenth as many.
    #[arg(long, default_value_t = 200)]
    repeats: u64,
    /// Standard deviations of the utilities of ten items.
    #[arg(long, value_delimiter = ',', default_values_t = [0.1, 0.5, 1.4, 4.0])]
    sds: Vec<f64>,
    #[command(flatten)]
    prior: PriorOptions,
    /// Policies: `default`, `ACQUISITION` or `ACQUISITION@OPPONENT`.
    #[arg(long, value_delimiter = ',', default_values = [DEFAULT])]
    policies: Vec<Named>,
    /// Seed of the simulations.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Options {
    fn definition(&self, subject: Subject, policy: Policy, seed: u64) -> Definition {
        let prior = self.prior.prior();
        // However busy the machine is, every question is chosen to the end.
        Definition { seed, prior, policy, time_limit: 3600.0, ..Definition::new(subject) }
    }

    /// The seed of one person of a row.
    fn seed(&self, row: u64, person: u64) -> u64 {
        self.seed.wrapping_mul(1_000_003).wrapping_add(row * 10_007 + person)
    }
}

/// A part by its name.
type Part = (&'static str, fn(&Options) -> Result<()>);

const PARTS: [Part; 3] =
    [("best", best::run), ("stop", stop::run), ("many-dimensions", many_dimensions::run)];

pub(crate) fn run(options: &Options) -> Result<()> {
    for (name, part) in PARTS {
        if options.parts.is_empty() || options.parts.iter().any(|p| p == name) {
            part(options)?;
            println!();
        }
    }
    Ok(())
}
