//! The page of a figure (title, caption) and its panels (axes, grid).

use crate::canvas::{Anchor, Canvas, Spot, Stroke, Type, spot};
use crate::color::{AXIS, GRID, INK, SOFT};
use crate::scale::{Axis, Spread};
use crate::text::{self, truncate, wrap};
use crate::ticks::Tick;
use crate::{Figure, Look};

/// Font sizes.
pub(crate) const TITLE: f64 = 16.0;
pub(crate) const LABEL: f64 = 12.5;
pub(crate) const SMALL: f64 = 11.5;

/// Free space around a figure.
const EDGE: f64 = 14.0;
const LINE: f64 = 1.35;

/// A rectangle of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Without so much at its right.
    pub(crate) fn without_right(self, width: f64) -> Self {
        Self { width: (self.width - width).max(1.0), ..self }
    }

    /// The upper part and the lower, `height` high.
    pub(crate) fn split_bottom(self, height: f64) -> (Self, Self) {
        let upper = Self { height: (self.height - height).max(1.0), ..self };
        (upper, Self { top: upper.bottom(), height, ..self })
    }

    /// Two halves side by side, `gap` apart.
    pub(crate) fn halves(self, gap: f64) -> (Self, Self) {
        let width = (self.width - gap) / 2.0;
        let left = Self { width, ..self };
        (left, Self { left: left.right() + gap, ..left })
    }
}

/// A figure in the making: its title and caption stand, the rest is free.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) canvas: Canvas,
    /// What is free.
    pub(crate) body: Area,
    title: String,
    caption: String,
}

impl Page {
    /// A page of the size and title that `look` has, or else `height` and `title`.
    pub(crate) fn new(look: &Look, title: &str, caption: &str, height: f64) -> Self {
        let title = look.title.as_deref().unwrap_or(title).to_owned();
        let (width, height) = (look.width(), look.height_or(height));
        let mut canvas = Canvas::new(width, height);
        let room = width - 2.0 * EDGE;
        let shown = truncate(&title, TITLE * text::BOLD, room);
        canvas.text(spot(EDGE, EDGE + TITLE * 0.85), &shown, Type::new(TITLE).bold());
        let lines = wrap(caption, SMALL, room);
        for (i, line) in lines.iter().rev().enumerate() {
            let y = height - EDGE + 2.0 - i as f64 * SMALL * LINE;
            canvas.text(spot(EDGE, y), line, Type::new(SMALL).color(SOFT));
        }
        let top = if shown.is_empty() { EDGE } else { EDGE + TITLE * 1.6 };
        let foot = lines.len() as f64 * SMALL * LINE + if lines.is_empty() { 0.0 } else { 4.0 };
        let body = Area { left: EDGE, top, width: room, height: (height - EDGE - top - foot).max(1.0) };
        Self { canvas, body, title, caption: caption.to_owned() }
    }

    pub(crate) fn finish(self) -> Figure {
        let (width, height) = (self.canvas.width, self.canvas.height);
        let svg = self.canvas.finish(&self.title, &self.caption);
        Figure { svg, width, height, caption: self.caption }
    }
}

/// The height that a page needs beside its body, for figures whose height follows from their data.
pub(crate) fn page_overhead(look: &Look, caption: &str) -> f64 {
    let lines = wrap(caption, SMALL, look.width() - 2.0 * EDGE).len() as f64;
    2.0 * EDGE + TITLE * 1.6 + lines * SMALL * LINE + 4.0
}

/// Two axes around an area.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(crate) area: Area,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    /// The room for labels at the left.
    label_room: f64,
}

/// The widest that names beside an axis may be, as a share of the panel.
const NAMES: f64 = 0.3;
/// From a tick label to its axis.
const GAP: f64 = 7.0;

impl Panel {
    /// A panel whose axes, ticks and names fit into `outer`.
    pub(crate) fn fit(outer: Area, x: Axis, y: Axis) -> Self {
        Self::fit_with_left(outer, x, y, 0.0)
    }

    /// As [`Panel::fit`], with at least `left` at the left of the area: panels above each other that are to be in line.
    pub(crate) fn fit_with_left(outer: Area, x: Axis, y: Axis, left: f64) -> Self {
        let foot = if x.name.is_empty() { 8.0 } else { SMALL * LINE + LABEL * LINE + GAP };
        let y_ticks = y.ticks(((outer.height - foot) / 45.0).clamp(2.0, 8.0) as usize);
        let longest = y_ticks.iter().map(|t| text::width(&t.label, SMALL)).fold(0.0, f64::max);
        let name = if y.name.is_empty() { 0.0 } else { LABEL * LINE + 5.0 };
        let label_room = longest.min(NAMES * outer.width);
        let left = left.max(name + label_room + GAP);
        let area = Area {
            left: outer.left + left,
            top: outer.top + 6.0,
            width: (outer.width - left - 10.0).max(1.0),
            height: (outer.height - foot - 6.0).max(1.0),
        };
        let x_ticks = x.ticks((area.width / 75.0).clamp(2.0, 9.0) as usize);
        Self { area, x, y, x_ticks, y_ticks, label_room }
    }

