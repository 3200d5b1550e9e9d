//! The papers' tables and figures, one command each. Data stays where it is: its folder is an argument.

mod bald;
mod regression;
mod schoonderbeek;
mod speed;
mod takeno;
mod tuning;
mod wang_mckenna;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about, version)]
struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    /// Wang and McKenna (2010), Table 1: test error on four data sets, beside the published figures.
    WangMckenna(wang_mckenna::Options),
    /// Takeno's note: EP and Laplace against the exact posterior, for growing numbers of duels.
    Takeno(takeno::Options),
    /// Schoonderbeek (2014): recursive preference learning and tuning by duels, beside the recursion as printed.
    Schoonderbeek(schoonderbeek::Options),
    /// Tuning with simulated listeners: duels until the recommended setting is good, for each acquisition function.
    Tuning(tuning::Options),
    /// Houlsby et al. (2012), supplement, Table 1: labels needed for 95 % of the accuracy of the whole pool.
    Bald(bald::Options),
    /// Time and memory of what a person waits for.
    Speed(speed::Options),
}

/// The folder of data sets, for every experiment that needs one.
#[derive(clap::Args)]
struct Data {
    /// Folder of the data sets, one folder each.
    #[arg(long = "data", env = "RATHER_DATA", default_value = "../shared/data")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    let finished = match Arguments::parse().experiment {
        Experiment::WangMckenna(options) => wang_mckenna::run(&options),
        Experiment::Takeno(options) => takeno::run(&options),
        Experiment::Schoonderbeek(options) => schoonderbeek::run(&options),
        Experiment::Tuning(options) => tuning::run(&options),
        Experiment::Bald(options) => bald::run(&options),
        Experiment::Speed(options) => speed::run(&options),
    };
    match finished {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
