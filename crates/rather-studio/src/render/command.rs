//! An operator's own program as a renderer.
//!
//! Commands come from the command line (`--render`) or from a TOML file beside the studies, never through the web: a study
//! only names one.

use super::media::Media;
use super::template::Template;
use super::{RenderError, Renderer};
use rather_study::Alternative;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Variables that a program may need of this one's environment; the operator's token is none of them.
const KEPT: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TEMP",
    "TMP",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "XDG_RUNTIME_DIR",
];

/// A program that turns an alternative into a sound, a picture, a page or a text on its standard output.
#[derive(Debug, Clone)]
pub struct Command {
    template: Template,
    folder: PathBuf,
    limit: Duration,
    most: usize,
}

/// A renderer in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// A program and its arguments, or one line to be split into them.
    command: Line,
    /// How long it may take.
    #[serde(default = "seconds")]
    seconds: f64,
    /// How much it may write, in millions of bytes.
    #[serde(default = "megabytes")]
    megabytes: f64,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "command must be a list of texts or one line")]
enum Line {
    Arguments(Vec<String>),
    Line(String),
}

fn seconds() -> f64 {
    10.0
}

fn megabytes() -> f64 {
    20.0
}

impl Command {
    /// A command as it stands on the command line, run in `folder` with the usual limits.
    ///
    /// # Errors
    /// The rest of the sentence that says what is wrong.
    pub fn parse(line: &str, folder: &Path) -> Result<Self, String> {
        Entry { command: Line::Line(line.to_owned()), seconds: seconds(), megabytes: megabytes() }
            .command(folder)
    }

    /// With another time limit.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }
}

impl Entry {
    /// The command that the entry means.
    pub(super) fn command(self, folder: &Path) -> Result<Command, String> {
        if cfg!(not(unix)) {
            return Err("commands as renderers need Linux or macOS".to_owned());
        }
        let template = match &self.command {
            Line::Arguments(arguments) => Template::new(arguments),
            Line::Line(line) => Template::parse(line),
        }?;
        if !(0.01..=600.0).contains(&self.seconds) {
            return Err(format!("seconds = {} must be from 0.01 to 600", self.seconds));
        }
        if !(0.001..=500.0).contains(&self.megabytes) {
            return Err(format!("megabytes = {} must be from 0.001 to 500", self.megabytes));
        }
        check_program(template.program(), folder)?;
        let (limit, most) = (Duration::from_secs_f64(self.seconds), (self.megabytes * 1e6) as usize);
        Ok(Command { template, folder: folder.to_path_buf(), limit, most })
    }
}

/// Whether there is such a program: a name is looked for on the path, anything else is a path from `folder`.
fn check_program(program: &str, folder: &Path) -> Result<(), String> {
    if program.contains('/') {
        let found = folder.join(program).is_file();
        return if found {
            Ok(())
        } else {
            Err(format!("there is no program {}", rather_io::quote(program)))
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|place| place.join(program).is_file()) {
        return Ok(());
    }
    let program = rather_io::quote(program);
    Err(format!("there is no program {program} on the PATH; install it, or write its path"))
}

impl Renderer for Command {
    fn fits(&self, alternative: &Alternative) -> Result<(), String> {
        self.template.fill(alternative).map(|_| ())
    }

    #[cfg(unix)]
    fn render(&self, alternative: &Alternative) -> Result<Media, RenderError> {
        use super::process::{Failure, run};
        let filled = self.template.fill(alternative).map_err(RenderError::Failed)?;
        let mut command = std::process::Command::new(&filled.arguments[0]);
        command.args(&filled.arguments[1..]).current_dir(&self.folder).env_clear();
        command
            .envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .envs(filled.variables);
        let output = run(command, self.limit, self.most).map_err(|failure| match failure {
            Failure::Start(e) => RenderError::Failed(format!("{}: {e}", filled.arguments[0])),
            Failure::Time => RenderError::Late(self.limit),
            Failure::Size => RenderError::TooMuch(self.most),
        })?;
        if !output.status.success() {
            let complaints = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(RenderError::Ended { status: output.status.to_string(), complaints });
        }
        if output.stdout.iter().all(u8::is_ascii_whitespace) {
            return Err(RenderError::Silent);
        }
        Media::of(output.stdout).map_err(|problem| RenderError::Failed(format!("what it wrote {problem}")))
    }

    #[cfg(not(unix))]
    fn render(&self, _: &Alternative) -> Result<Media, RenderError> {
        // No command can be made there.
        Err(RenderError::Failed("commands as renderers need Linux or macOS".to_owned()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::render::media::Format;

    fn render(line: &str) -> Result<Media, RenderError> {
        Command::parse(line, Path::new("/")).unwrap().render(&Alternative::Item("it's a \"tea\"".into()))
    }

    #[test]
    fn output_is_told_by_its_bytes() {
        let media = render("printf '%s' {item}").unwrap();
        assert_eq!((media.format, media.bytes.as_ref()), (Format::Text, "it's a \"tea\"".as_bytes()));
        assert_eq!(
            render("sh -c 'pwd'").unwrap_err().to_string(),
            "\"it's a \"tea\"\" has a character with a meaning to a shell"
        );
        assert_eq!(render("pwd").unwrap().bytes.as_ref(), b"/\n");
        assert_eq!(render("printf '<!doctype html><b>x</b>'").unwrap().format, Format::Html);
        assert_eq!(
            render("printf '\\377\\000'").unwrap_err().to_string().split(',').next(),
            Some("what it wrote is none of WAV")
        );
    }

    #[test]
    fn failures_say_what_happened() {
        for (line, part) in [
            ("true", "it wrote nothing"),
            ("echo ' '", "it wrote nothing"),
            ("ls /no/such/folder", "it ended with exit status"),
            ("head -c 20000001 /dev/zero", "it wrote more than 20000000 bytes"),
        ] {
            let error = render(line).unwrap_err().to_string();
            assert!(error.starts_with(part), "{error}");
        }
        let shell = "sh -c 'echo first >&2; echo last >&2; exit 3'";
        let error = Command::parse(shell, Path::new("/")).unwrap().render(&Alternative::Item("x".into()));
        assert_eq!(error.unwrap_err().to_string(), "it ended with exit status: 3: last");
        let slow = Command::parse("sleep 1000", Path::new("/")).unwrap().within(Duration::from_millis(50));
        assert_eq!(
            slow.render(&Alternative::Item("x".into())).unwrap_err().to_string(),
            "it took longer than 0.05 seconds"
        );
    }

    #[test]
    fn a_program_must_be_there() {
        for (line, part) in [
            ("no-such-program {x}", "there is no program \"no-such-program\" on the PATH"),
            ("/no/such/program", "there is no program \"/no/such/program\""),
        ] {
            let error = Command::parse(line, Path::new("/")).unwrap_err();
            assert!(error.starts_with(part), "{error}");
        }
    }

    #[test]
    fn strangers_learn_nothing_of_the_machine() {
        let ended = RenderError::Ended { status: "exit status: 1".into(), complaints: "/home/ann/x".into() };
        let failed = RenderError::Failed("/home/ann/x".into());
        assert!([ended, failed].iter().all(|e| e.plain() == "it failed"));
        assert_eq!(RenderError::Late(Duration::from_secs(3)).plain(), "it took longer than 3 seconds");
    }

    #[test]
    fn only_harmless_variables_are_handed_on() {
        // Cargo sets this for every test.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        let text = String::from_utf8(render("env").unwrap().bytes.to_vec()).unwrap();
        assert!(text.contains("PATH=") && text.contains("RATHER_JSON=") && !text.contains("CARGO"), "{text}");
    }
}
