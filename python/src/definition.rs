//! What a study is, from what Python was given.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use rather_study::Definition;
use rather_study::definition::{Answers, Items, Subject, parse_parameter, read_toml, read_toml_text};
use rather_study::space::{Parameter, Range, Space};
use serde::de::DeserializeOwned;

use crate::errors::{named, of_library, of_study};
use crate::table::Table;

/// The arguments of `Study.create`, a `dict`. What is `None` stays as the definition in TOML has it, or as is usual.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wish {
    /// A definition in TOML.
    toml: Option<String>,
    /// The same in a file.
    file: Option<PathBuf>,
    /// Names of parameters, with their ranges in JSON or in the program's shorthand.
    parameters: Option<Vec<(String, String)>>,
    title: Option<String>,
    question: Option<String>,
    seed: Option<u64>,
    participants: Option<Vec<String>>,
    model: Option<String>,
    acquisition: Option<String>,
    opponent: Option<String>,
    initial: Option<usize>,
    inference: Option<String>,
    half_life: Option<f64>,
    drift: Option<f64>,
    within: Option<String>,
    options: Option<usize>,
    take: Option<String>,
    ties: Option<String>,
    family: Option<String>,
    lengthscale: Option<f64>,
    sd: Option<f64>,
    learn: Option<bool>,
    additive: Option<bool>,
    answers: Option<u32>,
    regret: Option<f64>,
    time_limit: Option<f64>,
}

impl Wish {
    /// The definition wished for; `items` are its items if it has no parameters and no TOML.
    pub(crate) fn definition(self, items: Option<&Table>) -> PyResult<Definition> {
        let mut definition = self.base(items)?;
        self.change(&mut definition)?;
        Ok(definition)
    }

    fn base(&self, items: Option<&Table>) -> PyResult<Definition> {
        if let Some(file) = &self.file {
            return read_toml(file).map_err(of_study);
        }
        if let Some(text) = &self.toml {
            return read_toml_text(text, Path::new("the definition")).map_err(of_study);
        }
        let subject = match (items, &self.parameters) {
            (Some(Table { items, .. }), _) => {
                Subject::Items(Items { keys: items.keys.clone(), columns: items.columns.clone() })
            }
            (None, parameters) => {
                let parameters = parameters.iter().flatten().map(|(name, range)| parameter(name, range));
                Subject::Parameters(Space { parameters: parameters.collect::<PyResult<_>>()? })
            }
        };
        Ok(Definition::new(subject))
    }

    fn change(self, definition: &mut Definition) -> PyResult<()> {
        self.ask_about_sets(definition)?;
        let Definition { participants, policy, prior, stop, .. } = definition;
        set(&mut participants.names, self.participants);
        set(&mut participants.model, word("model", self.model)?);
        *policy = parsed(self.opponent)?.map_or(*policy, |opponent| policy.with_opponent(opponent));
        set(&mut policy.acquisition, parsed(self.acquisition)?);
        policy.initial = self.initial.or(policy.initial);
        set(&mut prior.family, parsed(self.family)?);
        set(&mut prior.lengthscale, self.lengthscale);
        set(&mut prior.sd, self.sd);
        set(&mut prior.learn, self.learn);
        set(&mut prior.additive, self.additive);
        set(&mut stop.regret, self.regret);
        stop.answers = self.answers.or(stop.answers);
        set(&mut definition.title, self.title);
        set(&mut definition.question, self.question);
        set(&mut definition.seed, self.seed);
        set(&mut definition.inference, word("inference", self.inference)?);
        set(&mut definition.ties, word("ties", self.ties)?);
        set(&mut definition.time_limit, self.time_limit);
        definition.half_life = self.half_life.or(definition.half_life);
        definition.drift = self.drift.or(definition.drift);
        definition.within = self.within.or(definition.within.take());
        Ok(())
    }
}

impl Wish {
    /// How many options a question shows, and what may be answered: of a set the best, unless something else is said.
    fn ask_about_sets(&self, definition: &mut Definition) -> PyResult<()> {
        let options = self.options.unwrap_or(definition.options);
        let is_new = self.toml.is_none() && self.file.is_none();
        let usual = if options > 2 && is_new { Answers::Best } else { definition.answers };
        let take = self.take.as_deref().map(|text| text.parse::<Answers>());
        let take = take.transpose().map_err(|wrong| named("DefinitionError", format!("take={wrong}")))?;
        let answers = take.unwrap_or(usual);
        *definition = definition.clone().asking(options, answers);
        Ok(())
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// What the library reads by its name.
fn parsed<T: std::str::FromStr<Err = rather::Error>>(text: Option<String>) -> PyResult<Option<T>> {
    text.map(|text| text.parse().map_err(of_library)).transpose()
}

/// One of the words that a definition knows for `key`; the words are those of its serialised form.
fn word<T: DeserializeOwned>(key: &str, text: Option<String>) -> PyResult<Option<T>> {
    let Some(text) = text else { return Ok(None) };
    let found = serde_json::from_value(serde_json::Value::String(text.trim().to_lowercase()));
    found.map(Some).map_err(|error| {
        let problem = error.to_string();
        let known = problem.rsplit_once("expected ").map_or("", |(_, known)| known).replace('`', "\"");
        named("DefinitionError", format!("{key}={text:?} is not known; take {known}"))
    })
}

fn parameter(name: &str, range: &str) -> PyResult<Parameter> {
    let wrong = |problem: String| named("DefinitionError", problem);
    if !range.starts_with('{') {
        return parse_parameter(&format!("{name}={range}")).map_err(wrong);
    }
    let range: serde_json::Value = serde_json::from_str(range)
        .map_err(|error| wrong(format!("the range of the parameter {name:?} is none: {error}")))?;
    let range: Range = serde_json::from_value(range).map_err(|error| {
        let problem = error.to_string().replace('`', "\"");
        wrong(format!("the range of the parameter {name:?} is none: {problem}"))
    })?;
    Ok(Parameter { name: name.to_owned(), range })
}
