//! Where the options of a comparison lie in a drawing, by their letters.

use super::share;
use crate::view::letter;
use maud::{Markup, html};

/// Lines over a curve, from its letters down to `foot`.
pub(super) fn above(places: &[f64], foot: f64) -> Markup {
    html! {
        @for (i, &place) in places.iter().enumerate() {
            g.mark data-mark=(letter(i)) {
                line x1=(share(place)) x2=(share(place)) y1="2" y2=(foot) {}
                text x=(share(place)) y="10" dx=(if outside(places, i) { "-4" } else { "4" })
                    text-anchor=(if outside(places, i) { "end" } else { "start" }) { (letter(i)) }
            }
        }
    }
}

/// Whether the letter stands at the left of its line: that of the leftmost one, so that two letters do not cover each other.
fn outside(places: &[f64], i: usize) -> bool {
    let first = (0..places.len()).min_by(|&a, &b| places[a].total_cmp(&places[b]));
    first == Some(i) && places[i] > 0.04
}

/// Letters on a map.
pub(super) fn on(places: impl Iterator<Item = (String, String)>) -> Markup {
    html! {
        @for (i, (x, y)) in places.enumerate() {
            g.mark data-mark=(letter(i)) {
                circle cx=(x) cy=(y) r="9" {}
                text x=(x) y=(y) dy="4.5" text-anchor="middle" { (letter(i)) }
            }
        }
    }
}
