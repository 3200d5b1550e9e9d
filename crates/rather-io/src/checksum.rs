//! The checksum of a model file: CRC-32 (IEEE 802.3, as in gzip and PNG) of all its bytes, with eight zeros where its own digits
//! stand.
//!
//! A cyclic redundancy check rather than a hash, since it is certain to find every change of one bit and every burst of up to 32;
//! of other damage it misses one in 4 * 10^9. It is no protection against somebody who changes a file on purpose: the numbers of
//! a model are checked besides.

use std::io::{self, Write};

/// The name of the checksum among the metadata, the first in the order in which they are written.
pub(crate) const KEY: &str = "crc32";
/// What stands in the place of the digits while they are computed.
pub(crate) const BLANK: &str = "00000000";
/// What every file with a checksum has after the eight bytes of the header's length.
const BEFORE: &[u8] = br#"{"__metadata__":{"crc32":""#;
/// Where the digits begin.
const START: usize = 8 + BEFORE.len();
/// Where they end.
const END: usize = START + BLANK.len();

/// The checksum of what is written to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Checksum(crc32fast::Hasher);

impl Checksum {
    fn digits(&self) -> String {
        format!("{:08x}", self.0.clone().finalize())
    }
}

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a file is as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The checksum is that of the file.
    Right,
    /// It is not, or stands in another place than where it is written.
    Wrong,
    /// There is none, as in files of version 1.
    Absent,
}

/// Puts the digits into the beginning of a file that was encoded with [`BLANK`] in their place.
pub(crate) fn fill(header: &mut [u8], sum: &Checksum) {
    if let Some(place) = header.get_mut(START..END) {
        place.copy_from_slice(sum.digits().as_bytes());
    }
}

/// Compares the bytes of a file with the checksum that its metadata tell.
pub(crate) fn verify(bytes: &[u8], told: Option<&String>) -> Verdict {
    let Some(told) = told else { return Verdict::Absent };
    let (Some(before), Some(digits)) = (bytes.get(8..START), bytes.get(START..END)) else {
        return Verdict::Wrong;
    };
    let mut sum = Checksum::default();
    for part in [&bytes[..START], BLANK.as_bytes(), &bytes[END..]] {
        sum.0.update(part);
    }
    let right = before == BEFORE && digits == told.as_bytes() && *told == sum.digits();
    if right { Verdict::Right } else { Verdict::Wrong }
}
