//! The page that asks who answers, where a study names several participants and the operator opens it for one of them.

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::counted;
use crate::view::{Frame, WhoPage};

/// The page, with a way to each participant's comparisons.
pub fn who(frame: &Frame, view: &WhoPage) -> Markup {
    let head = Head { title: &view.title, class: "narrow", ..Head::default() };
    page(
        frame,
        head,
        html! {
            p.eyebrow { (view.title) }
            h1 { "Who answers?" }
            ul.who {
                @for (name, answers, path) in &view.participants {
                    li { a.button href=(path) { (name) span.soft { (counted(*answers, "answer")) } } }
                }
            }
        },
    )
}
