//! What the columns of a table of comparisons mean.

use crate::error::Error;
use crate::table::Table;
use rather::likelihood::Kind;
use std::collections::BTreeMap;

/// The forms of comparisons, in the words of a message.
const FORMS: &str = "winner and loser (and difference); or left, right and \
                     outcome, probability or difference; or ranking; or rank_1, rank_2 and so on; or \
                     choice, option_1, option_2 and so on; or item and rating; or item and value; or item and \
                     label (and user and \
                     count beside them if you like)";

/// The columns that say what was preferred to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// `winner,loser`
    Duel { winner: usize, loser: usize },
    /// `left,right,outcome`
    Outcome { left: usize, right: usize, outcome: usize },
    /// `left,right,probability`
    Probability { left: usize, right: usize, probability: usize },
    /// `left,right,difference`, or `winner,loser,difference`, which is about no sides.
    Difference { first: usize, second: usize, difference: usize, sides: bool },
    /// `ranking`, with cells like `a > b = c`
    Ranking(usize),
    /// `rank_1,rank_2,…`, with the best item first
    Ranks(Vec<usize>),
    /// `choice,option_1,option_2,…`
    Choice { choice: usize, options: Vec<usize> },
    /// `item,rating`
    Rating { item: usize, rating: usize },
    /// `item,value`
    Value { item: usize, value: usize },
    /// `item,label`
    Label { item: usize, label: usize },
    /// `item` and the column of another kind of answer.
    Other { item: usize, answer: usize, kind: Kind },
}

/// The columns of a table of comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) form: Form,
    pub(crate) user: Option<usize>,
    pub(crate) count: Option<usize>,
}

impl Layout {
    /// The layout that the header tells.
    pub(crate) fn of(table: &Table) -> Result<Self, Error> {
        let form = match pairwise(table)? {
            Some(form) => form,
            None => match (ranked(table)?, chosen(table)?, single(table)?) {
                (Some(form), _, _) | (None, Some(form), _) | (None, None, Some(form)) => form,
                (None, None, None) => unrecognised(table)?,
            },
        };
        Ok(Self { form, user: table.column("user")?, count: table.column("count")? })
    }

    /// The columns that mean something.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let mut columns = match &self.form {
            Form::Duel { winner, loser } => vec![*winner, *loser],
            Form::Outcome { left, right, outcome } => vec![*left, *right, *outcome],
            Form::Probability { left, right, probability } => vec![*left, *right, *probability],
            Form::Difference { first, second, difference, .. } => vec![*first, *second, *difference],
            Form::Ranking(ranking) => vec![*ranking],
            Form::Ranks(ranks) => ranks.clone(),
            Form::Choice { choice, options } => std::iter::once(*choice).chain(options.clone()).collect(),
            Form::Rating { item, rating: other }
            | Form::Value { item, value: other }
            | Form::Label { item, label: other }
            | Form::Other { item, answer: other, .. } => vec![*item, *other],
        };
        columns.extend(self.user);
        columns.extend(self.count);
        columns
    }
}

fn pairwise(table: &Table) -> Result<Option<Form>, Error> {
    let winner = table.column("winner")?;
    let difference = table.column("difference")?;
    if let (Some(winner), Some(loser)) = (winner, table.column("loser")?) {
        if let Some(difference) = difference {
            return Ok(Some(Form::Difference { first: winner, second: loser, difference, sides: false }));
        }
        return Ok(Some(Form::Duel { winner, loser }));
    }
    if let (Some(left), Some(right)) = (table.column("left")?, table.column("right")?) {
        // Tables of arenas call the outcome the winner.
        let outcome = table.column("outcome")?.or(winner);
        match (outcome, table.column("probability")?, difference) {
            (None, Some(probability), _) => return Ok(Some(Form::Probability { left, right, probability })),
            (None, None, Some(difference)) => {
                return Ok(Some(Form::Difference { first: left, second: right, difference, sides: true }));
            }
            _ => {}
        }
        let outcome = outcome.ok_or_else(|| missing(table, "outcome", "left"))?;
        return Ok(Some(Form::Outcome { left, right, outcome }));
    }
    Ok(None)
}

