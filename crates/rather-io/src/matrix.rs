//! Matrices of numbers as NumPy writes them: `.npy`, a header and the bytes.

use crate::error::Error;
use crate::file;
use crate::memory_rows::MemoryRows;
use crate::number;
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"\x93NUMPY";

/// A matrix, of which a row is a row of a table.
#[derive(Debug)]
pub(crate) struct Matrix {
    path: PathBuf,
    rows: usize,
    columns: usize,
    /// Whether columns stand one after another, and not rows.
    by_column: bool,
    kind: Kind,
    bytes: Vec<u8>,
    /// Where the numbers begin.
    start: usize,
}

/// What numbers are written as.
#[derive(Debug, Clone, Copy)]
struct Kind {
    letter: u8,
    size: usize,
    big_endian: bool,
}

impl Matrix {
    /// Reads the matrix at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Self::from_bytes(path, file::read(path)?)
    }

    fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, Error> {
        let fault = |problem| Error::Matrix { path: path.to_path_buf(), problem };
        let (header, start) = header(&bytes).ok_or_else(|| fault("it is no array of NumPy"))?;
        let kind = quoted(header, "descr").and_then(Kind::of);
        let kind = kind.ok_or_else(|| fault("its elements are no numbers"))?;
        let shape = shape(header).ok_or_else(|| fault("it has no shape"))?;
        let [rows, columns] = match shape[..] {
            [rows] => [rows, 1],
            [rows, columns] => [rows, columns],
            _ => return Err(fault("it has more than two dimensions")),
        };
        let needed = rows.checked_mul(columns).and_then(|n| n.checked_mul(kind.size));
        if needed != Some(bytes.len() - start) {
            return Err(fault("it is cut off, or longer than its shape"));
        }
        let by_column = header.contains("'fortran_order': True");
        Ok(Self { path: path.to_path_buf(), rows, columns, by_column, kind, bytes, start })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// What its columns are called: as its file is, with a number.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (1..=self.columns).map(move |column| format!("{stem}_{column}"))
    }

    /// The cells of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = String> {
        (0..self.columns).map(move |column| {
            let place = if self.by_column { column * self.rows + row } else { row * self.columns + column };
            self.kind.text(&self.bytes[self.start + place * self.kind.size..][..self.kind.size])
        })
    }

    /// A table of it alone: the key of a row is its number, from 0.
    pub(crate) fn into_table(self) -> (Vec<String>, MemoryRows) {
        let header = std::iter::once("row".to_owned()).chain(self.names()).collect();
        let cells = |row: usize| std::iter::once(row.to_string()).chain(self.row(row)).collect();
        let rows = (0..self.rows).map(|row| (row as u64 + 1, cells(row))).collect();
        (header, MemoryRows::new(rows, false))
    }
}

impl Kind {
    /// Reads `<f4`, `|u1`, `>i8`.
    fn of(text: &str) -> Option<Self> {
        let &[order, letter, size] = text.as_bytes() else { return None };
        let size = usize::from(size.checked_sub(b'0')?);
        let known = match letter {
            b'f' => [2, 4, 8].contains(&size),
            b'i' | b'u' => [1, 2, 4, 8].contains(&size),
            b'b' => size == 1,
            _ => false,
        };
        (known && b"<>|=".contains(&order)).then_some(Self { letter, size, big_endian: order == b'>' })
    }

    /// The shortest text that reads back as this number.
    fn text(self, bytes: &[u8]) -> String {
        let mut wide = [0; 8];
        wide[..self.size].copy_from_slice(bytes);
        if self.big_endian {
            wide[..self.size].reverse();
        }
        let bits = u64::from_le_bytes(wide);
        // The sign of a shorter integer.
        let unused = 64 - 8 * self.size as u32;
        match (self.letter, self.size) {
            (b'f', 2) => number::text(half(bits as u16)),
            (b'f', 4) => number::short_text(f32::from_bits(bits as u32)),
            (b'f', _) => number::text(f64::from_bits(bits)),
            (b'i', _) => (((bits << unused) as i64) >> unused).to_string(),
            _ => bits.to_string(),
        }
    }
}

/// A number of 16 bits: a sign, five bits of an exponent, ten of a fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
    sign * match exponent {
        0 => fraction * 2.0_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2.0_f64.powi(exponent - 15),
    }
}

/// The header's text, and where the numbers begin.
fn header(bytes: &[u8]) -> Option<(&str, usize)> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, from): (usize, usize) = match rest.first()? {
        1 => (usize::from(u16::from_le_bytes(rest.get(2..4)?.try_into().ok()?)), 10),
        2 | 3 => (u32::from_le_bytes(rest.get(2..6)?.try_into().ok()?) as usize, 12),
        _ => return None,
    };
    let start = from.checked_add(length)?;
    Some((std::str::from_utf8(bytes.get(from..start)?).ok()?, start))
}

/// The text of a key in a header.
fn quoted<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    header.split_once(&format!("'{key}': '"))?.1.split_once('\'').map(|(text, _)| text)
}

/// The numbers of `'shape': (3, 4)`.
fn shape(header: &str) -> Option<Vec<usize>> {
    let (inside, _) = header.split_once("'shape': (")?.1.split_once(')')?;
    inside.split(',').map(str::trim).filter(|n| !n.is_empty()).map(|n| n.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(descr: &str, order: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), numbers].concat()
    }

    fn rows(descr: &str, order: &str, shape: &str, numbers: &[u8]) -> Result<Vec<Vec<String>>, String> {
        let matrix = Matrix::from_bytes(Path::new("v.npy"), array(descr, order, shape, numbers));
        let matrix = matrix.map_err(|error| error.to_string())?;
        Ok((0..matrix.rows()).map(|row| matrix.row(row).collect()).collect())
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let f4: Vec<u8> = [0.1_f32, -2.0, 1e10, 0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(rows("<f4", "False", "(2, 2)", &f4).unwrap(), [["0.1", "-2"], ["10000000000", "0.5"]]);
        assert_eq!(rows("<f4", "True", "(2, 2)", &f4).unwrap(), [["0.1", "10000000000"], ["-2", "0.5"]]);
        let f8: Vec<u8> = [0.1_f64, 3.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        assert_eq!(rows(">f8", "False", "(2,)", &f8).unwrap(), [["0.1"], ["3"]]);
        assert_eq!(rows("<i2", "False", "(1, 2)", &[0xff, 0xff, 1, 1]).unwrap(), [["-1", "257"]]);
        assert_eq!(rows("|b1", "False", "(1, 2)", &[0, 1]).unwrap(), [["0", "1"]]);
        assert_eq!(rows("<f2", "False", "(1, 3)", &[0, 0x3c, 0, 0xc0, 1, 0]).unwrap()[0][..2], ["1", "-2"]);
        assert_eq!(half(1), 2.0_f64.powi(-24));
    }

    #[test]
    fn what_is_no_matrix_has_its_sentence() {
        for (descr, shape, numbers, problem) in [
            ("<U4", "(1, 1)", 16, "its elements are no numbers"),
            ("<f4", "(1, 1, 1)", 4, "more than two dimensions"),
            ("<f4", "(2, 2)", 15, "cut off"),
            ("<f4", "(99999999999, 99999999999)", 4, "cut off"),
            ("<f4", "(x)", 4, "no shape"),
        ] {
            let error = rows(descr, "False", shape, &vec![0; numbers]).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        assert!(Matrix::from_bytes(Path::new("v.npy"), b"\x93NUMPY\x01\x00\xff\xff".to_vec()).is_err());
    }
}
