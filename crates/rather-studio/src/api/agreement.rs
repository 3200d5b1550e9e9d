//! The result of several participants.

use crate::access::Operator;
use crate::agreement;
use crate::extract::{Path, Query};
use crate::refusal::Refusal;
use crate::studio::App;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

/// What is wanted of it.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Table {
    #[default]
    Participants,
    Alternatives,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    #[default]
    Json,
    Csv,
}

/// In which form.
#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    format: Form,
    #[serde(default)]
    table: Table,
}

pub(super) async fn agreement(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    let live = app.registry.study(&study).await?;
    let view = agreement::of(&live).await?;
    let (name, written) = match (wanted.format, wanted.table) {
        (Form::Json, _) => return Ok(Json(view).into_response()),
        (Form::Csv, Table::Participants) => ("participants", agreement::judges_csv(&view)),
        (Form::Csv, Table::Alternatives) => ("alternatives", agreement::places_csv(&view)),
    };
    let bytes = written.map_err(|e| Refusal::internal(&e))?;
    let file = format!("attachment; filename=\"{}-{name}.csv\"", live.id);
    let headers =
        [(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, file)];
    Ok((headers, bytes).into_response())
}
