//! What was learned so far, beside a comparison: the sentence, the picture of the result, and where the pair lies in it.
//!
//! The page of a comparison has the empty place (`place`); `panel.js` fetches what stands in it after each answer.

use maud::{Markup, html};

use super::certainty::in_words;
use super::parts::{key, setting_of};
use super::picture::{Scale, interval, picture};
use crate::view::{PanelView, RankedView, letter};
use rather_study::Alternative;

/// What stands in the panel.
pub fn panel(view: &PanelView) -> Markup {
    let best = view.best.as_ref();
    html! {
        div.best data-answers=(view.answers) data-best=[best.and_then(|best| best.alternative.as_ref()).map(setting_of)] {
            @if let Some(best) = best {
                (in_words(best, view.certainty.as_ref()))
            } @else {
                p.soft { "Nothing is known yet. The first answer makes the first guess." }
            }
        }
        (picture(view.picture.as_ref()))
        @if !view.pair.is_empty() && !view.pair_is_open && best.is_some() { p.hint.last-pair { "The marks are the pair that you answered last." } }
        @if !view.ranking.is_empty() { (ranking(view)) }
    }
}

/// Where the panel will stand, hidden until the script shows it.
pub(super) fn place(path: &str) -> Markup {
    html! {
        aside #panel .panel data-from=(path) hidden {
            h2 {
                button #panel-toggle .quiet type="button" aria-expanded="false" aria-controls="learned" {
                    "What was learned" (key("R"))
                }
            }
            div #learned hidden {}
            p #panel-trouble .error role="alert" hidden {}
        }
    }
}

/// The best items with their intervals.
fn ranking(view: &PanelView) -> Markup {
    let items = &view.ranking;
    let scale = Scale::of(items.iter().map(|item| (item.low, item.high)));
    html! {
        ol.standing aria-label="The best, in their order" {
            @for item in items {
                li {
                    span.name { (item.label) (marks(&view.pair, item)) }
                    (interval(scale, item.mean, (item.low, item.high)))
                }
            }
        }
    }
}

/// The letter of an item that is compared.
fn marks(pair: &[Alternative], item: &RankedView) -> Markup {
    html! {
        @for (i, _) in pair.iter().enumerate().filter(|(_, option)| Some(*option) == item.alternative.as_ref()) {
            span.mark data-mark=(letter(i)) { (letter(i)) }
        }
    }
}
