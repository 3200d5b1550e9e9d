//! Reads a table of answers, whatever its form.

use crate::answers::{AnswerTable, Attributes, PLAIN, preferred, probable, rated};
use crate::coding::{self, Coding};
use crate::context::{ContextReader, Side};
use crate::error::Error;
use crate::items::ItemTable;
use crate::layout::{Form, Layout};
use crate::limits::MOST_OF_RANKINGS;
use crate::long;
use crate::note::Note;
use crate::number;
use crate::ranking::{self, Budget, Ranked, UNRANKED};
use crate::suggest;
use crate::table::{Row, Rows, Table};
use crate::teams::Entrants;
use crate::words::{both_in_words, label_in_words, outcome_in_words, side_in_words};
use rather::answers::Answer;
use rather::likelihood::{Kind, Reply};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

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
    /// One answer about all of its items, taken jointly: each item has one noise, and all comparisons share it
    /// ([`Answer::ordered`](rather::answers::Answer::ordered)). At most twelve items, of which those of equal rank are in one place.
    Joint,
}

/// Which answers a reader takes.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// All who may be named as users; anybody may, if not given.
    pub users: Option<&'a ItemTable>,
    /// What becomes of rankings.
    pub rankings: Rankings,
    /// Comparisons that all rankings of the table together may stand for.
    pub most_of_rankings: u64,
    /// Whether every answer must compare two items, with the same noise as the others.
    pub comparisons_only: bool,
    /// The columns of comparisons to read: those that a kernel names. `tokens` is also in `tokens_left` and `tokens_right`, a value a side.
    pub context: &'a [String],
    /// Whether other columns that comparisons may depend on are read, too: numbers of each side, dates, and categories, 50 of them at most. Not
    /// numbers of both sides, and nothing with an empty cell.
    pub any_column: bool,
    /// Roles for columns that are called otherwise, as [`Table::with_roles`] takes them.
    pub roles: &'a [(String, String)],
    /// Whether teams may be compared (`ann + bob`, `ann*0.5 + bob`) in the place of items.
    pub teams: bool,
}

impl Reading<'_> {
    /// Comparisons by anybody, and no other answers.
    pub const COMPARISONS: Self = Self { comparisons_only: true, ..Self::ANY };

    /// AnswerData of any kind, by anybody.
    pub const ANY: Self = Self {
        users: None,
        rankings: Rankings::Pairs,
        most_of_rankings: MOST_OF_RANKINGS,
        comparisons_only: false,
        context: &[],
        any_column: false,
        roles: &[],
        teams: false,
    };
}

impl Default for Reading<'_> {
    fn default() -> Self {
        Self::ANY
    }
}

/// Reads a table of answers about `items`. Its header tells the form:
///
/// | header | row |
/// |---|---|
/// | `winner,loser` | two keys |
/// | `left,right,outcome` | two keys, and `left`, `right`, `tie` or the winner's key; or how much: `much left`, `a little right` and so on, `>>`, `>`, `=`, `<`, `<<`; or `both good`, `both bad` |
/// | `left,right,winner` | the same; or numbers: 1, 0 and 0.5, or 1, -1 and 0, or 1, 2 and 1.5, of which the first is for the left item |
/// | `left,right,votes_left,votes_right,votes_tie` | how often each was preferred, and neither |
/// | `home_team,away_team,home_score,away_score` | the difference of the scores |
/// | an empty cell or a word, and a column an item | a key, and how often it was preferred to the item of each column |
/// | `left,right,probability` | two keys, and the probability that the left one is preferred: so much of an answer for it, and the rest for the other |
/// | `left,right,difference` | two keys, and by how much the left one was better: goals, points, seconds |
/// | `winner,loser,difference` | the same, never negative |
/// | `ranking` | `a > b = c > d` |
/// | `rank_1,rank_2,…` | a key each, the best first; the last ones may be empty |
/// | `choice,option_1,option_2,…` | the best of the options, which may be fewer than the columns |
/// | `best,worst,option_1,option_2,…` | the best and the worst of the options, or one of them |
/// | `user,task,option,chosen` | an option of a task, and 1 if it was chosen (-1 if it was the worst), or its `rank`; without `option`, what has the same values in the other columns is one item |
/// | `item,rating` | a number; the distinct ones are the levels, in their order |
/// | `item,value` | a number, or a bound: `>10`, `<0` |
/// | `item,label` | whether the item is of the class: `yes` or `no`, `true` or `false`, `1` or `0` |
///
/// Columns may have other usual names (`model_a` and `model_b`, `chosen` and `rejected`, `judge`), of which a note tells, or be given their roles
/// ([`Reading::roles`]). Beside them are `user`, `count`, and `noise`: how noisy the answer is relative to others. [`settle`](crate::settle()) makes of one or more
/// such tables answers for a model.
///
/// # Errors
/// If the table cannot be read, has none of these forms or no answer, or if a cell names an unknown item or user, an item against itself, a
/// bad outcome, count, rating, value, label or noise; if the rankings stand for too many comparisons; if there are other answers than
/// comparisons where only these are taken.
pub fn read_answers(path: &Path, items: &ItemTable, reading: &Reading<'_>) -> Result<AnswerTable, Error> {
    answers_of(Table::open(path)?, items, reading)
}

