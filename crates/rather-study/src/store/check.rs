//! What can be found out about a file of studies without changing it: `rather study check`.

use super::anchor::Anchor;
use super::database::{beside, length};
pub use super::locks::User;
use super::locks::users;
use super::log;
pub use super::log::Contents;
use super::{Database, Store, rows};
use crate::history::{History, Unreadable};
use crate::learner::Learner;
use crate::study::valid;
use crate::{Error, time};
use serde::Serialize;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The file.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// What is wrong, in sentences.
    pub problems: Vec<String>,
    /// What is worth knowing, in sentences.
    pub notices: Vec<String>,
    /// The studies; none if the file cannot be read.
    pub studies: Vec<StudyReport>,
    /// The write-ahead log beside the file.
    pub log: Option<LogReport>,
    /// Who uses the file; `None` where the operating system does not tell.
    pub used_by: Option<Vec<User>>,
}

/// A study of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StudyReport {
    /// Its name.
    pub name: String,
    /// Who has an event.
    pub participants: usize,
    /// Number of answers, those too that were taken back.
    pub answers: u64,
    /// Number of events.
    pub events: u64,
}

/// The write-ahead log beside the file.
#[derive(Debug, Clone, Serialize)]
pub struct LogReport {
    /// Where it is.
    pub file: String,
    /// What it holds.
    #[serde(flatten)]
    pub contents: Contents,
    /// Whether it belongs to the file.
    pub belongs: bool,
    /// Number of answers that are in the log and not in the file; `None` if that cannot be told while others use them.
    pub answers: Option<u64>,
}

/// More problems of one kind than this are counted only.
const MOST: usize = 20;

/// Checks the file at `path`. If nobody uses it, a copy is looked at, so that nothing is changed: no log is moved into the file.
///
/// # Errors
/// If there is no such file, it is a folder, cannot be read, or is no file of studies.
pub fn check(path: &Path) -> Result<Report, Error> {
    if path.is_dir() {
        return Err(Error::IsFolder { path: path.to_path_buf() });
    }
    let anchor = Anchor::new(path, false).map_err(|e| Error::missing(path, &e))?;
    let real = fs::canonicalize(path).map_err(|e| Error::missing(path, &e))?;
    let used_by = users(anchor.id());
    let mut report = Report {
        file: path.display().to_string(),
        bytes: anchor.length().unwrap_or(0),
        ok: false,
        problems: Vec::new(),
        notices: Vec::new(),
        studies: Vec::new(),
        log: None,
        used_by,
    };
    let log = beside(&real, "-wal");
    let contents = length(&log).map(|_| log::read(&log)).transpose().ok().flatten();
    if report.used_by.as_ref().is_some_and(|users| !users.is_empty()) {
        // Locks keep the others from moving anything while it is read.
        report.log =
            contents.map(|contents| LogReport { file: shown(&log), contents, belongs: true, answers: None });
        report.look(Store::open(path)?)?;
    } else {
        report.look_at_copies(&anchor, &real, contents.map(|contents| (log, contents)), path)?;
    }
    let unused = report.used_by.as_ref().is_none_or(Vec::is_empty);
    if unused && length(&beside(&real, "-journal")).is_some_and(|length| length > 0) {
        report.notices.push(format!(
            "{}-journal was left by a transaction that broke off; the next program that opens the file takes its part back",
            path.display()
        ));
    }
    report.ok = report.problems.is_empty();
    Ok(report)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

impl Report {
    /// Looks at copies of the file, with its log and without.
    fn look_at_copies(
        &mut self,
        anchor: &Anchor,
        real: &Path,
        log: Option<(PathBuf, Contents)>,
        path: &Path,
    ) -> Result<(), Error> {
        let fault = |e: std::io::Error| {
            Error::Backup(format!("a copy of {} could not be made to look at: {e}", path.display()))
        };
        let folder = Folder::new().map_err(fault)?;
        let named = |error: Error, copy: &Path| named(error, copy, path);
        let copy = |name: &str, endings: &[&str]| {
            let to = folder.0.join(name);
            anchor.copy_to(&mut File::create(&to)?)?;
            for ending in endings {
                let from = beside(real, ending);
                if from.exists() {
                    fs::copy(from, beside(&to, ending))?;
                }
            }
            Ok(to)
        };
        let whole = copy("whole", &["-wal", "-journal"]).map_err(fault)?;
        let alone = copy("alone", &[]).map_err(fault)?;
        let opened = Store::open(&whole);
        let belongs = !matches!(opened, Err(Error::ForeignLog { .. }));
        let without = || answers_in(&alone);
        if let Some((log, contents)) = log {
            let with =
                if belongs { opened.as_ref().ok().and_then(|store| store.answers().ok()) } else { None };
            let answers = with.map(|with| with.saturating_sub(without().unwrap_or(0)));
            self.log = Some(LogReport { file: shown(&log), contents, belongs, answers });
        }
        match opened {
            Ok(store) => self.look(store).map_err(|e| named(e, &whole)),
            Err(Error::ForeignLog { .. }) => {
                self.problems.push(Error::ForeignLog { path: path.to_path_buf() }.to_string());
                self.look(Store::open(&alone).map_err(|e| named(e, &alone))?).map_err(|e| named(e, &alone))
            }
            Err(error @ (Error::Damaged { .. } | Error::Truncated { .. } | Error::LogMissing { .. })) => {
                self.problems.push(named(error, &whole).to_string());
                Ok(())
            }
            Err(error) => Err(named(error, &whole)),
        }
    }

    /// Looks at an open file.
    fn look(&mut self, store: Store) -> Result<(), Error> {
        let path = self.file.clone();
        self.notices.extend(store.notices()?.into_iter().map(|n| n.replace(&shown(store.path()), &path)));
        for said in integrity(&store) {
            self.problems.push(format!("{path} is damaged: {said}"));
        }
        for name in store.studies()? {
            match self.look_at(&store, &name) {
                Ok(study) => self.studies.push(study),
                Err(error) => self.problems.push(error.to_string().replace(&shown(store.path()), &path)),
            }
        }
        Ok(())
    }

    fn look_at(&mut self, store: &Store, name: &str) -> Result<StudyReport, Error> {
        let row = rows::study(store, Some(name))?;
        let names = row.definition.participants.names.clone();
        let learner = Learner::new(row.definition)?;
        let mut report = StudyReport { name: name.to_owned(), participants: 0, answers: 0, events: 0 };
        let (mut wrong, mut late) = (Vec::new(), Vec::new());
        for participant in store.check(rows::participants(store.connection(), row.id))? {
            report.participants += 1;
            if !names.is_empty() && !names.contains(&participant) {
                wrong.push(format!(
                    "it has events of {}, who is no participant",
                    rather_io::quote(&participant)
                ));
            }
            let mut history = History::default();
            let mut clock = row.created;
            for event in store.check(rows::events_of(store.connection(), row.id, &participant, 0))? {
                report.events += 1;
                report.answers += u64::from(is_answer(&event.kind));
                // Imported answers have times of their own.
                if event.kind != "imported" {
                    if event.time < clock {
                        late.push(event.id);
                    }
                    clock = event.time;
                }
                if let Err(problem) = valid::check(&learner, &event) {
                    wrong.push(problem);
                } else if let Err(Unreadable::Damaged(problem) | Unreadable::Unknown(problem)) =
                    history.apply(event)
                {
                    wrong.push(problem);
                }
            }
        }
        let quoted = rather_io::quote(name);
        self.problems.extend(wrong.iter().take(MOST).map(|problem| format!("study {quoted}: {problem}")));
        if wrong.len() > MOST {
            self.problems.push(format!(
                "study {quoted}: {} more events do not fit its definition",
                wrong.len() - MOST
            ));
        }
        if let Some(first) = late.first() {
            self.notices.push(format!(
                "study {quoted}: the clock was set back {} times, first before event {first}; the order of the answers is kept, but not how long \
                 they took",
                late.len()
            ));
        }
        let ahead: i64 = store.check(store.connection().query_row(
            "SELECT count(*) FROM events WHERE study = ?1 AND time > ?2",
            [row.id, now() + DAY],
            |row| row.get(0),
        ))?;
        if ahead > 0 {
            self.notices.push(format!(
                "study {quoted}: {ahead} events have times after {}; the clock of a machine was or is wrong",
                time::format(now())
            ));
        }
        Ok(report)
    }
}

const DAY: i64 = 86_400_000;

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
}

