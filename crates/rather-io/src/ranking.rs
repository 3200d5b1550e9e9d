//! A row that ranks several items or chooses one: best first, ties in one tier.

use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::Form;
use crate::reader::Rankings;
use crate::table::{Row, Rows};
use rustc_hash::FxHashSet;

/// An item of a ranking. Of two items the one in the lower tier is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ranked {
    pub(crate) item: usize,
    pub(crate) tier: usize,
}

/// The tier of items of which only is known that another was chosen.
pub(crate) const UNRANKED: usize = usize::MAX;

/// What is left of the comparisons that the rankings of a table may stand for: their number grows with the square of the items in a
/// row, so it is known before any of them is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    limit: u64,
    made: u64,
}

impl Budget {
    /// So many for all rankings of a table.
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, made: 0 }
    }

    /// Takes what a ranking stands for.
    pub(crate) fn take(
        &mut self,
        rows: &Rows,
        row: &Row,
        ranking: &[Ranked],
        rankings: Rankings,
    ) -> Result<(), Error> {
        let pairs = stands_for(ranking, rankings);
        // One comparison a row is no more than the file says itself.
        self.made = self.made.saturating_add(if pairs > 1 { pairs } else { 0 });
        if self.made <= self.limit {
            return Ok(());
        }
        let (place, items, limit) = (rows.place(row.id()), ranking.len(), self.limit);
        Err(Error::LongRanking { place, items, pairs, limit })
    }
}

/// The number of comparisons that a ranking stands for.
fn stands_for(ranking: &[Ranked], rankings: Rankings) -> u64 {
    let items = ranking.len() as u64;
    let ranked = ranking.iter().filter(|r| r.tier != UNRANKED).count() as u64;
    match rankings {
        // A choice is compared with each of the others, which are not compared with one another.
        Rankings::Pairs => ranked * ranked.saturating_sub(1) / 2 + ranked * (items - ranked),
        Rankings::Adjacent => items.saturating_sub(1),
    }
}

/// Reads one row into `ranking`.
pub(crate) fn read(
    form: &Form,
    items: &ItemTable,
    rows: &Rows,
    row: &Row,
    ranking: &mut Vec<Ranked>,
) -> Result<(), Error> {
    ranking.clear();
    match form {
        Form::Ranking(column) => read_text(items, rows, row, *column, ranking)?,
        Form::Ranks(columns) => read_ranks(items, rows, row, columns, ranking)?,
        Form::Choice { choice, options } => read_choice(items, rows, row, *choice, options, ranking)?,
        // One answer a row, which is read as what it is.
        Form::Duel { .. }
        | Form::Outcome { .. }
        | Form::Votes { .. }
        | Form::Scores { .. }
        | Form::Matrix { .. }
        | Form::Probability { .. }
        | Form::Difference { .. }
        | Form::Rating { .. }
        | Form::Value { .. }
        | Form::Label { .. }
        | Form::Other { .. } => {}
    }
    Ok(())
}

/// The chosen item, and the other options; the last cells may be empty.
fn read_choice(
    items: &ItemTable,
    rows: &Rows,
    row: &Row,
    choice: usize,
    options: &[usize],
    ranking: &mut Vec<Ranked>,
) -> Result<(), Error> {
    let chosen = items.in_cell(rows, row, choice)?;
    ranking.push(Ranked { item: chosen, tier: 0 });
    let (mut offered, mut seen) = (false, FxHashSet::from_iter([chosen]));
    for &column in options {
        if row.bytes(column).is_empty() {
            continue;
        }
        let item = items.in_cell(rows, row, column)?;
        if item == chosen && !offered {
            offered = true;
        } else {
            append(items, rows, row, (ranking, &mut seen), Ranked { item, tier: UNRANKED })?;
        }
    }
    if !offered {
        let key = items.keys[chosen].clone();
        return Err(Error::NotOffered { cell: rows.cell(row.id(), choice), key });
    }
    Ok(())
}

/// A cell like `a > b = c`.
fn read_text(
    items: &ItemTable,
    rows: &Rows,
    row: &Row,
    column: usize,
    ranking: &mut Vec<Ranked>,
) -> Result<(), Error> {
    let text = rows.required(row, column)?;
    let mut seen = FxHashSet::default();
    for (tier, keys) in text.split('>').enumerate() {
        for key in keys.split('=').map(str::trim) {
            if key.is_empty() {
                return Err(Error::NotARanking { cell: rows.cell(row.id(), column), value: text.to_owned() });
            }
            let item = items.called(key, || rows.cell(row.id(), column))?;
            append(items, rows, row, (ranking, &mut seen), Ranked { item, tier })?;
        }
    }
    Ok(())
}

/// Cells with one item each; those after the last item may be empty.
fn read_ranks(
    items: &ItemTable,
    rows: &Rows,
    row: &Row,
    columns: &[usize],
    ranking: &mut Vec<Ranked>,
) -> Result<(), Error> {
    let is_filled = |column: &usize| !row.bytes(*column).is_empty();
    let filled = columns.iter().rposition(is_filled).map_or(0, |last| last + 1);
    let mut seen = FxHashSet::default();
    for (tier, &column) in columns[..filled].iter().enumerate() {
        if !is_filled(&column) {
            return Err(Error::RankingGap { cell: rows.cell(row.id(), column) });
        }
        let item = items.in_cell(rows, row, column)?;
        append(items, rows, row, (ranking, &mut seen), Ranked { item, tier })?;
    }
    Ok(())
}

/// Appends an item that is not yet in the ranking.
fn append(
    items: &ItemTable,
    rows: &Rows,
    row: &Row,
    (ranking, seen): (&mut Vec<Ranked>, &mut FxHashSet<usize>),
    ranked: Ranked,
) -> Result<(), Error> {
    if !seen.insert(ranked.item) {
        let key = items.keys[ranked.item].clone();
        return Err(Error::RepeatedItem { place: rows.place(row.id()), key });
    }
    ranking.push(ranked);
    Ok(())
}
