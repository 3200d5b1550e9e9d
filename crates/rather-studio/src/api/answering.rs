//! Asking and telling.

use crate::access::Operator;
use crate::extract::{Body, Path};
use crate::refusal::Refusal;
use crate::registry::Live;
use crate::studio::{App, Patience};
use crate::turns::{self, Step, take, who};
use crate::view::{Ahead, AnswerKind, Reader, Turn};
use axum::Json;
use axum::extract::State;
use rather_study::{Alternative, Timing};
use serde::Deserialize;
use std::sync::Arc;

/// Who asks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskBody {
    participant: Option<String>,
    /// Scripts send one with every request; asking needs none.
    #[serde(rename = "key")]
    _key: Option<String>,
}

/// An answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TellBody {
    participant: Option<String>,
    duel: Option<u32>,
    left: Option<Alternative>,
    right: Option<Alternative>,
    options: Option<Vec<Alternative>>,
    answer: AnswerKind,
    key: Option<String>,
    timing: Option<Timing>,
}

/// A duel that is passed over.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkipBody {
    participant: Option<String>,
    duel: u32,
    key: Option<String>,
    timing: Option<Timing>,
}

/// An answer that is taken back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoBody {
    participant: Option<String>,
    duel: Option<u32>,
    key: Option<String>,
}

impl TellBody {
    fn step(self) -> Result<Step, Refusal> {
        let Self { duel, left, right, options, answer, key, timing, .. } = self;
        match (duel, left, right, options) {
            (Some(duel), None, None, None) => Ok(Step::Tell { duel, answer, key, timing }),
            (None, Some(left), Some(right), None) => {
                Ok(Step::TellAbout { options: vec![left, right], answer, key })
            }
            (None, None, None, Some(options)) => Ok(Step::TellAbout { options, answer, key }),
            _ => Err(Refusal::invalid(
                "give the number of the comparison, or both \"left\" and \"right\" for a pair that was not asked, or its \"options\" for a set",
            )),
        }
    }
}

/// A request of somebody who may answer, whoever let them in.
#[derive(Debug)]
pub(crate) enum Asked {
    /// For a duel.
    Ask(AskBody),
    /// An answer.
    Tell(TellBody),
    /// No answer.
    Skip(SkipBody),
    /// Not that answer.
    Undo(UndoBody),
}

impl Asked {
    fn participant(&self) -> Option<&str> {
        let name = match self {
            Self::Ask(body) => body.participant.as_deref(),
            Self::Tell(body) => body.participant.as_deref(),
            Self::Skip(body) => body.participant.as_deref(),
            Self::Undo(body) => body.participant.as_deref(),
        };
        // An empty name is none.
        name.filter(|name| !name.is_empty())
    }

    /// Carries it out for `guest`, or for whom the request names.
    pub(crate) async fn carry_out(
        self,
        app: &App,
        live: &Arc<Live>,
        guest: Option<&str>,
    ) -> Result<Json<Turn>, Refusal> {
        let participant = meant(live, guest, self.participant())?;
        let step = match self {
            Self::Ask(_) => Step::Ask { patience: Patience::Full },
            Self::Tell(body) => body.step()?,
            Self::Skip(SkipBody { duel, key, timing, .. }) => Step::Skip { duel, key, timing },
            Self::Undo(UndoBody { duel, key, .. }) => Step::Undo { duel, key },
        };
        let reader = if guest.is_some() { Reader::Participant } else { Reader::Operator };
        take(app, live, (&participant, reader), step).await.map(Json)
    }
}

/// Who answers: the guest, or whom the request names.
fn meant(live: &Live, guest: Option<&str>, named: Option<&str>) -> Result<String, Refusal> {
    if let (Some(guest), Some(named)) = (guest, named)
        && guest != named
    {
        return Err(Refusal::invalid("this link is another participant's; open your own link again"));
    }
    who(&live.definition, guest.or(named))
}

/// What `guest`, or whom the request names, may be shown next.
pub(crate) async fn look_ahead(
    body: AskBody,
    app: &App,
    live: &Arc<Live>,
    guest: Option<&str>,
) -> Result<Json<Ahead>, Refusal> {
    let named = body.participant.filter(|name| !name.is_empty());
    let participant = meant(live, guest, named.as_deref())?;
    turns::ahead(app, live, &participant).await.map(Json)
}

pub(super) async fn ahead(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(body): Body<AskBody>,
) -> Result<Json<Ahead>, Refusal> {
    look_ahead(body, &app, &app.registry.study(&study).await?, None).await
}

pub(super) async fn ask(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(body): Body<AskBody>,
) -> Result<Json<Turn>, Refusal> {
    Asked::Ask(body).carry_out(&app, &app.registry.study(&study).await?, None).await
}

pub(super) async fn tell(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(body): Body<TellBody>,
) -> Result<Json<Turn>, Refusal> {
    Asked::Tell(body).carry_out(&app, &app.registry.study(&study).await?, None).await
}

pub(super) async fn skip(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(body): Body<SkipBody>,
) -> Result<Json<Turn>, Refusal> {
    Asked::Skip(body).carry_out(&app, &app.registry.study(&study).await?, None).await
}

pub(super) async fn undo(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(body): Body<UndoBody>,
) -> Result<Json<Turn>, Refusal> {
    Asked::Undo(body).carry_out(&app, &app.registry.study(&study).await?, None).await
}
