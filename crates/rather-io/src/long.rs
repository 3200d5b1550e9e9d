//! Tables of choices with a row an option: who was asked, in which task, which option, and whether it was chosen.

use crate::answers::{AnswerTable, Attributes};
use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::{Layout, missing};
use crate::ranking::{self, Budget, Ranked, UNRANKED, WORST};
use crate::reader::{Rankings, Reading, compared, known_user, number_of_user, read_count, read_noise};
use crate::table::{Row, RowId, Rows, Table};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;

/// How a row tells its option.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    ByKey(usize),
    /// What has the same attributes is the same item.
    ByAttributes(Vec<usize>),
}

/// What a row says of its option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    /// 1 if it was chosen, 0 if not, -1 if it was the worst.
    Chosen(usize),
    /// Its rank in the task, 1 the best; empty if it has none.
    Rank(usize),
}

/// The columns of such a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Long {
    task: usize,
    option: Told,
    said: Said,
}

/// What the key of items is called that are told by their attributes.
const PROFILE: &str = "profile";
/// The key of the option to choose none of the others.
const NONE: &str = "none";
/// Between the attributes in such a key.
const BETWEEN: &str = ", ";

impl Long {
    /// The columns, if the header has one of tasks and one of what was chosen.
    pub(crate) fn of(table: &mut Table, items: &ItemTable) -> Result<Option<Self>, Error> {
        let Some((task, said)) = roles(table)? else { return Ok(None) };
        let by_attributes = items.key_name == PROFILE;
        let key = table.role("option")?.filter(|_| !by_attributes);
        let option = match key {
            Some(column) => Told::ByKey(column),
            None if by_attributes => Told::ByAttributes(attributes(table)?),
            None => return Err(missing(table, "option", &table.header()[task])),
        };
        Ok(Some(Self { task, option, said }))
    }

    pub(crate) fn columns(&self) -> Vec<usize> {
        let (Said::Chosen(said) | Said::Rank(said)) = self.said;
        [self.task, said].iter().chain(self.options()).copied().collect()
    }

    /// The columns that options are told by.
    pub(crate) fn options(&self) -> &[usize] {
        match &self.option {
            Told::ByKey(column) => std::slice::from_ref(column),
            Told::ByAttributes(columns) => columns,
        }
    }

    pub(crate) fn roles(&self) -> Vec<(&'static str, usize)> {
        let said = match self.said {
            Said::Chosen(column) => ("chosen", column),
            Said::Rank(column) => ("rank", column),
        };
        let option = match self.option {
            Told::ByKey(column) => Some(("option", column)),
            Told::ByAttributes(_) => None,
        };
        std::iter::once(("task", self.task)).chain(option).chain([said]).collect()
    }

    /// The item of a row, which is none of those that the rows of its task before it have.
    fn item(&self, items: &ItemTable, rows: &Rows, row: &Row, before: &[Ranked]) -> Result<usize, Error> {
        let is_new = |item: usize| before.iter().all(|other| other.item != item);
        match &self.option {
            Told::ByKey(column) => match items.in_cell(rows, row, *column)? {
                item if is_new(item) => Ok(item),
                item => {
                    Err(Error::RepeatedItem { place: rows.place(row.id()), key: items.keys[item].clone() })
                }
            },
            Told::ByAttributes(columns) => {
                let key = profile(row, columns);
                let named = |n: usize| items.called(&numbered(&key, n), || rows.cell(row.id(), columns[0]));
                // So many of its task have the same attributes, at most.
                (1..=before.len() + 1)
                    .map(named)
                    .find(|item| item.as_ref().map_or(true, |&item| is_new(item)))
                    .unwrap_or_else(|| named(1))
            }
        }
    }

    /// In which tier of its task a row puts its option.
    fn tier(&self, rows: &Rows, row: &Row) -> Result<usize, Error> {
        let wrong = |column: usize, text: &str| {
            Err(Error::NotChosen { cell: rows.cell(row.id(), column), value: text.to_owned() })
        };
        match self.said {
            Said::Chosen(column) => match rows.text(row, column)?.to_lowercase().as_str() {
                "1" | "1.0" | "true" | "yes" | "best" => Ok(0),
                "0" | "0.0" | "false" | "no" | "" => Ok(UNRANKED),
                "-1" | "-1.0" | "worst" => Ok(WORST),
                other => wrong(column, other),
            },
            Said::Rank(column) => match rows.text(row, column)? {
                "" => Ok(UNRANKED),
                text => match text.parse::<u32>() {
                    Ok(rank) if rank > 0 => Ok(rank as usize),
                    _ => Err(Error::NotARank { cell: rows.cell(row.id(), column), value: text.to_owned() }),
                },
            },
        }
    }
}

/// The columns of tasks and of what was chosen.
fn roles(table: &Table) -> Result<Option<(usize, Said)>, Error> {
    let Some(task) = table.role("task")? else { return Ok(None) };
    // Else the options of a task stand in one row.
    if table.called(&["option_1", "option1"]).is_some() {
        return Ok(None);
    }
    let chosen = match table.role("chosen")? {
        Some(column) => Some(column),
        None => table.exactly("choice")?,
    };
    let rank = table.exactly("rank")?.map(Said::Rank);
    Ok(chosen.map(Said::Chosen).or(rank).map(|said| (task, said)))
}

/// The column of those who were asked.
pub(crate) fn user(table: &Table) -> Result<Option<usize>, Error> {
    Ok(table.role("user")?.or_else(|| table.called(RESPONDENT)))
}

