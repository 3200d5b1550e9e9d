//! The learning curves behind a row of the table.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use rather_plot::{LearningCurve, Look, Series};

use super::protocol::{CHOICES, Measure};
use super::reading::{Curves, START};

/// From this number of labels on, the figure shows every fifth.
const ALL_UP_TO: usize = 10;

/// Writes the curves of all methods on a data set as `FOLDER/NAME.svg`.
pub(super) fn draw(folder: &Path, name: &str, measure: Measure, methods: &[Curves<'_>]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))?;
    let repeats = methods.first().map_or(0, |curves| curves.0.len());
    let figure = LearningCurve {
        title: format!("Active learning: {name}"),
        x_name: "labels".into(),
        y_name: measure.to_string(),
        series: CHOICES
            .iter()
            .zip(methods)
            .map(|(choice, curves)| series(&choice.to_string(), curves))
            .collect(),
        note: format!("Mean over {repeats} random splits"),
        ..LearningCurve::default()
    };
    let path = folder.join(format!("{}.svg", name.replace([' ', '/'], "-").to_lowercase()));
    fs::write(&path, figure.draw(&Look::default())?.as_svg())
        .with_context(|| format!("could not write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

fn series(name: &str, curves: &Curves<'_>) -> Series {
    let mut out = Series { name: name.into(), ..Series::default() };
    for (k, (mean, error)) in curves.mean().into_iter().enumerate() {
        let labels = k + START;
        if labels <= ALL_UP_TO || labels.is_multiple_of(5) {
            out.x.push(labels as f64);
            out.mean.push(mean);
            out.standard_error.push(error);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_are_thinned() {
        let curve: Vec<f64> = (0..20).map(f64::from).collect();
        let series = series("BALD", &Curves(vec![(&curve, 1.0)]));
        assert_eq!(series.x, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0]);
        assert_eq!(series.mean[9], 13.0);
    }
}