/// As [`read_answers`], of a table that is open.
///
/// # Errors
/// As [`read_answers`].
pub fn answers_of(table: Table, items: &ItemTable, reading: &Reading<'_>) -> Result<AnswerTable, Error> {
    let (mut rows, mut reader, mut out) = AnswerReader::open(table, items, reading)?;
    if let Form::Long(long) = &reader.layout.form {
        long::read(&mut rows, (&reader.layout, long), items, (reading, reader.noise), &mut out)?;
        reader.finish(&rows, &mut out)?;
        return Ok(out);
    }
    let (mut row, mut users) = (Row::default(), FxHashMap::default());
    while rows.read(&mut row)? {
        let Said { count, noise } = reader.read(&rows, &row)?;
        let user =
            reader.layout.user.map(|column| known_user(&rows, &row, column, reading.users)).transpose()?;
        if reader.of_row.is_empty() {
            continue;
        }
        let user = user.map(|name| number_of_user(&mut users, &mut out.users, name));
        reader.of_row.drain(..).for_each(|answer| out.push(answer, Attributes { user, count, noise }));
    }
    reader.finish(&rows, &mut out)?;
    Ok(out)
}

/// Reads the rows of a table as answers, one row after another.
pub(crate) struct AnswerReader<'a> {
    items: &'a ItemTable,
    reading: &'a Reading<'a>,
    pub(crate) layout: Layout,
    outcomes: Outcomes,
    noise: Option<usize>,
    by_outcome: bool,
    context: Option<ContextReader>,
    /// The columns that are read, without those of the context.
    answered: Vec<usize>,
    header: Vec<String>,
    entrants: Entrants,
    budget: Budget,
    ranks: Vec<Ranked>,
    short: u64,
    /// The answers of the row that was read last, about items or about sides.
    pub(crate) of_row: Vec<Answer>,
}

/// What a row says of all of its answers: how often they were given, and how noisy they are.
pub(crate) struct Said {
    pub(crate) count: f64,
    pub(crate) noise: f64,
}

impl<'a> AnswerReader<'a> {
    /// Begins to read a table: its rows, what reads them, and the answers, of which there are none yet.
    pub(crate) fn open(
        table: Table,
        items: &'a ItemTable,
        reading: &'a Reading<'a>,
    ) -> Result<(Rows, Self, AnswerTable), Error> {
        let mut table = table.with_roles(reading.roles)?;
        let layout = Layout::of(&mut table, items)?;
        Self::of_layout(table, layout, items, reading, &[])
    }

