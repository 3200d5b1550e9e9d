//! Pages of participants who came by a link: one study's duels, and nothing else.

use super::answering::{self, AnswerForm, Place};
use super::visit::{Visit, show};
use crate::api::{Asked, look_ahead};
use crate::extract::{Body, Form, Path};
use crate::pages;
use crate::questionnaire::{self, Question};
use crate::refusal::{Code, Refusal};
use crate::registry::{Live, blocking};
use crate::security::participant::LinkToken;
use crate::studio::{App, now};
use crate::summaries::title;
use crate::turns::take;
use crate::view::{Frame, QuestionsPage, Reader, WelcomePage};
use axum::Extension;
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;

/// Whose page a link opens.
async fn guest(app: &App, token: &str) -> Result<(Arc<Live>, String), Refusal> {
    let nobody = || Refusal::not_found("link");
    let token = LinkToken::parse(token).ok_or_else(nobody)?;
    let tables = Arc::clone(app.registry.tables());
    let guest = blocking(move || Ok(tables.guest(&token)?)).await?.ok_or_else(nobody)?;
    Ok((app.registry.named(&guest.study).await?, guest.participant))
}

pub(super) async fn page(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
) -> Result<Response, Refusal> {
    let (live, participant) = guest(&app, &token).await?;
    let path = format!("/p/{token}");
    if !has_begun(&app, &live, &participant).await? {
        let shown = &live.presentation;
        let view = WelcomePage {
            title: title(&live),
            instructions: shown.instructions.clone(),
            consent: shown.consent.clone(),
            volume_check: shown.volume_check,
            begin: format!("{path}/begin"),
        };
        return Ok(show(pages::welcome(&frame(&app, &visit, &live), &view), &[]));
    }
    let open = !unanswered(&app, &live, &participant).await?.is_empty();
    let questions = open.then(|| format!("{path}/questions"));
    let place = Place { page: path.clone(), api: path, result: None, panel: None, questions };
    answering::page(&app, &visit.0, &live, &participant, place).await
}

/// What is around a page of a study for its participants, in their language: whoever opens it, the operator too, sees what they see.
pub(super) fn frame(app: &App, visit: &Visit, live: &Live) -> Frame {
    let language = live.presentation.language.clone();
    Frame { reader: Reader::Participant, language, ..visit.0.frame(app) }
}

/// Whether a participant has read what there is to read first, and agreed.
async fn has_begun(app: &App, live: &Live, participant: &str) -> Result<bool, Refusal> {
    if !live.presentation.welcomes() {
        return Ok(true);
    }
    let (tables, study, name) =
        (Arc::clone(app.registry.tables()), live.name.clone(), participant.to_owned());
    blocking(move || Ok(tables.has_begun(&study, &name)?)).await
}

/// The form of the first page.
#[derive(Debug, Deserialize)]
pub(super) struct BeginForm {
    #[serde(default)]
    csrf: String,
    #[serde(default)]
    consent: String,
    /// Of the test for headphones, how many tones were told right.
    #[serde(default)]
    headphones: String,
}

/// What the result of the test for headphones is kept as, beside answers to questions.
const HEADPHONES: &str = "Headphones: tones identified, of 6";

/// The questions at the end that a participant must still answer.
async fn unanswered(app: &App, live: &Live, participant: &str) -> Result<Vec<Question>, Refusal> {
    let asked = &live.presentation.questionnaire;
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let (tables, study, name) =
        (Arc::clone(app.registry.tables()), live.name.clone(), participant.to_owned());
    let answered = blocking(move || Ok(tables.remarked(&study, &name)?)).await?;
    // Whoever left all optional ones open has sent the form, too, if there is an answer to any.
    let sent = asked.iter().any(|question| answered.contains(&question.question));
    Ok(if sent { Vec::new() } else { asked.clone() })
}

pub(super) async fn questions(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
) -> Result<Response, Refusal> {
    let (live, participant) = guest(&app, &token).await?;
    check_begun(&app, &live, &participant).await?;
    let questions = unanswered(&app, &live, &participant).await?;
    if questions.is_empty() {
        return Ok(Redirect::to(&format!("/p/{token}")).into_response());
    }
    let view = QuestionsPage { title: title(&live), questions, send: format!("/p/{token}/questions") };
    Ok(show(pages::questions(&frame(&app, &visit, &live), &view), &[]))
}

