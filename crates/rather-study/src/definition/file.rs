//! Definitions in TOML. An error names line and column.

use super::{Answers, Definition, Fault, Items, Participants, Pooling, Stop, Subject, Ties};
use crate::Error;
use crate::space::{Parameter, Range, Space};
use rather::acquisition::Acquisition;
use rather::design::{Family, Inference, Opponent, Policy, Prior};
use rather::features::{Column, ColumnValues};
use rather_io::quote;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::collections::HashSet;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a definition; a table of items that it names is looked for beside it.
///
/// # Errors
/// If the file cannot be read, is not TOML, or is not a definition that makes sense: with line and column.
pub fn read_toml(path: &Path) -> Result<Definition, Error> {
    let bytes = rather_io::read_file(path)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::NotUtf8 { path: path.to_path_buf() })?;
    read_toml_text(&text, path)
}

/// Reads a definition from `text`, which messages call `path`.
///
/// # Errors
/// As [`read_toml`].
///
/// # Examples
/// ```
/// use rather_study::definition::read_toml_text;
///
/// let text = r#"
/// question = "Which sounds better?"
/// [parameters]
/// gain = { type = "float", low = 0, high = 20 }
/// mode = { type = "categorical", choices = ["soft", "hard"] }
/// "#;
/// let definition = read_toml_text(text, "gain.toml".as_ref())?;
/// assert_eq!(definition.question, "Which sounds better?");
///
/// let error = read_toml_text("[parameters]\ngain = { type = \"float\", low = 3, high = 1 }", "gain.toml".as_ref());
/// assert_eq!(
///     error.unwrap_err().to_string(),
///     "gain.toml, line 2, column 26: low = 3 must be less than high = 1"
/// );
/// # Ok::<(), rather_study::Error>(())
/// ```
pub fn read_toml_text(text: &str, path: &Path) -> Result<Definition, Error> {
    let source = Source { text, path };
    let tree = DeTable::parse(text).map_err(|e| source.syntax(&e))?;
    let file: File = toml::from_str(text).map_err(|e| source.syntax(&e))?;
    let definition = file.definition(&source, tree.get_ref())?;
    definition.check_new().map_err(|fault| source.fault(tree.get_ref(), fault))?;
    Ok(definition)
}

/// The text and its name.
struct Source<'a> {
    text: &'a str,
    path: &'a Path,
}

impl Source<'_> {
    fn error(&self, at: usize, problem: String) -> Error {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Error::Definition { path: self.path.to_path_buf(), line, column, problem }
    }

    fn syntax(&self, error: &toml::de::Error) -> Error {
        let words = [
            ("\n", ", "),
            ("expected f64", "expected a number"),
            ("expected u32", "expected a whole number"),
        ];
        let problem =
            words.iter().fold(error.message().trim().to_owned(), |text, (from, to)| text.replace(from, to));
        self.error(error.span().map_or(0, |span| span.start), problem.replace('`', "\""))
    }

    /// The place in the text that the keys of a fault lead to, as far as they are there.
    fn fault(&self, tree: &DeTable<'_>, fault: Fault) -> Error {
        let (mut here, mut at) = (Some(tree), 0);
        for key in &fault.path {
            let Some((name, value)) = here.and_then(|table| table.get_key_value(key.as_str())) else { break };
            at = name.span().start;
            here = match value.get_ref() {
                DeValue::Table(table) => Some(table),
                _ => None,
            };
        }
        self.error(at, fault.problem)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: Option<String>,
    question: Option<String>,
    seed: Option<u64>,
    time_limit: Option<f64>,
    options: Option<usize>,
    within: Option<String>,
    answers: Option<Answers>,
    ties: Option<Ties>,
    inference: Option<Inference>,
    half_life: Option<f64>,
    drift: Option<f64>,
    items: Option<Spanned<ItemSource>>,
    parameters: Option<Parameters>,
    participants: Option<ParticipantsFile>,
    policy: Option<PolicyFile>,
    prior: Option<PriorFile>,
    stop: Option<StopFile>,
    presentation: Option<serde_json::Map<String, serde_json::Value>>,
}

