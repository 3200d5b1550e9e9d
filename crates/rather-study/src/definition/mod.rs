//! What a study is: the question, what is compared, how duels are chosen, when it ends.
//!
//! A definition is written in TOML ([`read_toml`]) or built in code; [`Definition::check`] tells what is wrong with it, and
//! where. A study keeps it in full, so that it depends on no other file.

mod answers;
mod file;
mod sets;
mod shorthand;
mod text;
mod within;

pub use answers::Answers;
pub(crate) use answers::signed;
pub use file::{read_toml, read_toml_text};
pub use sets::MOST_OPTIONS;
pub use shorthand::parse_parameter;

use crate::alternative::{Alternative, Setting};
use crate::space::Space;
use rather::design::{Inference, Policy, Prior};
use rather::features::{Column, ColumnValues};
use rather::streaming::Forgetting;
use rather_io::quote;
use serde::{Deserialize, Serialize};

/// All that is fixed about a study before the first answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// A name for people.
    #[serde(default)]
    pub title: String,
    /// What the participant is asked.
    #[serde(default = "question")]
    pub question: String,
    /// What is compared.
    pub subject: Subject,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// Who may answer, and whose answers are learned from together.
    #[serde(default)]
    pub participants: Participants,
    /// How duels are chosen.
    #[serde(default)]
    pub policy: Policy,
    /// What is believed before the first answer.
    #[serde(default)]
    pub prior: Prior,
    /// How answers are taken in.
    #[serde(default)]
    pub inference: Inference,
    /// The number of answers after which an answer counts half, with any inference; `None` if all count the same.
    #[serde(rename = "forgetting", default, skip_serializing_if = "Option::is_none")]
    pub half_life: Option<f64>,
    /// For preferences that drift, with streaming inference: the number of answers in which the correlation of a utility with what it was
    /// halves. It was called `half_life` in study files before answers had one.
    #[serde(alias = "half_life", default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<f64>,
    /// How many options a question shows: two are compared, of more the best is told ([`Answers::Best`], [`Answers::BestAndWorst`]).
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub options: usize,
    /// The column of the items whose value all options of a question share, such as the prompt that texts answer; `None` if any items are
    /// compared. It is no feature: it cancels in every difference that is asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Which answers may be given.
    #[serde(default)]
    pub answers: Answers,
    /// What an answer without a preference says.
    #[serde(default)]
    pub ties: Ties,
    /// When the study ends.
    #[serde(default)]
    pub stop: Stop,
    /// The longest that choosing a duel may take, in seconds.
    #[serde(default = "time_limit")]
    pub time_limit: f64,
    /// Anything that whoever shows the study wants to keep with it. Of it one entry means something here: the column `media` of the items, which
    /// names files, is no feature.
    #[serde(default)]
    pub presentation: serde_json::Map<String, serde_json::Value>,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// The items of a list.
    Items(Items),
    /// Settings of parameters.
    Parameters(Space),
}

/// A list of items, with features if it has any.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Items {
    /// The items' keys.
    pub keys: Vec<String>,
    /// Their features, one value an item.
    #[serde(default)]
    pub columns: Vec<Column>,
}

/// Who may answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Participants {
    /// Their names; anyone if there are none.
    #[serde(default)]
    pub names: Vec<String>,
    /// Whose answers make a model.
    #[serde(default)]
    pub model: Pooling,
}

/// Whose answers are learned from together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Each participant has a model of their own.
    #[default]
    Separate,
    /// All answers are taken as those of one person.
    Together,
    /// Each participant has a model of their own that expects of them what others' answers make one expect: the tenth
    /// needs fewer duels than the first. While fewer than two others have answered, it is that of [`Pooling::Separate`].
    Collaborative,
}

/// What the fit makes of a tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// A difference too small to be noticed: below a threshold that the answers tell ([`Thresholds`](rather::design::Thresholds)). The model
    /// [`Pooling::Collaborative`] has no thresholds, and takes it for [`Ties::Both`].
    #[default]
    Learn,
    /// Half a comparison each way (with streaming inference, a whole one), which pulls the two utilities together. Studies that were made before
    /// ties had a likelihood of their own say so.
    Both,
    /// Nothing: ties are kept, but not learned from.
    Drop,
}

