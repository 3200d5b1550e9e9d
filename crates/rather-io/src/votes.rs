//! Votes as arenas keep them: one table, without a table of items. Items are what the votes name, and a row that says nothing is left out and counted.

use crate::answers::{AnswerTable, Attributes};
use crate::context::days;
use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::{Form, Layout};
use crate::names;
use crate::number;
use crate::reader::{AnswerReader, Reading, number_of_user};
use crate::table::{Row, Table};
use rather::likelihood::Reply;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serde::Serialize;
use std::hash::BuildHasher;
use std::path::Path;

/// How votes are to be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Voting<'a> {
    /// The columns of votes to read, as [`Reading::context`].
    pub context: &'a [String],
    /// Roles for columns that are called otherwise, as [`Table::with_roles`] takes them.
    pub roles: &'a [(String, String)],
    /// Votes before this day (since 1970-01-01) are passed over.
    pub since: Option<f64>,
}

/// Why a row is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// An item against itself.
    SelfComparison,
    /// The same vote once more: the same sides, outcome, voter and date, and the same name of the vote.
    Duplicate,
    /// An outcome that is no known word, side or name.
    UnknownOutcome,
    /// A cell that must not be empty.
    EmptyCell,
    /// More or fewer cells than columns.
    Ragged,
    /// A value that cannot be read.
    BadValue,
}

impl Flaw {
    fn of(error: &Error) -> Self {
        match error {
            Error::SameItem { .. } | Error::RepeatedItem { .. } => Self::SelfComparison,
            Error::NotAnOutcome { .. } => Self::UnknownOutcome,
            Error::EmptyCell { .. } => Self::EmptyCell,
            Error::RaggedRow { .. } => Self::Ragged,
            _ => Self::BadValue,
        }
    }

    /// What so many rows of it are called.
    pub fn in_words(self) -> [&'static str; 2] {
        match self {
            Self::SelfComparison => {
                ["comparison of an item with itself", "comparisons of an item with itself"]
            }
            Self::Duplicate => ["exact duplicate", "exact duplicates"],
            Self::UnknownOutcome => ["unknown outcome", "unknown outcomes"],
            Self::EmptyCell => ["row with an empty cell", "rows with an empty cell"],
            Self::Ragged => {
                ["row with more or fewer cells than columns", "rows with more or fewer cells than columns"]
            }
            Self::BadValue => {
                ["row with a value that cannot be read", "rows with a value that cannot be read"]
            }
        }
    }
}

/// Rows that were left out for one reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    /// Why.
    pub flaw: Flaw,
    /// How many.
    pub rows: u64,
    /// The first of them, in a sentence with its line.
    pub first: String,
}

/// How often each outcome was voted for.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Outcomes {
    /// All votes.
    pub votes: f64,
    /// For the left item, where sides are known.
    pub left: f64,
    /// For the right item, where sides are known.
    pub right: f64,
    /// For neither.
    pub ties: f64,
    /// That both are good.
    pub both_good: f64,
    /// That both are bad.
    pub both_bad: f64,
}

