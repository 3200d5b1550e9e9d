//! Rows of a Parquet file, each value in its text form.

use crate::error::Error;
use crate::limits;
use crate::parquet_column::{Column, Values, columns, damaged};
use crate::table::{Row, RowId};
use bytes::Bytes;
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use rather::representation::bytes as bytes_in_words;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

/// Rows that are decoded at a time. A value may stand in a file once and in all of them, so they are not very many.
const BATCH: usize = 1024;
/// Rows that a file may have whatever its size, and for each of its bytes beyond that: runs of the same value take next to no space.
const ROWS: u64 = 1_000_000;
const ROWS_A_BYTE: u64 = 100;

/// The rows: batches of columns, read one after another.
pub(crate) struct ParquetRows {
    file: SerializedFileReader<Bytes>,
    /// Bytes of the file.
    size: usize,
    columns: Vec<Column>,
    /// What each column of the header is.
    places: Vec<Place>,
    /// The columns of the file to be read, in its order.
    selected: Vec<usize>,
    group: Option<Group>,
    /// The next of the groups of rows that the file is made of.
    next_group: usize,
    /// The current batch, by column of the file; those not selected are `None`.
    batch: Vec<Option<Values>>,
    next: usize,
    length: usize,
    read: u64,
    /// Bytes of text that were decoded.
    decoded: u64,
}

/// A group of rows that is being read: readers of the selected columns, and rows that are left.
struct Group {
    readers: Vec<ColumnReader>,
    left: usize,
}

/// A column of the header: one of the file, or one number of its lists.
#[derive(Debug, Clone)]
struct Place {
    column: usize,
    /// Which number of how many, and what the lists are called.
    element: Option<(usize, usize, String)>,
    /// Whether it is of numbers, dates or short texts.
    short: bool,
}

impl fmt::Debug for ParquetRows {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ParquetRows").field("columns", &self.columns).field("read", &self.read).finish()
    }
}

impl ParquetRows {
    /// Reads the names of the columns. Lists have one for each number that the first of them has.
    pub(crate) fn open(path: &Path, bytes: Vec<u8>) -> Result<(Vec<String>, Self), Error> {
        if bytes.is_empty() {
            return Err(Error::EmptyFile { path: path.to_path_buf() });
        }
        let size = bytes.len();
        let file = guarded(path, || SerializedFileReader::new(Bytes::from(bytes)))?;
        check_size(path, size, file.metadata())?;
        let columns = guarded(path, || Ok(columns(file.metadata().file_metadata().schema_descr())))?;
        let mut rows = Self {
            file,
            size,
            places: Vec::new(),
            selected: Vec::new(),
            group: None,
            next_group: 0,
            batch: Vec::new(),
            next: 0,
            length: 0,
            read: 0,
            decoded: 0,
            columns,
        };
        let mut header = Vec::new();
        for place in 0..rows.columns.len() {
            let column = &rows.columns[place];
            let length = match column.is_list_of_numbers() {
                true => guarded(path, || rows.length_of_lists(column))?,
                false => None,
            };
            let (name, short) = (&column.name, rows.is_of_short(column));
            match length {
                None => {
                    header.push(name.clone());
                    rows.places.push(Place { column: place, element: None, short });
                }
                Some(length) => (0..length).for_each(|k| {
                    header.push(format!("{name}_{}", k + 1));
                    rows.places.push(Place {
                        column: place,
                        element: Some((k, length, name.clone())),
                        short,
                    });
                }),
            }
        }
        rows.rewind();
        Ok((header, rows))
    }

    /// Whether a column is of numbers, dates or short texts, which take no time to read.
    pub(crate) fn is_short(&self, column: usize) -> bool {
        self.places[column].short
    }

    /// Whether a column of the file has a text form, and a short one.
    fn is_of_short(&self, column: &Column) -> bool {
        let metadata = self.file.metadata();
        let groups = metadata.row_groups();
        let of_leaf = |leaf: usize| groups.iter().map(|g| g.column(leaf).uncompressed_size()).sum::<i64>();
        let size = column.leaves().map(of_leaf).fold(0, i64::saturating_add);
        let rows = metadata.file_metadata().num_rows();
        column.has_text_form() && size <= rows.saturating_add(1).saturating_mul(SHORT)
    }

    /// How many numbers the first list of a column has.
    fn length_of_lists(&self, column: &Column) -> Result<Option<usize>, ParquetError> {
        for group in 0..self.file.num_row_groups() {
            let Group { mut readers, mut left } = self.group(group, [column].into_iter())?;
            while left > 0 {
                let rows = left.min(BATCH);
                left -= rows;
                let starts = column.read(&mut readers[0], rows)?.starts.unwrap_or_default();
                let length = starts.windows(2).map(|ends| ends[1] - ends[0]).find(|&length| length > 0);
                if length.is_some() {
                    return Ok(length);
                }
            }
        }
        Ok(None)
    }

