//! A row that ranks several items or chooses one: best first, ties in one tier.

use crate::answers::{PLAIN, preferred};
use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::Form;
use crate::place::Place;
use crate::reader::Rankings;
use crate::table::{Row, Rows};
use rather::answers::Answer;
use rustc_hash::FxHashSet;

/// An item of a ranking. Of two items the one in the lower tier is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ranked {
    pub(crate) item: usize,
    pub(crate) tier: usize,
}

/// The tier of items of which only is known that others were chosen as the best or the worst.
pub(crate) const UNRANKED: usize = usize::MAX - 1;
/// The tier of the worst of some options.
pub(crate) const WORST: usize = usize::MAX;

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
        place: impl Fn() -> Place,
        ranking: &[Ranked],
        rankings: Rankings,
    ) -> Result<(), Error> {
        let pairs = stands_for(ranking, rankings);
        // One comparison a row is no more than the file says itself.
        self.made = self.made.saturating_add(if pairs > 1 { pairs } else { 0 });
        if self.made <= self.limit {
            return Ok(());
        }
        let (place, items, limit) = (place(), ranking.len(), self.limit);
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
        // One neighbour each, or the best and the worst of all that are between.
        Rankings::Adjacent if ranked < items => ranked * (items - ranked),
        Rankings::Adjacent => items.saturating_sub(1),
        // All of them are held.
        Rankings::Joint => items * items.saturating_sub(1) / 2,
    }
}

/// What a ranking says as one answer about all of its items; of two items a comparison, `None` of fewer.
pub(crate) fn joint(place: impl Fn() -> Place, ranking: &[Ranked]) -> Result<Option<Answer>, Error> {
    let wrong = |problem| Err(Error::NotJoint { place: place(), problem });
    let tiers: Vec<&[Ranked]> = ranking.chunk_by(|a, b| a.tier == b.tier).collect();
    let between = tiers.iter().position(|tier| tier.len() > 1);
    if let [a, b] = ranking {
        let strength = if a.tier == b.tier && a.tier != UNRANKED { 0 } else { PLAIN };
        return Ok(Some(preferred(a.item, b.item, strength)));
    }
    if ranking.len() < 2 {
        return Ok(None);
    }
    if tiers.iter().filter(|tier| tier.len() > 1).count() > 1 {
        return wrong("has items of equal rank in two places");
    }
    if tiers.len() == 1 {
        return wrong("says of no item that it is better than another");
    }
    let top = between.unwrap_or(tiers.len() - 1);
    let bottom = between.map_or(0, |tier| tiers.len() - 1 - tier);
    let items: Vec<usize> = ranking.iter().map(|r| r.item).collect();
    match Answer::ordered(&items, top, bottom) {
        Ok(answer) => Ok(Some(answer)),
        Err(_) => wrong("is about more than 12 items"),
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
        Form::Choice { best, worst, options, none } => {
            let none = none.as_deref();
            read_choice(items, rows, row, (*best, *worst), (options, none), ranking)?
        }
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
        // Several rows an answer.
        Form::Long(_) => {}
    }
    Ok(())
}

/// The best item, the other options, and the worst one; the last cells may be empty. Where `none` of them could be chosen, that is an option of every row.
fn read_choice(
    items: &ItemTable,
    rows: &Rows,
    row: &Row,
    (best, worst): (Option<usize>, Option<usize>),
    (options, none): (&[usize], Option<&str>),
    ranking: &mut Vec<Ranked>,
) -> Result<(), Error> {
    let chosen = |column: Option<usize>| -> Result<Option<(usize, usize)>, Error> {
        column.map(|column| Ok((column, items.in_cell(rows, row, column)?))).transpose()
    };
    let (best, worst) = (chosen(best)?, chosen(worst)?);
    if let (Some((_, item)), Some((_, same))) = (best, worst)
        && item == same
    {
        return Err(Error::RepeatedItem { place: rows.place(row.id()), key: items.keys[item].clone() });
    }
    let mut seen = FxHashSet::default();
    ranking.extend(best.map(|(_, item)| Ranked { item, tier: 0 }));
    for &column in options {
        if row.bytes(column).is_empty() {
            continue;
        }
        let item = items.in_cell(rows, row, column)?;
        let is_chosen = [best, worst].into_iter().flatten().any(|(_, chosen)| chosen == item);
        if is_chosen && seen.insert(item) {
            continue;
        }
        append(items, rows, row, (ranking, &mut seen), Ranked { item, tier: UNRANKED })?;
    }
    if let (Some(none), Some(column)) = (none, best.map(|(column, _)| column)) {
        let item = items.called(none, || rows.cell(row.id(), column))?;
        let is_best = best.is_some_and(|(_, best)| best == item);
        if seen.insert(item) && !is_best {
            ranking.push(Ranked { item, tier: UNRANKED });
        }
    }
    ranking.extend(worst.map(|(_, item)| Ranked { item, tier: WORST }));
    match [best, worst].into_iter().flatten().find(|(_, item)| !seen.contains(item)) {
        Some((column, item)) => {
            let key = items.keys[item].clone();
            Err(Error::NotOffered { cell: rows.cell(row.id(), column), key })
        }
        None => Ok(()),
    }
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
