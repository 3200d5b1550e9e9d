//! Links that are nobody's own, answers to questions, and studies of a backup.

use crate::access::Operator;
use crate::doors;
use crate::extract::{Body, Path, Query, read_error};
use crate::refusal::{Code, Refusal};
use crate::registry::blocking;
use crate::restoring::Sent;
use crate::studio::App;
use crate::tables::Remark;
use crate::turns::who;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many may join.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenLink {
    quota: u32,
}

/// A link, from its path on.
#[derive(Debug, Serialize)]
pub(super) struct Link {
    link: String,
}

/// Whose result is shared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Whose {
    participant: Option<String>,
}

pub(super) async fn open(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(OpenLink { quota }): Body<OpenLink>,
) -> Result<impl IntoResponse, Refusal> {
    let live = app.registry.study(&study).await?;
    let link = doors::open_to_all(&app, &live, quota).await?;
    Ok((StatusCode::CREATED, Json(Link { link })))
}

pub(super) async fn close(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
) -> Result<StatusCode, Refusal> {
    let live = app.registry.study(&study).await?;
    doors::close_to_all(&app, &live).await.map(|()| StatusCode::NO_CONTENT)
}

pub(super) async fn share(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(whose): Body<Whose>,
) -> Result<impl IntoResponse, Refusal> {
    let live = app.registry.study(&study).await?;
    let participant = who(&live.definition, whose.participant.as_deref())?;
    let link = doors::share(&app, &live, &participant).await?;
    Ok((StatusCode::CREATED, Json(Link { link })))
}

pub(super) async fn unshare(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(whose): Query<Whose>,
) -> Result<StatusCode, Refusal> {
    let live = app.registry.study(&study).await?;
    let participant = who(&live.definition, whose.participant.as_deref())?;
    doors::unshare(&app, &live, &participant).await.map(|()| StatusCode::NO_CONTENT)
}

/// All answers to questions at the end.
#[derive(Debug, Serialize)]
pub(super) struct Remarks {
    answers: Vec<Remark>,
}

/// As what they are wanted.
#[derive(Debug, Deserialize)]
pub(super) struct Form {
    format: Option<Shape>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shape {
    Json,
    Csv,
}

pub(super) async fn questionnaire(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(form): Query<Form>,
) -> Result<Response, Refusal> {
    let live = app.registry.study(&study).await?;
    let (tables, name) = (Arc::clone(app.registry.tables()), live.name.clone());
    let answers = blocking(move || Ok(tables.remarks(&name)?)).await?;
    if form.format != Some(Shape::Csv) {
        return Ok(Json(Remarks { answers }).into_response());
    }
    let text = as_csv(&answers).map_err(|e| Refusal::internal(&e))?;
    let file = format!("attachment; filename=\"{}-questions.csv\"", live.id);
    let headers =
        [(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, file)];
    Ok((headers, text).into_response())
}

/// A row an answer, with its time.
fn as_csv(answers: &[Remark]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["participant", "question", "answer", "time"])?;
    for Remark { participant, question, answer, time } in answers {
        let time = crate::summaries::time(*time);
        let cells = [participant, question, answer, &time].map(String::as_str);
        writer.write_record(cells.map(crate::spreadsheet::safe))?;
    }
    writer.into_inner().map_err(|e| e.into_error().into())
}

/// A study that was brought back.
#[derive(Debug, Serialize)]
pub(super) struct Restored {
    /// Its name in the backup.
    from: String,
    /// Its id here.
    id: String,
}

/// All that were.
#[derive(Debug, Serialize)]
pub(super) struct AllRestored {
    studies: Vec<Restored>,
}

pub(super) async fn restore(
    State(app): State<App>,
    _: Operator,
    request: Request,
) -> Result<Json<AllRestored>, Refusal> {
    // A form of a foreign page can send text/plain without asking; these it cannot.
    let sent = request.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    if !matches!(sent, "application/vnd.sqlite3" | "application/octet-stream") {
        return Err(Refusal::new(
            Code::Unsupported,
            "send the backup as application/vnd.sqlite3 or application/octet-stream",
        ));
    }
    let mut file = Sent::new(&app)?;
    let (mut length, most) = (0, app.config.limits.upload);
    let mut pieces = request.into_body().into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| read_error(StatusCode::BAD_REQUEST))?;
        length += piece.len();
        if length > most {
            return Err(read_error(StatusCode::PAYLOAD_TOO_LARGE));
        }
        file = file.append(piece).await?;
    }
    let brought = file.bring(&app).await?;
    let studies =
        brought.into_iter().map(|one| Restored { from: one.from, id: crate::registry::id_of(&one.name) });
    Ok(Json(AllRestored { studies: studies.collect() }))
}
