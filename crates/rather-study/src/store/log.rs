//! What a write-ahead log holds (<https://www.sqlite.org/fileformat2.html#walformat>). SQLite puts no lock on the log itself, so it may
//! be opened beside a connection.

use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// The contents of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Contents {
    /// Size of the file.
    pub bytes: u64,
    /// Pages that belong to finished transactions.
    pub frames: u64,
    /// Finished transactions since the log was last moved into the database.
    pub transactions: u64,
}

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// The checksums are of words with the least significant byte first; with the last bit set, the most significant.
const MAGIC: u32 = 0x377f_0682;

/// Reads the log at `path`. What follows the last whole transaction counts for nothing, as for SQLite.
pub(super) fn read(path: &Path) -> io::Result<Contents> {
    let file = File::open(path)?;
    let mut contents = Contents { bytes: file.metadata()?.len(), ..Contents::default() };
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut header = [0; HEADER];
    if !fill(&mut reader, &mut header)? || word(&header, 0) & !1 != MAGIC {
        return Ok(contents);
    }
    let big_endian = word(&header, 0) & 1 == 1;
    let page_size = word(&header, 8) as usize;
    let mut sum = checksum(&header[..24], big_endian, (0, 0));
    if !(512..=65_536).contains(&page_size) || sum != (word(&header, 24), word(&header, 28)) {
        return Ok(contents);
    }
    let salt = &header[16..24];
    let mut frame = vec![0; FRAME_HEADER + page_size];
    let mut frames = 0;
    while fill(&mut reader, &mut frame)? && &frame[8..16] == salt {
        sum = checksum(&frame[..8], big_endian, sum);
        sum = checksum(&frame[FRAME_HEADER..], big_endian, sum);
        if sum != (word(&frame, 16), word(&frame, 20)) {
            break;
        }
        frames += 1;
        // The last page of a transaction says how many pages the database then has.
        if word(&frame, 4) > 0 {
            contents.frames = frames;
            contents.transactions += 1;
        }
    }
    Ok(contents)
}

/// Fills `bytes`; `false` if the file ends before.
fn fill(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        done => done.map(|()| true),
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

fn checksum(bytes: &[u8], big_endian: bool, (mut a, mut b): (u32, u32)) -> (u32, u32) {
    let word = |at| if big_endian { word(bytes, at) } else { word(bytes, at).swap_bytes() };
    for at in (0..bytes.len()).step_by(8) {
        a = a.wrapping_add(word(at)).wrapping_add(b);
        b = b.wrapping_add(word(at + 4)).wrapping_add(a);
    }
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn transactions_of_sqlite_are_counted_and_spoilt_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let connection = Connection::open(&path).unwrap();
        let log = folder.path().join("x.db-wal");
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE x (y)").unwrap();
        for i in 0..5 {
            connection.execute("INSERT INTO x VALUES (?1)", [i]).unwrap();
        }
        let contents = read(&log).unwrap();
        assert_eq!(contents.transactions, 6);
        assert!(contents.frames >= 6 && contents.bytes > 4096 * contents.frames);
        let mut bytes = std::fs::read(&log).unwrap();
        let last = bytes.len() - 100;
        bytes[last] ^= 1;
        std::fs::write(folder.path().join("spoilt"), &bytes).unwrap();
        assert_eq!(read(&folder.path().join("spoilt")).unwrap().transactions, 5);
        std::fs::write(folder.path().join("none"), "").unwrap();
        assert_eq!(read(&folder.path().join("none")).unwrap(), Contents::default());
    }
}
