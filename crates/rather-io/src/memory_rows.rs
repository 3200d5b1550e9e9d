//! Rows that are all in memory, of formats that are read at once.

use crate::place::Position;
use crate::table::{Row, RowId};
use csv::ByteRecord;

/// The rows, each with its line or number.
#[derive(Debug)]
pub(crate) struct MemoryRows {
    rows: Vec<(u64, Vec<String>)>,
    /// Whether rows stand on lines.
    lines: bool,
    next: usize,
}

impl MemoryRows {
    /// Rows with the line or number of each; `lines` says which.
    pub(crate) fn new(rows: Vec<(u64, Vec<String>)>, lines: bool) -> Self {
        Self { rows, lines, next: 0 }
    }

    /// Reads the next row; cells that it lacks at its end are empty.
    pub(crate) fn read(&mut self, width: usize, row: &mut Row) -> bool {
        let Some((position, cells)) = self.rows.get(self.next) else { return false };
        self.next += 1;
        row.cells = ByteRecord::from_iter(cells.iter().map(String::as_str));
        (cells.len()..width).for_each(|_| row.cells.push_field(b""));
        row.id = RowId(*position);
        true
    }

    /// Goes back to the first row.
    pub(crate) fn rewind(&mut self) {
        self.next = 0;
    }

    /// The position of a row.
    pub(crate) fn position(&self, row: RowId) -> Position {
        if self.lines { Position::Line(row.0) } else { Position::Row(row.0) }
    }
}
