//! A result that is shown to whoever has its link: to be read, without names, answers or anything that changes the study.

use super::visit::{Visit, show};
use crate::api::Drawn;
use crate::doors;
use crate::extract::{Path, Query};
use crate::pages;
use crate::refusal::Refusal;
use crate::registry::Live;
use crate::results::{self, Shown};
use crate::studio::App;
use crate::tables::Door;
use crate::turns::who;
use crate::view::ResultView;
use crate::window::Window;
use axum::Extension;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Whose result a link shows; nobody's where all answers are pooled.
async fn behind(app: &App, token: &str) -> Result<(Arc<Live>, Option<String>), Refusal> {
    match doors::behind(app, token).await?.1 {
        Door::Result { study, whose } => {
            Ok((app.registry.named(&study).await?, Some(whose).filter(|name| !name.is_empty())))
        }
        Door::Join { .. } => Err(Refusal::not_found("link")),
    }
}

pub(super) async fn page(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(token): Path<String>,
) -> Result<Response, Refusal> {
    let (live, whose) = behind(&app, &token).await?;
    let (all, none) = (Window { offset: 0, limit: Window::MOST }, Window { offset: 0, limit: 0 });
    let parts = Shown { ranking: all, history: none, people: none };
    let mut view = results::of(&app, &live, whose.as_deref(), parts).await?;
    without_names(&mut view);
    for figure in &mut view.figures {
        figure.url = format!("/r/{token}/figures/{}.svg", figure.kind);
    }
    Ok(show(pages::shared(&visit.0.frame(&app), &view), live.showing.origins()))
}

/// What a stranger is not told: who answered what.
fn without_names(view: &mut ResultView) {
    view.participants.clear();
    view.participant = None;
    view.history.clear();
    view.exports.clear();
    view.next = None;
    view.origin = None;
    view.may_change = false;
}

pub(super) async fn figure(
    State(app): State<App>,
    Path((token, file)): Path<(String, String)>,
    Query(drawn): Query<Drawn>,
) -> Result<Response, Refusal> {
    let (live, whose) = behind(&app, &token).await?;
    let kind = file.strip_suffix(".svg").ok_or_else(|| Refusal::not_found("figure"))?;
    let participant = match whose {
        Some(name) => name,
        None => who(&live.definition, None).unwrap_or_else(|_| live.definition.participants.names[0].clone()),
    };
    let svg =
        results::figure(&live, &participant, kind, drawn.width, drawn.theme.unwrap_or_default()).await?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}
