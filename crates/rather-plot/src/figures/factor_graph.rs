//! A factor graph: boxes for factors, lines for variables, the messages numbered in the order of a schedule.

use rather_graph::{Graph, Schedule};

use crate::canvas::{Anchor, Canvas, Mark, Spot, Stroke, Type, spot};
use crate::color::{BLUE, Color, INK, SOFT, VERMILLION, WHITE};
use crate::layers::{Layout, lay_out};
use crate::legend::{Glyph, legend};
use crate::panel::{Page, page_overhead};
use crate::text::{truncate, width};
use crate::{Error, Figure, Look};

/// A graph as it is drawn. [`FactorGraph::new`] takes it from a graph and a schedule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FactorGraph {
    /// The title.
    pub title: String,
    /// The symbols in the boxes, each with the node's name under it.
    pub nodes: Vec<(String, String)>,
    /// The edges.
    pub edges: Vec<DrawnEdge>,
    /// What else is to be said: a sentence, or nothing.
    pub note: String,
}

/// An edge as it is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawnEdge {
    /// Its name.
    pub name: String,
    /// The box that its arrow comes from, if any.
    pub tail: Option<usize>,
    /// The box that it points to, if any.
    pub head: Option<usize>,
    /// The numbers of the messages along the arrow, from 1.
    pub forward: Vec<usize>,
    /// The numbers of the messages against it.
    pub backward: Vec<usize>,
}

/// From column to column, and from row to row.
const COLUMN: f64 = 118.0;
const ROW: f64 = 82.0;
const BOX: f64 = 17.0;
const SYMBOL: f64 = 13.0;
const NAME: f64 = 10.0;
/// What a title needs at most, set in bold.
const TITLE: f64 = 17.0;
/// So many numbers of one message are written; a message that is sent more often has dots.
const NUMBERS: usize = 2;

impl FactorGraph {
    /// `graph` with the messages of `schedule` numbered.
    pub fn new(title: &str, graph: &Graph, schedule: &Schedule) -> Self {
        let nodes = (0..graph.nodes())
            .filter_map(|i| graph.node_at(i))
            .map(|n| (graph.node_symbol(n), graph.node_name(n).to_owned()))
            .collect();
        let edges = (0..graph.edges())
            .filter_map(|i| graph.edge_at(i))
            .map(|e| {
                let (tail, head) = graph.ends(e);
                let mut drawn = DrawnEdge {
                    name: graph.edge_name(e).to_owned(),
                    tail: tail.map(|n| n.index()),
                    head: head.map(|n| n.index()),
                    ..DrawnEdge::default()
                };
                for (number, step) in schedule.steps().iter().enumerate().filter(|(_, s)| s.edge == e) {
                    let along = Some(step.node) == tail;
                    if along { &mut drawn.forward } else { &mut drawn.backward }.push(number + 1);
                }
                drawn
            })
            .collect();
        Self { title: title.to_owned(), nodes, edges, note: String::new() }
    }

    /// The figure, as large as the graph asks for unless `look` says otherwise.
    ///
    /// # Errors
    /// [`Error::Empty`] for a graph without nodes, [`Error::Range`] if an edge leads to a node that is not there.
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        if self.nodes.is_empty() {
            return Err(Error::Empty { what: "the graph" });
        }
        let known = self.nodes.len();
        let ends: Vec<_> = self.edges.iter().map(|e| (e.tail, e.head)).collect();
        if let Some(&wrong) = ends.iter().flat_map(|&(t, h)| [t, h]).flatten().find(|&n| n >= known).as_ref()
        {
            let (what, requirement) = ("the end of an edge", "the number of a node");
            return Err(Error::Range { what, requirement, value: wrong as f64 });
        }
        let layout = lay_out(known, &ends);
        let natural = (layout.columns + 1.0) * COLUMN + 28.0;
        let titled = (width(&self.title, TITLE) + 40.0).clamp(420.0, 900.0);
        let wide = Look { width: look.width.or(Some(natural.max(titled))), ..look.clone() };
        let height = (layout.rows + 1.0) * ROW + page_overhead(&wide, &self.note) + 22.0;
        let mut page = Page::new(&wide, &self.title, &self.note, height);
        let numbered = self.edges.iter().any(|e| !e.forward.is_empty() || !e.backward.is_empty());
        let entries = [
            (Glyph::Mark(Mark::Square, BLUE, false), "message along the arrow"),
            (Glyph::Mark(Mark::Square, VERMILLION, true), "against it"),
        ];
        let body = legend(&mut page.canvas, page.body, if numbered { &entries } else { &[] });
        let scale = (body.width / ((layout.columns + 1.0) * COLUMN))
            .min(body.height / ((layout.rows + 1.0) * ROW))
            .min(1.0);
        let place = |(c, r): (f64, f64)| {
            spot(body.left + (c + 0.5) * COLUMN * scale, body.top + (r + 0.45) * ROW * scale)
        };
        let pen = Pen { scale, place: &place };
        for (edge, way) in self.edges.iter().zip(&layout.lines) {
            pen.edge(&mut page.canvas, edge, way);
        }
        pen.nodes(&mut page.canvas, &self.nodes, &layout);
        Ok(page.finish())
    }
}