/// The column that says how much an answer counts: the weight of an option may be one of its attributes.
pub(crate) fn count(table: &Table) -> Result<Option<usize>, Error> {
    Ok(table.exactly("count")?.or_else(|| table.called(&["weights"])))
}

/// What a column of users may be called where tasks stand beside it.
const RESPONDENT: &[&str] =
    &["id", "resp", "resp_id", "respid", "person", "person_id", "individual", "case", "household"];

/// The columns that have no role.
fn attributes(table: &Table) -> Result<Vec<usize>, Error> {
    let Some((task, Said::Chosen(said) | Said::Rank(said))) = roles(table)? else { return Ok(Vec::new()) };
    let others = [table.role("option")?, user(table)?, count(table)?, table.exactly("noise")?];
    let is_attribute = |column: &usize| {
        *column != task
            && *column != said
            && !others.contains(&Some(*column))
            && !table.header()[*column].is_empty()
    };
    Ok((0..table.header().len()).filter(is_attribute).collect())
}

/// What an option with these attributes is called; one without any is none of the others.
fn profile(row: &Row, columns: &[usize]) -> String {
    let cell = |&column: &usize| String::from_utf8_lossy(row.bytes(column)).trim().to_owned();
    let cells: Vec<String> = columns.iter().map(cell).collect();
    if cells.iter().all(String::is_empty) { NONE.to_owned() } else { cells.join(BETWEEN) }
}

/// What the `n`th option with one key is called among those of a task.
fn numbered(key: &str, n: usize) -> String {
    if n == 1 { key.to_owned() } else { format!("{key} ({n})") }
}

/// The options of a table with a row an option as a table of items: what has the same attributes is one item, unless it is in one task twice; `None` if it
/// is no such table, or its options have no attributes.
///
/// # Errors
/// If two columns have the name of a role.
pub(crate) fn options_in(table: &mut Table) -> Result<Option<Table>, Error> {
    let Some((task, _)) = roles(table)? else { return Ok(None) };
    let attributes = attributes(table)?;
    if attributes.is_empty() {
        return Ok(None);
    }
    let mut csv = csv::Writer::from_writer(Vec::new());
    let header = attributes.iter().map(|&column| table.header()[column].as_str());
    // Writing to memory does not fail.
    let _ = csv.write_record(std::iter::once(PROFILE).chain(header));
    let of_task: Vec<usize> = user(table)?.into_iter().chain([task]).collect();
    let (mut known, mut seen) = (FxHashSet::default(), FxHashMap::default());
    table.scan(&[attributes.as_slice(), &of_task].concat(), |row| {
        let key = profile(row, &attributes);
        let here: Vec<&[u8]> = of_task.iter().map(|&column| row.bytes(column)).collect();
        let times = seen.entry(FxBuildHasher.hash_one((here, &key))).or_insert(0_usize);
        *times += 1;
        let key = numbered(&key, *times);
        if !known.contains(&key) {
            let cells = attributes.iter().map(|&column| row.bytes(column));
            let _ = csv.write_record(std::iter::once(key.as_bytes()).chain(cells));
            known.insert(key);
        }
        true
    });
    let bytes = csv.into_inner().unwrap_or_default();
    Table::of_csv(table.path(), bytes).map(Some)
}

/// One task while its rows are read.
struct Task {
    first: RowId,
    attributes: Attributes,
    ranks: Vec<Ranked>,
}

/// Reads the answers: the rows of a task may stand anywhere.
pub(crate) fn read(
    rows: &mut Rows,
    (layout, long): (&Layout, &Long),
    items: &ItemTable,
    (reading, noise): (&Reading<'_>, Option<usize>),
    out: &mut AnswerTable,
) -> Result<(), Error> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut places: FxHashMap<(Option<u32>, Box<[u8]>), usize> = FxHashMap::default();
    let (mut row, mut users) = (Row::default(), FxHashMap::default());
    while rows.read(&mut row)? {
        let user = match layout.user {
            Some(column) => {
                let name = known_user(rows, &row, column, reading.users)?;
                Some(number_of_user(&mut users, &mut out.users, name))
            }
            None => None,
        };
        rows.required(&row, long.task)?;
        let at = *places.entry((user, row.bytes(long.task).into())).or_insert(tasks.len());
        if at == tasks.len() {
            let count = layout.count.map_or(Ok(1.0), |column| read_count(rows, &row, column))?;
            let noise = noise.map_or(Ok(1.0), |column| read_noise(rows, &row, column))?;
            let attributes = Attributes { user, count, noise };
            tasks.push(Task { first: row.id(), attributes, ranks: Vec::new() });
        }
        let item = long.item(items, rows, &row, &tasks[at].ranks)?;
        tasks[at].ranks.push(Ranked { item, tier: long.tier(rows, &row)? });
    }
    let mut budget = Budget::new(reading.most_of_rankings);
    for Task { first, attributes, mut ranks } in tasks {
        ranks.sort_by_key(|ranked| ranked.tier);
        let place = || rows.place(first);
        budget.take(place, &ranks, reading.rankings)?;
        if ranks.iter().all(|ranked| ranked.tier == UNRANKED) {
            return Err(Error::NothingChosen { place: place() });
        }
        let answers = match reading.rankings {
            Rankings::Joint => ranking::joint(place, &ranks)?.into_iter().collect(),
            rankings => compared(&ranks, rankings),
        };
        answers.into_iter().for_each(|answer| out.push(answer, attributes));
    }
    Ok(())
}