/// Votes, and what their items are called.
#[derive(Debug, Clone)]
pub struct VoteTable {
    /// The items, in the order in which they are named first.
    pub items: Vec<String>,
    /// What was voted, by nobody in particular: two answers for "both bad".
    pub answers: AnswerTable,
    /// The voters, in the order of their first votes.
    pub voters: Vec<String>,
    /// The voter of each answer; empty without a column of voters.
    pub by: Vec<u32>,
    /// The day of each answer (since 1970-01-01, or the number that stands there; NaN if there is none); empty without a column of dates.
    pub days: Vec<f32>,
    /// The columns that were recognised, each with its role.
    pub roles: Vec<(String, &'static str)>,
    /// Columns of numbers of each side (`tokens` in `tokens_a` and `tokens_b`) that were not read.
    pub of_sides: Vec<String>,
    /// How often each outcome was voted for.
    pub outcomes: Outcomes,
    /// Rows that were left out.
    pub left_out: Vec<LeftOut>,
    /// Votes before the day that was asked for.
    pub before: u64,
}

/// Beside the role `vote_id`, what tells two votes of a voter about a pair apart.
const REPEATS: [&str; 6] = ["turn", "round", "repeat", "trial", "game", "seed"];
/// The number of nobody.
const NOBODY: u32 = u32::MAX;

/// Reads votes from a table of any form that [`read_answers`](crate::read_answers) knows and that compares items.
///
/// # Errors
/// If the table cannot be read or does not compare items; if more than half of its rows say nothing, with what is wrong with the first of them.
///
/// # Examples
/// ```
/// use rather_io::{Table, Voting, votes_of};
///
/// let csv = b"model_a,model_b,winner\nx,y,model_a\ny,x,tie\nx,x,tie\n".to_vec();
/// let votes = votes_of(Table::of_csv("votes.csv".as_ref(), csv)?, &Voting::default())?;
/// assert_eq!(votes.items, ["x", "y"]);
/// assert_eq!((votes.outcomes.votes, votes.outcomes.ties), (2.0, 1.0));
/// assert_eq!(votes.left_out[0].rows, 1);
/// # Ok::<(), rather_io::Error>(())
/// ```
pub fn votes_of(table: Table, voting: &Voting<'_>) -> Result<VoteTable, Error> {
    let mut table = table.with_roles(voting.roles)?;
    let path = table.path().to_path_buf();
    let nothing = ItemTable::new(path.clone(), "item".to_owned(), Vec::new(), Vec::new())?;
    let layout = Layout::of(&mut table, &nothing)?;
    if layout.form.is_of_one_item() || matches!(layout.form, Form::Matrix { .. } | Form::Long(_)) {
        return Err(Error::NotComparisons { path });
    }
    let keys = names_in(&mut table, &layout.form);
    let items = ItemTable::new(path.clone(), "item".to_owned(), keys, Vec::new())?;
    let taken = layout.columns();
    let free = |column: Option<usize>| column.filter(|column| !taken.contains(column));
    let date = free(table.role("date")?);
    if voting.since.is_some() && date.is_none() {
        return Err(Error::NoDates { path, found: table.header().to_vec() });
    }
    let id = free(table.role("vote_id")?);
    let repeats = REPEATS.iter().filter_map(|name| free(table.called(&[name])));
    let besides: Vec<usize> = id.into_iter().chain(repeats.filter(|_| id.is_some())).chain(date).collect();
    let roles = roles(&table, &layout, date, id);
    let of_sides = numbers_of_sides(&mut table, voting.context);
    let reading = Reading { context: voting.context, ..Reading::ANY };
    let (mut rows, mut reader, out) = AnswerReader::of_layout(table, layout, &items, &reading, &besides)?;
    let identity: Vec<usize> = taken.into_iter().chain(besides).collect();
    let mut votes = VoteTable {
        items: items.keys.clone(),
        answers: out,
        voters: Vec::new(),
        by: Vec::new(),
        days: Vec::new(),
        roles,
        of_sides,
        outcomes: Outcomes::default(),
        left_out: Vec::new(),
        before: 0,
    };
    let mut faults = Faults::default();
    let (mut row, mut voters, mut seen) = (Row::default(), FxHashMap::default(), FxHashSet::default());
    loop {
        let said = match rows.read(&mut row) {
            Ok(false) => break,
            Ok(true) => reader.read(&rows, &row),
            Err(ragged @ Error::RaggedRow { .. }) => Err(ragged),
            Err(damaged) => return Err(damaged),
        };
        faults.rows += 1;
        let said = match said {
            Ok(said) => said,
            Err(error) => {
                faults.add(error);
                continue;
            }
        };
        if id.is_some()
            && !seen
                .insert(FxBuildHasher.hash_one(identity.iter().map(|&c| row.bytes(c)).collect::<Vec<_>>()))
        {
            faults.duplicates += 1;
            faults.first_duplicate.get_or_insert_with(|| rows.place(row.id()).to_string());
            continue;
        }
        let day = date.map(|column| moment(rows.text(&row, column).unwrap_or_default()));
        if let (Some(since), Some(day)) = (voting.since, day)
            && (day.is_nan() || f64::from(day) < since)
        {
            votes.before += 1;
            continue;
        }
        let voter = reader.layout.user.map(|column| match rows.text(&row, column) {
            Ok("") | Err(_) => NOBODY,
            Ok(name) => number_of_user(&mut voters, &mut votes.voters, name),
        });
        let weights = Attributes { user: None, count: said.count, noise: said.noise };
        votes.outcomes.votes += said.count;
        for (place, answer) in reader.of_row.drain(..).enumerate() {
            votes.outcomes.count(&answer.reply, place, answer.count * said.count);
            votes.answers.push(answer, weights);
            votes.by.extend(voter);
            votes.days.extend(day);
        }
    }
    if faults.is_most() || votes.answers.answers.is_empty() {
        return Err(faults.first.unwrap_or(Error::NoComparisons { path }));
    }
    votes.left_out = faults.left_out();
    reader.finish(&rows, &mut votes.answers)?;
    Ok(votes)
}

impl Outcomes {
    /// Counts an answer of a row, at its `place` among them.
    fn count(&mut self, said: &Reply, place: usize, count: f64) {
        if said.kind == Reply::good(true).kind {
            // Of the two that a vote is, the first.
            let both = if said.datum == 1.0 { &mut self.both_good } else { &mut self.both_bad };
            *both += if place == 0 { count } else { 0.0 };
        } else if said.kind == Reply::CHOICE.kind && said.datum == 0.0 {
            self.ties += count;
        } else {
            match said.side {
                0 => {}
                1 => self.left += count,
                _ => self.right += count,
            }
        }
    }
}

/// The items that the rows name, in their order.
pub(crate) fn names_in(table: &mut Table, form: &Form) -> Vec<String> {
    let columns = match form {
        Form::Long(long) => long.options().to_vec(),
        Form::Rating { item, .. }
        | Form::Value { item, .. }
        | Form::Label { item, .. }
        | Form::Other { item, .. } => vec![*item],
        Form::Duel { winner: a, loser: b }
        | Form::Outcome { left: a, right: b, .. }
        | Form::Votes { left: a, right: b, .. }
        | Form::Scores { left: a, right: b, .. }
        | Form::Probability { left: a, right: b, .. }
        | Form::Difference { first: a, second: b, .. } => vec![*a, *b],
        _ => form.columns(),
    };
    let is_text = matches!(form, Form::Ranking(_));
    let (mut known, mut names) = (FxHashSet::<Box<[u8]>>::default(), Vec::new());
    let mut add = |name: &[u8]| {
        if !name.is_empty() && !known.contains(name) {
            // What is no text is an error when it is read.
            if let Ok(text) = std::str::from_utf8(name) {
                names.push(text.trim().to_owned());
            }
            known.insert(Box::from(name));
        }
    };
    table.scan(&columns, |row| {
        for &column in &columns {
            match is_text {
                true => row
                    .bytes(column)
                    .split(|b| matches!(b, b'>' | b'='))
                    .for_each(|name| add(name.trim_ascii())),
                false => add(row.bytes(column)),
            }
        }
        true
    });
    names.dedup();
    names
}

/// The columns with their roles.
fn roles(
    table: &Table,
    layout: &Layout,
    date: Option<usize>,
    id: Option<usize>,
) -> Vec<(String, &'static str)> {
    let besides = [(layout.user, "user"), (layout.count, "count"), (date, "date"), (id, "vote_id")];
    let all = layout.form.roles().into_iter().map(|(role, column)| (column, role));
    let all = all.chain(besides.into_iter().filter_map(|(column, role)| Some((column?, role))));
    all.map(|(column, role)| (table.header()[column].clone(), role)).collect()
}

/// The columns of numbers of each side, by their names without the side (`tokens` of `tokens_a` and `tokens_b`); those of `read` left out. The first rows
/// tell whether a column is one of numbers.
pub fn numbers_of_sides(table: &mut Table, read: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (first, header) in table.header().iter().enumerate() {
        for [left, right] in names::SIDES {
            let Some(name) = header.strip_suffix(&format!("_{left}")) else { continue };
            let other = table.header().iter().position(|other| *other == format!("{name}_{right}"));
            let is_read = read.iter().any(|read| read.eq_ignore_ascii_case(name));
            if let (Some(second), false) = (other, is_read) {
                found.push((name.to_owned(), [first, second]));
            }
        }
    }
    let columns: Vec<usize> =
        found.iter().flat_map(|(_, columns)| *columns).filter(|&c| table.is_short(c)).collect();
    let (mut numbers, mut looked_at) = (FxHashSet::from_iter(columns.iter().copied()), 0);
    if !columns.is_empty() {
        table.scan(&columns, |row| {
            looked_at += 1;
            numbers.retain(|&c| std::str::from_utf8(row.bytes(c)).is_ok_and(number::is_number));
            looked_at < LOOKED_AT
        });
    }
    found.retain(|(_, columns)| columns.iter().all(|column| numbers.contains(column)));
    found.into_iter().map(|(name, _)| name).collect()
}

/// So many rows tell whether a column is one of numbers.
const LOOKED_AT: usize = 100;

/// The day of a date, of a time in seconds or milliseconds since 1970, or a number as it is; NaN if it is none of them.
fn moment(text: &str) -> f32 {
    // An offset from universal time matters less than what may be read from it.
    let plain = text.get(19..).and_then(|rest| rest.find(['+', '-'])).map_or(text, |at| &text[..19 + at]);
    let number = || {
        let value = number::parse(text).ok()?;
        Some(match value.abs() {
            x if x >= 1e11 => value / 86_400e3,
            x if x >= 1e8 => value / 86_400.0,
            _ => value,
        })
    };
    days(plain).or_else(number).map_or(f32::NAN, |day| day as f32)
}

/// What is wrong with rows.
#[derive(Default)]
struct Faults {
    rows: u64,
    first: Option<Error>,
    counted: Vec<LeftOut>,
    duplicates: u64,
    first_duplicate: Option<String>,
}

impl Faults {
    fn add(&mut self, error: Error) {
        let flaw = Flaw::of(&error);
        match self.counted.iter_mut().find(|known| known.flaw == flaw) {
            Some(known) => known.rows += 1,
            None => self.counted.push(LeftOut { flaw, rows: 1, first: error.to_string() }),
        }
        // A comparison of an item with itself is how some arenas test voters.
        if flaw != Flaw::SelfComparison {
            self.first.get_or_insert(error);
        }
    }

    /// Whether the table is not what it was taken for.
    fn is_most(&self) -> bool {
        let wrong: u64 =
            self.counted.iter().filter(|one| one.flaw != Flaw::SelfComparison).map(|one| one.rows).sum();
        2 * wrong > self.rows
    }

    fn left_out(mut self) -> Vec<LeftOut> {
        if let Some(place) = self.first_duplicate {
            let first = format!("{place}: the same vote stands further up");
            self.counted.push(LeftOut { flaw: Flaw::Duplicate, rows: self.duplicates, first });
        }
        self.counted.sort_by_key(|one| one.flaw);
        self.counted
    }
}

/// As [`votes_of`], from a file; `-` is standard input.
///
/// # Errors
/// As [`votes_of`].
pub fn read_votes(path: &Path, voting: &Voting<'_>) -> Result<VoteTable, Error> {
    votes_of(Table::open(path)?, voting)
}
