//! Columns of comparisons: of each side (`tokens_left`, `tokens_right`) or of the comparison (`date`), read with the answers.

use crate::error::Error;
use crate::items::ItemTable;
use crate::names::SIDES;
use crate::number;
use crate::table::{Row, RowId, Rows, Table, same_name};
use hashbrown::HashTable;
use rather::context::{ContextColumn, Sides};
use rather::features::{Column, ColumnValues};
use rather_numerics::calendar;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// Which side of a comparison: as it was shown, or by what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    First,
    Second,
}

/// How the columns of the two sides end: as shown, and by what became of them.
const SHOWN: [[&str; 2]; 4] = SIDES;
const BECAME: [[&str; 2]; 1] = [["winner", "loser"]];

/// Where the values of a column stand.
#[derive(Debug, Clone, Copy)]
enum Places {
    /// In one column, for both sides.
    Shared(usize),
    /// In a column a side.
    Each([usize; 2]),
    /// In no column: 1 for the side that was shown first, 0 for the other.
    Shown,
}

/// The column of every table that tells the sides as they were shown.
const POSITION: &str = "position";

/// A column of comparisons while it is read.
#[derive(Debug)]
struct Wanted {
    name: String,
    places: Places,
    /// Whether it was found in the table and not asked for: then it may turn out to be of no use.
    found: bool,
    useless: bool,
    texts: Vec<String>,
    numbers: FxHashMap<String, u64>,
    /// The first cell that is a number and no date, a date, and neither.
    firsts: [Option<(RowId, usize, String)>; 3],
    /// How many distinct values of each sort there are.
    counts: [usize; 3],
}

/// Categories of a column that was not asked for, at most.
const MOST_CATEGORIES: usize = 50;

/// What a cell holds, as an index of `firsts` and `counts`.
const NUMBER: usize = 0;
const DATE: usize = 1;
const TEXT: usize = 2;
/// The bits of no number that stand for a text, with its place.
const TEXT_BITS: u64 = 0xFFF8 << 48;

/// The sides that answers are about, each once, with the values of the columns that are wanted.
#[derive(Debug)]
pub(crate) struct ContextReader {
    columns: Vec<Wanted>,
    /// The numbers of the sides, found by what they are: the item and the cells.
    known: HashTable<(u32, u32)>,
    items: Vec<u32>,
    cells: Vec<u64>,
    values: Vec<u64>,
}

impl ContextReader {
    /// The columns of `table` called `names`, or ending in the name of a side; `None` if it has none of them. By outcome, sides are told apart by
    /// what became of them, else as they were shown; without `sides`, only what both share is read.
    pub(crate) fn new(
        table: &Table,
        names: &[String],
        by_outcome: bool,
        sides: bool,
    ) -> Result<Option<Self>, Error> {
        let ends: &[[&str; 2]] = match (sides, by_outcome) {
            (false, _) => &[],
            (true, true) => &BECAME,
            (true, false) => &SHOWN,
        };
        let mut columns = Vec::new();
        let is_shown = sides && !by_outcome;
        for name in names {
            let found = Wanted::called(table, name, ends, false)?;
            let or_shown = || {
                (is_shown && name.eq_ignore_ascii_case(POSITION))
                    .then(|| Wanted::at(name, Places::Shown, false))
            };
            columns.extend(found.or_else(or_shown));
        }
        Ok(Self::of(columns))
    }

