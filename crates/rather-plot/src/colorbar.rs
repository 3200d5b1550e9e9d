//! What the colours of a map mean.

use crate::canvas::{Anchor, Canvas, Stroke, Type, spot};
use crate::color::{AXIS, Color, SOFT};
use crate::panel::{Area, LABEL, SMALL};
use crate::text;

const BAR: f64 = 14.0;

/// The colours of the bands between levels, from the lowest to the highest, and what stands at the levels.
#[derive(Debug, Clone)]
pub(crate) struct Colorbar {
    pub(crate) colors: Vec<Color>,
    pub(crate) labels: Vec<String>,
    pub(crate) name: String,
}

impl Colorbar {
    /// The width it needs.
    pub(crate) fn width(&self) -> f64 {
        let longest = self.labels.iter().map(|l| text::width(l, SMALL)).fold(0.0, f64::max);
        let name = if self.name.is_empty() { 0.0 } else { LABEL * 1.5 };
        BAR + 6.0 + longest + name + 6.0
    }

    /// Draws it from `left` along the height of `beside`.
    pub(crate) fn draw(&self, canvas: &mut Canvas, left: f64, beside: Area) {
        let n = self.colors.len();
        let height = beside.height / n as f64;
        for (i, &color) in self.colors.iter().enumerate() {
            // A little overlap: no seams.
            let top = beside.bottom() - (i + 1) as f64 * height;
            canvas.rect(spot(left, top), BAR, height + if i == 0 { 0.0 } else { 0.5 }, color, None);
        }
        let mut free = f64::INFINITY;
        let stroke = Stroke::new(AXIS, 1.0);
        for (i, label) in self.labels.iter().enumerate().filter(|(_, label)| !label.is_empty()) {
            let y = beside.bottom() - (i + 1) as f64 * height;
            canvas.line(spot(left + BAR - 4.0, y), spot(left + BAR, y), stroke);
            if y <= free {
                free = y - SMALL * 1.25;
                canvas.text(spot(left + BAR + 5.0, y + SMALL * 0.36), label, Type::new(SMALL).color(SOFT));
            }
        }
        let x = left + self.width() - 6.0;
        let name = text::truncate(&self.name, LABEL, beside.height + 20.0);
        let style = Type::new(LABEL).anchor(Anchor::Middle).upright();
        canvas.text(spot(x, beside.top + beside.height / 2.0), &name, style);
    }
}
