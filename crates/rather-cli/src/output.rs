//! Standard output and standard error.

use crate::args::Global;
use crate::failure::Failure;
use crate::progress::Progress;
use rather::watch::Watch;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::io::{self, BufWriter, StdoutLock, Write};

/// Writes a line to standard error; if that is closed nobody wants to know.
pub(crate) fn say(kind: &str, sentence: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {}", printable(sentence));
}

/// `text` without characters that would steer a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// What a command says, and where.
pub(crate) struct Output {
    /// JSON instead of text on standard output.
    pub(crate) json: bool,
    quiet: bool,
    warnings: Vec<String>,
    watch: Watch,
    progress: Option<Progress>,
    stdout: BufWriter<StdoutLock<'static>>,
}

impl Output {
    /// Of the command that `watch` follows, whose progress is shown if `waits`: if there is nobody whom it talks to meanwhile.
    pub(crate) fn new(global: &Global, watch: Watch, waits: bool) -> Self {
        let stdout = BufWriter::new(io::stdout().lock());
        let progress = (waits && !global.quiet).then(|| Progress::of(watch.clone()));
        Self { json: global.json, quiet: global.quiet, warnings: Vec::new(), watch, progress, stdout }
    }

    /// What follows the command.
    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Says something worth knowing that is no error; [`Output::warnings`] keeps it.
    pub(crate) fn warn(&mut self, sentence: impl std::fmt::Display) {
        let sentence = sentence.to_string();
        if !self.quiet {
            let warn = || say("warning", &sentence);
            match &self.progress {
                Some(progress) => progress.aside(warn),
                None => warn(),
            }
        }
        self.warnings.push(sentence);
    }

    /// What was worth knowing so far.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Writes the one value that `--json` promises.
    pub(crate) fn json(mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.progress = None;
        serde_json::to_writer(&mut self.stdout, value).map_err(io::Error::from)?;
        self.text("\n")
    }

    /// Writes text.
    pub(crate) fn text(mut self, text: &str) -> Result<(), Failure> {
        self.progress = None;
        self.stdout.write_all(text.as_bytes())?;
        Ok(self.stdout.flush()?)
    }

    /// Whether nothing but errors is said.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Standard output, to talk to a person before there is more to say.
    pub(crate) fn screen(&mut self) -> impl Write + '_ {
        &mut self.stdout
    }

    /// Standard output, to talk to a person.
    pub(crate) fn interactive(self) -> impl Write {
        self.stdout
    }

    /// Writes rows as CSV (RFC 4180).
    pub(crate) fn csv<H: AsRef<[u8]>, C: AsRef<[u8]>, R: IntoIterator<Item = C>>(
        mut self,
        header: impl IntoIterator<Item = H>,
        rows: impl Iterator<Item = R>,
    ) -> Result<(), Failure> {
        self.progress = None;
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(self.stdout);
        writer.write_record(header).map_err(csv_error)?;
        for row in rows {
            writer.write_record(row).map_err(csv_error)?;
        }
        Ok(writer.flush()?)
    }
}

/// What the operating system said, which [`csv::Error`] would hide when converted as a whole.
fn csv_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Names and values as a JSON object in this order.
pub(crate) fn object<V: Serialize, S: Serializer>(entries: &[(String, V)], to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(entries.len()))?;
    for (name, value) in entries {
        map.serialize_entry(name, value)?;
    }
    map.end()
}
