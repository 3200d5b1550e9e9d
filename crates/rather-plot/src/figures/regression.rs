//! A function learned from measured values: its mean with a band, the values, and the truth where it is known.

use crate::canvas::{Mark, Spot, Stroke};
use crate::color::{BLUE, INK, VERMILLION};
use crate::error::{column, finite, not_empty};
use crate::legend::{Glyph, legend};
use crate::panel::{Page, Panel};
use crate::scale::Axis;
use crate::{Error, Figure, HEIGHT, Look};

/// A function of one number, with its uncertainty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Regression {
    /// The title.
    pub title: String,
    /// The input, with its unit.
    pub x_name: String,
    /// The output, with its unit.
    pub y_name: String,
    /// Inputs at which the function is known, in increasing order.
    pub x: Vec<f64>,
    /// Mean there.
    pub mean: Vec<f64>,
    /// Standard deviation there.
    pub sd: Vec<f64>,
    /// Half the width of the band, in standard deviations.
    pub band: f64,
    /// The true function there; nothing if empty.
    pub truth: Vec<f64>,
    /// The measured values, as input and output.
    pub samples: Vec<(f64, f64)>,
    /// What else is to be said: a sentence, or nothing.
    pub note: String,
}

impl Regression {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        self.check()?;
        let mut page = Page::new(look, &self.title, &self.note, HEIGHT);
        let (line, band) = (Stroke::new(VERMILLION, 2.4), format!("mean and ± {} sd", self.band));
        let truth = Stroke::new(BLUE, 1.2).dashed("6 3");
        let mut entries = vec![(Glyph::Band(line, 0.22), band.as_str())];
        if !self.truth.is_empty() {
            entries.push((Glyph::Line(truth), "truth"));
        }
        if !self.samples.is_empty() {
            entries.push((Glyph::Mark(Mark::Cross, INK, true), "measured"));
        }
        let outer = legend(&mut page.canvas, page.body, &entries);
        let panel = self.panel(outer);
        let canvas = &mut page.canvas;
        panel.grid(canvas);
        let curve = |y: &dyn Fn(usize) -> f64| -> Vec<Spot> {
            self.x.iter().enumerate().map(|(i, &x)| panel.at(x, y(i))).collect()
        };
        let [low, high] = [-self.band, self.band].map(|k| curve(&|i| self.mean[i] + k * self.sd[i]));
        let outline: Vec<Spot> = low.into_iter().chain(high.into_iter().rev()).collect();
        canvas.areas([&outline[..]], VERMILLION, 0.22);
        if !self.truth.is_empty() {
            canvas.polyline(&curve(&|i| self.truth[i]), truth);
        }
        canvas.polyline(&curve(&|i| self.mean[i]), line);
        for &(x, y) in &self.samples {
            canvas.mark(Mark::Cross, panel.at(x, y), 4.5, INK, true);
        }
        panel.axes(canvas);
        Ok(page.finish())
    }

    fn panel(&self, outer: crate::panel::Area) -> Panel {
        let ends =
            (0..self.x.len()).flat_map(|i| [-1.0, 1.0].map(|s| self.mean[i] + s * self.band * self.sd[i]));
        let others = self.truth.iter().copied().chain(self.samples.iter().map(|s| s.1));
        let y = Axis::over(&self.y_name, ends.chain(others), 0.05);
        let x = self.x.iter().copied().chain(self.samples.iter().map(|s| s.0));
        Panel::fit(outer, Axis::over(&self.x_name, x, 0.0), y)
    }

    fn check(&self) -> Result<(), Error> {
        not_empty("the function", &self.x)?;
        finite("the inputs", &self.x)?;
        let n = self.x.len();
        column("the means", &self.mean, n)?;
        column("the standard deviations", &self.sd, n)?;
        if !self.truth.is_empty() {
            column("the truth", &self.truth, n)?;
        }
        finite("the band", &[self.band])?;
        finite("the measured values", &self.samples.iter().flat_map(|s| [s.0, s.1]).collect::<Vec<_>>())
    }
}
