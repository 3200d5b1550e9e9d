//! The page of something that went wrong, or is not there.

use maud::{Markup, html};

use super::frame::{Head, page};
use crate::results::sentence;
use crate::view::{Failure, Frame, Reader};

/// The page of a failure: its sentence, and a way on.
pub fn failure(frame: &Frame, failure: &Failure) -> Markup {
    let title = match failure.code.as_str() {
        "not_found" => "There is nothing here",
        "forbidden" => "This was not sent from here",
        _ => "That did not work",
    };
    let head = Head { title, class: "narrow", ..Head::default() };
    page(
        frame,
        head,
        html! {
            h1 { (title) }
            p.lead { (sentence(&failure.error)) }
            @if frame.reader == Reader::Operator {
                p { a.button href="/" { "To the studies" } }
            }
        },
    )
}
