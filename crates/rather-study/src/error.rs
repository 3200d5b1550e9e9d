//! Everything that can be wrong with a study or its file.

use rather_io::{list, quote};
use std::path::{Path, PathBuf};

/// An error of a study. Its message is one sentence that says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such file.
    #[error("{} does not exist; make a study with `rather study new {}`", path.display(), path.display())]
    NotFound {
        /// The file asked for.
        path: PathBuf,
    },
    /// The file is a folder.
    #[error("{} is a folder; name a file", path.display())]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder of a file to be made does not exist.
    #[error("{} cannot be made because its folder does not exist; make the folder first", path.display())]
    FolderNotFound {
        /// The file to be made.
        path: PathBuf,
    },
    /// The operating system forbids it.
    #[error(
        "you are not permitted to write {} or beside it; change the permissions or use another file",
        path.display()
    )]
    NotPermitted {
        /// The file.
        path: PathBuf,
    },
    /// The file has no byte, or no table.
    #[error("{} is empty; make a study in it with `rather study new {}`", path.display(), path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file is no database.
    #[error("{} is not a study file (it is no SQLite database); name a file made by `rather study new`", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is a database of another program.
    #[error("{} is an SQLite database, but not one of studies; name a file made by `rather study new`", path.display())]
    NotAStudy {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later version.
    #[error(
        "{} was written by a newer rather (study version {version}; this program reads up to {supported}): update the program",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The latest version that can be read.
        supported: i64,
    },
    /// The end of the file is not there.
    #[error("{} is cut off: it has {found} bytes and should have {expected}; {}", path.display(), restore(path))]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The bytes there are.
        found: u64,
        /// The bytes there should be.
        expected: u64,
    },
    /// Something in the file is not as it was written.
    #[error("{} is damaged ({detail}); {}", path.display(), restore(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// The file holds something that only a later version can write.
    #[error(
        "{} has {what}, which this program does not know: update the program, or, if no newer one wrote to the file, {}",
        path.display(), restore(path)
    )]
    UnknownKind {
        /// The file.
        path: PathBuf,
        /// What it holds.
        what: String,
    },
    /// The file's last transactions were in a log that is not there.
    #[error(
        "{0} has no answers of its own: they are in {0}-wal beside the original; copy that file, too, or make the copy with `rather study backup`",
        path.display()
    )]
    LogMissing {
        /// The file.
        path: PathBuf,
    },
    /// Beside the file there is the log of another file.
    #[error(
        "{0}-wal does not belong to {0}, which was closed or restored without it: to use {0} as it is, move {0}-wal and {0}-shm away; \
         `rather study check {0}` shows the contents of the log",
        path.display()
    )]
    ForeignLog {
        /// The file.
        path: PathBuf,
    },
    /// The log cannot be read without writing.
    #[error("{0} cannot be read in a folder that may not be written to, because {0}-wal has a part of it; copy both to another folder", path.display())]
    ReadOnlyLog {
        /// The file.
        path: PathBuf,
    },
    /// The file or its log was moved while it was in use.
    #[cfg(feature = "sqlite")]
    #[error("{}", moved(path, *what, rescue))]
    Moved {
        /// The file.
        path: PathBuf,
        /// What happened.
        what: crate::store::Moved,
        /// Where everything was kept, or why that was not possible.
        rescue: Result<PathBuf, String>,
    },
    /// This process or the system has no descriptors left.
    #[error("{} could not be opened because too many files are open; close some, or raise the limit (ulimit -n)", path.display())]
    TooManyFiles {
        /// The file.
        path: PathBuf,
    },
    /// A backup that cannot be made.
    #[error("{0}")]
    Backup(String),
    /// Another process keeps the file to itself.
    #[error("another program has kept {} locked for {seconds} seconds; try again when it is done", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long was waited.
        seconds: u64,
    },
    /// There is no space left.
    #[error("{} could not be written because the disk is full; nothing was recorded: make room and try again", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// Anything else that SQLite has against it.
    #[cfg(feature = "sqlite")]
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: Box<rusqlite::Error>,
    },

    /// The file holds no study.
    #[error("{} has no study yet; make one with `rather study new {}`", path.display(), path.display())]
    NoStudy {
        /// The file.
        path: PathBuf,
    },
    /// The file holds several studies, and none was named.
    #[error("{} has the studies {}; choose one with --study", path.display(), list(names))]
    WhichStudy {
        /// The file.
        path: PathBuf,
        /// Their names.
        names: Vec<String>,
    },
    /// The file holds no study of this name.
    #[error("{} has no study {}; its studies are {}", path.display(), quote(name), list(known))]
    UnknownStudy {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The study was deleted while it was open here.
    #[error("the study {} was deleted from {} while it was in use; nothing was recorded", quote(name), path.display())]
    Deleted {
        /// The file.
        path: PathBuf,
        /// The name that it had.
        name: String,
    },
    /// More was compared than one model of all answers is fitted to.
    #[error(
        "{found} different items or pairs were compared, and one model of all answers is fitted to at most {most}; export the answers and use `rather arena` or \
         `rather fit`"
    )]
    ManyForAgreement {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A study of this name is there already.
    #[error("{} has a study {} already; choose another name with --study, or another file", path.display(), quote(name))]
    StudyExists {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },

    /// A definition is not UTF-8.
    #[error("{} is not UTF-8 text; save the file as UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
    /// A definition in TOML is wrong.
    #[error("{}, line {line}, column {column}: {problem}", path.display())]
    Definition {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong and what to do.
        problem: String,
    },
    /// A definition made in code is wrong.
    #[error("{0}")]
    Fault(crate::definition::Fault),

    /// A name that is none.
    #[error("{0}")]
    Name(String),
    /// A timing that cannot be.
    #[error("{0}")]
    Timing(String),
    /// Somebody who may not answer.
    #[error("{} is not a participant of this study; the participants are {}", quote(name), list(known))]
    UnknownParticipant {
        /// The name.
        name: String,
        /// Who may answer.
        known: Vec<String>,
    },
    /// The participant must be named.
    #[error("this study has the participants {}; name one with --participant", list(known))]
    WhichParticipant {
        /// Who may answer.
        known: Vec<String>,
    },
    /// There is no open duel to answer.
    #[error("there is no open comparison for {participant}; ask for one first")]
    NoOpenDuel {
        /// Who wants to answer.
        participant: String,
    },
    /// The answer is for a duel that is not open.
    #[error("comparison {duel} of {participant} {state}")]
    NotOpen {
        /// Who wants to answer.
        participant: String,
        /// The duel.
        duel: u32,
        /// What became of it, and what to do.
        state: String,
    },
    /// A key was used for something else.
    #[error("the key {} was used for another answer already; use a new key for every answer", quote(key))]
    KeyReused {
        /// The key.
        key: String,
    },
    /// There is nothing to take back.
    #[error("participant {} has no answer to undo", quote(participant))]
    NothingToUndo {
        /// Who wants to.
        participant: String,
    },
    /// What is compared is no alternative of this study.
    #[error("{0}")]
    Alternative(String),
    /// An alternative is compared with itself.
    #[error("{} is compared with itself; name two different ones", quote(alternative))]
    SelfComparison {
        /// The alternative.
        alternative: String,
    },
    /// A goal of sorting that is none.
    #[error(
        "{} is no goal; write best:0.95, top:5:0.9 (probabilities between 0 and 1) or regret:0.1",
        quote(text)
    )]
    Goal {
        /// What was written.
        text: String,
    },
    /// An answer that cannot be understood.
    #[error("{} is not an answer of this study; write {}", quote(text), alternatives(known))]
    UnknownAnswer {
        /// What was written.
        text: String,
        /// What may be answered.
        known: Vec<crate::Answer>,
    },
    /// An answer about a set names an option that the question does not show.
    #[error("there is no option {number} in a question about {options}; write a number from 1 to {options}")]
    NoOption {
        /// The number.
        number: u8,
        /// How many options there are.
        options: usize,
    },
    /// An answer about a set names one option as the best and as the worst.
    #[error("option {option} cannot be both the best and the worst; name two different ones")]
    SameExtremes {
        /// The option's number or name.
        option: String,
    },
    /// An answer about a set names what the question does not show.
    #[error("{} is not an option of this question; its options are {}", quote(name), list(options))]
    NotShown {
        /// What was named.
        name: String,
        /// What is shown.
        options: Vec<String>,
    },
    /// A question of this study has another number of options.
    #[error("a question of this study is about {expected} options, and {found} {} named; name {expected}", was(*found))]
    Options {
        /// How many options a question has.
        expected: usize,
        /// How many were named.
        found: usize,
    },
    /// There are no answers yet.
    #[error("participant {participant} has no answers yet; ask and tell first")]
    NoAnswers {
        /// Whose answers are looked at.
        participant: String,
    },

    /// There is nothing to write.
    #[error("participant {participant} has no answers to export yet; ask and tell first")]
    NothingToExport {
        /// Whose answers are wanted.
        participant: String,
    },
    /// A line of an imported file is wrong.
    #[error("{place}: {problem}")]
    Line {
        /// The file and the line.
        place: rather_io::Place,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The very same file was imported before.
    #[error(
        "{} was imported already, with its {answers} answers; name another participant if they are of somebody else, or add them again with --again",
        path.display()
    )]
    Imported {
        /// The file.
        path: PathBuf,
        /// How many answers that made.
        answers: i64,
    },
    /// A format that is none, or does not suit.
    #[error("{0}")]
    Format(String),

    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] rather_io::Error),
    /// The model could not be learned.
    #[error("the answers could not be learned from: {0}")]
    Learning(#[from] rather::Error),
}

