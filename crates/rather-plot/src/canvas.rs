//! A drawing: shapes and text, written as SVG.
//!
//! Coordinates are pixels from the top left corner, written with two decimals: the same figure is the same text on every
//! machine. No scripts, no style sheets, no identifiers: a figure can stand in a web page beside others.

use std::fmt::Write;

use crate::color::{Color, INK, WHITE};
use crate::text::{FONTS, escape};

/// A place in a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spot {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// Shorthand for a [`Spot`].
pub(crate) fn spot(x: f64, y: f64) -> Spot {
    Spot { x, y }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stroke {
    pub(crate) color: Color,
    pub(crate) width: f64,
    /// Lengths of dashes and gaps, nothing for a solid line.
    pub(crate) dashes: &'static str,
    pub(crate) opacity: f64,
}

impl Stroke {
    pub(crate) fn new(color: Color, width: f64) -> Self {
        Self { color, width, dashes: "", opacity: 1.0 }
    }

    pub(crate) fn dashed(self, dashes: &'static str) -> Self {
        Self { dashes, ..self }
    }

    pub(crate) fn opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    fn attributes(&self) -> String {
        let mut out = format!("stroke=\"{}\" stroke-width=\"{}\"", self.color, coordinate(self.width));
        if !self.dashes.is_empty() {
            let _ = write!(out, " stroke-dasharray=\"{}\"", self.dashes);
        }
        if self.opacity < 1.0 {
            let _ = write!(out, " stroke-opacity=\"{}\"", coordinate(self.opacity));
        }
        out
    }
}

/// The shape of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
    Plus,
    Reverse,
}

/// Shapes of series, in the order of [`crate::color::SERIES`].
pub(crate) const MARKS: [Mark; 7] =
    [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Diamond, Mark::Reverse, Mark::Plus, Mark::Cross];
/// Dashes of series.
pub(crate) const DASHES: [&str; 7] = ["", "7 3", "2 3", "8 3 2 3", "12 4", "4 4", "1 2"];

/// Where text stands relative to its spot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How text looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    pub(crate) size: f64,
    pub(crate) color: Color,
    pub(crate) anchor: Anchor,
    pub(crate) bold: bool,
    /// Turned to be read from below, a quarter to the left.
    pub(crate) upright: bool,
    /// White around the letters, for text on other things.
    pub(crate) halo: bool,
}

impl Type {
    pub(crate) fn new(size: f64) -> Self {
        Self { size, color: INK, anchor: Anchor::Start, bold: false, upright: false, halo: false }
    }

    pub(crate) fn color(self, color: Color) -> Self {
        Self { color, ..self }
    }

    pub(crate) fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(crate) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(crate) fn upright(self) -> Self {
        Self { upright: true, ..self }
    }

    pub(crate) fn halo(self) -> Self {
        Self { halo: true, ..self }
    }
}

/// A drawing that grows.
#[derive(Debug)]
pub(crate) struct Canvas {
    pub(crate) width: f64,
    pub(crate) height: f64,
    body: String,
}

impl Canvas {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    pub(crate) fn line(&mut self, a: Spot, b: Spot, stroke: Stroke) {
        let [x1, y1, x2, y2] = [a.x, a.y, b.x, b.y].map(coordinate);
        self.element(&format!(
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {}/>",
            stroke.attributes()
        ));
    }

    /// A line through `spots`.
    pub(crate) fn polyline(&mut self, spots: &[Spot], stroke: Stroke) {
        self.path(&open(spots), "none", 1.0, Some(stroke));
    }

