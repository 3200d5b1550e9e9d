//! Figures 1(a), 1(b) and 2 of the paper.
//!
//! Figure 1: the sine on `[-pi, pi)` from comparisons of 50 uniform points. The paper gives no unit for its
//! lengthscale; its maximum at `log l = -1.2` is where the sine's belongs if the interval has length one, so that is
//! the unit here. Figure 2: the test error on Boston housing for growing numbers of comparisons.

use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rather::Comparison;
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::kernel::Schema;
use rather::learn::Hyperparameters;
use rather::points::Points;
use rather_plot::{LearningCurve, Look, Mark, Series, Surface};
use rayon::prelude::*;

use super::{Column, error, from_start, isotropic, learned_utilities, mean_and_sd, progress, utilities};
use crate::regression::{Rows, TABLE_1};

/// Numbers of comparisons in Figure 1(a); the surface of Figure 1(b) is that of the last.
const LABELS: [usize; 4] = [1, 5, 20, 30];
/// Number of comparisons in Figure 2.
const BOSTON: [usize; 8] = [50, 100, 200, 300, 400, 600, 800, 1000];
const GRID: usize = 41;
/// Draws of the 50 points and 30 labels over which the maximum of Figure 1(b) is averaged.
const SINES: u64 = 20;

pub(super) fn draw(data: &Path, folder: &Path, splits: u64) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))?;
    let save = |name: &str, figure: rather_plot::Figure| -> Result<()> {
        let path = folder.join(name);
        fs::write(&path, figure.as_svg()).with_context(|| format!("could not write {}", path.display()))?;
        println!("{}", path.display());
        Ok(())
    };
    let learned = (0..SINES).map(|seed| Sine::draw(seed).learned()).collect::<Result<Vec<_>>>()?;
    for (name, of) in [("lengthscale", 1), ("gamma", 0)] {
        let logs: Vec<f64> = learned.iter().map(|h| h.entries[of].value.ln()).collect();
        let (mean, sd) = mean_and_sd(&logs);
        println!("Figure 1(b): log {name} at the maximum, {SINES} draws: {mean:.2} ± {sd:.2}");
    }
    let sine = Sine::draw(0);
    save("figure-1a.svg", sine.predictions()?.draw(&Look::default())?)?;
    save("figure-1b.svg", sine.surface()?.draw(&Look::default())?)?;
    save("figure-2.svg", boston(data, splits)?.draw(&Look::default())?)
}

/// 50 uniform points, and as many comparisons of their sines as the largest figure needs.
struct Sine {
    rows: Rows,
    comparisons: Vec<Comparison>,
}

impl Sine {
    fn draw(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let x: Vec<f64> = (0..50).map(|_| rng.random_range(-0.5..0.5)).collect();
        let rows = Rows {
            target: x.iter().map(|x| (2.0 * PI * x).sin()).collect(),
            points: Points::new((0..50).collect(), 1, x),
            schema: Schema { names: vec!["x".into()], categorical: vec![false], context: 0 },
        };
        let comparisons = rows
            .draws(seed + 1, false)
            .take(LABELS[LABELS.len() - 1])
            .map(|(winner, loser)| Comparison { winner, loser, count: 1.0 })
            .collect();
        Self { rows, comparisons }
    }

    fn with<T>(&self, labels: usize, work: impl FnOnce(&Problem<'_>) -> Result<T>) -> Result<T> {
        let observations = Observations::new(&self.comparisons[..labels]);
        let points = self.rows.points.select(&observations.items);
        work(&Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        })
    }

    /// The hyperparameters at the maximum of the evidence of all labels.
    fn learned(&self) -> Result<Hyperparameters> {
        self.with(LABELS[LABELS.len() - 1], |p| Ok(from_start(p, &self.rows, 0.0)?.hyperparameters))
    }

