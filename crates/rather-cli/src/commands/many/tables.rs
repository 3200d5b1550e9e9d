//! Tables of items, users and answers for models of many users.

use crate::args::{AnswerArgs, TableArgs, Ties};
use crate::data;
use crate::failure::Failure;
use crate::output::Output;
use rather::answers::{Answer, Answers};
use rather::likelihood::Preference;
use rather::many::Population;
use rather::model::{Items, Naming};
use rather_io::{ItemOptions, ItemTable, Tied, quote};
use std::path::{Path, PathBuf};

/// Items, users, and who said what.
pub(super) struct Tables {
    pub(super) items: Items,
    pub(super) users: Items,
    pub(super) answers: Answers,
    /// The ratings and the words that levels and grades stand for.
    pub(super) naming: Naming,
}

impl Tables {
    /// Reads the tables; without one of users, everybody who answered is one.
    pub(super) fn read(
        (items, comparisons, users): (&Path, &PathBuf, Option<&Path>),
        (answers, args): (&AnswerArgs, &TableArgs),
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let mut item_table = data::read_items(items, args)?;
        let user_table =
            users.map(|path| rather_io::read_items(path, &ItemOptions::default())).transpose()?;
        let known = user_table.as_ref();
        let tied = match args.ties {
            Ties::Learn => Tied::Kept,
            ties => data::without_ties(ties),
        };
        let read = data::read_answers(comparisons, (&item_table, known), answers, tied, out)?;
        if read.users.is_empty() {
            return Err(Failure::User(format!(
                "{} has no column \"user\", which names the user of each answer; add it, or take --model single",
                comparisons.display()
            )));
        }
        // Where the users of the table of answers stand in that of users.
        let at: Vec<usize> = match &user_table {
            None => (0..read.users.len()).collect(),
            Some(users) => read.users.iter().map(|name| users.index(name).unwrap_or(0)).collect(),
        };
        // Of several tables, one may not tell who answered.
        let of = |answer: Answer| match answer.user() {
            Some(user) => Ok(answer.by(at[user])),
            None => Err(Failure::User(format!(
                "a table beside {} has no column \"user\", which names the user of each answer; add it",
                comparisons.display()
            ))),
        };
        let answers = read.answers.iter().map(of).collect::<Result<Answers, Failure>>()?;
        let naming = Naming { levels: read.levels, grades: read.grades, ..Naming::default() };
        let users = match user_table {
            None => Items { keys: read.users, columns: Vec::new() },
            Some(ItemTable { keys, columns, .. }) => Items { keys, columns },
        };
        let columns = std::mem::take(&mut item_table.columns);
        Ok(Self { items: Items { keys: item_table.keys, columns }, users, answers, naming })
    }
}

/// Somebody, if named, and what they said.
type Person = (Option<String>, Answers);

/// A few people's answers about the items of a model, which is in the file at `place`, by user; a table without users is of one person, who has
/// no name.
pub(super) fn newcomers(
    path: &Path,
    (place, model): (&Path, &Population),
    out: &mut Output,
) -> Result<Vec<Person>, Failure> {
    let keys = model.items().keys().to_vec();
    let items = ItemTable::new(place.to_path_buf(), "item".to_owned(), keys, Vec::new())?;
    let outcomes = model.model().responses().likelihoods().outcomes();
    let ties = outcomes.iter().any(|(outcome, ..)| *outcome == Preference::Tie);
    let tied = if ties { Tied::Kept } else { Tied::Dropped };
    let read = data::read_as(path, &items, (tied, rather_io::Rankings::Pairs), model.naming(), out)?;
    if read.users.is_empty() {
        return Ok(vec![(None, read.answers)]);
    }
    let mut people: Vec<Person> =
        read.users.iter().map(|name| (Some(name.clone()), Answers::default())).collect();
    for answer in read.answers.iter() {
        people[answer.user().unwrap_or_default()].1.push(answer);
    }
    match people.iter().find(|(_, said)| said.is_empty()) {
        Some((Some(name), _)) => Err(Failure::User(format!(
            "{}: the answers of {} are all ties, which this model does not use; add a comparison that has a winner",
            path.display(),
            quote(name)
        ))),
        _ => Ok(people),
    }
}
