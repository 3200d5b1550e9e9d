//! Tables of comparisons: duels, outcomes and rankings.

use crate::answers::Rankings;
use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::{Form, Layout};
use crate::limits::MOST_OF_RANKINGS;
use crate::note::Note;
use crate::ranking::{self, Budget, Ranked, UNRANKED};
use crate::suggest;
use crate::table::{Row, Rows, Table};
use rather::Comparison;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};

/// "`left` and `right` are equally good", said `count` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tie {
    /// One item.
    pub left: usize,
    /// The other one.
    pub right: usize,
    /// How many times the same answer was given.
    pub count: u32,
}

/// Who said what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserColumn {
    /// The users, in the order of their first answers.
    pub names: Vec<String>,
    /// The user, an index of `names`, of every comparison.
    pub of_comparisons: Vec<u32>,
    /// The user of every tie.
    pub of_ties: Vec<u32>,
}

/// Comparisons of the items of a table, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonTable {
    /// The file they come from.
    pub path: PathBuf,
    /// The answers that prefer one item.
    pub comparisons: Vec<Comparison>,
    /// The answers that prefer none.
    pub ties: Vec<Tie>,
    /// Their users, if the table tells.
    pub users: Option<UserColumn>,
    /// What its user should know.
    pub notes: Vec<Note>,
}

/// Reads a table of comparisons of `items`. Its header tells which of these forms it has, and may name
/// a `user` and a `count` beside:
///
/// | header | row |
/// |---|---|
/// | `winner,loser` | two keys |
/// | `left,right,outcome` | two keys, and `left`, `right`, `tie` or the winner's key |
/// | `left,right,winner` | the same |
/// | `ranking` | `a > b = c > d` |
/// | `rank_1,rank_2,…` | a key each, the best first; the last ones may be empty |
/// | `choice,option_1,option_2,…` | the best of several: one comparison with each of the others |
///
/// A ranking gives one comparison, or one tie, for every two items in it; all rankings together up to
/// [`MOST_OF_RANKINGS`]. How strong a preference is is not kept here
/// ([`read_opinions`](crate::read_opinions) does).
///
/// # Errors
/// If the table cannot be read, has none of these forms or no comparison, or if a cell names an unknown
/// item, an item against itself, a bad outcome or a bad count.
pub fn read_comparisons(path: &Path, items: &ItemTable) -> Result<ComparisonTable, Error> {
    comparisons_of(Table::open(path)?, items)
}

/// As [`read_comparisons`], of a table that is open.
///
/// # Errors
/// As [`read_comparisons`].
pub fn comparisons_of(table: Table, items: &ItemTable) -> Result<ComparisonTable, Error> {
    answers_of(table, items, None, MOST_OF_RANKINGS)
}

/// As [`comparisons_of`], with another limit of the comparisons that all rankings together may stand for.
///
/// # Errors
/// As [`read_comparisons`].
pub fn comparisons_within(
    table: Table,
    items: &ItemTable,
    most_of_rankings: u64,
) -> Result<ComparisonTable, Error> {
    answers_of(table, items, None, most_of_rankings)
}

/// As [`read_comparisons`]; every user that is named must be one of `users`.
///
/// # Errors
/// As [`read_comparisons`], and if a cell names an unknown user.
pub fn read_answers(
    path: &Path,
    items: &ItemTable,
    users: Option<&ItemTable>,
) -> Result<ComparisonTable, Error> {
    answers_of(Table::open(path)?, items, users, MOST_OF_RANKINGS)
}