/// The verb of so many.
fn was(number: usize) -> &'static str {
    if number == 1 { "was" } else { "were" }
}

/// What to do with a file that is damaged.
fn restore(path: &Path) -> String {
    let path = path.display();
    format!(
        "`rather study check {path}` shows details; to restore a backup, first move {path}, {path}-wal, {path}-shm and {path}-journal away"
    )
}

/// What happened to a file that is in use, and what to do.
#[cfg(feature = "sqlite")]
fn moved(path: &Path, what: crate::store::Moved, rescue: &Result<PathBuf, String>) -> String {
    use crate::store::Moved;
    let path = path.display();
    let happened = match what {
        Moved::FileRemoved => format!("{path} was removed"),
        Moved::FileReplaced => format!("{path} was replaced by another file"),
        Moved::LogRemoved => format!("{path}-wal was removed"),
        Moved::LogReplaced => format!("{path}-wal was replaced by another file"),
    };
    let kept = match rescue {
        Ok(rescue) => format!(
            "all answers up to this one are kept in {0}: end every program that uses {path}, move {path}, {path}-wal and {path}-shm away, \
             and rename {0} to {path}",
            rescue.display()
        ),
        Err(reason) => format!(
            "the answers since the last checkpoint could not be kept elsewhere ({reason}); do not end this program before they are"
        ),
    };
    format!("{happened} while it was in use, so this was not recorded there; {kept}")
}

