//! The page behind an open link, on which somebody joins a study. Messengers and scanners look at links: nobody joins by looking.

use super::guest::frame;
use super::visit::{Visit, show};
use crate::doors;
use crate::extract::{Form, Path};
use crate::pages;
use crate::refusal::{Code, Refusal};
use crate::registry::blocking;
use crate::security::participant::LinkToken;
use crate::studio::App;
use crate::summaries::{self, title};
use crate::tables::{Door, Joined};
use crate::view::JoinPage;
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use std::sync::Arc;

/// How long a browser remembers who joined with it, in seconds.
const REMEMBERED: u64 = 90 * 24 * 3600;

/// A form that says nothing but that it is ours.
#[derive(Debug, Deserialize)]
pub(super) struct JoinForm {
    #[serde(default)]
    csrf: String,
}

async fn study_behind(app: &App, token: &str) -> Result<(LinkToken, String, u32), Refusal> {
    match doors::behind(app, token).await? {
        (token, Door::Join { study, quota }) => Ok((token, study, quota)),
        (_, Door::Result { .. }) => Err(Refusal::not_found("link")),
    }
}

pub(super) async fn page(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (token, study, _) = study_behind(&app, &token).await?;
    if let Some(own) = own_link(&app, &headers, &token, &study).await? {
        return Ok(Redirect::to(&own.path()).into_response());
    }
    let live = app.registry.named(&study).await?;
    let view = JoinPage { title: title(&live), join: Some(format!("/j/{}", token.text())) };
    Ok(show(pages::join(&frame(&app, &visit, &live), &view), &[]))
}

pub(super) async fn join(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
    headers: HeaderMap,
    form: Form<JoinForm>,
) -> Result<Response, Refusal> {
    visit.check(&app, form, |form| &form.csrf)?;
    let (door, study, quota) = study_behind(&app, &token).await?;
    if let Some(own) = own_link(&app, &headers, &door, &study).await? {
        return Ok(Redirect::to(&own.path()).into_response());
    }
    let live = app.registry.named(&study).await?;
    let known = summaries::participants(&app, &live).await?.into_iter().map(|p| p.name).collect::<Vec<_>>();
    let tables = Arc::clone(app.registry.tables());
    let joined = blocking(move || Ok(tables.join(&study, quota, &known)?)).await?;
    match joined {
        Joined::As(own) => {
            let mut response = Redirect::to(&own.path()).into_response();
            if let Ok(cookie) = cookie(&app, &door, &own).parse() {
                response.headers_mut().append(header::SET_COOKIE, cookie);
            }
            Ok(response)
        }
        Joined::Full => {
            let view = JoinPage { title: title(&live), join: None };
            let page = show(pages::join(&frame(&app, &visit, &live), &view), &[]);
            Ok((Code::Conflict.status(), page).into_response())
        }
    }
}

/// The cookie by which a browser that comes back by the same open link is who it was. Its name holds the beginning of the link's hash, so that
/// two studies have two.
fn cookie_name(app: &App, door: &LinkToken) -> String {
    let hash = data_encoding::HEXLOWER.encode(&door.hash()[..6]);
    format!("rather-{}-{hash}", app.address.port())
}

fn cookie(app: &App, door: &LinkToken, own: &LinkToken) -> String {
    let secure = app.config.public.as_ref().is_some_and(|public| public.is_encrypted());
    let secure = if secure { "; Secure" } else { "" };
    format!(
        "{}={}; Path=/j/; Max-Age={REMEMBERED}; HttpOnly; SameSite=Lax{secure}",
        cookie_name(app, door),
        own.text()
    )
}

/// The link of whoever joined this study by this door with this browser, if it still opens something.
async fn own_link(
    app: &App,
    headers: &HeaderMap,
    door: &LinkToken,
    study: &str,
) -> Result<Option<LinkToken>, Refusal> {
    let name = cookie_name(app, door);
    let all = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let found = all
        .flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then(|| LinkToken::parse(value)).flatten());
    let Some(own) = found else { return Ok(None) };
    let (tables, token) = (Arc::clone(app.registry.tables()), own.clone());
    let guest = blocking(move || Ok(tables.guest(&token)?)).await?;
    Ok(guest.filter(|guest| guest.study == study).map(|_| own))
}
