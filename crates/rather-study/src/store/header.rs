//! What the first bytes of an SQLite file tell (<https://www.sqlite.org/fileformat.html>).

/// With what every SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The length of the header.
pub(super) const LENGTH: usize = 100;
const SMALLEST_PAGE: u64 = 512;

/// The first bytes of a file, and its length.
#[derive(Debug, Clone)]
pub(super) struct Header {
    bytes: Vec<u8>,
    length: u64,
}

/// Where a database keeps its last transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// All in the file: no log belongs to it.
    File,
    /// In a write-ahead log beside the file, or in the file after a checkpoint.
    Log,
}

impl Header {
    pub(super) fn new(bytes: Vec<u8>, length: u64) -> Self {
        Self { bytes, length }
    }

    /// Whether this may be the beginning of a database.
    pub(super) fn may_be_database(&self) -> bool {
        self.bytes.starts_with(&MAGIC[..self.bytes.len().min(MAGIC.len())])
    }

    /// Whether the file consists of whole pages, as far as that matters: SQLite takes the beginning of a page for an empty file, which
    /// it would write over, and the missing end of a page for zeros. A page that a power failure left half written is made whole from
    /// the log, if there is one (`logged`).
    pub(super) fn is_whole(&self, logged: bool) -> bool {
        if self.length == 0 || !self.bytes.starts_with(MAGIC) {
            // Whether it is empty, or no database, is said elsewhere; but no database is smaller than a page.
            return self.length == 0 || self.length >= SMALLEST_PAGE;
        }
        logged || self.page_size().is_some_and(|size| self.length.is_multiple_of(size))
    }

    /// The length that the header promises, if the file is shorter.
    pub(super) fn missing(&self) -> Option<u64> {
        let pages = self.number(28, 4);
        let expected = self.page_size().zip(pages).map_or(LENGTH as u64, |(size, pages)| size * pages);
        (self.length < expected).then_some(expected)
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Where the last transactions are; `None` if this is no database.
    pub(super) fn mode(&self) -> Option<Mode> {
        let version = self.bytes.starts_with(MAGIC).then(|| self.bytes.get(19)).flatten()?;
        Some(if *version == 2 { Mode::Log } else { Mode::File })
    }

    /// The number in `n` bytes, most significant first.
    fn number(&self, at: usize, n: usize) -> Option<u64> {
        Some(self.bytes.get(at..at + n)?.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    }

    fn page_size(&self) -> Option<u64> {
        match self.number(16, 2)? {
            1 => Some(65_536),
            size => Some(size.max(SMALLEST_PAGE)),
        }
    }
}
