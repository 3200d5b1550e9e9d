//! The page of what a study has found.
//!
//! `result.js` fetches the page anew when another window answers, and puts the content of `#result` in place of the old one.

use maud::{Markup, html};

use super::beside;
use super::certainty::best;
use super::frame::{Head, page};
use super::history::history;
use super::operate;
use super::parts::{counted, line, setting_of};
use super::picture::{Scale, interval, picture};
use crate::view::{Consistency, FigureView, Frame, RankedView, ResultView};
use crate::window::Window;

/// Widths at which figures are drawn, so that their letters are as large as the page's: on phones, beside another, alone.
const WIDTHS: [u32; 3] = [360, 500, 980];
/// So many of the best are in the table at first.
const RANKED: usize = 10;

/// The page of a result.
pub fn result(frame: &Frame, view: &ResultView) -> Markup {
    let title = format!("{}: result", view.study.title);
    let head = Head {
        title: &title,
        scripts: &["result.js", "picture.js", "times.js"],
        class: "found",
        ..Head::default()
    };
    page(
        frame,
        head,
        html! {
            div.duel-top {
                p.eyebrow { (view.question) }
                h1 { (view.study.title) }
                (whose(view))
            }
            div #result data-news=(format!("/api/v1/studies/{}/changes", view.study.id)) data-changes=(view.changes) data-answers=(view.study.answers) {
                div.head-pair { (best(view)) (picture(view.picture.as_ref())) }
                @if !view.notes.is_empty() { ul.notes { @for note in &view.notes { li { (note) } } } }
                (next(view))
                (ranking(view))
                @if let Some(c) = &view.consistency { (consistency(c)) }
                (history(frame, view))
                (operate::export(view))
                (figures(view))
            }
            @if view.may_change { (operate::all(frame, view)) }
            (beside::panel(&view.study.id))
            p #status .sr-only role="status" {}
        },
    )
}

/// Whose result is shown, where participants have one each.
fn whose(view: &ResultView) -> Markup {
    html! {
        @if let (Some(shown), true) = (&view.participant, view.participants.len() > 1) {
            form.whose method="get" {
                label for="participant" { "Answers of" }
                select #participant name="participant" {
                    @for p in &view.participants {
                        option value=(p.name) selected[p.name == *shown] { (p.name) " (" (p.answers) ")" }
                    }
                }
                button.small type="submit" { "Show" }
            }
        } @else if view.study.participants > 1 {
            p.aside { (counted(view.study.answers, "answer")) " of " (view.study.participants) " participants, pooled" }
        }
        @if view.may_change && view.study.participants > 1 { p.aside { a href=(operate::agreement(view)) { "All participants beside each other" } } }
    }
}

/// Figures to look closer; they are fetched when they are looked at.
pub(super) fn figures(view: &ResultView) -> Markup {
    html! {
        @if !view.figures.is_empty() {
            details #figures {
                summary { "Figures" }
                section.figures aria-label="Figures" {
                    @for (i, f) in view.figures.iter().enumerate() {
                        (figure(f, i == 0 || f.kind == "map" || f.kind == "ranking", view.study.answers))
                    }
                }
            }
        }
    }
}

/// A figure in four forms: for phones and larger windows, light and dark. `v` makes browsers fetch it after new answers.
fn figure(f: &FigureView, alone: bool, answers: usize) -> Markup {
    let url = |width: u32, theme: &str| {
        let join = if f.url.contains('?') { '&' } else { '?' };
        format!("{}{join}width={width}&theme={theme}&v={answers}", f.url)
    };
    let [phone, half, whole] = WIDTHS;
    let large = if alone { whole } else { half };
    html! {
        figure.figure.alone[alone] data-kind=(f.kind) {
            figcaption { (f.title) }
            picture {
                source media="(prefers-color-scheme: dark) and (max-width: 640px)" srcset=(url(phone, "dark"));
                source media="(prefers-color-scheme: dark)" srcset=(url(large, "dark"));
                source media="(max-width: 640px)" srcset=(url(phone, "light"));
                img src=(url(large, "light")) alt=(f.text) loading="lazy";
            }
        }
    }
}

fn next(view: &ResultView) -> Markup {
    html! {
        @if let Some(options) = &view.next {
            @let (last, first) = options.split_last().map_or((String::new(), &options[..0]), |(last, first)| (line(last), first));
            section aria-labelledby="next" {
                h2 #next { "What it asks next" }
                p { (first.iter().map(line).collect::<Vec<_>>().join(", ")) " or " (last) "?" }
            }
        }
    }
}

