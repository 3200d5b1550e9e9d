//! How users differ: each user's utility of each item.

use crate::canvas::{Mark, Stroke, spot};
use crate::color::{BLUE, VERMILLION};
use crate::error::{finite, not_empty};
use crate::legend::{Glyph, legend};
use crate::panel::{Page, Panel, page_overhead};
use crate::scale::Axis;
use crate::text::counted;
use crate::{Error, Figure, Look};

/// An item, as users like it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LikedItem {
    /// Its name.
    pub name: String,
    /// Each user's mean utility.
    pub utilities: Vec<f64>,
}

/// The utilities of items to each of many users: where dots lie together users agree, where they lie apart they differ.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Users {
    /// The items to show, the one most liked on average first.
    pub items: Vec<LikedItem>,
    /// How many items there are that are not shown.
    pub left_out: usize,
    /// Name and unit of the utility.
    pub utility: String,
}

/// Up to so many users have a dot an item, evenly picked of more.
const DOTS: usize = 200;

impl Users {
    /// The figure; it is as high as the items need unless `look` says otherwise.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::NotFinite`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        not_empty("the list of items", &self.items)?;
        for item in &self.items {
            not_empty("the list of users", &item.utilities)?;
            finite("the utilities", &item.utilities)?;
        }
        let caption = self.caption();
        let n = self.items.len();
        let row = if n <= 12 { 26.0 } else { 19.0 };
        let height = page_overhead(look, &caption) + 72.0 + row * n as f64;
        let mut page = Page::new(look, "How users differ", &caption, height);
        let entries = [
            (Glyph::Mark(Mark::Circle, BLUE, false), "a user"),
            (Glyph::Mark(Mark::Circle, VERMILLION, true), "average of users"),
        ];
        let outer = legend(&mut page.canvas, page.body, &entries);
        let x = Axis::over(&self.utility, self.items.iter().flat_map(|i| i.utilities.iter().copied()), 0.04);
        let names: Vec<String> = self.items.iter().rev().map(|i| i.name.clone()).collect();
        let panel = Panel::fit(outer, x, Axis::levels("", &names));
        panel.grid(&mut page.canvas);
        for (i, item) in self.items.iter().enumerate() {
            let y = (n - 1 - i) as f64;
            let (low, high) = crate::scale::extent(item.utilities.iter().copied());
            page.canvas.line(panel.at(low, y), panel.at(high, y), Stroke::new(BLUE, 1.0).opacity(0.5));
            for &u in item.utilities.iter().step_by(item.utilities.len().div_ceil(DOTS)) {
                page.canvas.mark(Mark::Circle, panel.at(u, y), 3.0, BLUE, false);
            }
            let at = panel.at(average(&item.utilities), y);
            page.canvas.line(spot(at.x, at.y - 7.0), spot(at.x, at.y + 7.0), Stroke::new(VERMILLION, 1.6));
            page.canvas.mark(Mark::Circle, at, 4.0, VERMILLION, true);
        }
        panel.axes(&mut page.canvas);
        Ok(page.finish())
    }

    fn caption(&self) -> String {
        let users = self.items.first().map_or(0, |item| item.utilities.len());
        let mut text = format!(
            "A circle is the mean utility of {}; those of few answers lie near the average.",
            if users > DOTS { format!("one of {}", counted(users, "user")) } else { "a user".to_owned() }
        );
        if self.left_out > 0 {
            let all = self.items.len() + self.left_out;
            text += &format!(" The best {} of {}.", self.items.len(), counted(all, "item"));
        }
        text
    }
}

/// The mean.
pub(crate) fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
