//! What a study has learned, at one moment.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rather_study::study::Snapshot as Learned;
use rather_study::{Alternative, Error, Study};
use serde::Serialize;

use crate::draws;
use crate::errors::{data, of_library, of_study};
use crate::fit;
use crate::views::json;

/// What the answers of a participant say. It needs neither the file nor the study; alternatives are items by their names, or
/// settings as JSON.
#[pyclass(frozen, module = "rather._lib")]
pub(crate) struct Snapshot {
    learned: Arc<Learned>,
    /// What is recommended, once there is an answer.
    best: Option<Alternative>,
}

/// An answer that was learned from, as Python reads it.
#[derive(Serialize)]
struct Compared<'a> {
    left: &'a Alternative,
    right: &'a Alternative,
    answer: String,
    count: u32,
}

type Moments<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Snapshot {
    /// The alternatives that were compared, as a list in JSON.
    fn compared(&self) -> String {
        json(&self.learned.compared())
    }

    /// The answers that were learned from, as a list in JSON.
    fn duels(&self) -> String {
        let compared = self.learned.duels.iter().map(|duel| Compared {
            left: &duel.left,
            right: &duel.right,
            answer: duel.answer.to_string(),
            count: duel.count,
        });
        json(&compared.collect::<Vec<_>>())
    }

    /// What is recommended, as JSON; null before the first answer.
    fn best(&self) -> String {
        json(&self.best)
    }

    /// Means and standard deviations of utilities, relative to the average of what was compared, in units of the duel noise.
    fn utilities<'py>(&self, py: Python<'py>, sides: Vec<String>) -> PyResult<Moments<'py>> {
        let found = fit::run(py, None, || self.learned.utilities(&self.alternatives(&sides)?))?;
        let (mean, sd) = found.map_err(of_study)?.into_iter().map(|u| (u.mean, u.sd)).unzip();
        Ok((PyArray1::from_vec(py, mean), PyArray1::from_vec(py, sd)))
    }

    /// The covariance of utilities, not relative to anything.
    fn covariance<'py>(&self, py: Python<'py>, sides: Vec<String>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let joint = fit::run(py, None, || {
            let points = self.learned.points(&self.alternatives(&sides)?)?;
            Ok(self.learned.posterior().joint(&points)?)
        })?;
        let joint = joint.map_err(of_study)?;
        PyArray1::from_slice(py, joint.covariance.data()).reshape([sides.len(), sides.len()])
    }

    /// Draws of utilities (draws x alternatives), relative to the average of what was compared.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        sides: Vec<String>,
        draws: usize,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let drawn = fit::run(py, None, || {
            let asked = self.learned.points(&self.alternatives(&sides)?)?;
            let compared = self.learned.points(&self.learned.compared())?;
            Ok(draws::gaussian(&self.learned.posterior().components()?, &asked, &compared, draws, seed)?)
        })?;
        PyArray1::from_vec(py, drawn.map_err(of_study)?).reshape([draws, sides.len()])
    }

    /// Probabilities that the left alternative of each pair is preferred.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        left: Vec<String>,
        right: Vec<String>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        if left.len() != right.len() {
            let sides = (left.len(), right.len());
            return Err(data(format!(
                "there are {} sides on the left and {} on the right",
                sides.0, sides.1
            )));
        }
        let found = fit::run(py, None, || {
            let pairs = self.alternatives(&left)?.into_iter().zip(self.alternatives(&right)?);
            self.learned.probabilities(&pairs.collect::<Vec<_>>())
        })?;
        Ok(PyArray1::from_vec(py, found.map_err(of_study)?))
    }

    /// The value of asking each alternative against `opponent`, by the acquisition function of the study.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        sides: Vec<String>,
        opponent: String,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let acquisition = self.learned.definition().policy.acquisition;
        let found = fit::run(py, None, || {
            let opponent = self.alternatives(std::slice::from_ref(&opponent))?.remove(0);
            self.learned.scores(&self.alternatives(&sides)?, &opponent)
        })?;
        let scores = found.map_err(of_study)?.ok_or_else(|| {
            of_library(rather::Error::AcquisitionSetting {
                acquisition: acquisition.to_string(),
                expected: "a closed form to be looked at, which it has not".to_owned(),
            })
        })?;
        Ok(PyArray1::from_vec(py, scores))
    }
}

impl Snapshot {
    /// Of what a study has learned about `participant`.
    pub(crate) fn take(study: &mut Study, participant: &str) -> Result<Self, Error> {
        let learned = Arc::new(study.snapshot(participant)?);
        let best = if learned.has_answers() { Some(study.advice(participant)?.recommended) } else { None };
        Ok(Self { learned, best })
    }

    fn alternatives(&self, sides: &[String]) -> Result<Vec<Alternative>, Error> {
        let definition = self.learned.definition();
        sides.iter().map(|side| definition.parse(side).map_err(Error::Alternative)).collect()
    }
}
