//! Studies and their participants.

use crate::access::Operator;
use crate::extract::{Body, Path, Query};
use crate::form::definition_from_toml;
use crate::life::Change;
use crate::presentation::Presentation;
use crate::refusal::Refusal;
use crate::registry::Live;
use crate::studio::App;
use crate::summaries;
use crate::view::{ArchivedStudy, ParticipantView, StudySummary};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use rather_study::Definition;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// All studies.
#[derive(Debug, Serialize)]
pub(super) struct Studies {
    studies: Vec<StudySummary>,
    archived: Vec<ArchivedStudy>,
}

/// A study with its definition.
#[derive(Debug, Serialize)]
pub(super) struct Study {
    study: StudySummary,
    definition: Definition,
}

/// A study to make: its definition in TOML, as `rather study new` takes it, or in JSON, as [`show`] gives it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewStudy {
    toml: Option<String>,
    definition: Option<Definition>,
}

/// Who may answer.
#[derive(Debug, Serialize)]
pub(super) struct Participants {
    participants: Vec<ParticipantView>,
}

/// Somebody to invite.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Invitation {
    name: String,
}

pub(super) async fn list(State(app): State<App>, _: Operator) -> Result<Json<Studies>, Refusal> {
    let (studies, archived) = (summaries::all(&app).await?, summaries::archived(&app).await?);
    Ok(Json(Studies { studies, archived }))
}

pub(super) async fn create(
    State(app): State<App>,
    _: Operator,
    Body(body): Body<NewStudy>,
) -> Result<impl IntoResponse, Refusal> {
    let definition = match (body.toml, body.definition) {
        (Some(text), None) => definition_from_toml(&text).map_err(Refusal::invalid)?,
        (None, Some(definition)) => definition,
        _ => {
            return Err(Refusal::invalid(
                "send the definition as \"toml\" or as \"definition\", one of them",
            ));
        }
    };
    crate::title::check(&definition.title).map_err(Refusal::invalid)?;
    let presentation = Presentation::of(&definition).map_err(Refusal::invalid)?;
    // Uploads come with the form only, so here nothing can refer to one.
    crate::making::check(&app, &definition, &presentation, &[])
        .map_err(|fault| Refusal::invalid(fault.error))?;
    crate::making::try_out(&app, &definition, &presentation)
        .await
        .map_err(|fault| Refusal::invalid(fault.error))?;
    let live = app.registry.create(definition, Vec::new()).await?;
    let place = [(header::LOCATION, format!("{}/studies/{}", super::ROOT, live.id))];
    Ok((StatusCode::CREATED, place, Json(summaries::of(&live).await?)))
}

pub(super) async fn show(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
) -> Result<Json<Study>, Refusal> {
    let live = app.registry.study(&study).await?;
    Ok(Json(Study { study: summaries::of(&live).await?, definition: (*live.definition).clone() }))
}

pub(super) async fn change(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(body): Body<Change>,
) -> Result<Json<StudySummary>, Refusal> {
    let live = app.registry.study(&study).await?;
    let live = crate::life::change(&app, &live, body).await?;
    Ok(Json(summaries::of(&live).await?))
}

pub(super) async fn copy(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
) -> Result<impl IntoResponse, Refusal> {
    let live = app.registry.study(&study).await?;
    let live = app.registry.copy(&live).await?;
    let place = [(header::LOCATION, format!("{}/studies/{}", super::ROOT, live.id))];
    Ok((StatusCode::CREATED, place, Json(summaries::of(&live).await?)))
}

/// Whether a study is archived, or an archived one deleted.
#[derive(Debug, Deserialize)]
pub(super) struct Removal {
    #[serde(default)]
    forever: bool,
}

pub(super) async fn remove(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(how): Query<Removal>,
) -> Result<StatusCode, Refusal> {
    if how.forever {
        app.registry.delete(&study).await?;
        return Ok(StatusCode::NO_CONTENT);
    }
    let live = app.registry.study(&study).await?;
    app.registry.archive(&live).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn restore(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
) -> Result<StatusCode, Refusal> {
    app.registry.restore(&study).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn revoke(
    State(app): State<App>,
    _: Operator,
    Path((study, participant)): Path<(String, String)>,
) -> Result<StatusCode, Refusal> {
    let live = app.registry.study(&study).await?;
    revoke_of(&app, &live, participant).await.map(|()| StatusCode::NO_CONTENT)
}

/// Ends the link of a participant; their answers stay.
pub(crate) async fn revoke_of(app: &App, live: &Arc<Live>, participant: String) -> Result<(), Refusal> {
    let (tables, study) = (Arc::clone(app.registry.tables()), live.name.clone());
    crate::registry::blocking(move || {
        if !tables.invited(&study)?.contains(&participant) {
            return Err(Refusal::not_found("link"));
        }
        Ok(tables.revoke(&study, &participant)?)
    })
    .await
}

pub(super) async fn participants(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
) -> Result<Json<Participants>, Refusal> {
    let live = app.registry.study(&study).await?;
    Ok(Json(Participants { participants: summaries::participants(&app, &live).await? }))
}

pub(super) async fn invite(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(body): Body<Invitation>,
) -> Result<impl IntoResponse, Refusal> {
    let live = app.registry.study(&study).await?;
    let participant = invite_to(&app, &live, &body.name).await?;
    Ok((StatusCode::CREATED, Json(participant)))
}

/// Makes a link for a participant. An earlier one of theirs opens nothing any more.
pub(crate) async fn invite_to(app: &App, live: &Arc<Live>, name: &str) -> Result<ParticipantView, Refusal> {
    let name = name.trim().to_owned();
    let asked = name.clone();
    // Whether they may answer at all is the study's to say.
    let answers = live.answer(&name, move |study| Ok(study.history(&asked)?.answers())).await?;
    let (tables, study, invited) = (Arc::clone(app.registry.tables()), live.name.clone(), name.clone());
    let token = crate::registry::blocking(move || Ok(tables.invite(&study, &invited)?)).await?;
    app.remember_link(&live.name, &name, token.path());
    Ok(ParticipantView {
        name,
        answers: usize::try_from(answers).unwrap_or(usize::MAX),
        link: Some(token.path()),
        invited: true,
        ..ParticipantView::default()
    })
}
