//! Which renderers there are: what the operator set up.
//!
//! ```toml
//! [renderers.synth]
//! command = ["python3", "synth.py", "--gain={gain}"]   # or one line: "sh -c 'synth {gain} | encode'"
//! seconds = 10       # the longest it may take
//! megabytes = 20     # the most it may write
//! ```

use super::Renderer;
use super::command::{Command, Entry};
use crate::Error;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The name of the built-in renderer.
pub const SUPPRESSOR: &str = "suppressor";
/// The name of the renderer that stands on the command line.
pub const COMMAND: &str = "command";

/// Commands by name.
#[derive(Debug, Clone, Default)]
pub struct Commands {
    by_name: BTreeMap<String, Arc<Command>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    renderers: BTreeMap<String, toml::Value>,
}

impl Commands {
    /// Reads the file at `path`; commands are run in its folder.
    ///
    /// # Errors
    /// If it cannot be read or is not as it must be.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Error::File { path: path.to_path_buf(), reason: e.to_string() })?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::parse(&text, folder)
            .map_err(|problem| Error::Renderer { origin: path.display().to_string(), problem })
    }

    fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let sentence = |e: toml::de::Error| e.message().trim().replace(['\n', '`'], " ");
        let file: File = toml::from_str(text).map_err(sentence)?;
        let mut commands = Self::default();
        for (name, entry) in file.renderers {
            let entry: Entry = entry.try_into().map_err(|e| format!("renderers.{name}: {}", sentence(e)))?;
            let command = entry.command(folder).map_err(|e| format!("renderers.{name}: {e}"))?;
            commands.add(&name, command)?;
        }
        Ok(commands)
    }

    /// Adds a command.
    ///
    /// # Errors
    /// If its name is none or is taken.
    pub fn add(&mut self, name: &str, command: Command) -> Result<(), String> {
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
            return Err(format!(
                "the renderer {} has a name with other signs than letters, digits, - and _",
                rather_io::quote(name)
            ));
        }
        if name == SUPPRESSOR || self.by_name.insert(name.to_owned(), Arc::new(command)).is_some() {
            return Err(format!("there are two renderers {}; rename one", rather_io::quote(name)));
        }
        Ok(())
    }

    /// The command of this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Renderer>> {
        self.by_name.get(name).map(|command| Arc::clone(command) as Arc<dyn Renderer>)
    }

    /// All names, the built-in renderer first.
    pub fn names(&self) -> Vec<String> {
        std::iter::once(SUPPRESSOR.to_owned()).chain(self.by_name.keys().cloned()).collect()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn renderers_are_read_with_their_limits() {
        let text = "[renderers.synth]\ncommand = [\"echo\", \"{x}\"]\nseconds = 2\n[renderers.other]\ncommand = \"echo hello\"";
        let commands = Commands::parse(text, Path::new("/")).unwrap();
        assert_eq!(commands.names(), ["suppressor", "other", "synth"]);
        assert!(commands.get("synth").is_some() && commands.get("suppressor").is_none());
    }

    #[test]
    fn mistakes_name_their_renderer() {
        for (text, part) in [
            ("[renderers.a]\ncommand = []", "renderers.a: the command is empty"),
            ("[renderers.a]\ncommand = \"x\"\nseconds = 0", "renderers.a: seconds = 0 must be from"),
            ("[renderers.a]\ncommand = 3", "renderers.a: command must be a list"),
            ("[renderers.a]", "renderers.a: missing field"),
            ("[renderers.suppressor]\ncommand = \"echo\"", "two renderers \"suppressor\""),
            ("[renderers.\"a/b\"]\ncommand = \"echo\"", "other signs"),
            ("[render]", "unknown field"),
        ] {
            let error = Commands::parse(text, Path::new("/")).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
