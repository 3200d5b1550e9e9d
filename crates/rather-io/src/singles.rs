//! Tables of single items of which something is to be predicted.

use crate::error::Error;
use crate::items::ItemTable;
use crate::note::Note;
use crate::reader::ignored_columns;
use crate::table::{Row, Table};

/// Items, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleTable {
    /// The items.
    pub items: Vec<usize>,
    /// Who is asked, a name an item, if the table has a column `user`.
    pub users: Option<Vec<String>>,
    /// What its user should know.
    pub notes: Vec<Note>,
}

/// Reads a table that has a column `item`, and `user` if it says who is asked; gives back one that has no such column.
///
/// # Errors
/// If the table cannot be read or has no row, or if a cell names an unknown item.
pub fn singles_of(mut table: Table, items: &ItemTable) -> Result<Result<SingleTable, Table>, Error> {
    let (Some(item), None) = (table.role("item")?, table.role("left")?) else { return Ok(Err(table)) };
    let user = table.role("user")?;
    let meaningful: Vec<usize> = std::iter::once(item).chain(user).collect();
    let mut notes = table.take_notes();
    notes.extend(ignored_columns(table.path(), table.header(), &meaningful));
    let path = table.path().to_path_buf();
    let mut rows = table.rows(&meaningful)?;
    let (mut row, mut found, mut users) = (Row::default(), Vec::new(), user.map(|_| Vec::new()));
    while rows.read(&mut row)? {
        found.push(items.in_cell(&rows, &row, item)?);
        if let (Some(users), Some(column)) = (&mut users, user) {
            users.push(rows.required(&row, column)?.to_owned());
        }
    }
    if found.is_empty() {
        return Err(Error::NoPairs { path });
    }
    Ok(Ok(SingleTable { items: found, users, notes }))
}
