//! The votes of a table, or those of a saved board and later ones.

use super::report::{Column, Read};
use crate::args::ArenaArgs;
use crate::failure::Failure;
use crate::output::Output;
use rather::answers::Answers;
use rather::arena::Past;
use rather::context::Sides;
use rather::model::{Items, Model, Naming};
use rather_io::{AnswerData, Outcomes, Saved, Table, Tied, VoteTable, Voting, read_votes, settle, votes_of};
use std::path::Path;

/// Votes, ready to be learned from.
pub(super) struct Votes {
    pub(super) items: Items,
    pub(super) sides: Option<Sides>,
    pub(super) answers: Answers,
    pub(super) naming: Naming,
    pub(super) voters: Vec<String>,
    /// The voter of each answer, if they are known.
    pub(super) by: Vec<u32>,
    /// The day of each answer, if it is known.
    pub(super) days: Vec<f32>,
    /// Whether votes know a left and a right side.
    pub(super) sided: bool,
    /// The style columns.
    pub(super) style: Vec<String>,
    pub(super) read: Read,
    /// The board before.
    pub(super) before: Option<Model>,
    /// Whether they are from a saved board.
    pub(super) is_saved: bool,
}

/// The column of a position among those of a context.
const POSITION: &str = "position";

/// Reads what the flags ask for.
pub(super) fn votes(args: &ArenaArgs, out: &mut Output) -> Result<Votes, Failure> {
    if is_board(&args.votes)? { board(args, out) } else { table(args, out) }
}

/// Whether a file is a saved model: all of them begin with the length of their header, below 2^56.
fn is_board(path: &Path) -> Result<bool, Failure> {
    if path == Path::new("-") {
        return Ok(false);
    }
    Ok(path.extension().is_some_and(|e| e.eq_ignore_ascii_case("rather")))
}

