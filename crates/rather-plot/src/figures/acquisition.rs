//! What it would be worth to ask about each value of one feature.

use crate::canvas::{Anchor, Mark, Spot, Stroke, Type, spot};
use crate::color::{AXIS, BLUE, INK, VERMILLION};
use crate::error::{column, finite, not_empty};
use crate::legend::{Glyph, legend};
use crate::panel::{Page, Panel, SMALL};
use crate::scale::Axis;
use crate::{Along, Error, Figure, Look};

/// An acquisition function along one feature, and the question that it leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Acquisition {
    /// The feature, with its unit.
    pub feature: String,
    /// Name and unit of what is maximised.
    pub score: String,
    /// The values at which it is known.
    pub along: Along,
    /// The scores there.
    pub scores: Vec<f64>,
    /// The value to ask about next.
    pub asked: Option<f64>,
    /// The value that it is compared with.
    pub against: Option<f64>,
    /// At which values other features are held: a sentence, or nothing.
    pub held: String,
}

const HEIGHT: f64 = 360.0;

impl Acquisition {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        self.check()?;
        let title = format!("What to ask about {}", self.feature);
        let mut page = Page::new(look, &title, &self.held, HEIGHT);
        let against = Stroke::new(AXIS, 1.4).dashed("5 4");
        let mut entries = vec![(Glyph::Line(Stroke::new(VERMILLION, 2.2)), self.score.as_str())];
        entries.extend(self.asked.map(|_| (Glyph::Mark(Mark::Diamond, BLUE, true), "asked next")));
        entries.extend(self.against.map(|_| (Glyph::Line(against), "against this one")));
        let outer = legend(&mut page.canvas, page.body, &entries);
        let panel = self.panel(outer);
        panel.grid(&mut page.canvas);
        if let Some(value) = self.against {
            let x = panel.at(value, 0.0).x;
            page.canvas.line(spot(x, panel.area.top), spot(x, panel.area.bottom()), against);
        }
        let spots: Vec<Spot> =
            self.scores.iter().enumerate().map(|(i, &y)| panel.at(self.value(i), y)).collect();
        match (&self.along, &spots[..]) {
            (Along::Numbers(_), [_, _, ..]) => page.canvas.polyline(&spots, Stroke::new(VERMILLION, 2.2)),
            _ => spots.iter().for_each(|&at| page.canvas.mark(Mark::Circle, at, 4.5, VERMILLION, true)),
        }
        if let Some(value) = self.asked {
            let at = panel.at(value, self.score_at(value));
            page.canvas.outlined_mark(Mark::Diamond, at, 6.0, BLUE, Stroke::new(INK, 1.0));
        }
        if self.scores.iter().all(|&score| score == self.scores[0]) {
            let middle = spot(panel.area.left + panel.area.width / 2.0, panel.area.top + 18.0);
            let style = Type::new(SMALL).anchor(Anchor::Middle).halo();
            page.canvas.text(middle, "all questions are worth the same", style);
        }
        panel.axes(&mut page.canvas);
        Ok(page.finish())
    }

    fn check(&self) -> Result<(), Error> {
        let n = match &self.along {
            Along::Numbers(x) => {
                finite("the feature", x)?;
                x.len()
            }
            Along::Levels(names) => names.len(),
        };
        column("the scores", &self.scores, n)?;
        not_empty("the acquisition function", &self.scores)?;
        let marked: Vec<f64> = self.asked.into_iter().chain(self.against).collect();
        finite("the values to ask about", &marked)
    }

    fn value(&self, i: usize) -> f64 {
        match &self.along {
            Along::Numbers(x) => x[i],
            Along::Levels(_) => i as f64,
        }
    }

    /// The score at a value, on the line between the known ones.
    fn score_at(&self, value: f64) -> f64 {
        let after = (0..self.scores.len()).find(|&i| self.value(i) >= value).unwrap_or(self.scores.len() - 1);
        let before = after.saturating_sub(1);
        let (x0, x1) = (self.value(before), self.value(after));
        let share = if x1 > x0 { ((value - x0) / (x1 - x0)).clamp(0.0, 1.0) } else { 1.0 };
        self.scores[before] + share * (self.scores[after] - self.scores[before])
    }

    fn panel(&self, outer: crate::panel::Area) -> Panel {
        let y = Axis::over(&self.score, self.scores.iter().copied(), 0.08);
        let x = match &self.along {
            Along::Numbers(x) => {
                Axis::over(&self.feature, x.iter().copied().chain(self.asked).chain(self.against), 0.0)
            }
            Along::Levels(names) => Axis::levels(&self.feature, names),
        };
        Panel::fit(outer, x, y)
    }
}
