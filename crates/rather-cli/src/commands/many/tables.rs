//! Tables of items, users and answers for models of many users.

use crate::args::{TableArgs, Ties};
use crate::data;
use crate::failure::Failure;
use crate::output::Output;
use rather::Comparison;
use rather::answers::{Answer, Answers};
use rather::model::Items;
use rather_io::{ItemOptions, ItemTable, quote};
use std::path::Path;

/// Items, users, and who said what.
pub(super) struct Tables {
    pub(super) items: Items,
    pub(super) users: Items,
    pub(super) answers: Answers,
}

impl Tables {
    /// Reads the tables; without one of users, everybody who answered is one.
    pub(super) fn read(
        items: &Path,
        comparisons: &Path,
        users: Option<&Path>,
        args: &TableArgs,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let mut item_table = data::read_items(items, args)?;
        let user_table =
            users.map(|path| rather_io::read_items(path, &ItemOptions::default())).transpose()?;
        let read = data::read_plain(comparisons, &item_table, user_table.as_ref(), args.ties, out)?;
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
        let of = |(user, comparison): (Option<u32>, Comparison)| {
            Answer::from(comparison).by(at[user.map_or(0, |user| user as usize)])
        };
        let answers = read.comparisons_by_user().map(of).collect();
        let users = match user_table {
            None => Items { keys: read.users, columns: Vec::new() },
            Some(ItemTable { keys, columns, .. }) => Items { keys, columns },
        };
        let columns = std::mem::take(&mut item_table.columns);
        Ok(Self { items: Items { keys: item_table.keys, columns }, users, answers })
    }
}

/// Somebody, if named, and what they said.
type Person = (Option<String>, Vec<Comparison>);

/// A few people's answers about the items called `keys`, by user; a table without users is of one person, who has no name.
pub(super) fn newcomers(
    path: &Path,
    model: &Path,
    keys: &[String],
    out: &mut Output,
) -> Result<Vec<Person>, Failure> {
    let items = ItemTable::new(model.to_path_buf(), "item".to_owned(), keys.to_vec(), Vec::new())?;
    let read = data::read_plain(path, &items, None, Ties::Drop, out)?;
    if read.users.is_empty() {
        return Ok(vec![(None, read.comparisons())]);
    }
    let mut people: Vec<Person> = read.users.iter().map(|name| (Some(name.clone()), Vec::new())).collect();
    for (user, comparison) in read.comparisons_by_user() {
        people[user.map_or(0, |user| user as usize)].1.push(comparison);
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
