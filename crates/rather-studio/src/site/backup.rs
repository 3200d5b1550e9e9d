//! A backup that is sent to be brought back.

use super::visit::Visit;
use crate::access::Operator;
use crate::extract::read_error;
use crate::refusal::{Code, Refusal};
use crate::restoring::Sent;
use crate::studio::App;
use axum::Extension;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, State};
use axum::response::Redirect;

/// The token of the form must come before the file, so that nothing of a foreign page is kept.
pub(super) async fn restore(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    body: Result<Multipart, MultipartRejection>,
) -> Result<Redirect, Refusal> {
    let mut body = body
        .map_err(|_| Refusal::new(Code::Unsupported, "send the form as browsers do (multipart/form-data)"))?;
    let mut sent = None;
    let mut csrf = String::new();
    while let Some(mut field) = body.next_field().await.map_err(|e| read_error(e.status()))? {
        match field.name() {
            Some("csrf") => csrf = field.text().await.map_err(|e| read_error(e.status()))?,
            Some("file") => {
                visit.0.check_form(&app, &csrf)?;
                let mut file = Sent::new(&app)?;
                let mut length = 0;
                while let Some(piece) = field.chunk().await.map_err(|e| read_error(e.status()))? {
                    length += piece.len();
                    file = file.append(piece).await?;
                }
                sent = Some(file).filter(|_| length > 0);
            }
            _ => {}
        }
    }
    visit.0.check_form(&app, &csrf)?;
    let sent = sent.ok_or_else(|| Refusal::invalid("choose a backup, and send it again"))?;
    let brought = sent.bring(&app).await?;
    Ok(Redirect::to(&format!("/?restored={}", brought.len())))
}
