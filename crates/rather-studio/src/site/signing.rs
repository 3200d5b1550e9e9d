//! Signing in with the operator's token, and out.

use super::parameter;
use super::visit::{Visit, show};
use crate::access::set_cookie;
use crate::connections::Peer;
use crate::extract::{Form, Query};
use crate::pages;
use crate::refusal::Refusal;
use crate::security::session::Session;
use crate::studio::{App, now};
use crate::view::Reader;
use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use std::collections::HashMap;

/// The form.
#[derive(Debug, Deserialize)]
pub(super) struct SignInForm {
    #[serde(default)]
    csrf: String,
    token: String,
    #[serde(default)]
    next: String,
}

/// A form that says nothing but that it is ours.
#[derive(Debug, Deserialize)]
pub(super) struct SignOutForm {
    #[serde(default)]
    csrf: String,
}

pub(super) async fn page(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    query: Query<HashMap<String, String>>,
) -> Response {
    let next = ours(&parameter(&query, "next").unwrap_or_default());
    if visit.0.reader == Reader::Operator {
        return Redirect::to(&next).into_response();
    }
    show(pages::sign_in(&visit.0.frame(&app), &next, None), &[])
}

pub(super) async fn sign_in(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Extension(peer): Extension<Peer>,
    form: Form<SignInForm>,
) -> Result<Response, Refusal> {
    let form = visit.check(&app, form, |form| &form.csrf)?;
    let next = ours(&form.next);
    if !app.config.token.as_ref().is_none_or(|token| token.is(form.token.trim())) {
        app.guesses.wrong(peer).await;
        let sentence =
            "This is not the token of this studio; copy it again from where the studio was started.";
        let page = show(pages::sign_in(&visit.0.frame(&app), &next, Some(sentence)), &[]);
        return Ok((StatusCode::UNAUTHORIZED, page).into_response());
    }
    // A new session, so that one that somebody else may know is worth nothing.
    let session = Session::new(true, now())?;
    let cookie = [(header::SET_COOKIE, set_cookie(&app, Some(&session)))];
    Ok((cookie, Redirect::to(&next)).into_response())
}

pub(super) async fn sign_out(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    form: Form<SignOutForm>,
) -> Result<Response, Refusal> {
    visit.check(&app, form, |form| &form.csrf)?;
    if let Some(session) = &visit.0.session {
        app.end(session).await?;
    }
    let cookie = [(header::SET_COOKIE, set_cookie(&app, None))];
    Ok((cookie, Redirect::to("/sign-in")).into_response())
}

/// A path of ours to go on to; the first page for anything else.
fn ours(next: &str) -> String {
    // "//host" and "/\host" are other hosts to a browser.
    let path = next.starts_with('/') && !next[1..].starts_with(['/', '\\']);
    let plain = next.bytes().all(|b| b.is_ascii_graphic()) && !next.contains('\\');
    if path && plain && next.len() < 2000 { next.to_owned() } else { "/".to_owned() }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nobody_is_sent_elsewhere() {
        assert_eq!(super::ours("/studies/x/result?participant=a%20b"), "/studies/x/result?participant=a%20b");
        for foreign in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "javascript:x",
            "/a\r\nx: y",
            "/a\\b",
        ] {
            assert_eq!(super::ours(foreign), "/", "{foreign}");
        }
    }
}
