//! Items by utility: a dot each, and its interval.

use crate::canvas::{Mark, Stroke, spot};
use crate::color::{AXIS, BLUE};
use crate::error::{column, not_empty};
use crate::legend::{Glyph, legend};
use crate::panel::{Page, Panel, page_overhead};
use crate::scale::{Axis, extent};
use crate::text::counted;
use crate::{Error, Figure, Look, Z95};

/// An item of a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedItem {
    /// Its name.
    pub name: String,
    /// Mean utility.
    pub mean: f64,
    /// Its standard deviation.
    pub sd: f64,
    /// Whether it was in a comparison; if not, its utility is a prediction from its features.
    pub compared: bool,
}

/// Items by utility, with 95 % intervals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// The items to show, the best first.
    pub items: Vec<RankedItem>,
    /// How many items there are that are not shown.
    pub left_out: usize,
    /// Name and unit of the utility.
    pub utility: String,
    /// What a certain utility stands for, if not 0 for the average: "the average is 1000".
    pub zero: Option<String>,
}

impl Ranking {
    /// The figure; it is as high as the items need unless `look` says otherwise.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::NotFinite`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        not_empty("the ranking", &self.items)?;
        let (means, sds): (Vec<f64>, Vec<f64>) = self.items.iter().map(|i| (i.mean, i.sd)).unzip();
        column("the mean utilities", &means, means.len())?;
        column("the standard deviations", &sds, sds.len())?;
        let caption = self.caption();
        let n = self.items.len();
        let row = if n <= 12 { 26.0 } else { 19.0 };
        let mixed = self.items.iter().any(|i| !i.compared) && self.items.iter().any(|i| i.compared);
        let extra = if mixed { 22.0 } else { 0.0 };
        let height = page_overhead(look, &caption) + 50.0 + extra + row * n as f64;
        let mut page = Page::new(look, "Ranking by utility", &caption, height);
        let mut outer = page.body;
        if mixed {
            let entries = [
                (Glyph::Mark(Mark::Circle, BLUE, true), "compared"),
                (Glyph::Mark(Mark::Circle, BLUE, false), "never compared: predicted from its features"),
            ];
            outer = legend(&mut page.canvas, outer, &entries);
        }
        let panel = self.panel(outer);
        panel.grid(&mut page.canvas);
        self.zero(&mut page, &panel);
        let r = (panel.area.height / n as f64 * 0.22).clamp(2.0, 4.5);
        for (i, item) in self.items.iter().enumerate() {
            let y = (n - 1 - i) as f64;
            let half = Z95 * item.sd;
            let hint = format!("{}: {}, {:.2} ± {:.2}", i + 1, item.name, item.mean, item.sd);
            page.canvas.with_hint(&hint, |canvas| {
                let ends = (panel.at(item.mean - half, y), panel.at(item.mean + half, y));
                canvas.line(ends.0, ends.1, Stroke::new(BLUE, 1.8));
                for end in [ends.0, ends.1] {
                    canvas.line(spot(end.x, end.y - r), spot(end.x, end.y + r), Stroke::new(BLUE, 1.4));
                }
                canvas.mark(Mark::Circle, panel.at(item.mean, y), r, BLUE, item.compared);
            });
        }
        panel.axes(&mut page.canvas);
        Ok(page.finish())
    }

    fn panel(&self, outer: crate::panel::Area) -> Panel {
        let ends = self.items.iter().flat_map(|i| [i.mean - Z95 * i.sd, i.mean + Z95 * i.sd]);
        let x = Axis::over(&self.utility, ends, 0.04);
        let names: Vec<String> = self.items.iter().rev().map(|i| i.name.clone()).collect();
        Panel::fit(outer, x, Axis::levels("", &names))
    }

    /// A line at 0, the average.
    fn zero(&self, page: &mut Page, panel: &Panel) {
        let (low, high) = extent([panel.x.low, panel.x.high]);
        if low < 0.0 && 0.0 < high {
            let x = panel.at(0.0, 0.0).x;
            let (top, bottom) = (spot(x, panel.area.top), spot(x, panel.area.bottom()));
            page.canvas.line(top, bottom, Stroke::new(AXIS, 1.2).dashed("4 3"));
        }
    }

    fn caption(&self) -> String {
        let zero = self.zero.as_deref().unwrap_or("0 is the average of the compared items");
        let mut text = format!("Dots are means, lines 95 % intervals; {zero}.");
        if self.left_out > 0 {
            text += &format!(
                " The best {} of {}.",
                self.items.len(),
                counted(self.items.len() + self.left_out, "item")
            );
        }
        text
    }
}