fn is_answer(kind: &str) -> bool {
    matches!(kind, "answered" | "imported")
}

/// What SQLite finds wrong.
fn integrity(store: &Store) -> Vec<String> {
    let found = store.connection().prepare("PRAGMA integrity_check(20)").and_then(|mut statement| {
        statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()
    });
    match found {
        Ok(lines) => lines.into_iter().filter(|line| line != "ok").collect(),
        Err(error) => vec![error.to_string()],
    }
}

impl Store {
    /// Number of answers in the file, those too that were taken back.
    fn answers(&self) -> Result<u64, Error> {
        let sql = "SELECT count(*) FROM events WHERE kind IN ('answered', 'imported')";
        self.check(self.connection().query_row(sql, [], |row| row.get::<_, i64>(0))).map(i64::unsigned_abs)
    }
}

/// The answers of a file without its log; none if it has no tables yet.
fn answers_in(path: &Path) -> Option<u64> {
    let store = Store::of(Database::open(path, false).ok()?);
    store.answers().ok()
}

/// An error about a copy, as one about the file that was copied.
fn named(error: Error, copy: &Path, path: &Path) -> Error {
    match error {
        Error::Damaged { detail, .. } => Error::Damaged { path: path.to_path_buf(), detail },
        Error::Truncated { found, expected, .. } => {
            Error::Truncated { path: path.to_path_buf(), found, expected }
        }
        Error::LogMissing { .. } => Error::LogMissing { path: path.to_path_buf() },
        other => Error::Backup(other.to_string().replace(&shown(copy), &shown(path))),
    }
}

/// A folder that is removed with all that is in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let path = std::env::temp_dir().join(format!("rather-check-{}-{now}", std::process::id()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