/// When a study ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stop {
    /// The number of answers after which a participant is asked no more.
    pub answers: Option<u32>,
    /// The expected regret of the recommendation, in units of the duel noise, below which stopping is advised.
    pub regret: f64,
}

impl Default for Stop {
    fn default() -> Self {
        Self { answers: None, regret: 0.2 }
    }
}

fn question() -> String {
    "Which do you prefer?".to_owned()
}

fn time_limit() -> f64 {
    1.0
}

fn two() -> usize {
    2
}

fn is_two(options: &usize) -> bool {
    *options == 2
}

/// What is wrong with a definition, and where: the keys that lead to the place, as in TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The keys, from the outermost.
    pub path: Vec<String>,
    /// What is wrong and what to do.
    pub problem: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.problem);
        }
        write!(f, "{}: {}", self.path.join("."), self.problem)
    }
}

fn fault<const N: usize>(path: [&str; N], problem: impl Into<String>) -> Fault {
    Fault { path: path.map(str::to_owned).to_vec(), problem: problem.into() }
}

/// More parameters than this are more than a person can answer about.
const MOST_PARAMETERS: usize = 100;
/// Names longer than this are mistakes.
const LONGEST_NAME: usize = 500;

impl Definition {
    /// A study of `subject` with everything else as usual.
    pub fn new(subject: Subject) -> Self {
        Self {
            title: String::new(),
            question: question(),
            subject,
            seed: 0,
            participants: Participants::default(),
            policy: Policy::default(),
            prior: Prior::default(),
            inference: Inference::default(),
            half_life: None,
            drift: None,
            options: two(),
            within: None,
            answers: Answers::default(),
            ties: Ties::default(),
            stop: Stop::default(),
            time_limit: time_limit(),
            presentation: serde_json::Map::new(),
        }
    }

    /// A study of items without features.
    pub fn of_items<S: Into<String>>(keys: impl IntoIterator<Item = S>) -> Self {
        let keys = keys.into_iter().map(Into::into).collect();
        Self::new(Subject::Items(Items { keys, columns: Vec::new() }))
    }

    /// Whether the definition makes sense.
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn check(&self) -> Result<(), Fault> {
        match &self.subject {
            Subject::Items(items) => items.check()?,
            Subject::Parameters(space) => check_space(space)?,
        }
        let mut seen = std::collections::HashSet::new();
        for name in &self.participants.names {
            check_name(name).map_err(|problem| fault(["participants", "names"], problem))?;
            if !seen.insert(name) {
                let problem = format!("the participant {} appears twice; keep one", quote(name));
                return Err(fault(["participants", "names"], problem));
            }
        }
        let shared = self.participants.model == Pooling::Collaborative;
        if shared && self.policy.acquisition.conditions_on_a_draw() {
            let problem = format!(
                "{} draws from the exact posterior, which the model \"collaborative\" has none of; take \
                 acquisition = \"improvement\" or \"bald\"",
                self.policy.acquisition
            );
            return Err(fault(["policy", "acquisition"], problem));
        }
        for (key, value) in [("lengthscale", self.prior.lengthscale), ("sd", self.prior.sd)] {
            if !(1e-3..=1e3).contains(&value) {
                return Err(fault(["prior", key], format!("{key} = {value} must be from 0.001 to 1000")));
            }
        }
        if !(self.stop.regret > 0.0 && self.stop.regret.is_finite()) {
            let problem = format!("regret = {} must be greater than 0; 0.2 is usual", self.stop.regret);
            return Err(fault(["stop", "regret"], problem));
        }
        if self.stop.answers == Some(0) {
            return Err(fault(
                ["stop", "answers"],
                "answers = 0 must be at least 1; leave it out for no limit",
            ));
        }
        self.check_sets()?;
        self.check_within()?;
        self.check_inference()?;
        self.check_answers()?;
        if !(0.01..=3600.0).contains(&self.time_limit) {
            let problem = format!("time_limit = {} must be from 0.01 to 3600 seconds", self.time_limit);
            return Err(fault(["time_limit"], problem));
        }
        Ok(())
    }

    /// As [`Definition::check`], of a study that is to be made: that its policy can choose a comparison, and that its initial design has one, too. One
    /// that was made without the first still has the answers that were imported, and one without the second began with one comparison.
    ///
    /// # Errors
    /// The first thing that does not make sense.
    pub(crate) fn check_new(&self) -> Result<(), Fault> {
        self.check()?;
        if self.policy.initial == Some(0) {
            let problem = "initial = 0 must be at least 1; leave it out for the usual number";
            return Err(fault(["policy", "initial"], problem));
        }
        self.policy.check().map_err(|error| fault(["policy", "acquisition"], error.to_string()))
    }