    /// Areas enclosed by loops, holes where they overlap.
    pub(crate) fn areas<'a>(
        &mut self,
        loops: impl IntoIterator<Item = &'a [Spot]>,
        fill: Color,
        opacity: f64,
    ) {
        let outline: String = loops.into_iter().map(|spots| open(spots) + "Z").collect();
        if !outline.is_empty() {
            self.path(&outline, &fill.to_string(), opacity, None);
        }
    }

    /// A path in SVG's own language.
    pub(crate) fn path(&mut self, outline: &str, fill: &str, opacity: f64, stroke: Option<Stroke>) {
        let mut element = format!("<path d=\"{outline}\" fill=\"{fill}\"");
        if fill != "none" {
            element += " fill-rule=\"evenodd\"";
        }
        if opacity < 1.0 {
            let _ = write!(element, " fill-opacity=\"{}\"", coordinate(opacity));
        }
        if let Some(stroke) = stroke {
            let _ = write!(element, " {} stroke-linejoin=\"round\"", stroke.attributes());
        }
        self.element(&(element + "/>"));
    }

    pub(crate) fn rect(
        &mut self,
        corner: Spot,
        width: f64,
        height: f64,
        fill: Color,
        stroke: Option<Stroke>,
    ) {
        let [x, y, w, h] = [corner.x, corner.y, width, height].map(coordinate);
        let stroke = stroke.map_or(String::new(), |s| format!(" {}", s.attributes()));
        self.element(&format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{fill}\"{stroke}/>"
        ));
    }

    /// A mark of radius `r`, filled with its colour or white.
    pub(crate) fn mark(&mut self, mark: Mark, at: Spot, r: f64, color: Color, filled: bool) {
        self.outlined_mark(mark, at, r, if filled { color } else { WHITE }, Stroke::new(color, 1.4));
    }

    /// A mark with a fill and an outline of their own.
    pub(crate) fn outlined_mark(&mut self, mark: Mark, at: Spot, r: f64, fill: Color, stroke: Stroke) {
        let corners = |offsets: &[(f64, f64)]| {
            let spots: Vec<Spot> = offsets.iter().map(|&(x, y)| spot(at.x + x * r, at.y + y * r)).collect();
            open(&spots)
        };
        let closed = match mark {
            Mark::Circle => {
                let [x, y, r] = [at.x, at.y, r].map(coordinate);
                let stroke = stroke.attributes();
                return self
                    .element(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{fill}\" {stroke}/>"));
            }
            Mark::Square => corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Mark::Triangle => corners(&[(0.0, -1.15), (1.05, 0.8), (-1.05, 0.8)]),
            Mark::Reverse => corners(&[(0.0, 1.15), (1.05, -0.8), (-1.05, -0.8)]),
            Mark::Diamond => corners(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
            Mark::Cross => {
                let lines = corners(&[(-1.0, -1.0), (1.0, 1.0)]) + &corners(&[(-1.0, 1.0), (1.0, -1.0)]);
                return self.path(&lines, "none", 1.0, Some(stroke));
            }
            Mark::Plus => {
                let lines = corners(&[(-1.1, 0.0), (1.1, 0.0)]) + &corners(&[(0.0, -1.1), (0.0, 1.1)]);
                return self.path(&lines, "none", 1.0, Some(stroke));
            }
        };
        self.path(&(closed + "Z"), &fill.to_string(), 1.0, Some(stroke));
    }

    pub(crate) fn text(&mut self, at: Spot, text: &str, style: Type) {
        if text.is_empty() {
            return;
        }
        let [x, y, size] = [at.x, at.y, style.size].map(coordinate);
        let mut out = format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{}\"", style.color);
        match style.anchor {
            Anchor::Start => {}
            Anchor::Middle => out += " text-anchor=\"middle\"",
            Anchor::End => out += " text-anchor=\"end\"",
        }
        if style.bold {
            out += " font-weight=\"bold\"";
        }
        if style.upright {
            let _ = write!(out, " transform=\"rotate(-90 {x} {y})\"");
        }
        if style.halo {
            out += " stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
        }
        let _ = write!(out, ">{}</text>", escape(text));
        self.element(&out);
    }

    /// What is drawn inside is explained by `hint` when a browser's pointer rests on it.
    pub(crate) fn with_hint(&mut self, hint: &str, draw: impl FnOnce(&mut Self)) {
        self.element(&format!("<g><title>{}</title>", escape(hint)));
        draw(self);
        self.element("</g>");
    }

    /// The drawing as SVG, with what a screen reader says of it.
    pub(crate) fn finish(self, title: &str, description: &str) -> String {
        let [width, height] = [self.width, self.height].map(coordinate);
        let (title, description) = (escape(title), escape(description));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\" font-family=\"{FONTS}\">\n\
             <desc>{description}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }

    fn element(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }
}

fn open(spots: &[Spot]) -> String {
    let mut out = String::new();
    for (i, s) in spots.iter().enumerate() {
        let [x, y] = [s.x, s.y].map(coordinate);
        let _ = write!(out, "{}{x} {y}", if i == 0 { 'M' } else { 'L' });
    }
    out
}

/// A coordinate with at most two decimals.
pub(crate) fn coordinate(x: f64) -> String {
    let text = crate::text::trim_zeros(&format!("{x:.2}"));
    if text == "-0" { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_two_decimals() {
        for (x, text) in [(1.0, "1"), (0.125, "0.12"), (-0.001, "0"), (2.5, "2.5"), (100.0, "100")] {
            assert_eq!(coordinate(x), text);
        }
    }

    #[test]
    fn names_are_no_markup() {
        let mut canvas = Canvas::new(10.0, 10.0);
        canvas.text(spot(0.0, 0.0), "<b>&\"'\u{0}", Type::new(10.0));
        let svg = canvas.finish("a \"title\"", "<desc>");
        assert!(svg.contains("&lt;b&gt;&amp;&quot;&#39;\u{fffd}</text>"));
        assert!(
            svg.contains("aria-label=\"a &quot;title&quot;\"") && svg.contains("<desc>&lt;desc&gt;</desc>")
        );
    }
}
