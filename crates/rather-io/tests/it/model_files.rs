//! Model files: what is written comes back, and no bytes do harm.

use crate::folder::Folder;
use proptest::prelude::*;
use rather_io::model_file::{self, ModelFile, Tensor};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

fn model() -> ModelFile {
    let mean = Tensor::F64 { shape: vec![3], data: vec![0.1, -2.5, f64::MIN_POSITIVE] };
    let covariance = Tensor::F64 { shape: vec![2, 2], data: vec![1.0, 0.5, 0.5, 2.0] };
    let winners = Tensor::U64 { shape: vec![2, 1], data: vec![0, u64::MAX] };
    let nothing = Tensor::U64 { shape: vec![0, 4], data: vec![] };
    let tensors = [("mean", mean), ("covariance", covariance), ("winners", winners), ("nothing", nothing)];
    ModelFile {
        header: json!({"kernel": "matern32", "items": ["A", "Müller \"& Co\""], "noise": 0.1}),
        tensors: BTreeMap::from(tensors.map(|(name, tensor)| (name.to_owned(), tensor))),
    }
}

/// The bytes of [`model`] as it is written.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = Folder::new();
    model_file::write(&folder.path("m.model"), &model()).unwrap();
    std::fs::read(folder.path("m.model")).unwrap()
});

fn read(bytes: impl AsRef<[u8]>) -> Result<ModelFile, String> {
    let folder = Folder::new();
    let path = folder.write("m.model", bytes);
    model_file::read(&path).map_err(|error| folder.sentence(&error))
}

/// A file with this header and data.
fn file(header: &Value, data: &[u8]) -> Vec<u8> {
    let header = header.to_string().into_bytes();
    [&(header.len() as u64).to_le_bytes(), header.as_slice(), data].concat()
}

/// A file with these metadata and no tensors.
fn metadata(version: &str, header: &str) -> Vec<u8> {
    file(&json!({"__metadata__": {"format": "rather-model", "version": version, "header": header}}), &[])
}

#[test]
fn a_model_comes_back() {
    assert_eq!(read(&*BYTES), Ok(model()));
    let folder = Folder::new();
    model_file::write(&folder.path("again.model"), &model()).unwrap();
    assert_eq!(std::fs::read(folder.path("again.model")).unwrap(), *BYTES, "the same model, the same bytes");
}

#[test]
fn the_crate_safetensors_reads_it() {
    let file = safetensors::SafeTensors::deserialize(&BYTES).unwrap();
    let covariance = file.tensor("covariance").unwrap();
    assert_eq!((covariance.dtype(), covariance.shape()), (safetensors::Dtype::F64, [2, 2].as_slice()));
    let numbers: Vec<u8> = [1.0f64, 0.5, 0.5, 2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(covariance.data(), numbers);
    let (_, metadata) = safetensors::SafeTensors::read_metadata(&BYTES).unwrap();
    let metadata = metadata.metadata().clone().unwrap();
    assert_eq!((metadata["format"].as_str(), metadata["version"].as_str()), ("rather-model", "2"));
    assert_eq!(serde_json::from_str::<Value>(&metadata["header"]).unwrap(), model().header);
}

#[test]
fn files_that_are_no_models() {
    let folder = Folder::new();
    let missing = model_file::read(&folder.path("m.model")).unwrap_err();
    assert_eq!(folder.sentence(&missing), "m.model does not exist; check its name and folder");
    assert_eq!(
        read("").unwrap_err(),
        "m.model is not a model file (it is empty); name a file written by rather"
    );
    for text in ["x", "winner,loser\nA,B\n"] {
        assert_eq!(
            read(text).unwrap_err(),
            "m.model is not a model file (it has no header); name a file written by rather"
        );
    }
    let sentence = "m.model is a safetensors file but not a model of rather; name a file written by rather";
    let weights = json!({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}});
    assert_eq!(read(file(&weights, &[0; 4])).unwrap_err(), sentence);
    assert_eq!(read(file(&json!({"__metadata__": {"format": "pt"}}), &[])).unwrap_err(), sentence);
}

#[test]
fn versions_and_headers() {
    assert!(read(metadata("1", "{}")).is_ok());
    assert_eq!(
        read(metadata("2", "{}")).unwrap_err(),
        "m.model is damaged: its checksum is not that of its contents; copy it again, or make the model again"
    );
    assert_eq!(
        read(metadata("4", "{}")).unwrap_err(),
        "m.model was written by a newer rather (model version 4; this program reads up to 3): update the program"
    );
    assert_eq!(
        read(metadata("one", "{}")).unwrap_err(),
        "the header of m.model is damaged (its version is no number from 1); make the model again"
    );
    assert_eq!(
        read(metadata("1", "{\"a\"")).unwrap_err(),
        "the header of m.model is damaged (EOF while parsing an object at line 1 column 4); make the model again"
    );
    assert!(read(metadata("1", &"[".repeat(100_000))).unwrap_err().contains("recursion limit"));
}

