//! A result for whoever has its link.

use maud::{Markup, html};

use super::certainty::known;
use super::frame::{Head, page};
use super::parts::counted;
use super::picture::picture;
use super::result::{consistency, figures, ranking};
use crate::view::{Frame, Reader, ResultView};

/// The page of a result that is only read.
pub fn shared(frame: &Frame, view: &ResultView) -> Markup {
    let title = format!("{}: result", view.study.title);
    let scripts = &["picture.js"];
    let head = Head { title: &title, scripts, class: "found read-only", ..Head::default() };
    // Whoever reads it, the operator too, sees what everyone sees.
    let frame = &Frame { reader: Reader::Visitor, ..frame.clone() };
    page(
        frame,
        head,
        html! {
            div.duel-top {
                p.eyebrow { (view.question) }
                h1 { (view.study.title) }
                p.aside { (counted(view.study.answers, "answer")) }
            }
            div #result {
                div.head-pair { (known(view)) (picture(view.picture.as_ref())) }
                @if !view.notes.is_empty() { ul.notes { @for note in &view.notes { li { (note) } } } }
                (ranking(view))
                @if let Some(c) = &view.consistency { (consistency(c)) }
                (figures(view))
            }
            p #status .sr-only role="status" {}
        },
    )
}
