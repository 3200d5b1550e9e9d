//! The definition that a form means.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use rather::acquisition::Acquisition;
use rather::design::{Inference, Opponent, Policy};
use rather_study::Definition;
use rather_study::definition::{Answers, Fault, Items, Participants, Pooling, read_toml_text};
use rather_study::space::{Parameter, Range, Scale, Space};

use super::{ParameterRow, StudyForm, Subject};
use crate::presentation::{Presentation, check_every, check_redirect, check_training};
use crate::questionnaire;
use crate::reference::Reference;
use crate::render::setup::SUPPRESSOR;
use crate::render::suppressor;
use crate::view::FieldError;

impl StudyForm {
    /// The definition that the form means.
    ///
    /// # Errors
    /// What is wrong, field by field.
    pub fn definition(&self) -> Result<Definition, Vec<FieldError>> {
        if self.as_toml {
            return definition_from_toml(&self.toml).map_err(|error| vec![wrong("toml", error)]);
        }
        let mut errors = Vec::new();
        if self.title.is_empty() {
            errors.push(wrong("title", "the study has no title; give it one"));
        }
        errors.extend(crate::title::check(&self.title).map_err(|error| wrong("title", error)).err());
        let subject = self.subject(&mut errors);
        let inference = self.inference(&mut errors);
        let half_life = answers(&self.half_life, "half_life", &mut errors);
        let drift = answers(&self.drift, "drift", &mut errors);
        let presentation = self.presentation(&mut errors);
        let duels = count(&self.duels, "duels", 1, &mut errors);
        let answers = Answers::from_str(&self.answers)
            .map_err(|error| errors.push(wrong("answers", error)))
            .unwrap_or_default();
        let options = count(&self.options, "options", 2, &mut errors).map_or(2, |options| options as usize);
        let policy = self.policy(options > 2, &mut errors);
        let (Some(subject), true) = (subject, errors.is_empty()) else { return Err(errors) };
        let mut definition = Definition {
            title: self.title.clone(),
            policy,
            inference,
            half_life,
            drift,
            participants: self.participants(),
            within: Some(self.within.clone()).filter(|name| !name.is_empty() && self.subject.is_of_items()),
            ..Definition::new(subject)
        };
        // The winner as the opponent is how the form begins, and means nothing where there is none.
        let opponent = definition.policy.opponent;
        definition = definition.asking(options, answers);
        if opponent != Opponent::Winner {
            definition.policy.opponent = opponent;
        }
        definition.stop.answers = duels;
        match Reference::read(&self.reference, &definition) {
            Ok(reference) => {
                definition.presentation = Presentation { reference, ..presentation }.entries();
            }
            Err(error) => return Err(vec![wrong("reference", error)]),
        }
        if !self.question.is_empty() {
            definition.question.clone_from(&self.question);
        }
        match definition.check() {
            Ok(()) if definition.is_of_sets() => {
                let shown = Presentation::of(&definition).map_err(|error| vec![wrong("", error)]);
                shown.and_then(|_| self.check_media(&definition).map_err(|e| vec![e])).map(|()| definition)
            }
            Ok(()) => self.check_media(&definition).map(|()| definition).map_err(|e| vec![e]),
            Err(fault) => Err(vec![self.place(&fault)]),
        }
    }

    fn subject(&self, errors: &mut Vec<FieldError>) -> Option<rather_study::definition::Subject> {
        use rather_study::definition::Subject as Defined;
        match self.subject {
            Subject::Suppressor => Some(Defined::Parameters(suppressor::space(self.both))),
            of_items if of_items.is_of_items() => match items(&self.items) {
                Ok(items) => Some(Defined::Items(items)),
                Err(error) => {
                    errors.push(wrong("items", error));
                    None
                }
            },
            _ => {
                let named = self.parameters.iter().enumerate().filter(|(_, row)| !row.name.is_empty());
                for (i, row) in named.clone() {
                    if self.parameters[..i].iter().any(|other| other.name == row.name) {
                        let name = rather_io::quote(&row.name);
                        let problem = format!("there are two parameters {name}; rename one");
                        errors.push(wrong(format!("parameter-name-{i}"), problem));
                    }
                }
                let parameters: Vec<Parameter> =
                    named.filter_map(|(i, row)| row.parameter(i, errors)).collect();
                if self.parameters.iter().all(|row| row.name.is_empty()) {
                    errors.push(wrong("parameter-name-0", "a study needs at least one parameter; name it"));
                }
                Some(Defined::Parameters(Space { parameters }))
            }
        }
    }

    /// Of sets the default is BALD, which is what the form's default stands for there.
    fn policy(&self, is_of_sets: bool, errors: &mut Vec<FieldError>) -> Policy {
        let acquisition = Acquisition::from_str(&self.acquisition)
            .map_err(|e| errors.push(wrong("acquisition", e.to_string())))
            .unwrap_or(Policy::default().acquisition);
        let opponent = Opponent::from_str(&self.opponent)
            .map_err(|e| errors.push(wrong("opponent", e.to_string())))
            .unwrap_or(Opponent::Winner);
        let policy = Policy { acquisition, opponent, ..Policy::default() };
        let policy = if is_of_sets { policy.with_opponent(opponent) } else { policy };
        if let Err(error) = policy.check() {
            errors.push(wrong("opponent", error.to_string()));
        }
        policy
    }

