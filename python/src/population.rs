//! What only models of many users need: whose answers are whose, and what each user says of a pair.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use rather::likelihood::Preference;
use rather::many::population::{Kind, Population, PopulationSettings};
use rather::many::{Member, Segments};
use rather_io::{AnswerData, Tied};

use crate::answers::Answers;
use crate::distributed::rows;
use crate::errors::{data, named};
use crate::settings::KernelParameters;
use crate::table::Table;

/// The settings of a fit, and the answers with their users: row `i` was given by user `by[i]`.
pub(crate) fn problem(
    answers: &Answers,
    users: &Table,
    by: PyReadonlyArray1<'_, i64>,
    (kind, functions, kernel): (String, usize, KernelParameters),
) -> PyResult<(PopulationSettings, rather::answers::Answers)> {
    // "consensus" is what versions up to 0.1 called the pooled model.
    let asked = if kind == "consensus" { "pooled" } else { kind.as_str() };
    let Some(kind) = Kind::ALL.into_iter().find(|known| known.name() == asked) else {
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        let problem = format!("model={kind:?} is not known; take {}", known.join(", "));
        return Err(named("ParameterError", problem));
    };
    if functions == 0 {
        return Err(named("ParameterError", "n_functions=0 must be at least 1".to_owned()));
    }
    let by = rows(by, users.items.keys.len())?;
    if by.len() != answers.answers.len() {
        return Err(data(format!("there are {} users for {} answers", by.len(), answers.answers.len())));
    }
    let said = by.iter().zip(answers.answers.iter()).map(|(&user, answer)| answer.by(user)).collect();
    Ok((PopulationSettings { functions, ..kernel.population(PopulationSettings::new(kind))? }, said))
}

/// Segments as Python has them.
pub(crate) type Found<'py> =
    (Vec<usize>, Vec<usize>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Vec<Vec<f64>>, f64);

pub(crate) fn segments<'py>(py: Python<'py>, found: &Segments) -> Found<'py> {
    let of = |part: fn(&Member) -> usize| found.members.iter().map(part).collect();
    let probabilities = found.members.iter().map(|member| member.probability).collect();
    let shares = found.segments.iter().map(|segment| segment.share).collect();
    (
        of(|member| member.user),
        of(|member| member.segment),
        PyArray1::from_vec(py, probabilities),
        PyArray1::from_vec(py, shares),
        found.segments.iter().map(|segment| segment.mean.clone()).collect(),
        found.silhouette,
    )
}

/// Answers of any kind of somebody new, whose ratings and words of strength are those that `population` was learned from.
pub(crate) fn settled(population: &Population, tables: Vec<rather_io::AnswerTable>) -> Answers {
    let outcomes = population.model().responses().likelihoods().outcomes();
    let ties = outcomes.iter().any(|(outcome, ..)| *outcome == Preference::Tie);
    let tied = if ties { Tied::Kept } else { Tied::Dropped };
    let AnswerData { answers, users, levels, grades, .. } =
        rather_io::settle_as(tables, tied, population.naming());
    Answers { answers, users, levels, grades }
}

/// The probability that user `by[i]` prefers the left item of pair `i`.
pub(crate) fn probabilities(
    population: &Population,
    by: &[usize],
    pairs: &[(usize, usize)],
) -> Result<Vec<f64>, rather::Error> {
    let mut order: Vec<usize> = (0..by.len()).collect();
    order.sort_by_key(|&row| by[row]);
    let mut out = vec![0.0; by.len()];
    for rows in order.chunk_by(|&a, &b| by[a] == by[b]) {
        rather::watch::check()?;
        let asked: Vec<(usize, usize)> = rows.iter().map(|&row| pairs[row]).collect();
        let found = population.model().predict(by[rows[0]], &asked)?;
        rows.iter().zip(found.probability).for_each(|(&row, p)| out[row] = p);
    }
    Ok(out)
}
