//! What stands beside the sides of a comparison: what they share, and the reference.
//!
//! Both and their counterparts in `sides.js` must agree.

use maud::{Markup, html};

use super::parts::{key, medium, parameters};
use crate::figures::numbers::minus;
use crate::languages::Words;
use crate::view::{AlternativeView, ContextView};

/// The key that plays or shows the reference: what a listener compares with is called X in ABX tests, too.
pub(super) const KEY: &str = "X";

/// What both sides share: `prompt: A cat on a roof`, or the file that is named.
pub(super) fn shared(context: &ContextView) -> Markup {
    html! {
        span.of { (context.name) }
        @match &context.media {
            Some(media) => (medium(media, &context.name)),
            None => span.what { (minus(&context.value)) @if !context.unit.is_empty() { "\u{202f}" (context.unit) } },
        }
    }
}

/// The place of the reference, and what there is to hear or see of it.
pub(super) fn place(shown: Option<&AlternativeView>, w: Words) -> Markup {
    let name = w.say("Reference");
    html! {
        section #reference .reference data-side="reference" aria-label=(name) hidden[shown.is_none()] {
            @if let Some(shown) = shown {
                h2.of { (name) (key(KEY)) }
                div.exhibit {
                    @if let Some(media) = &shown.media { (medium(media, name)) }
                    (parameters(&shown.parameters))
                }
            }
        }
    }
}