/// The name of a table, or a list of keys, or of tables.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "items must be a list of names, a list of tables with a name each, or the name of a CSV file"
)]
enum ItemSource {
    Table(String),
    Keys(Vec<String>),
    Rows(Vec<toml::Table>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParticipantsFile {
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    model: Pooling,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    acquisition: Option<Acquisition>,
    opponent: Option<Opponent>,
    initial: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriorFile {
    family: Option<Family>,
    lengthscale: Option<f64>,
    sd: Option<f64>,
    learn: Option<bool>,
    additive: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StopFile {
    answers: Option<u32>,
    regret: Option<f64>,
}

/// Parameters in the order of the text.
struct Parameters(Space);

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Parameters;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a table of parameters")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
                let mut parameters = Vec::new();
                while let Some((name, range)) = map.next_entry::<String, Range>()? {
                    parameters.push(Parameter { name, range });
                }
                Ok(Parameters(Space { parameters }))
            }
        }
        from.deserialize_map(Entries)
    }
}

impl File {
    fn definition(self, source: &Source<'_>, tree: &DeTable<'_>) -> Result<Definition, Error> {
        let subject = match (self.items, self.parameters) {
            (Some(items), None) => {
                let at = items.span().start;
                Subject::Items(read_items(items.into_inner(), at, source)?)
            }
            (None, Some(Parameters(space))) => Subject::Parameters(space),
            (None, None) => {
                let problem =
                    "what is to be compared is missing; write items = [...] or a table [parameters]";
                return Err(source.error(0, problem.to_owned()));
            }
            (Some(_), Some(_)) => {
                let problem = "a study has items or parameters, not both; remove one".to_owned();
                return Err(source.fault(tree, Fault { path: vec!["parameters".to_owned()], problem }));
            }
        };
        let options = self.options.unwrap_or(2);
        let answers = self.answers.unwrap_or(if options > 2 { Answers::Best } else { Answers::default() });
        let usual = Definition::new(subject).asking(options, answers);
        if usual.is_of_sets() && self.ties.is_some() {
            let problem = format!("ties is for comparisons of two; remove it with options = {options}");
            return Err(source.fault(tree, Fault { path: vec!["ties".to_owned()], problem }));
        }
        Ok(Definition {
            title: self.title.unwrap_or_default(),
            question: self.question.unwrap_or(usual.question),
            seed: self.seed.unwrap_or_default(),
            time_limit: self.time_limit.unwrap_or(usual.time_limit),
            options,
            within: self.within,
            answers,
            ties: self.ties.unwrap_or_default(),
            inference: self.inference.unwrap_or_default(),
            half_life: self.half_life,
            drift: self.drift,
            participants: self
                .participants
                .map_or_else(Participants::default, |p| Participants { names: p.names, model: p.model }),
            policy: self.policy.map_or(usual.policy, |policy| policy.policy(usual.policy)),
            prior: self.prior.map_or(usual.prior, PriorFile::prior),
            stop: self.stop.map_or(usual.stop, StopFile::stop),
            presentation: self.presentation.unwrap_or_default(),
            subject: usual.subject,
        })
    }
}

impl PolicyFile {
    fn policy(self, usual: Policy) -> Policy {
        let usual = usual.with_opponent(self.opponent.unwrap_or(usual.opponent));
        Policy {
            acquisition: self.acquisition.unwrap_or(usual.acquisition),
            initial: self.initial.or(usual.initial),
            ..usual
        }
    }
}

impl PriorFile {
    fn prior(self) -> Prior {
        let usual = Prior::default();
        Prior {
            family: self.family.unwrap_or(usual.family),
            lengthscale: self.lengthscale.unwrap_or(usual.lengthscale),
            sd: self.sd.unwrap_or(usual.sd),
            learn: self.learn.unwrap_or(usual.learn),
            additive: self.additive.unwrap_or(usual.additive),
        }
    }
}

impl StopFile {
    fn stop(self) -> Stop {
        Stop { answers: self.answers, regret: self.regret.unwrap_or(Stop::default().regret) }
    }
}

