//! What is around every page: head, header, landmarks.

use maud::{DOCTYPE, Markup, html};

use super::parts::csrf;
use crate::assets;
use crate::view::{Frame, Reader};

/// What a page puts into its frame.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Head<'a> {
    /// The title of the window.
    pub(super) title: &'a str,
    /// Scripts.
    pub(super) scripts: &'a [&'a str],
    /// The kind of page, for the style sheet.
    pub(super) class: &'a str,
    /// The path of the page, if it is one of those in the header.
    pub(super) here: &'a str,
}

pub(super) fn page(frame: &Frame, head: Head<'_>, main: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(if frame.language.is_empty() { "en" } else { frame.language.as_str() }) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="same-origin";
                meta name="csrf" content=(frame.csrf);
                title { (head.title) " · rather" }
                link rel="icon" href=(assets::url("icon.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(assets::url("app.css"));
                link rel="stylesheet" href=(assets::url("picture.css"));
                @for script in head.scripts {
                    script type="module" src=(assets::url(script)) {}
                }
            }
            body class=(head.class) {
                a.skip href="#main" { "Skip to content" }
                (header(frame, head.here))
                main #main tabindex="-1" { (main) }
            }
        }
    }
}

fn header(frame: &Frame, here: &str) -> Markup {
    let current = |path: &str| (path == here).then_some("page");
    html! {
        header.top {
            @if frame.reader == Reader::Operator {
                a.brand href="/" { "rather" }
                nav aria-label="Main" {
                    a href="/" aria-current=[current("/")] { "Studies" }
                    a href="/studies/new" aria-current=[current("/studies/new")] { "New study" }
                    a href="/api" aria-current=[current("/api")] { "API" }
                    @if frame.can_sign_out {
                        form method="post" action="/sign-out" {
                            (csrf(frame))
                            button.quiet type="submit" { "Sign out" }
                        }
                    }
                }
            } @else {
                span.brand { "rather" }
            }
        }
    }
}