    fn check_inference(&self) -> Result<(), Fault> {
        let streaming = self.inference == Inference::Streaming;
        for (key, given) in [("half_life", self.half_life), ("drift", self.drift)] {
            if let Some(answers) = given.filter(|answers| !(1.0..=1e9).contains(answers)) {
                return Err(fault([key], format!("{key} = {answers} must be from 1 to 1e9 answers")));
            }
        }
        if self.drift.is_some() && !streaming {
            let problem = "drift needs inference = \"streaming\"; add it, or remove drift";
            return Err(fault(["drift"], problem));
        }
        if self.drift.is_some() && self.half_life.is_some() {
            let problem = "preferences that drift are forgotten by that; take half_life or drift, not both";
            return Err(fault(["drift"], problem));
        }
        if self.half_life.is_some() && self.participants.model == Pooling::Collaborative {
            let problem =
                "half_life is for one model; take model = \"separate\" or \"together\", or remove half_life";
            return Err(fault(["half_life"], problem));
        }
        if self.half_life.is_some() && self.policy.acquisition.conditions_on_a_draw() {
            let problem = format!(
                "{} draws plain comparisons, which answers with weights are not; take another acquisition, or remove half_life",
                self.policy.acquisition
            );
            return Err(fault(["policy", "acquisition"], problem));
        }
        if streaming && self.participants.model == Pooling::Collaborative {
            let problem = "streaming inference is for one model; take model = \"separate\" or \"together\", or inference = \"ep\"";
            return Err(fault(["inference"], problem));
        }
        if streaming && self.policy.acquisition.conditions_on_a_draw() {
            let problem = format!(
                "{} draws the answers anew, which streaming inference has no more; take another",
                self.policy.acquisition
            );
            return Err(fault(["policy", "acquisition"], problem));
        }
        Ok(())
    }

    /// Whether any answer has a likelihood with thresholds.
    pub(crate) fn has_thresholds(&self) -> bool {
        match self.answers {
            Answers::Sides | Answers::Best | Answers::BestAndWorst => false,
            Answers::Ties => self.ties == Ties::Learn,
            Answers::Graded | Answers::Numbers(_) => true,
        }
    }

    fn check_answers(&self) -> Result<(), Fault> {
        if let (Answers::Numbers(kind), false) = (self.answers, self.ties == Ties::Learn) {
            let problem =
                format!("ties goes with sides and ties, not with answers = \"{}\"; remove it", kind.0.name());
            return Err(fault(["ties"], problem));
        }
        if self.policy.acquisition.conditions_on_a_draw() && self.has_thresholds() {
            let problem = format!(
                "{} draws plain comparisons; take answers = \"sides\", or answers = \"ties\" with ties = \"both\", \
                 or another acquisition",
                self.policy.acquisition
            );
            return Err(fault(["policy", "acquisition"], problem));
        }
        Ok(())
    }

    /// How older answers lose their effect with streaming inference.
    pub(crate) fn forgetting(&self) -> Forgetting {
        let walk = |half_life| Forgetting::Drift { half_life };
        self.drift.map_or(Forgetting::of(self.half_life), walk)
    }

    /// The alternative in the definition's own form: the known key, or the setting in order.
    ///
    /// # Errors
    /// The sentence that says why it is none.
    pub fn normalised(&self, alternative: &Alternative) -> Result<Alternative, String> {
        match (&self.subject, alternative) {
            (Subject::Items(items), Alternative::Item(key)) => items.find(key).map(|_| alternative.clone()),
            (Subject::Parameters(space), Alternative::Setting(setting)) => {
                space.normalised(setting).map(Alternative::Setting).map_err(|e| not_a_setting(setting, &e))
            }
            (Subject::Items(_), Alternative::Setting(setting)) => Err(format!(
                "this study compares items, and {{{setting}}} is a setting; name an item by its key"
            )),
            (Subject::Parameters(_), Alternative::Item(text)) => self.parse(text),
        }
    }

