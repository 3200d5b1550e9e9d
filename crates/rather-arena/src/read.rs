//! The votes of a table, or those of a saved board and later ones.

use crate::{Error, Options};
use rather::answers::Answers;
use rather::arena::Past;
use rather::context::Sides;
use rather::model::{Items, Model, Naming};
use rather_io::{AnswerData, LeftOut, Outcomes, Table, Tied, VoteTable, Voting, settle, votes_of};
use serde::Serialize;

/// Votes, ready to be learned from.
#[derive(Debug)]
pub struct Votes {
    /// What messages call them.
    pub(crate) name: String,
    pub(crate) items: Items,
    pub(crate) sides: Option<Sides>,
    pub(crate) answers: Answers,
    pub(crate) naming: Naming,
    pub(crate) voters: Vec<String>,
    /// The voter of each answer, if they are known.
    pub(crate) by: Vec<u32>,
    /// The day of each answer, if it is known.
    pub(crate) days: Vec<f32>,
    /// Whether votes know a left and a right side.
    pub(crate) sided: bool,
    /// The style columns.
    pub(crate) style: Vec<String>,
    pub(crate) read: Read,
    /// The board before.
    pub(crate) before: Option<Model>,
    /// Whether they are from a saved board.
    pub(crate) is_saved: bool,
}

/// What was read.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Read {
    /// The names of the tables.
    #[serde(skip)]
    pub sources: Vec<String>,
    /// Number of votes.
    pub votes: f64,
    /// Number of items.
    pub items: usize,
    /// Votes for the left side, where sides are known.
    pub left: f64,
    /// Votes for the right side, where sides are known.
    pub right: f64,
    /// Votes for neither.
    pub ties: f64,
    /// Votes that both are good.
    pub both_good: f64,
    /// Votes that both are bad.
    pub both_bad: f64,
    /// The columns that were recognised.
    pub columns: Vec<Column>,
    /// Number of voters.
    #[serde(skip)]
    pub voters: usize,
    /// Rows that were left out.
    pub left_out: Vec<LeftOut>,
    /// Votes before the date that was asked for.
    pub before: u64,
    /// Columns of numbers of each side whose effect could be taken out.
    pub numbers_of_sides: Vec<String>,
    /// Columns that were not read.
    #[serde(skip)]
    pub unused: Vec<String>,
}

/// A column, and what it was read as.
#[derive(Debug, Clone, Serialize)]
pub struct Column {
    /// Its name.
    pub column: String,
    /// What it is.
    pub role: &'static str,
}

/// The column of a position among those of a context.
const POSITION: &str = "position";

impl Votes {
    /// The votes of a table that messages call `name`; `warn` is given what is worth knowing.
    ///
    /// # Errors
    /// If the table has no votes, or lacks a column that the options name.
    pub fn of_table(
        mut table: Table,
        name: &str,
        options: &Options,
        warn: &mut dyn FnMut(String),
    ) -> Result<Self, Error> {
        let style = match options.style.as_slice() {
            [only] if only.eq_ignore_ascii_case("found") => rather_io::numbers_of_sides(&mut table, &[]),
            named => named.to_vec(),
        };
        let mut context = vec![POSITION.to_owned()];
        context.extend(style.iter().chain(&options.by).cloned());
        let voting = Voting { context: &context, roles: &options.columns, since: options.since };
        let votes = votes_of(table, &voting).map_err(|error| advised(error, name))?;
        let read = Read::new(name, &votes);
        let VoteTable { items, answers, voters, by, days, .. } = votes;
        answers.notes.iter().filter(|note| is_news(note)).for_each(|note| warn(note.to_string()));
        let sides = answers.context.clone();
        let has = |name: &str| {
            sides.iter().flat_map(|s| &s.columns).any(|c| c.column.name.eq_ignore_ascii_case(name))
        };
        if let Some(column) = style.iter().find(|column| !has(column)) {
            return Err(Error::Asked(format!(
                "--style {column}: {name} has no columns {column}_a and {column}_b with a number of each side"
            )));
        }
        if let Some(by) = options.by.as_ref().filter(|by| !has(by)) {
            return Err(Error::Asked(format!("--by {by}: {name} has no column {by}")));
        }
        let sided = has(POSITION);
        let AnswerData { answers, levels, grades, .. } = settle(vec![answers], Tied::Kept)?;
        Ok(Self {
            name: name.to_owned(),
            items: Items { keys: items, columns: Vec::new() },
            sides,
            answers,
            naming: Naming { levels, grades, ..Naming::default() },
            voters,
            by,
            days,
            sided,
            style,
            read,
            before: None,
            is_saved: false,
        })
    }

