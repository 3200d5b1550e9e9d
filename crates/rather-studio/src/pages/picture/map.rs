//! The utility over two parameters: its mean as a colour, which fades where it is uncertain.

use super::contour::contour;
use super::{anchor, marks, readout, share, title};
use crate::figures::picture::Map;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Colours, from the lowest mean to the highest; `app.css` has them.
const COLOURS: usize = 12;
/// Steps of fading.
const FADES: usize = 9;

pub(super) fn map(map: &Map) -> Markup {
    let (columns, rows) = (map.x.values.len(), map.y.values.len());
    let across = |place: f64| share(middle(place, columns));
    let down = |place: f64| share(1.0 - middle(place, rows));
    html! {
        figure.chart-of.of-map {
            p.axis-name { "↑ " (title(&map.y)) }
            svg.chart.map width="100%" role="img" aria-label=(format!("The utility over {} and {}", map.x.name, map.y.name)) {
                svg width="100%" height="100%" viewBox=(format!("-0.5 -0.5 {columns} {rows}")) preserveAspectRatio="none" {
                    @for ((colour, fade), path) in cells(map) {
                        path.(format!("m{colour}")) fill-opacity=(format!("{:.2}", opacity(fade))) d=(path) {}
                    }
                    path.edge d=(contour(&map.known.mean, columns, map.good)) {}
                }
                @for (x, y) in &map.compared { circle.compared cx=(across(*x)) cy=(down(*y)) r="3" {} }
                circle.best-ring cx=(across(map.x.best)) cy=(down(map.y.best)) r="8" {}
                circle.best-dot cx=(across(map.x.best)) cy=(down(map.y.best)) r="3.5" {}
                @for tick in &map.x.ticks {
                    text.on-map x=(across(tick.place)) y="100%" dy="-8" text-anchor=(anchor(tick.place)) { (tick.label) }
                }
                (marks::on(map.pair.iter().map(|&(x, y)| (across(x), down(y)))))
                // The lowest would stand on the first of the other axis.
                @for tick in map.y.ticks.iter().filter(|tick| tick.place > 0.06) {
                    text.on-map x="8" y=(down(tick.place)) dy=(if tick.place > 0.96 { "14" } else { "5" }) { (tick.label) }
                }
                g.cursor visibility="hidden" { circle cx="0" cy="0" r="6" {} }
            }
            p.axis-name.last { (title(&map.x)) " →" }
            (readout(true))
            p.hint {
                "The stronger the colour, the better; the paler, the less is known. Inside the line a setting is about as good as the best, the ring. \
                 Dots are settings compared."
            }
        }
    }
}

/// Where a place on an axis lies, where each of `n` values has a cell.
fn middle(place: f64, n: usize) -> f64 {
    (place * (n - 1) as f64 + 0.5) / n as f64
}

fn opacity(fade: usize) -> f64 {
    1.0 - 0.8 * fade as f64 / (FADES - 1) as f64
}

/// Paths of the cells of one colour and fading.
fn cells(map: &Map) -> BTreeMap<(usize, usize), String> {
    let (columns, rows) = (map.x.values.len(), map.y.values.len());
    let (means, sds) = (step_of(&map.known.mean, COLOURS), step_of(&map.known.sd, FADES));
    let mut paths: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (i, group) in means.into_iter().zip(sds).enumerate() {
        let (x, y) = (i % columns, rows - 1 - i / columns);
        *paths.entry(group).or_default() += &format!("M{}.5 {}.5h1v1h-1z", Half(x), Half(y));
    }
    paths
}

/// A whole number less one half, of which the half is written after it.
struct Half(usize);

impl std::fmt::Display for Half {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.checked_sub(1) {
            Some(below) => write!(f, "{below}"),
            None => f.write_str("-0"),
        }
    }
}

/// In which of `n` equal steps between the least and the greatest each value lies.
fn step_of(values: &[f64], n: usize) -> Vec<usize> {
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| (low.min(x), high.max(x)));
    let of = |x: &f64| ((x - low) / (high - low).max(1e-9) * n as f64) as usize;
    values.iter().map(|x| of(x).min(n - 1)).collect()
}