    /// All columns of `table` but those that are `taken` and those that items have: what may be of use to tell what comparisons depend on.
    pub(crate) fn of_any(
        table: &Table,
        (taken, items): (&[usize], &ItemTable),
        by_outcome: bool,
    ) -> Result<Option<Self>, Error> {
        let ends: &[[&str; 2]] = if by_outcome { &BECAME } else { &SHOWN };
        let mut columns: Vec<Wanted> = Vec::new();
        for (at, header) in table.header().iter().enumerate() {
            let is_read = |wanted: &Wanted| wanted.columns().contains(&at);
            let is_twice = table.header().iter().filter(|other| same_name(other, header)).count() > 1;
            if taken.contains(&at) || columns.iter().any(is_read) || header.is_empty() || is_twice {
                continue;
            }
            let own = ends.iter().flatten().find_map(|end| {
                header.strip_suffix(&format!("_{end}")).or_else(|| header.strip_prefix(&format!("{end}_")))
            });
            let wanted = match own {
                Some(name) => Wanted::called(table, name, ends, true)?.filter(is_read),
                None => None,
            };
            let wanted = wanted.or(Wanted::called(table, header, &[], true)?);
            let is_of_items = |name: &str| {
                name.eq_ignore_ascii_case("item")
                    || items.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name))
            };
            let is_short = |wanted: &Wanted| wanted.columns().iter().all(|&column| table.is_short(column));
            columns.extend(wanted.filter(|wanted| !is_of_items(&wanted.name) && is_short(wanted)));
        }
        Ok(Self::of(columns))
    }

    /// The columns of both.
    pub(crate) fn joined(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let columns = |reader: Option<Self>| reader.map_or(Vec::new(), |reader| reader.columns);
        Self::of(columns(one).into_iter().chain(columns(other)).collect())
    }

    fn of(columns: Vec<Wanted>) -> Option<Self> {
        let (known, items, cells, values) = (HashTable::new(), Vec::new(), Vec::new(), Vec::new());
        (!columns.is_empty()).then_some(Self { columns, known, items, cells, values })
    }

    /// The first of these columns that the table does not have.
    pub(crate) fn first_absent<'n>(&self, names: &'n [String]) -> Option<&'n str> {
        let absent = |name: &&String| !self.columns.iter().any(|wanted| wanted.name == **name);
        names.iter().find(absent).map(String::as_str)
    }

    /// The columns of the table that are read, and of use as far as is known.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().filter(|wanted| !wanted.is_useless()).flat_map(Wanted::columns)
    }

    /// The number of a side: an item with what the row says of it.
    pub(crate) fn side(&mut self, rows: &Rows, row: &Row, item: usize, side: Side) -> Result<usize, Error> {
        self.values.clear();
        for wanted in &mut self.columns {
            let column = match (wanted.places, side) {
                (Places::Shared(column), _) | (Places::Each([column, _]), Side::First) => column,
                (Places::Each([_, column]), Side::Second) => column,
                (Places::Shown, _) => {
                    wanted.counts[NUMBER] += 1;
                    self.values.push(f64::from(u8::from(side == Side::First)).to_bits());
                    continue;
                }
            };
            let bits = match (wanted.useless, wanted.found) {
                (true, _) => 0,
                (false, true) => wanted.read_found(rows.text(row, column).unwrap_or(""), (row.id(), column)),
                (false, false) => wanted.read(rows.required(row, column)?, (row.id(), column)),
            };
            self.values.push(bits);
        }
        let Self { known, items, cells, values, .. } = self;
        let (item, width) = (item as u32, values.len());
        let cells_of = |cells: &[u64], n: u32| -> std::ops::Range<usize> {
            let first = n as usize * width;
            debug_assert!(first + width <= cells.len());
            first..first + width
        };
        // Half of the hash stands beside the number, so that a table that grows need not look at what millions of sides are.
        let hash = (FxBuildHasher.hash_one((item, &values[..])) >> 32) as u32;
        let spread = |hash: u32| FxBuildHasher.hash_one(hash);
        let same = |&(known, n): &(u32, u32)| {
            known == hash && items[n as usize] == item && cells[cells_of(cells, n)] == values[..]
        };
        let next = items.len() as u32;
        let entry = known.entry(spread(hash), same, |&(known, _)| spread(known)).or_insert((hash, next));
        let number = entry.get().1;
        if number == next {
            items.push(item);
            cells.extend_from_slice(values);
        }
        Ok(number as usize)
    }

    /// The sides, when all rows are read.
    pub(crate) fn finish(self, rows: &Rows) -> Result<Sides, Error> {
        let width = self.columns.len();
        let of_use = self.columns.into_iter().enumerate().filter(|(_, wanted)| !wanted.is_useless());
        let columns = of_use.map(|(c, wanted)| {
            let cells = self.cells.iter().skip(c).step_by(width).copied();
            wanted.finish(cells, rows)
        });
        Ok(Sides { columns: columns.collect::<Result<_, _>>()?, items: self.items, ..Sides::default() })
    }
}

