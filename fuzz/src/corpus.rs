//! Inputs to start from: files in `corpus/TARGET`, the model files of all versions, and what is compressed or binary made from these.

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::file::properties::WriterProperties;
use rather_study::{Answer, Ask, Definition, Study};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The inputs of a target, in a fixed order.
///
/// # Panics
/// If a file cannot be read, or there are none.
pub fn inputs(target: &str) -> Vec<Vec<u8>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut inputs = match target {
        "models" => ["v1", "v2"]
            .into_iter()
            .flat_map(|version| {
                files(&here.join("../crates/rather-io/tests/fixtures").join(version), "rather")
            })
            .collect(),
        "gzip" => ["items", "comparisons", "ratings"]
            .into_iter()
            .flat_map(inputs)
            .map(|plain| gzip(&plain))
            .collect(),
        "parquet" => tables(),
        "studies" => {
            vec![study(&Definition::of_items(["a", "b", "c", "d"].map(str::to_owned))), study(&parameters())]
        }
        _ => Vec::new(),
    };
    inputs.extend(files(&here.join("corpus").join(target), ""));
    assert!(!inputs.is_empty(), "the target {target} has no corpus");
    inputs
}

/// The contents of the files in a folder with this extension, sorted by name; of none if there is no such folder.
fn files(folder: &Path, extension: &str) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    paths.retain(|path| extension.is_empty() || path.extension().is_some_and(|e| e == extension));
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file of the corpus can be read")).collect()
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// Tables of items, and of comparisons, in every codec.
fn tables() -> Vec<Vec<u8>> {
    let text = |cells: &[&str]| Arc::new(StringArray::from(cells.to_vec())) as ArrayRef;
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![4.5, 7.0, -1.25, 0.0]));
    let counts: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
    let items = vec![
        ("item", text(&["A", "B", "C", "D"])),
        ("price", numbers),
        ("kind", text(&["x", "y", "x", "x"])),
    ];
    let duels = vec![
        ("winner", text(&["A", "B", "C", "A"])),
        ("loser", text(&["B", "C", "D", "D"])),
        ("count", counts),
    ];
    let codecs = [
        Codec::UNCOMPRESSED,
        Codec::SNAPPY,
        Codec::GZIP(Default::default()),
        Codec::ZSTD(ZstdLevel::default()),
    ];
    codecs.into_iter().flat_map(|codec| [&items, &duels].map(|columns| parquet(columns, codec))).collect()
}

fn parquet(columns: &[(&str, ArrayRef)], codec: Codec) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns.to_vec()).expect("columns of one length");
    let properties = WriterProperties::builder().set_compression(codec).build();
    let mut writer =
        ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).expect("a schema of plain types");
    writer.write(&batch).expect("memory takes everything");
    writer.into_inner().expect("memory takes everything")
}

fn parameters() -> Definition {
    let text = "[parameters]\nx = { type = \"float\", low = 0, high = 10 }\nmode = { type = \"categorical\", choices = [\"a\", \"b\"] }\n";
    rather_study::definition::read_toml_text(text, "parameters.toml".as_ref()).expect("a definition")
}

/// The file of a study with three answers.
fn study(definition: &Definition) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("s.study");
    let mut study = Study::create(&path, "s", definition).expect("a study can be made");
    for answer in [Answer::Left, Answer::Right, Answer::Left] {
        if let Ask::Duel(asked) = study.ask("ann").expect("a question") {
            study.tell("ann", Some(asked.number), answer, None).expect("an answer is taken");
        }
    }
    // Whoever closes the file last brings everything into it.
    drop(study);
    fs::read(path).expect("the study can be read")
}
