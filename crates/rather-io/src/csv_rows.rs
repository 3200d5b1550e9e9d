//! Rows of a CSV file (RFC 4180).
//!
//! The file is kept in memory, so that an error can count the lines before it and reading need not.

use crate::error::{Action, Error};
use crate::place::{Place, Position};
use crate::table::{Row, RowId};
use std::cell::Cell;
use std::io::Cursor;
use std::path::Path;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The rows after the header.
#[derive(Debug)]
pub(crate) struct CsvRows {
    reader: csv::Reader<Cursor<Vec<u8>>>,
    separator: u8,
    /// Where the first row after the header begins.
    first: csv::Position,
    /// Up to which byte lines were counted, and how many end before it: whoever asks for the line of every row reads the file twice,
    /// not once a row.
    counted: Cell<(usize, u64)>,
}

impl CsvRows {
    /// Reads the header; its names are empty if there is none.
    pub(crate) fn open(path: &Path, mut bytes: Vec<u8>) -> Result<(Vec<String>, Self), Error> {
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        let start = header_start(&bytes);
        let separator = separator(&bytes[start..]);
        let reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 16)
            .from_reader(Cursor::new(bytes));
        let mut first = csv::Position::new();
        first.set_byte(start as u64);
        let mut rows = Self { reader, separator, first, counted: Cell::new((0, 0)) };
        rows.rewind();
        let mut row = Row::default();
        rows.advance(path, &mut row)?;
        rows.first = rows.reader.position().clone();
        let header = rows.names(path, &row)?;
        Ok((header, rows))
    }

    /// Reads the next row, which must have `width` cells.
    pub(crate) fn read(&mut self, path: &Path, width: usize, row: &mut Row) -> Result<bool, Error> {
        if !self.advance(path, row)? {
            return Ok(false);
        }
        if row.cells.len() != width {
            let found = row.cells.len();
            return Err(Error::RaggedRow { place: self.place(path, row.id), found, expected: width });
        }
        Ok(true)
    }

    /// Whether semicolons separate cells.
    pub(crate) fn has_semicolons(&self) -> bool {
        self.separator == b';'
    }

    /// Goes back to the first row. The rows are in memory, where there is no failure of seeking.
    pub(crate) fn rewind(&mut self) {
        drop(self.reader.seek(self.first.clone()));
    }

    /// The physical line of a row, the file's first being 1.
    pub(crate) fn line(&self, row: RowId) -> u64 {
        let bytes = self.bytes();
        // The reader skips blank lines, and the LF of a CRLF, only when it comes to the next row.
        let blank = self.rest(row).iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let start = row.0 as usize + blank;
        let ends = |i: usize| match bytes[i] {
            b'\n' => true,
            b'\r' => bytes.get(i + 1) != Some(&b'\n'),
            _ => false,
        };
        let (from, before) =
            Some(self.counted.get()).filter(|counted| counted.0 <= start).unwrap_or_default();
        let lines = before + (from..start).filter(|&i| ends(i)).count() as u64;
        self.counted.set((start, lines));
        1 + lines
    }

    fn advance(&mut self, path: &Path, row: &mut Row) -> Result<bool, Error> {
        let more = self
            .reader
            .read_byte_record(&mut row.cells)
            .map_err(|error| Error::io(Action::Read, path, error.into()))?;
        row.id = RowId(row.cells.position().map_or(0, csv::Position::byte));
        // A quotation mark that is never closed swallows the rest of the file into its last row.
        let is_last = self.reader.position().byte() as usize == self.bytes().len();
        if more && is_last && ends_in_quotes(self.rest(row.id), self.separator) {
            return Err(Error::OpenQuote { place: self.place(path, row.id) });
        }
        Ok(more)
    }

    fn names(&self, path: &Path, row: &Row) -> Result<Vec<String>, Error> {
        let name = |(i, cell): (usize, &[u8])| match std::str::from_utf8(cell) {
            Ok(name) => Ok(name.trim().to_owned()),
            Err(_) => Err(Error::HeaderNotUtf8 { place: self.place(path, row.id), column: i + 1 }),
        };
        row.cells.iter().enumerate().map(name).collect()
    }

    fn place(&self, path: &Path, row: RowId) -> Place {
        Place { path: path.to_path_buf(), position: Position::Line(self.line(row)) }
    }

    fn bytes(&self) -> &[u8] {
        self.reader.get_ref().get_ref()
    }

    fn rest(&self, row: RowId) -> &[u8] {
        self.bytes().get(row.0 as usize..).unwrap_or_default()
    }
}

/// Where the header begins: after lines that begin with `#`, or after the `#` of the last one if it has as many separators as the line
/// right below.
fn header_start(bytes: &[u8]) -> usize {
    let is_end = |b: &u8| matches!(b, b'\n' | b'\r');
    let skip_ends = |at: usize| at + bytes[at..].iter().take_while(|b| is_end(b)).count();
    let separators = |line: &[u8]| line.iter().filter(|b| matches!(b, b',' | b';' | b'\t')).count();
    let mut start = skip_ends(0);
    while bytes[start..].starts_with(b"#") {
        // A column may be called so.
        if matches!(bytes.get(start + 1), Some(b',' | b';' | b'\t')) {
            return start;
        }
        let end = start + bytes[start..].iter().take_while(|b| !is_end(b)).count();
        let next = skip_ends(end);
        let below = bytes[next..].split(|b| is_end(b)).next().unwrap_or_default();
        let found = separators(&bytes[start..end]);
        let is_next = matches!(&bytes[end..next], b"\n" | b"\r\n" | b"\r");
        if below.is_empty()
            || (is_next && !below.starts_with(b"#") && found > 0 && found == separators(below))
        {
            // Some programs write a header as a comment.
            return start + 1;
        }
        start = next;
    }
    start
}

