//! What was learned of parameters, drawn into the page, in its letters and colours.
//!
//! Drawings have no size of their own: along an axis everything stands at a share of the width, so that one drawing fits a phone and a desk,
//! and letters are as large as the page's. `picture.js` finds the data beside them and answers the pointer, keys and touch.

mod contour;
mod curve;
mod interval;
mod map;
mod marks;

pub(super) use interval::{Scale, interval};

use super::parts::data;
use crate::figures::picture::Picture;
use crate::figures::picture::{Axis, Curve};
use maud::{Markup, html};

/// The picture; nothing before the first answer.
pub(super) fn picture(picture: Option<&Picture>) -> Markup {
    html! {
        @if let Some(picture) = picture {
            section.picture-of aria-label="What was learned" {
                (data("picture", picture))
                (drawings(picture))
            }
        }
    }
}

fn drawings(picture: &Picture) -> Markup {
    let curves = || {
        html! { div.curves { @for (i, curve) in picture.curves.iter().enumerate() { (one(i, curve, picture)) } } }
    };
    match (&picture.map, picture.curves.as_slice()) {
        (Some(map), _) => html! { div.map-and-curves { (map::map(map)) (curves()) } },
        (None, [curve]) => one(0, curve, picture),
        (None, _) => html! {
            (curves())
            p.hint { (hint()) " Along each parameter, the others have the values of the best." }
        },
    }
}

/// How to point. Where a result is only read, nothing is compared.
fn hint() -> Markup {
    html! {
        "Point at a setting to see what is known of it"
        span.may-compare { "; a click or Enter compares it with the best" }
        "."
    }
}

fn one(number: usize, curve: &Curve, picture: &Picture) -> Markup {
    match curve.axis.choices {
        true => interval::choices(number, curve, &picture.best),
        false => curve::curve(number, curve, picture.curves.len() > 1),
    }
}

/// A parameter with its unit: `floor (dB)`.
fn title(axis: &Axis) -> String {
    if axis.unit.is_empty() { axis.name.clone() } else { format!("{} ({})", axis.name, axis.unit) }
}

/// A share of the width, as an attribute has it.
pub(super) fn share(x: f64) -> String {
    format!("{:.2}%", 100.0 * x)
}

/// What the script writes for the setting that is pointed at, and a way to see or hear it; before that, how to point, if it is the first drawing.
fn readout(first: bool) -> Markup {
    html! {
        div.readout hidden {
            output aria-live="polite" { @if first { (hint()) } }
            button.small type="button" hidden { "Compare with the best" }
        }
    }
}

/// In the middle of which text a letter stands at a share of the width: nothing sticks out at the ends.
fn anchor(place: f64) -> &'static str {
    match place {
        p if p < 0.04 => "start",
        p if p > 0.96 => "end",
        _ => "middle",
    }
}
