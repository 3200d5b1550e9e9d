//! How likely each item is preferred to each other one.

use crate::canvas::{Anchor, Mark, Type, spot};
use crate::color::{AXIS, INK, Ramp};
use crate::colorbar::Colorbar;
use crate::error::not_empty;
use crate::legend::{Glyph, legend};
use crate::panel::{Area, LABEL, Page, SMALL, page_overhead};
use crate::text::{self, counted, truncate};
use crate::{Error, Figure, Look};

/// A comparison that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The preferred item, by its position.
    pub winner: usize,
    /// The other one.
    pub loser: usize,
}

/// The probability that the item of a row is preferred to that of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceMatrix {
    /// The items, the best first.
    pub names: Vec<String>,
    /// Row by row, one entry a pair; the diagonal is not looked at.
    pub probabilities: Vec<f64>,
    /// Comparisons of these items that were made.
    pub made: Vec<Choice>,
    /// How many items there are that are not shown.
    pub left_out: usize,
}

/// Up to so many items have numbers in their cells.
const NUMBERS: usize = 14;

impl ChoiceMatrix {
    /// The figure; it is as high as its cells are wide unless `look` says otherwise.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::Range`] for a probability that is none.
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        self.check()?;
        let n = self.names.len();
        let caption = self.caption();
        let wide = look.width() - 28.0;
        let names = self.name_room(wide);
        let cell = ((wide - names - 110.0) / n as f64).clamp(4.0, 44.0);
        let height = page_overhead(look, &caption) + 70.0 + names.min(130.0) + cell * n as f64;
        let mut page = Page::new(look, "Who is preferred to whom", &caption, height);
        let made = (Glyph::Mark(Mark::Circle, INK, false), "compared: the item of the row was preferred");
        let entries = if self.made.is_empty() { vec![] } else { vec![made] };
        let outer = legend(&mut page.canvas, page.body, &entries);
        let bar = colorbar();
        let (head, foot) = (names.min(130.0) + 10.0, LABEL * 1.8);
        let side_x = (outer.width - names - bar.width() - 26.0) / n as f64;
        let side = side_x.min((outer.height - head - foot) / n as f64).max(1.0);
        let (width, height) = (side * n as f64, side * n as f64);
        let area = Area { left: outer.left + names + 8.0, top: outer.top + head, width, height };
        self.cells(&mut page, area, side);
        self.labels(&mut page, area, side, names);
        let tall = Area { height: area.height.max(120.0), ..area };
        bar.draw(&mut page.canvas, area.right() + 14.0, tall);
        Ok(page.finish())
    }

    fn check(&self) -> Result<(), Error> {
        not_empty("the list of items", &self.names)?;
        let n = self.names.len();
        if self.probabilities.len() != n * n {
            let found = self.probabilities.len();
            return Err(Error::Length { what: "the matrix of probabilities", expected: n * n, found });
        }
        let (what, requirement) = ("a probability", "between 0 and 1");
        match (0..n * n).find(|k| k / n != k % n && !(0.0..=1.0).contains(&self.probabilities[*k])) {
            Some(k) => Err(Error::Range { what, requirement, value: self.probabilities[k] }),
            None => Ok(()),
        }
    }

    /// The room for names at the left.
    fn name_room(&self, wide: f64) -> f64 {
        self.names.iter().map(|n| text::width(n, SMALL)).fold(20.0, f64::max).min(0.25 * wide)
    }

    fn cells(&self, page: &mut Page, area: Area, side: f64) {
        let n = self.names.len();
        let mut made = vec![false; n * n];
        for c in &self.made {
            if let Some(cell) = made.get_mut(c.winner * n + c.loser) {
                *cell = true;
            }
        }
        for (row, best) in self.names.iter().enumerate() {
            for (column, other) in self.names.iter().enumerate().filter(|&(column, _)| column != row) {
                let p = self.probabilities[row * n + column];
                let color = Ramp::Diverging.at(p);
                let corner = spot(area.left + column as f64 * side, area.top + row as f64 * side);
                let center = spot(corner.x + side / 2.0, corner.y + side / 2.0);
                let hint = format!("{best} rather than {other}: {:.0} %", 100.0 * p);
                page.canvas.with_hint(&hint, |canvas| {
                    canvas.rect(corner, side, side, color, None);
                    if n <= NUMBERS && side >= 20.0 {
                        let style =
                            Type::new(if side < 26.0 { 9.5 } else { SMALL }).color(color.readable_ink());
                        let low = if made[row * n + column] { 0.12 } else { 0.0 };
                        let at = spot(center.x, center.y + side * low + SMALL * 0.36);
                        canvas.text(at, &percent(p), style.anchor(Anchor::Middle));
                    }
                });
                if made[row * n + column] {
                    let numbers = n <= NUMBERS && side >= 20.0;
                    let at = if numbers { spot(center.x, corner.y + side * 0.2) } else { center };
                    let r = if numbers { side * 0.09 } else { (side * 0.2).min(3.0) };
                    let stroke = crate::canvas::Stroke::new(color.readable_ink(), 1.0);
                    page.canvas.outlined_mark(Mark::Circle, at, r.max(0.8), color, stroke);
                }
            }
        }
        page.canvas.path(
            &format!(
                "M{} {}h{w}v{h}h-{w}Z",
                area.left,
                area.top,
                w = crate::canvas::coordinate(area.width),
                h = crate::canvas::coordinate(area.height)
            ),
            "none",
            1.0,
            Some(crate::canvas::Stroke::new(AXIS, 1.0)),
        );
    }

    fn labels(&self, page: &mut Page, area: Area, side: f64, names: f64) {
        let every = (SMALL * 1.15 / side).ceil().max(1.0) as usize;
        for (i, name) in self.names.iter().enumerate().step_by(every) {
            let middle = (i as f64 + 0.5) * side;
            let size = SMALL.min(side.max(9.0));
            let style = Type::new(size);
            let row = spot(area.left - 6.0, area.top + middle + size * 0.36);
            page.canvas.text(row, &truncate(name, size, names), style.anchor(Anchor::End));
            let column = spot(area.left + middle + size * 0.36, area.top - 6.0);
            page.canvas.text(column, &truncate(name, size, names.min(130.0)), style.upright());
        }
        let what = "probability that the item of the row is preferred to that of the column";
        let at = spot(area.left, area.bottom() + LABEL * 1.5);
        page.canvas.text(at, &truncate(what, LABEL, page.body.right() - area.left), Type::new(LABEL));
    }

    fn caption(&self) -> String {
        let order = "Items are in the order of their mean utilities, the best first.";
        if self.left_out == 0 {
            return order.to_owned();
        }
        let all = counted(self.names.len() + self.left_out, "item");
        format!("{order} The best {} of {all}.", self.names.len())
    }
}

/// The whole range of probabilities.
pub(crate) fn colorbar() -> Colorbar {
    let colors = (0..20).map(|i| Ramp::Diverging.at((f64::from(i) + 0.5) / 20.0)).collect();
    let labels = (1..20).map(|i| if i % 5 == 0 { format!("{} %", 5 * i) } else { String::new() }).collect();
    Colorbar { colors, labels, name: String::new() }
}

fn percent(p: f64) -> String {
    match 100.0 * p {
        p if p > 99.5 => ">99".to_owned(),
        p if p < 0.5 => "<1".to_owned(),
        p => format!("{p:.0}"),
    }
}