    /// As [`AnswerReader::open`], of a table whose layout is known, of which these columns are read besides.
    pub(crate) fn of_layout(
        mut table: Table,
        layout: Layout,
        items: &'a ItemTable,
        reading: &'a Reading<'a>,
        besides: &[usize],
    ) -> Result<(Rows, Self, AnswerTable), Error> {
        let (coding, coded) = match layout.form {
            Form::Outcome { left, right, outcome } => Coding::of(&mut table, [left, right], outcome)?,
            _ => (Coding::Words, None),
        };
        let renamed = layout.note(&table);
        if reading.comparisons_only && layout.form.is_of_one_item() {
            return Err(Error::NotComparisons { path: table.path().to_path_buf() });
        }
        let noise = if reading.comparisons_only { None } else { table.exactly("noise")? };
        let mut columns: Vec<usize> =
            layout.columns().into_iter().chain(noise).chain(besides.iter().copied()).collect();
        let answered = columns.clone();
        let by_outcome = matches!(layout.form, Form::Duel { .. } | Form::Difference { sides: false, .. });
        let sides = layout.form.has_sides();
        let pairwise = by_outcome || sides;
        let mut context = ContextReader::new(&table, reading.context, by_outcome, pairwise)?;
        let named: Vec<usize> = context.iter().flat_map(ContextReader::places).collect();
        if reading.any_column && pairwise {
            let taken = [columns.as_slice(), &named].concat();
            let found = ContextReader::of_any(&table, (&taken, items), by_outcome)?;
            context = ContextReader::joined(context, found);
        }
        columns.extend(context.iter().flat_map(ContextReader::places));
        let mut out = AnswerTable::new(Vec::new(), sides);
        out.path = table.path().to_path_buf();
        out.notes.extend(table.take_notes().into_iter().chain(renamed).chain(coded));
        let header = table.header().to_vec();
        let rows = table.rows(&columns)?;
        let reader = Self {
            items,
            reading,
            layout,
            outcomes: Outcomes::new(coding),
            noise,
            by_outcome,
            context,
            answered,
            header,
            entrants: Entrants::new(reading.teams),
            budget: Budget::new(reading.most_of_rankings),
            ranks: Vec::new(),
            short: 0,
            of_row: Vec::new(),
        };
        Ok((rows, reader, out))
    }

    /// Reads a row: its answers are in [`AnswerReader::of_row`] then.
    pub(crate) fn read(&mut self, rows: &Rows, row: &Row) -> Result<Said, Error> {
        self.of_row.clear();
        let Self { layout, items, reading, ranks, of_row, .. } = self;
        if layout.form.ranks() {
            ranking::read(&layout.form, items, rows, row, ranks)?;
            self.short += u64::from(ranks.len() < 2);
            let place = || rows.place(row.id());
            self.budget.take(place, ranks, reading.rankings)?;
            match reading.rankings {
                Rankings::Joint => of_row.extend(ranking::joint(place, ranks)?),
                rankings => of_row.extend(compared(ranks, rankings)),
            }
        } else {
            layout.form.state((items, &mut self.outcomes), &mut self.entrants, rows, row, of_row)?;
        }
        let count = layout.count.map_or(Ok(1.0), |column| read_count(rows, row, column))?;
        let noise = self.noise.map_or(Ok(1.0), |column| read_noise(rows, row, column))?;
        let Some(context) = &mut self.context else { return Ok(Said { count, noise }) };
        for (place, answer) in self.of_row.iter_mut().enumerate() {
            // The one that it speaks for is the winner, or was shown on its side.
            let first = match answer.minus {
                None => place == 0,
                Some(_) => self.by_outcome || answer.reply.side >= 0,
            };
            let [plus, minus] = if first { [Side::First, Side::Second] } else { [Side::Second, Side::First] };
            answer.plus = context.side(rows, row, answer.plus, plus)?;
            answer.minus = answer.minus.map(|item| context.side(rows, row, item, minus)).transpose()?;
        }
        Ok(Said { count, noise })
    }

    /// Adds to the answers what is known when all rows are read: sides, teams and notes.
    ///
    /// # Errors
    /// If there are none, or a column of the context is of several kinds.
    pub(crate) fn finish(self, rows: &Rows, out: &mut AnswerTable) -> Result<(), Error> {
        if out.answers.is_empty() {
            return Err(Error::NoComparisons { path: out.path.clone() });
        }
        let mut columns = self.answered;
        columns.extend(self.context.iter().flat_map(ContextReader::places));
        out.notes.extend(ignored_columns(&out.path, &self.header, &columns));
        let sides = self.context.map(|context| context.finish(rows)).transpose()?;
        out.context = self.entrants.into_sides(self.items, sides);
        if self.short > 0 {
            out.notes.push(Note::ShortRankings { path: out.path.clone(), rankings: self.short });
        }
        Ok(())
    }
}

/// What the cells of a column of outcomes say. A text that says the same in every row is looked up, not read again.
struct Outcomes {
    coding: Coding,
    known: FxHashMap<Box<[u8]>, Outcome>,
}

/// What an outcome says.
#[derive(Clone, Copy)]
enum Outcome {
    /// How strong the preference for the left is (1 a little, 2 plainly, 3 much, 4 very much), negative for the right, 0 for a tie.
    Preferred(i8),
    /// The probability that the left one is preferred.
    Probability(f64),
    /// Whether both are good, or both bad.
    Both(bool),
}

/// So many texts are kept: probabilities may be as many as rows.
const KNOWN: usize = 1_000;

