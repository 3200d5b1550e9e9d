//! `rather study`: the commands, one a file.

mod ask;
mod backup;
mod best;
mod check;
mod exchange;
mod keys;
mod new;
mod run;
mod status;
mod tell;

pub(super) use keys::{Key, MOST_KEYS, read_key};

use crate::args::{StudyArgs, StudyCommand, Which};
use crate::failure::Failure;
use crate::output::Output;
use rather_study::{Alternative, Study};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &StudyArgs, seed: u64, out: Output) -> Result<(), Failure> {
    match &args.command {
        StudyCommand::New(args) => new::run(args, seed, out),
        StudyCommand::Ask(args) => ask::run(args, out),
        StudyCommand::Tell(args) => tell::run(args, out),
        StudyCommand::Skip(args) => tell::skip(args, out),
        StudyCommand::Undo(args) => tell::undo(args, out),
        StudyCommand::Best(args) => best::run(args, out),
        StudyCommand::Status(args) => status::run(args, out),
        StudyCommand::Export(args) => exchange::export(args, out),
        StudyCommand::Import(args) => exchange::import(args, out),
        StudyCommand::Backup(args) => backup::run(args, out),
        StudyCommand::Check(args) => check::run(args, out),
        StudyCommand::Run(args) => run::run(args, out),
    }
}

impl Which {
    /// The study, and who answers.
    fn open(&self, out: &mut Output) -> Result<(Study, String), Failure> {
        let study = open(&self.file, self.study.as_deref(), out)?;
        let participant = study.participant(self.participant.as_deref())?;
        Ok((study, participant))
    }

    /// The same command line for another command, for a hint.
    fn hint(&self, command: &str) -> String {
        let mut line = format!("rather study {command} {}", shell(&self.file.display().to_string()));
        for (flag, value) in [("--study", &self.study), ("--participant", &self.participant)] {
            if let Some(value) = value {
                line += &format!(" {flag} {}", shell(value));
            }
        }
        line
    }
}

/// The study of a file; says what is worth knowing about the file.
fn open(file: &Path, study: Option<&str>, out: &mut Output) -> Result<Study, Failure> {
    let study = Study::open(file, study)?;
    for notice in study.notices()? {
        out.warn(notice);
    }
    Ok(study)
}

/// A text as a shell takes it.
fn shell(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '=' | ',');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A side of a duel: an item with its features, or a setting.
fn side(study: &Study, alternative: &Alternative) -> Value {
    match alternative {
        Alternative::Item(key) => {
            let mut object = Map::new();
            object.insert("item".to_owned(), json!(key));
            for (name, value) in study.features(key) {
                object.entry(name).or_insert_with(|| json!(value));
            }
            Value::Object(object)
        }
        Alternative::Setting(setting) => json!(setting),
    }
}

/// The options of a question: of two also by their sides.
struct Sides {
    left: Option<Value>,
    right: Option<Value>,
    options: Vec<Value>,
}

impl Sides {
    fn of<'a>(study: &Study, options: impl Iterator<Item = &'a Alternative>) -> Self {
        let options: Vec<Value> = options.map(|option| side(study, option)).collect();
        match options.as_slice() {
            [left, right] => Self { left: Some(left.clone()), right: Some(right.clone()), options },
            _ => Self { left: None, right: None, options },
        }
    }
}

/// The same for people, on one line.
fn describe(study: &Study, alternative: &Alternative) -> String {
    let Alternative::Item(key) = alternative else { return alternative.to_string() };
    let features: Vec<String> =
        study.features(key).into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if features.is_empty() { key.clone() } else { format!("{key} ({})", features.join(", ")) }
}
