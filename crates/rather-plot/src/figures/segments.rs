//! How segments of users differ: each segment's mean utility of each item.

use crate::canvas::{MARKS, Stroke};
use crate::color::{AXIS, SERIES};
use crate::error::{column, not_empty};
use crate::legend::{Glyph, legend};
use crate::panel::{Page, Panel, page_overhead};
use crate::scale::{Axis, extent};
use crate::text::counted;
use crate::{Error, Figure, Look};

/// A group of users whose utilities are alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SegmentLine {
    /// Its name, and how large it is.
    pub name: String,
    /// Its mean utility of each item.
    pub means: Vec<f64>,
}

/// The utilities of items to each segment of users.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SegmentChart {
    /// The items to show, those first that differ most between segments.
    pub items: Vec<String>,
    /// The segments, the largest first.
    pub segments: Vec<SegmentLine>,
    /// How many items there are that are not shown.
    pub left_out: usize,
    /// Name and unit of the utility.
    pub utility: String,
}

impl SegmentChart {
    /// The figure; it is as high as the items need unless `look` says otherwise.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        not_empty("the list of items", &self.items)?;
        not_empty("the list of segments", &self.segments)?;
        for segment in &self.segments {
            column("the utilities of a segment", &segment.means, self.items.len())?;
        }
        let caption = self.caption();
        let n = self.items.len();
        let row = if n <= 12 { 26.0 } else { 19.0 };
        let height = page_overhead(look, &caption) + 72.0 + row * n as f64;
        let mut page = Page::new(look, "Segments of users", &caption, height);
        let glyph = |k: usize| Glyph::Mark(MARKS[k % MARKS.len()], SERIES[k % SERIES.len()], true);
        let entries: Vec<(Glyph, &str)> =
            self.segments.iter().enumerate().map(|(k, s)| (glyph(k), s.name.as_str())).collect();
        let outer = legend(&mut page.canvas, page.body, &entries);
        let all = self.segments.iter().flat_map(|s| s.means.iter().copied());
        let x = Axis::over(&self.utility, all, 0.04);
        let names: Vec<String> = self.items.iter().rev().cloned().collect();
        let panel = Panel::fit(outer, x, Axis::levels("", &names));
        panel.grid(&mut page.canvas);
        for (i, item) in self.items.iter().enumerate() {
            let y = (n - 1 - i) as f64;
            let (low, high) = extent(self.segments.iter().map(|s| s.means[i]));
            page.canvas.line(panel.at(low, y), panel.at(high, y), Stroke::new(AXIS, 1.0));
            for (k, segment) in self.segments.iter().enumerate() {
                let hint = format!("{item}, {}: {:.2}", segment.name, segment.means[i]);
                page.canvas.with_hint(&hint, |canvas| {
                    let at = panel.at(segment.means[i], y);
                    canvas.mark(MARKS[k % MARKS.len()], at, 4.0, SERIES[k % SERIES.len()], true);
                });
            }
        }
        panel.axes(&mut page.canvas);
        Ok(page.finish())
    }

    fn caption(&self) -> String {
        let mut text =
            "A mark is the mean utility of an item to a segment, relative to the average item.".to_owned();
        if self.left_out > 0 {
            let all = self.items.len() + self.left_out;
            text += &format!(
                " The {} that differ most between segments, of {}.",
                self.items.len(),
                counted(all, "item")
            );
        }
        text
    }
}