fn read_items(items: ItemSource, at: usize, source: &Source<'_>) -> Result<Items, Error> {
    match items {
        ItemSource::Keys(keys) => Ok(Items { keys, columns: Vec::new() }),
        ItemSource::Table(name) => {
            let beside = source.path.parent().unwrap_or(Path::new("")).join(name);
            let table = rather_io::read_items(
                &beside,
                &rather_io::ItemOptions { complete: true, ..Default::default() },
            )?;
            Ok(Items { keys: table.keys, columns: table.columns })
        }
        ItemSource::Rows(rows) => rows_to_items(&rows).map_err(|problem| source.error(at, problem)),
    }
}

/// Items written as tables: a name each, and the same features.
fn rows_to_items(rows: &[toml::Table]) -> Result<Items, String> {
    let mut keys = Vec::with_capacity(rows.len());
    for (row, number) in rows.iter().zip(1..) {
        match row.get("name").and_then(toml::Value::as_str) {
            Some(name) => keys.push(name.to_owned()),
            None => return Err(format!("item {number} has no name; write name = \"...\"")),
        }
    }
    let mut seen = HashSet::new();
    let names = rows.iter().flat_map(toml::Table::keys).filter(|name| *name != "name" && seen.insert(*name));
    let columns = names
        .into_iter()
        .map(|name| Ok(Column { name: name.clone(), values: feature(name, rows, &keys)? }))
        .collect::<Result<_, String>>()?;
    Ok(Items { keys, columns })
}

