//! The utility over two features, and how sure it is.

use crate::canvas::{Anchor, Mark, Stroke, Type, spot};
use crate::color::{INK, Ramp, WHITE};
use crate::error::{column, finite, not_empty};
use crate::field::{self, Bands, fill, label_lines, panel_with_bar};
use crate::labels::Labels;
use crate::legend::{Glyph, legend};
use crate::panel::{Area, LABEL, Page, Panel, SMALL};
use crate::scale::Axis;
use crate::text::truncate;
use crate::{Error, Figure, HEIGHT, Look};

/// An item on a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapItem {
    /// Its name.
    pub name: String,
    /// Value of the feature on the horizontal axis.
    pub x: f64,
    /// Value of the feature on the vertical axis.
    pub y: f64,
    /// Whether it was in a comparison.
    pub compared: bool,
}

/// The utility over two features: its mean and its standard deviation side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// The feature on the horizontal axis, with its unit.
    pub x_name: String,
    /// The feature on the vertical axis, with its unit.
    pub y_name: String,
    /// Values of the first, in increasing order, at least two.
    pub x: Vec<f64>,
    /// Values of the second.
    pub y: Vec<f64>,
    /// Mean utilities: at `(x[i], y[j])` the entry `j * x.len() + i`.
    pub mean: Vec<f64>,
    /// Their standard deviations, in the same order.
    pub sd: Vec<f64>,
    /// The items.
    pub items: Vec<MapItem>,
    /// At which values other features are held, in which unit utilities are: sentences, or nothing.
    pub note: String,
}

/// More items than this have no names beside them.
const NAMED: usize = 25;
/// Items beyond this number have smaller marks.
const MANY: usize = 100;

impl Map {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        self.check()?;
        let title = format!("Utility over {} and {}", self.x_name, self.y_name);
        let mut page = Page::new(look, &title, &self.note, HEIGHT);
        let mut entries = Vec::new();
        if self.items.iter().any(|i| i.compared) {
            entries.push((Glyph::Mark(Mark::Circle, INK, true), "compared item"));
        }
        if self.items.iter().any(|i| !i.compared) {
            entries.push((Glyph::Mark(Mark::Triangle, INK, false), "never compared"));
        }
        let outer = legend(&mut page.canvas, page.body, &entries);
        let (left, right) = outer.halves(14.0);
        self.half(&mut page, left, "mean utility", &self.mean, Ramp::Viridis, true);
        self.half(&mut page, right, "standard deviation", &self.sd, Ramp::Cividis, false);
        Ok(page.finish())
    }

    fn check(&self) -> Result<(), Error> {
        not_empty("the map", &self.x)?;
        not_empty("the map", &self.y)?;
        finite("the horizontal axis", &self.x)?;
        finite("the vertical axis", &self.y)?;
        let n = self.x.len() * self.y.len();
        column("the mean utilities", &self.mean, n)?;
        column("the standard deviations", &self.sd, n)?;
        finite("the items' features", &self.items.iter().flat_map(|i| [i.x, i.y]).collect::<Vec<_>>())
    }

    fn half(&self, page: &mut Page, outer: Area, name: &str, z: &[f64], ramp: Ramp, names: bool) {
        let canvas = &mut page.canvas;
        let bands = Bands::nice(z, ramp, 7);
        let bar = bands.colorbar("");
        let heading = LABEL * 1.6;
        let below = Area { top: outer.top + heading, height: outer.height - heading, ..outer };
        let x = Axis::over(&self.x_name, self.x.iter().copied(), 0.0);
        let y = Axis::over(if names { &self.y_name } else { "" }, self.y.iter().copied(), 0.0);
        let (panel, bar_left) = panel_with_bar(below, &bar, |area| Panel::fit(area, x, y));
        let middle = panel.area.left + panel.area.width / 2.0;
        let style = Type::new(LABEL).anchor(Anchor::Middle).bold();
        canvas.text(spot(middle, outer.top + LABEL), &truncate(name, LABEL, outer.width / 1.2), style);
        let lines = fill(canvas, &panel, &self.x, &self.y, z, &bands);
        let mut labels = Labels::new(panel.area);
        self.marks(canvas, &panel, &mut labels);
        if names {
            self.names(canvas, &panel, &mut labels);
        }
        label_lines(canvas, &lines, &mut labels);
        panel.axes(canvas);
        bar.draw(canvas, bar_left, panel.area);
    }

    fn radius(&self) -> f64 {
        if self.items.len() > MANY { 2.2 } else { 3.6 }
    }

    fn marks(&self, canvas: &mut crate::canvas::Canvas, panel: &Panel, labels: &mut Labels) {
        let r = self.radius();
        for item in &self.items {
            let at = panel.at(item.x, item.y);
            let (mark, fill, stroke) = if item.compared {
                (Mark::Circle, INK, field::halo())
            } else {
                (Mark::Triangle, WHITE, Stroke::new(INK, 1.2))
            };
            canvas.with_hint(&item.name, |canvas| canvas.outlined_mark(mark, at, r, fill, stroke));
            labels.keep_free(at, r);
        }
    }

    fn names(&self, canvas: &mut crate::canvas::Canvas, panel: &Panel, labels: &mut Labels) {
        if self.items.len() > NAMED {
            return;
        }
        for item in &self.items {
            let name = truncate(&item.name, SMALL, panel.area.width * 0.4);
            let at = panel.at(item.x, item.y);
            if let Some(place) = labels.beside(&name, SMALL, at, self.radius()) {
                canvas.text(place, &name, Type::new(SMALL).halo());
            }
        }
    }
}