/// The separator of a table: the comma, or the more frequent of semicolon and tab if the header has no comma.
fn separator(bytes: &[u8]) -> u8 {
    let (mut quoted, mut semicolons, mut tabs) = (false, 0, 0);
    let start = bytes.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
    for &byte in &bytes[start..] {
        match byte {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b',' => return b',',
            b';' => semicolons += 1,
            b'\t' => tabs += 1,
            b'\r' | b'\n' => break,
            _ => {}
        }
    }
    match (semicolons, tabs) {
        (0, 0) => b',',
        (s, t) if s >= t => b';',
        _ => b'\t',
    }
}

/// Whether the last row, `row`, ends inside a quoted cell.
fn ends_in_quotes(row: &[u8], separator: u8) -> bool {
    enum State {
        Start,
        Plain,
        Quoted,
        /// After a quotation mark in a quoted cell: its end, or the first of a pair.
        Closing,
    }
    let mut state = State::Start;
    for &byte in row {
        state = match (state, byte) {
            (State::Start | State::Closing, b'"') => State::Quoted,
            (State::Quoted, b'"') => State::Closing,
            (State::Quoted, _) => State::Quoted,
            (_, b'\r' | b'\n') => State::Start,
            (_, byte) if byte == separator => State::Start,
            _ => State::Plain,
        };
    }
    matches!(state, State::Quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<u64> {
        let path = Path::new("t.csv");
        let (header, mut rows) = CsvRows::open(path, text.as_bytes().to_vec()).unwrap();
        let (mut row, mut lines) = (Row::default(), Vec::new());
        while rows.read(path, header.len(), &mut row).unwrap() {
            lines.push(rows.line(row.id));
        }
        lines
    }

    #[test]
    fn lines_are_physical() {
        assert_eq!(lines("a,b\n1,2\n3,4\n"), [2, 3]);
        assert_eq!(lines("a,b\r\n1,2\r\n3,4"), [2, 3]);
        assert_eq!(lines("\u{feff}a,b\r1,2\r3,4"), [2, 3]);
        assert_eq!(lines("\n\na,b\n\n1,2\n\r\n\r\n3,4\n\n"), [5, 8]);
        assert_eq!(lines("a,b\r\n\"x\r\ny\",2\r\n3,4\r\n"), [2, 4]);
    }

    #[test]
    fn lines_are_the_same_in_any_order() {
        let path = Path::new("t.csv");
        let (header, mut rows) =
            CsvRows::open(path, b"a,b\n1,2\n\n3,4\r\n\"5\n\",6\n7,8\n".to_vec()).unwrap();
        let (mut row, mut ids) = (Row::default(), Vec::new());
        while rows.read(path, header.len(), &mut row).unwrap() {
            ids.push(row.id);
        }
        let lines = |order: &[usize]| order.iter().map(|&i| rows.line(ids[i])).collect::<Vec<_>>();
        assert_eq!(lines(&[3, 0, 2, 1, 3, 3]), [7, 2, 5, 4, 7, 7]);
    }

    #[test]
    fn separators_are_found_in_the_header() {
        assert_eq!(separator(b"a,b;c\td"), b',');
        assert_eq!(separator(b"a;b\nc,d"), b';');
        assert_eq!(separator(b"\n\na\tb\n"), b'\t');
        assert_eq!(separator(b"\"a,b\";c"), b';');
        assert_eq!(separator(b"a\n"), b',');
    }

    #[test]
    fn comments_before_the_header_are_skipped() {
        for (text, header, lines_of) in [
            ("# my data\na,b\n1,2\n", ["a", "b"], vec![3]),
            ("# my data\r\n# of, today\r\n\r\na,b\r\n1,2", ["a", "b"], vec![5]),
            ("# a,b\n1,2\n3,4\n", ["a", "b"], vec![2, 3]),
            ("#,b\n#1,2\n", ["#", "b"], vec![2]),
        ] {
            let (found, _) = CsvRows::open(Path::new("t.csv"), text.as_bytes().to_vec()).unwrap();
            assert_eq!(found, header, "{text}");
            assert_eq!(lines(text), lines_of, "{text}");
        }
    }

    #[test]
    fn open_quotes_are_found() {
        for (row, open) in [
            ("a,b", false),
            ("a,\"b", true),
            ("a,\"b\"", false),
            ("a,\"b\"\"", true),
            ("a,\"b\"\"\"\r\n", false),
            ("5\" nail,b", false),
            ("\"a\nb", true),
        ] {
            assert_eq!(ends_in_quotes(row.as_bytes(), b','), open, "{row}");
        }
        let text = b"a,b\n1,2\n3,\"4\n5,6\n".to_vec();
        let (header, mut rows) = CsvRows::open(Path::new("t.csv"), text).unwrap();
        let mut row = Row::default();
        assert!(rows.read(Path::new("t.csv"), header.len(), &mut row).unwrap());
        assert_eq!(
            rows.read(Path::new("t.csv"), header.len(), &mut row).unwrap_err().to_string(),
            "t.csv, line 3: a quotation mark is opened and never closed; close it, \
             or write \"\" for a quotation mark inside a quoted cell"
        );
    }
}
