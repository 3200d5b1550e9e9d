//! The duel page, for the operator and for guests: they differ in where it is.

use super::visit::show;
use crate::access::Access;
use crate::languages::Words;
use crate::pages;
use crate::presentation::Presentation;
use crate::refusal::Refusal;
use crate::registry::Live;
use crate::studio::{App, Patience};
use crate::summaries::title;
use crate::turns::{Step, take};
use crate::view::{AnswerKind, DuelPage, DuelStyle, Reader};
use axum::response::Response;
use rather_study::Answer;
use serde::Deserialize;
use std::sync::Arc;

/// The form of a duel page, as browsers without scripts send it.
#[derive(Debug, Deserialize)]
pub(super) struct AnswerForm {
    #[serde(default)]
    pub(super) csrf: String,
    #[serde(default)]
    pub(super) participant: String,
    duel: u32,
    #[serde(default)]
    key: String,
    action: String,
    /// Of a set, the numbers of the options that are the best and the worst.
    best: Option<u8>,
    worst: Option<u8>,
}

impl AnswerForm {
    pub(super) fn step(&self) -> Result<Step, Refusal> {
        let key = Some(self.key.clone()).filter(|key| !key.is_empty());
        let duel = self.duel;
        Ok(match self.action.as_str() {
            "skip" => Step::Skip { duel, key, timing: None },
            // The button stands beside an open duel, so the form's key is that duel's: the undo needs none.
            "undo" => Step::Undo { duel: None, key: None },
            "extremes" => match (self.best, self.worst) {
                (Some(best), Some(worst)) => {
                    Step::Tell { duel, answer: AnswerKind::BestAndWorst(best, worst), key, timing: None }
                }
                _ => return Err(Refusal::invalid("choose the best one and the worst one, and send again")),
            },
            other => match Answer::try_from(other.to_owned()).ok().and_then(AnswerKind::of) {
                Some(answer) => Step::Tell { duel, answer, key, timing: None },
                None => return Err(Refusal::invalid(format!("{} is no answer", rather_io::quote(other)))),
            },
        })
    }
}

/// Where a duel page is.
pub(super) struct Place {
    pub(super) page: String,
    pub(super) api: String,
    pub(super) result: Option<String>,
    pub(super) panel: Option<String>,
    /// Where questions at the end are asked that have no answer yet.
    pub(super) questions: Option<String>,
}

pub(super) async fn page(
    app: &App,
    access: &Access,
    live: &Arc<Live>,
    participant: &str,
    place: Place,
) -> Result<Response, Refusal> {
    let operator = place.result.is_some();
    let reader = if operator { Reader::Operator } else { Reader::Participant };
    let turn = take(app, live, (participant, reader), Step::Ask { patience: Patience::Text }).await?;
    let mut frame = access.frame(app);
    frame.reader = reader;
    if !operator {
        frame.language.clone_from(&live.presentation.language);
    }
    let view = DuelPage {
        study: if operator { live.id.clone() } else { String::new() },
        title: title(live),
        participant: participant.to_owned(),
        page: place.page,
        api: place.api,
        result: place.result,
        panel: place.panel,
        questions: place.questions,
        words: Words::of(&frame.language).texts().clone(),
        thanks: if operator { String::new() } else { live.presentation.thanks.clone() },
        redirect: if operator { String::new() } else { live.presentation.redirect.clone() },
        style: DuelStyle {
            blind: live.presentation.blind,
            answers: live.presentation.answers(&live.definition),
            set: Presentation::set(&live.definition),
            restart: live.presentation.restart,
            loudness: live.presentation.loudness,
            hear_both: live.presentation.hear_both,
        },
        turn,
    };
    Ok(show(pages::duel(&frame, &view), live.showing.origins()))
}
