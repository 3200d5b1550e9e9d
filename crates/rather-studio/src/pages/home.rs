//! The first page: the studies, and the demo to begin with.

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::{counted, csrf, time};
use crate::view::{ArchivedStudy, Frame, HomePage, StudyKind, StudySummary};

/// The page of all studies.
pub fn home(frame: &Frame, view: &HomePage) -> Markup {
    let (demos, own): (Vec<_>, Vec<_>) = view.studies.iter().partition(|study| study.demo);
    let head = Head { title: "Studies", class: "home", here: "/", ..Head::default() };
    page(
        frame,
        head,
        html! {
            div.hero {
                h1 { "What would you rather have?" }
                p.lead {
                    "Compare two at a time and choose the better one. After a few answers you know the setting you like best, \
                     and how sure that is."
                }
            }
            @if !demos.is_empty() {
                section aria-labelledby="try" {
                    h2 #try { "Try it now" }
                    ul.cards { @for study in &demos { (demo(study)) } }
                    p.aside {
                        "The sound is made by this program. "
                        a href="/studies/new?subject=suppressor" { "Use a recording of your own" } "."
                    }
                }
            }
            section aria-labelledby="studies" {
                div.section-head {
                    h2 #studies { "Your studies" }
                    a.button.primary href="/studies/new" { "New study" }
                }
                @if own.is_empty() {
                    p.empty {
                        "None yet. A study compares the settings of some parameters, or the items of a list: sounds, pictures, texts, \
                         or just names."
                    }
                } @else {
                    ul.studies { @for study in &own { (row(study)) } }
                }
            }
            (archived(frame, &view.archived))
            p.aside {
                "Every answer is kept in " code { (view.data) } ". "
                a.button href="/api/v1/backup" download="" { "Backup" }
            }
        },
    )
}

/// Studies that left the list, with a way back.
fn archived(frame: &Frame, studies: &[ArchivedStudy]) -> Markup {
    html! {
        @if !studies.is_empty() {
            details #archived {
                summary { "Archived (" (studies.len()) ")" }
                ul.studies {
                    @for study in studies {
                        li {
                            div.study-name { (study.title) }
                            form method="post" action=(format!("/studies/{}/restore", study.id)) {
                                (csrf(frame))
                                button type="submit" { "Restore" span.sr-only { ": " (study.title) } }
                            }
                            (delete(frame, study))
                        }
                    }
                }
            }
        }
    }
}

/// Deleting asks once.
fn delete(frame: &Frame, study: &ArchivedStudy) -> Markup {
    html! {
        details.delete {
            summary { "Delete …" span.sr-only { " " (study.title) } }
            form method="post" action=(format!("/studies/{}/delete", study.id)) {
                (csrf(frame))
                p { "This cannot be undone: " (counted(study.answers, "answer")) " of " (study.title) " will be gone." }
                button.danger type="submit" { "Delete for good" }
            }
        }
    }
}

fn demo(study: &StudySummary) -> Markup {
    let begun = study.answers > 0;
    html! {
        li.card {
            h3 { (study.title) }
            p { "Tune a noise suppressor by ear: " (what(study)) @if begun { ", " (counted(study.answers, "answer")) } }
            div.actions {
                a.button.primary href=(format!("/studies/{}/duel", study.id)) {
                    @if begun { "Continue" } @else { "Start listening" }
                    span.sr-only { ": " (study.title) }
                }
                @if begun {
                    a.button href=(format!("/studies/{}/result", study.id)) {
                        "Result" span.sr-only { " of " (study.title) }
                    }
                }
            }
        }
    }
}

fn row(study: &StudySummary) -> Markup {
    html! {
        li {
            div.study-name {
                a href=(format!("/studies/{}/result", study.id)) { (study.title) }
                p { (what(study)) " · " (counted(study.answers, "answer"))
                    @if study.participants > 1 { " by " (counted(study.participants, "person").replace("persons", "people")) }
                    " · " (time(&study.created)) }
            }
            a.button href=(format!("/studies/{}/duel", study.id)) { "Compare" span.sr-only { ": " (study.title) } }
        }
    }
}

fn what(study: &StudySummary) -> String {
    match study.kind {
        StudyKind::Parameters => counted(study.size, "parameter"),
        StudyKind::Items => counted(study.size, "item"),
    }
}
