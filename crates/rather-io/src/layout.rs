//! What the columns of a table of comparisons mean.

use crate::error::Error;
use crate::items::ItemTable;
use crate::long::{self, Long};
use crate::names::{self, Pair};
use crate::note::Note;
use crate::table::{Table, same_name};
use crate::words;
use rather::likelihood::Kind;
use rather::likelihood::difference::Difference;
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
    /// `left,right` and how often each was preferred, and neither.
    Votes { left: usize, right: usize, votes: [usize; 2], ties: Option<usize> },
    /// `left,right` and the score of each.
    Scores { left: usize, right: usize, scores: [usize; 2] },
    /// A row an item, and a column an item, with how often the row was preferred to the column: the column of keys, and each column with its item.
    Matrix { row: usize, cells: Vec<(usize, usize)> },
    /// `left,right,probability`
    Probability { left: usize, right: usize, probability: usize },
    /// `left,right,difference`, or `winner,loser,difference`, which is about no sides; or the column of another kind of answer in its place.
    Difference { first: usize, second: usize, difference: usize, sides: bool, kind: Kind },
    /// `ranking`, with cells like `a > b = c`
    Ranking(usize),
    /// `rank_1,rank_2,…`, with the best item first
    Ranks(Vec<usize>),
    /// `choice,option_1,option_2,…`, or the best and the worst of the options, or one of them. `none` is what stands for none of the options, if that
    /// could be chosen.
    Choice { best: Option<usize>, worst: Option<usize>, options: Vec<usize>, none: Option<String> },
    /// `task,option,chosen`, a row an option.
    Long(Long),
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
    /// The layout that the header tells. Where it leaves a choice, the first row does.
    pub(crate) fn of(table: &mut Table, items: &ItemTable) -> Result<Self, Error> {
        let form = match (matrix(table, items), pairwise(table, items)?) {
            (Some(form), _) | (None, Some(form)) => form,
            (None, None) => match Long::of(table, items)? {
                Some(long) => Form::Long(long),
                None => match (ranked(table)?, chosen(table)?, single(table)?) {
                    (Some(form), _, _) | (None, Some(form), _) | (None, None, Some(form)) => form,
                    (None, None, None) => unrecognised(table, items)?,
                },
            },
        };
        let taken = form.columns();
        let beside = |role: &str| Ok(table.role(role)?.filter(|column| !taken.contains(column)));
        let (user, count) = match form {
            Form::Long(_) => (long::user(table)?, long::count(table)?),
            _ => (beside("user")?, beside("count")?),
        };
        Ok(Self { user, count, form })
    }

    /// The columns that mean something.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let mut columns = self.form.columns();
        columns.extend(self.user);
        columns.extend(self.count);
        columns
    }

    /// The note on columns that are called otherwise than their roles, and were not given them.
    pub(crate) fn note(&self, table: &Table) -> Option<Note> {
        let mut roles = self.form.roles();
        roles.extend(self.user.map(|column| ("user", column)));
        roles.extend(self.count.map(|column| ("count", column)));
        let is_news = |&(role, column): &(&str, usize)| {
            let name = &table.header()[column];
            // Arenas call the outcome the winner.
            table.given(role) != Some(column)
                && !same_name(name, role)
                && !(role == "outcome" && same_name(name, "winner"))
        };
        let read: Vec<(String, &'static str)> = roles
            .into_iter()
            .filter(is_news)
            .map(|(role, column)| match table.header()[column].as_str() {
                "" => (format!("column {}", column + 1), role),
                name => (name.to_owned(), role),
            })
            .collect();
        let path = table.path().to_path_buf();
        (!read.is_empty()).then_some(Note::Roles { path, read })
    }
}