impl Outcomes {
    fn new(coding: Coding) -> Self {
        Self { coding, known: FxHashMap::default() }
    }

    /// What the cell in `column` says about the pair `left` and `right`.
    fn read(
        &mut self,
        items: &ItemTable,
        names: [&str; 2],
        (rows, row): (&Rows, &Row),
        column: usize,
    ) -> Result<Outcome, Error> {
        if let Some(&known) = self.known.get(row.bytes(column)) {
            return Ok(known);
        }
        let text = rows.required(row, column)?;
        let outcome = match (both_in_words(text), self.coding.read(text)) {
            (Some(good), _) => Outcome::Both(good),
            (None, Some(coding::Said::Outcome(outcome))) => Outcome::Preferred(outcome),
            (None, Some(coding::Said::Probability(p))) => Outcome::Probability(p),
            (None, None) => Outcome::Preferred(read_outcome(items, names, (rows, row), column)?),
        };
        // The key of an item says something else of each pair.
        if self.known.len() < KNOWN && items.index(text).is_none() {
            self.known.insert(Box::from(row.bytes(column)), outcome);
        }
        Ok(outcome)
    }
}

impl Form {
    /// Whether answers are about one item each.
    pub(crate) fn is_of_one_item(&self) -> bool {
        matches!(self, Self::Rating { .. } | Self::Value { .. } | Self::Label { .. } | Self::Other { .. })
    }

    /// Whether a row tells which of two items was on the left.
    pub(crate) fn has_sides(&self) -> bool {
        matches!(
            self,
            Self::Outcome { .. }
                | Self::Votes { .. }
                | Self::Scores { .. }
                | Self::Probability { .. }
                | Self::Difference { sides: true, .. }
        )
    }

    /// Whether a row ranks several items or chooses one of them.
    pub(crate) fn ranks(&self) -> bool {
        matches!(self, Self::Ranking(_) | Self::Ranks(_) | Self::Choice { .. })
    }

    /// Adds the answers of a row of a form that does not rank.
    fn state(
        &self,
        (items, outcomes): (&ItemTable, &mut Outcomes),
        entrants: &mut Entrants,
        rows: &Rows,
        row: &Row,
        out: &mut Vec<Answer>,
    ) -> Result<(), Error> {
        out.push(match *self {
            Self::Duel { winner, loser } => {
                let [winner, loser] = two_entrants(items, entrants, rows, row, [winner, loser])?;
                preferred(winner, loser, PLAIN)
            }
            Self::Outcome { left, right, outcome } => {
                let [left, right] = two_entrants(items, entrants, rows, row, [left, right])?;
                let names = [left, right].map(|side| entrants.name(items, side));
                let outcome = match outcomes.read(items, names, (rows, row), outcome)? {
                    Outcome::Preferred(outcome) => outcome,
                    Outcome::Probability(p) => {
                        out.extend(probable(left, right, p).into_iter().flatten());
                        return Ok(());
                    }
                    Outcome::Both(good) => {
                        out.extend([left, right].map(|item| Answer::good(item, good)));
                        return Ok(());
                    }
                };
                let (winner, loser) = if outcome < 0 { (right, left) } else { (left, right) };
                preferred(winner, loser, outcome.unsigned_abs()).shown_left(left)
            }
            Self::Votes { left, right, votes, ties } => {
                let [left, right] = two_entrants(items, entrants, rows, row, [left, right])?;
                let mut add = |winner, loser, strength, column| -> Result<(), Error> {
                    let times = read_votes(rows, row, column)?;
                    let answer = preferred(winner, loser, strength).shown_left(left).times(times);
                    out.extend((times > 0.0).then_some(answer));
                    Ok(())
                };
                add(left, right, PLAIN, votes[0])?;
                add(right, left, PLAIN, votes[1])?;
                return ties.map_or(Ok(()), |ties| add(left, right, 0, ties));
            }
            Self::Scores { left, right, scores } => {
                let [first, second] = two_entrants(items, entrants, rows, row, [left, right])?;
                let [left, right] = scores.map(|column| read_difference(rows, row, column, true));
                Answer::difference(first, second, left? - right?).shown_left(first)
            }
            Self::Matrix { row: key, ref cells } => {
                let winner = items.in_cell(rows, row, key)?;
                for &(column, loser) in cells.iter().filter(|&&(_, item)| item != winner) {
                    let times = read_votes(rows, row, column)?;
                    out.extend((times > 0.0).then(|| preferred(winner, loser, PLAIN).times(times)));
                }
                return Ok(());
            }
            Self::Probability { left, right, probability } => {
                let [left, right] = two_entrants(items, entrants, rows, row, [left, right])?;
                let p = read_probability(rows, row, probability)?;
                out.extend(probable(left, right, p).into_iter().flatten());
                return Ok(());
            }
            Self::Difference { first, second, difference, sides, kind } => {
                let [first, second] = two_entrants(items, entrants, rows, row, [first, second])?;
                let number = read_difference(rows, row, difference, sides)?;
                if !kind.0.accepts(number.abs()) {
                    return Err(no_answer(rows, row, difference, "is no answer of its kind"));
                }
                let answer = Answer::compared(first, second, kind, number);
                if sides { answer.shown_left(first) } else { answer }
            }
            Self::Rating { item, rating } => {
                let item = items.in_cell(rows, row, item)?;
                rated(item, read_number(rows, row, rating, rows.required(row, rating)?)?)
            }
            Self::Value { item, value } => {
                let item = items.in_cell(rows, row, item)?;
                Answer::of(item, None, read_value(rows, row, value)?)
            }
            Self::Label { item, label } => {
                let item = items.in_cell(rows, row, item)?;
                Answer::labelled(item, read_label(rows, row, label)?)
            }
            Self::Other { item, answer, kind } => {
                let item = items.in_cell(rows, row, item)?;
                Answer::of(item, None, read_other(rows, row, answer, kind)?)
            }
            Self::Ranking(_) | Self::Ranks(_) | Self::Choice { .. } | Self::Long(_) => return Ok(()),
        });
        Ok(())
    }
}

