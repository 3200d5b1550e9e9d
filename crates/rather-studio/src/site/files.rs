//! Media and assets.

use crate::assets;
use crate::extract::Path;
use crate::refusal::Refusal;
use crate::render::Media;
use crate::security::headers::FRAME_POLICY;
use crate::studio::App;
use crate::view::MediaKind;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// The same address has the same content: it may be kept by the browser, but by nobody between.
const KEPT: &str = "private, max-age=31536000, immutable";
/// Assets are nobody's secret.
const KEPT_BY_ALL: &str = "public, max-age=31536000, immutable";

pub(super) async fn medium(
    State(app): State<App>,
    headers: HeaderMap,
    Path(address): Path<String>,
) -> Result<Response, Refusal> {
    let mut response = served(app.served(&address, takes_flac(&headers)).await?, KEPT);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

/// Whether a request asks for FLAC by its name: the player does, where the browser decodes it.
fn takes_flac(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|range| range.trim() == "audio/flac")
}

/// Media as a response, to be kept as `kept` says.
pub(super) fn served(media: Media, kept: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, media.format.content_type()), (header::CACHE_CONTROL, kept)];
    let mut response = (headers, media.bytes).into_response();
    if matches!(media.format.kind(), MediaKind::Html | MediaKind::Pdf) {
        let policy = HeaderValue::from_static(FRAME_POLICY);
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

pub(super) async fn asset(Path((_, name)): Path<(String, String)>) -> Result<impl IntoResponse, Refusal> {
    let asset = assets::find(&name).ok_or_else(|| Refusal::not_found("file"))?;
    Ok(([(header::CONTENT_TYPE, asset.media_type), (header::CACHE_CONTROL, KEPT_BY_ALL)], asset.bytes))
}
