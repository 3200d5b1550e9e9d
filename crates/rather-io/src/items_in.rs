//! The items that a table of answers names, where there is no table of items.

use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::Layout;
use crate::long;
use crate::table::Table;
use crate::votes::names_in;

/// The table of items that a table of answers implies, with roles for its columns as [`Table::with_roles`] takes them: the items by the keys that are
/// named, without features; or, of choices with a row an option and columns of attributes, everything that has the same attributes, with these.
///
/// # Errors
/// If the answers are of no form that [`answers_of`](crate::answers_of) knows; [`Table::with_roles`].
///
/// # Examples
/// ```
/// use rather_io::{Reading, Table, answers_of, items_in, items_of};
///
/// let csv = "respondent,task,chosen,price,size\n1,1,0,10,s\n1,1,1,20,l\n1,2,1,15,s\n1,2,0,20,l\n";
/// let table = || Table::of_csv("choices.csv".as_ref(), csv.as_bytes().to_vec());
/// let items = items_of(items_in(table()?, &[])?, &Default::default())?;
/// assert_eq!(items.keys, ["10, s", "20, l", "15, s"]);
/// assert_eq!(answers_of(table()?, &items, &Reading::ANY)?.users, ["1"]);
/// # Ok::<(), rather_io::Error>(())
/// ```
pub fn items_in(table: Table, roles: &[(String, String)]) -> Result<Table, Error> {
    let mut table = table.with_roles(roles)?;
    if let Some(options) = long::options_in(&mut table)? {
        return Ok(options);
    }
    let path = table.path().to_path_buf();
    let nothing = ItemTable::new(path.clone(), "item".to_owned(), Vec::new(), Vec::new())?;
    let layout = Layout::of(&mut table, &nothing)?;
    let mut csv = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = csv.write_record(["item"]);
    names_in(&mut table, &layout.form).into_iter().for_each(|name| {
        let _ = csv.write_record([name]);
    });
    Table::of_csv(&path, csv.into_inner().unwrap_or_default())
}