impl Wanted {
    /// The column called so: in a column a side that ends, or begins, in one of `ends`, or in one of both; `None` if the table has none.
    fn called(table: &Table, name: &str, ends: &[[&str; 2]], found: bool) -> Result<Option<Self>, Error> {
        let mut places = None;
        for end in ends {
            let column = |k: usize| -> Result<Option<usize>, Error> {
                Ok(table
                    .column(&format!("{name}_{}", end[k]))?
                    .or(table.column(&format!("{}_{name}", end[k]))?))
            };
            if let (None, Some(first), Some(second)) = (places, column(0)?, column(1)?) {
                places = Some(Places::Each([first, second]));
            }
        }
        let places = match places {
            Some(places) => Some(places),
            None => table.column(name)?.map(Places::Shared),
        };
        Ok(places.map(|places| Self::at(name, places, found)))
    }

    fn at(name: &str, places: Places, found: bool) -> Self {
        Self {
            name: name.to_owned(),
            places,
            found,
            useless: false,
            texts: Vec::new(),
            numbers: FxHashMap::default(),
            firsts: [None, None, None],
            counts: [0; 3],
        }
    }

    /// The columns of the table that it is read from.
    fn columns(&self) -> Vec<usize> {
        match self.places {
            Places::Shared(column) => vec![column],
            Places::Each(columns) => columns.to_vec(),
            Places::Shown => Vec::new(),
        }
    }

    /// As [`Wanted::read`], of a column that was not asked for: nothing is wrong with it, it may be of no use.
    fn read_found(&mut self, text: &str, at: (RowId, usize)) -> u64 {
        let bits = if text.trim().is_empty() { None } else { Some(self.read(text, at)) };
        let is_shared = matches!(self.places, Places::Shared(_));
        // A number that both sides share may be anything, a duration or the number of a row.
        let is_any_number = is_shared && self.counts[NUMBER] > 0;
        self.useless = bits.is_none() || is_any_number || self.texts.len() > MOST_CATEGORIES;
        if self.useless {
            (self.texts, self.numbers) = (Vec::new(), FxHashMap::default());
        }
        bits.unwrap_or(0)
    }

    /// Whether it was not asked for, and is of no use: it is empty somewhere, has too many categories or only one, or is not all of one kind.
    fn is_useless(&self) -> bool {
        let kinds = self.counts.iter().filter(|&&count| count > 0).count();
        self.found && (self.useless || kinds > 1 || self.texts.len() == 1)
    }

    /// The bits of a number, of a date in days, or those that stand for a text.
    fn read(&mut self, text: &str, at: (RowId, usize)) -> u64 {
        let text = text.trim();
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let (sort, bits) = match (days(text), number::parse(text)) {
            (Some(days), _) => (DATE, days.to_bits()),
            (None, Ok(value)) => (NUMBER, (value + 0.0).to_bits()),
            (None, Err(_)) => {
                self.texts.push(text.to_owned());
                (TEXT, TEXT_BITS | (self.texts.len() as u64 - 1))
            }
        };
        self.counts[sort] += 1;
        self.firsts[sort].get_or_insert_with(|| (at.0, at.1, text.to_owned()));
        // Numbers may be as many as cells; reading one is as quick as finding it.
        if sort != NUMBER {
            self.numbers.insert(text.to_owned(), bits);
        }
        bits
    }

