//! The kernel's hyperparameters: by evidence, once, from the labels of the pool.

use anyhow::Result;
use rather::answers::{Answer, Answers};
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::kernel::{Kernel, parse};
use rather::learn::choice::Options;
use rather::learn::{Hyperparameters, Units, maximise};
use rather::likelihood::ResponseModel;
use rather_numerics::lbfgs;

use super::belief::NOISE;
use super::data::Rows;

/// Maximises the evidence of the labels of `from` over the hyperparameters of `kernel`, the noise fixed as the scale.
pub(super) fn learned(kernel: &str, ard: bool, rows: &Rows, from: &[usize]) -> Result<Kernel> {
    let label = |(item, &row): (usize, &usize)| Answer::labelled(item, rows.positive[row]);
    let labels: Answers = from.iter().enumerate().map(label).collect();
    let observations = Observations::of(&labels, &[], ResponseModel::default());
    let points = rows.points.select(from);
    let problem = Problem {
        points: &points,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    let options = Options {
        schema: &rows.schema,
        units: Units::ItemNoise,
        fixed: &[("noise".into(), NOISE)],
        feature_units: &[],
        priors: false,
        inference: Settings::default(),
    };
    let start = Hyperparameters::new(parse(kernel, &rows.schema, ard)?, &points, &options)?;
    Ok(maximise(&problem, &start, &options.inference, lbfgs::Stop::default(), None, &|| true)?
        .hyperparameters
        .kernel)
}
