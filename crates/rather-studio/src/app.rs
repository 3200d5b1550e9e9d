//! The application: every address, and what stands before all of them.

use crate::api;
use crate::compression;
use crate::refusal::{Code, Refusal};
use crate::security::{csrf, headers};
use crate::site;
use crate::studio::App;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::HOST;
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::time::Duration;
use tower_http::catch_panic::CatchPanicLayer;

/// The application over what all requests share.
pub fn router(app: App) -> Router {
    Router::new()
        .merge(site::router(&app))
        .merge(api::router(&app.config.limits))
        .fallback(site::nowhere)
        .method_not_allowed_fallback(async || {
            Refusal::new(Code::Method, "this address does not take this method")
        })
        .layer(from_fn_with_state(app.clone(), guard))
        .layer(CatchPanicLayer::custom(broken))
        .layer(from_fn_with_state(app.clone(), finish))
        .with_state(app)
}

/// Lets only requests through that are meant for us and come from us, and none that takes for ever.
async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut named = request.headers().get_all(HOST).into_iter();
    let host = named.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
    // A second name, or one in the address itself, may be the one that a proxy before us looked at.
    let other = named.next().is_some();
    let absolute = request.uri().authority().is_some_and(|name| !name.as_str().eq_ignore_ascii_case(host));
    if !app.hosts.are(host) || other || absolute {
        let sentence = "this studio does not answer to this name; open it by the address that it printed, or start it with --origin";
        return Refusal::new(Code::Misdirected, sentence).into_response();
    }
    if !csrf::is_safe(request.method()) && !csrf::comes_from_us(request.headers(), &app.hosts) {
        return Refusal::new(Code::Forbidden, "this was sent from a page that is not this studio's")
            .into_response();
    }
    let limit = app.config.limits.request;
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Refusal::new(Code::Busy, "this took too long; try again in a moment").into_response(),
    }
}

/// Adds to every answer what the browser must know.
async fn finish(State(app): State<App>, request: Request, next: Next) -> Response {
    let compressed = compression::is_read(request.headers());
    let mut response = next.run(request).await;
    if compressed {
        response = compression::figure(response).await;
    }
    headers::complete(response.headers_mut());
    if app.config.public.as_ref().is_some_and(|public| public.is_encrypted()) {
        headers::stay_encrypted(response.headers_mut());
    }
    if response.status() == Code::Busy.status() {
        let wait = HeaderValue::from(Duration::from_secs(1).as_secs());
        response.headers_mut().insert(header::RETRY_AFTER, wait);
    }
    response
}

/// A panic is a bug; whoever sent the request learns no more than that.
fn broken(panic: Box<dyn Any + Send>) -> Response {
    let said =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    Refusal::internal(&format!("a bug in rather: {}", said.unwrap_or("a panic"))).into_response()
}