    /// A group of rows from its beginning.
    fn group<'a>(
        &self,
        group: usize,
        columns: impl Iterator<Item = &'a Column>,
    ) -> Result<Group, ParquetError> {
        let group = self.file.get_row_group(group)?;
        let left = usize::try_from(group.metadata().num_rows());
        let left = left.map_err(|_| damaged("a group has no number of rows"))?;
        let readers =
            columns.map(|column| group.get_column_reader(column.leaves().start)).collect::<Result<_, _>>()?;
        Ok(Group { readers, left })
    }

    /// Fixes the columns to be read.
    pub(crate) fn select(&mut self, path: &Path, header: &[String], columns: &[usize]) -> Result<(), Error> {
        for &column in columns {
            let Place { column: of_file, element, .. } = &self.places[column];
            let Column { kind, .. } = &self.columns[*of_file];
            if element.is_none() && !self.columns[*of_file].has_text_form() {
                let (path, column, kind) = (path.to_path_buf(), header[column].clone(), kind.clone());
                return Err(Error::ColumnType { path, column, kind });
            }
        }
        self.selected = columns.iter().map(|&column| self.places[column].column).collect();
        self.selected.sort_unstable();
        self.selected.dedup();
        self.rewind();
        Ok(())
    }

    /// Forgets what was read, so that columns may be selected again.
    pub(crate) fn rewind(&mut self) {
        (self.group, self.next_group) = (None, 0);
        self.batch.clear();
        self.batch.resize_with(self.columns.len(), || None);
        (self.next, self.length, self.read, self.decoded) = (0, 0, 0, 0);
    }

    /// Reads the next row.
    pub(crate) fn read(&mut self, path: &Path, width: usize, row: &mut Row) -> Result<bool, Error> {
        while self.next == self.length {
            if !guarded(path, || self.load())? {
                return Ok(false);
            }
            if self.decoded > limits::expanded(self.size) {
                return Err(limits::expands(path, self.size));
            }
        }
        row.cells.clear();
        for place in &self.places[..width] {
            let cell = self.batch[place.column]
                .as_ref()
                .map_or(Ok(&b""[..]), |values| place.cell(values, self.next));
            let cell = cell.map_err(|found| {
                let (expected, column) = place.element.clone().map_or((0, String::new()), |e| (e.1, e.2));
                Error::ListLength { path: path.to_path_buf(), column, row: self.read + 1, found, expected }
            })?;
            row.cells.push_field(cell);
        }
        self.next += 1;
        self.read += 1;
        row.id = RowId(self.read);
        Ok(true)
    }

    /// Reads the next batch; false if there is none.
    fn load(&mut self) -> Result<bool, ParquetError> {
        while self.group.as_ref().is_none_or(|group| group.left == 0) {
            if self.next_group == self.file.num_row_groups() {
                return Ok(false);
            }
            let selected = self.selected.iter().map(|&column| &self.columns[column]);
            self.group = Some(self.group(self.next_group, selected)?);
            self.next_group += 1;
        }
        let Some(group) = &mut self.group else { return Ok(false) };
        let rows = group.left.min(BATCH);
        group.left -= rows;
        for (&column, reader) in self.selected.iter().zip(&mut group.readers) {
            let values = self.columns[column].read(reader, rows)?;
            self.decoded += values.bytes() as u64;
            self.batch[column] = Some(values);
        }
        (self.next, self.length) = (0, rows);
        Ok(true)
    }
}

impl Place {
    /// The cell of a row; the length of its list if that is not what it should be.
    fn cell<'a>(&self, values: &'a Values, row: usize) -> Result<&'a [u8], usize> {
        let at = match (&values.starts, &self.element) {
            (Some(starts), Some((k, expected, _))) => {
                let (start, length) = (starts[row], starts[row + 1] - starts[row]);
                match length {
                    // A list that is missing has no numbers.
                    0 => return Ok(b""),
                    _ if length == *expected => start + k,
                    _ => return Err(length),
                }
            }
            _ => row,
        };
        Ok(values.text(at))
    }
}

/// Bytes of a cell on average, encoded, up to which a column counts as one of short texts.
const SHORT: i64 = 40;

/// Whether rows and columns are no more than a file of this size may hold, as far as it tells.
fn check_size(path: &Path, file: usize, metadata: &ParquetMetaData) -> Result<(), Error> {
    let of_groups = metadata.row_groups().iter().map(|group| group.num_rows().max(0) as u64);
    let rows = of_groups.fold(0, u64::saturating_add).max(metadata.file_metadata().num_rows().max(0) as u64);
    let limit = ROWS.max(ROWS_A_BYTE.saturating_mul(file as u64));
    if rows > limit {
        let (what, limit, file) =
            (format!("{rows} rows"), format!("{limit} rows"), bytes_in_words(file as u64));
        return Err(Error::ExpandingTable { path: path.to_path_buf(), what, limit, file });
    }
    let columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    let plain = columns.map(|column| column.uncompressed_size().max(0) as u64).fold(0, u64::saturating_add);
    if plain > limits::expanded(file) { Err(limits::expands(path, file)) } else { Ok(()) }
}

/// The result of a function of the Parquet library, which panics on some damaged files. What it was working
/// on is not used again after an error.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Error> {
    let fault = |source| Error::Parquet { path: path.to_path_buf(), source };
    match panic::catch_unwind(AssertUnwindSafe(read)) {
        Ok(result) => result.map_err(|error| fault(Box::new(error))),
        Err(_) => Err(fault("the file is damaged".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_parquet_is_an_error() {
        let path = Path::new("t.parquet");
        for bytes in [b"a,b\n1,2\n".to_vec(), b"PAR1".to_vec(), vec![0; 64]] {
            assert!(matches!(ParquetRows::open(path, bytes), Err(Error::Parquet { .. })));
        }
        assert!(matches!(ParquetRows::open(path, Vec::new()), Err(Error::EmptyFile { .. })));
    }
}
