//! What the operator does with a study, below its result: participants, answers out and in, settings, the archive.

use maud::{Markup, PreEscaped, html};

use super::parts::{csrf, time};
use super::result::pager;
use crate::view::{Frame, ParticipantView, ResultView};
use crate::window::Window;

/// All of it but the export, which changes with the answers.
pub(super) fn all(frame: &Frame, view: &ResultView) -> Markup {
    html! { (people(frame, view)) (settings(frame, view)) (import(frame, view)) (more(frame, view)) }
}

/// Participants: how far they are, and their links.
fn people(frame: &Frame, view: &ResultView) -> Markup {
    html! {
        section #people aria-labelledby="people-title" {
            h2 #people-title { "Participants" }
            p.hint {
                "Whoever has a link can answer this study, and see nothing else. A link is shown for an hour after it was created."
                @if view.origin.is_none() { " This studio answers on this machine only: elsewhere its links open nothing." }
            }
            @let shown = &view.participants[Window { offset: view.people_offset, limit: Window::PAGE }.of(view.participants.len())];
            @if !view.participants.is_empty() {
                div.scroll tabindex="0" role="region" aria-label="Participants" {
                    table.people {
                        thead { tr {
                            th scope="col" { "Name" } th scope="col" { "Answers" } th scope="col" { "Repeats answered alike" }
                            th scope="col" { "Last answer" } th scope="col" { "Link" }
                        } }
                        tbody { @for p in shown { (person(frame, view, p)) } }
                    }
                }
                (pager(view, "people", "people", (view.people_offset, shown.len(), view.participants.len())))
            }
            @if view.study.participants > 1 { p { a href=(agreement(view)) { "Agreement, misfit, and each participant\u{2019}s result" } } }
            form.inline method="post" action=(format!("/studies/{}/participants", view.study.id)) {
                (csrf(frame))
                div.field {
                    label for="name" { "Name of a new participant" }
                    input #name name="name" required maxlength="100" autocomplete="off";
                }
                button type="submit" { "Create a link" }
            }
            (open_link(frame, view))
            (share(frame, view))
        }
    }
}

/// Where participants are set side by side.
pub(super) fn agreement(view: &ResultView) -> String {
    format!("/studies/{}/agreement", view.study.id)
}

/// The link by which anyone joins.
fn open_link(frame: &Frame, view: &ResultView) -> Markup {
    let study = &view.study.id;
    html! {
        div #open .doors {
            h3 { "Open link" }
            p.hint { "Whoever has it joins as a new participant, as " code { "guest-1" } ", " code { "guest-2" } " and so on." }
            @match view.doors.quota {
                None => {
                    form.inline method="post" action=(format!("/studies/{study}/open")) {
                        (csrf(frame))
                        div.field {
                            label for="quota" { "Participants at most" }
                            input #quota name="quota" inputmode="numeric" value="20" required autocomplete="off";
                        }
                        button type="submit" { "Create an open link" }
                    }
                }
                Some(quota) => {
                    p { "Up to " (quota) " may join." }
                    (fresh(view, view.doors.join.as_deref(), "join-link", "open link"))
                    div.row-actions {
                        form method="post" action=(format!("/studies/{study}/open")) {
                            (csrf(frame))
                            input type="hidden" name="quota" value=(quota);
                            button.small.quiet type="submit" { "New open link (the old one ends)" }
                        }
                        form method="post" action=(format!("/studies/{study}/close")) {
                            (csrf(frame))
                            button.small.quiet type="submit" { "End the open link" }
                        }
                    }
                }
            }
        }
    }
}

/// The link that shows the result that is shown here.
fn share(frame: &Frame, view: &ResultView) -> Markup {
    let study = &view.study.id;
    let form = |verb: &str, text: Markup| {
        html! {
            form method="post" action=(format!("/studies/{study}/{verb}")) {
                (csrf(frame))
                input type="hidden" name="name" value=(view.participant.as_deref().unwrap_or_default());
                (text)
            }
        }
    };
    html! {
        div #share .doors {
            h3 { "Share the result" }
            p.hint { "A link to read this result: without names, single answers, or anything to change." }
            @if view.doors.shared {
                (fresh(view, view.doors.share.as_deref(), "share-link", "link to the result"))
                div.row-actions {
                    (form("share", html! { button.small.quiet type="submit" { "New link to the result (the old one ends)" } }))
                    (form("unshare", html! { button.small.quiet type="submit" { "End the link to the result" } }))
                }
            } @else {
                (form("share", html! { button type="submit" { "Create a link to the result" } }))
            }
        }
    }
}

/// A link while it may be shown, to be copied and photographed.
fn fresh(view: &ResultView, path: Option<&str>, id: &str, name: &str) -> Markup {
    html! {
        @match path {
            Some(path) => {
                @let link = format!("{}{path}", view.origin.as_deref().unwrap_or_default());
                div.row-actions {
                    a.person-link id=(id) href=(link) { (link) }
                    button.copy.small type="button" data-copy-link=(link) hidden { "Copy" span.sr-only { " the " (name) } }
                }
                @if view.origin.is_some() { (code(&link, name)) }
            }
            None => p.hint { "It was shown for an hour after it was created, and still works." },
        }
    }
}

