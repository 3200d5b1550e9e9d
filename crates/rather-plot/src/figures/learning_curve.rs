//! How a measure changes with the amount of data, for several methods.

use crate::canvas::{Canvas, DASHES, MARKS, Spot, Stroke, Type, spot};
use crate::color::{INK, SERIES};
use crate::error::{column, finite, not_empty};
use crate::labels::spread;
use crate::panel::{Area, Page, Panel, SMALL};
use crate::scale::Axis;
use crate::text::{self, truncate};
use crate::{Error, Figure, HEIGHT, Look};

/// One curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Where it was measured, in increasing order.
    pub x: Vec<f64>,
    /// The means there.
    pub mean: Vec<f64>,
    /// Their standard errors; none if empty.
    pub standard_error: Vec<f64>,
}

/// Curves with their standard errors, each named where it ends.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LearningCurve {
    /// The title.
    pub title: String,
    /// What is on the horizontal axis, with its unit.
    pub x_name: String,
    /// What is on the vertical axis, with its unit.
    pub y_name: String,
    /// Whether the horizontal axis is logarithmic; its values are then positive.
    pub logarithmic: bool,
    /// The curves.
    pub series: Vec<Series>,
    /// What else is to be said: a sentence, or nothing.
    pub note: String,
}

/// Up to so many curves have bands; more have bars, which hide less.
const BANDS: usize = 3;
/// Up to so many points of a curve have marks of their own; of more, some.
const MARKED: usize = 25;

impl LearningCurve {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`], [`Error::Range`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        self.check()?;
        let mut page = Page::new(look, &self.title, &self.caption(), HEIGHT);
        let names = self.series.iter().map(|s| text::width(&s.name, SMALL)).fold(0.0, f64::max);
        let names = names.min(0.3 * page.body.width) + 24.0;
        let panel = self.panel(page.body.without_right(names));
        panel.grid(&mut page.canvas);
        for (i, series) in self.series.iter().enumerate() {
            self.errors(&mut page.canvas, &panel, i, series);
        }
        for (i, series) in self.series.iter().enumerate() {
            curve(&mut page.canvas, &panel, i, series);
        }
        self.names(&mut page.canvas, &panel, names);
        panel.axes(&mut page.canvas);
        Ok(page.finish())
    }

    fn check(&self) -> Result<(), Error> {
        not_empty("the list of curves", &self.series)?;
        for series in &self.series {
            not_empty("a curve", &series.x)?;
            finite("the horizontal axis", &series.x)?;
            column("the means", &series.mean, series.x.len())?;
            if !series.standard_error.is_empty() {
                column("the standard errors", &series.standard_error, series.x.len())?;
            }
            if let Some(&value) = series.x.iter().find(|&&x| self.logarithmic && x <= 0.0) {
                let what = "a value on a logarithmic axis";
                return Err(Error::Range { what, requirement: "positive", value });
            }
        }
        Ok(())
    }

    fn panel(&self, outer: Area) -> Panel {
        let x = self.series.iter().flat_map(|s| s.x.iter().copied());
        let x = if self.logarithmic {
            Axis::logarithmic(&self.x_name, x, 0.02)
        } else {
            Axis::over(&self.x_name, x, 0.02)
        };
        let ends =
            self.series.iter().flat_map(|s| (0..s.x.len()).flat_map(|i| [s.end(i, -1.0), s.end(i, 1.0)]));
        Panel::fit(outer, x, Axis::over(&self.y_name, ends, 0.06))
    }

    fn errors(&self, canvas: &mut Canvas, panel: &Panel, i: usize, series: &Series) {
        if series.standard_error.is_empty() {
            return;
        }
        let color = SERIES[i % SERIES.len()];
        let side = |sign: f64| -> Vec<Spot> {
            (0..series.x.len()).map(|k| panel.at(series.x[k], series.end(k, sign))).collect()
        };
        let (low, high) = (side(-1.0), side(1.0));
        if self.series.len() <= BANDS {
            let outline: Vec<Spot> = low.into_iter().chain(high.into_iter().rev()).collect();
            canvas.areas([&outline[..]], color, 0.18);
            return;
        }
        for (a, b) in low.into_iter().zip(high) {
            canvas.line(a, b, Stroke::new(color, 1.2));
            for end in [a, b] {
                canvas.line(spot(end.x - 3.0, end.y), spot(end.x + 3.0, end.y), Stroke::new(color, 1.2));
            }
        }
    }

    /// The names at the ends of the curves, moved apart where these meet.
    fn names(&self, canvas: &mut Canvas, panel: &Panel, room: f64) {
        let ends: Vec<Spot> =
            self.series.iter().filter_map(|s| Some(panel.at(*s.x.last()?, *s.mean.last()?))).collect();
        let heights: Vec<f64> = ends.iter().map(|e| e.y).collect();
        let heights = spread(&heights, SMALL * 1.3, panel.area.top + 4.0, panel.area.bottom() - 4.0);
        for (i, (series, (end, y))) in self.series.iter().zip(ends.iter().zip(heights)).enumerate() {
            let color = SERIES[i % SERIES.len()];
            let x = panel.area.right() + 14.0;
            if (y - end.y).abs() > 3.0 || x - end.x > 24.0 {
                canvas.line(spot(end.x + 6.0, end.y), spot(x - 3.0, y), Stroke::new(color, 0.8).opacity(0.7));
            }
            let name = truncate(&series.name, SMALL, room - 16.0);
            canvas.text(spot(x, y + SMALL * 0.36), &name, Type::new(SMALL).color(INK));
        }
    }

    fn caption(&self) -> String {
        let errors = self.series.iter().any(|s| !s.standard_error.is_empty());
        let what = match (errors, self.series.len() <= BANDS) {
            (false, _) => "",
            (true, true) => "Bands are one standard error either way. ",
            (true, false) => "Bars are one standard error either way. ",
        };
        format!("{what}{}", self.note)
    }
}

impl Series {
    fn end(&self, k: usize, sign: f64) -> f64 {
        self.mean[k] + sign * self.standard_error.get(k).copied().unwrap_or(0.0)
    }
}

fn curve(canvas: &mut Canvas, panel: &Panel, i: usize, series: &Series) {
    let color = SERIES[i % SERIES.len()];
    let spots: Vec<Spot> = series.x.iter().zip(&series.mean).map(|(&x, &y)| panel.at(x, y)).collect();
    canvas.polyline(&spots, Stroke::new(color, 2.0).dashed(DASHES[i % DASHES.len()]));
    let every = spots.len().div_ceil(MARKED);
    for &at in spots.iter().step_by(every) {
        canvas.mark(MARKS[i % MARKS.len()], at, 3.6, color, i.is_multiple_of(2));
    }
}
