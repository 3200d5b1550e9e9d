//! The shell of a page of HTML that needs nothing else.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("commands/report.css");

/// A page with this title and body.
pub(crate) fn page(title: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    }
}
