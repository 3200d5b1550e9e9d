//! Teams in the place of items: `ann + bob`, and with shares of the play `ann*0.5 + bob`.

use crate::error::Error;
use crate::items::ItemTable;
use crate::number;
use crate::table::{Row, Rows};
use rather::context::Sides;
use rather_numerics::order;
use rustc_hash::FxHashMap;

/// What is compared in a table, numbered: the items, and after them the teams in the order of their first comparison.
#[derive(Debug, Default)]
pub(crate) struct Entrants {
    /// Whether teams are read at all.
    allowed: bool,
    teams: Vec<Vec<(u32, f64)>>,
    /// As they were written first.
    pub(crate) names: Vec<String>,
    numbers: FxHashMap<Vec<(u32, u64)>, usize>,
}

impl Entrants {
    pub(crate) fn new(allowed: bool) -> Self {
        Self { allowed, ..Self::default() }
    }

    /// The item or the team in a cell.
    pub(crate) fn in_cell(
        &mut self,
        items: &ItemTable,
        rows: &Rows,
        row: &Row,
        column: usize,
    ) -> Result<usize, Error> {
        let found = items.in_cell(rows, row, column);
        if found.is_ok() || !self.allowed {
            return found;
        }
        let text = rows.required(row, column)?;
        if !text.contains(['+', '*']) {
            return found;
        }
        let cell = || rows.cell(row.id(), column);
        let mut members: Vec<(u32, f64)> = Vec::new();
        for part in text.split('+') {
            let (name, weight) = part.split_once('*').unwrap_or((part, "1"));
            let item = items.called(name.trim(), cell)? as u32;
            let weight = number::parse(weight.trim()).ok().filter(|weight| *weight > 0.0);
            let weight =
                weight.ok_or_else(|| Error::NotAWeight { cell: cell(), value: part.trim().to_owned() })?;
            if members.iter().any(|&(known, _)| known == item) {
                return Err(Error::MemberTwice { cell: cell(), key: name.trim().to_owned() });
            }
            members.push((item, weight));
        }
        order::sort_by_key(&mut members, |&(item, _)| item as i64);
        let key = members.iter().map(|&(item, weight)| (item, weight.to_bits())).collect();
        let next = items.keys.len() + self.teams.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.teams.push(members);
            self.names.push(text.trim().to_owned());
        }
        Ok(number)
    }

    /// What an item or a team is called.
    pub(crate) fn name<'a>(&'a self, items: &'a ItemTable, entrant: usize) -> &'a str {
        items.keys.get(entrant).unwrap_or_else(|| &self.names[entrant - items.keys.len()])
    }

    /// The sides that answers about entrants are about: with their members if there are teams, else as they are.
    pub(crate) fn into_sides(self, items: &ItemTable, sides: Option<Sides>) -> Option<Sides> {
        if self.teams.is_empty() {
            return sides;
        }
        let known = items.keys.len() as u32;
        let all = known + self.teams.len() as u32;
        let sides = sides.unwrap_or_else(|| Sides { items: (0..all).collect(), ..Sides::default() });
        let teams = (0..known).map(|item| vec![(item, 1.0)]).chain(self.teams).collect();
        Some(Sides { teams, ..sides })
    }
}