fn ranked(table: &Table) -> Result<Option<Form>, Error> {
    if let Some(ranking) = table.column("ranking")? {
        return Ok(Some(Form::Ranking(ranking)));
    }
    Ok(numbered(table, "rank")?.map(Form::Ranks))
}

/// `choice` among `option_1`, `option_2` and so on.
fn chosen(table: &Table) -> Result<Option<Form>, Error> {
    match (table.column("choice")?, numbered(table, "option")?) {
        (Some(choice), Some(options)) => Ok(Some(Form::Choice { choice, options })),
        (Some(_), None) => Err(missing(table, "option_1", "choice")),
        (None, Some(options)) => Err(missing(table, "choice", &table.header()[options[0]])),
        (None, None) => Ok(None),
    }
}

/// What is said of a single item.
fn single(table: &Table) -> Result<Option<Form>, Error> {
    let (rating, value, label) = (table.column("rating")?, table.column("value")?, table.column("label")?);
    let Some(item) = table.column("item")? else {
        return match (rating, value) {
            (Some(_), _) => Err(missing(table, "item", "rating")),
            (None, Some(_)) => Err(missing(table, "item", "value")),
            // Anything may have a column of labels.
            (None, None) => Ok(None),
        };
    };
    match (rating, value, label) {
        (Some(rating), _, _) => Ok(Some(Form::Rating { item, rating })),
        (None, Some(value), _) => Ok(Some(Form::Value { item, value })),
        (None, None, Some(label)) => Ok(Some(Form::Label { item, label })),
        (None, None, None) => match other(table)? {
            Some((answer, kind)) => Ok(Some(Form::Other { item, answer, kind })),
            None => Err(missing(table, "rating", "item")),
        },
    }
}

/// The column of a kind of answer that is no other form's.
fn other(table: &Table) -> Result<Option<(usize, Kind)>, Error> {
    for kind in rather::likelihood::kinds() {
        if let Some(column) = kind.0.column().map(|name| table.column(name)).transpose()?.flatten() {
            return Ok(Some((column, kind)));
        }
    }
    Ok(None)
}

/// The columns `NAME_1`, `NAME_2` and so on, if there are any: without a gap, and at least two.
fn numbered(table: &Table, name: &str) -> Result<Option<Vec<usize>>, Error> {
    let mut columns = BTreeMap::new();
    for (column, header) in table.header().iter().enumerate() {
        let Some(number) = number_after(name, header) else { continue };
        if columns.insert(number, column).is_some() {
            let (path, column) = (table.path().to_path_buf(), header.clone());
            return Err(Error::DuplicateColumn { path, column });
        }
    }
    let Some(&first) = columns.values().next() else { return Ok(None) };
    let gap = columns.keys().zip(1..).find(|&(&number, expected)| number != expected);
    let absent = gap.map_or(2, |(_, expected)| expected);
    if gap.is_some() || columns.len() < 2 {
        return Err(missing(table, &format!("{name}_{absent}"), &table.header()[first]));
    }
    Ok(Some(columns.into_values().collect()))
}

/// The number of a column called `rank_3` or `rank3`.
fn number_after(name: &str, header: &str) -> Option<u32> {
    let lower = header.to_lowercase();
    let digits = lower.strip_prefix(name)?;
    let digits = digits.strip_prefix('_').unwrap_or(digits);
    if digits.starts_with('+') { None } else { digits.parse().ok() }
}