    /// Reads an alternative as people write it: a key, or `gain=5,mode=fast`.
    ///
    /// # Errors
    /// The sentence that says why it is none.
    pub fn parse(&self, text: &str) -> Result<Alternative, String> {
        match &self.subject {
            Subject::Items(items) => items.find(text).map(|i| Alternative::Item(items.keys[i].clone())),
            Subject::Parameters(space) if text.trim_start().starts_with('{') => {
                let setting: Setting =
                    serde_json::from_str(text).map_err(|e| format!("{} is no setting: {e}", quote(text)))?;
                space.normalised(&setting).map(Alternative::Setting).map_err(|e| not_a_setting(&setting, &e))
            }
            Subject::Parameters(space) => space
                .parse(text)
                .map(Alternative::Setting)
                .map_err(|problem| format!("{} is no setting of this study: {problem}", quote(text))),
        }
    }
}

/// A definition as it is kept.
///
/// # Errors
/// If it cannot be written as JSON.
pub(crate) fn as_json(definition: &Definition) -> Result<String, crate::Error> {
    serde_json::to_string(definition)
        .map_err(|e| crate::Error::Name(format!("the definition cannot be written as JSON: {e}")))
}

fn not_a_setting(setting: &Setting, problem: &str) -> String {
    format!("{{{setting}}} is no setting of this study: {problem}")
}

impl Items {
    /// The number of the item with this key.
    ///
    /// # Errors
    /// The sentence that says that there is none.
    pub fn find(&self, key: &str) -> Result<usize, String> {
        self.keys.iter().position(|other| other == key).ok_or_else(|| {
            let remedy = match rather_io::closest(key, &self.keys) {
                Some(other) => format!("did you mean {}?", quote(other)),
                None => format!("the items are {}", rather_io::list(&self.keys)),
            };
            format!("there is no item {} in this study; {remedy}", quote(key))
        })
    }

    fn check(&self) -> Result<(), Fault> {
        if self.keys.len() < 2 {
            return Err(fault(["items"], "a study needs at least two items to compare"));
        }
        let mut seen = std::collections::HashSet::new();
        for key in &self.keys {
            check_name(key).map_err(|problem| fault(["items"], problem))?;
            if !seen.insert(key) {
                return Err(fault(["items"], format!("the item {} appears twice; keep one", quote(key))));
            }
        }
        for column in &self.columns {
            let finite = match &column.values {
                ColumnValues::Numeric(values) => values.iter().all(|x| x.abs() <= 1e150),
                ColumnValues::Text(_) => true,
            };
            if !finite || column.values.len() != self.keys.len() {
                let problem =
                    format!("the feature {} must have a finite value for every item", quote(&column.name));
                return Err(fault(["items"], problem));
            }
        }
        Ok(())
    }
}

/// A name of an item or a person: one line, not empty, no spaces round it.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("a name is empty; write one".to_owned());
    }
    if name.trim() != name || name.chars().any(char::is_control) {
        return Err(format!(
            "the name {} has spaces round it or control characters; remove them",
            quote(name)
        ));
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(format!("the name {} has more than {LONGEST_NAME} characters; shorten it", quote(name)));
    }
    Ok(())
}

fn check_space(space: &Space) -> Result<(), Fault> {
    if space.parameters.is_empty() {
        return Err(fault(["parameters"], "a study needs at least one parameter"));
    }
    if space.parameters.len() > MOST_PARAMETERS {
        let problem = format!("{} parameters are more than {MOST_PARAMETERS}", space.parameters.len());
        return Err(fault(["parameters"], problem));
    }
    for (i, parameter) in space.parameters.iter().enumerate() {
        let name = parameter.name.as_str();
        check_name(name).map_err(|problem| fault(["parameters", name], problem))?;
        if name.contains(['=', ',', '{', '}']) {
            let problem = format!("the name {} contains one of = , {{ }}; choose another", quote(name));
            return Err(fault(["parameters", name], problem));
        }
        if space.parameters[..i].iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
            let problem = format!("two parameters are called {}; rename one", quote(name));
            return Err(fault(["parameters", name], problem));
        }
        parameter.range.check().map_err(|found| {
            let entry = found.entry.map(str::to_owned);
            let path = ["parameters".to_owned(), name.to_owned()].into_iter().chain(entry).collect();
            Fault { path, problem: found.problem }
        })?;
    }
    Ok(())
}
