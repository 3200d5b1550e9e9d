//! Answers out and in.

use crate::access::Operator;
use crate::extract::{Path, Query};
use crate::refusal::{Code, Refusal};
use crate::registry::{Live, blocking};
use crate::spreadsheet;
use crate::studio::App;
use crate::turns::who;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use rather_study::exchange::{Format, Imported};
use serde::Deserialize;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// What to export.
#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    format: Option<String>,
    participant: Option<String>,
    /// Whether the table is for a spreadsheet, which takes some names for formulas.
    #[serde(default)]
    spreadsheet: bool,
}

/// What is imported.
#[derive(Debug, Deserialize)]
pub(super) struct Brought {
    format: Option<String>,
    participant: Option<String>,
    #[serde(default)]
    again: bool,
}

pub(crate) async fn export(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<impl IntoResponse, Refusal> {
    let live = app.registry.study(&study).await?;
    let format: Format = wanted.format.as_deref().unwrap_or("csv").parse()?;
    let text = live.look(move |study| Ok(study.export(format, wanted.participant.as_deref())?)).await?;
    let text = match format {
        Format::Csv | Format::Winner if wanted.spreadsheet => {
            String::from_utf8(spreadsheet::each_cell(text.as_bytes(), spreadsheet::safe)).unwrap_or(text)
        }
        _ => text,
    };
    let media_type = match format {
        Format::Csv | Format::Winner => "text/csv; charset=utf-8",
        Format::Jsonl => "application/x-ndjson",
        _ => "text/plain; charset=utf-8",
    };
    let ending = if format == Format::Winner { "csv" } else { format.name() };
    let file = format!("attachment; filename=\"{}.{ending}\"", live.id);
    Ok(([(header::CONTENT_TYPE, media_type.to_owned()), (header::CONTENT_DISPOSITION, file)], text))
}

/// A copy of the whole file. It is sent in pieces: a file with recordings may be large.
pub(super) async fn backup(State(app): State<App>, _: Operator) -> Result<impl IntoResponse, Refusal> {
    let registry = Arc::clone(&app.registry);
    let copy = blocking(move || {
        let fault =
            |e: std::io::Error| Refusal::internal(&format!("a folder for the backup could not be made: {e}"));
        let path = registry.path();
        let beside = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(std::path::Path::new("."));
        let folder = tempfile::tempdir_in(beside).map_err(fault)?;
        let copy = folder.path().join("backup");
        registry.backup(&copy)?;
        // The folder and the name go at the end of this function, the file with the last piece.
        File::open(copy).map_err(fault)
    });
    let pieces = futures_util::stream::try_unfold(copy.await?, |mut copy| async move {
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = Vec::new();
            (&mut copy).take(PIECE).read_to_end(&mut piece)?;
            Ok::<_, std::io::Error>((!piece.is_empty()).then_some((Bytes::from(piece), copy)))
        });
        read.await.map_err(std::io::Error::other)?
    });
    let now = rather_study::time::format(1000 * crate::studio::now() as i64);
    let stem = app.registry.path().file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let stem: String = stem.chars().map(plain).collect();
    // 2026-11-22T081500
    let name = format!("attachment; filename=\"{stem}-{}.db\"", now[..19].replace(':', ""));
    let headers =
        [(header::CONTENT_TYPE, "application/vnd.sqlite3".to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, Body::from_stream(pieces)))
}

/// Bytes of a file that are read at once.
const PIECE: u64 = 1 << 20;

pub(super) async fn import(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(brought): Query<Brought>,
    headers: HeaderMap,
    request: Request,
) -> Result<Json<Imported>, Refusal> {
    // A form of a foreign page can send text/plain without asking; these it cannot.
    let sent = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let sent = sent.split(';').next().unwrap_or_default().trim();
    if !matches!(sent, "text/csv" | "application/x-ndjson" | "application/octet-stream") {
        return Err(Refusal::new(
            Code::Unsupported,
            "send the file as text/csv, application/x-ndjson or application/octet-stream",
        ));
    }
    let live = app.registry.study(&study).await?;
    let format: Format = brought.format.as_deref().unwrap_or("csv").parse()?;
    let bytes =
        Bytes::from_request(request, &app).await.map_err(|e| crate::extract::read_error(e.status()))?;
    bring(&live, bytes, format, brought.participant, brought.again).await.map(Json)
}

/// Adds the answers of a file. Whose they are stands in the file; where it does not, they are `participant`'s, or those of the only one there is.
pub(crate) async fn bring(
    live: &Live,
    bytes: Bytes,
    format: Format,
    participant: Option<String>,
    again: bool,
) -> Result<Imported, Refusal> {
    let participant = participant.or_else(|| who(&live.definition, None).ok());
    let bytes = match format {
        Format::Csv | Format::Winner if bytes.contains(&b'\'') => {
            spreadsheet::each_cell(&bytes, |cell| spreadsheet::read(cell).to_owned()).into()
        }
        _ => bytes,
    };
    let work = move |study: &mut rather_study::Study| {
        let file = std::path::Path::new("the file");
        Ok(study.import_bytes(file, &bytes, format, participant.as_deref(), again)?)
    };
    live.answer("", work).await
}