/// A part of the ranking. Of the first page, the best are shown and the rest is folded away; further pages are whole.
pub(super) fn ranking(view: &ResultView) -> Markup {
    let (items, offset) = (&view.ranking, view.ranking_offset);
    let shown = if offset == 0 { RANKED } else { items.len() };
    let (first, rest) = items.split_at(items.len().min(shown));
    let scale = Scale::of(items.iter().map(|item| (item.low, item.high)));
    html! {
        @if view.ranking_total > 0 {
            section aria-labelledby="ranking" {
                h2 #ranking { "Ranking" }
                (ranked(first, 1 + offset, scale, "By mean utility with 95 % intervals, the best first"))
                @if !rest.is_empty() {
                    details #lower {
                        summary { (rest.len()) " more" }
                        (ranked(rest, 1 + offset + shown, scale, "The next ones"))
                    }
                }
                (pager(view, "items", "ranking", (offset, items.len(), view.ranking_total)))
            }
        }
    }
}

/// Where in a long list one is, and the ways to the pages before and after: `51–100 of 20,000`.
pub(super) fn pager(
    view: &ResultView,
    list: &str,
    anchor: &str,
    (offset, shown, total): (usize, usize, usize),
) -> Markup {
    let path = |before: usize| {
        let whose = view.participant.as_deref().map(|name| {
            format!(
                "participant={}&",
                percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC)
            )
        });
        format!("/studies/{}/result?{}{list}={before}#{anchor}", view.study.id, whose.unwrap_or_default())
    };
    html! {
        @if offset > 0 || offset + shown < total {
            nav.pager aria-label=(format!("Pages of the {anchor}")) {
                p { (grouped(offset + shown.min(1))) "–" (grouped(offset + shown)) " of " (grouped(total)) }
                @if offset > 0 { a.button.small href=(path(offset.saturating_sub(Window::PAGE))) rel="prev" { "Previous" } }
                @if offset + shown < total { a.button.small href=(path(offset + shown)) rel="next" { "Next" } }
            }
        }
    }
}

/// A number with its thousands apart: `20,000`.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

fn ranked(items: &[RankedView], first: usize, scale: Scale, caption: &str) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table.ranking {
                caption.sr-only { (caption) }
                thead { tr { th scope="col" { "" span.sr-only { "Place" } } th scope="col" { "What" }
                    th.drawn scope="col" { span.sr-only { "Drawn" } }
                    th.number scope="col" { "Utility" } th.number scope="col" { "95 % interval" }
                    th scope="col" { span.sr-only { "Compare" } } } }
                tbody {
                    @for (item, place) in items.iter().zip(first..) {
                        tr {
                            td.number { (place) }
                            th scope="row" { (item.label) @if !item.compared { span.tag { "predicted" } } }
                            td.drawn { (interval(scale, item.mean, (item.low, item.high))) }
                            td.number { (signed(item.mean)) }
                            td.number { (signed(item.low)) " to " (signed(item.high)) }
                            td { @if let Some(alternative) = &item.alternative {
                                button.small.quiet.beside type="button" data-alternative=(setting_of(alternative)) hidden {
                                    "Compare" span.sr-only { " " (item.label) " with the best" }
                                }
                            } }
                        }
                    }
                }
            }
        }
    }
}

/// With a true minus sign.
pub(super) fn signed(x: f64) -> String {
    let text = format!("{x:.2}");
    match text.strip_prefix('-') {
        Some("0.00") => "0.00".to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

pub(super) fn consistency(c: &Consistency) -> Markup {
    html! {
        section aria-labelledby="consistency" {
            h2 #consistency { "Are the answers consistent?" }
            ul.points { @for sentence in &c.sentences { li { (sentence) } } }
            dl.stats {
                @if c.repeats > 0 { div { dt { "Repeats answered the same" } dd { (c.agreed) " of " (c.repeats) } } }
                @if c.catches > 0 { div { dt { "Catch trials answered with no preference" } dd { (c.passed) " of " (c.catches) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, signed};

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(
            [0, 999, 1000, 20_000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "20,000", "1,234,567"]
        );
    }

    #[test]
    fn numbers_have_a_true_minus_and_no_negative_zero() {
        assert_eq!([-1.234, -0.001, 0.5].map(signed), ["−1.23", "0.00", "0.50"]);
    }
}
