//! Schoonderbeek (2014): the thesis' claims, measured, and its figures.
//!
//! The thesis prints no tables. The figures in brackets are those of an independent NumPy implementation of the
//! corrected equations, on other random numbers: the same up to Monte Carlo error. The recursion as the thesis prints it lives in
//! `as_printed.rs`, to show what it does; nothing else uses it.

mod as_printed;
mod figures;
mod graphs;
mod listener;
mod prediction;
mod recursion;
mod rules;
mod stopping;
mod suppressor;
mod tuning;
mod world;

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which tables; all if none is named, and none if only figures are asked for.
    #[arg(long, value_enum, value_delimiter = ',')]
    tables: Vec<Table>,
    /// Functions drawn for the tables of prediction and recursion.
    #[arg(long, default_value_t = 20)]
    functions: u64,
    /// Simulated listeners for the tables of tuning and stopping.
    #[arg(long, default_value_t = 50)]
    runs: u64,
    /// Seed of everything.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Draw the thesis' figures 7, 9, 14 and 15, and its graphs, into this folder.
    #[arg(long)]
    figures: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Table {
    /// A Gaussian process on a grid of basis points against one without.
    Prediction,
    /// One pass, revisits, Laplace, and the recursion as printed, on simulated preferences.
    Recursion,
    /// How many duels until the best setting is found, by rule.
    Tuning,
    /// When to stop.
    Stopping,
    /// The thesis' loop on a noise suppressor, with a simulated listener.
    Suppressor,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let wanted =
        |table| options.tables.contains(&table) || (options.tables.is_empty() && options.figures.is_none());
    if wanted(Table::Prediction) {
        prediction::print(options)?;
    }
    if wanted(Table::Recursion) {
        recursion::print(options)?;
    }
    if wanted(Table::Tuning) {
        tuning::print(options)?;
    }
    if wanted(Table::Stopping) {
        stopping::print(options)?;
    }
    if wanted(Table::Suppressor) {
        suppressor::print(options)?;
    }
    if let Some(folder) = &options.figures {
        figures::draw_all(folder, options.seed)?;
        graphs::draw(folder)?;
    }
    Ok(())
}
