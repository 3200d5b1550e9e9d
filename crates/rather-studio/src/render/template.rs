//! Commands with places for values.
//!
//! | place | becomes |
//! |---|---|
//! | `{name}` | the value of the parameter `name` |
//! | `{theta}` | all values, in the parameters' order, with commas between them |
//! | `{json}` | the alternative as JSON: an object of parameters, or the item's name |
//! | `{item}` | the item's name |
//! | `{{`, `}}` | a brace |
//!
//! In a list of arguments a value stays within its argument, whatever it holds. In the script of a shell (`sh -c SCRIPT`)
//! a place becomes an environment variable, quoted as its surroundings ask for, so that a value is never read as a
//! command. Since a script can still do so itself (`eval`, arithmetic), texts with signs that mean something to a shell
//! are refused there.

use rather_study::{Alternative, Setting, Value};

/// A command whose arguments hold places.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Template {
    arguments: Vec<Argument>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Argument {
    Plain(Vec<Piece>),
    /// The script of a shell, in which places are variables.
    Script(Vec<Piece>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Piece {
    Text(String),
    Place(String),
}

/// A command ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The program and its arguments.
    pub arguments: Vec<String>,
    /// Variables for its environment.
    pub variables: Vec<(String, String)>,
}

const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];

impl Template {
    /// Reads one line, as a shell would split it into arguments.
    ///
    /// # Errors
    /// The rest of the sentence that says what is wrong.
    pub fn parse(line: &str) -> Result<Self, String> {
        let arguments = shell_words::split(line)
            .map_err(|_| format!("{line} has a quotation mark without its other half"))?;
        Self::new(&arguments)
    }

    /// Takes a program and its arguments.
    ///
    /// # Errors
    /// The rest of the sentence that says what is wrong.
    pub fn new(arguments: &[String]) -> Result<Self, String> {
        let [program, rest @ ..] = arguments else {
            return Err("the command is empty; name a program".to_owned());
        };
        if program.is_empty() || arguments.iter().any(|a| a.contains('\0')) {
            return Err("the command names no program".to_owned());
        }
        let name = program.rsplit('/').next().unwrap_or_default();
        // The first argument after a flag that holds a `c`, as in `sh -c` and `bash -ec`.
        let is_c = |a: &String| a.starts_with('-') && !a.starts_with("--") && a.contains('c');
        let script = SHELLS.contains(&name).then(|| rest.iter().position(is_c)).flatten().map(|i| i + 2);
        let read = |(i, text): (usize, &String)| {
            let pieces = pieces(text)?;
            Ok(if Some(i) == script { Argument::Script(pieces) } else { Argument::Plain(pieces) })
        };
        let template =
            Self { arguments: arguments.iter().enumerate().map(read).collect::<Result<_, String>>()? };
        match &template.arguments[0] {
            Argument::Plain(pieces) if pieces.iter().all(|p| matches!(p, Piece::Text(_))) => Ok(template),
            _ => Err("the program itself has a place for a value; only its arguments may".to_owned()),
        }
    }

    /// The program.
    pub fn program(&self) -> &str {
        match self.arguments.first() {
            Some(Argument::Plain(pieces)) => match pieces.as_slice() {
                [Piece::Text(program)] => program,
                _ => "",
            },
            _ => "",
        }
    }

    /// The names of its places.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        self.arguments
            .iter()
            .flat_map(|argument| match argument {
                Argument::Plain(pieces) | Argument::Script(pieces) => pieces,
            })
            .filter_map(|piece| match piece {
                Piece::Place(name) => Some(name.as_str()),
                Piece::Text(_) => None,
            })
    }

    /// Fills in an alternative.
    ///
    /// # Errors
    /// The rest of the sentence: a place has no value, or the script of a shell cannot be trusted with it.
    pub fn fill(&self, alternative: &Alternative) -> Result<Filled, String> {
        let scripts = self.arguments.iter().any(|argument| matches!(argument, Argument::Script(_)));
        if let Some(text) = texts(alternative).find(|text| scripts && text.contains(MEANS_SOMETHING)) {
            return Err(format!("{} has a character with a meaning to a shell", rather_io::quote(text)));
        }
        let mut variables = vec![("RATHER_JSON".to_owned(), json(alternative))];
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            let text = match argument {
                Argument::Plain(pieces) => fill_plain(pieces, alternative)?,
                Argument::Script(pieces) => fill_script(pieces, alternative, &mut variables)?,
            };
            arguments.push(text);
        }
        Ok(Filled { arguments, variables })
    }
}

/// Splits a text at its places. A brace that opens no place (`{` before something else than a name) is a brace.
fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = rest.find(['{', '}']) {
        plain.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            plain.push_str(brace);
            rest = after;
        } else if brace == "}" {
            return Err(format!("{text} has a }} without its {{; write }}}} for a brace"));
        } else {
            let Some((name, after)) = rest.split_once('}') else {
                return Err(format!("{text} has a {{ without its }}; write {{{{ for a brace"));
            };
            if name.trim() != name || name.is_empty() {
                return Err(format!("{text} has a place without a name; write {{{{ for a brace"));
            }
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Place(name.to_owned()));
            rest = after;
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

fn fill_plain(pieces: &[Piece], alternative: &Alternative) -> Result<String, String> {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => Ok(text.clone()),
            Piece::Place(name) => needed(name, alternative),
        })
        .collect()
}

/// Where in a script a place stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Quotes {
    None,
    Single,
    Double,
}

