//! Pages of participants who came by a link: one study's duels, and nothing else.

use super::answering::{self, AnswerForm, Place};
use super::visit::{Visit, show};
use crate::api::{Asked, look_ahead};
use crate::extract::{Body, Form, Path};
use crate::pages;
use crate::refusal::{Code, Refusal};
use crate::registry::{Live, blocking};
use crate::security::participant::LinkToken;
use crate::studio::App;
use crate::summaries::title;
use crate::turns::take;
use crate::view::{Reader, WelcomePage};
use axum::Extension;
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use std::sync::Arc;

/// Whose page a link opens.
async fn guest(app: &App, token: &str) -> Result<(Arc<Live>, String), Refusal> {
    let nobody = || Refusal::not_found("link");
    let token = LinkToken::parse(token).ok_or_else(nobody)?;
    let tables = Arc::clone(app.registry.tables());
    let guest = blocking(move || Ok(tables.guest(&token)?)).await?.ok_or_else(nobody)?;
    Ok((app.registry.named(&guest.study).await?, guest.participant))
}

pub(super) async fn page(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
) -> Result<Response, Refusal> {
    let (live, participant) = guest(&app, &token).await?;
    let path = format!("/p/{token}");
    if !has_begun(&app, &live, &participant).await? {
        let shown = &live.presentation;
        let view = WelcomePage {
            title: title(&live),
            instructions: shown.instructions.clone(),
            consent: shown.consent.clone(),
            begin: format!("{path}/begin"),
        };
        return Ok(show(pages::welcome(&visit.0.frame(&app), &view), &[]));
    }
    let place = Place { page: path.clone(), api: path, result: None, panel: None };
    answering::page(&app, &visit.0, &live, &participant, place).await
}

/// Whether a participant has read what there is to read first, and agreed.
async fn has_begun(app: &App, live: &Live, participant: &str) -> Result<bool, Refusal> {
    if !live.presentation.welcomes() {
        return Ok(true);
    }
    let (tables, study, name) =
        (Arc::clone(app.registry.tables()), live.name.clone(), participant.to_owned());
    blocking(move || Ok(tables.has_begun(&study, &name)?)).await
}

/// The form of the first page.
#[derive(Debug, Deserialize)]
pub(super) struct BeginForm {
    #[serde(default)]
    csrf: String,
    #[serde(default)]
    consent: String,
}

pub(super) async fn begin(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
    form: Form<BeginForm>,
) -> Result<Redirect, Refusal> {
    let form = visit.check(&app, form, |form| &form.csrf)?;
    let (live, participant) = guest(&app, &token).await?;
    if !live.presentation.consent.is_empty() && form.consent.is_empty() {
        return Err(Refusal::invalid("tick the box to agree, and begin then; nothing was recorded"));
    }
    let (tables, study) = (Arc::clone(app.registry.tables()), live.name.clone());
    blocking(move || Ok(tables.begin(&study, &participant)?)).await?;
    Ok(Redirect::to(&format!("/p/{token}")))
}

/// Nobody answers before that.
async fn check_begun(app: &App, live: &Live, participant: &str) -> Result<(), Refusal> {
    if has_begun(app, live, participant).await? {
        return Ok(());
    }
    Err(Refusal::new(Code::Conflict, "open the link and begin there first; nothing was recorded"))
}

pub(super) async fn answer(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
    form: Form<AnswerForm>,
) -> Result<Redirect, Refusal> {
    let form = visit.check(&app, form, |form| &form.csrf)?;
    let (live, participant) = guest(&app, &token).await?;
    check_begun(&app, &live, &participant).await?;
    take(&app, &live, (&participant, Reader::Participant), form.step()?).await?;
    Ok(Redirect::to(&format!("/p/{token}")))
}

/// `ask`, `ahead`, `tell`, `skip` and `undo`, as in the API. Nobody can forge such a request who does not know the link.
pub(super) async fn step(
    State(app): State<App>,
    Path((token, verb)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Refusal> {
    let (live, participant) = guest(&app, &token).await?;
    check_begun(&app, &live, &participant).await?;
    if verb == "ahead" {
        let body = Body::from_request(request, &app).await?.0;
        return look_ahead(body, &app, &live, Some(&participant)).await.map(IntoResponse::into_response);
    }
    let asked = match verb.as_str() {
        "ask" => Asked::Ask(Body::from_request(request, &app).await?.0),
        "tell" => Asked::Tell(Body::from_request(request, &app).await?.0),
        "skip" => Asked::Skip(Body::from_request(request, &app).await?.0),
        "undo" => Asked::Undo(Body::from_request(request, &app).await?.0),
        _ => return Err(Refusal::not_found("page")),
    };
    asked.carry_out(&app, &live, Some(&participant)).await.map(IntoResponse::into_response)
}
