//! The first page: the studies as a table, and the demos to begin with.

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::{counted, csrf, time};
use crate::view::{ArchivedStudy, Frame, HomePage, StudyKind, StudySummary};

/// With more studies than this, there is a field to find one.
const MANY: usize = 7;

/// The page of all studies.
pub fn home(frame: &Frame, view: &HomePage) -> Markup {
    let (demos, own): (Vec<_>, Vec<_>) = view.studies.iter().partition(|study| study.demo);
    let head = Head { title: "Studies", scripts: &["home.js", "times.js"], class: "home", here: "/" };
    page(
        frame,
        head,
        html! {
            @if let Some(notice) = &view.notice { p.notice role="status" { (notice) } }
            @if own.is_empty() { (hero()) (demo_cards(&demos)) }
            section aria-labelledby="studies" {
                div.section-head {
                    @if own.is_empty() { h2 #studies { "Your studies" } } @else { h1 #studies { "Your studies" } }
                    a.button.primary href="/studies/new" { "New study" }
                }
                @if own.is_empty() {
                    p.empty {
                        "None yet. A study compares the settings of some parameters, or the items of a list: sounds, pictures, texts, \
                         or just names."
                    }
                } @else {
                    (table(frame, &own))
                }
            }
            @if !own.is_empty() && !demos.is_empty() {
                details #demos { summary { "Demos" } (demo_cards(&demos)) }
            }
            (archived(frame, &view.archived))
            (backup(frame, view))
        },
    )
}

/// A copy of everything, and the way back.
fn backup(frame: &Frame, view: &HomePage) -> Markup {
    html! {
        p.aside {
            "Every answer is kept in " code { (view.data) } ". "
            a #backup .button href="/api/v1/backup" download="" { "Backup" }
        }
        details #restore {
            summary { "Restore from a backup" }
            form.stack method="post" action="/restore" enctype="multipart/form-data" {
                (csrf(frame))
                div.field {
                    label for="restore-file" { "Backup" }
                    p.hint #restore-hint {
                        "Its studies that are not here are brought back, with their answers, files and links. Those that are here stay as they are. \
                         Up to " (view.largest >> 20) " MB; a larger one can be opened by starting the program with it."
                    }
                    input #restore-file name="file" type="file" accept=".db" required aria-describedby="restore-hint";
                }
                div.actions { button type="submit" { "Restore" } }
            }
        }
    }
}

fn hero() -> Markup {
    html! {
        div.hero {
            h1 { "What would you rather have?" }
            p.lead {
                "Compare two at a time and choose the better one. After a few answers you know the setting you like best, \
                 and how sure that is."
            }
        }
    }
}

fn demo_cards(demos: &[&StudySummary]) -> Markup {
    html! {
        @if !demos.is_empty() {
            section aria-labelledby="try" {
                h2 #try { "Try it now" }
                ul.cards { @for study in demos { (demo(study)) } }
                p.aside {
                    "The sound is made by this program. "
                    a href="/studies/new?subject=suppressor" { "Use a recording of your own" } "."
                }
            }
        }
    }
}

/// Own studies, a row each.
fn table(frame: &Frame, studies: &[&StudySummary]) -> Markup {
    html! {
        @if studies.len() > MANY {
            div.field.filter hidden { label for="filter" { "Find a study" } input #filter type="search" autocomplete="off"; }
        }
        div.scroll tabindex="0" role="region" aria-label="Your studies" {
            table.studies-table {
                thead { tr {
                    th scope="col" { "Study" } th scope="col" { "Answers" } th scope="col" { "Best so far" }
                    th scope="col" { "Last answer" } th scope="col" { span.sr-only { "Actions" } }
                } }
                tbody { @for study in studies { (row(frame, study)) } }
            }
        }
    }
}

fn row(frame: &Frame, study: &StudySummary) -> Markup {
    let path = format!("/studies/{}", study.id);
    // Where several people answer, each has a best of their own.
    let one = (study.answers > 0 && study.participants <= 1).then_some(study.id.as_str());
    html! {
        tr data-title=(study.title) {
            th scope="row" {
                a href=(format!("{path}/result")) { (study.title) } @if study.paused { span.tag { "paused" } }
                p { (what(study)) @if study.participants > 1 { " · " (study.participants) " participants" } }
            }
            td { (progress(study)) }
            td.best-so-far data-best-of=[one] { "–" }
            td { @match &study.last { Some(last) => (time(last)), None => "–" } }
            td {
                div.row-actions {
                    a.button.small href=(format!("{path}/duel")) { "Compare" span.sr-only { ": " (study.title) } }
                    (menu(frame, study))
                }
            }
        }
    }
}

/// `12 / 20` with a bar, or the number of answers alone.
fn progress(study: &StudySummary) -> Markup {
    html! {
        @match study.wanted {
            Some(wanted) => {
                span { (study.answers) "\u{2009}/\u{2009}" (wanted) }
                progress max=(wanted.max(1)) value=(study.answers) aria-label=(format!("Answers of {}", study.title)) {}
            }
            None => (study.answers),
        }
    }
}

/// What else can be done with a study.
fn menu(frame: &Frame, study: &StudySummary) -> Markup {
    let path = format!("/studies/{}", study.id);
    html! {
        details.menu {
            summary { span aria-hidden="true" { "⋯" } span.sr-only { "More for " (study.title) } }
            ul {
                li { a href=(format!("{path}/result#settings")) { "Rename, pause, extend" } }
                @for (verb, name) in [("copy", "Copy without answers"), ("archive", "Archive")] {
                    li { form method="post" action=(format!("{path}/{verb}")) { (csrf(frame)) button.quiet type="submit" { (name) } } }
                }
            }
        }
    }
}

/// Studies that left the list, with a way back, and a way to be rid of them.
fn archived(frame: &Frame, studies: &[ArchivedStudy]) -> Markup {
    html! {
        @if !studies.is_empty() {
            details #archived {
                summary { "Archived (" (studies.len()) ")" }
                ul.studies {
                    @for study in studies {
                        li {
                            div.study-name { (study.title) p { (counted(study.answers, "answer")) } }
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

fn what(study: &StudySummary) -> String {
    match study.kind {
        StudyKind::Parameters => counted(study.size, "parameter"),
        StudyKind::Items => counted(study.size, "item"),
    }
}