/// "left, right or skip"; of numbers from which to which they are; of a set "best N or skip, with N from 1 to 4".
fn alternatives(answers: &[crate::Answer]) -> String {
    let of_set = answers.iter().filter_map(|answer| answer.extremes());
    if let Some((options, worst)) = of_set.max_by_key(|(best, _)| *best) {
        let worst = if worst.is_some() { ", worst M" } else { "" };
        let numbers = if worst.is_empty() { "N" } else { "N and M" };
        return format!("\"best N{worst}\" with {numbers} from 1 to {options}, or skip");
    }
    let number =
        |answer: &crate::Answer| matches!(answer, crate::Answer::LeftBy(_)).then(|| answer.strength());
    if let Some(most) = answers.iter().filter_map(number).flatten().max() {
        return format!("a number from {most} (left) over 0 to -{most} (right), or skip");
    }
    or(&answers.iter().map(|answer| answer.name()).collect::<Vec<_>>())
}

/// "a, b or c".
pub(crate) fn or(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

impl From<crate::definition::Fault> for Error {
    fn from(fault: crate::definition::Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Error {
    /// Whether whoever runs the program can mend it; anything else is a fault of the machine.
    pub fn is_users(&self) -> bool {
        #[cfg(feature = "sqlite")]
        if matches!(self, Self::Sqlite { .. }) {
            return false;
        }
        !matches!(self, Self::File(rather_io::Error::Io { .. }) | Self::DiskFull { .. })
    }

    /// What SQLite has against the file at `path`.
    #[cfg(feature = "sqlite")]
    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let damaged =
            |detail: &rusqlite::Error| Self::Damaged { path: path.to_path_buf(), detail: detail.to_string() };
        // A value of another type, or no text: this program writes neither.
        let rusqlite::Error::SqliteFailure(failure, said) = &source else {
            return match source {
                rusqlite::Error::SqlInputError { .. }
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..)
                | rusqlite::Error::QueryReturnedNoRows => damaged(&source),
                _ => Self::Sqlite { path: path.to_path_buf(), source: Box::new(source) },
            };
        };
        let path = path.to_path_buf();
        match failure.code {
            Code::NotADatabase | Code::DatabaseCorrupt => crate::store::diagnose(&path, &source),
            Code::DatabaseBusy | Code::DatabaseLocked => {
                Self::Busy { path, seconds: crate::store::PATIENCE.as_secs() }
            }
            Code::CannotOpen if crate::store::too_many_files() => Self::TooManyFiles { path },
            Code::ReadOnly | Code::PermissionDenied | Code::CannotOpen => Self::NotPermitted { path },
            Code::DiskFull => Self::DiskFull { path },
            // Keys are made so that they never meet, and tables are never changed.
            Code::ConstraintViolation => damaged(&source),
            Code::Unknown if said.as_ref().is_some_and(|said| said.starts_with("no such ")) => {
                damaged(&source)
            }
            _ => Self::Sqlite { path, source: Box::new(source) },
        }
    }
}
