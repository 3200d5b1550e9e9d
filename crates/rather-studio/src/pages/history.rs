//! The answers that were given, with a way to take each back.

use maud::{Markup, html};
use rather_study::Answer;
use std::borrow::Cow;

use super::parts::{csrf, time};
use super::result::pager;
use crate::view::{AnswerKind, AnswerView, Frame, ResultView};

/// So many answers are shown before the rest is folded away.
const SHOWN: usize = 12;

pub(super) fn history(frame: &Frame, view: &ResultView) -> Markup {
    let shown = if view.history_offset == 0 { SHOWN } else { view.history.len() };
    let (first, rest) = view.history.split_at(view.history.len().min(shown));
    html! {
        section #history aria-labelledby="history-title" {
            h2 #history-title { "Answers" }
            @if first.is_empty() {
                p.empty { "None yet." }
            } @else {
                (table(frame, view, first, "Answers, the newest first"))
                @if !rest.is_empty() {
                    details #older {
                        summary { (rest.len()) " older answers" }
                        (table(frame, view, rest, "Older answers"))
                    }
                }
                (pager(view, "answers", "history", (view.history_offset, view.history.len(), view.history_total)))
            }
        }
    }
}

fn table(frame: &Frame, view: &ResultView, answers: &[AnswerView], caption: &str) -> Markup {
    let several = view.participants.len() > 1;
    let sets = answers.iter().any(|a| !a.others.is_empty());
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table.answers-table {
                caption.sr-only { (caption) }
                thead {
                    tr {
                        th scope="col" { "No." }
                        @if sets {
                            th scope="col" { "Best" }
                            th scope="col" { "Worst" }
                            th scope="col" { "Of these" }
                        } @else {
                            th scope="col" { "A" }
                            th scope="col" { "B" }
                            th scope="col" { "Answer" }
                        }
                        @if several { th scope="col" { "By" } }
                        th scope="col" { "When" }
                        @if view.may_change { th scope="col" { span.sr-only { "Undo" } } }
                    }
                }
                tbody { @for a in answers { (row(frame, view, a, several)) } }
            }
        }
    }
}

fn row(frame: &Frame, view: &ResultView, a: &AnswerView, several: bool) -> Markup {
    let chosen =
        |side: Answer| a.answer.is_some_and(|said| Answer::from(said).plain() == side).then_some("chosen");
    html! {
        tr.undone[a.undone] {
            th scope="row" { (a.duel) }
            @if a.others.is_empty() {
                td class=[chosen(Answer::Left)] { (a.left) }
                td class=[chosen(Answer::Right)] { (a.right) }
                td {
                    @if a.undone { "undone" } @else { (said(a.answer, view.graded)) }
                    @if a.check { span.tag { "check" } }
                }
            } @else {
                (of_set(a))
            }
            @if several { td { (a.participant) } }
            td { (time(&a.time)) }
            @if view.may_change {
                td {
                    @if a.can_undo {
                        form method="post" action=(format!("/studies/{}/undo", view.study.id)) {
                            (csrf(frame))
                            input type="hidden" name="participant" value=(a.participant);
                            input type="hidden" name="duel" value=(a.duel);
                            input type="hidden" name="key" value=(format!("undo-{}-{}", a.duel, a.time));
                            button.quiet.small type="submit" { "Undo" span.sr-only { " the answer to comparison " (a.duel) } }
                        }
                    }
                }
            }
        }
    }
}

/// The best, the worst, and all options.
fn of_set(a: &AnswerView) -> Markup {
    let options: Vec<&str> = [&a.left, &a.right].into_iter().chain(&a.others).map(String::as_str).collect();
    let option = |number: u8| options.get(usize::from(number).wrapping_sub(1)).copied().unwrap_or_default();
    let (best, worst) = match a.answer {
        Some(AnswerKind::Best(best)) => (option(best), ""),
        Some(AnswerKind::BestAndWorst(best, worst)) => (option(best), option(worst)),
        _ => ("skipped", ""),
    };
    html! {
        td.chosen[a.answer.is_some()] { (best) }
        td { (worst) }
        td { @if a.undone { "undone" } @else { (options.join(", ")) } }
    }
}

fn said(answer: Option<AnswerKind>, graded: bool) -> Cow<'static, str> {
    let words = match answer {
        Some(AnswerKind::LeftBy(number)) => return format!("A, by {number}").into(),
        Some(AnswerKind::RightBy(number)) => return format!("B, by {number}").into(),
        Some(AnswerKind::MuchLeft) => "A, much better",
        Some(AnswerKind::Left) if graded => "A, a little better",
        Some(AnswerKind::Left) => "A",
        Some(AnswerKind::MuchRight) => "B, much better",
        Some(AnswerKind::Right) if graded => "B, a little better",
        Some(AnswerKind::Right) => "B",
        Some(AnswerKind::Tie) => "no preference",
        Some(AnswerKind::Best(_) | AnswerKind::BestAndWorst(..)) => "of a set",
        None => "skipped",
    };
    words.into()
}
