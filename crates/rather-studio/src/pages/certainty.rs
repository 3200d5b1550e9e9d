//! The recommendation, and how sure it is.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::parts::{medium, parameters, setting_of};
use crate::results::percent;
use crate::view::{BestView, Certainty, MediaKind, ResultView};

/// The head of the result: the sentence, the best to copy and to hear, and how sure it is.
pub(super) fn best(view: &ResultView) -> Markup {
    html! {
        section.best aria-labelledby="best" data-best=[view.best.as_ref().and_then(|best| best.alternative.as_ref()).map(setting_of)] {
            @if let Some(best) = &view.best {
                (in_words(best, view.certainty.as_ref()))
                @if best.item.is_some() { (parameters(&best.parameters)) }
                @if let Some(media) = &best.media { (medium(media, "The best so far")) }
                div.actions {
                    a.button.primary[!settled(view.certainty.as_ref())] href=(comparing(view)) { "Compare more" }
                    @if best.media.as_ref().is_some_and(|media| media.kind == MediaKind::Audio) {
                        button #hear-best type="button" aria-pressed="false" hidden { "Hear the best" }
                    }
                    button.copy type="button" data-copy=(best.copy) hidden { "Copy the setting" }
                }
                @if let Some(certainty) = &view.certainty { (in_numbers(certainty)) }
            } @else {
                h2 #best { "Nothing is known yet" }
                p { "The first answer makes the first guess." }
                div.actions {
                    a.button.primary href=(comparing(view)) { "Start comparing" }
                }
            }
        }
    }
}

/// The head of a result that is only read.
pub(super) fn known(view: &ResultView) -> Markup {
    html! {
        section.best aria-labelledby="best" data-best=[view.best.as_ref().and_then(|best| best.alternative.as_ref()).map(setting_of)] {
            @if let Some(best) = &view.best {
                (in_words(best, view.certainty.as_ref()))
                @if best.item.is_some() { (parameters(&best.parameters)) }
                @if let Some(media) = &best.media { (medium(media, "The best so far")) }
                @if let Some(certainty) = &view.certainty { (in_numbers(certainty)) }
            } @else {
                h2 #best { "Nothing is known yet" }
                p { "There are no answers yet." }
            }
        }
    }
}

/// The recommendation as a sentence, and how sure it is.
pub(super) fn in_words(best: &BestView, certainty: Option<&Certainty>) -> Markup {
    html! {
        p.eyebrow #best { @if settled(certainty) { "The best" } @else { "The best so far" } (of_what(best)) }
        p.value { (sentence(best, certainty)) }
        @if let Some(certainty) = certainty { p.sentence { (certainty.sentence) } }
    }
}

/// Where whoever's result this is compares; where participants are learned from together, that is asked there.
fn comparing(view: &ResultView) -> String {
    let whose = view
        .participant
        .as_deref()
        .map(|name| format!("?participant={}", utf8_percent_encode(name, NON_ALPHANUMERIC)));
    format!("/studies/{}/duel{}", view.study.id, whose.unwrap_or_default())
}

fn settled(certainty: Option<&Certainty>) -> bool {
    certainty.is_some_and(|c| c.settled)
}

/// The name of the only parameter, which the sentence leaves out.
fn of_what(best: &BestView) -> String {
    match (best.parameters.as_slice(), &best.item) {
        ([one], None) => format!(": {}", one.name),
        _ => String::new(),
    }
}

/// `−14 dB; anything from −20 to −8 dB is about as good (96 %).`
fn sentence(best: &BestView, certainty: Option<&Certainty>) -> Markup {
    let sure = certainty.and_then(|c| c.probability).map(|p| format!(" ({})", percent(p)));
    html! {
        strong { (best.value) }
        span.rest { @if !best.others.is_empty() { "; " (best.others) } (sure.unwrap_or_default()) "." }
    }
}

/// The numbers behind the sentence.
fn in_numbers(c: &Certainty) -> Markup {
    html! {
        details #sure {
            summary { "In numbers" }
            dl.stats {
                @if let Some(p) = c.probability { div { dt { "Nothing is noticeably better" } dd { (percent(p)) } } }
                @if let Some(p) = c.probability_best { div { dt { "It is the very best" } dd { (percent(p)) } } }
                @if let Some(regret) = c.expected_regret {
                    div { dt { "Expected loss against the best" } dd { (format!("{regret:.2}")) span.unit { " sd of an answer’s noise" } } }
                }
                @if let Some(most) = c.regret_at_most {
                    div { dt { "Loss not exceeded with 90\u{202f}%" } dd { (format!("{most:.2}")) span.unit { " sd of an answer’s noise" } } }
                }
                @if let Some(more) = c.more {
                    div { dt { "More answers" } dd { @if more == 0 { "none needed" } @else { "about " (more) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_is_certain() {
        assert_eq!(super::percent(0.999), "over 99\u{202f}%");
        assert_eq!(super::percent(0.994), "over 99\u{202f}%");
        assert_eq!(super::percent(0.42), "42\u{202f}%");
        assert_eq!(super::percent(0.0), "under 1\u{202f}%");
    }
}
