//! Answers of any kind, as one table has them, and all of them for a model.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use rather::likelihood::{Kind, Reply, kinds};
use rather::model::Naming;
use rather_io::{Attributes, Tied, both_in_words, label_in_words, outcome_in_words, settle, settle_as};

use crate::answers::{Answers, pairs, sets};
use crate::distributed::rows;
use crate::errors::{data, named, of_library};

/// Answers as one table has them.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct AnswerTable {
    pub(crate) table: rather_io::AnswerTable,
}

/// Who said each answer, by places among names; how often; how noisily.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Tellings<'py> {
    users: Vec<String>,
    by: Option<PyReadonlyArray1<'py, i64>>,
    counts: Option<PyReadonlyArray1<'py, f64>>,
    noise: Option<PyReadonlyArray1<'py, f64>>,
}

#[pymethods]
impl AnswerTable {
    /// Comparisons of the items in the rows `left` and `right`, of `items`: what came of each, in words.
    #[staticmethod]
    fn compared(
        items: usize,
        sides: (PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>),
        outcomes: Vec<String>,
        shown: bool,
        tellings: Tellings<'_>,
    ) -> PyResult<Self> {
        let pairs = pairs(sides.0.as_array(), sides.1.as_array(), items)?;
        let all = tellings.of(pairs.len())?;
        check_length("outcomes", outcomes.len(), pairs.len())?;
        let mut table = rather_io::AnswerTable::new(tellings.users, shown);
        for (row, ((&(left, right), outcome), telling)) in pairs.iter().zip(&outcomes).zip(all).enumerate() {
            check_pair(row, left, right)?;
            match (outcome_in_words(outcome), both_in_words(outcome)) {
                (Some(said), _) => table.compare(left, right, said, telling),
                (None, Some(good)) => table.both(left, right, good, telling),
                (None, None) => {
                    return Err(data(format!(
                        "the outcome of comparison {row} (counted from 0) is {outcome:?}; write left, right or tie, or how much: much left, a little right"
                    )));
                }
            }
        }
        Ok(Self { table })
    }

    /// Comparisons of the items in the rows `left` and `right`, of `items`: the probability that the left one is preferred, or by how much
    /// it was better, in the numbers of the kind of answer that has this column ([`number_columns`]).
    #[staticmethod]
    fn compared_by(
        items: usize,
        sides: (PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>),
        column: &str,
        numbers: PyReadonlyArray1<'_, f64>,
        shown: bool,
        tellings: Tellings<'_>,
    ) -> PyResult<Self> {
        let pairs = pairs(sides.0.as_array(), sides.1.as_array(), items)?;
        let all = tellings.of(pairs.len())?;
        check_length("numbers", numbers.as_array().len(), pairs.len())?;
        let mut table = rather_io::AnswerTable::new(tellings.users, shown);
        let kind = numbered().find(|(known, _)| *known == column).map(|(_, kind)| kind);
        for (row, ((&(left, right), &number), telling)) in
            pairs.iter().zip(numbers.as_array()).zip(all).enumerate()
        {
            check_pair(row, left, right)?;
            match kind {
                None if (0.0..=1.0).contains(&number) => {
                    table.compare_by_probability(left, right, number, telling);
                }
                Some(kind) if kind.0.accepts(number.abs()) && (shown || number >= 0.0) => {
                    table.compare_by_number(left, right, (kind, number), telling);
                }
                _ => {
                    let must = match (kind, shown) {
                        (None, _) => "write a number from 0 to 1",
                        (Some(_), false) if number < 0.0 => {
                            "the winner cannot have been worse; write a number from 0"
                        }
                        (Some(_), _) if number.is_finite() => "that is no answer of its kind",
                        (Some(_), _) => "write a number",
                    };
                    return Err(data(format!(
                        "the {column} of comparison {row} (counted from 0) is {number}; {must}"
                    )));
                }
            }
        }
        Ok(Self { table })
    }