fn fill_script(
    pieces: &[Piece],
    alternative: &Alternative,
    variables: &mut Vec<(String, String)>,
) -> Result<String, String> {
    let (mut script, mut quotes) = (String::new(), Quotes::None);
    for piece in pieces {
        match piece {
            Piece::Text(text) => {
                quotes = after(quotes, text);
                script.push_str(text);
            }
            Piece::Place(name) => {
                let variable = format!("RATHER_VALUE_{}", variables.len());
                // Whatever stands round it, the shell expands a variable and reads nothing in it as a command.
                script.push_str(&match quotes {
                    Quotes::None => format!("\"${{{variable}}}\""),
                    Quotes::Double => format!("${{{variable}}}"),
                    Quotes::Single => format!("'\"${{{variable}}}\"'"),
                });
                variables.push((variable, needed(name, alternative)?));
            }
        }
    }
    Ok(script)
}

/// In which quotation marks a script is after `text`.
fn after(mut quotes: Quotes, text: &str) -> Quotes {
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        quotes = match (quotes, c) {
            (Quotes::None, '\'') => Quotes::Single,
            (Quotes::Single, '\'') | (Quotes::Double, '"') => Quotes::None,
            (Quotes::None, '"') => Quotes::Double,
            (Quotes::None | Quotes::Double, '\\') => {
                characters.next();
                quotes
            }
            (same, _) => same,
        };
    }
    quotes
}

/// Signs with which a text could be more than a text to a shell.
const MEANS_SOMETHING: [char; 22] = [
    '$', '`', '[', ']', '(', ')', '{', '}', '\\', '"', '\'', ';', '&', '|', '<', '>', '*', '?', '!', '~',
    '#', '\n',
];

/// The texts of an alternative, which may hold anything.
fn texts(alternative: &Alternative) -> impl Iterator<Item = &str> {
    let (item, setting) = match alternative {
        Alternative::Item(key) => (Some(key.as_str()), None),
        Alternative::Setting(setting) => (None, Some(setting)),
    };
    let values = setting.into_iter().flat_map(|setting| &setting.values);
    item.into_iter().chain(values.filter_map(|(_, value)| match value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    }))
}

/// The value that a place stands for, which must be there.
fn needed(name: &str, alternative: &Alternative) -> Result<String, String> {
    value(name, alternative).ok_or_else(|| format!("{{{name}}} is no parameter of the study"))
}

/// The value that a place stands for.
fn value(name: &str, alternative: &Alternative) -> Option<String> {
    match (alternative, name) {
        (Alternative::Setting(setting), _) if setting.get(name).is_some() => {
            setting.get(name).map(ToString::to_string)
        }
        (Alternative::Setting(setting), "theta") => Some(theta(setting)),
        (_, "json") => Some(json(alternative)),
        (Alternative::Item(key), "item") => Some(key.clone()),
        _ => None,
    }
}

fn theta(setting: &Setting) -> String {
    setting.values.iter().map(|(_, value)| value.to_string()).collect::<Vec<_>>().join(",")
}

fn json(alternative: &Alternative) -> String {
    serde_json::to_string(alternative).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(values: &[(&str, Value)]) -> Alternative {
        Alternative::Setting(Setting {
            values: values.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect(),
        })
    }

    #[test]
    fn values_stay_within_their_argument() {
        let template = Template::parse("synth --gain={gain} '{mode}' {theta} {json} {{x}}").unwrap();
        let alternative =
            setting(&[("gain", Value::Float(-2.5)), ("mode", Value::Text("a b; rm -rf $HOME".into()))]);
        let filled = template.fill(&alternative).unwrap();
        assert_eq!(
            filled.arguments,
            [
                "synth",
                "--gain=-2.5",
                "a b; rm -rf $HOME",
                "-2.5,a b; rm -rf $HOME",
                r#"{"gain":-2.5,"mode":"a b; rm -rf $HOME"}"#,
                "{x}"
            ]
        );
        assert_eq!(template.places().collect::<Vec<_>>(), ["gain", "mode", "theta", "json"]);
        assert_eq!(
            Template::parse("synth {pitch}").unwrap().fill(&alternative),
            Err("{pitch} is no parameter of the study".to_owned())
        );
        let script = Template::parse("sh -c 'synth {mode}'").unwrap();
        assert!(
            script.fill(&alternative).unwrap_err().ends_with("has a character with a meaning to a shell")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_no_value_as_a_command() {
        let evil = "$(echo pwned) `echo pwned` \"; echo pwned; ' * \\";
        let alternative = setting(&[("x", Value::Text(evil.into()))]);
        for script in [
            "printf %s {x}",
            "printf %s \"{x}\"",
            "printf %s '{x}'",
            "printf %s \\\"{x} >/dev/null; printf %s {x}",
        ] {
            let mut variables = Vec::new();
            let script = fill_script(&pieces(script).unwrap(), &alternative, &mut variables).unwrap();
            assert!(!script.contains("pwned"));
            let output =
                std::process::Command::new("sh").args(["-c", &script]).envs(variables).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), evil, "{script}");
        }
    }

    #[test]
    fn what_cannot_be_a_command_says_why() {
        for (line, part) in [
            ("", "empty"),
            ("say 'x", "quotation mark"),
            ("{x} y", "the program itself"),
            ("say {x", "without its }"),
            ("say x}", "without its {"),
            ("say {}", "without a name"),
        ] {
            let error = Template::parse(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn items_have_a_name() {
        let template = Template::parse("show {item}").unwrap();
        assert_eq!(template.fill(&Alternative::Item("a b".into())).unwrap().arguments, ["show", "a b"]);
    }
}
