//! Values over two axes: filled between levels, with contour lines that say their value.

use crate::canvas::{Canvas, Spot, Stroke, Type, spot};
use crate::color::{Color, INK, Ramp, WHITE};
use crate::colorbar::Colorbar;
use crate::contour::{Chain, Grid};
use crate::labels::Labels;
use crate::panel::{Area, Panel, SMALL};
use crate::text;
use crate::ticks;

/// Levels, the colours between them, and how levels are written.
#[derive(Debug, Clone)]
pub(crate) struct Bands {
    pub(crate) levels: Vec<f64>,
    pub(crate) labels: Vec<String>,
    pub(crate) colors: Vec<Color>,
}

impl Bands {
    /// Nice levels over all values.
    pub(crate) fn nice(values: &[f64], ramp: Ramp, wanted: usize) -> Self {
        let (low, high) = crate::scale::extent(values.iter().copied());
        if high - low <= 1e-9 * low.abs().max(high.abs()) {
            return Self { levels: Vec::new(), labels: Vec::new(), colors: ramp.bands(1) };
        }
        let ticks: Vec<_> = ticks::linear(low, high, wanted)
            .into_iter()
            .filter(|t| t.value > low && t.value < high)
            .collect();
        let colors = ramp.bands(ticks.len() + 1);
        let (levels, labels) = ticks.into_iter().map(|t| (t.value, t.label)).unzip();
        Self { levels, labels, colors }
    }

    pub(crate) fn colorbar(&self, name: &str) -> Colorbar {
        Colorbar { colors: self.colors.clone(), labels: self.labels.clone(), name: name.to_owned() }
    }

    fn color_at(&self, value: f64) -> Color {
        self.colors[self.levels.partition_point(|&l| l <= value)]
    }
}

/// A panel for a map with its colours explained at the right, and how far from the left those stand.
pub(crate) fn panel_with_bar(outer: Area, bar: &Colorbar, panel: impl FnOnce(Area) -> Panel) -> (Panel, f64) {
    let panel = panel(outer.without_right(bar.width() + 4.0));
    let left = panel.area.right() + 10.0;
    (panel, left)
}

/// The values at `xs` and `ys` (row by row, `z[j * xs.len() + i]`) as filled contours with lines. Labels of the lines
/// come later, by [`label_lines`], when it is known what else stands there.
pub(crate) fn fill(
    canvas: &mut Canvas,
    panel: &Panel,
    xs: &[f64],
    ys: &[f64],
    z: &[f64],
    bands: &Bands,
) -> Lines {
    let area = panel.area;
    canvas.rect(spot(area.left, area.top), area.width, area.height, bands.colors[0], None);
    let grid = Grid {
        x: xs.iter().map(|&x| panel.at(x, panel.y.low).x).collect(),
        y: ys.iter().map(|&y| panel.at(panel.x.low, y).y).collect(),
        z: z.to_vec(),
    };
    for (&level, &color) in bands.levels.iter().zip(&bands.colors[1..]) {
        let areas = grid.areas_above(level);
        canvas.areas(areas.iter().map(Vec::as_slice), color, 1.0);
    }
    let mut lines = Vec::new();
    for (&level, label) in bands.levels.iter().zip(&bands.labels) {
        let ink = bands.color_at(level).readable_ink();
        for chain in grid.lines(level) {
            canvas.polyline(&chain.spots, Stroke::new(ink, 0.9).opacity(0.75));
            lines.push((label.clone(), chain));
        }
    }
    Lines(lines)
}

/// Contour lines that may have labels.
pub(crate) struct Lines(Vec<(String, Chain)>);

/// Writes the values of contour lines on them, where there is room.
pub(crate) fn label_lines(canvas: &mut Canvas, lines: &Lines, labels: &mut Labels) {
    for (label, chain) in &lines.0 {
        let n = chain.spots.len();
        if length(&chain.spots) < 2.5 * text::width(label, SMALL) {
            continue;
        }
        let places: Vec<Spot> = [50, 35, 65, 20, 80].iter().map(|p| chain.spots[(n - 1) * p / 100]).collect();
        if let Some(at) = labels.place(label, SMALL, &places) {
            canvas.text(at, label, Type::new(SMALL - 1.0).color(INK).halo());
        }
    }
}

fn length(spots: &[Spot]) -> f64 {
    spots.windows(2).map(|w| (w[1].x - w[0].x).hypot(w[1].y - w[0].y)).sum()
}

/// The outline of marks on a map: white, so that they stand out on dark and light.
pub(crate) fn halo() -> Stroke {
    Stroke::new(WHITE, 1.4)
}
