//! Model files whose checksum is made right again after a mutation, so that what lies behind it is reached.

/// Length of the header's length.
const PREFIX: usize = 8;
/// What a file with a checksum begins with, after that.
const BEFORE: &[u8] = br#"{"__metadata__":{"crc32":""#;
/// The digits of a checksum.
const DIGITS: usize = 8;

/// Puts the right checksum into a model file, if there is a place for it.
pub fn seal(bytes: &mut [u8]) {
    let start = PREFIX + BEFORE.len();
    if bytes.len() < start + DIGITS || !has_checksum(bytes) {
        return;
    }
    bytes[start..start + DIGITS].fill(b'0');
    let digits = format!("{:08x}", crc32fast::hash(bytes));
    bytes[start..start + DIGITS].copy_from_slice(digits.as_bytes());
}

/// A model file taken apart: the JSON before the tensors, and their bytes.
pub fn split(bytes: &[u8]) -> Option<(serde_json::Value, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<PREFIX>()?;
    let (header, data) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((serde_json::from_slice(header).ok()?, data))
}

/// The file of such parts, with its checksum.
pub fn join(header: &serde_json::Value, data: &[u8]) -> Vec<u8> {
    let mut json = header.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(PREFIX), b' ');
    let mut bytes = [&(json.len() as u64).to_le_bytes(), json.as_slice(), data].concat();
    seal(&mut bytes);
    bytes
}

/// Whether a model file has a checksum.
pub fn has_checksum(bytes: &[u8]) -> bool {
    bytes.get(PREFIX..PREFIX + BEFORE.len()) == Some(BEFORE)
}
