//! Forms that change a study: its settings, copies, the archive, answers from a file.

use super::visit::Visit;
use crate::access::Operator;
use crate::doors;
use crate::extract::{Form, Path, read_error};
use crate::life::{self, Change};
use crate::refusal::{Code, Refusal};
use crate::studio::App;
use axum::Extension;
use axum::body::Bytes;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{FromRequest, FromRequestParts, Multipart, Request, State};
use axum::response::Redirect;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rather_study::exchange::Format;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What the operator asks for a study, by a form of a page of this session.
#[derive(Debug)]
pub(super) struct Asked<T> {
    study: String,
    form: T,
}

/// A form with the mark of the session that it was made for.
#[derive(Debug, Deserialize)]
struct Marked<T> {
    #[serde(default)]
    csrf: String,
    #[serde(flatten)]
    form: T,
}

impl<T: DeserializeOwned> FromRequest<App> for Asked<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Self, Refusal> {
        let (mut parts, body) = request.into_parts();
        let Operator(access) = Operator::from_request_parts(&mut parts, app).await?;
        let Path(study) = Path::<String>::from_request_parts(&mut parts, app).await?;
        let Form(sent) = Form::<Marked<T>>::from_request(Request::from_parts(parts, body), app).await?;
        access.check_form(app, &sent.csrf)?;
        Ok(Self { study, form: sent.form })
    }
}

/// A form without fields.
#[derive(Debug, Deserialize)]
pub(super) struct Plain {}

/// The settings of a study. A box that is not ticked sends nothing.
#[derive(Debug, Deserialize)]
pub(super) struct Settings {
    title: String,
    #[serde(default)]
    comparisons: String,
    #[serde(default)]
    paused: String,
    #[serde(default)]
    webhook: String,
}

/// The participant of a form.
#[derive(Debug, Deserialize)]
pub(super) struct OfParticipant {
    #[serde(default)]
    name: String,
}

pub(super) async fn change(
    State(app): State<App>,
    Asked { study, form }: Asked<Settings>,
) -> Result<Redirect, Refusal> {
    let live = app.registry.study(&study).await?;
    let wanted = Change::of_form(&form.title, &form.comparisons, !form.paused.is_empty(), &form.webhook)?;
    let live = life::change(&app, &live, wanted).await?;
    Ok(Redirect::to(&format!("/studies/{}/result", live.id)))
}

pub(super) async fn copy(
    State(app): State<App>,
    Asked { study, .. }: Asked<Plain>,
) -> Result<Redirect, Refusal> {
    let live = app.registry.study(&study).await?;
    let copy = app.registry.copy(&live).await?;
    Ok(Redirect::to(&format!("/studies/{}/result", copy.id)))
}

pub(super) async fn archive(
    State(app): State<App>,
    Asked { study, .. }: Asked<Plain>,
) -> Result<Redirect, Refusal> {
    let live = app.registry.study(&study).await?;
    app.registry.archive(&live).await?;
    Ok(Redirect::to("/"))
}

pub(super) async fn restore(
    State(app): State<App>,
    Asked { study, .. }: Asked<Plain>,
) -> Result<Redirect, Refusal> {
    app.registry.restore(&study).await?;
    Ok(Redirect::to(&format!("/studies/{study}/result")))
}

pub(super) async fn delete(
    State(app): State<App>,
    Asked { study, .. }: Asked<Plain>,
) -> Result<Redirect, Refusal> {
    app.registry.delete(&study).await?;
    Ok(Redirect::to("/"))
}

pub(super) async fn revoke(
    State(app): State<App>,
    Asked { study, form }: Asked<OfParticipant>,
) -> Result<Redirect, Refusal> {
    let live = app.registry.study(&study).await?;
    crate::api::revoke_of(&app, &live, form.name).await?;
    Ok(Redirect::to(&format!("/studies/{}/result#people", live.id)))
}

/// How many may join.
#[derive(Debug, Deserialize)]
pub(super) struct OpenForm {
    #[serde(default)]
    quota: String,
}

pub(super) async fn open_to_all(
    State(app): State<App>,
    Asked { study, form }: Asked<OpenForm>,
) -> Result<Redirect, Refusal> {
    let live = app.registry.study(&study).await?;
    let quota = form.quota.trim();
    let quota = quota.parse().map_err(|_| {
        Refusal::invalid(format!("{} is not a number of participants", rather_io::quote(quota)))
    })?;
    doors::open_to_all(&app, &live, quota).await?;
    Ok(Redirect::to(&format!("/studies/{}/result#people", live.id)))
}

pub(super) async fn close_to_all(
    State(app): State<App>,
    Asked { study, .. }: Asked<Plain>,
) -> Result<Redirect, Refusal> {
    let live = app.registry.study(&study).await?;
    doors::close_to_all(&app, &live).await?;
    Ok(Redirect::to(&format!("/studies/{}/result#people", live.id)))
}

pub(super) async fn share(
    State(app): State<App>,
    Asked { study, form }: Asked<OfParticipant>,
) -> Result<Redirect, Refusal> {
    let live = app.registry.study(&study).await?;
    doors::share(&app, &live, &form.name).await?;
    Ok(Redirect::to(&shared_beside(&live.id, &form.name)))
}

pub(super) async fn unshare(
    State(app): State<App>,
    Asked { study, form }: Asked<OfParticipant>,
) -> Result<Redirect, Refusal> {
    let live = app.registry.study(&study).await?;
    doors::unshare(&app, &live, &form.name).await?;
    Ok(Redirect::to(&shared_beside(&live.id, &form.name)))
}

/// The result that was shared, or not any more.
fn shared_beside(study: &str, whose: &str) -> String {
    let whose = utf8_percent_encode(whose, NON_ALPHANUMERIC);
    let query = if whose.to_string().is_empty() { String::new() } else { format!("?participant={whose}") };
    format!("/studies/{study}/result{query}#share")
}

/// A file of answers, as it was sent.
#[derive(Default)]
struct Sent {
    csrf: String,
    format: String,
    participant: String,
    again: bool,
    bytes: Bytes,
}

pub(super) async fn import(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    Path(study): Path<String>,
    body: Result<Multipart, MultipartRejection>,
) -> Result<Redirect, Refusal> {
    let body = body
        .map_err(|_| Refusal::new(Code::Unsupported, "send the form as browsers do (multipart/form-data)"))?;
    let sent = read(body).await?;
    visit.0.check_form(&app, &sent.csrf)?;
    if sent.bytes.is_empty() {
        return Err(Refusal::invalid("choose a file with answers"));
    }
    let live = app.registry.study(&study).await?;
    let format: Format = sent.format.parse()?;
    let participant = Some(sent.participant.trim().to_owned()).filter(|name| !name.is_empty());
    let imported = crate::api::bring(&live, sent.bytes, format, participant, sent.again).await?;
    Ok(Redirect::to(&format!("/studies/{}/result?imported={}#history", live.id, imported.answers)))
}

async fn read(mut body: Multipart) -> Result<Sent, Refusal> {
    let mut sent = Sent::default();
    while let Some(field) = body.next_field().await.map_err(|e| read_error(e.status()))? {
        let name = field.name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(|e| read_error(e.status()))?;
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        match name.as_str() {
            "csrf" => sent.csrf = text(),
            "format" => sent.format = text(),
            "participant" => sent.participant = text(),
            "again" => sent.again = !bytes.is_empty(),
            "file" => sent.bytes = bytes,
            _ => {}
        }
    }
    Ok(sent)
}
