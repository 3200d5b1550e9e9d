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
    /// A ranking becomes a comparison of every two items in it, or of every two neighbours
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
}

impl AnswerArgs {
    /// A flag that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--also", !self.also.is_empty()),
            ("--rankings adjacent", self.rankings == Rankings::Adjacent),
            ("--position-bias", self.position_bias),
            ("--user-noise", self.user_noise),
            ("--robust", self.robust),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}
