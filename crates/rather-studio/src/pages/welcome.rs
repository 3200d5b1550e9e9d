//! What a participant reads, and agrees to, before the first comparison.

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::csrf;
use crate::view::{Frame, WelcomePage};

/// The page before the first comparison.
pub fn welcome(frame: &Frame, view: &WelcomePage) -> Markup {
    let head = Head { title: &view.title, class: "narrow", ..Head::default() };
    page(
        frame,
        head,
        html! {
            h1 { (view.title) }
            @if !view.instructions.is_empty() { div.instructions { (view.instructions) } }
            form.stack method="post" action=(view.begin) {
                (csrf(frame))
                @if !view.consent.is_empty() {
                    label.toggle.consent { input type="checkbox" name="consent" value="yes" required; span { (view.consent) } }
                }
                div.actions { button.primary type="submit" { "Begin" } }
            }
        },
    )
}
