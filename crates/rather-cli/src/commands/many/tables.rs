//! Tables of items, users and answers for models of many users.

use crate::args::{TableArgs, Ties};
use crate::data;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::counted;
use rather::Comparison;
use rather::many::Answer;
use rather::model::Items;
use rather_io::{ComparisonTable, ItemOptions, ItemTable, quote};
use std::path::Path;

/// Items, users, and who said what.
pub(super) struct Tables {
    pub(super) items: Items,
    pub(super) users: Items,
    pub(super) answers: Vec<Answer>,
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
        let table = rather_io::read_answers(comparisons, &item_table, user_table.as_ref())?;
        let Some(column) = &table.users else {
            return Err(Failure::User(format!(
                "{} has no column \"user\", which names the user of each answer; add it, or take --model single",
                comparisons.display()
            )));
        };
        let names = column.names.clone();
        let said = answers(table, args.ties, out)?;
        let (users, answers) = match user_table {
            None => (Items { keys: names, columns: Vec::new() }, said),
            Some(users) => {
                let at: Vec<usize> = names.iter().map(|name| users.index(name).unwrap_or(0)).collect();
                let said = said.into_iter().map(|a| Answer { user: at[a.user], ..a }).collect();
                let ItemTable { keys, columns, .. } = users;
                (Items { keys, columns }, said)
            }
        };
        let columns = std::mem::take(&mut item_table.columns);
        Ok(Self { items: Items { keys: item_table.keys, columns }, users, answers })
    }
}

/// The answers of a table that names its users, by their numbers there.
fn answers(table: ComparisonTable, ties: Ties, out: &mut Output) -> Result<Vec<Answer>, Failure> {
    for note in &table.notes {
        out.warn(note);
    }
    let users = table.users.clone().unwrap_or_default();
    let answer = |(c, &user): (&Comparison, &u32)| Answer {
        user: user as usize,
        winner: c.winner,
        loser: c.loser,
        count: c.count,
    };
    let mut all: Vec<Answer> = table.comparisons.iter().zip(&users.of_comparisons).map(answer).collect();
    let path = table.path.display();
    let said: u64 = table.ties.iter().map(|tie| u64::from(tie.count)).sum();
    match ties {
        Ties::Both => all.extend(table.ties.iter().zip(&users.of_ties).flat_map(|(tie, &user)| {
            let (a, b, user, count) = (tie.left, tie.right, user as usize, tie.count);
            [(a, b), (b, a)].map(|(winner, loser)| Answer { user, winner, loser, count })
        })),
        Ties::Drop | Ties::Learn if all.is_empty() => {
            return Err(Failure::User(format!(
                "{path} has ties only, and ties are left out; --ties both takes each as one comparison each way"
            )));
        }
        Ties::Drop | Ties::Learn if said > 0 => {
            let were = if said == 1 { "was" } else { "were" };
            out.warn(format!(
                "{path}: {} {were} left out; --ties both takes each as one comparison each way",
                counted(said, "tie")
            ));
        }
        Ties::Drop | Ties::Learn => {}
    }
    Ok(all)
}

/// Somebody, if named, and what they said.
type Answers = (Option<String>, Vec<Comparison>);

/// A few people's answers about the items called `keys`, by user; a table without users is of one person, who has no name.
pub(super) fn newcomers(
    path: &Path,
    model: &Path,
    keys: &[String],
    out: &mut Output,
) -> Result<Vec<Answers>, Failure> {
    let items = ItemTable::new(model.to_path_buf(), "item".to_owned(), keys.to_vec(), Vec::new())?;
    let table = rather_io::read_comparisons(path, &items)?;
    let Some(column) = table.users.clone() else {
        let (comparisons, _) = data::with_ties(table, Ties::Drop, out)?;
        return Ok(vec![(None, comparisons)]);
    };
    let mut people: Vec<(Option<String>, Vec<Comparison>)> =
        column.names.iter().map(|name| (Some(name.clone()), Vec::new())).collect();
    for a in answers(table, Ties::Drop, out)? {
        people[a.user].1.push(Comparison { winner: a.winner, loser: a.loser, count: a.count });
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