impl Form {
    pub(crate) fn columns(&self) -> Vec<usize> {
        match self {
            Self::Duel { winner, loser } => vec![*winner, *loser],
            Self::Outcome { left, right, outcome } => vec![*left, *right, *outcome],
            Self::Votes { left, right, votes, ties } => {
                [*left, *right].into_iter().chain(*votes).chain(*ties).collect()
            }
            Self::Scores { left, right, scores } => vec![*left, *right, scores[0], scores[1]],
            Self::Matrix { row, cells } => {
                std::iter::once(*row).chain(cells.iter().map(|cell| cell.0)).collect()
            }
            Self::Probability { left, right, probability } => vec![*left, *right, *probability],
            Self::Difference { first, second, difference, .. } => vec![*first, *second, *difference],
            Self::Ranking(ranking) => vec![*ranking],
            Self::Ranks(ranks) => ranks.clone(),
            Self::Choice { best, worst, options, .. } => {
                best.iter().chain(worst).chain(options).copied().collect()
            }
            Self::Long(long) => long.columns(),
            Self::Rating { item, rating: other }
            | Self::Value { item, value: other }
            | Self::Label { item, label: other }
            | Self::Other { item, answer: other, .. } => vec![*item, *other],
        }
    }

    /// The columns with the roles that they have, as far as there are words for them.
    pub(crate) fn roles(&self) -> Vec<(&'static str, usize)> {
        if let Self::Long(long) = self {
            return long.roles();
        }
        match *self {
            Self::Duel { winner, loser } => vec![("winner", winner), ("loser", loser)],
            Self::Outcome { left, right, outcome } => {
                vec![("left", left), ("right", right), ("outcome", outcome)]
            }
            Self::Votes { left, right, votes, ties } => {
                let sides = [
                    ("left", left),
                    ("right", right),
                    ("votes for left", votes[0]),
                    ("votes for right", votes[1]),
                ];
                sides.into_iter().chain(ties.map(|ties| ("ties", ties))).collect()
            }
            Self::Scores { left, right, scores } => vec![
                ("left", left),
                ("right", right),
                ("score of left", scores[0]),
                ("score of right (the difference counts)", scores[1]),
            ],
            Self::Matrix { row, .. } => vec![("items preferred so often to those of the other columns", row)],
            Self::Probability { left, right, probability } => {
                vec![("left", left), ("right", right), ("probability", probability)]
            }
            Self::Difference { first, second, difference, sides, kind } => {
                let roles = if sides { ["left", "right"] } else { ["winner", "loser"] };
                vec![(roles[0], first), (roles[1], second), (kind.0.name(), difference)]
            }
            Self::Rating { item, rating } => vec![("item", item), ("rating", rating)],
            Self::Value { item, value } => vec![("item", item), ("value", value)],
            Self::Label { item, label } => vec![("item", item), ("label", label)],
            Self::Ranking(_) | Self::Ranks(_) | Self::Choice { .. } | Self::Long(_) | Self::Other { .. } => {
                Vec::new()
            }
        }
    }
}

/// The two columns of items called as `pair` says. Of several such pairs, the first one whose first row names two items.
pub(crate) fn two_items(
    table: &mut Table,
    items: &ItemTable,
    pair: Pair,
) -> Result<Option<[usize; 2]>, Error> {
    let candidates = table.pairs(pair)?;
    let fits = |table: &mut Table, columns: &[usize; 2]| {
        let mut known = false;
        table.scan(columns, |row| {
            known = columns.iter().all(|&column| items.has(row.bytes(column)));
            false
        });
        known
    };
    if candidates.len() > 1
        && let Some(&known) = candidates.iter().find(|columns| fits(table, columns))
    {
        return Ok(Some(known));
    }
    Ok(candidates.first().copied())
}

fn pairwise(table: &mut Table, items: &ItemTable) -> Result<Option<Form>, Error> {
    let difference = table.exactly("difference")?;
    if let Some(form) = won(table, items, difference)? {
        return Ok(Some(form));
    }
    let Some([left, right]) = two_items(table, items, Pair::Shown)? else { return Ok(None) };
    let of_kind =
        |(difference, kind)| Form::Difference { first: left, second: right, difference, sides: true, kind };
    let of_difference = |difference| of_kind((difference, Kind(&Difference)));
    let unused = |column: &usize| ![left, right].contains(column);
    // What is called as it should be, before other names.
    if let Some(outcome) = table.exactly("outcome")?.or(table.exactly("winner")?.filter(unused)) {
        return Ok(Some(Form::Outcome { left, right, outcome }));
    }
    if let Some(probability) = table.exactly("probability")? {
        return Ok(Some(Form::Probability { left, right, probability }));
    }
    if let Some(difference) = difference {
        return Ok(Some(of_difference(difference)));
    }
    if let Some(number) = other(table, true)? {
        return Ok(Some(of_kind(number)));
    }
    if let Some(&votes) = table.pairs(Pair::Votes)?.first() {
        return Ok(Some(Form::Votes { left, right, votes, ties: table.called(names::of_ties()) }));
    }
    if let Some(outcome) = table.role("outcome")?.filter(unused) {
        return Ok(Some(Form::Outcome { left, right, outcome }));
    }
    if let Some(&scores) = table.pairs(Pair::Scores)?.first() {
        return Ok(Some(Form::Scores { left, right, scores }));
    }
    if let Some(probability) = table.role("probability")? {
        return Ok(Some(Form::Probability { left, right, probability }));
    }
    match table.role("difference")? {
        Some(difference) => Ok(Some(of_difference(difference))),
        None => Err(missing(table, "outcome", &table.header()[left])),
    }
}