    /// Where the point `(x, y)` is.
    pub(crate) fn at(&self, x: f64, y: f64) -> Spot {
        spot(
            self.area.left + self.x.place(x) * self.area.width,
            self.area.bottom() - self.y.place(y) * self.area.height,
        )
    }

    /// Where the left of the area is, from the left of what the panel was fitted into.
    pub(crate) fn left_of(&self, outer: Area) -> f64 {
        self.area.left - outer.left
    }

    /// Lines at the ticks.
    pub(crate) fn grid(&self, canvas: &mut Canvas) {
        let stroke = Stroke::new(GRID, 1.0);
        if !matches!(self.x.spread, Spread::Levels(_)) {
            for tick in &self.x_ticks {
                let x = self.at(tick.value, self.y.low).x;
                canvas.line(spot(x, self.area.top), spot(x, self.area.bottom()), stroke);
            }
        }
        if !matches!(self.y.spread, Spread::Levels(_)) {
            for tick in &self.y_ticks {
                let y = self.at(self.x.low, tick.value).y;
                canvas.line(spot(self.area.left, y), spot(self.area.right(), y), stroke);
            }
        }
    }

    /// The axes with their ticks and names. A horizontal axis without a name is explained by a panel below: it has no
    /// labels either.
    pub(crate) fn axes(&self, canvas: &mut Canvas) {
        let area = self.area;
        let stroke = Stroke::new(AXIS, 1.0);
        let corner = spot(area.left, area.bottom());
        canvas.line(corner, spot(area.right(), area.bottom()), stroke);
        canvas.line(spot(area.left, area.top), corner, stroke);
        if !self.x.name.is_empty() {
            self.x_labels(canvas, stroke);
        }
        self.y_labels(canvas, stroke);
        let name = Type::new(LABEL).anchor(Anchor::Middle).color(INK);
        if !self.x.name.is_empty() {
            let y = area.bottom() + GAP + SMALL * LINE + LABEL;
            let shown = truncate(&self.x.name, LABEL, area.width + 40.0);
            canvas.text(spot(area.left + area.width / 2.0, y), &shown, name);
        }
        if !self.y.name.is_empty() {
            let x = area.left - GAP - self.label_room - 8.0;
            let shown = truncate(&self.y.name, LABEL, area.height + 24.0);
            canvas.text(spot(x, area.top + area.height / 2.0), &shown, name.upright());
        }
    }

    fn x_labels(&self, canvas: &mut Canvas, stroke: Stroke) {
        let y = self.area.bottom();
        let levels = matches!(self.x.spread, Spread::Levels(_));
        let room = if levels { self.area.width / self.x_ticks.len() as f64 - 6.0 } else { f64::INFINITY };
        // Where names have no room, every second or third is shown.
        let every = if room < 24.0 { (30.0 / (room + 6.0)).ceil() as usize } else { 1 };
        let room = if levels { (room + 6.0) * every as f64 - 6.0 } else { room };
        let mut free = f64::NEG_INFINITY;
        for tick in self.x_ticks.iter().step_by(every.max(1)) {
            let x = self.at(tick.value, self.y.low).x;
            canvas.line(spot(x, y), spot(x, y + 4.0), stroke);
            let shown = truncate(&tick.label, SMALL, room);
            let width = text::width(&shown, SMALL);
            if x - width / 2.0 >= free {
                let style = Type::new(SMALL).anchor(Anchor::Middle).color(SOFT);
                canvas.text(spot(x, y + GAP + SMALL * 0.85), &shown, style);
                free = x + width / 2.0 + 4.0;
            }
        }
    }

    fn y_labels(&self, canvas: &mut Canvas, stroke: Stroke) {
        let x = self.area.left;
        let mut free = f64::INFINITY;
        for tick in &self.y_ticks {
            let y = self.at(self.x.low, tick.value).y;
            canvas.line(spot(x - 4.0, y), spot(x, y), stroke);
            if y + SMALL / 2.0 <= free {
                let style = Type::new(SMALL).anchor(Anchor::End).color(SOFT);
                canvas.text(
                    spot(x - GAP, y + SMALL * 0.36),
                    &truncate(&tick.label, SMALL, self.label_room + 1e-6),
                    style,
                );
                free = y - SMALL / 2.0;
            }
        }
    }
}
