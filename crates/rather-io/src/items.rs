//! Tables of items: a key each, and features.

use crate::error::Error;
use crate::number::{self, Fault};
use crate::place::{Cell, Position};
use crate::suggest;
use crate::table::{Row, RowId, Rows, Table, same_name};
use rather::features::{Column, ColumnValues};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// How a table of items is to be read.
#[derive(Debug, Clone, Default)]
pub struct ItemOptions {
    /// Columns to read as categories, be they numbers or not.
    pub categorical: Vec<String>,
}

/// Items and their features.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemTable {
    /// The file they come from.
    pub path: PathBuf,
    /// The key of every item.
    pub keys: Vec<String>,
    /// The name of the column of keys.
    pub key_name: String,
    /// The features, one value an item.
    pub columns: Vec<Column>,
    /// The items by the bytes of their keys.
    index: FxHashMap<Box<[u8]>, usize>,
}

impl ItemTable {
    /// Items that were not read from a table but, say, from the model file `path`.
    ///
    /// # Errors
    /// If two items have the same key.
    pub fn new(
        path: PathBuf,
        key_name: String,
        keys: Vec<String>,
        columns: Vec<Column>,
    ) -> Result<Self, Error> {
        let index = index(&keys, |i| Position::Row(i as u64 + 1), &path)?;
        Ok(Self { path, keys, key_name, columns, index })
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The item with this key.
    pub fn index(&self, key: &str) -> Option<usize> {
        self.index.get(key.as_bytes()).copied()
    }

    /// The item whose key is in a cell. The usual case does not even look whether it is UTF-8.
    pub(crate) fn in_cell(&self, rows: &Rows, row: &Row, column: usize) -> Result<usize, Error> {
        match self.index.get(row.bytes(column)) {
            Some(&item) => Ok(item),
            None => self.called(rows.required(row, column)?, || rows.cell(row.id(), column)),
        }
    }

    /// The item with this key, which stands in `cell`.
    pub(crate) fn called(&self, key: &str, cell: impl Fn() -> Box<Cell>) -> Result<usize, Error> {
        self.index(key).ok_or_else(|| Error::UnknownItem {
            cell: cell(),
            key: key.to_owned(),
            items: self.path.clone(),
            suggestion: suggest::closest(key, &self.keys).map(Box::from),
        })
    }
}

/// Reads a table of items: the first column is the key, every other one a feature.
///
/// A feature is numeric if all its cells are numbers, or all are `true` or `false` (1 and 0). If at least
/// half of the cells are numbers, the others are errors; else the feature is categorical.
///
/// # Errors
/// If the table cannot be read, has no items, lacks a value, repeats a key or a column's name, or has
/// a number that is not finite or above 1e150.
pub fn read_items(path: &Path, options: &ItemOptions) -> Result<ItemTable, Error> {
    items_of(Table::open(path)?, options)
}

/// The same for CSV that is in memory; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_items`].
///
/// # Examples
/// ```
/// let items = rather_io::items_from_csv("teas.csv".as_ref(), b"tea,price\nAssam,4.5\nOolong,7\n", &Default::default())?;
/// assert_eq!(items.keys, ["Assam", "Oolong"]);
/// # Ok::<(), rather_io::Error>(())
/// ```
pub fn items_from_csv(name: &Path, csv: &[u8], options: &ItemOptions) -> Result<ItemTable, Error> {
    items_of(Table::of_csv(name, csv.to_vec())?, options)
}

/// As [`read_items`], of a table that is open.
///
/// # Errors
/// As [`read_items`].
pub fn items_of(table: Table, options: &ItemOptions) -> Result<ItemTable, Error> {
    let path = table.path().to_path_buf();
    check_names(&table)?;
    let categorical = categorical(&table, options)?;
    let all: Vec<usize> = (0..table.header().len()).collect();
    let mut rows = table.rows(&all)?;
    let Cells { rows: ids, keys, features } = read_cells(&mut rows)?;

    let columns = features
        .into_iter()
        .zip(1..)
        .map(|(cells, column)| {
            let values = if categorical[column] {
                ColumnValues::Text(cells)
            } else {
                infer(cells, |i| rows.cell(ids[i], column))?
            };
            Ok(Column { name: rows.header()[column].clone(), values })
        })
        .collect::<Result<_, Error>>()?;

    let index = index(&keys, |i| rows.position(ids[i]), &path)?;
    let key_name = rows.header()[0].clone();
    Ok(ItemTable { path, keys, key_name, columns, index })
}

/// Every feature has a name of its own. The key may go without: some programs write it so.
fn check_names(table: &Table) -> Result<(), Error> {
    let mut seen: FxHashMap<String, &str> = FxHashMap::default();
    for (i, name) in table.header().iter().enumerate() {
        if name.is_empty() && i > 0 {
            return Err(Error::UnnamedColumn { path: table.path().to_path_buf(), number: i + 1 });
        }
        if name.is_empty() {
            continue;
        }
        if let Some(first) = seen.insert(name.to_lowercase(), name) {
            return Err(Error::DuplicateColumn {
                path: table.path().to_path_buf(),
                column: first.to_owned(),
            });
        }
    }
    Ok(())
}

/// Which columns are to be read as categories.
fn categorical(table: &Table, options: &ItemOptions) -> Result<Vec<bool>, Error> {
    let header = table.header();
    let mut chosen = vec![false; header.len()];
    for name in &options.categorical {
        let feature = (1..header.len()).find(|&i| same_name(&header[i], name.trim()));
        let Some(feature) = feature else {
            return Err(Error::UnknownColumn {
                path: table.path().to_path_buf(),
                column: name.clone(),
                known: header[1..].to_vec(),
            });
        };
        chosen[feature] = true;
    }
    Ok(chosen)
}

/// The cells of a table, column by column.
#[derive(Default)]
struct Cells {
    rows: Vec<RowId>,
    keys: Vec<String>,
    features: Vec<Vec<String>>,
}

fn read_cells(rows: &mut Rows) -> Result<Cells, Error> {
    let features = vec![Vec::new(); rows.header().len() - 1];
    let mut cells = Cells { features, ..Cells::default() };
    let mut row = Row::default();
    while rows.read(&mut row)? {
        cells.rows.push(row.id());
        cells.keys.push(rows.required(&row, 0)?.to_owned());
        for (feature, column) in cells.features.iter_mut().zip(1..) {
            feature.push(rows.required(&row, column)?.to_owned());
        }
    }
    if cells.keys.is_empty() {
        return Err(Error::NoItems { path: rows.path().to_path_buf() });
    }
    Ok(cells)
}

fn index(
    keys: &[String],
    position: impl Fn(usize) -> Position,
    path: &Path,
) -> Result<FxHashMap<Box<[u8]>, usize>, Error> {
    let mut index = FxHashMap::default();
    for (i, key) in keys.iter().enumerate() {
        if let Some(first) = index.insert(Box::from(key.as_bytes()), i) {
            let place = crate::Place { path: path.to_path_buf(), position: position(i) };
            return Err(Error::DuplicateKey { place, first: position(first), key: key.clone() });
        }
    }
    Ok(index)
}

/// The values of a feature, of the type that its cells have.
fn infer(cells: Vec<String>, cell: impl Fn(usize) -> Box<Cell>) -> Result<ColumnValues, Error> {
    let truths: Option<Vec<f64>> =
        cells.iter().map(|text| number::parse_bool(text).map(|b| f64::from(u8::from(b)))).collect();
    if let Some(truths) = truths {
        return Ok(ColumnValues::Numeric(truths));
    }
    let numbers = cells.iter().filter(|text| number::is_number(text)).count();
    if 2 * numbers < cells.len() {
        return Ok(ColumnValues::Text(cells));
    }
    let number = |(i, text): (usize, &String)| {
        number::parse(text).map_err(|fault| number_error(fault, cell(i), text.clone()))
    };
    cells.iter().enumerate().map(number).collect::<Result<_, _>>().map(ColumnValues::Numeric)
}

fn number_error(fault: Fault, cell: Box<Cell>, value: String) -> Error {
    match fault {
        Fault::Text => Error::NotANumber { cell, value },
        Fault::NaN => Error::NaN { cell, value },
        Fault::Infinite => Error::Infinite { cell, value },
        Fault::TooLarge => Error::TooLarge { cell, value },
    }
}