    /// Answers about several of the items in these rows, each taken jointly. An order is how many items it is about, how many of the first ones are the
    /// best, the best first, and how many of the last ones the worst; two items of which none is named are a tie.
    #[staticmethod]
    fn ordered(
        items: usize,
        item: PyReadonlyArray1<'_, i64>,
        orders: Vec<(usize, usize, usize)>,
        tellings: Tellings<'_>,
    ) -> PyResult<Self> {
        let all = tellings.of(orders.len())?;
        let sizes: Vec<usize> = orders.iter().map(|order| order.0).collect();
        let sets = sets(item, &sizes, items)?;
        let mut table = rather_io::AnswerTable::new(tellings.users, false);
        for ((set, (_, top, bottom)), telling) in sets.iter().zip(orders).zip(all) {
            table.order(set, (top, bottom), telling).map_err(of_library)?;
        }
        Ok(Self { table })
    }

    /// Ratings of the items in these rows.
    #[staticmethod]
    fn rated(
        items: usize,
        item: PyReadonlyArray1<'_, i64>,
        ratings: PyReadonlyArray1<'_, f64>,
        tellings: Tellings<'_>,
    ) -> PyResult<Self> {
        let (item, ratings) = (rows(item, items)?, ratings.as_array());
        let all = tellings.of(item.len())?;
        check_length("ratings", ratings.len(), item.len())?;
        let mut table = rather_io::AnswerTable::new(tellings.users, false);
        for (row, ((&item, &rating), telling)) in item.iter().zip(ratings).zip(all).enumerate() {
            if !rating.is_finite() {
                return Err(data(format!(
                    "rating {row} (counted from 0) is {rating}; write a number, or leave it out"
                )));
            }
            table.rate(item, rating, telling);
        }
        Ok(Self { table })
    }

    /// Values of the items in these rows: measured (0), at least (1) or at most (-1).
    #[staticmethod]
    fn measured(
        items: usize,
        item: PyReadonlyArray1<'_, i64>,
        values: (PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, i64>),
        tellings: Tellings<'_>,
    ) -> PyResult<Self> {
        let (item, numbers, bounds) = (rows(item, items)?, values.0.as_array(), values.1.as_array());
        let all = tellings.of(item.len())?;
        check_length("values", numbers.len().min(bounds.len()), item.len())?;
        let mut table = rather_io::AnswerTable::new(tellings.users, false);
        for (row, ((&item, telling), (&value, &bound))) in
            item.iter().zip(all).zip(numbers.iter().zip(bounds)).enumerate()
        {
            if !value.is_finite() {
                return Err(data(format!(
                    "value {row} (counted from 0) is {value}; write a number, or leave it out"
                )));
            }
            let said = match bound {
                1.. => Reply::at_least(value),
                0 => Reply::measured(value),
                _ => Reply::at_most(value),
            };
            table.reply(item, said, telling);
        }
        Ok(Self { table })
    }

    /// What was said of the items in these rows, as the cells of a column that a kind of answer has for itself ([`answer_columns`]).
    #[staticmethod]
    fn of_column(
        items: usize,
        item: PyReadonlyArray1<'_, i64>,
        column: &str,
        cells: Vec<String>,
        tellings: Tellings<'_>,
    ) -> PyResult<Self> {
        let Some(kind) = kinds().into_iter().find(|kind| kind.0.column() == Some(column)) else {
            return Err(data(format!("no kind of answer has a column {column:?}")));
        };
        let item = rows(item, items)?;
        let all = tellings.of(item.len())?;
        check_length("answers", cells.len(), item.len())?;
        let mut table = rather_io::AnswerTable::new(tellings.users, false);
        for (row, ((&item, cell), telling)) in item.iter().zip(&cells).zip(all).enumerate() {
            let said = kind.read(cell).map_err(|must| {
                data(format!("row {row} (counted from 0) of the column {column:?}: {cell:?} {must}"))
            })?;
            table.reply(item, said, telling);
        }
        Ok(Self { table })
    }

    /// Labels of the items in these rows, in words.
    #[staticmethod]
    fn labelled(
        items: usize,
        item: PyReadonlyArray1<'_, i64>,
        labels: Vec<String>,
        tellings: Tellings<'_>,
    ) -> PyResult<Self> {
        let item = rows(item, items)?;
        let all = tellings.of(item.len())?;
        check_length("labels", labels.len(), item.len())?;
        let mut table = rather_io::AnswerTable::new(tellings.users, false);
        for (row, ((&item, label), telling)) in item.iter().zip(&labels).zip(all).enumerate() {
            let Some(positive) = label_in_words(label) else {
                return Err(data(format!(
                    "label {row} (counted from 0) is {label:?}; write yes or no, True or False, 1 or 0"
                )));
            };
            table.label(item, positive, telling);
        }
        Ok(Self { table })
    }
}

