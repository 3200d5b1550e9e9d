//! Studies and participants in lists.

use crate::refusal::Refusal;
use crate::registry::{Live, Standing, blocking, id_of};
use crate::studio::App;
use crate::view::{ArchivedStudy, ParticipantView, StudyKind, StudySummary};
use jiff::Timestamp;
use rather_study::definition::Subject;
use std::sync::Arc;

/// All studies that were not put away, the newest first; before them the demos in their own order, the simplest first.
///
/// # Errors
/// If the file cannot be read.
pub async fn all(app: &App) -> Result<Vec<StudySummary>, Refusal> {
    let registry = Arc::clone(&app.registry);
    let names = blocking(move || registry.names()).await?;
    let mut summaries = Vec::with_capacity(names.len());
    for name in &names {
        let live = app.registry.study(&id_of(name)).await?;
        summaries.push(of(&live).await?);
    }
    let (mut all, own): (Vec<_>, Vec<_>) = summaries.into_iter().partition(|summary| summary.demo);
    all.extend(own.into_iter().rev());
    Ok(all)
}

/// The archived studies.
///
/// # Errors
/// If the file cannot be read.
pub async fn archived(app: &App) -> Result<Vec<ArchivedStudy>, Refusal> {
    let registry = Arc::clone(&app.registry);
    let archived = blocking(move || registry.archived()).await?;
    let view =
        |(name, title, answers): (String, String, usize)| ArchivedStudy { id: id_of(&name), title, answers };
    Ok(archived.into_iter().map(view).collect())
}

/// A study in a list.
///
/// # Errors
/// If the file cannot be read.
pub async fn of(live: &Live) -> Result<StudySummary, Refusal> {
    let counts = live.counts().await?;
    let (kind, size) = match &live.definition.subject {
        Subject::Items(items) => (StudyKind::Items, items.keys.len()),
        Subject::Parameters(space) => (StudyKind::Parameters, space.parameters.len()),
    };
    Ok(StudySummary {
        id: live.id.clone(),
        title: title(live),
        kind,
        size,
        answers: usize::try_from(counts.answers()).unwrap_or(usize::MAX),
        participants: counts.participants(),
        wanted: wanted(live, counts.participants()),
        last: counts.last.map(time),
        paused: live.presentation.paused,
        created: time(live.created),
        demo: live.presentation.demo,
    })
}

/// How many answers a study asks for, of everyone who is named or has answered.
fn wanted(live: &Live, answered: usize) -> Option<usize> {
    let people = live.definition.participants.names.len().max(answered).max(1);
    live.definition.stop.answers.map(|each| each as usize * people)
}

/// A study's title, or its name if it has none.
pub fn title(live: &Live) -> String {
    if live.definition.title.is_empty() { live.name.clone() } else { live.definition.title.clone() }
}

/// Who answers a study: named in it, invited, or having answered. Links are shown while they are fresh.
///
/// # Errors
/// If the file cannot be read.
pub async fn participants(app: &App, live: &Live) -> Result<Vec<ParticipantView>, Refusal> {
    let counts = live.counts().await?;
    let (tables, study) = (Arc::clone(app.registry.tables()), live.name.clone());
    let invited = blocking(move || Ok(tables.invited(&study)?)).await?;
    let mut all = counts.by_participant;
    for name in &invited {
        if !all.iter().any(|other| other.name == *name) {
            all.push(Standing { name: name.clone(), ..Standing::default() });
        }
    }
    let view = |one: Standing| ParticipantView {
        link: app.fresh_link(&live.name, &one.name),
        invited: invited.contains(&one.name),
        name: one.name,
        answers: usize::try_from(one.answers).unwrap_or(usize::MAX),
        last: one.last.map(time),
        repeats: one.repeats,
    };
    Ok(all.into_iter().map(view).collect())
}

/// Milliseconds since 1970 as RFC 3339 in UTC, to the second.
pub fn time(milliseconds: i64) -> String {
    Timestamp::from_second(milliseconds.div_euclid(1000)).map_or_else(|_| String::new(), |t| t.to_string())
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_rfc_3339() {
        assert_eq!(super::time(1_795_262_400_999), "2026-11-21T12:00:00Z");
        assert_eq!(super::time(i64::MAX), "");
    }
}
