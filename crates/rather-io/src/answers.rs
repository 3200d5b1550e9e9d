//! Tables of answers of any kind: comparisons with ties and grades, choices of several, rankings, ratings, measured values.

use crate::comparisons::{ignored_columns, number_of_user, read_count};
use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::{Form, Layout};
use crate::limits::MOST_OF_RANKINGS;
use crate::note::Note;
use crate::number;
use crate::ranking::{self, Budget, Ranked, UNRANKED};
use crate::suggest;
use crate::table::{Row, Rows, Table};
use rather::answers::{Opinion, Opinions};
use rather::likelihood::{Kind, Said};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// What becomes of a ranking, which holds more than one comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rankings {
    /// A comparison for every two items, as if each had been made by itself: the noise of an item, which one look gave, is counted as often
    /// as it has others to be compared with.
    #[default]
    Pairs,
    /// A comparison for every two items that are next to each other, as of one noisy utility an item: the order of the others follows. What neighbours
    /// share of an item's noise is not counted.
    Adjacent,
}

/// What becomes of a tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tied {
    /// A tie.
    #[default]
    Kept,
    /// Nothing.
    Dropped,
    /// One comparison either way.
    Both,
}

/// The answers of a table as they stand there. [`settle`] makes answers for a model of one or more tables.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerTable {
    /// The file they come from.
    pub path: PathBuf,
    /// The answers as the table has them, before it is known what words and numbers stand for: the datum of a comparison is how strong the
    /// preference is, in words of growing strength, and 0 for a tie; that of a rating is the number written.
    pub(crate) heard: Opinions,
    /// The users, in the order of their first answers.
    pub users: Vec<String>,
    /// Whether the table tells which item was on the left.
    pub sides: bool,
    /// What its user should know.
    pub notes: Vec<Note>,
}

/// The answers of all tables, for a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    /// The answers.
    pub opinions: Opinions,
    /// The users they number.
    pub users: Vec<String>,
    /// The ratings that the levels stand for, the lowest first.
    pub levels: Vec<f64>,
    /// The words before a side that the grades stand for, the weakest first; empty where preferences are plain choices.
    pub grades: Vec<String>,
    /// Number of ties read, whatever became of them.
    pub ties: u64,
}

/// More distinct ratings than these are not ratings.
const MOST_LEVELS: usize = 100;

/// Reads a table of answers about `items`, of whom `known`, if given, are all that may be named as users. Its header tells the form:
///
/// | header | row |
/// |---|---|
/// | those of [`read_comparisons`](crate::read_comparisons) | the same; an outcome may also be `much left`, `a little right` and so on, or `>>`, `>`, `=`, `<`, `<<` |
/// | `choice,option_1,option_2,…` | the best of the options, which may be fewer than the columns |
/// | `item,rating` | a number; the distinct ones are the levels, in their order |
/// | `item,value` | a number, or a bound: `>10`, `<0` |
/// | `item,label` | whether the item is of the class: `yes` or `no`, `true` or `false`, `1` or `0` |
///
/// and beside them `user`, `count`, and `noise`: how noisy the answer is relative to others.
///
/// # Errors
/// As [`read_comparisons`](crate::read_comparisons); and if a rating, a value or a noise is none.
pub fn read_opinions(
    path: &Path,
    items: &ItemTable,
    known: Option<&ItemTable>,
    rankings: Rankings,
) -> Result<AnswerTable, Error> {
    opinions_of(Table::open(path)?, items, known, rankings)
}

