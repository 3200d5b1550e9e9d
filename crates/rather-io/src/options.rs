//! Tables of sets of options of which the best and the worst are to be predicted.

use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::numbered;
use crate::note::Note;
use crate::reader::ignored_columns;
use crate::table::{Row, Table};

/// Sets of options, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionTable {
    /// The items of each set.
    pub sets: Vec<Vec<usize>>,
    /// Who is asked, a name a set, if the table has a column `user`.
    pub users: Option<Vec<String>>,
    /// What its user should know.
    pub notes: Vec<Note>,
}

/// The most options of a set.
const MOST: usize = 12;

/// Reads a table that has columns `option_1`, `option_2` and so on, of which the last may be empty, and `user` if it says who is asked; gives back one that
/// has no such columns.
///
/// # Errors
/// If the table cannot be read or has no row, or if a cell names an unknown item, a row an item twice, or fewer than two or more than twelve.
pub fn options_of(mut table: Table, items: &ItemTable) -> Result<Result<OptionTable, Table>, Error> {
    let Some(options) = numbered(&table, "option")? else { return Ok(Err(table)) };
    let user = table.role("user")?;
    let meaningful: Vec<usize> = options.iter().copied().chain(user).collect();
    let mut notes = table.take_notes();
    notes.extend(ignored_columns(table.path(), table.header(), &meaningful));
    let path = table.path().to_path_buf();
    let mut rows = table.rows(&meaningful)?;
    let (mut row, mut sets, mut users) = (Row::default(), Vec::new(), user.map(|_| Vec::new()));
    while rows.read(&mut row)? {
        let mut set = Vec::with_capacity(options.len());
        for &column in options.iter().filter(|&&column| !row.bytes(column).is_empty()) {
            let item = items.in_cell(&rows, &row, column)?;
            if set.contains(&item) {
                let key = items.keys[item].clone();
                return Err(Error::RepeatedItem { place: rows.place(row.id()), key });
            }
            set.push(item);
            if set.len() > MOST {
                break;
            }
        }
        if !(2..=MOST).contains(&set.len()) {
            return Err(Error::Options { place: rows.place(row.id()), found: set.len(), most: MOST });
        }
        sets.push(set);
        if let (Some(users), Some(column)) = (&mut users, user) {
            users.push(rows.required(&row, column)?.to_owned());
        }
    }
    if sets.is_empty() {
        return Err(Error::NoPairs { path });
    }
    Ok(Ok(OptionTable { sets, users, notes }))
}
