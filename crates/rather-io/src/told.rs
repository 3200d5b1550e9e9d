//! How the columns of a table of items were read, for people and for programs.

use crate::place::quote;
use crate::written::Written;
use rather::features::ColumnValues;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// What the cells of a column were taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadAs {
    /// `true` and `false`, as 1 and 0.
    TrueFalse,
    /// Categories.
    Categories,
    /// A text for every item, which is no feature.
    Description,
    /// Numbers, written so.
    #[serde(untagged)]
    Numbers(Written),
}

/// How a column was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnTold {
    /// The column.
    pub column: String,
    /// What its cells were taken for.
    pub read_as: ReadAs,
    /// How many categories there are, if it has such.
    pub categories: Option<usize>,
    /// Categories, or texts, that differ only in capitals or spaces.
    pub alike: Vec<String>,
    /// How many values are missing.
    pub missing: usize,
}

impl ColumnTold {
    pub(crate) fn new(column: &str, values: &ColumnValues, read_as: ReadAs, missing: usize) -> Self {
        let column = column.to_owned();
        let ColumnValues::Text(texts) = values else {
            return Self { column, read_as, categories: None, alike: Vec::new(), missing };
        };
        let mut levels: Vec<&String> = texts.iter().collect();
        levels.sort_unstable();
        levels.dedup();
        // As features are learned from: a text that differs for every item is none.
        let is_description = levels.len() == texts.len() && levels.len() > 2;
        let (read_as, categories) = match is_description {
            true => (ReadAs::Description, None),
            false => (read_as, Some(levels.len())),
        };
        Self { column, read_as, categories, alike: alike(&levels), missing }
    }

    /// What stands after the column's name.
    fn kind(&self) -> String {
        let kind = match self.read_as {
            ReadAs::Numbers(Written::Plain) => "numbers".to_owned(),
            ReadAs::Numbers(Written::DecimalCommas) => "numbers with decimal commas".to_owned(),
            ReadAs::Numbers(Written::Thousands) => "numbers with separated thousands".to_owned(),
            ReadAs::Numbers(Written::Percent) => "percent".to_owned(),
            ReadAs::Numbers(Written::Currency) => "amounts of money".to_owned(),
            ReadAs::Numbers(Written::Dates) => "dates (days since 1970-01-01)".to_owned(),
            ReadAs::Numbers(Written::Times) => "times (days)".to_owned(),
            ReadAs::TrueFalse => "true or false".to_owned(),
            ReadAs::Description => "description (not used)".to_owned(),
            ReadAs::Categories => format!("{} categories", self.categories.unwrap_or_default()),
        };
        let mut besides = Vec::new();
        if !self.alike.is_empty() {
            let alike: Vec<String> = self.alike.iter().map(|name| quote(name)).collect();
            besides.push(format!("{}: the same?", alike.join(", ")));
        }
        if self.missing > 0 {
            let taken = match self.read_as {
                ReadAs::Categories => "a category of their own",
                ReadAs::Description => "left so",
                _ => "taken for the mean",
            };
            besides.push(format!("{} missing, {taken}", self.missing));
        }
        if besides.is_empty() { kind } else { format!("{kind} ({})", besides.join("; ")) }
    }
}

/// Levels that are the same but for capitals and spaces.
fn alike(levels: &[&String]) -> Vec<String> {
    let mut groups: FxHashMap<String, Vec<&String>> = FxHashMap::default();
    for level in levels {
        groups.entry(level.split_whitespace().collect::<String>().to_lowercase()).or_default().push(level);
    }
    let mut alike: Vec<String> =
        groups.into_values().filter(|group| group.len() > 1).flatten().cloned().collect();
    alike.sort_unstable();
    alike
}

/// How columns were read, in a sentence: `price, minutes: numbers; kind: 6 categories`.
pub fn told(columns: &[ColumnTold]) -> String {
    let mut parts: Vec<(String, Vec<&str>)> = Vec::new();
    for column in columns {
        let kind = column.kind();
        match parts.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(&column.column),
            None => parts.push((kind, vec![&column.column])),
        }
    }
    let shown = |(kind, names): (String, Vec<&str>)| {
        let more = names.len().saturating_sub(12);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}: {kind}", names[..names.len().min(12)].join(", "))
    };
    parts.into_iter().map(shown).collect::<Vec<_>>().join("; ")
}
