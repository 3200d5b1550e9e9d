//! Files of studies, which are SQLite databases.

use rather_study::{Answer, Ask, Format, Study};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder in memory, if the system has one.
#[derive(Debug)]
pub(super) struct Scratch(tempfile::TempDir);

impl Scratch {
    pub(super) fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        Self(folder.expect("a folder for temporary files"))
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Opens the bytes as a study, and uses it.
pub(super) fn studies(bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.path("s.study");
    std::fs::write(&path, bytes).expect("a file can be written");
    if let Ok(mut study) = Study::open(&path, None) {
        use_study(&mut study);
    }
}

/// Looks, asks, answers, takes back and writes out.
pub(super) fn use_study(study: &mut Study) {
    /// A question is due after this, whatever the definition allows.
    const LIMIT: Duration = Duration::from_millis(5);
    let person = study
        .participants()
        .ok()
        .and_then(|names| names.first().cloned())
        .unwrap_or_else(|| "ann".to_owned());
    drop(study.standing(&person));
    for answer in [Answer::Left, Answer::Right, Answer::Tie] {
        if let Ok(Ask::Duel(asked)) = study.ask_within(&person, LIMIT) {
            drop(study.tell(&person, Some(asked.number), answer, None));
        }
    }
    drop(study.undo(&person, None));
    drop(study.advice(&person));
    drop(study.export(Format::Jsonl, None));
    drop(study.export(Format::Csv, None));
}
