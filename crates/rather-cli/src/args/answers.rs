//! Flags for answers of other kinds than plain comparisons, and for people who err.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How answers are taken, in `rather fit` of one person.
#[derive(Debug, Args)]
#[command(next_help_heading = "Answers of one person")]
pub(crate) struct AnswerArgs {
    /// Learn from the answers of this table too: comparisons, ratings, values (repeatable)
    #[arg(long, value_name = "TABLE")]
    pub(crate) also: Vec<PathBuf>,
    /// A ranking is a comparison of every two items in it, or of every two neighbours
    #[arg(long, value_enum, default_value_t = Rankings::Pairs)]
    pub(crate) rankings: Rankings,
    /// Learn an advantage of the left (needs left,right,outcome)
    #[arg(long)]
    pub(crate) bias: bool,
    /// Learn a noise for every user
    #[arg(long)]
    pub(crate) user_noise: bool,
    /// Values may be outliers: Student's noise instead of normal noise
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
            ("--bias", self.bias),
            ("--user-noise", self.user_noise),
            ("--robust", self.robust),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}