    fn inference(&self, errors: &mut Vec<FieldError>) -> Inference {
        match self.inference.as_str() {
            "ep" => Inference::Ep,
            "streaming" => Inference::Streaming,
            other => {
                let problem = format!(
                    "there is no inference called {}; there are ep and streaming",
                    rather_io::quote(other)
                );
                errors.push(wrong("inference", problem));
                Inference::Ep
            }
        }
    }

    fn presentation(&self, errors: &mut Vec<FieldError>) -> Presentation {
        errors.extend(check_redirect(&self.redirect).map_err(|error| wrong("redirect", error)).err());
        errors.extend(crate::webhook::check(&self.webhook).map_err(|error| wrong("webhook", error)).err());
        let training = count(&self.training, "training", 0, errors).unwrap_or(0);
        errors.extend(check_training(training).map_err(|error| wrong("training", error)).err());
        errors
            .extend(crate::languages::check(&self.language).map_err(|error| wrong("language", error)).err());
        let questionnaire = questionnaire::read(&self.questionnaire);
        let asked = questionnaire::check(&questionnaire);
        errors.extend(asked.map_err(|error| wrong("questionnaire", error)).err());
        let named = self.parameters.iter().filter(|row| !row.name.is_empty() && !row.unit.is_empty());
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (renderer, units) = match self.subject {
            Subject::Suppressor => (Some(SUPPRESSOR.to_owned()), suppressor_units()),
            Subject::Parameters => {
                (some(&self.renderer), named.map(|row| (row.name.clone(), row.unit.clone())).collect())
            }
            _ => (None, BTreeMap::new()),
        };
        Presentation {
            blind: self.blind,
            restart: self.restart,
            loudness: self.loudness,
            hear_both: self.hear_both,
            renderer,
            clip: some(&self.clip).filter(|_| self.subject == Subject::Suppressor),
            media: some(&self.media).filter(|_| self.subject.is_of_items()),
            units,
            repeats: every(&self.repeats, "repeats", errors),
            catches: every(&self.catches, "catches", errors),
            training,
            volume_check: self.volume_check,
            questionnaire,
            // English is what pages speak anyway.
            language: Some(self.language.clone()).filter(|code| code != "en").unwrap_or_default(),
            instructions: self.instructions.replace('\r', ""),
            consent: self.consent.replace('\r', ""),
            thanks: self.thanks.replace('\r', ""),
            redirect: self.redirect.clone(),
            webhook: self.webhook.clone(),
            ..Presentation::default()
        }
    }

    fn participants(&self) -> Participants {
        let names = self.participants.lines().map(str::trim).filter(|name| !name.is_empty());
        let model = match self.learning.as_str() {
            "together" => Pooling::Together,
            "collaborative" => Pooling::Collaborative,
            _ => Pooling::Separate,
        };
        Participants { names: names.map(str::to_owned).collect(), model }
    }

    fn check_media(&self, definition: &Definition) -> Result<(), FieldError> {
        let rather_study::definition::Subject::Items(items) = &definition.subject else { return Ok(()) };
        if self.media.is_empty() || items.columns.iter().any(|column| column.name == self.media) {
            return Ok(());
        }
        let names: Vec<String> = items.columns.iter().map(|column| column.name.clone()).collect();
        let remedy = match names.as_slice() {
            [] => "the items are names alone; leave this empty, or give the items as a CSV table".to_owned(),
            names => format!("the columns are {}", rather_io::list(names)),
        };
        let column = rather_io::quote(&self.media);
        Err(wrong("media", format!("there is no column {column} in the table of items; {remedy}")))
    }

    /// The field that a fault of the definition is about.
    fn place(&self, fault: &Fault) -> FieldError {
        let path: Vec<&str> = fault.path.iter().map(String::as_str).collect();
        let field = match path.as_slice() {
            ["items", ..] => "items".to_owned(),
            ["participants", "model"] => "learning".to_owned(),
            ["participants", ..] => "participants".to_owned(),
            ["stop", "answers"] => "duels".to_owned(),
            [field @ ("half_life" | "drift" | "options" | "answers" | "inference" | "within")] => {
                (*field).to_owned()
            }
            ["policy", field @ ("acquisition" | "opponent")] => (*field).to_owned(),
            ["parameters", name, rest @ ..] => {
                let last = |row: &ParameterRow| row.name == *name;
                let row = self.parameters.iter().rposition(last).unwrap_or(0);
                format!("parameter-{}-{row}", rest.first().unwrap_or(&"name"))
            }
            _ => String::new(),
        };
        wrong(field, fault.problem.clone())
    }
}