impl Tellings<'_> {
    fn of(&self, answers: usize) -> PyResult<Vec<Attributes>> {
        let by = self.by.as_ref().map(|by| by.as_array());
        let counts = self.counts.as_ref().map(|counts| counts.as_array());
        let noise = self.noise.as_ref().map(|noise| noise.as_array());
        let lengths = [
            ("users", by.map(|x| x.len())),
            ("counts", counts.map(|x| x.len())),
            ("noises", noise.map(|x| x.len())),
        ];
        for (what, found) in lengths {
            check_length(what, found.unwrap_or(answers), answers)?;
        }
        let one = |row: usize| {
            let count = counts.map_or(1.0, |counts| counts[row]);
            if !(count > 0.0 && count <= f64::from(u32::MAX)) {
                return Err(data(format!(
                    "answer {row} (counted from 0) has the count {count}; write a positive number up to {}",
                    u32::MAX
                )));
            }
            let noise = noise.map_or(1.0, |noise| noise[row]);
            if !(noise.is_finite() && noise > 0.0) {
                return Err(data(format!(
                    "answer {row} (counted from 0) has the noise {noise}; write a positive number"
                )));
            }
            let user = by.map(|by| u32::try_from(by[row]).ok().filter(|&u| (u as usize) < self.users.len()));
            match user {
                Some(None) => Err(data(format!("answer {row} (counted from 0) was given by nobody"))),
                user => Ok(Attributes { user: user.flatten(), count, noise }),
            }
        };
        (0..answers).map(one).collect()
    }
}

fn check_pair(row: usize, left: usize, right: usize) -> PyResult<()> {
    match left == right {
        false => Ok(()),
        true => Err(data(format!(
            "comparison {row} (counted from 0) compares item {left} with itself; name two different items"
        ))),
    }
}

fn check_length(what: &str, found: usize, answers: usize) -> PyResult<()> {
    match found == answers {
        true => Ok(()),
        false => Err(data(format!("there are {found} {what} for {answers} answers"))),
    }
}

/// The columns that kinds of answers have for themselves, beside `item`.
#[pyfunction]
pub(crate) fn answer_columns() -> Vec<&'static str> {
    kinds().into_iter().filter(|kind| kind.scale().is_none()).filter_map(|kind| kind.0.column()).collect()
}

/// The columns by which of two items, `left` and `right`, one is better by a number.
#[pyfunction]
pub(crate) fn number_columns() -> Vec<&'static str> {
    numbered().map(|(column, _)| column).collect()
}

/// The kinds of answers that compare two items by a number, each with its column.
fn numbered() -> impl Iterator<Item = (&'static str, Kind)> {
    let comparing = kinds().into_iter().filter(|kind| kind.scale().is_some());
    comparing.map(|kind| (kind.0.column().unwrap_or(kind.0.name()), kind))
}

/// Whether a choice is one for none of the options.
#[pyfunction]
pub(crate) fn is_none(choice: &str) -> bool {
    rather_io::is_none(choice)
}

/// The answers of all tables, where a tie becomes what `ties` says. Ratings and words of strength are those that the tables have, or levels and
/// grades of `scales`.
#[pyfunction]
#[pyo3(signature = (told, ties, scales=None))]
pub(crate) fn settled(
    told: Vec<PyRef<'_, AnswerTable>>,
    ties: &str,
    scales: Option<(Vec<f64>, Vec<String>)>,
) -> PyResult<Answers> {
    let tied = match ties {
        "learn" => Tied::Kept,
        "drop" => Tied::Dropped,
        "both" => Tied::Both,
        other => {
            let problem = format!("ties={other:?} is not known; take learn, drop or both");
            return Err(named("ParameterError", problem));
        }
    };
    let tables = told.iter().map(|told| told.table.clone()).collect();
    let found = match scales {
        None => settle(tables, tied).map_err(|error| data(error.to_string()))?,
        Some((levels, grades)) => settle_as(tables, tied, &Naming { levels, grades, ..Naming::default() }),
    };
    let rather_io::AnswerData { answers, users, levels, grades, .. } = found;
    Ok(Answers { answers, users, levels, grades })
}