/// The note on the columns of a table that are not among `columns`.
pub(crate) fn ignored_columns(path: &Path, header: &[String], columns: &[usize]) -> Option<Note> {
    let known: FxHashSet<usize> = columns.iter().copied().collect();
    let ignored: Vec<String> = (0..header.len())
        .filter(|column| !known.contains(column))
        .map(|column| match header[column].as_str() {
            "" => format!("column {}", column + 1),
            name => name.to_owned(),
        })
        .collect();
    (!ignored.is_empty()).then(|| Note::IgnoredColumns { path: path.to_path_buf(), columns: ignored })
}

/// The comparisons of a ranking.
pub(crate) fn compared(ranks: &[Ranked], rankings: Rankings) -> Vec<Answer> {
    let mut out = Vec::new();
    for (i, upper) in ranks.iter().enumerate() {
        for lower in compared_with(upper, &ranks[i + 1..], rankings) {
            let strength = if upper.tier == lower.tier { 0 } else { PLAIN };
            out.push(preferred(upper.item, lower.item, strength));
        }
    }
    out
}

/// Which of the items after one in a ranking it is compared with: all, or its neighbours. All that a choice leaves is next to the chosen, and not compared
/// with one another.
fn compared_with<'a>(upper: &Ranked, after: &'a [Ranked], rankings: Rankings) -> &'a [Ranked] {
    // Tiers ascend, and there may be 200,000 items.
    let is_left = after.first().is_some_and(|next| next.tier == UNRANKED);
    let left = if is_left { after.partition_point(|next| next.tier == UNRANKED) } else { 0 };
    match rankings {
        _ if upper.tier == UNRANKED => &after[left..],
        Rankings::Adjacent => &after[..left.max(1).min(after.len())],
        Rankings::Pairs | Rankings::Joint => after,
    }
}