    fn finish(self, cells: impl Iterator<Item = u64>, rows: &Rows) -> Result<ContextColumn, Error> {
        let [numbers, dates, texts] = self.counts;
        let shared = matches!(self.places, Places::Shared(_));
        let [number, date, text] = self.firsts;
        // A column of mostly dates, or mostly numbers, holds nothing else.
        if dates > 0 && dates >= numbers.max(texts) {
            if let Some((row, column, value)) = number.or(text) {
                return Err(Error::NotADate { cell: rows.cell(row, column), value });
            }
        } else if numbers > 0
            && numbers >= texts
            && let Some((row, column, value)) = text.or(date)
        {
            return Err(Error::NotOneOfNumbers { cell: rows.cell(row, column), value });
        }
        let text = |bits: u64| {
            let place = (bits & !TEXT_BITS) as usize;
            match bits >= TEXT_BITS {
                true => self.texts.get(place).cloned().unwrap_or_default(),
                false => f64::from_bits(bits).to_string(),
            }
        };
        let values = if texts > 0 {
            ColumnValues::Text(cells.map(text).collect())
        } else {
            ColumnValues::Numeric(cells.map(f64::from_bits).collect())
        };
        Ok(ContextColumn {
            column: Column { name: self.name, values },
            shared,
            date: dates > 0 && texts == 0,
        })
    }
}

/// Days since 1970-01-01 of a date written as 2026-01-31, or with a time after it; `None` if it is none.
///
/// # Examples
/// ```
/// assert_eq!(rather_io::days("1970-01-02"), Some(1.0));
/// assert_eq!(rather_io::days("2026-02-30"), None);
/// ```
pub fn days(text: &str) -> Option<f64> {
    // Most cells that are asked are numbers.
    if text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time.trim_end_matches('Z'))),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let mut part = |length: usize| {
        let digits = parts.next().filter(|p| p.len() == length && p.bytes().all(|b| b.is_ascii_digit()))?;
        digits.parse::<i64>().ok()
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if parts.next().is_some() || !(1..=length).contains(&day) {
        return None;
    }
    let seconds = time.map_or(Some(0.0), seconds)?;
    Some(calendar::days([year, month, day]) + seconds / 86_400.0)
}

/// A time in days since 1970-01-01 as a date: `2026-01-31`.
pub fn date(days: f64) -> String {
    let [year, month, day] = calendar::civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Seconds of a time written as 13:45 or 13:45:30.5.
pub(crate) fn seconds(time: &str) -> Option<f64> {
    let mut parts = time.split(':');
    let mut part = |below: f64| parts.next()?.parse::<f64>().ok().filter(|x| (0.0..below).contains(x));
    let (hours, minutes) = (part(24.0)?, part(60.0)?);
    let seconds = if time.matches(':').count() > 1 { part(61.0)? } else { 0.0 };
    parts.next().is_none().then_some(3600.0 * hours + 60.0 * minutes + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for day in (-800_000..800_000).step_by(97) {
            let text = date(f64::from(day));
            if text.len() == 10 && !text.starts_with('-') {
                assert_eq!(days(&text), Some(f64::from(day)), "{text}");
            }
        }
    }

    #[test]
    fn dates_are_days() {
        for (text, expected) in [
            ("1970-01-01", Some(0.0)),
            ("2000-03-01", Some(11_017.0)),
            ("2026-11-23", Some(20_780.0)),
            ("2026-11-23T12:00", Some(20_780.5)),
            ("2026-11-23 06:00:00Z", Some(20_780.25)),
            ("1969-12-31", Some(-1.0)),
            ("2026-13-01", None),
            ("2025-02-29", None),
            ("20260101", None),
            ("2026-1-1", None),
            ("2026-01-01T25:00", None),
            ("yesterday", None),
        ] {
            assert_eq!(days(text), expected, "{text}");
        }
    }
}