/// As [`read_opinions`], of a table that is open.
///
/// # Errors
/// As [`read_opinions`].
pub fn opinions_of(
    table: Table,
    items: &ItemTable,
    known: Option<&ItemTable>,
    rankings: Rankings,
) -> Result<AnswerTable, Error> {
    let layout = Layout::of(&table)?;
    let noise = table.column("noise")?;
    let columns: Vec<usize> = layout.columns().into_iter().chain(noise).collect();
    let mut out = AnswerTable {
        path: table.path().to_path_buf(),
        heard: Opinions::default(),
        users: Vec::new(),
        sides: matches!(layout.form, Form::Outcome { .. }),
        notes: ignored_columns(&table, &columns).into_iter().collect(),
    };
    let mut numbers = FxHashMap::default();
    let mut rows = table.rows(&columns)?;
    let (mut row, mut ranks, mut short) = (Row::default(), Vec::new(), 0);
    let mut budget = Budget::new(MOST_OF_RANKINGS);
    // The answers of one row.
    let mut said = Vec::new();
    while rows.read(&mut row)? {
        match layout.form {
            Form::Rating { item, rating } => {
                let item = items.in_cell(&rows, &row, item)?;
                let value = read_number(&rows, &row, rating, rows.required(&row, rating)?)?;
                said.push(rated(item, value));
            }
            Form::Value { item, value } => {
                let item = items.in_cell(&rows, &row, item)?;
                said.push(Opinion::of(item, None, read_value(&rows, &row, value)?));
            }
            Form::Label { item, label } => {
                let item = items.in_cell(&rows, &row, item)?;
                said.push(Opinion::labelled(item, read_label(&rows, &row, label)?));
            }
            Form::Outcome { left, right, outcome } => {
                let [left, right] = ranking::two_items(items, &rows, &row, [left, right])?;
                let outcome = ranking::outcome(items, &rows, &row, outcome, left, right)?;
                let (winner, loser) = if outcome < 0 { (right, left) } else { (left, right) };
                said.push(preferred(winner, loser, outcome.unsigned_abs()).shown_left(left));
            }
            _ => {
                ranking::read(&layout.form, items, &rows, &row, &mut ranks)?;
                short += u64::from(ranks.len() < 2);
                budget.take(&rows, &row, &ranks, rankings)?;
                said.extend(compared(&ranks, rankings));
            }
        }
        let user = layout.user.map(|column| known_user(&rows, &row, column, known)).transpose()?;
        let user = user.map(|name| number_of_user(&mut numbers, &mut out.users, name));
        let count = layout.count.map_or(Ok(1), |column| read_count(&rows, &row, column))?;
        let noise = noise.map_or(Ok(1.0), |column| read_noise(&rows, &row, column))?;
        for opinion in said.drain(..) {
            let opinion = opinion.times(count).with_noise(noise);
            out.heard.push(user.map_or(opinion, |user| opinion.by(user)));
        }
    }
    if out.heard.is_empty() {
        return Err(Error::NoComparisons { path: out.path });
    }
    if short > 0 {
        out.notes.push(Note::ShortRankings { path: out.path.clone(), rankings: short });
    }
    Ok(out)
}

/// A preference without a word on how strong it is.
const PLAIN: u8 = 2;

/// A preference as [`AnswerTable`] holds it: a strength of 0 is a tie.
pub(crate) fn preferred(winner: usize, loser: usize, strength: u8) -> Opinion {
    Opinion::of(winner, Some(loser), Said { datum: f64::from(strength), ..Said::DUEL })
}

/// A rating as [`AnswerTable`] holds it.
pub(crate) fn rated(item: usize, rating: f64) -> Opinion {
    Opinion::of(item, None, Said { datum: rating, ..Said::rated(0) })
}

/// The comparisons of a ranking.
fn compared(ranks: &[Ranked], rankings: Rankings) -> Vec<Opinion> {
    let mut out = Vec::new();
    for (i, upper) in ranks.iter().enumerate().filter(|(_, upper)| upper.tier != UNRANKED) {
        for lower in compared_with(&ranks[i + 1..], rankings) {
            let strength = if upper.tier == lower.tier { 0 } else { PLAIN };
            out.push(preferred(upper.item, lower.item, strength));
        }
    }
    out
}

/// Which of the items after one in a ranking it is compared with: all, or its neighbour. All that a choice leaves is next to the chosen.
fn compared_with(after: &[Ranked], rankings: Rankings) -> &[Ranked] {
    let neighbour = after.first().is_some_and(|next| next.tier != UNRANKED);
    if rankings == Rankings::Adjacent && neighbour { &after[..1] } else { after }
}

fn known_user<'a>(
    rows: &'a Rows,
    row: &'a Row,
    column: usize,
    known: Option<&ItemTable>,
) -> Result<&'a str, Error> {
    let name = rows.required(row, column)?;
    match known {
        Some(users) if users.index(name).is_none() => Err(Error::UnknownUser {
            cell: rows.cell(row.id(), column),
            key: name.to_owned(),
            users: users.path.clone(),
            suggestion: suggest::closest(name, &users.keys).map(Box::from),
        }),
        _ => Ok(name),
    }
}