/// `winner,loser` and perhaps `difference`. A column besides that could make a tie of a row is not passed over: the row, read as a win, would be a
/// wrong answer. `left` and `right` go before then.
fn won(table: &mut Table, items: &ItemTable, difference: Option<usize>) -> Result<Option<Form>, Error> {
    let Some([winner, loser]) = two_items(table, items, Pair::Became)? else { return Ok(None) };
    if let Some(difference) = difference.or_else(|| table.called(names::of_role("difference"))) {
        let kind = Kind(&Difference);
        return Ok(Some(Form::Difference { first: winner, second: loser, difference, sides: false, kind }));
    }
    let Some(outcome) = table.exactly("outcome")?.or_else(|| table.called(names::of_ties())) else {
        return Ok(Some(Form::Duel { winner, loser }));
    };
    if two_items(table, items, Pair::Shown)?.is_some() {
        return Ok(None);
    }
    let name = |column: usize| table.header()[column].clone();
    let winners = [name(winner), name(loser)];
    Err(Error::TwoOutcomes { path: table.path().to_path_buf(), winners, outcome: name(outcome) })
}

/// A table that has a row and a column for items: all columns but the first are called as items are.
fn matrix(table: &Table, items: &ItemTable) -> Option<Form> {
    let header = table.header();
    let cells: Option<Vec<_>> = (1..header.len()).map(|c| Some((c, items.index(&header[c])?))).collect();
    let cells = cells.filter(|cells| cells.len() > 1 && items.index(&header[0]).is_none())?;
    Some(Form::Matrix { row: 0, cells })
}

fn ranked(table: &Table) -> Result<Option<Form>, Error> {
    if let Some(ranking) = table.exactly("ranking")? {
        return Ok(Some(Form::Ranking(ranking)));
    }
    Ok(numbered(table, "rank")?.map(Form::Ranks))
}

/// `choice` or `best`, and `worst`, among `option_1`, `option_2` and so on.
fn chosen(table: &mut Table) -> Result<Option<Form>, Error> {
    let choice = table.exactly("choice")?;
    let (best, worst) = (choice.or(table.exactly("best")?), table.exactly("worst")?);
    match (best.or(worst), numbered(table, "option")?) {
        (Some(_), Some(options)) => {
            let none = best.and_then(|best| none_of(table, best, &options));
            Ok(Some(Form::Choice { best, worst, options, none }))
        }
        (Some(_), None) if choice.is_some() => Err(missing(table, "option_1", "choice")),
        (None, Some(options)) => Err(missing(table, "choice", &table.header()[options[0]])),
        (_, None) => Ok(None),
    }
}

/// What stands for none of the options where it was chosen first, without being one of them.
fn none_of(table: &mut Table, choice: usize, options: &[usize]) -> Option<String> {
    let (mut found, columns) = (None, [&[choice], options].concat());
    table.scan(&columns, |row| {
        let chosen = row.bytes(choice);
        let is_offered = options.iter().any(|&option| row.bytes(option) == chosen);
        found = std::str::from_utf8(chosen)
            .ok()
            .filter(|text| words::is_none(text) && !is_offered)
            .map(str::to_owned);
        found.is_none()
    });
    found
}

