//! Rows of a Parquet file, each value in its text form.

use crate::error::Error;
use crate::limits;
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
    /// Whether each column is of numbers, dates or short texts.
    short: Vec<bool>,
    batches: Option<ParquetRecordBatchReader>,
    /// The current batch, by column of the header; the columns not selected are `None`.
    columns: Vec<Option<StringArray>>,
    /// The columns of the header that a batch has, in its order.
    selected: Vec<usize>,
    next: usize,
    length: usize,
    read: u64,
    /// Bytes of text that were decoded.
    decoded: u64,
}

impl ParquetRows {
    /// Reads the names of the columns.
    pub(crate) fn open(path: &Path, bytes: Vec<u8>) -> Result<(Vec<String>, Self), Error> {
        if bytes.is_empty() {
            return Err(Error::EmptyFile { path: path.to_path_buf() });
        }
        let bytes = bytes::Bytes::from(bytes);
        let builder = guarded(path, || ParquetRecordBatchReaderBuilder::try_new(bytes.clone()))?;
        check_size(path, bytes.len(), builder.metadata())?;
        let header: Vec<_> =
            builder.schema().fields().iter().map(|field| field.name().trim().to_owned()).collect();
        let columns = vec![None; header.len()];
        let short = (0..header.len()).map(|column| is_short(&builder, column)).collect();
        let selected = Vec::new();
        Ok((
            header,
            Self { bytes, short, batches: None, columns, selected, next: 0, length: 0, read: 0, decoded: 0 },
        ))
    }

    /// Whether a column is of numbers, dates or short texts, which take no time to read.
    pub(crate) fn is_short(&self, column: usize) -> bool {
        self.short[column]
    }

    /// Fixes the columns to be read.
    pub(crate) fn select(&mut self, path: &Path, header: &[String], columns: &[usize]) -> Result<(), Error> {
        let builder = guarded(path, || ParquetRecordBatchReaderBuilder::try_new(self.bytes.clone()))?;
        for &column in columns {
            let kind = builder.schema().field(column).data_type();
            if !has_text_form(kind) {
                let (path, column, kind) = (path.to_path_buf(), header[column].clone(), kind.to_string());
                return Err(Error::ColumnType { path, column, kind });
            }
        }
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
        let builder = builder.with_projection(mask).with_batch_size(BATCH);
        self.batches = Some(guarded(path, || builder.build())?);
        // A batch has its columns in the order of the file, whatever that of the projection.
        self.selected = columns.to_vec();
        self.selected.sort_unstable();
        self.selected.dedup();
        Ok(())
    }

    /// Forgets what was read, so that columns may be selected again.
    pub(crate) fn rewind(&mut self) {
        self.batches = None;
        self.columns.fill(None);
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
        for column in &self.columns[..width] {
            row.cells.push_field(column.as_ref().map_or(b"", |column| cell(column, self.next)));
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
            let values = text(values)?;
            self.decoded += values.value_data().len() as u64;
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

fn cell(column: &StringArray, row: usize) -> &[u8] {
    if column.is_null(row) { b"" } else { column.value(row).as_bytes() }
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
            Ok(values.iter().map(|v| v.map(|v| float(f64::from(v), v))).collect())
        }
        DataType::Float64 => {
            let values = values.as_primitive::<Float64Type>();
            Ok(values.iter().map(|v| v.map(|v| float(v, v))).collect())
        }
        _ => Ok(cast(values, &DataType::Utf8)?.as_string::<i32>().clone()),
    }
}

/// A number as text: whole numbers without a point, since they may be keys.
fn float(value: f64, shortest: impl std::fmt::Debug) -> String {
    /// Every whole number up to here has a float of its own.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= WHOLE { format!("{value:.0}") } else { format!("{shortest:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_back_as_they_were() {
        assert_eq!(float(3.0, 3.0), "3");
        assert_eq!(float(f64::from(0.1f32), 0.1f32), "0.1");
        for v in [1e300, 0.1, -2.5e-7, f64::MAX, 9e15, 1e16] {
            assert_eq!(float(v, v).parse::<f64>().unwrap(), v);
        }
        assert_eq!(float(f64::NAN, f64::NAN), "NaN");
    }

    #[test]
    fn a_file_that_is_not_parquet_is_an_error() {
        let path = Path::new("t.parquet");
        for bytes in [b"a,b\n1,2\n".to_vec(), b"PAR1".to_vec(), vec![0; 64]] {
            assert!(matches!(ParquetRows::open(path, bytes), Err(Error::Parquet { .. })));
        }
        assert!(matches!(ParquetRows::open(path, Vec::new()), Err(Error::EmptyFile { .. })));
    }
}
