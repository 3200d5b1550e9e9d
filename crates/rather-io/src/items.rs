//! Tables of items: a key each, and features.

use crate::error::Error;
use crate::names;
use crate::note::Note;
use crate::number::{self, Fault};
use crate::place::{Cell, Position};
use crate::suggest;
use crate::table::{Row, RowId, Rows, Table, same_name};
use crate::told::{ColumnTold, ReadAs};
use crate::written;
use rather::features::{Column, ColumnValues};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// How a table of items is to be read.
#[derive(Debug, Clone, Default)]
pub struct ItemOptions {
    /// Columns to read as categories, be they numbers or not.
    pub categorical: Vec<String>,
    /// Whether a missing value (an empty cell, `NA`, `NaN`, `null`) is an error. Else a number is NaN, for which the model takes the mean, and
    /// a category is a level of its own, [`MISSING`].
    pub complete: bool,
}

/// The level of a category that is missing.
pub const MISSING: &str = "missing";

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
    /// How each of them was read.
    pub told: Vec<ColumnTold>,
    /// What its user should know.
    pub notes: Vec<Note>,
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
        Ok(Self { path, keys, key_name, columns, told: Vec::new(), notes: Vec::new(), index })
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

    /// The names of its columns, the key's first.
    pub(crate) fn header(&self) -> Vec<String> {
        let names = self.columns.iter().map(|column| column.name.clone());
        std::iter::once(self.key_name.clone()).chain(names).collect()
    }

    /// Whether these bytes are the key of an item.
    pub(crate) fn has(&self, key: &[u8]) -> bool {
        self.index.contains_key(key)
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
        self.index(key).ok_or_else(|| {
            if key == self.key_name {
                // The first item was taken for the header.
                return Error::NoHeader {
                    path: self.path.clone(),
                    found: self.header(),
                    header: "item,price",
                };
            }
            Error::UnknownItem {
                cell: cell(),
                key: key.to_owned(),
                items: self.path.clone(),
                suggestion: suggest::closest(key, &self.keys).map(Box::from),
            }
        })
    }
}

/// Reads a table of items: the first column is the key, every other one a feature. A first column without a name that counts 0, 1, 2 and so on, as
/// pandas writes it, is left out if the second one has a text for every item.
///
/// A feature is numeric if all its cells are numbers, or all are `true` or `false` (1 and 0), or dates (days since 1970-01-01), or numbers with
/// decimal commas, separated thousands, percent or currency signs. If at least half of the cells are numbers, the others are errors; else the
/// feature is categorical. A missing value is NaN or [`MISSING`]. [`ItemTable::told`] says how each was read.
///
/// # Errors
/// If the table cannot be read, has no items, lacks a key, repeats a key or a column's name, or has
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
pub fn items_of(mut table: Table, options: &ItemOptions) -> Result<ItemTable, Error> {
    let path = table.path().to_path_buf();
    check_names(&table)?;
    let categorical = categorical(&table, options)?;
    let key = usize::from(is_counted(&mut table));
    let semicolons = table.has_semicolons();
    let all: Vec<usize> = (key..table.header().len()).collect();
    let mut notes = table.take_notes();
    let mut rows = table.rows(&all)?;
    let Cells { rows: ids, keys, features } = read_cells(&mut rows, key)?;
    let header = rows.header().to_vec();
    let index = match index(&keys, |i| rows.position(ids[i]), &path) {
        Err(_) if names::are_of_answers(&header) => return Err(Error::Exchanged { path, found: header }),
        index => index?,
    };
    if key > 0 {
        notes.push(Note::CountedRows { path: path.clone(), key: header[key].clone() });
    }
    let (mut columns, mut told) = (Vec::new(), Vec::new());
    for (cells, column) in features.into_iter().zip(key + 1..) {
        let name = header[column].clone();
        let (values, read_as, missing) = if categorical[column] {
            let missing = cells.iter().filter(|cell| !options.complete && is_missing(cell)).count();
            (ColumnValues::Text(named(cells, options)), ReadAs::Categories, missing)
        } else {
            infer(cells, options, semicolons, |i| rows.cell(ids[i], column))?
        };
        if is_counter(&name, &values) {
            notes.push(Note::CountedItems { path: path.clone(), column: name.clone() });
        }
        let as_read = ColumnTold::new(&name, &values, read_as, missing);
        if !as_read.alike.is_empty() {
            let (path, column, alike) = (path.clone(), name.clone(), as_read.alike.clone());
            notes.push(Note::AlikeCategories { path, column, alike });
        }
        told.push(as_read);
        columns.push(Column { name, values });
    }
    Ok(ItemTable { path, keys, key_name: header[key].clone(), columns, told, notes, index })
}

