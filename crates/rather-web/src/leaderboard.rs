//! A leaderboard of a table of votes.

use crate::sentence::Sentence;
use rather_arena::{Learned, Options, Report, Votes};
use rather_io::Table;
use serde::Deserialize;

/// What is asked for of votes.
#[derive(Deserialize)]
pub(crate) struct Request {
    /// What the table is called; its ending tells whether it is compressed.
    name: String,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    options: Options,
    /// Votes before this date are passed over.
    since: Option<String>,
}

/// The report that `rather arena --json` prints of the same votes.
pub(crate) fn arena(request: Request, file: Vec<u8>) -> Result<Report, Sentence> {
    let Request { name, seed, mut options, since } = request;
    if let Some(date) = since {
        let day = rather_io::days(&date);
        options.since =
            Some(day.ok_or_else(|| Sentence(format!("since \"{date}\": write a date as 2026-01-31")))?);
    }
    let mut warnings = Vec::new();
    let table = Table::from_bytes(name.as_ref(), file)?;
    let votes = Votes::of_table(table, &name, &options, &mut |warning| warnings.push(warning))?;
    let learned = Learned::of(votes, &options)?;
    let mut report = Report::new(&learned, &options, seed)?;
    warnings.extend(learned.model.report().notices.iter().map(ToString::to_string));
    report.warnings = warnings;
    Ok(report)
}