/// What is said of a single item.
fn single(table: &Table) -> Result<Option<Form>, Error> {
    let (rating, value, label) = (table.role("rating")?, table.exactly("value")?, table.exactly("label")?);
    let said = rating.or(value).or(label);
    // Without anything that is said of it, only a column called so is an item.
    let item = if said.is_some() { table.role("item")? } else { table.exactly("item")? };
    let Some(item) = item else {
        return match (table.exactly("rating")?, value) {
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
        (None, None, None) => match other(table, false)? {
            Some((answer, kind)) => Ok(Some(Form::Other { item, answer, kind })),
            None => Err(missing(table, "rating", "item")),
        },
    }
}

/// The column of a kind of answer that is no other form's, which compares two items, or is about one.
fn other(table: &Table, compares: bool) -> Result<Option<(usize, Kind)>, Error> {
    for kind in rather::likelihood::kinds().into_iter().filter(|kind| kind.scale().is_some() == compares) {
        if let Some(column) = kind.0.column().map(|name| table.column(name)).transpose()?.flatten() {
            return Ok(Some((column, kind)));
        }
    }
    Ok(None)
}

/// The columns `NAME_1`, `NAME_2` and so on, if there are any: without a gap, and at least two.
pub(crate) fn numbered(table: &Table, name: &str) -> Result<Option<Vec<usize>>, Error> {
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
fn unrecognised(table: &Table, items: &ItemTable) -> Result<Form, Error> {
    if table.header().iter().filter(|name| items.index(name).is_some()).count() > 1 {
        let (path, found) = (table.path().to_path_buf(), table.header().to_vec());
        return Err(Error::NoHeader { path, found, header: "winner,loser" });
    }
    for (here, absent) in [("winner", "loser"), ("loser", "winner"), ("left", "right"), ("right", "left")] {
        if table.exactly(here)?.is_some() {
            return Err(missing(table, absent, here));
        }
    }
    if names::are_of_answers(&items.header()) {
        return Err(Error::Exchanged { path: items.path.clone(), found: items.header() });
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
        let items = ItemTable::new(
            "teas.csv".into(),
            "tea".into(),
            vec!["Assam".into(), "Oolong".into()],
            Vec::new(),
        );
        Layout::of(&mut Table::open(&path).unwrap(), &items.unwrap())
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
        assert_eq!(
            form("option_1,option2,choice"),
            Form::Choice { best: Some(2), worst: None, options: vec![0, 1], none: None }
        );
        let maxdiff = Form::Choice { best: Some(0), worst: Some(1), options: vec![2, 3, 4], none: None };
        assert_eq!(form("best,worst,option_1,option_2,option_3"), maxdiff);
        assert_eq!(form("user,item,rating"), Form::Rating { item: 1, rating: 2 });
        assert_eq!(form("Value,Item"), Form::Value { item: 1, value: 0 });
        assert_eq!(form("item,label,user"), Form::Label { item: 0, label: 1 });
        assert_eq!(form("model_a,model_b,winner"), Form::Outcome { left: 0, right: 1, outcome: 2 });
        assert_eq!(form("Winner ID;Loser.ID"), Form::Duel { winner: 0, loser: 1 });
        assert_eq!(form("id,prompt,chosen,rejected"), Form::Duel { winner: 2, loser: 3 });
        assert_eq!(form("winner,winner_id,loser,loser_id"), Form::Duel { winner: 0, loser: 2 });
        let votes = Form::Votes { left: 1, right: 2, votes: [3, 4], ties: Some(5) };
        assert_eq!(form("student,school1,school2,win1,win2,tied"), votes);
        let scores = Form::Scores { left: 0, right: 1, scores: [2, 3] };
        assert_eq!(form("home_team,away_team,home_score,away_score"), scores);
        assert_eq!(form(",Assam,Oolong"), Form::Matrix { row: 0, cells: vec![(1, 0), (2, 1)] });
        assert!(layout("Assam,Oolong").unwrap_err().contains("looks like data"));
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
        assert_eq!(
            layout("Winner,loser,outcome").unwrap_err(),
            "votes.csv says which item is preferred in \"Winner\" and \"loser\", and has a column \"outcome\" besides; rename \"Winner\" to left and \
             \"loser\" to right if \"outcome\" says which is preferred, or remove or rename \"outcome\" if not"
        );
        assert_eq!(form("winner,loser,left,right,outcome"), Form::Outcome { left: 2, right: 3, outcome: 4 });
        assert!(layout("winner,loser,ties").unwrap_err().contains("has a column \"ties\" besides"));
        assert!(layout("winner,loser,Winner").unwrap_err().contains("has two columns"));
    }
}
