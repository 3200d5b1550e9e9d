//! A judge that is a program.

use crate::args::SortArgs;
use crate::failure::Failure;
use rather_io::quote;
use rather_studio::render::template::Template;
use rather_study::sort::in_words;
use rather_study::{Alternative, Answer, Setting, Value};
use std::time::Duration;

/// A program that compares two items.
#[derive(Debug, Clone)]
pub(super) struct Program {
    /// What its answers are kept under.
    pub(super) name: String,
    template: Template,
    question: String,
    limit: Duration,
}

/// More than this nobody needs to write for an answer.
#[cfg(unix)]
const MOST: usize = 1 << 20;
/// As much of what a program wrote is shown.
const SHOWN: usize = 60;

impl Program {
    /// Those of the command line.
    pub(super) fn all(args: &SortArgs) -> Result<Vec<Self>, Failure> {
        let mut out: Vec<Self> = Vec::new();
        for text in &args.judge {
            let one =
                Self::parse(text, args).map_err(|problem| Failure::User(format!("--judge: {problem}")))?;
            if out.iter().any(|other| other.name == one.name) {
                let name = quote(&one.name);
                return Err(Failure::User(format!(
                    "--judge: two judges are called {name}; write NAME=COMMAND"
                )));
            }
            out.push(one);
        }
        Ok(out)
    }

    fn parse(text: &str, args: &SortArgs) -> Result<Self, String> {
        if cfg!(not(unix)) {
            return Err("programs as judges need Linux or macOS".to_owned());
        }
        // A command begins with a program, whose name has no `=` before the first space.
        let named = text.split_once('=').filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        });
        let template = Template::parse(named.map_or(text, |(_, command)| command))?;
        let places: Vec<&str> = template.places().collect();
        if let Some(other) =
            places.iter().find(|place| !["left", "right", "question", "json"].contains(place))
        {
            return Err(format!("there is no {{{other}}}; write {{left}}, {{right}} or {{question}}"));
        }
        let told = |place| places.contains(&place) || places.contains(&"json");
        if !(told("left") && told("right")) {
            return Err("the command must have {left} and {right}, which stand for the two items".to_owned());
        }
        let name = match named {
            Some((name, _)) => name.to_owned(),
            None => template.program().rsplit('/').next().unwrap_or("judge").to_owned(),
        };
        let limit = Duration::from_secs_f64(args.timeout);
        Ok(Self { name, template, question: args.question.clone(), limit })
    }

    /// Its answer, or why there is none.
    pub(super) fn compare(&self, left: &str, right: &str) -> Result<Answer, String> {
        let values = [("left", left), ("right", right), ("question", &self.question)];
        let values = values.map(|(name, value)| (name.to_owned(), Value::Text(value.to_owned())));
        let filled = self.template.fill(&Alternative::Setting(Setting { values: values.into() }))?;
        let mut command = std::process::Command::new(&filled.arguments[0]);
        command.args(&filled.arguments[1..]).envs(filled.variables);
        let text = self.run(command)?;
        read(&text, left, right)
    }

    #[cfg(unix)]
    fn run(&self, command: std::process::Command) -> Result<String, String> {
        use rather_studio::render::process::{Failure, run};
        let output = run(command, self.limit, MOST).map_err(|failure| match failure {
            Failure::Start(error) => format!("it could not be started: {error}"),
            Failure::Time => format!("it took longer than {} seconds", self.limit.as_secs_f64()),
            Failure::Size => "it wrote more than a million bytes".to_owned(),
        })?;
        if !output.status.success() {
            let complaints = String::from_utf8_lossy(&output.stderr);
            let last =
                complaints.trim().lines().next_back().map(|line| format!(": {line}")).unwrap_or_default();
            return Err(format!("it ended with {}{last}", output.status));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    #[cfg(not(unix))]
    fn run(&self, _: std::process::Command) -> Result<String, String> {
        // No program can be made there.
        Err("programs as judges need Linux or macOS".to_owned())
    }
}

/// The answer in the first line that says something.
fn read(text: &str, left: &str, right: &str) -> Result<Answer, String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.ok_or("it wrote nothing; it should write left, right or tie")?;
    in_words(line, left, right).ok_or_else(|| {
        let shown: String = line.chars().take(SHOWN).collect();
        format!("it wrote {}; it should write left, right or tie", quote(&shown))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        assert_eq!(read("\n  B \nbecause", "black tea", "green tea"), Ok(Answer::Right));
        assert!(read("", "a", "b").unwrap_err().contains("nothing"));
        assert!(read("I think the first", "x", "y").unwrap_err().contains("I think the first"));
    }
}