fn answers_of(
    table: Table,
    items: &ItemTable,
    known: Option<&ItemTable>,
    most_of_rankings: u64,
) -> Result<ComparisonTable, Error> {
    let layout = Layout::of(&table)?;
    if matches!(layout.form, Form::Rating { .. } | Form::Value { .. } | Form::Label { .. }) {
        return Err(Error::NotComparisons { path: table.path().to_path_buf() });
    }
    let columns = layout.columns();
    let mut answers = Answers::new(table.path(), &layout);
    answers.table.notes.extend(ignored_columns(&table, &columns));

    let mut rows = table.rows(&columns)?;
    let (mut row, mut ranking) = (Row::default(), Vec::new());
    let mut budget = Budget::new(most_of_rankings);
    while rows.read(&mut row)? {
        ranking::read(&layout.form, items, &rows, &row, &mut ranking)?;
        budget.take(&rows, &row, &ranking, Rankings::Pairs)?;
        let user = layout.user.map(|column| rows.required(&row, column)).transpose()?;
        if let (Some(users), Some(name), Some(column)) = (known, user, layout.user)
            && users.index(name).is_none()
        {
            return Err(Error::UnknownUser {
                cell: rows.cell(row.id(), column),
                key: name.to_owned(),
                users: users.path.clone(),
                suggestion: suggest::closest(name, &users.keys).map(Box::from),
            });
        }
        let count = layout.count.map_or(Ok(1), |column| read_count(&rows, &row, column))?;
        answers.add(&ranking, user, count);
    }
    answers.finish()
}

/// The note on the columns of `table` that are not among `columns`.
pub(crate) fn ignored_columns(table: &Table, columns: &[usize]) -> Option<Note> {
    let known: FxHashSet<usize> = columns.iter().copied().collect();
    let ignored: Vec<String> = (0..table.header().len())
        .filter(|column| !known.contains(column))
        .map(|column| match table.header()[column].as_str() {
            "" => format!("column {}", column + 1),
            name => name.to_owned(),
        })
        .collect();
    let path = table.path().to_path_buf();
    (!ignored.is_empty()).then_some(Note::IgnoredColumns { path, columns: ignored })
}

pub(crate) fn read_count(rows: &Rows, row: &Row, column: usize) -> Result<u32, Error> {
    let text = rows.required(row, column)?;
    text.parse()
        .ok()
        .filter(|&count| count > 0)
        .ok_or_else(|| Error::NotACount { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

/// The table in the making.
struct Answers {
    table: ComparisonTable,
    user_numbers: FxHashMap<String, u32>,
    short_rankings: u64,
}

impl Answers {
    fn new(path: &Path, layout: &Layout) -> Self {
        let table = ComparisonTable {
            path: path.to_path_buf(),
            comparisons: Vec::new(),
            ties: Vec::new(),
            users: layout.user.map(|_| UserColumn::default()),
            notes: Vec::new(),
        };
        Self { table, user_numbers: FxHashMap::default(), short_rankings: 0 }
    }

    /// Adds every pair of a row's items.
    fn add(&mut self, ranking: &[Ranked], user: Option<&str>, count: u32) {
        if ranking.len() < 2 {
            self.short_rankings += 1;
            return;
        }
        let ComparisonTable { comparisons, ties, users, .. } = &mut self.table;
        for (i, upper) in ranking.iter().enumerate() {
            for lower in &ranking[i + 1..] {
                if upper.tier == UNRANKED {
                    continue;
                }
                if upper.tier == lower.tier {
                    ties.push(Tie { left: upper.item, right: lower.item, count });
                } else {
                    comparisons.push(Comparison { winner: upper.item, loser: lower.item, count });
                }
            }
        }
        if let (Some(users), Some(name)) = (users, user) {
            let number = number_of_user(&mut self.user_numbers, &mut users.names, name);
            users.of_comparisons.resize(comparisons.len(), number);
            users.of_ties.resize(ties.len(), number);
        }
    }

    fn finish(self) -> Result<ComparisonTable, Error> {
        let mut table = self.table;
        if table.comparisons.is_empty() && table.ties.is_empty() {
            return Err(Error::NoComparisons { path: table.path });
        }
        if self.short_rankings > 0 {
            let path = table.path.clone();
            table.notes.push(Note::ShortRankings { path, rankings: self.short_rankings });
        }
        Ok(table)
    }
}

/// The number of the user called `name`, a new one if the name is new.
pub(crate) fn number_of_user(
    numbers: &mut FxHashMap<String, u32>,
    names: &mut Vec<String>,
    name: &str,
) -> u32 {
    if let Some(&number) = numbers.get(name) {
        return number;
    }
    let number = names.len() as u32;
    names.push(name.to_owned());
    numbers.insert(name.to_owned(), number);
    number
}