/// Draws at a scale.
struct Pen<'a> {
    scale: f64,
    place: &'a dyn Fn((f64, f64)) -> Spot,
}

impl Pen<'_> {
    fn nodes(&self, canvas: &mut Canvas, nodes: &[(String, String)], layout: &Layout) {
        let s = self.scale;
        for ((symbol, name), &at) in nodes.iter().zip(&layout.boxes) {
            let center = (self.place)(at);
            let half = (width(symbol, SYMBOL * s) / 2.0 + 6.0 * s).clamp(BOX * s, 0.3 * COLUMN * s);
            let corner = spot(center.x - half, center.y - BOX * s);
            canvas.with_hint(name, |canvas| {
                canvas.rect(corner, 2.0 * half, 2.0 * BOX * s, WHITE, Some(Stroke::new(INK, 1.4)));
                let style = Type::new(SYMBOL * s).anchor(Anchor::Middle);
                let shown = truncate(symbol, SYMBOL * s, 2.0 * half - 4.0 * s);
                canvas.text(spot(center.x, center.y + SYMBOL * 0.36 * s), &shown, style);
                let shown = truncate(name, NAME * s, COLUMN * 0.8 * s);
                let below = spot(center.x, center.y + (BOX + NAME + 2.0) * s);
                canvas.text(below, &shown, Type::new(NAME * s).anchor(Anchor::Middle).color(SOFT).halo());
            });
        }
    }

    /// The line, an arrow head in its middle, its name and the numbers of its messages beside that.
    fn edge(&self, canvas: &mut Canvas, edge: &DrawnEdge, way: &[(f64, f64)]) {
        let spots: Vec<Spot> = way.iter().map(|&p| (self.place)(p)).collect();
        canvas.polyline(&spots, Stroke::new(INK, 1.3));
        let s = self.scale;
        let k = (spots.len() - 2) / 2;
        let (a, b) = (spots[k], spots[k + 1]);
        let length = (b.x - a.x).hypot(b.y - a.y).max(1e-9);
        let (ux, uy) = ((b.x - a.x) / length, (b.y - a.y) / length);
        let at =
            |along: f64, beside: f64| spot(a.x + ux * along - uy * beside, a.y + uy * along + ux * beside);
        let middle = 0.54 * length;
        let head = [at(middle + 4.0 * s, 0.0), at(middle - 3.0 * s, 3.4 * s), at(middle - 3.0 * s, -3.4 * s)];
        canvas.areas([&head[..]], INK, 1.0);
        let name = truncate(&edge.name, NAME * s, 0.9 * length);
        let above = at(middle, -8.0 * s);
        let style = Type::new(NAME * s).anchor(Anchor::Middle).halo();
        canvas.text(spot(above.x, above.y - 1.0), &name, style);
        // Nearer to the tail than the name, so that lines that meet in a box keep theirs apart; the second beside the first.
        let [forward, backward] = [&edge.forward, &edge.backward].map(|numbers| self.shown(numbers));
        let first = at(middle - 31.0 * s, 10.0 * s);
        let apart = (forward.1 + backward.1 + 2.0 * s) / ux.abs().max(0.5);
        let second = at(middle - 31.0 * s + apart, 10.0 * s);
        self.numbers(canvas, first, &forward, (WHITE, BLUE, BLUE));
        self.numbers(canvas, second, &backward, (VERMILLION, WHITE, VERMILLION));
    }

    /// The numbers of a message as text, and half its box' width.
    fn shown(&self, numbers: &[usize]) -> (String, f64) {
        let mut text: Vec<String> = numbers.iter().take(NUMBERS).map(usize::to_string).collect();
        if numbers.len() > NUMBERS {
            text.push("…".into());
        }
        let (text, s) = (text.join(","), self.scale);
        let half = (width(&text, 8.5 * s) / 2.0 + 2.5 * s).max(6.5 * s);
        (text, half)
    }

    /// A box with numbers, in the colours of its inside, its text and its border.
    fn numbers(
        &self,
        canvas: &mut Canvas,
        at: Spot,
        (text, half): &(String, f64),
        (fill, ink, line): (Color, Color, Color),
    ) {
        if text.is_empty() {
            return;
        }
        let s = self.scale;
        let corner = spot(at.x - half, at.y - 6.5 * s);
        canvas.rect(corner, 2.0 * half, 13.0 * s, fill, Some(Stroke::new(line, 1.0)));
        let style = Type::new(8.5 * s).anchor(Anchor::Middle).color(ink);
        canvas.text(spot(at.x, at.y + 3.0 * s), text, style);
    }
}
