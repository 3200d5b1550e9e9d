//! Flags for other kinds of answer than plain comparisons, and of the response model.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The response model, in `rather fit` of one person.
#[derive(Debug, Args)]
#[command(next_help_heading = "Answers of one person")]
pub(crate) struct AnswerArgs {
    /// Learn from the answers of this table too: comparisons, ratings, values (repeatable)
    #[arg(long, value_name = "TABLE")]
    pub(crate) also: Vec<PathBuf>,
    /// A ranking, or a choice of several, becomes a comparison of every two items in it, or of every two neighbours, or is one answer (joint)
    #[arg(long, value_enum, default_value_t = Rankings::Pairs)]
    pub(crate) rankings: Rankings,
    /// Learn a position bias: how much being on the left counts (needs left,right,outcome)
    #[arg(long, alias = "bias")]
    pub(crate) position_bias: bool,
    /// Learn the noise of every user
    #[arg(long)]
    pub(crate) user_noise: bool,
    /// Student's t instead of normal noise, for item,value tables with outliers
    #[arg(long)]
    pub(crate) robust: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rankings {
    Pairs,
    Adjacent,
    Joint,
}
