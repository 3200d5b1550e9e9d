//! How well a model predicts answers that it has not learned from, and how surely items stand where its ranking has them.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use rather::answers::Answer;
use rather::evaluate::{Scores, Tested, tested, tested_of_user};
use rather::model::Ranked;
use serde::Serialize;

use crate::answers::Answers;
use crate::distributed::rows;
use crate::errors::{data, of_library};
use crate::fit;
use crate::model::{Asked, Model};
use crate::table::Table;
use crate::views::json;

/// Scores, as Python reads them. What there is nothing to score of is null.
#[derive(Serialize)]
struct Found {
    accuracy: Option<f64>,
    log_loss: Option<f64>,
    brier: Option<f64>,
    rps: Option<f64>,
    crps: Option<f64>,
    coverage_50: Option<f64>,
    coverage_95: Option<f64>,
    answers: f64,
}

impl Found {
    fn of(tested: &[Tested]) -> Self {
        let number = |value: f64| Some(value).filter(|value| value.is_finite());
        let Scores { accuracy, log_loss, brier, rps, crps, coverage, comparisons } = Scores::of(tested);
        Self {
            accuracy: number(accuracy),
            log_loss: number(log_loss),
            brier: number(brier),
            rps: number(rps),
            crps,
            coverage_50: coverage.map(|[half, _]| half),
            coverage_95: coverage.map(|[_, nearly]| nearly),
            answers: comparisons,
        }
    }
}

/// The scores of the predictions of one person's `answers` about the items of the model, of `table`, or of sides; as JSON.
#[pyfunction]
#[pyo3(signature = (model, answers, table=None))]
pub(crate) fn scores(
    py: Python<'_>,
    model: &Model,
    answers: &Answers,
    table: Option<Asked<'_>>,
) -> PyResult<String> {
    let (single, points) = (model.single()?, model.asked(table.as_ref())?);
    answers.answers.check(points.len()).map_err(of_library)?;
    let found = fit::run(py, None, || tested(single, &points, &answers.answers))?.map_err(of_library)?;
    Ok(json(&Found::of(&found)))
}

/// The scores of the predictions of answers of many users, of which row `i` was given by user `by[i]`; as JSON.
#[pyfunction]
pub(crate) fn user_scores(
    py: Python<'_>,
    model: &Model,
    answers: &Answers,
    by: PyReadonlyArray1<'_, i64>,
) -> PyResult<String> {
    let population = model.population()?;
    let by = rows(by, population.users().keys().len())?;
    if by.len() != answers.answers.len() {
        return Err(data(format!("there are {} users for {} answers", by.len(), answers.answers.len())));
    }
    let mut all: Vec<(usize, Answer)> = by.into_iter().zip(answers.answers.iter()).collect();
    all.sort_by_key(|(user, _)| *user);
    let found = fit::run(py, None, || {
        let of_user = |part: &[(usize, Answer)]| {
            let said = part.iter().map(|(user, answer)| answer.by(*user)).collect();
            tested_of_user(population.model(), part[0].0, &said)
        };
        all.chunk_by(|a, b| a.0 == b.0).map(of_user).collect::<Result<Vec<_>, _>>()
    })?;
    Ok(json(&Found::of(&found.map_err(of_library)?.concat())))
}

/// The probability of being the best and among the `top` best, the ends of the 95 % interval of the rank, and the group of items that cannot be
/// distinguished.
type Standings<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
);

/// How surely the items in the rows `order`, the best first, stand where they do.
#[pyfunction]
#[pyo3(signature = (model, order, top, seed, table=None))]
pub(crate) fn standings<'py>(
    py: Python<'py>,
    model: &Model,
    order: PyReadonlyArray1<'py, i64>,
    top: usize,
    seed: u64,
    table: Option<&Table>,
) -> PyResult<Standings<'py>> {
    let (person, points) = (model.person()?, model.points(table)?);
    let ranking: Vec<Ranked> =
        rows(order, points.len())?.into_iter().map(|item| Ranked { item, mean: 0.0, sd: 0.0 }).collect();
    let found = fit::run(py, None, || person.standings(&points, &ranking, top, seed))?.map_err(of_library)?;
    let number = |part: fn(&rather::Standing) -> usize| {
        PyArray1::from_iter(py, found.iter().map(move |standing| part(standing) as u64))
    };
    Ok((
        PyArray1::from_iter(py, found.iter().map(|standing| standing.probability_best)),
        PyArray1::from_iter(py, found.iter().map(|standing| standing.probability_top)),
        number(|standing| standing.rank_low),
        number(|standing| standing.rank_high),
        number(|standing| standing.group),
    ))
}