pub(crate) fn known_user<'a>(
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
    rows.number(text.trim())
        .map_err(|_| Error::NotAValue { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

fn read_value(rows: &Rows, row: &Row, column: usize) -> Result<Reply, Error> {
    let text = rows.required(row, column)?;
    match (text.strip_prefix('>'), text.strip_prefix('<')) {
        (Some(bound), _) => Ok(Reply::at_least(read_number(rows, row, column, bound)?)),
        (_, Some(bound)) => Ok(Reply::at_most(read_number(rows, row, column, bound)?)),
        _ => Ok(Reply::measured(read_number(rows, row, column, text)?)),
    }
}

fn read_other(rows: &Rows, row: &Row, column: usize, kind: Kind) -> Result<Reply, Error> {
    kind.read(rows.required(row, column)?).map_err(|must| no_answer(rows, row, column, must))
}

/// What is wrong with a cell that is no answer of its column's kind.
fn no_answer(rows: &Rows, row: &Row, column: usize, must: &str) -> Error {
    let value = rows.required(row, column).unwrap_or_default().to_owned();
    Error::NotAnAnswer { cell: rows.cell(row.id(), column), value, must: must.to_owned() }
}

fn read_label(rows: &Rows, row: &Row, column: usize) -> Result<bool, Error> {
    let text = rows.required(row, column)?;
    label_in_words(text)
        .ok_or_else(|| Error::NotALabel { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

pub(crate) fn read_noise(rows: &Rows, row: &Row, column: usize) -> Result<f64, Error> {
    let text = rows.required(row, column)?;
    let noise = rows.number(text).ok().filter(|noise| *noise > 0.0);
    noise.ok_or_else(|| Error::NotANoise { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

pub(crate) fn read_count(rows: &Rows, row: &Row, column: usize) -> Result<f64, Error> {
    let text = rows.required(row, column)?;
    rows.number(text)
        .ok()
        .filter(|&count| count > 0.0 && count <= f64::from(u32::MAX))
        .ok_or_else(|| Error::NotACount { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

/// How often something was said; an empty cell, or a dash, is never.
fn read_votes(rows: &Rows, row: &Row, column: usize) -> Result<f64, Error> {
    let text = rows.text(row, column)?;
    if matches!(text, "" | "-" | "NA" | "NaN" | "nan") {
        return Ok(0.0);
    }
    let truth = || number::parse_bool(text).map(|truth| f64::from(u8::from(truth)));
    let times = rows.number(text).ok().or_else(truth);
    times
        .filter(|times| (0.0..=f64::from(u32::MAX)).contains(times))
        .ok_or_else(|| Error::NotACount { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

/// A number from 0 to 1.
fn read_probability(rows: &Rows, row: &Row, column: usize) -> Result<f64, Error> {
    let text = rows.required(row, column)?;
    let p = rows.number(text).ok().filter(|p| (0.0..=1.0).contains(p));
    p.ok_or_else(|| Error::NotAProbability { cell: rows.cell(row.id(), column), value: text.to_owned() })
}

/// A number; of a winner and a loser it is not negative.
fn read_difference(rows: &Rows, row: &Row, column: usize, sides: bool) -> Result<f64, Error> {
    let text = rows.required(row, column)?;
    let difference = read_number(rows, row, column, text)?;
    match sides || difference >= 0.0 {
        true => Ok(difference),
        false => Err(Error::NegativeDifference { cell: rows.cell(row.id(), column), value: text.to_owned() }),
    }
}

/// The two different items, or teams, of a pair.
pub(crate) fn two_entrants(
    items: &ItemTable,
    entrants: &mut Entrants,
    rows: &Rows,
    row: &Row,
    columns: [usize; 2],
) -> Result<[usize; 2], Error> {
    let a = entrants.in_cell(items, rows, row, columns[0])?;
    let b = entrants.in_cell(items, rows, row, columns[1])?;
    if a == b {
        let key = entrants.name(items, a).to_owned();
        return Err(Error::SameItem { place: rows.place(row.id()), key });
    }
    Ok([a, b])
}

/// What an outcome says: how strong the preference for the left is (1 a little, 2 plainly, 3 much, 4 very much), negative for the right,
/// 0 for a tie.
fn read_outcome(
    items: &ItemTable,
    [left, right]: [&str; 2],
    (rows, row): (&Rows, &Row),
    column: usize,
) -> Result<i8, Error> {
    let value = rows.required(row, column)?;
    // The words come before keys, for an item may be called "left".
    if let Some(outcome) = outcome_in_words(value) {
        return Ok(outcome);
    }
    if value == left {
        return Ok(2);
    }
    if value == right {
        return Ok(-2);
    }
    // Items that are called A and B are not the left and the right one, whichever are compared.
    if items.index(value).is_none()
        && let Some(outcome) = side_in_words(value)
    {
        return Ok(outcome);
    }
    Err(Error::NotAnOutcome {
        cell: rows.cell(row.id(), column),
        value: value.to_owned(),
        left: Box::from(left),
        right: Box::from(right),
    })
}

/// The number of the user called `name`, a new one if the name is new.
pub(crate) fn number_of_user(
    numbers: &mut FxHashMap<String, u32>,
    names: &mut Vec<String>,
    name: &str,
) -> u32 {
    if let Some(&number) = numbers.get(name) {
        return number;
    }
    let number = names.len() as u32;
    names.push(name.to_owned());
    numbers.insert(name.to_owned(), number);
    number
}
