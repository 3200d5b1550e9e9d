//! Alternatives to see or hear, whichever they are: for who looks at a result, not for who answers.

use crate::access::Operator;
use crate::extract::{Body, Path};
use crate::refusal::{Code, Refusal};
use crate::studio::{App, Patience};
use crate::view::{AlternativeView, Reader};
use axum::Json;
use axum::extract::State;
use futures_util::future::try_join_all;
use rather_study::Alternative;
use serde::{Deserialize, Serialize};

/// At most so many are rendered for one request.
const MOST: usize = 12;

/// What is to be shown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    alternatives: Vec<Alternative>,
}

/// How it is shown.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    alternatives: Vec<AlternativeView>,
}

pub(super) async fn show(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(Wanted { alternatives }): Body<Wanted>,
) -> Result<Json<Shown>, Refusal> {
    if !(1..=MOST).contains(&alternatives.len()) {
        let found = alternatives.len();
        return Err(Refusal::invalid(format!(
            "from 1 to {MOST} alternatives are shown at once, not {found}"
        )));
    }
    let live = app.registry.study(&study).await?;
    let show = |alternative: Alternative| {
        let (app, live) = (&app, &live);
        async move {
            let alternative = live.definition.normalised(&alternative).map_err(Refusal::invalid)?;
            let media = app.media_view(live, &alternative, Patience::Full).await.map_err(|unshown| {
                let reason = unshown.reason(Reader::Operator);
                Refusal::new(Code::Renderer, format!("{alternative} cannot be shown: {reason}"))
            })?;
            let (label, parameters) =
                (live.showing.line(&alternative), live.showing.parameters(&alternative));
            Ok::<_, Refusal>(AlternativeView { label, media, parameters, alternative: Some(alternative) })
        }
    };
    Ok(Json(Shown { alternatives: try_join_all(alternatives.into_iter().map(show)).await? }))
}
