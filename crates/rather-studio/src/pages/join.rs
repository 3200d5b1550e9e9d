//! The page behind an open link: who presses the button takes part.

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::csrf;
use crate::languages::Words;
use crate::view::{Frame, JoinPage};

/// The page on which somebody joins, or learns that nobody can any more.
pub fn join(frame: &Frame, view: &JoinPage) -> Markup {
    let w = Words::of(&frame.language);
    let head = Head { title: &view.title, class: "narrow", ..Head::default() };
    page(
        frame,
        head,
        html! {
            h1 { (view.title) }
            @match &view.join {
                Some(path) => {
                    p.lead { (w.say("You compare two at a time and choose the better one. No name is asked for.")) }
                    form.stack method="post" action=(path) {
                        (csrf(frame))
                        div.actions { button.primary type="submit" { (w.say("Take part")) } }
                    }
                }
                None => p.lead { (w.say("Thank you, but this study has all the participants that it needs.")) },
            }
        },
    )
}
