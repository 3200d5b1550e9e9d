//! Whether there is something new, asked now and then by windows that show a result.
//!
//! Asking takes a moment and holds no connection. A stream that stays open would: browsers open six connections to one host, so
//! that seven windows with a stream each would keep every other page waiting.

use crate::access::Operator;
use crate::extract::Path;
use crate::refusal::Refusal;
use crate::studio::App;
use axum::Json;
use axum::extract::State;
use serde::Serialize;

/// How much a study was answered.
#[derive(Debug, Serialize)]
pub(super) struct Changes {
    answers: u64,
    changes: u64,
}

pub(super) async fn changes(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
) -> Result<Json<Changes>, Refusal> {
    let counts = app.registry.study(&study).await?.counts().await?;
    Ok(Json(Changes { answers: counts.answers(), changes: counts.changes }))
}
