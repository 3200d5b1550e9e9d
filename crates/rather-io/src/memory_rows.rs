//! Rows that are all in memory, of formats that are read at once.

use crate::table::{Row, RowId};
use csv::ByteRecord;

/// The rows, each with its line.
#[derive(Debug)]
pub(crate) struct MemoryRows {
    rows: Vec<(u64, Vec<String>)>,
    next: usize,
}

impl MemoryRows {
    /// Rows with the line of each.
    pub(crate) fn new(rows: Vec<(u64, Vec<String>)>) -> Self {
        Self { rows, next: 0 }
    }

    /// Reads the next row; cells that it lacks at its end are empty.
    pub(crate) fn read(&mut self, width: usize, row: &mut Row) -> bool {
        let Some((line, cells)) = self.rows.get(self.next) else { return false };
        self.next += 1;
        row.cells = ByteRecord::from_iter(cells.iter().map(String::as_str));
        (cells.len()..width).for_each(|_| row.cells.push_field(b""));
        row.id = RowId(*line);
        true
    }

    /// Goes back to the first row.
    pub(crate) fn rewind(&mut self) {
        self.next = 0;
    }
}