impl ParameterRow {
    fn parameter(&self, row: usize, errors: &mut Vec<FieldError>) -> Option<Parameter> {
        let mut number = |text: &str, field: &str| match text.replace('−', "-").parse::<f64>() {
            Ok(x) if x.is_finite() => Some(x),
            _ => {
                let problem = match text {
                    "" => format!("{} has no {field} value; write a number", rather_io::quote(&self.name)),
                    text => format!("{} is not a number", rather_io::quote(text)),
                };
                errors.push(wrong(format!("parameter-{field}-{row}"), problem));
                None
            }
        };
        let range = match self.range.as_str() {
            "categorical" => {
                let choices = self.choices.split(',').map(str::trim).filter(|c| !c.is_empty());
                Range::Categorical { choices: choices.map(str::to_owned).collect() }
            }
            "integer" => {
                let (low, high) = (number(&self.low, "low"), number(&self.high, "high"));
                let (low, high) = (low?, high?);
                for (value, field) in [(low, "low"), (high, "high")] {
                    if value.fract() != 0.0 || value.abs() > 1e15 {
                        let problem =
                            format!("{value} is not a whole number; write one, or take another type");
                        errors.push(wrong(format!("parameter-{field}-{row}"), problem));
                        return None;
                    }
                }
                Range::Integer { low: low as i64, high: high as i64 }
            }
            kind => {
                let scale = if kind == "log" { Scale::Log } else { Scale::Linear };
                let (low, high) = (number(&self.low, "low"), number(&self.high, "high"));
                let step = if self.step.is_empty() { None } else { Some(number(&self.step, "step")?) };
                Range::Float { low: low?, high: high?, scale, step }
            }
        };
        if let Err(fault) = range.check() {
            let entry = fault.entry.unwrap_or("name");
            errors.push(wrong(format!("parameter-{entry}-{row}"), in_words_of_the_form(&fault.problem)));
            return None;
        }
        Some(Parameter { name: self.name.clone(), range })
    }
}

/// A sentence about entries of a definition as one about the fields of the form.
fn in_words_of_the_form(problem: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("low = ", "From = "),
        ("high = ", "To = "),
        ("step = ", "Step = "),
        ("take scale = \"linear\"", "take the type \"number\""),
    ];
    WORDS.iter().fold(problem.to_owned(), |text, (entry, field)| text.replace(entry, field))
}

/// A definition in TOML, which may name no file: a text from the web must not make this machine read one.
///
/// # Errors
/// The sentence that says what is wrong, and where.
pub fn definition_from_toml(text: &str) -> Result<Definition, String> {
    if let Ok(table) = text.parse::<toml::Table>()
        && table.get("items").is_some_and(toml::Value::is_str)
    {
        return Err(
            "items cannot be the name of a file here; write the items themselves, or use the form".to_owned()
        );
    }
    let definition = read_toml_text(text, Path::new("the definition")).map_err(|e| e.to_string())?;
    Presentation::of(&definition)?;
    Ok(definition)
}

/// Items as a CSV table, or one name a line if the first line has neither a comma nor another separator.
fn items(text: &str) -> Result<Items, String> {
    let text = text.trim();
    let name = Path::new("the table");
    let Some(header) = text.lines().next() else {
        return Err("there are no items; write one per line, or add files".to_owned());
    };
    let table = if header.contains([',', ';', '\t']) {
        rather_io::items_from_csv(name, text.as_bytes(), &rather_io::ItemOptions::default())
    } else {
        let keys = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        rather_io::ItemTable::new(name.to_path_buf(), "item".to_owned(), keys, Vec::new())
    };
    table.map(|t| Items { keys: t.keys, columns: t.columns }).map_err(|e| e.to_string())
}

fn count(text: &str, field: &str, least: u32, errors: &mut Vec<FieldError>) -> Option<u32> {
    if text.is_empty() {
        return None;
    }
    match text.parse() {
        Ok(n) if (least..=100_000).contains(&n) => Some(n),
        _ => {
            let text = rather_io::quote(text);
            errors.push(wrong(field, format!("{text} is not a whole number from {least} to 100000")));
            None
        }
    }
}

/// A number of answers, which need not be whole; none if the field is empty.
fn answers(text: &str, field: &str, errors: &mut Vec<FieldError>) -> Option<f64> {
    if text.is_empty() {
        return None;
    }
    let number = text.parse().ok();
    if number.is_none() {
        let text = rather_io::quote(text);
        errors.push(wrong(field, format!("{text} is not a number of answers; write one, such as 50")));
    }
    number
}

/// Every how many duels there is a check.
fn every(text: &str, field: &str, errors: &mut Vec<FieldError>) -> u32 {
    let n = count(text, field, 0, errors).unwrap_or(0);
    if let Err(error) = check_every(n) {
        errors.push(wrong(field, error));
    }
    n
}

fn suppressor_units() -> BTreeMap<String, String> {
    [(suppressor::FLOOR.to_owned(), "dB".to_owned())].into()
}

fn wrong(field: impl Into<String>, error: impl Into<String>) -> FieldError {
    FieldError { field: field.into(), error: error.into(), file: None }
}