fn read_number(rows: &Rows, row: &Row, column: usize, text: &str) -> Result<f64, Error> {
    number::parse(text.trim())
        .map_err(|_| Error::NotAValue { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

fn read_value(rows: &Rows, row: &Row, column: usize) -> Result<Said, Error> {
    let text = rows.required(row, column)?;
    match (text.strip_prefix('>'), text.strip_prefix('<')) {
        (Some(bound), _) => Ok(Said::at_least(read_number(rows, row, column, bound)?)),
        (_, Some(bound)) => Ok(Said::at_most(read_number(rows, row, column, bound)?)),
        _ => Ok(Said::measured(read_number(rows, row, column, text)?)),
    }
}

/// Whether a word says that an item is of the class; `None` if it is no such word.
///
/// # Examples
/// ```
/// use rather_io::label_in_words;
///
/// assert_eq!(label_in_words("Yes"), Some(true));
/// assert_eq!(label_in_words("0"), Some(false));
/// assert_eq!(label_in_words("perhaps"), None);
/// ```
pub fn label_in_words(value: &str) -> Option<bool> {
    match value.trim().to_lowercase().as_str() {
        "yes" | "true" | "1" => Some(true),
        "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

fn read_label(rows: &Rows, row: &Row, column: usize) -> Result<bool, Error> {
    let text = rows.required(row, column)?;
    label_in_words(text)
        .ok_or_else(|| Error::NotALabel { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

fn read_noise(rows: &Rows, row: &Row, column: usize) -> Result<f64, Error> {
    let text = rows.required(row, column)?;
    let noise = number::parse(text).ok().filter(|noise| *noise > 0.0);
    noise.ok_or_else(|| Error::NotANoise { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

/// Labels of one class say nothing by themselves.
fn check_labels(tables: &[AnswerTable]) -> Result<(), Error> {
    let mut all = tables.iter().flat_map(|table| table.heard.distinct());
    let one = match all.next() {
        Some(first) if first.said.kind == Said::LABEL.kind => first.positive,
        _ => return Ok(()),
    };
    match all.all(|o| o.said.kind == Said::LABEL.kind && o.positive == one) {
        true => Err(Error::OneLabel { path: tables[0].path.clone(), positive: one }),
        false => Ok(()),
    }
}

/// The answers of tables for one model. Ties become what `tied` says; words of strength become grades from 1 up, as many as
/// there are, and ratings levels. Where there are neither ties nor grades, preferences are plain choices.
///
/// # Errors
/// [`Error::ManyRatings`] for more than 100 distinct ratings; [`Error::OneLabel`] if nothing but labels of one class is said.
pub fn settle(tables: Vec<AnswerTable>, tied: Tied) -> Result<Answers, Error> {
    let mut out = Answers::default();
    let mut numbers = FxHashMap::default();
    let (compares, rates) = (Said::DUEL.kind, Said::rated(0).kind);
    let distinct = || tables.iter().flat_map(|table| table.heard.distinct()).map(|opinion| opinion.said);
    let data = |kind: Kind| -> Vec<f64> {
        let mut data: Vec<f64> = distinct().filter(|said| said.kind == kind).map(|said| said.datum).collect();
        data.sort_by(f64::total_cmp);
        data.dedup();
        data
    };
    out.levels = data(rates);
    let mut strengths = data(compares);
    strengths.retain(|&strength| strength > 0.0);
    let is_tie = |said: &Said| said.kind == compares && said.datum == 0.0;
    if distinct().any(|said| is_tie(&said)) {
        let answers = tables.iter().flat_map(|table| table.heard.iter());
        out.ties = answers.filter(|o| is_tie(&o.said)).map(|o| u64::from(o.count)).sum();
    }
    if let Some(table) = tables.iter().find(|_| out.levels.len() > MOST_LEVELS) {
        return Err(Error::ManyRatings { path: table.path.clone(), ratings: out.levels.len() });
    }
    check_labels(&tables)?;
    let graded = strengths.len() > 1 || (out.ties > 0 && tied == Tied::Kept);
    if graded {
        out.grades = strengths.iter().map(|&strength| ranking::word(strength as u8).to_owned()).collect();
    }
    for AnswerTable { heard, users, .. } in tables {
        let renumbered: Vec<u32> =
            users.iter().map(|name| number_of_user(&mut numbers, &mut out.users, name)).collect();
        out.opinions.reserve(heard.len());
        for mut opinion in heard.iter() {
            opinion.said.user = opinion.said.user.map(|user| renumbered[user as usize]);
            let datum = opinion.said.datum;
            let said = |said: Said| Opinion {
                said: Said { kind: said.kind, datum: said.datum, ..opinion.said },
                ..opinion
            };
            match opinion.minus {
                None if opinion.said.kind == rates => {
                    let level = out.levels.partition_point(|&l| l < datum);
                    out.opinions.push(said(Said::rated(level as u16)));
                }
                None => out.opinions.push(opinion),
                Some(_) if datum > 0.0 && graded => {
                    let grade = strengths.partition_point(|&s| s < datum) as u8 + 1;
                    out.opinions.push(said(Said::better(grade)));
                }
                Some(_) if datum > 0.0 => out.opinions.push(said(Said::DUEL)),
                Some(minus) => match tied {
                    Tied::Kept => out.opinions.push(said(Said::TIE)),
                    Tied::Dropped => {}
                    Tied::Both => {
                        let opinion = said(Said::DUEL);
                        let mut turned = Opinion { plus: minus, minus: Some(opinion.plus), ..opinion };
                        turned.said.side = -turned.said.side;
                        out.opinions.push(opinion);
                        out.opinions.push(turned);
                    }
                },
            }
        }
    }
    Ok(out)
}
