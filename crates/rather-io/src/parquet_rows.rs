//! Rows of a Parquet file, each value in its text form.

use crate::error::Error;
use crate::limits;
use crate::number;
use crate::table::{Row, RowId};
use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use arrow::error::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaData;
use rather::representation::bytes as bytes_in_words;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

/// Rows that are decoded at a time. A value may stand in a file once and in all of them, so they are not very many.
const BATCH: usize = 1024;
/// Rows that a file may have whatever its size, and for each of its bytes beyond that: runs of the same value take next to no space.
const ROWS: u64 = 1_000_000;
const ROWS_A_BYTE: u64 = 100;

/// The rows: batches of columns, read one after another.
#[derive(Debug)]
pub(crate) struct ParquetRows {
    bytes: bytes::Bytes,
    /// What each column of the header is.
    places: Vec<Place>,
    batches: Option<ParquetRecordBatchReader>,
    /// The current batch, by column of the file; the columns not selected are `None`.
    columns: Vec<Option<Decoded>>,
    /// The columns of the file that a batch has, in its order.
    selected: Vec<usize>,
    next: usize,
    length: usize,
    read: u64,
    /// Bytes of text that were decoded.
    decoded: u64,
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

/// A column of a batch: the text of each value, and where each row's begin if they are lists.
#[derive(Debug)]
struct Decoded {
    texts: StringArray,
    starts: Option<Vec<usize>>,
}

impl ParquetRows {
    /// Reads the names of the columns. Lists have one for each number that the first of them has.
    pub(crate) fn open(path: &Path, bytes: Vec<u8>) -> Result<(Vec<String>, Self), Error> {
        if bytes.is_empty() {
            return Err(Error::EmptyFile { path: path.to_path_buf() });
        }
        let bytes = bytes::Bytes::from(bytes);
        let builder = guarded(path, || ParquetRecordBatchReaderBuilder::try_new(bytes.clone()))?;
        check_size(path, bytes.len(), builder.metadata())?;
        let mut rows = Self {
            bytes,
            places: Vec::new(),
            batches: None,
            columns: Vec::new(),
            selected: Vec::new(),
            next: 0,
            length: 0,
            read: 0,
            decoded: 0,
        };
        let mut header = Vec::new();
        for (column, field) in builder.schema().fields().iter().enumerate() {
            let name = field.name().trim().to_owned();
            let length = match field.data_type() {
                kind if is_list_of_numbers(kind) => guarded(path, || rows.length_of_lists(column))?,
                _ => None,
            };
            let short = is_short(&builder, column);
            match length {
                None => {
                    rows.places.push(Place { column, element: None, short });
                    header.push(name);
                }
                Some(length) => (0..length).for_each(|k| {
                    header.push(format!("{name}_{}", k + 1));
                    rows.places.push(Place { column, element: Some((k, length, name.clone())), short });
                }),
            }
        }
        rows.columns.resize_with(builder.schema().fields().len(), || None);
        Ok((header, rows))
    }

    /// Whether a column is of numbers, dates or short texts, which take no time to read.
    pub(crate) fn is_short(&self, column: usize) -> bool {
        self.places[column].short
    }

    /// How many numbers the first list of a column has.
    fn length_of_lists(&self, column: usize) -> Result<Option<usize>, ArrowError> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(self.bytes.clone())?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), [column]);
        for batch in builder.with_projection(mask).with_batch_size(BATCH).build()? {
            let batch = batch?;
            let lists = batch.column(0);
            if let Some(first) = (0..lists.len()).find(|&row| !lists.is_null(row)) {
                let starts = decoded(lists)?.starts.unwrap_or_default();
                return Ok(starts.get(first + 1).map(|end| end - starts[first]));
            }
        }
        Ok(None)
    }

    /// Fixes the columns to be read.
    pub(crate) fn select(&mut self, path: &Path, header: &[String], columns: &[usize]) -> Result<(), Error> {
        let builder = guarded(path, || ParquetRecordBatchReaderBuilder::try_new(self.bytes.clone()))?;
        for &column in columns {
            let Place { column: of_file, element, .. } = &self.places[column];
            let kind = builder.schema().field(*of_file).data_type();
            if element.is_none() && !has_text_form(kind) {
                let (path, column, kind) = (path.to_path_buf(), header[column].clone(), kind.to_string());
                return Err(Error::ColumnType { path, column, kind });
            }
        }
        // A batch has its columns in the order of the file, whatever that of the projection.
        self.selected = columns.iter().map(|&column| self.places[column].column).collect();
        self.selected.sort_unstable();
        self.selected.dedup();
        let mask = ProjectionMask::roots(builder.parquet_schema(), self.selected.iter().copied());
        let builder = builder.with_projection(mask).with_batch_size(BATCH);
        self.batches = Some(guarded(path, || builder.build())?);
        Ok(())
    }

    /// Forgets what was read, so that columns may be selected again.
    pub(crate) fn rewind(&mut self) {
        self.batches = None;
        self.columns.fill_with(|| None);
        (self.next, self.length, self.read, self.decoded) = (0, 0, 0, 0);
    }

    /// Reads the next row.
    pub(crate) fn read(&mut self, path: &Path, width: usize, row: &mut Row) -> Result<bool, Error> {
        while self.next == self.length {
            if !guarded(path, || self.load())? {
                return Ok(false);
            }
            if self.decoded > limits::expanded(self.bytes.len()) {
                return Err(limits::expands(path, self.bytes.len()));
            }
        }
        row.cells.clear();
        for place in &self.places[..width] {
            let cell = self.columns[place.column].as_ref().map_or(Ok(&b""[..]), |c| c.cell(self.next, place));
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
    fn load(&mut self) -> Result<bool, ArrowError> {
        let Some(batch) = self.batches.as_mut().and_then(Iterator::next).transpose()? else {
            return Ok(false);
        };
        for (&column, values) in self.selected.iter().zip(batch.columns()) {
            let values = decoded(values)?;
            self.decoded += values.texts.value_data().len() as u64;
            self.columns[column] = Some(values);
        }
        (self.next, self.length) = (0, batch.num_rows());
        Ok(true)
    }
}

/// Bytes of a cell on average, encoded, up to which a column counts as one of short texts.
const SHORT: i64 = 40;

/// Whether a column has a text form, and a short one.
fn is_short(builder: &ParquetRecordBatchReaderBuilder<bytes::Bytes>, column: usize) -> bool {
    let (schema, metadata) = (builder.parquet_schema(), builder.metadata());
    let leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == column);
    let groups = metadata.row_groups();
    let size: i64 =
        leaves.map(|leaf| groups.iter().map(|g| g.column(leaf).uncompressed_size()).sum::<i64>()).sum();
    has_text_form(builder.schema().field(column).data_type())
        && size <= metadata.file_metadata().num_rows().saturating_add(1).saturating_mul(SHORT)
}

