//! How much a reader may take of what a file asks for: a small file can expand to a large one, or to a large model.

use crate::error::Error;
use rather::representation::{MEMORY, bytes};
use std::path::Path;

/// The environment variable with the memory that reading may take, such as `8G`.
const VARIABLE: &str = "RATHER_MEMORY";
/// What a compressed file may expand to whatever its size.
const ALWAYS: u64 = 64 << 20;
/// How many times as large as the file its contents may be beyond that. Tables shrink to a tenth, or a twentieth.
const RATIO: u64 = 100;
/// What no compressed file may expand to, however large it is.
const NEVER: u64 = 2 << 30;
/// The most bytes that are read from what is no regular file, which may never end.
pub(crate) const STREAM: u64 = 1 << 30;
/// The most comparisons that the rankings of a table may stand for: n items in a ranking are n (n - 1) / 2.
pub const MOST_OF_RANKINGS: u64 = 5_000_000;

/// Bytes that reading a model file may take: what the environment variable says if it is set, else 2 GiB.
fn memory() -> Result<u64, Error> {
    let Some(value) = std::env::var_os(VARIABLE) else { return Ok(MEMORY) };
    let value = value.to_string_lossy().into_owned();
    parse_bytes(&value).ok_or(Error::MemoryVariable { value })
}

/// A number of bytes with a unit: `2G`, `500M`, `1.5GiB`.
///
/// # Examples
/// ```
/// use rather_io::parse_bytes;
///
/// assert_eq!(parse_bytes("1.5 GiB"), Some(3 << 29));
/// assert_eq!(parse_bytes("much"), None);
/// ```
pub fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim().to_uppercase();
    let digits = text.trim_end_matches("IB").trim_end_matches('B');
    let power = "KMGT".find(digits.chars().last()?).map_or(0, |position| position + 1);
    let number = if power > 0 { &digits[..digits.len() - 1] } else { digits };
    let number: f64 = number.trim().parse().ok()?;
    (number > 0.0 && number <= 1e15).then(|| (number * 1024_f64.powi(power as i32)) as u64)
}

/// The most bytes that a compressed file of so many bytes may expand to.
pub(crate) fn expanded(file: usize) -> u64 {
    RATIO.saturating_mul(file as u64).clamp(ALWAYS, NEVER)
}

/// The error of a file that expands to more than [`expanded`].
pub(crate) fn expands(path: &Path, file: usize) -> Error {
    let (path, limit) = (path.to_path_buf(), bytes(expanded(file)));
    Error::Expands { path, limit, file: bytes(file as u64) }
}

/// Whether a model that takes so many bytes may be read.
pub(crate) fn check_memory(path: &Path, needed: u64) -> Result<(), Error> {
    let allowed = memory()?;
    if needed <= allowed {
        return Ok(());
    }
    Err(Error::ModelMemory { path: path.to_path_buf(), needed: bytes(needed), allowed: bytes(allowed) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_units() {
        let gibi = 1 << 30;
        for (text, bytes) in
            [("2G", 2 * gibi), ("2 GiB", 2 * gibi), ("512mb", gibi / 2), ("1.5g", 3 * gibi / 2), ("100", 100)]
        {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
        }
        for text in ["", "G", "-1G", "2X", "0", "1e999"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_file_may_expand_to_grows_with_it() {
        assert_eq!(expanded(0), 64 << 20);
        assert_eq!(expanded(10 << 20), 1000 << 20);
        assert_eq!(expanded(usize::MAX), 2 << 30);
    }
}