    /// Figure 1(a): the mean utility on 100 points, scaled to the same largest and smallest value.
    fn predictions(&self) -> Result<LearningCurve> {
        let x: Vec<f64> = (0..100).map(|i| i as f64 / 99.0 - 0.5).collect();
        let grid = Rows {
            points: Points::new((1000..1100).collect(), 1, x.clone()),
            schema: self.rows.schema.clone(),
            target: Vec::new(),
        };
        // One lengthscale for all curves, learned from all comparisons: a single comparison determines none.
        let at = self.learned()?;
        let angle: Vec<f64> = x.iter().map(|x| 2.0 * PI * x).collect();
        let sine = angle.iter().map(|x| x.sin()).collect();
        let mut series =
            vec![Series { name: "sin x".into(), mean: sine, x: angle.clone(), ..Series::default() }];
        for labels in LABELS {
            let mean = self.with(labels, |p| utilities(p, &grid, &at, None))?;
            let (low, high) = mean.iter().fold((f64::MAX, f64::MIN), |(l, h), &m| (l.min(m), h.max(m)));
            let mean = mean.iter().map(|m| 2.0 * (m - low) / (high - low) - 1.0).collect();
            let name = if labels == 1 { "1 label".into() } else { format!("{labels} labels") };
            series.push(Series { name, x: angle.clone(), mean, ..Series::default() });
        }
        Ok(LearningCurve {
            title: "Wang and McKenna, Figure 1(a): the sine from comparisons".into(),
            x_name: "x".into(),
            y_name: "mean utility, scaled to [-1, 1]".into(),
            series,
            note: "50 uniform points; each label compares the sines of two of them".into(),
            ..LearningCurve::default()
        })
    }

    /// Figure 1(b): the log evidence over lengthscale and gamma.
    fn surface(&self) -> Result<Surface> {
        let steps = |low: f64, high: f64| -> Vec<f64> {
            (0..GRID).map(|i| low + (high - low) * i as f64 / (GRID - 1) as f64).collect()
        };
        let (x, y) = (steps(-4.0, 1.0), steps(-2.0, 8.0));
        self.with(LABELS[LABELS.len() - 1], |problem| {
            let log_evidence = (0..GRID * GRID)
                .into_par_iter()
                .map(|k| {
                    let at = isotropic(problem, &self.rows, y[k / GRID], x[k % GRID])?;
                    let found = problem.evaluate(&at.kernel, at.noise(), None, &Settings::default());
                    Ok(found.ok().map(|e| e.outcome.log_evidence))
                })
                .collect::<Result<Vec<Option<f64>>>>()?;
            let paper = Mark { name: "the paper's maximum, about".into(), x: -1.2, y: 2.0 };
            Ok(Surface {
                x_name: "log lengthscale (the interval as one unit)".into(),
                y_name: "log gamma".into(),
                logarithmic: false,
                x: x.clone(),
                y: y.clone(),
                log_evidence,
                marks: vec![paper],
                note: "Wang and McKenna, Figure 1(b): 30 labels of the sine".into(),
            })
        })
    }
}

/// Figure 2: the test error on Boston housing over the number of training pairs, which are not among the test pairs.
fn boston(data: &Path, splits: u64) -> Result<LearningCurve> {
    let set = &TABLE_1[3];
    let rows = set.read(data)?;
    let columns = [(Column::Gpep2, "GPEP2"), (Column::Rather, "rather")];
    let bar = progress("figure 2", splits * (columns.len() * BOSTON.len()) as u64)?;
    let mut series = Vec::new();
    for (column, name) in columns {
        let mut curve = Series { name: name.into(), ..Series::default() };
        for pairs in BOSTON {
            let errors = (0..splits)
                .map(|seed| {
                    bar.inc(1);
                    let split = rows.split(pairs, super::MOST_TEST_PAIRS, seed);
                    Ok(100.0 * error(&learned_utilities(&rows, &split, column)?, &split))
                })
                .collect::<Result<Vec<f64>>>()?;
            let (mean, sd) = mean_and_sd(&errors);
            bar.suspend(|| println!("Figure 2: {name}, {pairs} labels: {mean:.2} ± {sd:.2} %"));
            curve.x.push(pairs as f64);
            curve.mean.push(mean);
            curve.standard_error.push(sd / (splits as f64).sqrt());
        }
        series.push(curve);
    }
    bar.finish_and_clear();
    Ok(LearningCurve {
        title: "Wang and McKenna, Figure 2: Boston housing".into(),
        x_name: "training pairs".into(),
        y_name: "test error, %".into(),
        series,
        note: format!("Mean over {splits} splits; the paper's GPEP2 reaches 8.8 ± 0.3 at 1,000"),
        ..LearningCurve::default()
    })
}