fn table(args: &ArenaArgs, out: &mut Output) -> Result<Votes, Failure> {
    if !args.add.is_empty() {
        return Err(Failure::User(format!(
            "--add adds votes to a board that -o saved (board.rather), and {} is a table of votes; save its board first",
            args.votes.display()
        )));
    }
    // Opened once, so that the table may come through a pipe; which columns there are is known then.
    let mut table = Table::open(&args.votes)?;
    let style = match args.style.as_slice() {
        [only] if only.eq_ignore_ascii_case("found") => rather_io::numbers_of_sides(&mut table, &[]),
        named => named.to_vec(),
    };
    let mut context = vec![POSITION.to_owned()];
    context.extend(style.iter().chain(&args.by).cloned());
    let voting = Voting { context: &context, roles: &args.columns, since: args.since };
    let votes = votes_of(table, &voting).map_err(|error| advised(error, args))?;
    let read = Read::new(&args.votes, &votes);
    let VoteTable { items, answers, voters, by, days, .. } = votes;
    for note in answers.notes.iter().filter(|note| is_news(note)) {
        out.warn(note);
    }
    let sides = answers.context.clone();
    let has =
        |name: &str| sides.iter().flat_map(|s| &s.columns).any(|c| c.column.name.eq_ignore_ascii_case(name));
    if let Some(column) = style.iter().find(|column| !has(column)) {
        return Err(Failure::User(format!(
            "--style {column}: {} has no columns {column}_a and {column}_b with a number of each side",
            args.votes.display()
        )));
    }
    if let Some(by) = args.by.as_ref().filter(|by| !has(by)) {
        return Err(Failure::User(format!("--by {by}: {} has no column {by}", args.votes.display())));
    }
    let sided = has(POSITION);
    let AnswerData { answers, levels, grades, .. } = settle(vec![answers], Tied::Kept)?;
    Ok(Votes {
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

/// What was recognised is in the report; other notes are warnings.
fn is_news(note: &rather_io::Note) -> bool {
    !matches!(note, rather_io::Note::Roles { .. } | rather_io::Note::IgnoredColumns { .. })
}

/// The error of a table that is not recognised, with the flag that helps.
fn advised(error: rather_io::Error, args: &ArenaArgs) -> Failure {
    use rather_io::Error::{MissingColumn, NotAnOutcome, NotComparisons, UnknownCoding, UnknownForm};
    match &error {
        UnknownForm { found, .. } => Failure::User(format!(
            "{} has no columns that are votes; its columns are {}; name them with --columns left=...,right=...,outcome=... or --columns winner=...,loser=...",
            args.votes.display(),
            rather_io::list(found)
        )),
        MissingColumn { .. } | NotComparisons { .. } | UnknownCoding { .. } | NotAnOutcome { .. } => {
            Failure::User(format!("{error} (--columns left=...,right=...,outcome=...)"))
        }
        _ => error.into(),
    }
}

fn board(args: &ArenaArgs, out: &mut Output) -> Result<Votes, Failure> {
    let path = args.votes.display();
    let refused = [
        ("--style", !args.style.is_empty()),
        ("--by", args.by.is_some()),
        ("--since", args.since.is_some() && args.add.is_empty()),
        ("--columns", !args.columns.is_empty() && args.add.is_empty()),
    ];
    if let Some((flag, _)) = refused.iter().find(|(_, given)| *given) {
        return Err(Failure::User(format!(
            "{flag} is for a table of votes, and {path} is a board that was learned from one; learn it again"
        )));
    }
    let Saved::Single(model) = rather_io::load_saved(&args.votes)? else {
        return Err(Failure::User(format!(
            "{path} is a model of many users, and no board; learn one with rather arena -o"
        )));
    };
    let no_board = |why: &str| Failure::User(format!("{path} is no board of votes: {why}"));
    let mut past = Past::of(&model).map_err(no_board)?;
    let columns: Vec<String> =
        past.sides.iter().flat_map(|s| &s.columns).map(|c| c.column.name.clone()).collect();
    let mut read = Read { items: past.items.keys.len(), ..Read::default() };
    let mut naming = model.naming().clone();
    for add in &args.add {
        let voting = Voting { context: &columns, roles: &args.columns, since: args.since };
        let votes = read_votes(add, &voting).map_err(|error| advised(error, args))?;
        let later = Read::new(add, &votes);
        for note in votes.answers.notes.iter().filter(|note| is_news(note)) {
            out.warn(note);
        }
        let VoteTable { items, mut answers, voters, by, .. } = votes;
        let sides = answers.context.take();
        let mut settled = settle(vec![answers], Tied::Kept)?;
        if !past.users.is_empty() {
            settled.answers = by_judge(&settled.answers, &voters, &by, &mut past.users);
        }
        let together =
            |why: &str| Failure::User(format!("{} cannot be added to {path}: {why}", add.display()));
        if naming.grades.len() > 1 || settled.grades.len() > 1 {
            return Err(together("one of them has preferences of several strengths"));
        }
        naming.grades = if naming.grades.is_empty() { settled.grades } else { naming.grades };
        past = past
            .and(&items, sides.as_ref(), &settled.answers, !naming.grades.is_empty())
            .map_err(together)?;
        read = read.and(later);
    }
    read.items = past.items.keys.len();
    let sided = columns.iter().any(|name| name == POSITION);
    let style = |name: &&String| {
        *name != POSITION
            && past.sides.iter().flat_map(|s| &s.columns).any(|c| c.column.name == **name && !c.shared)
    };
    let style = columns.iter().filter(style).cloned().collect();
    Ok(Votes {
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
        before: (!args.add.is_empty()).then_some(*model),
        is_saved: true,
    })
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
    fn new(path: &Path, votes: &VoteTable) -> Self {
        let Outcomes { votes: all, left, right, ties, both_good, both_bad } = votes.outcomes;
        let source =
            if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
        Self {
            sources: vec![source],
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
