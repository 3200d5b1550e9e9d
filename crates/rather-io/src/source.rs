//! Where the rows of a table come from.

use crate::csv_rows::CsvRows;
use crate::error::Error;
use crate::json_rows::JsonRows;
use crate::matrix::Matrix;
use crate::memory_rows::MemoryRows;
use crate::parquet_rows::ParquetRows;
use crate::place::Position;
use crate::table::{Row, RowId};
use std::path::Path;

/// Rows of a format, one after another.
#[derive(Debug)]
pub(crate) enum Source {
    Csv(CsvRows),
    Parquet(ParquetRows),
    Json(JsonRows),
    Memory(MemoryRows),
    Joined(Box<Joined>),
}

/// A table beside which a matrix stands, row by row.
#[derive(Debug)]
pub(crate) struct Joined {
    table: Source,
    /// Columns of the table.
    width: usize,
    matrix: Matrix,
    next: usize,
}

impl Joined {
    /// The rows of a table of so many columns, each with those of the matrix.
    pub(crate) fn new(table: Source, width: usize, matrix: Matrix) -> Self {
        Self { table, width, matrix, next: 0 }
    }

    fn read(&mut self, path: &Path, row: &mut Row) -> Result<bool, Error> {
        let more = self.table.read(path, self.width, row)?;
        let rows = self.matrix.rows();
        if more != (self.next < rows) {
            let (matrix, table) = (self.matrix.path().to_path_buf(), path.to_path_buf());
            return Err(Error::MatrixRows { matrix, rows, table, more });
        }
        if more {
            self.matrix.row(self.next).for_each(|cell| row.cells.push_field(cell.as_bytes()));
            self.next += 1;
        }
        Ok(more)
    }
}

impl Source {
    /// Reads the next row, of `width` cells; false at the end.
    pub(crate) fn read(&mut self, path: &Path, width: usize, row: &mut Row) -> Result<bool, Error> {
        match self {
            Self::Csv(rows) => rows.read(path, width, row),
            Self::Parquet(rows) => rows.read(path, width, row),
            Self::Json(rows) => rows.read(path, row),
            Self::Memory(rows) => Ok(rows.read(width, row)),
            Self::Joined(rows) => rows.read(path, row),
        }
    }

    /// Fixes the columns whose cells will be looked at.
    pub(crate) fn select(&mut self, path: &Path, header: &[String], columns: &[usize]) -> Result<(), Error> {
        match self {
            Self::Parquet(rows) => rows.select(path, header, columns),
            Self::Joined(rows) => {
                let own: Vec<usize> = columns.iter().copied().filter(|&column| column < rows.width).collect();
                rows.table.select(path, header, &own)
            }
            Self::Json(rows) => {
                rows.select(columns);
                Ok(())
            }
            Self::Csv(_) | Self::Memory(_) => Ok(()),
        }
    }

    /// Goes back to the first row.
    pub(crate) fn rewind(&mut self) {
        match self {
            Self::Csv(rows) => rows.rewind(),
            Self::Parquet(rows) => rows.rewind(),
            Self::Json(rows) => rows.rewind(),
            Self::Memory(rows) => rows.rewind(),
            Self::Joined(rows) => {
                rows.table.rewind();
                rows.next = 0;
            }
        }
    }

    /// Whether semicolons separate cells, so that commas may stand in numbers.
    pub(crate) fn has_semicolons(&self) -> bool {
        match self {
            Self::Csv(rows) => rows.has_semicolons(),
            Self::Joined(rows) => rows.table.has_semicolons(),
            Self::Parquet(_) | Self::Json(_) | Self::Memory(_) => false,
        }
    }

    /// Whether a column is read in no time: in CSV all are, in Parquet those of numbers, dates and short texts.
    pub(crate) fn is_short(&self, column: usize) -> bool {
        match self {
            Self::Csv(_) | Self::Json(_) | Self::Memory(_) => true,
            Self::Parquet(rows) => rows.is_short(column),
            Self::Joined(rows) => column >= rows.width || rows.table.is_short(column),
        }
    }

    /// The position of a row in the file.
    pub(crate) fn position(&self, row: RowId) -> Position {
        match self {
            Self::Csv(rows) => Position::Line(rows.line(row)),
            Self::Parquet(_) => Position::Row(row.0),
            Self::Json(rows) => rows.position(row),
            Self::Memory(rows) => rows.position(row),
            Self::Joined(rows) => rows.table.position(row),
        }
    }
}
