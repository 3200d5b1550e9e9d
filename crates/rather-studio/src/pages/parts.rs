//! Pieces that several pages use.

use maud::{Markup, PreEscaped, html};
use rather_study::Alternative;

use crate::figures::numbers::minus;
use crate::view::{AlternativeView, Frame, MediaKind, MediaView, ParameterView};

/// The hidden field against forged requests.
pub(super) fn csrf(frame: &Frame) -> Markup {
    html! { input type="hidden" name="csrf" value=(frame.csrf); }
}

/// Data for scripts, in an element that is not run.
pub(super) fn data(id: &str, value: &impl serde::Serialize) -> Markup {
    // "</script>" and "<!--" inside the data would end or change the element.
    let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()).replace('<', "\\u003c");
    html! { script type="application/json" id=(id) { (PreEscaped(json)) } }
}

/// A key to press.
pub(super) fn key(name: &str) -> Markup {
    html! { kbd aria-hidden="true" { (name) } }
}

/// Names and values.
pub(super) fn parameters(parameters: &[ParameterView]) -> Markup {
    html! {
        @if !parameters.is_empty() {
            dl.parameters {
                @for p in parameters {
                    div {
                        dt { (p.name) }
                        dd { (minus(&p.value)) @if !p.unit.is_empty() { span.unit { "\u{202f}" (p.unit) } } }
                    }
                }
            }
        }
    }
}

/// What is seen of a medium; sounds have a player of their own on the duel page.
pub(super) fn medium(media: &MediaView, name: &str) -> Markup {
    let url = media.url.as_deref().unwrap_or_default();
    html! {
        @match media.kind {
            MediaKind::Audio => audio controls preload="none" src=(url) aria-label=(name) {},
            MediaKind::Image => div.lens { img.picture src=(url) alt=(name) draggable="false"; },
            MediaKind::Video => video.picture controls loop playsinline preload="auto" src=(url) aria-label=(name) {},
            // Browsers show no PDF file in a frame with this attribute: the answer with the file sets the frame apart.
            MediaKind::Pdf => {
                // Its bar would show what the file is called inside.
                iframe.document src=(format!("{url}#toolbar=0&view=FitH")) title=(name) {}
                a.open-document href=(url) target="_blank" rel="noopener" { "Open " (name) " in a window of its own" }
            }
            MediaKind::Html => iframe.document src=(url) title=(name) sandbox="" {},
            MediaKind::Text => div.text { (media.text.as_deref().unwrap_or_default()) },
        }
    }
}

/// An alternative in one line: an item by its name, a setting by its values.
pub(super) fn line(alternative: &AlternativeView) -> String {
    if alternative.parameters.is_empty() || !alternative.label.is_empty() {
        return alternative.label.clone();
    }
    setting(&alternative.parameters)
}

/// An alternative as programs write it, for scripts.
pub(super) fn setting_of(alternative: &Alternative) -> String {
    serde_json::to_string(alternative).unwrap_or_default()
}

/// Names and values in one line: `floor −12.5 dB, gain 3`.
pub(super) fn setting(parameters: &[ParameterView]) -> String {
    let one = |p: &ParameterView| {
        let unit = if p.unit.is_empty() { String::new() } else { format!("\u{202f}{}", p.unit) };
        format!("{} {}{unit}", p.name, minus(&p.value))
    };
    parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `1 answer`, `2 answers`.
pub(super) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// `2026-11-21T11:02:03Z` as people read it; the exact time stands in the attribute, and `times.js` writes it in the reader's own zone.
pub(super) fn time(rfc3339: &str) -> Markup {
    let shown = match (rfc3339.get(..10), rfc3339.get(11..16)) {
        (Some(day), Some(minute)) => format!("{day} {minute} UTC"),
        _ => rfc3339.to_owned(),
    };
    html! { time datetime=(rfc3339) { (shown) } }
}
