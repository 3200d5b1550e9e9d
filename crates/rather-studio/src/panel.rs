//! What was learned so far, beside the comparison that is answered next.

use crate::refusal::Refusal;
use crate::registry::Live;
use crate::results::{best, certainty, drawn, of_item};
use crate::view::PanelView;
use rather_study::definition::Subject;
use rather_study::history::{Entry, History, Source};
use rather_study::{Alternative, Answer, Study};
use std::sync::Arc;

/// So many of the best items are listed.
const LISTED: usize = 8;

/// What was learned of a participant; it waits behind no answer, and no answer waits for it.
///
/// # Errors
/// If there is no such participant, or the file cannot be read.
pub async fn of(live: &Arc<Live>, participant: &str) -> Result<PanelView, Refusal> {
    let (name, own) = (participant.to_owned(), Arc::clone(live));
    live.look(move |study| learned(study, &own, &name)).await
}

fn learned(study: &mut Study, live: &Live, participant: &str) -> Result<PanelView, Refusal> {
    let (pair, pair_is_open) = pair(study.history(participant)?, live);
    let Some(advice) = live.advices.now(study, participant)? else { return Ok(PanelView::default()) };
    let snapshot = study.snapshot(participant)?;
    let (headline, picture) = drawn(&snapshot, &advice, &pair, live)?;
    let ranking = match &live.definition.subject {
        Subject::Items(items) => snapshot.ranking(0..items.keys.len().min(LISTED)),
        Subject::Parameters(_) => Vec::new(),
    };
    Ok(PanelView {
        answers: advice.answers,
        best: Some(best(&live.showing, &advice.recommended, headline, None)),
        certainty: Some(certainty(&advice)),
        picture,
        ranking: ranking.into_iter().map(of_item).collect(),
        pair,
        pair_is_open,
    })
}

/// The pair whose places are marked, the open one or, where it is compared blind, the one that was answered last; and whether it is the open one.
fn pair(history: &History, live: &Live) -> (Vec<Alternative>, bool) {
    let open = history.open.iter().flat_map(|open| open.options().cloned());
    let open: Vec<Alternative> = open.collect();
    if !open.iter().any(|option| live.showing.hides(option)) && !open.is_empty() {
        return (open, true);
    }
    let answered = |entry: &&Entry| entry.source == Source::Asked && entry.answer != Answer::Skip;
    let last = history.entries.iter().rfind(answered);
    (last.map(|entry| entry.options().cloned().collect()).unwrap_or_default(), false)
}
