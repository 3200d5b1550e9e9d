//! Tables of pairs of items whose comparison is to be predicted.

use crate::context::{ContextReader, Side};
use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::{missing, two_items};
use crate::names::Pair;
use crate::note::Note;
use crate::reader::ignored_columns;
use crate::reader::two_entrants;
use crate::table::{Row, Table};
use crate::teams::Entrants;
use rather::context::{ContextColumn, Sides};
use rather::features::{Column, ColumnValues};
use std::path::{Path, PathBuf};

/// Pairs of items, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    /// The file they come from.
    pub path: PathBuf,
    /// The item on the left and the item on the right, or the winner and the loser.
    pub pairs: Vec<(usize, usize)>,
    /// Who is asked, a name a pair, if the table has a column `user`.
    pub users: Option<Vec<String>>,
    /// The teams, as they are written: pairs number them after the items.
    pub teams: Vec<String>,
    /// The two sides of each pair, one pair after the other, if columns of comparisons were read or teams are compared.
    pub sides: Option<Sides>,
    /// What its user should know.
    pub notes: Vec<Note>,
}

/// Reads a table of pairs of `items`, with columns `left,right` or `winner,loser` or `a,b`, and `user` if the table says who is
/// asked.
///
/// # Errors
/// If the table cannot be read, lacks these columns or has no pair, or if a cell names an unknown item or
/// a row the same item twice.
pub fn read_pairs(path: &Path, items: &ItemTable) -> Result<PairTable, Error> {
    pairs_of(Table::open(path)?, items, &[])
}

/// As [`read_pairs`], of a table that is open, with the columns of comparisons called `context`, where the table has all of them.
///
/// # Errors
/// As [`read_pairs`]; if the table has some of these columns and lacks others.
pub fn pairs_of(mut table: Table, items: &ItemTable, context: &[String]) -> Result<PairTable, Error> {
    let path = table.path().to_path_buf();
    let (columns, by_outcome) = columns(&mut table, items)?;
    let user = table.role("user")?.filter(|column| !columns.contains(column));
    let mut reader = ContextReader::new(&table, context, by_outcome, true)?;
    if let Some(absent) = reader.as_ref().and_then(|reader| reader.first_absent(context)) {
        return Err(missing(&table, absent, "the other columns of comparisons"));
    }
    let in_context = reader.iter().flat_map(ContextReader::places);
    let meaningful: Vec<usize> = columns.into_iter().chain(user).chain(in_context).collect();
    let mut notes = table.take_notes();
    notes.extend(ignored_columns(table.path(), table.header(), &meaningful));
    let sides = columns.map(|column| table.header()[column].clone());
    if by_outcome {
        notes.push(Note::WinnerIsLeft { path: path.clone(), sides });
    }
    let mut rows = table.rows(&meaningful)?;
    let mut numbers = Vec::new();
    let mut entrants = Entrants::new(true);
    let (mut row, mut pairs, mut users) = (Row::default(), Vec::new(), user.map(|_| Vec::new()));
    while rows.read(&mut row)? {
        let [left, right] = two_entrants(items, &mut entrants, &rows, &row, columns)?;
        pairs.push((left, right));
        if let Some(reader) = &mut reader {
            let left = reader.side(&rows, &row, left, Side::First)?;
            let right = reader.side(&rows, &row, right, Side::Second)?;
            numbers.extend([left, right]);
        }
        if let (Some(users), Some(column)) = (&mut users, user) {
            users.push(rows.required(&row, column)?.to_owned());
        }
    }
    if pairs.is_empty() {
        return Err(Error::NoPairs { path });
    }
    let has_columns = reader.is_some();
    let sides = reader.map(|reader| reader.finish(&rows)).transpose()?;
    let teams = entrants.names.clone();
    let sides = entrants.into_sides(items, sides);
    if !has_columns {
        numbers = pairs.iter().flat_map(|&(left, right)| [left, right]).collect();
    }
    let sides = sides.map(|sides| of_pairs(&sides, &numbers));
    Ok(PairTable { path, pairs, users, teams, sides, notes })
}

/// The sides by their numbers, which may occur more than once.
fn of_pairs(sides: &Sides, numbers: &[usize]) -> Sides {
    let values = |values: &ColumnValues| match values {
        ColumnValues::Numeric(all) => ColumnValues::Numeric(numbers.iter().map(|&k| all[k]).collect()),
        ColumnValues::Text(all) => ColumnValues::Text(numbers.iter().map(|&k| all[k].clone()).collect()),
    };
    let column = |c: &ContextColumn| ContextColumn {
        column: Column { name: c.column.name.clone(), values: values(&c.column.values) },
        ..*c
    };
    Sides {
        items: numbers.iter().map(|&k| sides.items[k]).collect(),
        columns: sides.columns.iter().map(column).collect(),
        teams: sides.teams.clone(),
    }
}

/// The columns of the two sides, and whether they are called by what became of them.
fn columns(table: &mut Table, items: &ItemTable) -> Result<([usize; 2], bool), Error> {
    for (pair, by_outcome) in [(Pair::Shown, false), (Pair::Became, true)] {
        if let Some(columns) = two_items(table, items, pair)? {
            return Ok((columns, by_outcome));
        }
    }
    for [here, absent] in [
        ["left", "right"],
        ["right", "left"],
        ["winner", "loser"],
        ["loser", "winner"],
        ["a", "b"],
        ["b", "a"],
    ] {
        if table.exactly(here)?.is_some() {
            return Err(missing(table, absent, here));
        }
    }
    Err(Error::UnknownForm {
        path: table.path().to_path_buf(),
        forms: "left and right, or winner and loser, or a and b",
        found: table.header().to_vec(),
    })
}
