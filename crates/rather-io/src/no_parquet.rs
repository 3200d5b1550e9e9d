//! In place of `parquet_rows.rs` where the feature `parquet` is off: every Parquet file has its sentence.

use std::path::Path;

use crate::error::Error;
use crate::table::Row;

/// Rows that there are none of.
#[derive(Debug)]
pub(crate) enum ParquetRows {}

impl ParquetRows {
    pub(crate) fn open(path: &Path, _bytes: Vec<u8>) -> Result<(Vec<String>, Self), Error> {
        let source = "this build of rather reads CSV only".into();
        Err(Error::Parquet { path: path.to_path_buf(), source })
    }

    pub(crate) fn is_short(&self, _column: usize) -> bool {
        match *self {}
    }

    pub(crate) fn select(
        &mut self,
        _path: &Path,
        _header: &[String],
        _columns: &[usize],
    ) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn rewind(&mut self) {
        match *self {}
    }

    pub(crate) fn read(&mut self, _path: &Path, _width: usize, _row: &mut Row) -> Result<bool, Error> {
        match *self {}
    }
}
