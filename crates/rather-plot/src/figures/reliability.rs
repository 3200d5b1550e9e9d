//! Whether what is predicted with 80 % happens four times in five: a reliability diagram.

use rather::evaluate::Calibration;

use crate::canvas::{Canvas, Mark, Stroke, spot};
use crate::color::{AXIS, BLUE, SOFT};
use crate::error::not_empty;
use crate::legend::{Glyph, legend};
use crate::panel::{Area, Page, Panel};
use crate::scale::Axis;
use crate::text::counted;
use crate::{Error, Figure, Look, Z95};

/// Predictions of about the same probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// From this probability,
    pub low: f64,
    /// to this one.
    pub high: f64,
    /// The mean of the predicted probabilities.
    pub predicted: f64,
    /// The share in which what was predicted happened.
    pub observed: f64,
    /// Number of predictions.
    pub count: f64,
}

/// A reliability diagram: predicted probabilities against what was answered, and how many predictions there are.
#[derive(Debug, Clone, PartialEq)]
pub struct Reliability {
    /// The bins that have predictions.
    pub bins: Vec<Bin>,
    /// What was tested, on what: a sentence, or nothing.
    pub note: String,
}

impl Reliability {
    /// The bins of a reliability table that have predictions.
    pub fn new(table: &Calibration, note: &str) -> Self {
        let bin = |b: &rather::evaluate::Bin| {
            let (predicted, observed) = b.predicted.zip(b.observed)?;
            Some(Bin { low: b.from, high: b.to, predicted, observed, count: b.count })
        };
        Self { bins: table.bins.iter().filter_map(bin).collect(), note: note.to_owned() }
    }

    /// The mean distance of predicted and observed, each bin weighted by its predictions: that of [`Calibration::error`].
    fn error(&self) -> f64 {
        let n: f64 = self.bins.iter().map(|b| b.count).sum();
        self.bins.iter().map(|b| b.count * (b.predicted - b.observed).abs()).sum::<f64>() / n.max(1.0)
    }

    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Range`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        not_empty("the reliability table", &self.bins)?;
        for bin in &self.bins {
            check(bin.predicted, bin.count)?;
            check(bin.observed, bin.count)?;
        }
        let mut page = Page::new(look, "Reliability of the predictions", &self.caption(), 520.0);
        let entries = [
            (Glyph::Line(Stroke::new(AXIS, 1.4).dashed("6 4")), "perfectly calibrated"),
            (Glyph::Mark(Mark::Circle, BLUE, true), "observed"),
        ];
        let outer = legend(&mut page.canvas, page.body, &entries);
        let (upper, lower) = outer.split_bottom((outer.height * 0.28).max(80.0));
        let low = if self.bins.iter().all(|b| b.low >= 0.5) { 0.5 } else { 0.0 };
        let floor = self.bins.iter().map(|b| interval(b).0).fold(low, f64::min);
        let y = Axis::percent("share preferred", (floor - 0.02).max(0.0), 1.0);
        let most = self.bins.iter().map(|b| b.count).fold(0.0, f64::max);
        let counts = Axis { low: 0.0, ..Axis::over("count", [0.0, most * 1.05], 0.0) };
        let left = {
            let x = || Axis::percent("", low, 1.0);
            let [a, b] = [Panel::fit(upper, x(), y.clone()), Panel::fit(lower, x(), counts.clone())];
            a.left_of(upper).max(b.left_of(lower))
        };
        let panel = Panel::fit_with_left(upper, Axis::percent("", low, 1.0), y, left);
        panel.grid(&mut page.canvas);
        self.points(&mut page.canvas, &panel, low);
        panel.axes(&mut page.canvas);
        let x = Axis::percent("predicted probability that the left item is preferred", low, 1.0);
        self.counts(&mut page.canvas, lower, x, counts, left);
        Ok(page.finish())
    }

    fn points(&self, canvas: &mut Canvas, panel: &Panel, low: f64) {
        canvas.line(panel.at(low, low), panel.at(1.0, 1.0), Stroke::new(AXIS, 1.4).dashed("6 4"));
        let spots: Vec<_> = self.bins.iter().map(|b| panel.at(b.predicted, b.observed)).collect();
        canvas.polyline(&spots, Stroke::new(BLUE, 1.2).opacity(0.6));
        for (bin, &at) in self.bins.iter().zip(&spots) {
            let (below, above) = interval(bin);
            let ends = [below, above].map(|p| panel.at(bin.predicted, p));
            canvas.line(ends[0], ends[1], Stroke::new(BLUE, 1.4));
            for end in ends {
                canvas.line(spot(end.x - 4.0, end.y), spot(end.x + 4.0, end.y), Stroke::new(BLUE, 1.4));
            }
            canvas.mark(Mark::Circle, at, 4.2, BLUE, true);
        }
    }

    fn counts(&self, canvas: &mut Canvas, outer: Area, x: Axis, y: Axis, left: f64) {
        let panel = Panel::fit_with_left(outer, x, y, left);
        panel.grid(canvas);
        for bin in &self.bins {
            let (a, b) = (panel.at(bin.low, bin.count), panel.at(bin.high, 0.0));
            canvas.with_hint(&counted(bin.count as usize, "prediction"), |canvas| {
                canvas.rect(spot(a.x + 1.0, a.y), b.x - a.x - 2.0, b.y - a.y, SOFT, None);
            });
        }
        panel.axes(canvas);
    }

    fn caption(&self) -> String {
        let n: f64 = self.bins.iter().map(|b| b.count).sum();
        let text = format!(
            "Expected calibration error {:.1} % over {}; lines are 95 % intervals of the observed share.",
            100.0 * self.error(),
            counted(n as usize, "comparison")
        );
        if self.note.is_empty() { text } else { format!("{text} {}", self.note) }
    }
}

fn check(p: f64, count: f64) -> Result<(), Error> {
    if !(0.0..=1.0).contains(&p) {
        return Err(Error::Range { what: "a probability", requirement: "between 0 and 1", value: p });
    }
    if !(count >= 0.0 && count.is_finite()) {
        return Err(Error::Range { what: "a count", requirement: "a number and not negative", value: count });
    }
    Ok(())
}

/// Wilson's 95 % interval of a share (Wilson 1927, DOI 10.1080/01621459.1927.10502953).
fn interval(bin: &Bin) -> (f64, f64) {
    let (n, p, z2) = (bin.count.max(1e-9), bin.observed, Z95 * Z95);
    let center = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    ((center - half).max(0.0), (center + half).min(1.0))
}
