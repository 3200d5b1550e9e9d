//! Model files: one safetensors file, with a JSON header in its metadata.
//!
//! The metadata are `crc32` (a checksum), `format` (`rather-model`), `version` (of this container) and `header` (JSON, whatever
//! the program keeps beside the numbers). Nothing in such a file is ever executed, and any program that
//! reads safetensors and JSON can use it.
//!
//! | version | |
//! |---|---|
//! | 1 | no checksum |
//! | 2 | the metadata begin with `crc32`, a checksum of the whole file |
//! | 3 | as 2, with an array `weights`, without which the model would be another |
//!
//! Every version is read; of 2 and 3 the earlier one is written that says all.

use crate::checksum::{Checksum, Verdict};
use crate::error::{Action, Error, TensorFault};
use crate::safetensors::{self, RawTensor};
use crate::{atomic, checksum, file};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

const FORMAT: &str = "rather-model";
const VERSION: u64 = 3;
/// The first version with a checksum.
const CHECKED: u64 = 2;

/// The array of the weights of answers, which versions before 3 do not know.
pub(crate) const WEIGHTS: &str = "weights";

/// Length of a number in bytes, of either type.
const NUMBER: usize = 8;

/// The contents of a model file.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFile {
    /// What is not an array of numbers.
    pub header: serde_json::Value,
    /// Arrays of numbers by name.
    pub tensors: BTreeMap<String, Tensor>,
}

/// An array of numbers, row by row.
#[derive(Debug, Clone, PartialEq)]
pub enum Tensor {
    /// Finite floating-point numbers.
    F64 {
        /// The lengths of the axes.
        shape: Vec<usize>,
        /// As many numbers as the product of `shape`.
        data: Vec<f64>,
    },
    /// Whole numbers.
    U64 {
        /// The lengths of the axes.
        shape: Vec<usize>,
        /// As many numbers as the product of `shape`.
        data: Vec<u64>,
    },
}

impl Tensor {
    /// The lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        match self {
            Self::F64 { shape, .. } | Self::U64 { shape, .. } => shape,
        }
    }

    /// Number of numbers.
    pub fn len(&self) -> usize {
        match self {
            Self::F64 { data, .. } => data.len(),
            Self::U64 { data, .. } => data.len(),
        }
    }

    /// Whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn dtype(&self) -> &'static str {
        match self {
            Self::F64 { .. } => "F64",
            Self::U64 { .. } => "U64",
        }
    }

    fn check(&self) -> Result<(), TensorFault> {
        if element_count(self.shape()) != Some(self.len()) {
            return Err(TensorFault::Shape { shape: self.shape().to_vec(), found: self.len() });
        }
        let infinite = match self {
            Self::F64 { data, .. } => data.iter().position(|value| !value.is_finite()),
            Self::U64 { .. } => None,
        };
        infinite.map_or(Ok(()), |index| Err(TensorFault::NotFinite(index)))
    }

    fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::F64 { data, .. } => data.iter().try_for_each(|v| writer.write_all(&v.to_le_bytes())),
            Self::U64 { data, .. } => data.iter().try_for_each(|v| writer.write_all(&v.to_le_bytes())),
        }
    }

    fn from_raw(raw: RawTensor<'_>) -> Result<Self, TensorFault> {
        let RawTensor { dtype, shape, bytes } = raw;
        let (numbers, rest) = bytes.as_chunks::<NUMBER>();
        if !rest.is_empty() {
            return Err(TensorFault::Shape { shape, found: numbers.len() });
        }
        let tensor = match dtype.as_str() {
            "F64" => Self::F64 { shape, data: numbers.iter().map(|&b| f64::from_le_bytes(b)).collect() },
            "U64" => Self::U64 { shape, data: numbers.iter().map(|&b| u64::from_le_bytes(b)).collect() },
            _ => return Err(TensorFault::Type(dtype)),
        };
        tensor.check()?;
        Ok(tensor)
    }
}

fn element_count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1, |product: usize, &length| product.checked_mul(length))
}

