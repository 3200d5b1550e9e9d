//! One row of comparisons, whatever its form, as a ranking: best first, ties in one tier.

use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::Form;
use crate::table::{Row, Rows};

/// An item of a ranking. Of two items the one in the lower tier is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ranked {
    pub(crate) item: usize,
    pub(crate) tier: usize,
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
        Form::Duel { winner, loser } => {
            let [winner, loser] = two_items(items, rows, row, [*winner, *loser])?;
            ranking.extend([Ranked { item: winner, tier: 0 }, Ranked { item: loser, tier: 1 }]);
        }
        Form::Outcome { left, right, outcome } => {
            let [left, right] = two_items(items, rows, row, [*left, *right])?;
            ranking.extend(outcome_ranking(items, rows, row, *outcome, left, right)?);
        }
        Form::Ranking(column) => read_text(items, rows, row, *column, ranking)?,
        Form::Ranks(columns) => read_ranks(items, rows, row, columns, ranking)?,
    }
    Ok(())
}

/// The two different items of a pair.
pub(crate) fn two_items(
    items: &ItemTable,
    rows: &Rows,
    row: &Row,
    columns: [usize; 2],
) -> Result<[usize; 2], Error> {
    let a = items.in_cell(rows, row, columns[0])?;
    let b = items.in_cell(rows, row, columns[1])?;
    if a == b {
        return Err(Error::SameItem { place: rows.place(row.id()), key: items.keys[a].clone() });
    }
    Ok([a, b])
}

fn outcome_ranking(
    items: &ItemTable,
    rows: &Rows,
    row: &Row,
    column: usize,
    left: usize,
    right: usize,
) -> Result<[Ranked; 2], Error> {
    let value = rows.required(row, column)?;
    let is = |word: &str| value.eq_ignore_ascii_case(word);
    // The words come before keys, for an item may be called "left".
    let (first, second, tied) = if is("left") {
        (left, right, false)
    } else if is("right") {
        (right, left, false)
    } else if is("tie") || is("draw") || is("=") {
        (left, right, true)
    } else if value == items.keys[left] {
        (left, right, false)
    } else if value == items.keys[right] {
        (right, left, false)
    } else {
        return Err(Error::NotAnOutcome {
            cell: rows.cell(row.id(), column),
            value: value.to_owned(),
            left: Box::from(items.keys[left].as_str()),
            right: Box::from(items.keys[right].as_str()),
        });
    };
    Ok([Ranked { item: first, tier: 0 }, Ranked { item: second, tier: usize::from(!tied) }])
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
    for (tier, keys) in text.split('>').enumerate() {
        for key in keys.split('=').map(str::trim) {
            if key.is_empty() {
                return Err(Error::NotARanking { cell: rows.cell(row.id(), column), value: text.to_owned() });
            }
            let item = items.called(key, || rows.cell(row.id(), column))?;
            append(items, rows, row, ranking, Ranked { item, tier })?;
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
    for (tier, &column) in columns[..filled].iter().enumerate() {
        if !is_filled(&column) {
            return Err(Error::RankingGap { cell: rows.cell(row.id(), column) });
        }
        let item = items.in_cell(rows, row, column)?;
        append(items, rows, row, ranking, Ranked { item, tier })?;
    }
    Ok(())
}

/// Appends an item that is not yet in the ranking.
fn append(
    items: &ItemTable,
    rows: &Rows,
    row: &Row,
    ranking: &mut Vec<Ranked>,
    ranked: Ranked,
) -> Result<(), Error> {
    if ranking.iter().any(|other| other.item == ranked.item) {
        let key = items.keys[ranked.item].clone();
        return Err(Error::RepeatedItem { place: rows.place(row.id()), key });
    }
    ranking.push(ranked);
    Ok(())
}