/// Whether the first column has no name and counts the rows from 0, and the second has a different text in each: the index of a data frame.
fn is_counted(table: &mut Table) -> bool {
    let header = table.header();
    let unnamed = header[0].is_empty() || header[0] == "Unnamed: 0";
    if !unnamed || header.len() < 2 {
        return false;
    }
    let (mut next, mut counted, mut texts) = (0_u64, true, FxHashMap::default());
    table.scan(&[0, 1], |row| {
        let (first, second) = (row.bytes(0), row.bytes(1));
        let text = std::str::from_utf8(second).is_ok_and(|text| !text.is_empty() && !number::is_number(text));
        counted = first == next.to_string().as_bytes() && text && texts.insert(second.to_vec(), ()).is_none();
        next += 1;
        counted
    });
    counted && next > 0
}

/// Whether a column is a number of the item: whole numbers, all different, in a column called so.
fn is_counter(name: &str, values: &ColumnValues) -> bool {
    let name = names::plain(name);
    let called = ["id", "index", "key", "no", "nr", "number", "row", "sku", "code", "unnamed: 0"]
        .contains(&name.as_str())
        || name.ends_with("_id");
    let ColumnValues::Numeric(numbers) = values else { return false };
    if !called || numbers.len() < 3 || numbers.iter().any(|x| x.fract() != 0.0) {
        return false;
    }
    let mut sorted = numbers.clone();
    sorted.sort_by(f64::total_cmp);
    sorted.windows(2).all(|pair| pair[0] < pair[1])
}

/// Whether a cell says that there is no value.
fn is_missing(cell: &str) -> bool {
    matches!(cell, "" | "NA" | "N/A" | "n/a" | "#N/A" | "NaN" | "nan" | "NULL" | "null")
}

/// Categories, with a name for those that are missing.
fn named(mut cells: Vec<String>, options: &ItemOptions) -> Vec<String> {
    if !options.complete {
        cells.iter_mut().filter(|cell| is_missing(cell)).for_each(|cell| MISSING.clone_into(cell));
    }
    cells
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

fn read_cells(rows: &mut Rows, key: usize) -> Result<Cells, Error> {
    let features = vec![Vec::new(); rows.header().len() - 1 - key];
    let mut cells = Cells { features, ..Cells::default() };
    let mut row = Row::default();
    while rows.read(&mut row)? {
        cells.rows.push(row.id());
        cells.keys.push(rows.required(&row, key)?.to_owned());
        for (feature, column) in cells.features.iter_mut().zip(key + 1..) {
            feature.push(rows.text(&row, column)?.to_owned());
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

/// The values of a feature, of the type that its cells have; how they were read, and how many are missing.
fn infer(
    cells: Vec<String>,
    options: &ItemOptions,
    semicolons: bool,
    cell: impl Fn(usize) -> Box<Cell>,
) -> Result<(ColumnValues, ReadAs, usize), Error> {
    if options.complete
        && let Some(empty) = cells.iter().position(String::is_empty)
    {
        return Err(Error::EmptyCell { cell: cell(empty) });
    }
    let known: Vec<usize> =
        (0..cells.len()).filter(|&i| options.complete || !is_missing(&cells[i])).collect();
    let missing = cells.len() - known.len();
    let texts: Vec<&str> = known.iter().map(|&i| cells[i].as_str()).collect();
    let numeric = |values: Vec<f64>| {
        let mut all = vec![f64::NAN; cells.len()];
        known.iter().zip(values).for_each(|(&i, value)| all[i] = value);
        ColumnValues::Numeric(all)
    };
    let truth = |text: &&str| number::parse_bool(text).map(|b| f64::from(u8::from(b)));
    if let Some(truths) =
        texts.iter().map(truth).collect::<Option<Vec<_>>>().filter(|truths| !truths.is_empty())
    {
        return Ok((numeric(truths), ReadAs::TrueFalse, missing));
    }
    let numbers = texts.iter().filter(|text| number::is_number(text)).count();
    if numbers < texts.len()
        && let Some((values, written)) = written::numbers(&texts, semicolons)
    {
        return Ok((numeric(values), ReadAs::Numbers(written), missing));
    }
    if 2 * numbers < texts.len() {
        return Ok((ColumnValues::Text(named(cells, options)), ReadAs::Categories, missing));
    }
    let number =
        |&i: &usize| number::parse(&cells[i]).map_err(|fault| number_error(fault, cell(i), cells[i].clone()));
    let values = known.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    Ok((numeric(values), ReadAs::Numbers(written::Written::Plain), missing))
}

fn number_error(fault: Fault, cell: Box<Cell>, value: String) -> Error {
    match fault {
        Fault::Text => Error::NotANumber { cell, value },
        Fault::NaN => Error::NaN { cell, value },
        Fault::Infinite => Error::Infinite { cell, value },
        Fault::TooLarge => Error::TooLarge { cell, value },
    }
}