/// Answers to the questions at the end.
pub(super) async fn remark(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
    form: Form<HashMap<String, String>>,
) -> Result<Redirect, Refusal> {
    let form = visit.check(&app, form, |form| form.get("csrf").map_or("", String::as_str))?;
    let (live, participant) = guest(&app, &token).await?;
    check_begun(&app, &live, &participant).await?;
    let sent = |i: usize| form.get(&format!("q{i}")).cloned();
    let mut answers =
        questionnaire::answers(&live.presentation.questionnaire, sent).map_err(Refusal::invalid)?;
    if answers.is_empty() {
        // All were left open: that was an answer, too.
        answers.extend(live.presentation.questionnaire.first().map(|q| (q.question.clone(), String::new())));
    }
    keep(&app, &live, participant, answers).await?;
    Ok(Redirect::to(&format!("/p/{token}")))
}

async fn keep(
    app: &App,
    live: &Live,
    participant: String,
    answers: Vec<(String, String)>,
) -> Result<(), Refusal> {
    let (tables, study) = (Arc::clone(app.registry.tables()), live.name.clone());
    let time = i64::try_from(1000 * now()).unwrap_or(i64::MAX);
    blocking(move || Ok(tables.remark(&study, &participant, &answers, time)?)).await
}

pub(super) async fn begin(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
    form: Form<BeginForm>,
) -> Result<Redirect, Refusal> {
    let form = visit.check(&app, form, |form| &form.csrf)?;
    let (live, participant) = guest(&app, &token).await?;
    if !live.presentation.consent.is_empty() && form.consent.is_empty() {
        return Err(Refusal::invalid("tick the box to agree, and begin then; nothing was recorded"));
    }
    if let (true, Ok(told @ 0..=6)) = (live.presentation.volume_check, form.headphones.parse::<u8>()) {
        keep(&app, &live, participant.clone(), vec![(HEADPHONES.to_owned(), told.to_string())]).await?;
    }
    let (tables, study) = (Arc::clone(app.registry.tables()), live.name.clone());
    blocking(move || Ok(tables.begin(&study, &participant)?)).await?;
    Ok(Redirect::to(&format!("/p/{token}")))
}

/// Nobody answers before that.
async fn check_begun(app: &App, live: &Live, participant: &str) -> Result<(), Refusal> {
    if has_begun(app, live, participant).await? {
        return Ok(());
    }
    Err(Refusal::new(Code::Conflict, "open the link and begin there first; nothing was recorded"))
}

pub(super) async fn answer(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
    form: Form<AnswerForm>,
) -> Result<Redirect, Refusal> {
    let form = visit.check(&app, form, |form| &form.csrf)?;
    let (live, participant) = guest(&app, &token).await?;
    check_begun(&app, &live, &participant).await?;
    take(&app, &live, (&participant, Reader::Participant), form.step()?).await?;
    Ok(Redirect::to(&format!("/p/{token}")))
}

/// `ask`, `ahead`, `tell`, `skip` and `undo`, as in the API. Nobody can forge such a request who does not know the link.
pub(super) async fn step(
    State(app): State<App>,
    Path((token, verb)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Refusal> {
    let (live, participant) = guest(&app, &token).await?;
    check_begun(&app, &live, &participant).await?;
    if verb == "ahead" {
        let body = Body::from_request(request, &app).await?.0;
        return look_ahead(body, &app, &live, Some(&participant)).await.map(IntoResponse::into_response);
    }
    let asked = match verb.as_str() {
        "ask" => Asked::Ask(Body::from_request(request, &app).await?.0),
        "tell" => Asked::Tell(Body::from_request(request, &app).await?.0),
        "skip" => Asked::Skip(Body::from_request(request, &app).await?.0),
        "undo" => Asked::Undo(Body::from_request(request, &app).await?.0),
        _ => return Err(Refusal::not_found("page")),
    };
    asked.carry_out(&app, &live, Some(&participant)).await.map(IntoResponse::into_response)
}
