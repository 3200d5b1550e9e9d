//! A table of a file, CSV or Parquet: its header, and its rows one after another.

use crate::csv_rows::CsvRows;
use crate::error::Error;
use crate::file;
use crate::parquet_rows::ParquetRows;
use crate::place::{Cell, Place, Position};
use csv::ByteRecord;
use std::path::{Path, PathBuf};

/// A table whose header has been read, and whose rows have not.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    header: Vec<String>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Csv(CsvRows),
    Parquet(ParquetRows),
}

impl Table {
    /// Opens the table at `path`: Parquet if its name ends in `.parquet`, CSV otherwise, either of them
    /// compressed with gzip if the name ends in `.gz`.
    ///
    /// CSV is that of RFC 4180 in UTF-8, with or without a byte order mark, lines ended by LF or CRLF.
    /// Cells are separated by commas, or by semicolons or tabs if those stand in a header without commas.
    ///
    /// # Errors
    /// If the file cannot be read, is not what its name says, or has no header.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::from_bytes(path, file::read(path)?)
    }

    /// As [`Table::open`], for the bytes of a file that would be called `path`.
    ///
    /// # Errors
    /// If the bytes are not what the name says, or have no header.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, Error> {
        let bytes = file::decompress(path, bytes)?;
        let (header, source) = if file::is_parquet(path) {
            let (header, rows) = ParquetRows::open(path, bytes)?;
            (header, Source::Parquet(rows))
        } else {
            let (header, rows) = CsvRows::open(path, bytes)?;
            (header, Source::Csv(rows))
        };
        Self::with_header(path, header, source)
    }

    /// The table that `bytes` are, as CSV; `name` stands for the file in errors.
    ///
    /// # Errors
    /// If it is not UTF-8, or has no header.
    pub fn of_csv(name: &Path, bytes: Vec<u8>) -> Result<Self, Error> {
        let (header, rows) = CsvRows::open(name, bytes)?;
        Self::with_header(name, header, Source::Csv(rows))
    }

    fn with_header(path: &Path, header: Vec<String>, source: Source) -> Result<Self, Error> {
        if header.is_empty() {
            return Err(Error::EmptyFile { path: path.to_path_buf() });
        }
        Ok(Self { path: path.to_path_buf(), header, source })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the columns, without spaces round them.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The index of the column called `name`; capitals do not matter.
    ///
    /// # Errors
    /// If two columns have this name.
    pub fn column(&self, name: &str) -> Result<Option<usize>, Error> {
        let mut found = (0..self.header.len()).filter(|&i| same_name(&self.header[i], name));
        let first = found.next();
        if found.next().is_some() {
            return Err(Error::DuplicateColumn { path: self.path.clone(), column: name.to_owned() });
        }
        Ok(first)
    }

    /// Whether a column is read in no time: in CSV all are, in Parquet those of numbers, dates and short texts.
    pub(crate) fn is_short(&self, column: usize) -> bool {
        match &self.source {
            Source::Csv(_) => true,
            Source::Parquet(rows) => rows.is_short(column),
        }
    }

    /// The rows, of which only the cells of `columns` will be looked at.
    ///
    /// # Errors
    /// If one of `columns` has a type that has no text form.
    pub fn rows(self, columns: &[usize]) -> Result<Rows, Error> {
        let Self { path, header, mut source } = self;
        if let Source::Parquet(rows) = &mut source {
            rows.select(&path, &header, columns)?;
        }
        Ok(Rows { path, header, source })
    }
}

/// Whether two names of columns mean the same column.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// Where a row stands, in a form that costs nothing to keep: [`Rows::place`] tells it in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowId(pub(crate) u64);

/// One row; its cells are text whatever the file's format, and a missing one is empty.
#[derive(Debug, Default)]
pub struct Row {
    pub(crate) cells: ByteRecord,
    pub(crate) id: RowId,
}

impl Row {
    /// The bytes of a cell without ASCII spaces round them.
    pub fn bytes(&self, column: usize) -> &[u8] {
        self.cells.get(column).unwrap_or_default().trim_ascii()
    }

    /// Where this row stands.
    pub fn id(&self) -> RowId {
        self.id
    }
}

/// The rows of a table.
#[derive(Debug)]
pub struct Rows {
    path: PathBuf,
    header: Vec<String>,
    source: Source,
}

impl Rows {
    /// Reads the next row into `row`; false at the end of the table.
    ///
    /// # Errors
    /// If the row has more or fewer cells than the header, or the file is damaged.
    pub fn read(&mut self, row: &mut Row) -> Result<bool, Error> {
        match &mut self.source {
            Source::Csv(rows) => rows.read(&self.path, self.header.len(), row),
            Source::Parquet(rows) => rows.read(&self.path, self.header.len(), row),
        }
    }

    /// The text of a cell without spaces round it.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub fn text<'r>(&self, row: &'r Row, column: usize) -> Result<&'r str, Error> {
        std::str::from_utf8(row.bytes(column))
            .map(str::trim)
            .map_err(|_| Error::NotUtf8 { cell: self.cell(row.id, column) })
    }

    /// The text of a cell that must not be empty, without spaces round it.
    ///
    /// # Errors
    /// If it is empty or not UTF-8.
    pub fn required<'r>(&self, row: &'r Row, column: usize) -> Result<&'r str, Error> {
        match self.text(row, column)? {
            "" => Err(Error::EmptyCell { cell: self.cell(row.id, column) }),
            text => Ok(text),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The position of a row in the file.
    pub fn position(&self, row: RowId) -> Position {
        match &self.source {
            Source::Csv(rows) => Position::Line(rows.line(row)),
            Source::Parquet(_) => Position::Row(row.0),
        }
    }

    /// The place of a row.
    pub fn place(&self, row: RowId) -> Place {
        Place { path: self.path.clone(), position: self.position(row) }
    }

    /// The place of a cell.
    pub fn cell(&self, row: RowId, column: usize) -> Box<Cell> {
        Box::new(Cell { place: self.place(row), column: self.header[column].clone() })
    }
}