#[test]
fn a_file_cut_off_anywhere_is_an_error() {
    let length = BYTES.len();
    assert_eq!(
        read(&BYTES[..length - 1]).unwrap_err(),
        format!(
            "m.model is cut off: it has {} bytes and needs at least {length}; copy it or make it again",
            length - 1
        )
    );
    for end in 9..length {
        assert!(read(&BYTES[..end]).unwrap_err().starts_with("m.model is cut off"), "{end}");
    }
    let longer = [BYTES.as_slice(), &[0; 8]].concat();
    assert!(read(longer).unwrap_err().contains("the file is longer than its header says"));
}

#[test]
fn damaged_tensors() {
    let one = |dtype: &str, shape: &[u64], offsets: [u64; 2], data: &[u8]| {
        read(file(
            &json!({
                "__metadata__": {"format": "rather-model", "version": "1", "header": "{}"},
                "t": {"dtype": dtype, "shape": shape, "data_offsets": offsets},
            }),
            data,
        ))
    };
    assert!(one("F64", &[1], [0, 8], &1f64.to_le_bytes()).is_ok());
    let sentence = |fault: &str| format!("the tensor \"t\" of m.model {fault}; make the model again");
    assert_eq!(
        one("F64", &[2], [0, 16], &[1f64.to_le_bytes(), f64::NAN.to_le_bytes()].concat()),
        Err(sentence("has a number that is not finite at index 1"))
    );
    assert_eq!(one("F32", &[2], [0, 8], &[0; 8]), Err(sentence("has the type F32 instead of F64 or U64")));
    assert_eq!(
        one("U64", &[2], [0, 8], &[0; 8]),
        Err(sentence("has 1 numbers where its shape [2] needs another count"))
    );
    assert!(one("U64", &[1 << 32, 1 << 32], [0, 8], &[0; 8]).is_err());
    assert!(one("U64", &[1], [0, u64::MAX], &[0; 8]).unwrap_err().contains("is cut off"));
    assert!(one("U64", &[1], [8, 0], &[0; 8]).unwrap_err().contains("do not follow one another"));
    assert!(one("U64", &[1], [8, 16], &[0; 16]).unwrap_err().contains("do not follow one another"));
}

#[test]
fn what_could_not_be_read_is_not_written() {
    let folder = Folder::new();
    let path = folder.write("m.model", "old");
    for (name, tensor, fault) in [
        (
            "t",
            Tensor::F64 { shape: vec![1], data: vec![f64::INFINITY] },
            "has a number that is not finite at index 0",
        ),
        (
            "t",
            Tensor::U64 { shape: vec![3], data: vec![1] },
            "has 1 numbers where its shape [3] needs another count",
        ),
        (
            "__metadata__",
            Tensor::U64 { shape: vec![1], data: vec![1] },
            "has a name that safetensors keeps for itself",
        ),
    ] {
        let model = ModelFile { header: json!({}), tensors: BTreeMap::from([(name.to_owned(), tensor)]) };
        let error = model_file::write(&path, &model).unwrap_err();
        assert_eq!(
            folder.sentence(&error),
            format!("the tensor \"{name}\" of m.model {fault}; make the model again")
        );
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
}

proptest! {
    #[test]
    fn any_finite_numbers_come_back(
        data in prop::collection::vec(any::<f64>().prop_filter("finite", |v| v.is_finite()), 0..50),
        name in "[^\u{0}]{0,10}".prop_filter("reserved", |name| name != "__metadata__"),
    ) {
        let folder = Folder::new();
        let tensor = Tensor::F64 { shape: vec![data.len()], data };
        let model = ModelFile { header: json!(name), tensors: BTreeMap::from([(name, tensor)]) };
        model_file::write(&folder.path("m.model"), &model).unwrap();
        prop_assert_eq!(model_file::read(&folder.path("m.model")).unwrap(), model);
    }

    #[test]
    fn mutated_bytes_make_a_model_or_an_error(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        end in any::<prop::sample::Index>(),
        cut: bool,
    ) {
        let mut bytes = BYTES.clone();
        for (index, byte) in changes {
            *index.get_mut(&mut bytes) = byte;
        }
        if cut {
            bytes.truncate(end.index(bytes.len()));
        }
        let _ = read(&bytes);
    }

    #[test]
    fn hostile_offsets_make_an_error(offsets in prop::collection::vec(any::<[u64; 2]>(), 1..10), dimension: u64) {
        let mut header = serde_json::Map::new();
        header.insert("__metadata__".into(), json!({"format": "rather-model", "version": "1", "header": "{}"}));
        for (i, offsets) in offsets.iter().enumerate() {
            header.insert(i.to_string(), json!({"dtype": "F64", "shape": [dimension, 2], "data_offsets": offsets}));
        }
        prop_assert!(read(file(&Value::Object(header), &[0; 16])).is_err());
    }
}
