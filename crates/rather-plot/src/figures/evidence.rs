//! The evidence over two hyperparameters.

use crate::canvas::{Mark as Shape, Stroke, Type};
use crate::color::{BLUE, INK, Ramp, VERMILLION, WHITE};
use crate::error::{finite, not_empty};
use crate::field::{Bands, fill, label_lines, panel_with_bar};
use crate::labels::Labels;
use crate::legend::{Glyph, legend};
use crate::panel::{Page, Panel, SMALL};
use crate::scale::Axis;
use crate::text::{counted, number};
use crate::{Error, Figure, HEIGHT, Look};

/// A place on the surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// What is there.
    pub name: String,
    /// Value on the horizontal axis.
    pub x: f64,
    /// Value on the vertical axis.
    pub y: f64,
}

/// The log evidence over two hyperparameters, shown as what it lacks to the best of the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// The hyperparameter on the horizontal axis, with its unit.
    pub x_name: String,
    /// The hyperparameter on the vertical axis, with its unit.
    pub y_name: String,
    /// Whether the axes are logarithmic; values are then positive.
    pub logarithmic: bool,
    /// Values of the first, in increasing order, at least two.
    pub x: Vec<f64>,
    /// Values of the second.
    pub y: Vec<f64>,
    /// Log evidence in nats: at `(x[i], y[j])` the entry `j * x.len() + i`; `None` where inference failed.
    pub log_evidence: Vec<Option<f64>>,
    /// Where learning ended, and what else is of interest.
    pub marks: Vec<Mark>,
    /// What else is to be said: a sentence, or nothing.
    pub note: String,
}

/// Differences from the best, in nats, at which there may be a line.
const LEVELS: [f64; 16] =
    [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4];
/// So many lines are enough.
const LINES: usize = 9;

