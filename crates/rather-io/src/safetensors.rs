//! The safetensors format: eight bytes that tell the header's length, a header of JSON, the tensors' bytes.
//!
//! Written here rather than by the crate of that name so that the same model gives the same bytes (its
//! metadata come in random order) and no file, however hostile, makes a sum of offsets overflow.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Length of the header's length.
const PREFIX: usize = 8;

/// The name under which the format keeps the metadata.
pub(crate) const RESERVED: &str = "__metadata__";

#[derive(Debug, Default, Serialize, Deserialize)]
struct Header {
    #[serde(rename = "__metadata__", default)]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, Description>,
}

/// What the header says of a tensor.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Description {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// A tensor whose bytes still lie in the file.
#[derive(Debug)]
pub(crate) struct RawTensor<'b> {
    pub(crate) dtype: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: &'b [u8],
}

/// Metadata and tensors of a file.
#[derive(Debug)]
pub(crate) struct Contents<'b> {
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) tensors: BTreeMap<String, RawTensor<'b>>,
}

/// The bytes before those of the tensors, which follow in the given order: name, type, shape, length in bytes.
pub(crate) fn encode_header<'t>(
    metadata: BTreeMap<String, String>,
    tensors: impl Iterator<Item = (&'t String, &'static str, &'t [usize], usize)>,
) -> io::Result<Vec<u8>> {
    let mut header = Header { metadata, tensors: BTreeMap::new() };
    let mut offset = 0;
    for (name, dtype, shape, length) in tensors {
        let data_offsets = [offset, offset + length];
        offset += length;
        let description = Description { dtype: dtype.to_owned(), shape: shape.to_vec(), data_offsets };
        header.tensors.insert(name.clone(), description);
    }
    let mut json = serde_json::to_vec(&header)?;
    // The tensors shall begin at a multiple of eight.
    json.resize(json.len().next_multiple_of(PREFIX), b' ');
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.append(&mut json);
    Ok(bytes)
}

/// Finds metadata and tensors in the bytes of the file `path`.
pub(crate) fn decode<'b>(path: &Path, bytes: &'b [u8]) -> Result<Contents<'b>, Error> {
    let (header, data) = split(path, bytes)?;
    let header: Header = serde_json::from_slice(header).map_err(|error| damaged(path, error.to_string()))?;
    check_offsets(path, &header, bytes.len(), data.len())?;
    let tensors =
        header.tensors.into_iter().map(|(name, Description { dtype, shape, data_offsets: [start, end] })| {
            (name, RawTensor { dtype, shape, bytes: data.get(start..end).unwrap_or_default() })
        });
    Ok(Contents { metadata: header.metadata, tensors: tensors.collect() })
}

/// Splits a file into its header and its data.
fn split<'b>(path: &Path, bytes: &'b [u8]) -> Result<(&'b [u8], &'b [u8]), Error> {
    let foreign =
        |detail: &str| Error::NotSafetensors { path: path.to_path_buf(), detail: detail.to_owned() };
    if bytes.is_empty() {
        return Err(foreign("it is empty"));
    }
    let (length, rest) = bytes.split_first_chunk::<PREFIX>().ok_or_else(|| foreign("it has no header"))?;
    if rest.first() != Some(&b'{') {
        return Err(foreign("it has no header"));
    }
    let length = u64::from_le_bytes(*length);
    usize::try_from(length)
        .ok()
        .and_then(|length| rest.split_at_checked(length))
        .ok_or_else(|| truncated(path, bytes.len(), length.saturating_add(PREFIX as u64)))
}

/// The tensors must lie one after another, without gaps, and end where the file does.
fn check_offsets(path: &Path, header: &Header, file: usize, data: usize) -> Result<(), Error> {
    let mut offsets: Vec<_> = header.tensors.values().map(|tensor| tensor.data_offsets).collect();
    offsets.sort_unstable();
    let mut reached = 0;
    for [start, end] in offsets {
        if start != reached || end < start {
            return Err(damaged(path, "its tensors do not follow one another".to_owned()));
        }
        reached = end;
    }
    match reached.checked_sub(data) {
        Some(0) => Ok(()),
        Some(absent) => Err(truncated(path, file, (file as u64).saturating_add(absent as u64))),
        None => Err(damaged(path, "the file is longer than its header says".to_owned())),
    }
}

fn truncated(path: &Path, found: usize, expected: u64) -> Error {
    Error::Truncated { path: path.to_path_buf(), found: found as u64, expected }
}

fn damaged(path: &Path, detail: String) -> Error {
    Error::DamagedHeader { path: path.to_path_buf(), detail }
}
