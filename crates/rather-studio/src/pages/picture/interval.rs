//! Means with their intervals, a line each: choices of a parameter, items of a ranking.

use super::{share, title};
use crate::figures::picture::{Curve, Known};
use crate::pages::parts::setting_of;
use crate::results::percent;
use crate::view::letter;
use maud::{Markup, html};
use rather_study::{Alternative, Value};

/// Two-sided 95 % of a normal.
pub(super) const WIDTH: f64 = 1.96;

/// From which utility to which a drawing goes.
#[derive(Debug, Clone, Copy)]
pub(in crate::pages) struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// Wide enough for all of these, with a little room.
    pub(in crate::pages) fn of(ends: impl Iterator<Item = (f64, f64)>) -> Self {
        let (low, high) = ends.fold((f64::MAX, f64::MIN), |(low, high), (a, b)| (low.min(a), high.max(b)));
        let room = 0.04 * (high - low).max(1e-6);
        Self { low: low - room, high: high + room }
    }

    /// Of what is known of some settings.
    pub(super) fn of_known(known: &Known) -> Self {
        Self::of(known.mean.iter().zip(&known.sd).map(|(mean, sd)| (mean - WIDTH * sd, mean + WIDTH * sd)))
    }

    /// Where a utility stands, from 0 to 1.
    pub(super) fn place(self, utility: f64) -> f64 {
        ((utility - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Its ends.
    pub(super) fn ends(self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// A mean with its interval; the numbers stand beside it in words, so it is hidden from who does not see it.
pub(in crate::pages) fn interval(scale: Scale, mean: f64, (low, high): (f64, f64)) -> Markup {
    html! {
        svg.interval width="100%" height="18" aria-hidden="true" {
            line.zero x1=(share(scale.place(0.0))) x2=(share(scale.place(0.0))) y1="0" y2="18" {}
            line.reach x1=(share(scale.place(low))) x2=(share(scale.place(high))) y1="9" y2="9" {}
            circle.dot cx=(share(scale.place(mean))) cy="9" r="4.5" {}
        }
    }
}

/// The choices of a parameter, a line each; `best` is the recommendation.
pub(super) fn choices(number: usize, curve: &Curve, best: &Alternative) -> Markup {
    let (axis, known) = (&curve.axis, &curve.known);
    let scale = Scale::of_known(known);
    html! {
        figure.chart-of.of-choices data-choices=(number) {
            figcaption { (title(axis)) }
            ul.choices-of {
                @for (k, label) in axis.labels.iter().enumerate() {
                    @let reach = WIDTH * known.sd[k];
                    li {
                        span.name { (label) (marked(&curve.pair, axis.places[k])) }
                        span.soft {
                            @if axis.places[k] == axis.best { "the best" } @else { "better than it: " (percent(known.better[k])) }
                        }
                        (interval(scale, known.mean[k], (known.mean[k] - reach, known.mean[k] + reach)))
                        @if axis.places[k] != axis.best { (button(&axis.name, &axis.values[k], label, best)) }
                    }
                }
            }
        }
    }
}

/// The letters of the options of a comparison that lie at this choice.
fn marked(pair: &[f64], place: f64) -> Markup {
    html! {
        @for (i, _) in pair.iter().enumerate().filter(|(_, other)| **other == place) {
            span.mark data-mark=(letter(i)) { (letter(i)) }
        }
    }
}

/// Shows the recommendation with another choice beside it.
fn button(name: &str, value: &Value, label: &str, best: &Alternative) -> Markup {
    let mut other = best.clone();
    if let Alternative::Setting(setting) = &mut other {
        setting
            .values
            .iter_mut()
            .filter(|(other, _)| other == name)
            .for_each(|(_, old)| *old = value.clone());
    }
    html! {
        button.small.quiet.beside type="button" data-alternative=(setting_of(&other)) hidden {
            "Compare" span.sr-only { " " (label) " with the best" }
        }
    }
}
