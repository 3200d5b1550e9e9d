//! Files that older versions made. They stay for ever: what was recorded is read, whatever the program has become.

use rather_study::store::check;
use rather_study::{Format, Study};
use std::fs;
use std::path::{Path, PathBuf};

const NAMES: [&str; 4] = ["items", "parameters", "streaming", "participants"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1").join(name)
}

/// A study of version 1 in a folder of its own, with what `rather` of version 0.1.0 exported of it.
fn study(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{name}.study"));
    fs::copy(fixture(&format!("{name}.study")), &path).unwrap();
    (folder, path)
}

#[test]
fn files_of_version_1_hold_what_was_recorded() {
    for name in NAMES {
        let (_folder, path) = study(name);
        let mut study = Study::open(&path, None).unwrap();
        // What was called a half-life then is a walk, and stays one.
        let definition = study.definition();
        assert_eq!((definition.half_life, definition.drift), (None, (name == "streaming").then_some(50.0)));
        for (format, ending) in [(Format::Csv, "csv"), (Format::Jsonl, "jsonl")] {
            let expected = fs::read_to_string(fixture(&format!("{name}.{ending}"))).unwrap();
            let (found, expected) = (study.export(format, None).unwrap(), expected.as_str());
            assert_eq!(lines(&found), lines(expected), "{name}.{ending}");
        }
        drop(study);
        assert!(check::check(&path).unwrap().ok, "{name}");
    }
}

/// The events, without the line that holds the program's version.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.contains("\"rather\":")).collect()
}

#[test]
fn files_of_version_1_give_the_same_advice() {
    for name in NAMES {
        let (_folder, path) = study(name);
        let text = fs::read_to_string(fixture(&format!("{name}.best.json"))).unwrap();
        let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut study = Study::open(&path, None).unwrap();
        let advice = study.advice(expected["participant"].as_str().unwrap()).unwrap();
        assert_eq!(advice.answers as u64, expected["answers"].as_u64().unwrap(), "{name}");
        // A later version may compute in another order: as much as inference is exact to.
        let (mean, was) = (advice.utility.mean, expected["utility"]["mean"].as_f64().unwrap());
        assert!((mean - was).abs() < 1e-3 * was.abs().max(1.0), "{name}: {mean} was {was}");
    }
}

#[test]
fn files_of_version_1_can_be_gone_on_with() {
    for name in NAMES {
        let (_folder, path) = study(name);
        let mut study = Study::open(&path, None).unwrap();
        let participant = study.participants().unwrap().remove(0);
        let before = study.history(&participant).unwrap().answers();
        let rather_study::Ask::Duel(asked) = study.ask(&participant).unwrap() else {
            panic!("it has no end")
        };
        study.tell(&participant, Some(asked.number), rather_study::Answer::Left, None).unwrap();
        drop(study);
        assert_eq!(Study::open(&path, None).unwrap().history(&participant).unwrap().answers(), before + 1);
    }
}