/// Writes `model` to `path`. A file that is there stays whole until the new one is: an interrupted run
/// leaves at most a temporary file beside it, which a later one removes. The same model gives the same bytes.
///
/// # Errors
/// If a tensor has a number that is not finite or does not fill its shape, or the file cannot be written.
pub fn write(path: &Path, model: &ModelFile) -> Result<(), Error> {
    for (name, tensor) in &model.tensors {
        let reserved = (name == safetensors::RESERVED).then_some(TensorFault::Name);
        reserved.map_or_else(|| tensor.check(), Err).map_err(|fault| damaged_tensor(path, name, fault))?;
    }
    let metadata = [
        (checksum::KEY, checksum::BLANK.to_owned()),
        ("format", FORMAT.to_owned()),
        ("version", if model.tensors.contains_key(WEIGHTS) { VERSION } else { CHECKED }.to_string()),
        ("header", model.header.to_string()),
    ]
    .map(|(key, value)| (key.to_owned(), value));
    let tensors = model.tensors.iter().map(|(name, t)| (name, t.dtype(), t.shape(), t.len() * NUMBER));
    let fault = |source| Error::io(Action::Write, path, source);
    let mut header = safetensors::encode_header(BTreeMap::from(metadata), tensors).map_err(fault)?;
    let mut sum = Checksum::default();
    sum.write_all(&header)
        .and_then(|()| model.tensors.values().try_for_each(|t| t.write(&mut sum)))
        .map_err(fault)?;
    checksum::fill(&mut header, &sum);
    atomic::write(path, |writer| {
        writer.write_all(&header)?;
        model.tensors.values().try_for_each(|tensor| tensor.write(writer))
    })
}

/// Reads the model file at `path`, which may come from a stranger: whatever its bytes are, the result is a
/// model or an error, and the memory used is bounded by the size of the file.
///
/// # Errors
/// If the file cannot be read, is no model file, is cut off or damaged, or is of a later version.
pub fn read(path: &Path) -> Result<ModelFile, Error> {
    let bytes = file::read(path)?;
    decode(path, &bytes)
}

/// As [`read`], for the bytes of a file that would be called `path`.
///
/// # Errors
/// As [`read`].
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<ModelFile, Error> {
    decode(path, bytes)
}

fn decode(path: &Path, bytes: &[u8]) -> Result<ModelFile, Error> {
    let contents = safetensors::decode(path, bytes)?;
    // Before anything in the file is believed, its version included.
    let found = checksum::verify(bytes, contents.metadata.get(checksum::KEY));
    if found == Verdict::Wrong {
        return Err(Error::Checksum { path: path.to_path_buf() });
    }
    let header = decode_header(path, &contents.metadata, found)?;
    let tensors = contents
        .tensors
        .into_iter()
        .map(|(name, raw)| match Tensor::from_raw(raw) {
            Ok(tensor) => Ok((name, tensor)),
            Err(fault) => Err(damaged_tensor(path, &name, fault)),
        })
        .collect::<Result<_, _>>()?;
    Ok(ModelFile { header, tensors })
}

fn decode_header(
    path: &Path,
    metadata: &BTreeMap<String, String>,
    found: Verdict,
) -> Result<serde_json::Value, Error> {
    if metadata.get("format").map(String::as_str) != Some(FORMAT) {
        return Err(Error::NotAModel { path: path.to_path_buf() });
    }
    let damaged = |detail: String| Error::DamagedHeader { path: path.to_path_buf(), detail };
    match metadata.get("version").and_then(|version| version.parse().ok()) {
        None | Some(0) => return Err(damaged("its version is no number from 1".to_owned())),
        Some(version) if version > VERSION => {
            return Err(Error::NewerModel { path: path.to_path_buf(), version, supported: VERSION });
        }
        Some(CHECKED..) if found == Verdict::Absent => {
            return Err(Error::Checksum { path: path.to_path_buf() });
        }
        Some(_) => {}
    }
    let header =
        metadata.get("header").ok_or_else(|| damaged("a part called header is missing".to_owned()))?;
    serde_json::from_str(header).map_err(|error| damaged(error.to_string()))
}

fn damaged_tensor(path: &Path, name: &str, fault: TensorFault) -> Error {
    Error::DamagedTensor { path: path.to_path_buf(), tensor: name.to_owned(), fault }
}
