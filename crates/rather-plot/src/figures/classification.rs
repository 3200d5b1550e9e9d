//! The probability of a class over two inputs, and the examples of either class.

use crate::canvas::{Mark, Stroke};
use crate::color::{BLUE, Ramp, VERMILLION, WHITE};
use crate::error::{finite, not_empty};
use crate::field::{Bands, fill, label_lines, panel_with_bar};
use crate::labels::Labels;
use crate::legend::{Glyph, legend};
use crate::panel::{Page, Panel};
use crate::scale::Axis;
use crate::{Error, Figure, Look};

/// An item of known class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Example {
    /// Its first input.
    pub x: f64,
    /// Its second input.
    pub y: f64,
    /// Whether it is of the class whose probability is shown.
    pub positive: bool,
}

/// The probability of a class over two inputs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Classification {
    /// The title.
    pub title: String,
    /// The input on the horizontal axis, with its unit.
    pub x_name: String,
    /// The input on the vertical axis, with its unit.
    pub y_name: String,
    /// The class whose probability is shown.
    pub class: String,
    /// The other one.
    pub other: String,
    /// Values of the first input, in increasing order, at least two.
    pub x: Vec<f64>,
    /// Values of the second.
    pub y: Vec<f64>,
    /// Probabilities: at `(x[i], y[j])` the entry `j * x.len() + i`.
    pub probabilities: Vec<f64>,
    /// The examples.
    pub examples: Vec<Example>,
    /// What else is to be said: a sentence, or nothing.
    pub note: String,
}

const LEVELS: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];

impl Classification {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`], [`Error::Range`] for a probability that is none.
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        self.check()?;
        let caption = format!("Lines are probabilities in per cent. {}", self.note);
        let mut page = Page::new(look, &self.title, &caption, 560.0);
        let entries = [
            (Glyph::Mark(Mark::Diamond, BLUE, true), self.class.as_str()),
            (Glyph::Mark(Mark::Circle, VERMILLION, false), self.other.as_str()),
        ];
        let outer =
            legend(&mut page.canvas, page.body, if self.examples.is_empty() { &[] } else { &entries });
        let middle = |i: usize| {
            let low = if i == 0 { 0.0 } else { LEVELS[i - 1] };
            (low + LEVELS.get(i).copied().unwrap_or(1.0)) / 2.0
        };
        let bands = Bands {
            levels: LEVELS.to_vec(),
            labels: LEVELS.iter().map(|l| format!("{:.0}", 100.0 * l)).collect(),
            colors: (0..=LEVELS.len()).map(|i| Ramp::Diverging.at(middle(i))).collect(),
        };
        let bar = bands.colorbar(&format!("probability of {}, in per cent", self.class));
        let axis = |name: &str, values: &[f64], examples: fn(&Example) -> f64| {
            Axis::over(name, values.iter().copied().chain(self.examples.iter().map(examples)), 0.0)
        };
        let (x, y) = (axis(&self.x_name, &self.x, |e| e.x), axis(&self.y_name, &self.y, |e| e.y));
        let (panel, bar_left) = panel_with_bar(outer, &bar, |area| Panel::fit(area, x, y));
        let canvas = &mut page.canvas;
        let lines = fill(canvas, &panel, &self.x, &self.y, &self.probabilities, &bands);
        let mut labels = Labels::new(panel.area);
        for example in &self.examples {
            let at = panel.at(example.x, example.y);
            if example.positive {
                canvas.outlined_mark(Mark::Diamond, at, 4.0, BLUE, Stroke::new(WHITE, 1.2));
            } else {
                canvas.outlined_mark(Mark::Circle, at, 3.6, WHITE, Stroke::new(VERMILLION, 2.0));
            }
            labels.keep_free(at, 4.0);
        }
        label_lines(canvas, &lines, &mut labels);
        panel.axes(canvas);
        bar.draw(canvas, bar_left, panel.area);
        Ok(page.finish())
    }

    fn check(&self) -> Result<(), Error> {
        for (what, values) in [("the horizontal axis", &self.x), ("the vertical axis", &self.y)] {
            not_empty("the map", values)?;
            finite(what, values)?;
        }
        let (expected, found) = (self.x.len() * self.y.len(), self.probabilities.len());
        if found != expected {
            return Err(Error::Length { what: "the map of probabilities", expected, found });
        }
        finite("the examples", &self.examples.iter().flat_map(|e| [e.x, e.y]).collect::<Vec<_>>())?;
        let (what, requirement) = ("a probability", "between 0 and 1");
        match self.probabilities.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            Some(&value) => Err(Error::Range { what, requirement, value }),
            None => Ok(()),
        }
    }
}
