//! The operator's pages.

use super::answering::{self, AnswerForm, Place};
use super::parameter;
use super::visit::{Visit, show};
use crate::access::Operator;
use crate::extract::{Form, Path, Query};
use crate::pages;
use crate::panel;
use crate::refusal::Refusal;
use crate::registry::Live;
use crate::results;
use crate::studio::App;
use crate::summaries;
use crate::turns::{Step, take, who};
use crate::view::{HomePage, ParticipantView, ProgramsPage, Reader, WhoPage};
use crate::window::Window;
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{Redirect, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use std::collections::HashMap;

/// An answer to take back.
#[derive(Debug, Deserialize)]
pub(super) struct UndoForm {
    #[serde(default)]
    csrf: String,
    participant: String,
    duel: Option<u32>,
    key: Option<String>,
}

/// Somebody to invite.
#[derive(Debug, Deserialize)]
pub(super) struct InviteForm {
    #[serde(default)]
    csrf: String,
    name: String,
}

pub(super) async fn home(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    query: Query<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let (studies, archived) = (summaries::all(&app).await?, summaries::archived(&app).await?);
    let restored = parameter(&query, "restored").and_then(|n| n.parse::<usize>().ok());
    let notice = restored.map(|n| match n {
        0 => "All studies of the backup were here already; nothing changed.".to_owned(),
        1 => "1 study of the backup was restored.".to_owned(),
        n => format!("{n} studies of the backup were restored."),
    });
    let largest = app.config.limits.upload;
    let view = HomePage { studies, archived, data: shown(app.registry.path()), notice, largest };
    Ok(show(pages::home(&visit.0.frame(&app), &view), &[]))
}

/// How programs use this studio, at the address by which the reader reached it.
pub(super) async fn programs(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    headers: HeaderMap,
    query: Query<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let origin = app.config.public.as_ref().map_or_else(|| format!("http://{host}"), ToString::to_string);
    let named = parameter(&query, "study");
    let all = summaries::all(&app).await?;
    let study = all.iter().find(|study| named.as_ref().is_none_or(|named| study.id == *named));
    let view = ProgramsPage {
        api: format!("{}{}", origin.trim_end_matches('/'), crate::api::ROOT),
        study: study.map_or_else(|| "STUDY".to_owned(), |study| study.id.clone()),
        token: app.config.token.is_some(),
    };
    Ok(show(pages::programs(&visit.0.frame(&app), &view), &[]))
}

/// A path as its owner would write it.
fn shown(path: &std::path::Path) -> String {
    let home =
        dirs::home_dir().and_then(|home| path.strip_prefix(home).ok().map(std::path::Path::to_path_buf));
    home.map_or_else(|| path.display().to_string(), |rest| format!("~/{}", rest.display()))
}

pub(super) async fn study(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
) -> Result<Redirect, Refusal> {
    let live = app.registry.study(&study).await?;
    Ok(Redirect::to(&format!("/studies/{}/result", live.id)))
}

/// What all participants say together.
pub(super) async fn agreement(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    Path(study): Path<String>,
) -> Result<Response, Refusal> {
    let live = app.registry.study(&study).await?;
    let view = crate::agreement::of(&live).await?;
    Ok(show(pages::agreement(&visit.0.frame(&app), &view), &[]))
}

/// A page of a participant, in the operator's hands.
fn path(live: &Live, page: &str, participant: &str) -> String {
    format!("/studies/{}/{page}?participant={}", live.id, utf8_percent_encode(participant, NON_ALPHANUMERIC))
}

pub(super) async fn duel(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    Path(study): Path<String>,
    query: Query<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let live = app.registry.study(&study).await?;
    let named = parameter(&query, "participant");
    if named.is_none() && live.definition.participants.names.len() > 1 {
        let all = summaries::participants(&app, &live).await?;
        let view = |p: ParticipantView| (p.name.clone(), p.answers, path(&live, "duel", &p.name));
        let participants = all.into_iter().map(view).collect();
        let view = WhoPage { title: summaries::title(&live), participants };
        return Ok(show(pages::who(&visit.0.frame(&app), &view), &[]));
    }
    let participant = who(&live.definition, named.as_deref())?;
    let place = Place {
        page: path(&live, "duel", &participant),
        api: format!("{}/studies/{}", crate::api::ROOT, live.id),
        result: Some(path(&live, "result", &participant)),
        panel: Some(path(&live, "panel", &participant)),
        questions: None,
    };
    answering::page(&app, &visit.0, &live, &participant, place).await
}

pub(super) async fn answer(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    Path(study): Path<String>,
    form: Form<AnswerForm>,
) -> Result<Redirect, Refusal> {
    let form = visit.check(&app, form, |form| &form.csrf)?;
    let live = app.registry.study(&study).await?;
    let participant =
        who(&live.definition, Some(&form.participant).filter(|p| !p.is_empty()).map(String::as_str))?;
    take(&app, &live, (&participant, Reader::Operator), form.step()?).await?;
    Ok(Redirect::to(&path(&live, "duel", &participant)))
}

/// What stands beside a comparison: a part of a page, which its script fetches after each answer.
pub(super) async fn panel(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    query: Query<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let live = app.registry.study(&study).await?;
    let participant = who(&live.definition, parameter(&query, "participant").as_deref())?;
    let view = panel::of(&live, &participant).await?;
    Ok(show(pages::panel(&view), &[]))
}

pub(super) async fn result(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    Path(study): Path<String>,
    query: Query<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let live = app.registry.study(&study).await?;
    let shown = results::Shown {
        ranking: page_of(&query, "items")?,
        history: page_of(&query, "answers")?,
        people: page_of(&query, "people")?,
    };
    let mut view = results::of(&app, &live, parameter(&query, "participant").as_deref(), shown).await?;
    if let Some(Ok(n)) = parameter(&query, "imported").map(|n| n.parse::<usize>()) {
        view.notes.insert(
            0,
            format!(
                "{} imported.",
                if n == 1 { "1 answer was".to_owned() } else { format!("{n} answers were") }
            ),
        );
    }
    Ok(show(pages::result(&visit.0.frame(&app), &view), live.showing.origins()))
}

/// The page of a long list that a query names by the number of entries before it.
fn page_of(query: &Query<HashMap<String, String>>, list: &str) -> Result<Window, Refusal> {
    let before = parameter(query, list).map(|text| text.parse::<usize>()).transpose();
    let offset =
        before.map_err(|_| Refusal::invalid(format!("{list} is a number of entries to pass over")))?;
    Window::wanted(offset, None, Window::PAGE)
}

pub(super) async fn undo(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    Path(study): Path<String>,
    form: Form<UndoForm>,
) -> Result<Redirect, Refusal> {
    let form = visit.check(&app, form, |form| &form.csrf)?;
    let live = app.registry.study(&study).await?;
    let key = form.key.filter(|key| !key.is_empty());
    let step = Step::Undo { duel: form.duel.filter(|&duel| duel > 0), key };
    take(&app, &live, (&form.participant, Reader::Operator), step).await?;
    Ok(Redirect::to(&path(&live, "result", &form.participant)))
}

pub(super) async fn invite(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    Path(study): Path<String>,
    form: Form<InviteForm>,
) -> Result<Redirect, Refusal> {
    let form = visit.check(&app, form, |form| &form.csrf)?;
    let live = app.registry.study(&study).await?;
    crate::api::invite_to(&app, &live, &form.name).await?;
    Ok(Redirect::to(&format!("/studies/{}/result#people", live.id)))
}
