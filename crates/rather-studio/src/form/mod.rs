//! The form that makes a study: what was typed, and the definition that it means.
//!
//! A form is kept as it was typed, so that a page can show it again with what is wrong beside each field.

mod definition;
mod files;

pub use definition::definition_from_toml;

use crate::view::MediaKind;
use rather::design::Policy;
use serde::{Deserialize, Serialize};

/// The renderer of settings that are shown as they are.
pub const VALUES: &str = "";

/// What was typed into the form. Fields have the names that they have in the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyForm {
    /// Whether the definition is written out as TOML; the other fields then do not count.
    pub as_toml: bool,
    /// The definition as TOML.
    pub toml: String,
    /// A name for people.
    pub title: String,
    /// What is asked.
    pub question: String,
    /// What is compared.
    pub subject: Subject,
    /// Parameters, a row each. Rows without a name do not count.
    pub parameters: Vec<ParameterRow>,
    /// Items: a CSV table, or one name a line.
    pub items: String,
    /// The items' column that holds media.
    pub media: String,
    /// The items' column whose value both sides share; empty if any two are compared.
    pub within: String,
    /// What turns settings into something to see or hear: the name of a command, or [`VALUES`].
    pub renderer: String,
    /// Whether the suppressor's over-subtraction is tuned with its floor.
    pub both: bool,
    /// The name of an uploaded sound for the suppressor; its own if empty.
    pub clip: String,
    /// The acquisition function.
    pub acquisition: String,
    /// Who the challenger is set against.
    pub opponent: String,
    /// How answers are taken in: "ep" or "streaming".
    pub inference: String,
    /// The number of answers after which an answer counts half; empty if all count the same.
    pub half_life: String,
    /// In how many answers the correlation of a utility with what it was halves; empty for a taste that stays.
    pub drift: String,
    /// The number of duels; no limit if empty.
    pub duels: String,
    /// Participants, one a line; anyone if empty.
    pub participants: String,
    /// What participants who come by a link read first.
    pub instructions: String,
    /// What they must agree to.
    pub consent: String,
    /// What they read at the end.
    pub thanks: String,
    /// Where they go on to.
    pub redirect: String,
    /// Whose answers are learned from: `separate`, `together` or `collaborative`.
    pub learning: String,
    /// What may be heard or seen beside every comparison: a file, an address, or a setting; nothing if empty.
    pub reference: String,
    /// Whether settings and names are hidden.
    pub blind: bool,
    /// How many options a question shows.
    pub options: String,
    /// What may be answered: `sides`, `ties` or `graded`; of more than two options `best` or `best and worst`.
    pub answers: String,
    /// Whether sounds start anew at each switch.
    pub restart: bool,
    /// Whether both sounds are played equally loud.
    pub loudness: bool,
    /// Whether both sounds must have been played before an answer is taken.
    pub hear_both: bool,
    /// Every how many duels one is repeated.
    pub repeats: String,
    /// Every how many duels both sides are the same.
    pub catches: String,
    /// How many duels at the beginning do not count.
    pub training: String,
    /// Whether participants set the volume first.
    pub volume_check: bool,
    /// Questions to participants, one per line.
    pub questionnaire: String,
    /// The code of the language of participants' pages.
    pub language: String,
    /// The URL of the webhook, to which each answer is sent.
    pub webhook: String,
}

/// What a study compares, as the form has it: the template that it begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// Settings of parameters.
    Parameters,
    /// Sound files.
    Sounds,
    /// Picture files.
    Pictures,
    /// Text files.
    Texts,
    /// Pages, as files or as addresses.
    Pages,
    /// Items of a list, with or without files.
    Items,
    /// Settings of the built-in noise suppressor.
    Suppressor,
}

impl Subject {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 7] = [
        Self::Parameters,
        Self::Sounds,
        Self::Pictures,
        Self::Texts,
        Self::Items,
        Self::Pages,
        Self::Suppressor,
    ];

    /// Its name in forms and addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Sounds => "sounds",
            Self::Pictures => "pictures",
            Self::Texts => "texts",
            Self::Pages => "pages",
            Self::Items => "items",
            Self::Suppressor => "suppressor",
        }
    }

    /// That of this name; parameters if there is none.
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|subject| subject.name() == name).unwrap_or(Self::Parameters)
    }

    /// Whether the items of a list are compared.
    pub fn is_of_items(self) -> bool {
        !matches!(self, Self::Parameters | Self::Suppressor)
    }

    /// Of which kinds its files may be; any if there are none.
    pub fn files(self) -> &'static [MediaKind] {
        match self {
            Self::Sounds => &[MediaKind::Audio],
            Self::Pictures => &[MediaKind::Image, MediaKind::Video],
            Self::Texts => &[MediaKind::Text, MediaKind::Pdf],
            Self::Pages => &[MediaKind::Html],
            Self::Parameters | Self::Items | Self::Suppressor => &[],
        }
    }
}

