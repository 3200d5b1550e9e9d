//! The command line of `rather arena`.

use clap::{Args, ValueEnum};
use rather_arena::{Options, Units};
use std::path::PathBuf;

/// Rank models, players or products from a file of votes, with intervals and an audit
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather arena votes.jsonl
  rather arena votes.parquet --style tokens,bold --by language --html board.html
  rather arena games.pgn --anchor \"Stockfish 16=3600\"
  rather arena votes.csv -o board.rather
  rather arena board.rather --add today.jsonl
  zcat votes.csv.gz | rather arena - --json

One table of votes, without a table of items: CSV, TSV, JSON, JSON lines, Parquet
or PGN. Read are model_a,model_b,winner (model_a, A, left, 1, [[A>B]], the
name of the winner, tie, both_bad, \"tie (bothbad)\"), left,right,outcome,
winner,loser, generator_1,generator_2,preference from 1 to 2, scores, numbers of
votes, rankings; a judge or voter, a date. --columns is for other names.

Ratings are Elo's with an average of 1000 (400 points are odds of 10 to 1), or as
--units says. A tie counts as a tie, and \"both bad\" as two statements about the
quality of each. Intervals hold 95 %; with 20 voters or more they are by voters.
The kernel is white[item] + linear[position] + linear[COLUMN] of --style +
white[item]*white[COLUMN] of --by.

Exit status: 2 with --strict if rows were left out or the audit found a problem.

JSON keys: source, read (votes, items, left, right, ties, both_good, both_bad,
columns, left_out, before, numbers_of_sides), units, anchor, board (array of
{rank, item, rating, lower, upper, votes, probability_best, rank_low, rank_high,
probability_above_next, group, rank_before, rating_before}), boards (with --by,
array of {level, board}), position, style (array of {column, rating, lower,
upper, probability}), tie_between_equals, good_from, judges (array of {judge,
votes, agreement, expected_agreement, left, left_error, ties, swapped, flipped,
noise, lapse}), voters, intervals_by_voters, audit (array of {check, concern,
sentence}), next (array of pairs), votes_to_separate, kernel, log_evidence,
converged, warnings.")]
pub(crate) struct ArenaArgs {
    /// Table of votes, or a board that -o saved; - is standard input
    pub(crate) votes: PathBuf,
    /// Add the votes of this table to a saved board (repeatable)
    #[arg(long, value_name = "VOTES")]
    pub(crate) add: Vec<PathBuf>,
    /// Save the board here, for --add, and for rank, predict and suggest
    #[arg(short, long, value_name = "BOARD")]
    pub(crate) output: Option<PathBuf>,
    /// What ratings are measured in: elo (400 points are odds of 10 to 1), jod (1 is 75 % of choices), utility, or win-rate against the average of the others
    #[arg(long, value_enum, default_value_t = RatingUnits::Elo)]
    pub(crate) units: RatingUnits,
    /// Give this item a fixed rating: NAME=1114, or NAME alone for 1000 (0 in jod and utility)
    #[arg(long, value_name = "NAME[=RATING]")]
    pub(crate) anchor: Option<String>,
    /// Take out the effect of these numbers of each side (tokens for tokens_a and tokens_b), or of all that are found
    #[arg(long, value_name = "COLUMN,...|found", value_delimiter = ',')]
    pub(crate) style: Vec<String>,
    /// A board for each value of this column, too; they borrow strength from one another
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: Option<String>,
    /// Only votes since this date
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) since: Option<f64>,
    /// What columns are, whatever they are called: left, right, outcome, winner, loser, user, date, vote_id, count
    #[arg(long, value_name = "ROLE=COL", value_delimiter = ',', value_parser = crate::fitted::role)]
    pub(crate) columns: Vec<(String, String)>,
    /// Only the K best
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) top: Option<u64>,
    /// Write Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Write all of it on one page, too, that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the figure, too
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Fail if rows were left out or the audit found a problem
    #[arg(long)]
    pub(crate) strict: bool,
}

/// What ratings are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RatingUnits {
    Elo,
    Jod,
    Utility,
    WinRate,
}

impl ArenaArgs {
    /// What is asked for of the board.
    pub(crate) fn options(&self) -> Options {
        let units = match self.units {
            RatingUnits::Elo => Units::Elo,
            RatingUnits::Jod => Units::Jod,
            RatingUnits::Utility => Units::Utility,
            RatingUnits::WinRate => Units::WinRate,
        };
        let (anchor, style, by) = (self.anchor.clone(), self.style.clone(), self.by.clone());
        Options { units, anchor, style, by, since: self.since, columns: self.columns.clone() }
    }
}

fn date(text: &str) -> Result<f64, String> {
    rather_io::days(text).ok_or_else(|| "write a date as 2026-01-31".to_owned())
}