fn feature(name: &str, rows: &[toml::Table], keys: &[String]) -> Result<ColumnValues, String> {
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    for (row, key) in rows.iter().zip(keys) {
        match row.get(name) {
            Some(toml::Value::Float(x)) => numbers.push(*x),
            Some(toml::Value::Integer(x)) => numbers.push(*x as f64),
            Some(toml::Value::Boolean(x)) => numbers.push(f64::from(u8::from(*x))),
            Some(toml::Value::String(text)) => texts.push(text.clone()),
            Some(other) => {
                let kind = other.type_str();
                return Err(format!(
                    "the feature {} of {} is of type {kind}; write a number or a text",
                    quote(name),
                    quote(key)
                ));
            }
            None => {
                return Err(format!(
                    "the item {} has no feature {}, which others have",
                    quote(key),
                    quote(name)
                ));
            }
        }
    }
    match (numbers.is_empty(), texts.is_empty()) {
        (false, true) => Ok(ColumnValues::Numeric(numbers)),
        (true, false) => Ok(ColumnValues::Text(texts)),
        _ => Err(format!("the feature {} is a number for some items and a text for others", quote(name))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Definition, String> {
        read_toml_text(text, Path::new("s.toml")).map_err(|e| e.to_string())
    }

    const FULL: &str = r#"
title = "Suppressor"
question = "Which is better?"
seed = 7
time_limit = 0.5
answers = "graded"
ties = "drop"
inference = "streaming"
half_life = 30

[parameters]
zeta = { type = "float", low = 0.1, high = 10, scale = "log" }
alpha = { type = "integer", low = 1, high = 4 }
[parameters.mode]
type = "categorical"
choices = ["a", "b"]

[participants]
names = ["ann", "bob"]
model = "together"

[policy]
acquisition = "ucb:3"
opponent = "best"

[prior]
family = "matern52"
learn = true

[stop]
answers = 40
regret = 0.3

[presentation]
blind = true
"#;

    #[test]
    fn a_full_definition_is_read_in_order() {
        let d = read(FULL).unwrap();
        let Subject::Parameters(space) = &d.subject else { panic!() };
        let names: Vec<&str> = space.parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["zeta", "alpha", "mode"]);
        assert_eq!((d.seed, d.time_limit, d.ties), (7, 0.5, Ties::Drop));
        assert_eq!(d.answers, Answers::Graded);
        assert_eq!((d.inference, d.half_life), (Inference::Streaming, Some(30.0)));
        assert_eq!(d.participants.model, Pooling::Together);
        assert_eq!((d.policy.acquisition, d.policy.opponent), ("ucb:3".parse().unwrap(), Opponent::Best));
        assert_eq!(
            (d.prior.family, d.prior.learn, d.prior.sd),
            (Family::Matern52, true, Prior::default().sd)
        );
        assert_eq!((d.stop.answers, d.stop.regret), (Some(40), 0.3));
        assert_eq!(d.presentation["blind"], true);
        let json = serde_json::to_string(&d).unwrap();
        assert_eq!(serde_json::from_str::<Definition>(&json).unwrap(), d);
        // What study files called a half-life is a drift to this day.
        let walk = Definition { drift: Some(30.0), half_life: None, ..d };
        let json = serde_json::to_string(&walk).unwrap();
        let old = json.replace("\"drift\"", "\"half_life\"");
        assert!(old != json && !json.contains("half_life"));
        for json in [json, old] {
            assert_eq!(serde_json::from_str::<Definition>(&json).unwrap(), walk);
        }
    }

    #[test]
    fn questions_about_sets_ask_for_the_best_unless_it_is_said() {
        let best = read("items = [\"a\",\"b\",\"c\"]\noptions = 3\n[policy]\ninitial = 2").unwrap();
        assert_eq!((best.options, best.answers), (3, Answers::Best));
        assert_eq!((best.policy.opponent, best.policy.initial), (Opponent::Any, Some(2)));
        let both = read("items = [\"a\",\"b\",\"c\"]\noptions = 3\nanswers = \"best and worst\"").unwrap();
        assert_eq!(both, Definition::of_items(["a", "b", "c"]).asking(3, Answers::BestAndWorst));
        let json = serde_json::to_string(&both).unwrap();
        assert_eq!(serde_json::from_str::<Definition>(&json).unwrap(), both);
        // What compares two is kept as before.
        assert!(!serde_json::to_string(&Definition::of_items(["a", "b"])).unwrap().contains("options"));
    }

    #[test]
    fn items_come_in_three_forms() {
        let plain = read("items = [\"a\", \"b\"]").unwrap();
        assert_eq!(plain, Definition::of_items(["a", "b"]));
        let rows = read("[[items]]\nname = \"a\"\nprice = 1\n[[items]]\nname = \"b\"\nprice = 2.5").unwrap();
        let Subject::Items(items) = rows.subject else { panic!() };
        assert_eq!(
            items.columns,
            [Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.5]) }]
        );

        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("teas.csv"), "tea,region\nAssam,north\nOolong,south\n").unwrap();
        let path = folder.path().join("s.toml");
        std::fs::write(&path, "items = \"teas.csv\"").unwrap();
        let Subject::Items(items) = read_toml(&path).unwrap().subject else { panic!() };
        assert_eq!((items.keys.len(), items.columns.len()), (2, 1));
    }

    #[test]
    fn mistakes_are_named_with_line_and_column() {
        for (text, sentence) in [
            ("items = [\"a\", \"b\"", "s.toml, line 1, column 18: "),
            (
                "items = [\"a\", \"b\"]\nsede = 3",
                "s.toml, line 2, column 1: unknown field \"sede\", expected one of ",
            ),
            ("items = [\"a\"]", "s.toml, line 1, column 1: a study needs at least two items to compare"),
            ("items = [\"a\", \"a\"]", "s.toml, line 1, column 1: the item \"a\" appears twice; keep one"),
            (
                "seed = 1",
                "s.toml, line 1, column 1: what is to be compared is missing; write items = [...] or",
            ),
            ("items = 3", "s.toml, line 1, column 9: items must be a list of names"),
            (
                "\n[[items]]\nname = \"a\"\nx = 1\n[[items]]\nname = \"b\"",
                "s.toml, line 2, column 1: the item \"b\" has no feature \"x\"",
            ),
            ("[parameters]\ng = { type = \"float\", low = 0, hgih = 3 }", "s.toml, line 2, column 5: "),
            (
                "[parameters]\ng = { type = \"float\", low = 0, high = 3, step = 2 }",
                "s.toml, line 2, column 42: steps of 2 from 0",
            ),
            (
                "[parameters.g]\ntype = \"integer\"\nlow = 3\nhigh = 3",
                "s.toml, line 3, column 1: low = 3 must be less",
            ),
            ("items = [\"a\",\"b\"]\n[policy]\nacquisition = \"bold\"", "s.toml, line 3, column 15: "),
            (
                "items = [\"a\",\"b\"]\n[policy]\ninitial = 0",
                "s.toml, line 3, column 1: initial = 0 must be at least 1; leave it out",
            ),
            (
                "items = [\"a\",\"b\"]\n[stop]\nregret = 0",
                "s.toml, line 3, column 1: regret = 0 must be greater",
            ),
            (
                "items = [\"a\",\"b\"]\ntime_limit = 0",
                "s.toml, line 2, column 1: time_limit = 0 must be from 0.01",
            ),
            (
                "items = [\"a\",\"b\"]\ninference = \"streaming\"\n[participants]\nmodel = \"collaborative\"",
                "s.toml, line 2, column 1: streaming inference is for one model; take model",
            ),
            (
                "items = [\"a\",\"b\"]\ndrift = 20",
                "s.toml, line 2, column 1: drift needs inference = \"streaming\"; add it",
            ),
            (
                "items = [\"a\",\"b\"]\ninference = \"streaming\"\nhalf_life = 0.5",
                "s.toml, line 3, column 1: half_life = 0.5 must be from 1 to 1e9 answers",
            ),
            (
                "items = [\"a\",\"b\"]\ninference = \"streaming\"\nhalf_life = 5\ndrift = 5",
                "s.toml, line 4, column 1: preferences that drift are forgotten by that; take half_life or drift, not both",
            ),
            (
                "items = [\"a\",\"b\"]\nhalf_life = 5\n[participants]\nmodel = \"collaborative\"",
                "s.toml, line 2, column 1: half_life is for one model; take model = \"separate\" or \"together\", or remove half_life",
            ),
            (
                "items = [\"a\",\"b\"]\ninference = \"streaming\"\n[policy]\nacquisition = \"believer\"",
                "s.toml, line 4, column 1: believer draws the answers anew",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\noptions = 13",
                "s.toml, line 2, column 1: options = 13 must be from 2 to 12",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\noptions = 4",
                "s.toml, line 2, column 1: options = 4 is more than the 3 items; add items",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\noptions = 3\nanswers = \"graded\"",
                "s.toml, line 3, column 1: options = 3 takes answers = \"best\" or \"best and worst\", not \"graded\"",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\nanswers = \"best and worst\"",
                "s.toml, line 2, column 1: answers = \"best and worst\" needs questions about more than two; write options = 4",
            ),
            (
                "options = 3\n[parameters]\ng = { type = \"integer\", low = 0, high = 3 }",
                "s.toml, line 1, column 1: options = 3 needs a list of items",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\noptions = 3\nties = \"learn\"",
                "s.toml, line 3, column 1: ties is for comparisons of two; remove it",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\noptions = 3\ninference = \"streaming\"",
                "s.toml, line 3, column 1: streaming inference is for comparisons of two",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\noptions = 3\nhalf_life = 20",
                "s.toml, line 3, column 1: half_life is for comparisons of two",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\noptions = 3\n[participants]\nmodel = \"collaborative\"",
                "s.toml, line 4, column 1: the model \"collaborative\" is for comparisons of two",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\noptions = 3\n[policy]\nacquisition = \"eubo\"",
                "s.toml, line 4, column 1: eubo chooses comparisons of two",
            ),
            (
                "items = [\"a\",\"b\",\"c\"]\noptions = 3\n[policy]\nopponent = \"winner\"",
                "s.toml, line 4, column 1: opponent = \"winner\" is for comparisons of two; take opponent = \"any\"",
            ),
            (
                "items = [\"a\",\"b\"]\nanswers = \"all\"",
                "s.toml, line 2, column 11: \"all\" is not a set of answers; write sides, ties, graded or difference",
            ),
            (
                "items = [\"a\",\"b\"]\n[policy]\nacquisition = \"believer\"",
                "s.toml, line 3, column 1: believer draws plain comparisons; take answers = \"sides\"",
            ),
            (
                "items = [\"a\",\"b\"]\n[parameters]\n",
                "s.toml, line 2, column 2: a study has items or parameters",
            ),
            (
                "[parameters]\n\"a=b\" = { type = \"integer\", low = 0, high = 3 }",
                "s.toml, line 2, column 1: the name \"a=b\" contains",
            ),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(sentence) && !found.contains('\n'), "{text}: {found}");
        }
    }
}