/// A parameter, as it was typed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ParameterRow {
    /// Its name.
    pub name: String,
    /// `float`, `log`, `integer` or `categorical`.
    pub range: String,
    /// The smallest value.
    pub low: String,
    /// The largest value.
    pub high: String,
    /// The distance between values, if not all are allowed.
    pub step: String,
    /// The names to choose among, with commas between them.
    pub choices: String,
    /// The unit.
    pub unit: String,
}

/// A definition to begin with, where it is written as text.
const EXAMPLE: &str = r#"title = "Coffee of the morning"
question = "Which cup would you rather have?"

[parameters]
grams = { type = "float", low = 10, high = 20 }
grind = { type = "categorical", choices = ["fine", "medium", "coarse"] }

[presentation]
units = { grams = "g" }

[stop]
answers = 20
"#;

impl Default for StudyForm {
    fn default() -> Self {
        Self {
            as_toml: false,
            toml: EXAMPLE.to_owned(),
            title: String::new(),
            question: "Which do you prefer?".to_owned(),
            subject: Subject::Parameters,
            parameters: vec![ParameterRow::default()],
            items: String::new(),
            media: String::new(),
            within: String::new(),
            renderer: VALUES.to_owned(),
            both: false,
            clip: String::new(),
            acquisition: Policy::default().acquisition.to_string(),
            opponent: "winner".to_owned(),
            inference: "ep".to_owned(),
            half_life: String::new(),
            drift: String::new(),
            duels: "20".to_owned(),
            participants: String::new(),
            instructions: String::new(),
            consent: String::new(),
            thanks: String::new(),
            redirect: String::new(),
            learning: "separate".to_owned(),
            reference: String::new(),
            blind: true,
            options: "2".to_owned(),
            answers: "ties".to_owned(),
            restart: false,
            loudness: false,
            hear_both: true,
            repeats: "0".to_owned(),
            catches: "0".to_owned(),
            training: "0".to_owned(),
            volume_check: false,
            questionnaire: String::new(),
            language: "en".to_owned(),
            webhook: String::new(),
        }
    }
}

impl StudyForm {
    /// The form that these fields are, names and values in the order of the page. A box that is not ticked sends nothing.
    /// Unknown names do not count.
    pub fn read<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let unticked = Self { blind: false, hear_both: false, parameters: Vec::new(), ..Self::default() };
        let mut form = fields.into_iter().fold(unticked, |mut form, (name, value)| {
            form.take(name, value);
            form
        });
        if form.parameters.is_empty() {
            form.parameters.push(ParameterRow::default());
        }
        form
    }

    fn take(&mut self, name: &str, value: &str) {
        if let Some(part) = name.strip_prefix("parameter-") {
            return self.take_parameter(part, value);
        }
        let text = || value.trim().to_owned();
        let ticked = !value.is_empty();
        match name {
            "how" => self.as_toml = value == "toml",
            "toml" => self.toml = value.to_owned(),
            "title" => self.title = text(),
            "question" => self.question = text(),
            "subject" => self.subject = Subject::named(value),
            "items" => self.items = value.to_owned(),
            "media" => self.media = text(),
            "within" => self.within = text(),
            "renderer" => self.renderer = text(),
            "both" => self.both = ticked,
            "clip" => self.clip = text(),
            "acquisition" => self.acquisition = text(),
            "opponent" => self.opponent = text(),
            "inference" => self.inference = text(),
            "half_life" => self.half_life = text(),
            "drift" => self.drift = text(),
            "duels" => self.duels = text(),
            "participants" => self.participants = value.to_owned(),
            "instructions" => self.instructions = text(),
            "consent" => self.consent = text(),
            "thanks" => self.thanks = text(),
            "redirect" => self.redirect = text(),
            "learning" => self.learning = text(),
            "reference" => self.reference = text(),
            "blind" => self.blind = ticked,
            "options" => self.options = text(),
            "answers" => self.answers = text(),
            "restart" => self.restart = ticked,
            "loudness" => self.loudness = ticked,
            "hear_both" => self.hear_both = ticked,
            "repeats" => self.repeats = text(),
            "catches" => self.catches = text(),
            "training" => self.training = text(),
            "volume_check" => self.volume_check = ticked,
            "questionnaire" => self.questionnaire = value.to_owned(),
            "language" => self.language = text(),
            "webhook" => self.webhook = text(),
            _ => {}
        }
    }

    /// Every row has all fields, and its name comes first.
    fn take_parameter(&mut self, part: &str, value: &str) {
        if part == "name" {
            self.parameters.push(ParameterRow::default());
        }
        let Some(row) = self.parameters.last_mut() else { return };
        let field = match part {
            "name" => &mut row.name,
            "range" => &mut row.range,
            "low" => &mut row.low,
            "high" => &mut row.high,
            "step" => &mut row.step,
            "choices" => &mut row.choices,
            "unit" => &mut row.unit,
            _ => return,
        };
        *field = value.trim().to_owned();
    }
}
