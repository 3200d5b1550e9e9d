//! What many people would choose, and which of them are alike.

use clap::Args;
use std::path::PathBuf;

/// Shares of preference: how many people would choose each item of a market
#[derive(Debug, Args)]
#[command(after_help = "Example, of a conjoint study in one table (respondent,task,chosen, and
attributes) and a market of three products with these attributes:
  rather fit choices.csv --model hierarchical --rankings joint --kernel linear -o cars.rather
  rather shares cars.rather market.csv

JSON: for each item of the market, item, share, low and high (95 % interval of the
share; not of a model of one person), first_choice.")]
pub(crate) struct SharesArgs {
    /// Model that `rather fit -o` saved
    pub(crate) model: PathBuf,
    /// Table of the 2 to 12 items that are offered: the key first, then the features of the model
    pub(crate) market: PathBuf,
    /// Write CSV: item,share,low,high,first_choice
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

/// Segments: groups of people whose preferences are alike
#[derive(Debug, Args)]
#[command(after_help = "Example:
  rather fit sushi.csv orders.csv --model hierarchical -o sushi.rather
  rather segments sushi.rather
  rather segments sushi.rather --number 3 --csv > segments.csv

Segments are clusters (k-means) of people's mean utilities. How clearly they stand
apart is the silhouette, at most 1: below .25, people differ by degrees.

JSON: segments [segment, share, utilities [item, mean]], silhouette, members [user,
segment, probability].")]
pub(crate) struct SegmentsArgs {
    /// Model of many users that `rather fit -o` saved
    pub(crate) model: PathBuf,
    /// So many segments [default: as many, 2 to 6, as stand apart most clearly]
    #[arg(long, short = 'n', value_name = "K")]
    pub(crate) number: Option<usize>,
    /// Show the K items that differ most between segments
    #[arg(long, value_name = "K", default_value_t = 12, conflicts_with_all = ["json", "csv"])]
    pub(crate) top: usize,
    /// Write CSV: user,segment,probability
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}
