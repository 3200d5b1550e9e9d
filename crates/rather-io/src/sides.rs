//! The sides that the answers of several tables are about, numbered through.

use crate::answers::AnswerTable;
use crate::error::Error;
use crate::table::same_name;
use rather::context::{ContextColumn, Sides};
use rather::features::ColumnValues;
use std::collections::HashMap;
use std::path::Path;

/// The sides that the answers of all tables are about, if they have columns of comparisons. Answers are about these then.
///
/// # Errors
/// [`Error::SidesMissing`] if a table lacks a column that another one has, [`Error::SidesKind`] if it has values of another kind there,
/// [`Error::SidesTeams`] if teams are compared in one of several tables.
pub fn join_sides(tables: &mut [AnswerTable]) -> Result<Option<Sides>, Error> {
    if let [table] = tables {
        return Ok(table.context.take());
    }
    let like = tables.iter().find_map(|table| Some((table.path.clone(), table.context.as_ref()?)));
    let Some((path, like)) = like else { return Ok(None) };
    let columns = like.columns.iter().map(without_values).collect();
    let mut joined = Sides { columns, ..Sides::default() };
    for table in tables.iter_mut() {
        let sides = table.context.take().unwrap_or_default();
        if !sides.teams.is_empty() {
            return Err(Error::SidesTeams { path: table.path.clone() });
        }
        let missing = |lacks: &Path, column: &ContextColumn, has: &Path| {
            let (path, other) = (lacks.to_path_buf(), has.to_path_buf());
            Error::SidesMissing { path, column: column.column.name.clone(), other }
        };
        let is_known = |c: &&ContextColumn| joined.columns.iter().any(|known| is_called_like(known, c));
        if let Some(more) = sides.columns.iter().find(|c| !is_known(c)) {
            return Err(missing(&path, more, &table.path));
        }
        for column in &mut joined.columns {
            let found = sides.columns.iter().find(|c| is_called_like(column, c));
            let found = found.ok_or_else(|| missing(&table.path, column, &path))?;
            append(column, found).ok_or_else(|| Error::SidesKind {
                path: table.path.clone(),
                column: column.column.name.clone(),
                other: path.clone(),
            })?;
        }
        let from = joined.items.len();
        table.answers = table.answers.iter().map(|answer| answer.renumbered(|side| side + from)).collect();
        joined.items.extend(sides.items);
    }
    let same = first_of_each(&joined);
    for table in tables {
        table.answers = table.answers.iter().map(|answer| answer.renumbered(|side| same[side])).collect();
    }
    Ok(Some(without_repeats(joined, &same)))
}

/// For each side the number that it has when sides which several tables have are told once: equal answers are one factor only if their sides are one.
fn first_of_each(sides: &Sides) -> Vec<usize> {
    let cell = |column: &ContextColumn, side: usize| match &column.column.values {
        ColumnValues::Numeric(values) => Cell::Number(values[side].to_bits()),
        ColumnValues::Text(values) => Cell::Word(values[side].clone()),
    };
    let mut known: HashMap<(u32, Vec<Cell>), usize> = HashMap::new();
    let number = |(side, &item): (usize, &u32)| {
        let next = known.len();
        let cells = sides.columns.iter().map(|column| cell(column, side)).collect();
        *known.entry((item, cells)).or_insert(next)
    };
    sides.items.iter().enumerate().map(number).collect()
}

/// A cell of a side.
#[derive(PartialEq, Eq, Hash)]
enum Cell {
    Number(u64),
    Word(String),
}

/// The first side of each number.
fn without_repeats(mut sides: Sides, numbers: &[usize]) -> Sides {
    let mut next = 0;
    let is_first: Vec<bool> = numbers
        .iter()
        .map(|&number| {
            let first = number == next;
            next += usize::from(first);
            first
        })
        .collect();
    retain(&mut sides.items, &is_first);
    for column in &mut sides.columns {
        match &mut column.column.values {
            ColumnValues::Numeric(values) => retain(values, &is_first),
            ColumnValues::Text(values) => retain(values, &is_first),
        }
    }
    sides
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut kept = keep.iter();
    values.retain(|_| kept.next().is_some_and(|&keep| keep));
}

fn is_called_like(one: &ContextColumn, other: &ContextColumn) -> bool {
    same_name(&one.column.name, &other.column.name)
}

/// A column of the same kind.
fn without_values(column: &ContextColumn) -> ContextColumn {
    let mut empty = column.clone();
    match &mut empty.column.values {
        ColumnValues::Numeric(values) => values.clear(),
        ColumnValues::Text(values) => values.clear(),
    }
    empty
}

/// Adds the values of a column of the same kind; `None` of another one.
fn append(column: &mut ContextColumn, other: &ContextColumn) -> Option<()> {
    column.shared &= other.shared;
    match (&mut column.column.values, &other.column.values) {
        (ColumnValues::Numeric(values), ColumnValues::Numeric(more)) if column.date == other.date => {
            values.extend(more);
        }
        (ColumnValues::Text(values), ColumnValues::Text(more)) => values.extend_from_slice(more),
        _ => return None,
    }
    Some(())
}
