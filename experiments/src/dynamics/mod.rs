//! Skill over time on real results: what one fit costs, and how well the next match is predicted from all before.

mod tennis;

use anyhow::{Context, Result};
use rather::likelihood::{Link, ResponseModel};

use crate::Data;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: Data,
    /// What to run: `fit` (63,192 matches of tennis, at given and at learned hyperparameters), `scale` (cost over the number of matches),
    /// `tennis` (the rolling evaluation).
    #[arg(long, value_delimiter = ',', default_value = "fit,scale,tennis")]
    parts: Vec<String>,
    /// The kernel.
    #[arg(long, default_value = "white[item] + white[item]*wiener[date]")]
    kernel: String,
    /// The first day that `tennis` predicts.
    #[arg(long, default_value = "2011-08-28", value_parser = day)]
    from: f64,
    /// The day before which `tennis` stops to predict.
    #[arg(long, default_value = "2018-01-01", value_parser = day)]
    until: f64,
    /// Days of results before the first that is predicted from which hyperparameters are learned; all of them unless given.
    #[arg(long)]
    learn: Option<f64>,
    /// The day from which on to the first that is predicted matches choose the kernel's hyperparameters, by how well each is predicted from those
    /// before it; those of the largest evidence unless given.
    #[arg(long, value_parser = day)]
    choose: Option<f64>,
    /// Values of the kernel's hyperparameters for `tennis`, in their order, in the place of those learned: what an earlier `--choose` printed.
    #[arg(long, value_delimiter = ',', num_args = 1..)]
    values: Vec<f64>,
    /// Absorbed matches over which to go back and forth before each date is predicted, and how often.
    #[arg(long, default_value_t = 1_000_000)]
    refine: usize,
    /// Logistic noise instead of normal noise.
    #[arg(long)]
    logistic: bool,
}

impl Options {
    fn response_model(&self) -> ResponseModel {
        let link = if self.logistic { Link::Logistic } else { Link::Probit };
        ResponseModel { link, ..ResponseModel::default() }
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let matches = tennis::read(&options.data.folder)?;
    for part in &options.parts {
        match part.as_str() {
            "fit" => tennis::fit(&matches, options)?,
            "scale" => tennis::scale(&matches, options)?,
            "tennis" => tennis::rolling(&matches, options)?,
            other => anyhow::bail!("there is no part {other}; the parts are fit, scale and tennis"),
        }
    }
    Ok(())
}

/// Days since 1970-01-01 of a date.
fn day(text: &str) -> Result<f64> {
    rather_io::days(text).with_context(|| format!("{text} is no date such as 2011-08-28"))
}