/// Whether rows and columns are no more than a file of this size may hold, as far as it tells.
fn check_size(path: &Path, file: usize, metadata: &ParquetMetaData) -> Result<(), Error> {
    let rows = metadata.file_metadata().num_rows().max(0) as u64;
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
fn guarded<T, E>(path: &Path, read: impl FnOnce() -> Result<T, E>) -> Result<T, Error>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let fault = |source| Error::Parquet { path: path.to_path_buf(), source };
    match panic::catch_unwind(AssertUnwindSafe(read)) {
        Ok(result) => result.map_err(|error| fault(Box::new(error))),
        Err(_) => Err(fault("the file is damaged".into())),
    }
}

impl Decoded {
    /// The cell of a row; the length of its list if that is not what it should be.
    fn cell(&self, row: usize, place: &Place) -> Result<&[u8], usize> {
        let at = match (&self.starts, &place.element) {
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
        Ok(if self.texts.is_null(at) { b"" } else { self.texts.value(at).as_bytes() })
    }
}

/// The texts of a column's values, or of the numbers of its lists.
fn decoded(values: &ArrayRef) -> Result<Decoded, ArrowError> {
    let (numbers, starts) = match values.data_type() {
        DataType::List(_) => {
            let lists = values.as_list::<i32>();
            (lists.values(), lists.value_offsets().iter().map(|&at| at as usize).collect())
        }
        DataType::LargeList(_) => {
            let lists = values.as_list::<i64>();
            (lists.values(), lists.value_offsets().iter().map(|&at| at as usize).collect())
        }
        DataType::FixedSizeList(_, size) => {
            let lists = values.as_fixed_size_list();
            (lists.values(), (0..=lists.len()).map(|row| row * *size as usize).collect())
        }
        _ => return Ok(Decoded { texts: text(values)?, starts: None }),
    };
    Ok(Decoded { texts: text(numbers)?, starts: Some(starts) })
}

fn is_list_of_numbers(kind: &DataType) -> bool {
    match kind {
        DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) => {
            of.data_type().is_integer() || of.data_type().is_floating()
        }
        _ => false,
    }
}

fn has_text_form(kind: &DataType) -> bool {
    use DataType::{
        Boolean, Date32, Date64, Decimal128, Decimal256, Dictionary, LargeUtf8, Null, Time32, Time64,
        Timestamp, Utf8, Utf8View,
    };
    match kind {
        Dictionary(_, values) => has_text_form(values),
        Null | Boolean | Utf8 | LargeUtf8 | Utf8View => true,
        Decimal128(..) | Decimal256(..) | Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..) => true,
        kind => kind.is_integer() || kind.is_floating(),
    }
}

/// The values as text that reads back as the same values.
fn text(values: &ArrayRef) -> Result<StringArray, ArrowError> {
    match values.data_type() {
        DataType::Dictionary(_, kind) => text(&cast(values, kind)?),
        DataType::Float16 => text(&cast(values, &DataType::Float32)?),
        DataType::Float32 => {
            let values = values.as_primitive::<Float32Type>();
            Ok(values.iter().map(|v| v.map(number::short_text)).collect())
        }
        DataType::Float64 => {
            let values = values.as_primitive::<Float64Type>();
            Ok(values.iter().map(|v| v.map(number::text)).collect())
        }
        _ => Ok(cast(values, &DataType::Utf8)?.as_string::<i32>().clone()),
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