/// Half a form lacks a column; no form at all is told the forms.
fn unrecognised(table: &Table) -> Result<Form, Error> {
    for (here, absent) in [("winner", "loser"), ("loser", "winner"), ("left", "right"), ("right", "left")] {
        if table.column(here)?.is_some() {
            return Err(missing(table, absent, here));
        }
    }
    let (path, found) = (table.path().to_path_buf(), table.header().to_vec());
    Err(Error::UnknownForm { path, forms: FORMS, found })
}

pub(crate) fn missing(table: &Table, missing: &str, beside: &str) -> Error {
    Error::MissingColumn {
        path: table.path().to_path_buf(),
        missing: missing.to_owned(),
        beside: beside.to_owned(),
        found: table.header().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(header: &str) -> Result<Layout, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("votes.csv");
        std::fs::write(&path, format!("{header}\n")).unwrap();
        let shown = format!("{}", path.display());
        Layout::of(&Table::open(&path).unwrap())
            .map_err(|error| error.to_string().replace(&shown, "votes.csv"))
    }

    fn form(header: &str) -> Form {
        layout(header).unwrap().form
    }

    #[test]
    fn forms_are_recognised() {
        assert_eq!(form("winner,loser"), Form::Duel { winner: 0, loser: 1 });
        assert_eq!(form("x, Loser ,WINNER"), Form::Duel { winner: 2, loser: 1 });
        assert_eq!(form("left,right,outcome"), Form::Outcome { left: 0, right: 1, outcome: 2 });
        assert_eq!(form("winner,left,right"), Form::Outcome { left: 1, right: 2, outcome: 0 });
        assert_eq!(form("user,ranking"), Form::Ranking(1));
        assert_eq!(form("user;Rank_2;rank1;rank_03"), Form::Ranks(vec![2, 1, 3]));
        assert_eq!(form("option_1,option2,choice"), Form::Choice { choice: 2, options: vec![0, 1] });
        assert_eq!(form("user,item,rating"), Form::Rating { item: 1, rating: 2 });
        assert_eq!(form("Value,Item"), Form::Value { item: 1, value: 0 });
        assert_eq!(form("item,label,user"), Form::Label { item: 0, label: 1 });
        let layout = layout("user,winner,loser,Count").unwrap();
        assert_eq!((layout.user, layout.count), (Some(0), Some(3)));
        assert_eq!(layout.columns(), [1, 2, 0, 3]);
    }

    #[test]
    fn missing_columns_have_their_sentences() {
        for (header, missing, beside) in [
            ("winner,looser", "loser", "winner"),
            ("loser", "winner", "loser"),
            ("left,outcome", "right", "left"),
            ("right", "left", "right"),
            ("left,right", "outcome", "left"),
            ("rank_1,rank_3", "rank_2", "rank_1"),
            ("rank_2,rank_3", "rank_1", "rank_2"),
            ("rank_1,user", "rank_2", "rank_1"),
            ("choice,option_1", "option_2", "option_1"),
            ("choice,user", "option_1", "choice"),
            ("option_1,option_2", "choice", "option_1"),
            ("rating,user", "item", "rating"),
            ("item,user", "rating", "item"),
        ] {
            let start = format!("votes.csv has no column \"{missing}\", which is needed with \"{beside}\"");
            let sentence = layout(header).unwrap_err();
            assert!(sentence.starts_with(&start), "{sentence}");
        }
        assert_eq!(
            layout("winner,looser").unwrap_err(),
            "votes.csv has no column \"loser\", which is needed with \"winner\"; \
             its columns are \"winner\", \"looser\""
        );
        assert_eq!(
            layout("x,rank").unwrap_err(),
            "the columns of votes.csv are \"x\", \"rank\", but they must be winner and loser (and difference); or left, right \
             and outcome, probability or difference; or ranking; or rank_1, rank_2 and so on; or choice, option_1, option_2 and so on; or \
             item and rating; or item and value; or item and label (and user and count beside them if you like); rename them"
        );
        assert!(layout("winner,loser,Winner").unwrap_err().contains("has two columns"));
    }
}
