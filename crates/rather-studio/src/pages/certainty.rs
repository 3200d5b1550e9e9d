//! The recommendation, and how sure it is.

use maud::{Markup, html};

use super::parts::{medium, parameters, setting};
use crate::results::percent;
use crate::view::{BestView, Certainty, ResultView};

/// The head of the result: the best so far, to copy and to hear, and what is known of it.
pub(super) fn best(view: &ResultView) -> Markup {
    html! {
        section.best aria-labelledby="best" {
            @if let Some(best) = &view.best {
                p.eyebrow #best { @if settled(view) { "The best" } @else { "The best so far" } }
                (value(best))
                @if let Some(media) = &best.media { (medium(media, "The best so far")) }
                div.actions {
                    button.copy type="button" data-copy=(best.copy) hidden { "Copy" }
                    a.button.primary[!settled(view)] href=(format!("/studies/{}/duel", view.study.id)) { "Compare more" }
                }
            } @else {
                h2 #best { "Nothing is known yet" }
                p { "The first answer makes the first guess." }
                div.actions {
                    a.button.primary href=(format!("/studies/{}/duel", view.study.id)) { "Start comparing" }
                }
            }
        }
        @if let Some(certainty) = &view.certainty { (how_sure(certainty, view.best.as_ref().is_some_and(|best| best.item.is_some()))) }
    }
}

fn settled(view: &ResultView) -> bool {
    view.certainty.as_ref().is_some_and(|c| c.settled)
}

fn value(best: &BestView) -> Markup {
    match (&best.item, best.parameters.as_slice()) {
        (Some(item), features) => html! { p.value { (item) } (parameters(features)) },
        (None, few @ ([_] | [_, _])) => html! { p.value { (setting(few)) } },
        (None, many) => parameters(many),
    }
}

fn how_sure(c: &Certainty, is_item: bool) -> Markup {
    let what = if is_item { "It is the best" } else { "Nothing noticeably better" };
    html! {
        section.sure aria-labelledby="sure" {
            h2 #sure { "How sure is that?" }
            p.sentence { (c.sentence) }
            dl.stats {
                @if let Some(p) = c.probability {
                    div { dt { (what) } dd { (percent(p)) } }
                }
                @if let Some(regret) = c.expected_regret {
                    div { dt { "Expected loss" } dd { (format!("{regret:.2}")) span.unit { " of the noise of an answer" } } }
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