    /// The votes of a saved board that messages call `name`, and those of later tables, each with its name.
    ///
    /// # Errors
    /// If it is no board, the options do not suit one, or the later votes do not go together with it.
    pub fn of_board(
        model: Model,
        name: &str,
        later: Vec<(String, Table)>,
        options: &Options,
        warn: &mut dyn FnMut(String),
    ) -> Result<Self, Error> {
        let grows = !later.is_empty();
        check_options(options, name, grows)?;
        let no_board = |why: &str| Error::Asked(format!("{name} is no board of votes: {why}"));
        let mut past = Past::of(&model).map_err(no_board)?;
        let columns: Vec<String> =
            past.sides.iter().flat_map(|s| &s.columns).map(|c| c.column.name.clone()).collect();
        let mut read = Read { items: past.items.keys.len(), ..Read::default() };
        let mut naming = model.naming().clone();
        let voting = Voting { context: &columns, roles: &options.columns, since: options.since };
        for (add, table) in later {
            let votes = votes_of(table, &voting).map_err(|error| advised(error, &add))?;
            let more = Read::new(&add, &votes);
            votes.answers.notes.iter().filter(|note| is_news(note)).for_each(|note| warn(note.to_string()));
            let VoteTable { items, mut answers, voters, by, .. } = votes;
            let sides = answers.context.take();
            let mut settled = settle(vec![answers], Tied::Kept)?;
            if !past.users.is_empty() {
                settled.answers = by_judge(&settled.answers, &voters, &by, &mut past.users);
            }
            let together = |why: &str| Error::Asked(format!("{add} cannot be added to {name}: {why}"));
            if naming.grades.len() > 1 || settled.grades.len() > 1 {
                return Err(together("one of them has preferences of several strengths"));
            }
            naming.grades = if naming.grades.is_empty() { settled.grades } else { naming.grades };
            past = past
                .and(&items, sides.as_ref(), &settled.answers, !naming.grades.is_empty())
                .map_err(together)?;
            read = read.and(more);
        }
        read.items = past.items.keys.len();
        let sided = columns.iter().any(|name| name == POSITION);
        let style = |name: &&String| {
            *name != POSITION
                && past.sides.iter().flat_map(|s| &s.columns).any(|c| c.column.name == **name && !c.shared)
        };
        let style = columns.iter().filter(style).cloned().collect();
        Ok(Self {
            name: name.to_owned(),
            items: past.items,
            sides: past.sides,
            answers: past.answers,
            naming,
            voters: past.users,
            by: Vec::new(),
            days: Vec::new(),
            sided,
            style,
            read,
            before: grows.then_some(model),
            is_saved: true,
        })
    }
}

/// What may be asked for of a table of votes alone.
fn check_options(options: &Options, name: &str, grows: bool) -> Result<(), Error> {
    let refused = [
        ("--style", !options.style.is_empty()),
        ("--by", options.by.is_some()),
        ("--since", options.since.is_some() && !grows),
        ("--columns", !options.columns.is_empty() && !grows),
    ];
    match refused.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Error::Asked(format!(
            "{flag} is for a table of votes, and {name} is a board that was learned from one; learn it again"
        ))),
        None => Ok(()),
    }
}

/// What was recognised is in the report; other notes are warnings.
fn is_news(note: &rather_io::Note) -> bool {
    !matches!(note, rather_io::Note::Roles { .. } | rather_io::Note::IgnoredColumns { .. })
}

/// The error of a table that is not recognised, with the flag that helps.
fn advised(error: rather_io::Error, name: &str) -> Error {
    use rather_io::Error::{MissingColumn, NotAnOutcome, NotComparisons, UnknownCoding, UnknownForm};
    match &error {
        UnknownForm { found, .. } => Error::Asked(format!(
            "{name} has no columns that are votes; its columns are {}; name them with --columns left=...,right=...,outcome=... or --columns winner=...,loser=...",
            rather_io::list(found)
        )),
        MissingColumn { .. } | NotComparisons { .. } | UnknownCoding { .. } | NotAnOutcome { .. } => {
            Error::Asked(format!("{error} (--columns left=...,right=...,outcome=...)"))
        }
        _ => error.into(),
    }
}

/// Answers by the judges of a board, to whom new ones are added.
fn by_judge(answers: &Answers, voters: &[String], by: &[u32], judges: &mut Vec<String>) -> Answers {
    let place = |name: &String| {
        judges.iter().position(|known| known == name).unwrap_or_else(|| {
            judges.push(name.clone());
            judges.len() - 1
        })
    };
    let places: Vec<usize> = voters.iter().map(place).collect();
    let judge = |at: usize| by.get(at).and_then(|&voter| places.get(voter as usize));
    answers
        .iter()
        .enumerate()
        .map(|(at, answer)| judge(at).map_or(answer, |&judge| answer.by(judge)))
        .collect()
}

impl Read {
    /// What was read from a table.
    fn new(name: &str, votes: &VoteTable) -> Self {
        let Outcomes { votes: all, left, right, ties, both_good, both_bad } = votes.outcomes;
        Self {
            sources: vec![name.to_owned()],
            votes: all,
            items: votes.items.len(),
            left,
            right,
            ties,
            both_good,
            both_bad,
            columns: votes
                .roles
                .iter()
                .map(|(column, role)| Column { column: column.clone(), role })
                .collect(),
            voters: votes.voters.len(),
            left_out: votes.left_out.clone(),
            before: votes.before,
            numbers_of_sides: votes.of_sides.clone(),
            unused: votes.answers.notes.iter().find_map(ignored).unwrap_or_default(),
        }
    }

    /// What was read from two tables.
    fn and(mut self, other: Self) -> Self {
        self.sources.extend(other.sources);
        self.left_out.extend(other.left_out);
        Self {
            votes: self.votes + other.votes,
            left: self.left + other.left,
            right: self.right + other.right,
            ties: self.ties + other.ties,
            both_good: self.both_good + other.both_good,
            both_bad: self.both_bad + other.both_bad,
            before: self.before + other.before,
            voters: self.voters.max(other.voters),
            columns: other.columns,
            numbers_of_sides: other.numbers_of_sides,
            unused: other.unused,
            ..self
        }
    }
}

fn ignored(note: &rather_io::Note) -> Option<Vec<String>> {
    if let rather_io::Note::IgnoredColumns { columns, .. } = note { Some(columns.clone()) } else { None }
}
