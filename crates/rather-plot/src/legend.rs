//! What marks and lines mean, in a row above a panel.

use crate::canvas::{Canvas, Mark, Stroke, Type, spot};
use crate::color::{Color, SOFT};
use crate::panel::{Area, SMALL};
use crate::text;

/// How an entry looks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Glyph {
    Mark(Mark, Color, bool),
    Line(Stroke),
    /// A line in its band.
    Band(Stroke, f64),
}

const GLYPH: f64 = 24.0;
const BETWEEN: f64 = 18.0;
const ROW: f64 = 18.0;

/// Draws the entries at the top of `area`, in as many rows as they need, and gives what is left of it.
pub(crate) fn legend(canvas: &mut Canvas, area: Area, entries: &[(Glyph, &str)]) -> Area {
    if entries.is_empty() {
        return area;
    }
    let (mut x, mut y) = (area.left, area.top + ROW / 2.0);
    for (glyph, name) in entries {
        let name = text::truncate(name, SMALL, area.width - GLYPH - 5.0);
        let width = GLYPH + 5.0 + text::width(&name, SMALL);
        if x > area.left && x + width > area.right() {
            (x, y) = (area.left, y + ROW);
        }
        let middle = spot(x + GLYPH / 2.0, y);
        let (from, to) = (spot(x, y), spot(x + GLYPH, y));
        match *glyph {
            Glyph::Mark(mark, color, filled) => canvas.mark(mark, middle, 4.0, color, filled),
            Glyph::Line(stroke) => canvas.line(from, to, stroke),
            Glyph::Band(stroke, opacity) => {
                canvas.areas(
                    [&[
                        spot(x, y - 6.0),
                        spot(x + GLYPH, y - 6.0),
                        spot(x + GLYPH, y + 6.0),
                        spot(x, y + 6.0),
                    ][..]],
                    stroke.color,
                    opacity,
                );
                canvas.line(from, to, stroke);
            }
        }
        canvas.text(spot(x + GLYPH + 5.0, y + SMALL * 0.36), &name, Type::new(SMALL).color(SOFT));
        x += width + BETWEEN;
    }
    let used = y + ROW / 2.0 + 4.0 - area.top;
    Area { top: area.top + used, height: (area.height - used).max(1.0), ..area }
}
