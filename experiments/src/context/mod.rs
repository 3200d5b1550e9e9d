//! Comparisons with columns, parts, differences and teams: football with home advantage, length control, planted weights and planted skills.

mod football;
mod length_control;
mod style;
mod teams;

use anyhow::Result;
use rather::answers::Answer;
use rather::context::{ContextColumn, Sides};
use rather::features::{Column, ColumnValues};
use rather::learn::Units;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::ResponseModel;
use rather::model::{FitSettings, Items, Model};

pub(crate) use length_control::rank_correlation;

use crate::Data;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: Data,
    /// What to run: `football` (win, draw and loss of 2018 from 2000 to 2017), `length-control` (AlpacaEval 2), `style` (planted weights),
    /// `teams` (planted skills of players in teams).
    #[arg(long, value_delimiter = ',', default_value = "football,length-control,style,teams")]
    parts: Vec<String>,
    /// Simulated worlds of `style`.
    #[arg(long, default_value_t = 20)]
    worlds: u64,
    /// Folder to which `teams` writes its games and true skills, for other programs.
    #[arg(long)]
    out: Option<std::path::PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    for part in &options.parts {
        match part.as_str() {
            "football" => football::run(&options.data.folder)?,
            "length-control" => length_control::run(&options.data.folder)?,
            "style" => style::run(options.worlds)?,
            "teams" => teams::run(options.out.as_deref())?,
            other => anyhow::bail!(
                "there is no part {other}; the parts are football, length-control, style and teams"
            ),
        }
    }
    Ok(())
}

/// A column with a value for every side.
fn column(name: &str, values: Vec<f64>, shared: bool, date: bool) -> ContextColumn {
    ContextColumn {
        column: Column { name: name.into(), values: ColumnValues::Numeric(values) },
        shared,
        date,
    }
}

/// A fit in units of the noise of one answer.
fn fit(
    keys: Vec<String>,
    sides: &Sides,
    answers: &[Answer],
    kernel: &str,
    response_model: ResponseModel,
) -> Result<Model> {
    let settings = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: kernel.into(), ard: false }),
        units: Units::ComparisonNoise,
        response_model,
        ..FitSettings::default()
    };
    let items = Items { keys, columns: vec![] };
    Ok(Model::fit_in_context(&items, sides, answers, &[], &settings, &|_| ())?)
}

/// A weight of the model with its 95 % interval, in words.
fn print_weights(model: &Model) {
    for (name, mean, sd) in model.weights() {
        println!("  {name}: {mean:.4}, 95 % interval {:.4} to {:.4}", mean - 1.96 * sd, mean + 1.96 * sd);
    }
}

/// Positions of names, numbered as they come.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    at: std::collections::HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        *self.at.entry(name.to_owned()).or_insert_with(|| {
            self.all.push(name.to_owned());
            self.all.len() as u32 - 1
        })
    }
}
