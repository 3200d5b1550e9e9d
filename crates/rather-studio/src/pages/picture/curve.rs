//! The utility along a parameter: its mean, its 95 % band, the values that are about as good as the best, and where it was compared.

use super::interval::{Scale, WIDTH};
use super::{anchor, marks, readout, share, title};
use crate::figures::axis;
use crate::figures::numbers::minus;
use crate::figures::picture::Curve;
use maud::{Markup, html};

/// Units of a drawing's width, of which everything stands at a share.
const WIDE: f64 = 1000.0;
/// Pixels below the curve for the values of the axis, and above it.
const FOOT: f64 = 30.0;
const HEAD: f64 = 16.0;

pub(super) fn curve(number: usize, curve: &Curve, among: bool) -> Markup {
    let height = if among { 150.0 } else { 250.0 };
    let (axis, known) = (&curve.axis, &curve.known);
    let scale = Scale::of_known(known);
    let y = |utility: f64| HEAD + height * (1.0 - scale.place(utility));
    let foot = HEAD + height;
    let ends = |sign: f64| known.mean.iter().zip(&known.sd).map(move |(mean, sd)| mean + sign * WIDTH * sd);
    let upper = points(&axis.places, ends(1.0).map(y));
    let mut lower: Vec<String> = points(&axis.places, ends(-1.0).map(y));
    lower.reverse();
    let line = points(&axis.places, known.mean.iter().map(|&mean| y(mean)));
    let (low, high) = curve.good;
    html! {
        figure.chart-of data-curve=(number) {
            figcaption { (title(axis)) }
            svg.chart width="100%" height=(foot + FOOT) role="img" aria-label=(format!("The utility along {} with its 95 % band", axis.name))
                data-head=(HEAD) data-foot=(foot) data-low=(scale.ends().0) data-high=(scale.ends().1) {
                @for tick in levels(scale) {
                    line.grid x1="0" x2="100%" y1=(y(tick)) y2=(y(tick)) {}
                    text.level x="4" y=(y(tick) - 4.0) { (minus(&format!("{tick}"))) }
                }
                // Only the width is stretched.
                svg width="100%" height=(foot) viewBox=(format!("0 0 {WIDE} {foot}")) preserveAspectRatio="none" {
                    @if high > low { rect.good x=(WIDE * low) width=(WIDE * (high - low)) y=(HEAD) height=(height) {} }
                    path.band d=(format!("M{}L{}Z", upper.join("L"), lower.join("L"))) {}
                    path.mean d=(format!("M{}", line.join("L"))) {}
                }
                @for place in &curve.compared { line.compared x1=(share(*place)) x2=(share(*place)) y1=(foot - 9.0) y2=(foot) {} }
                line.base x1="0" x2="100%" y1=(foot) y2=(foot) {}
                line.best-line x1=(share(axis.best)) x2=(share(axis.best)) y1=(HEAD) y2=(foot) {}
                (marks::above(&curve.pair, foot))
                @for tick in &axis.ticks {
                    line.base x1=(share(tick.place)) x2=(share(tick.place)) y1=(foot) y2=(foot + 5.0) {}
                    text.tick x=(share(tick.place)) y=(foot + 21.0) text-anchor=(anchor(tick.place)) { (tick.label) }
                }
                g.cursor visibility="hidden" {
                    line x1="0" x2="0" y1=(HEAD) y2=(foot) {}
                    line.reach x1="0" x2="0" y1="0" y2="0" {}
                    circle cx="0" cy="0" r="5" {}
                }
            }
            (readout(!among))
        }
    }
}

/// Pairs of coordinates.
fn points(places: &[f64], heights: impl Iterator<Item = f64>) -> Vec<String> {
    places.iter().zip(heights).map(|(place, y)| format!("{:.1} {y:.1}", WIDE * place)).collect()
}

/// The utilities at which lines are drawn: about three.
fn levels(scale: Scale) -> Vec<f64> {
    let (low, high) = scale.ends();
    let all = axis::steps(low, high, 0.0);
    let every = all.len().div_ceil(4).max(1);
    all.into_iter().step_by(every).collect()
}
