//! A table of a file, whatever its format: its header, and its rows one after another.

use crate::csv_rows::CsvRows;
use crate::error::Error;
use crate::file;
use crate::json_rows::{self, JsonRows};
use crate::location::{self, Location};
use crate::matrix::Matrix;
use crate::names::{self, Pair};
use crate::note::Note;
use crate::number::{self, Fault};
use crate::parquet_rows::ParquetRows;
use crate::pgn;
use crate::place::{Cell, Place, Position};
use crate::source::{Joined, Source};
use crate::workbook;
use crate::written;
use csv::ByteRecord;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// A table whose header has been read, and whose rows have not.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    header: Vec<String>,
    source: Source,
    /// The columns that were given a role, whatever they are called.
    roles: Vec<(String, usize)>,
    /// The first column of each name, without what does not matter in it.
    plain: FxHashMap<String, usize>,
    /// What whoever reads it should know.
    notes: Vec<Note>,
}

impl Table {
    /// Opens the table at `path`: Parquet if its name ends in `.parquet`, else an Excel workbook or JSON if it begins like one, else CSV; any of
    /// them compressed with gzip if the name ends in `.gz`. `-` is standard input, which is read once.
    ///
    /// Of a workbook the first sheet is read, or the one that is named: `votes.xlsx#May`. The objects of JSON are rows, an array of them or one after
    /// another (JSON lines), and their keys are the columns; a list of numbers, in JSON or Parquet, is a column a number. The array may stand in an
    /// object with one key. Games of chess in PGN are rows, too, with a column a tag (`White`, `Black`, `Result`).
    ///
    /// CSV is that of RFC 4180 in UTF-8, with or without a byte order mark, lines ended by LF or CRLF.
    /// Cells are separated by commas, or by semicolons or tabs if those stand in a header without commas.
    /// Lines before the header that begin with `#` are comments.
    ///
    /// `teas.csv+vectors.npy` is the table with the columns `vectors_1`, `vectors_2` and so on of a matrix of NumPy, whose rows stand in the same order.
    /// Such a matrix alone is a table whose first column is the number of the row, from 0.
    ///
    /// # Errors
    /// If a file cannot be read, is not what its name says, or has no header; if a matrix has another number of rows, which is found when they are read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Self::of_text(Path::new("standard input"), None, file::read_standard_input()?);
        }
        let Location { file, sheet, matrices } = Location::of(path);
        if location::is_matrix(&file) {
            let (header, rows) = Matrix::open(&file)?.into_table();
            return Self::with_header(path, header, Source::Memory(rows))?.joined(&matrices);
        }
        let bytes = file::decompress(&file, file::read(&file)?)?;
        Self::of_bytes(path, &file, sheet.as_deref(), bytes)?.joined(&matrices)
    }

    /// As [`Table::open`], for the bytes of a file that would be called `path`.
    ///
    /// # Errors
    /// If the bytes are not what the name says, or have no header.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, Error> {
        Self::of_bytes(path, path, None, file::decompress(path, bytes)?)
    }

    fn of_bytes(path: &Path, file: &Path, sheet: Option<&str>, bytes: Vec<u8>) -> Result<Self, Error> {
        if file::is_parquet(file) {
            let (header, rows) = ParquetRows::open(path, bytes)?;
            return Self::with_header(path, header, Source::Parquet(rows));
        }
        Self::of_text(path, sheet, bytes)
    }

    /// A table in a workbook, JSON or CSV, whatever it is called.
    fn of_text(path: &Path, sheet: Option<&str>, bytes: Vec<u8>) -> Result<Self, Error> {
        if bytes.starts_with(workbook::MAGIC) {
            let workbook::Sheet { header, rows, note } = workbook::read(path, sheet, bytes)?;
            let mut table = Self::with_header(path, header, Source::Memory(rows))?;
            table.notes.extend(note);
            return Ok(table);
        }
        if let Some((kind, remedy)) = file::is_other(&bytes) {
            return Err(Error::OtherFormat { path: path.to_path_buf(), kind, remedy });
        }
        if json_rows::is_json(&bytes) {
            let (header, rows) = JsonRows::open(path, bytes)?;
            return Self::with_header(path, header, Source::Json(rows));
        }
        if pgn::is_pgn(&bytes) {
            let (header, rows) = pgn::read(path, &bytes)?;
            return Self::with_header(path, header, Source::Memory(rows));
        }
        let (header, rows) = CsvRows::open(path, bytes)?;
        Self::with_header(path, header, Source::Csv(rows))
    }

    /// The table that `bytes` are, as CSV or JSON; `name` stands for the file in errors.
    ///
    /// # Errors
    /// If it is not UTF-8, or has no header.
    pub fn of_csv(name: &Path, bytes: Vec<u8>) -> Result<Self, Error> {
        Self::of_text(name, None, bytes)
    }

    fn with_header(path: &Path, header: Vec<String>, source: Source) -> Result<Self, Error> {
        if header.is_empty() {
            return Err(Error::EmptyFile { path: path.to_path_buf() });
        }
        let mut plain = FxHashMap::default();
        for (column, name) in header.iter().enumerate() {
            plain.entry(names::plain(name)).or_insert(column);
        }
        let (path, roles, notes) = (path.to_path_buf(), Vec::new(), Vec::new());
        Ok(Self { path, header, source, roles, plain, notes })
    }

    /// The table with the columns of matrices, row by row.
    fn joined(mut self, matrices: &[PathBuf]) -> Result<Self, Error> {
        for path in matrices {
            let matrix = Matrix::open(path)?;
            let (width, names) = (self.header.len(), matrix.names().collect::<Vec<_>>());
            let source = Source::Joined(Box::new(Joined::new(self.source, width, matrix)));
            let notes = self.notes;
            self = Self::with_header(&self.path, [self.header, names].concat(), source)?;
            self.notes = notes;
        }
        Ok(self)
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

    /// The table with roles (`winner`, `left`, `outcome`, `user`) for columns that are called otherwise: pairs of a role and a column.
    ///
    /// # Errors
    /// [`Error::UnknownRole`] if there is no such role, [`Error::NoSuchColumn`] if the table has no such column.
    ///
    /// # Examples
    /// ```
    /// use rather_io::{Reading, Table, answers_of};
    ///
    /// let items = rather_io::items_from_csv("teas.csv".as_ref(), b"tea\nAssam\nOolong\n", &Default::default())?;
    /// let table = Table::of_csv("votes.csv".as_ref(), b"best,worst\nOolong,Assam\n".to_vec())?;
    /// let roles = [("winner".to_owned(), "best".to_owned()), ("loser".to_owned(), "worst".to_owned())];
    /// assert_eq!(answers_of(table.with_roles(&roles)?, &items, &Reading::ANY)?.notes.len(), 0);
    /// # Ok::<(), rather_io::Error>(())
    /// ```
    pub fn with_roles(mut self, roles: &[(String, String)]) -> Result<Self, Error> {
        for (role, column) in roles {
            let role = names::plain(role);
            let known = names::roles();
            if !known.contains(&role) {
                return Err(Error::UnknownRole { role, known });
            }
            let Some(at) = self.column(column)? else {
                let (path, known) = (self.path.clone(), self.header.clone());
                return Err(Error::NoSuchColumn { path, column: column.clone(), known });
            };
            self.roles.retain(|(other, _)| *other != role);
            self.roles.push((role, at));
        }
        Ok(self)
    }

    /// Whether a column was given this role.
    pub(crate) fn given(&self, role: &str) -> Option<usize> {
        self.roles.iter().find(|(known, _)| known == role).map(|&(_, column)| column)
    }

    /// The column of a role: the one that was given it, or that is called so, or that has one of its other names.
    pub(crate) fn role(&self, role: &str) -> Result<Option<usize>, Error> {
        if let Some(column) = self.given(role) {
            return Ok(Some(column));
        }
        Ok(self.column(role)?.filter(|&c| !self.is_given(c)).or_else(|| self.called(names::of_role(role))))
    }

    /// The column of a role that has no other names.
    pub(crate) fn exactly(&self, role: &str) -> Result<Option<usize>, Error> {
        match self.given(role) {
            Some(column) => Ok(Some(column)),
            None => Ok(self.column(role)?.filter(|&c| !self.is_given(c))),
        }
    }

    /// The first of these names that a column without a role has.
    pub(crate) fn called(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.plain(name))
    }

    /// All the pairs of columns that two items, or what was said of them, may stand in, the likelier first.
    pub(crate) fn pairs(&self, pair: Pair) -> Result<Vec<[usize; 2]>, Error> {
        if let Some([first, second]) = pair.roles() {
            if self.given(first).is_some() || self.given(second).is_some() {
                let both = (self.exactly(first)?, self.exactly(second)?);
                return Ok(if let (Some(first), Some(second)) = both {
                    vec![[first, second]]
                } else {
                    Vec::new()
                });
            }
            // An error if a name stands twice.
            if let (Some(first), Some(second)) = (self.exactly(first)?, self.exactly(second)?) {
                return Ok(vec![[first, second]]);
            }
        }
        let of = |[first, second]: [String; 2]| Some([self.plain(&first)?, self.plain(&second)?]);
        Ok(pair.names().into_iter().filter_map(of).collect())
    }

    fn plain(&self, name: &str) -> Option<usize> {
        self.plain.get(name).copied().filter(|&column| !self.is_given(column))
    }

    fn is_given(&self, column: usize) -> bool {
        self.roles.iter().any(|&(_, given)| given == column)
    }

    /// Looks at the rows before they are read, until `each` has seen enough. Whatever is wrong with one is found when it is read.
    pub(crate) fn scan(&mut self, columns: &[usize], mut each: impl FnMut(&Row) -> bool) {
        let (path, width, mut row) = (&self.path, self.header.len(), Row::default());
        if self.source.select(path, &self.header, columns).is_ok() {
            loop {
                match self.source.read(path, width, &mut row) {
                    Ok(true) if each(&row) => {}
                    Err(Error::RaggedRow { .. }) => {}
                    _ => break,
                }
            }
        }
        self.source.rewind();
    }

    /// Whether semicolons separate cells, so that commas may stand in numbers.
    pub(crate) fn has_semicolons(&self) -> bool {
        self.source.has_semicolons()
    }

    /// Whether a column is read in no time.
    pub(crate) fn is_short(&self, column: usize) -> bool {
        self.source.is_short(column)
    }

    /// What whoever reads it should know.
    pub(crate) fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// The rows, of which only the cells of `columns` will be looked at.
    ///
    /// # Errors
    /// If one of `columns` has a type that has no text form.
    pub fn rows(self, columns: &[usize]) -> Result<Rows, Error> {
        let Self { path, header, mut source, .. } = self;
        source.select(&path, &header, columns)?;
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
        self.source.read(&self.path, self.header.len(), row)
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

    /// The number that a cell's text is; where semicolons separate cells, with a decimal comma or point.
    pub(crate) fn number(&self, text: &str) -> Result<f64, Fault> {
        match number::parse(text) {
            Err(Fault::Text) if self.has_semicolons() => number::parse(&written::with_point(text)),
            parsed => parsed,
        }
    }

    /// Whether semicolons separate cells, so that commas may stand in numbers.
    pub(crate) fn has_semicolons(&self) -> bool {
        self.source.has_semicolons()
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
        self.source.position(row)
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