impl Surface {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`], [`Error::Range`] for a value that is not positive on a
    /// logarithmic axis, [`Error::NoEvidence`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        self.check()?;
        let (best, at) = self.best().ok_or(Error::NoEvidence)?;
        let missing = self.log_evidence.iter().filter(|v| v.is_none()).count();
        let mut page =
            Page::new(look, "Evidence of the hyperparameters", &self.caption(best, missing), HEIGHT);
        let lowest = self.log_evidence.iter().flatten().fold(best, |a, &b| a.min(b));
        let z: Vec<f64> = self.log_evidence.iter().map(|v| v.unwrap_or(lowest) - best).collect();
        let bands = bands(lowest - best);
        let best_name = format!("best of the grid: {}", place(self.x[at.0], self.y[at.1]));
        let names: Vec<String> =
            self.marks.iter().map(|m| format!("{}: {}", m.name, place(m.x, m.y))).collect();
        let shapes = [(Shape::Circle, VERMILLION), (Shape::Square, BLUE), (Shape::Triangle, INK)];
        let mut entries = vec![(Glyph::Mark(Shape::Diamond, INK, false), best_name.as_str())];
        for (i, name) in names.iter().enumerate() {
            let (shape, color) = shapes[i % shapes.len()];
            entries.push((Glyph::Mark(shape, color, true), name));
        }
        let outer = legend(&mut page.canvas, page.body, &entries);
        let bar = bands.colorbar("log evidence below the best, in nats");
        let axis = |name: &str, values: &[f64]| {
            let values = values.iter().copied();
            if self.logarithmic {
                Axis::logarithmic(name, values, 0.0)
            } else {
                Axis::over(name, values, 0.0)
            }
        };
        let (x, y) = (axis(&self.x_name, &self.x), axis(&self.y_name, &self.y));
        let (panel, bar_left) = panel_with_bar(outer, &bar, |area| Panel::fit(area, x, y));
        let lines = fill(&mut page.canvas, &panel, &self.x, &self.y, &z, &bands);
        let mut labels = Labels::new(panel.area);
        self.failures(&mut page, &panel);
        let spots: Vec<_> = self.marks.iter().map(|m| panel.at(m.x, m.y)).collect();
        let top = panel.at(self.x[at.0], self.y[at.1]);
        page.canvas.outlined_mark(Shape::Diamond, top, 8.0, WHITE, Stroke::new(INK, 1.6));
        labels.keep_free(top, 10.0);
        for (i, (mark, &at)) in self.marks.iter().zip(&spots).enumerate() {
            let (shape, color) = shapes[i % shapes.len()];
            page.canvas.outlined_mark(shape, at, 4.2, color, Stroke::new(WHITE, 1.2));
            labels.keep_free(at, 6.0);
            if let Some(place) = labels.beside(&mark.name, SMALL, at, 9.0) {
                page.canvas.text(place, &mark.name, Type::new(SMALL).halo());
            }
        }
        label_lines(&mut page.canvas, &lines, &mut labels);
        panel.axes(&mut page.canvas);
        bar.draw(&mut page.canvas, bar_left, panel.area);
        Ok(page.finish())
    }

    fn check(&self) -> Result<(), Error> {
        not_empty("the surface", &self.log_evidence)?;
        finite("the horizontal axis", &self.x)?;
        finite("the vertical axis", &self.y)?;
        let expected = self.x.len() * self.y.len();
        if self.log_evidence.len() != expected {
            let found = self.log_evidence.len();
            return Err(Error::Length { what: "the log evidence", expected, found });
        }
        finite("the log evidence", &self.log_evidence.iter().map(|v| v.unwrap_or(0.0)).collect::<Vec<_>>())?;
        let marks: Vec<f64> = self.marks.iter().flat_map(|m| [m.x, m.y]).collect();
        finite("the marks", &marks)?;
        match self.x.iter().chain(&self.y).chain(&marks).find(|&&v| self.logarithmic && v <= 0.0) {
            Some(&value) => {
                let what = "a hyperparameter on a logarithmic axis";
                Err(Error::Range { what, requirement: "positive", value })
            }
            None => Ok(()),
        }
    }

    /// The largest log evidence and where it is.
    fn best(&self) -> Option<(f64, (usize, usize))> {
        let n = self.x.len();
        let known = self.log_evidence.iter().enumerate().filter_map(|(k, v)| Some((k, (*v)?)));
        known.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, v)| (v, (k % n, k / n)))
    }

    fn failures(&self, page: &mut Page, panel: &Panel) {
        for (k, value) in self.log_evidence.iter().enumerate() {
            if value.is_none() {
                let at = panel.at(self.x[k % self.x.len()], self.y[k / self.x.len()]);
                page.canvas.outlined_mark(Shape::Cross, at, 2.5, WHITE, Stroke::new(WHITE, 1.0));
            }
        }
    }

    fn caption(&self, best: f64, missing: usize) -> String {
        let mut text = format!(
            "The best log evidence on a grid of {} × {} is {}; lines are that many nats below it.",
            self.x.len(),
            self.y.len(),
            number(best, 6)
        );
        if missing > 0 {
            text += &format!(" Inference failed at {}: crosses.", counted(missing, "setting"));
        }
        if !self.note.is_empty() {
            text = text + " " + &self.note;
        }
        text
    }
}

fn place(x: f64, y: f64) -> String {
    format!("{}, {}", number(x, 3), number(y, 3))
}

/// Lines where the evidence lacks so much; `range` is what the worst setting lacks, negative.
fn bands(range: f64) -> Bands {
    // On a steep surface the finest lines would be one; on a flat one they are all there is.
    let finest = if range < -20.0 { 0.5 } else { 0.0 };
    let below = LEVELS.iter().copied().filter(|&l| l >= finest && l < -range).take(LINES);
    let below: Vec<f64> = below.collect();
    let levels: Vec<f64> = below.iter().rev().map(|l| -l).collect();
    let labels = levels.iter().map(|l| number(*l, 4)).collect();
    Bands { colors: Ramp::Viridis.bands(levels.len() + 1), levels, labels }
}