fn person(frame: &Frame, view: &ResultView, p: &ParticipantView) -> Markup {
    html! {
        tr {
            th.name scope="row" { (p.name) }
            td {
                (p.answers)
                @if let Some(wanted) = view.comparisons { "\u{2009}/\u{2009}" (wanted) }
            }
            td { @if p.repeats.0 > 0 { (p.repeats.1) " of " (p.repeats.0) } @else { "–" } }
            td { @match &p.last { Some(last) => (time(last)), None => "–" } }
            td { (link(frame, view, p)) }
        }
    }
}

/// The link of a participant, while it may be shown, and what can be done with it.
fn link(frame: &Frame, view: &ResultView, p: &ParticipantView) -> Markup {
    let act = |verb: &str, text: Markup| {
        html! {
            form method="post" action=(format!("/studies/{}/{verb}", view.study.id)) {
                (csrf(frame))
                input type="hidden" name="name" value=(p.name);
                button.small.quiet type="submit" { (text) }
            }
        }
    };
    html! {
        @if let Some(path) = &p.link {
            @let link = format!("{}{path}", view.origin.as_deref().unwrap_or_default());
            div.row-actions {
                a.person-link href=(link) { (link) }
                button.copy.small type="button" data-copy-link=(link) hidden { "Copy" span.sr-only { " the link of " (p.name) } }
            }
            @if view.origin.is_some() { (code(&link, &p.name)) }
        }
        @if p.invited {
            div.row-actions {
                (act("participants", html! { "New link" span.sr-only { " for " (p.name) } " (the old one ends)" }))
                (act("revoke", html! { "End the link" span.sr-only { " of " (p.name) } }))
            }
        }
    }
}

/// A link to be photographed with a phone.
fn code(link: &str, name: &str) -> Markup {
    let drawn = qrcode::QrCode::new(link)
        .map(|code| code.render::<qrcode::render::svg::Color<'_>>().min_dimensions(180, 180).build());
    // An XML declaration is for files of their own.
    let drawn = drawn.ok().and_then(|text| text.find("<svg").map(|at| text[at..].to_owned()));
    html! {
        @if let Some(drawn) = drawn {
            details.qr {
                summary { "QR code" span.sr-only { " for " (name) } }
                (PreEscaped(drawn))
            }
        }
    }
}

/// The answers as files, once there are any.
pub(super) fn export(view: &ResultView) -> Markup {
    html! {
        @if !view.exports.is_empty() {
            section aria-labelledby="export" {
                h2 #export { "Export" }
                div.actions {
                    @for (name, path) in &view.exports { a.button href=(path) download { (name) } }
                    @if view.doors.remarks > 0 {
                        a.button href=(format!("{}/studies/{}/questionnaire?format=csv", crate::api::ROOT, view.study.id)) download { "Questions at the end" }
                    }
                }
            }
        }
    }
}

/// What may change after the first answer.
fn settings(frame: &Frame, view: &ResultView) -> Markup {
    let study = &view.study;
    html! {
        details #settings {
            summary { "Settings: rename, pause, extend, webhook" }
            form.stack method="post" action=(format!("/studies/{}/settings", study.id)) {
                (csrf(frame))
                div.field { label for="study-title" { "Title" } input #study-title name="title" value=(study.title) required maxlength="120"; }
                div.field {
                    label for="comparisons" { "Comparisons of each participant" }
                    p.hint #comparisons-hint { "Empty for no end." }
                    input #comparisons name="comparisons" inputmode="numeric" value=[view.comparisons] aria-describedby="comparisons-hint";
                }
                label.toggle { input type="checkbox" name="paused" value="yes" checked[study.paused]; "Paused: nobody can answer for now" }
                div.field {
                    label for="webhook" { "Webhook" }
                    p.hint #webhook-hint { "A web address, of http, to which each answer is reported as JSON. Empty for none." }
                    input #webhook name="webhook" value=(view.webhook) autocomplete="off" aria-describedby="webhook-hint";
                }
                div.actions { button type="submit" { "Save" } }
            }
        }
    }
}

/// Answers from a file.
fn import(frame: &Frame, view: &ResultView) -> Markup {
    html! {
        details #import {
            summary { "Import answers" }
            form.stack method="post" action=(format!("/studies/{}/import", view.study.id)) enctype="multipart/form-data" {
                (csrf(frame))
                div.field { label for="import-file" { "File" } input #import-file name="file" type="file" required; }
                div.field {
                    label for="import-format" { "Format" }
                    select #import-format name="format" {
                        @for format in rather_study::Format::ALL { option value=(format.name()) { (format.name()) } }
                    }
                }
                div.field {
                    label for="import-participant" { "Participant" }
                    p.hint #import-hint { "For a file that does not name them." }
                    input #import-participant name="participant" autocomplete="off" aria-describedby="import-hint";
                }
                label.toggle { input type="checkbox" name="again" value="yes"; "Count them even if the very same file was imported before" }
                div.actions { button type="submit" { "Import" } }
            }
        }
    }
}

/// A copy, and the archive.
fn more(frame: &Frame, view: &ResultView) -> Markup {
    html! {
        div #archive .actions {
            form method="post" action=(format!("/studies/{}/copy", view.study.id)) {
                (csrf(frame))
                button type="submit" { "Copy without answers" }
            }
            form method="post" action=(format!("/studies/{}/archive", view.study.id)) {
                (csrf(frame))
                button.danger type="submit" { "Archive" }
            }
            p.hint { "An archived study leaves the list; its answers stay in the file until it is deleted there." }
        }
    }
}
