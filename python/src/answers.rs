//! Comparisons by the numbers of their items.

use numpy::{PyReadonlyArray1, ndarray::ArrayView1};
use pyo3::prelude::*;
use rather::Comparison;
use rather::answers::Answer;
use rather::likelihood::Reply;

use crate::distributed::rows;
use crate::errors::{data, named};

/// Comparisons of the items of a table, by row numbers.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Answers {
    pub(crate) answers: rather::answers::Answers,
    /// The users whom they number.
    pub(crate) users: Vec<String>,
    /// The ratings that levels stand for, the lowest first.
    pub(crate) levels: Vec<f64>,
    /// The words before a side that grades stand for, the weakest first.
    pub(crate) grades: Vec<String>,
}

#[pymethods]
impl Answers {
    /// Winners and losers as row numbers of `items` items, and how often each was said (once if `None`).
    #[new]
    #[pyo3(signature = (winners, losers, items, counts=None))]
    fn new(
        winners: PyReadonlyArray1<'_, i64>,
        losers: PyReadonlyArray1<'_, i64>,
        items: usize,
        counts: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<Self> {
        let pairs = pairs(winners.as_array(), losers.as_array(), items)?;
        let counts = counts.as_ref().map(PyReadonlyArray1::as_array);
        if let Some(found) = counts.map(|c| c.len()).filter(|&found| found != pairs.len()) {
            return Err(data(format!("there are {found} counts for {} comparisons", pairs.len())));
        }
        let comparison = |(row, (winner, loser))| {
            let count = counts.map_or(1, |counts| counts[row]);
            match u32::try_from(count) {
                _ if winner == loser => Err(data(format!(
                    "comparison {row} (counted from 0) compares item {winner} with itself; name two different items"
                ))),
                Ok(count) if count > 0 => Ok(Answer::rather(winner, loser).times(count)),
                _ => Err(data(format!(
                    "comparison {row} (counted from 0) has the count {count}; write a whole number from 1 to {}",
                    u32::MAX
                ))),
            }
        };
        let answers = pairs.into_iter().enumerate().map(comparison).collect::<PyResult<_>>()?;
        Ok(Self { answers, users: Vec::new(), levels: Vec::new(), grades: Vec::new() })
    }

    fn __len__(&self) -> usize {
        self.answers.len()
    }

    /// The words before a side that grades stand for, the weakest first.
    #[getter]
    fn grades(&self) -> Vec<String> {
        self.grades.clone()
    }

    /// The users whom answers name.
    #[getter]
    fn users(&self) -> Vec<String> {
        self.users.clone()
    }

    /// Who gave each answer, by a place among the users; -1 for nobody.
    #[getter]
    fn by(&self) -> Vec<i64> {
        self.answers.iter().map(|answer| answer.reply.user.map_or(-1, i64::from)).collect()
    }

    /// The ratings that were given, the lowest first.
    #[getter]
    fn levels(&self) -> Vec<f64> {
        self.levels.clone()
    }
}

impl Answers {
    /// The answers, where all are plain comparisons.
    pub(crate) fn comparisons(&self) -> PyResult<Vec<Comparison>> {
        let plain = |answer: Answer| match (answer.minus, answer.reply == Reply::CHOICE) {
            (Some(loser), true) => Ok(Comparison { winner: answer.plus, loser, count: answer.count }),
            _ => Err(data(
                "a cluster learns from plain comparisons; learn from other answers with PreferenceGP"
                    .to_owned(),
            )),
        };
        self.answers.iter().map(plain).collect()
    }
}

/// Pairs of row numbers of `items` items.
pub(crate) fn pairs(
    left: ArrayView1<'_, i64>,
    right: ArrayView1<'_, i64>,
    items: usize,
) -> PyResult<Vec<(usize, usize)>> {
    if left.len() != right.len() {
        return Err(data(format!(
            "there are {} items on the left and {} on the right",
            left.len(),
            right.len()
        )));
    }
    let item = |row: usize, number: i64| match usize::try_from(number) {
        Ok(item) if item < items => Ok(item),
        _ => Err(named(
            "UnknownItemError",
            format!(
                "pair {row} (counted from 0) names item {number}, but there are {items} items, counted from 0"
            ),
        )),
    };
    left.iter().zip(right).enumerate().map(|(row, (&l, &r))| Ok((item(row, l)?, item(row, r)?))).collect()
}

/// Sets of so many of the items in these rows, of `items`, one set after the other.
pub(crate) fn sets(
    item: PyReadonlyArray1<'_, i64>,
    sizes: &[usize],
    items: usize,
) -> PyResult<Vec<Vec<usize>>> {
    let item = rows(item, items)?;
    if sizes.iter().sum::<usize>() != item.len() {
        return Err(data(format!("there are {} items for sets of {sizes:?}", item.len())));
    }
    let mut rest = item.into_iter();
    Ok(sizes.iter().map(|&size| rest.by_ref().take(size).collect()).collect())
}
