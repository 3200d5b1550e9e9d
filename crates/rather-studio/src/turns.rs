//! One step of a participant: an answer, and the duel that follows.

use crate::besides;
use crate::checks;
use crate::presentation::Presentation;
use crate::refusal::Refusal;
use crate::registry::Live;
use crate::studio::{Patience, Studio};
use crate::unshown::{Unshown, blocked};
use crate::view::{Ahead, AnswerKind, DuelView, MediaView, Reader, Turn, letter};
use crate::webhook::Event;
use futures_util::future::join_all;
use rather_study::analysis::advice::Stop;
use rather_study::definition::Pooling;
use rather_study::history::Source;
use rather_study::study::SOMEBODY;
use rather_study::{Alternative, Answer, Ask, Asked, Check, Definition, Study, Timing, Told};
use std::sync::Arc;
use std::time::Duration;

/// What a participant does.
#[derive(Debug, Clone)]
pub enum Step {
    /// Asks what to answer.
    Ask {
        /// How long to wait for a renderer.
        patience: Patience,
    },
    /// Answers a duel.
    Tell {
        /// Its number.
        duel: u32,
        /// What is said.
        answer: AnswerKind,
        /// What makes it safe to send again.
        key: Option<String>,
        /// How long it took, and what was looked at meanwhile.
        timing: Option<Timing>,
    },
    /// Answers about options that were not asked.
    TellAbout {
        /// The options.
        options: Vec<Alternative>,
        /// What is said.
        answer: AnswerKind,
        /// What makes it safe to send again.
        key: Option<String>,
    },
    /// Passes over a duel.
    Skip {
        /// Its number.
        duel: u32,
        /// What makes it safe to send again.
        key: Option<String>,
        /// How long it took, and what was looked at meanwhile.
        timing: Option<Timing>,
    },
    /// Takes the last answer back.
    Undo {
        /// The duel whose answer it must be, if that matters.
        duel: Option<u32>,
        /// What makes it safe to send again.
        key: Option<String>,
    },
}

/// Longer keys are mistakes.
const LONGEST_KEY: usize = 200;

impl Step {
    fn key(&self) -> Option<&str> {
        match self {
            Self::Ask { .. } => None,
            Self::Tell { key, .. }
            | Self::TellAbout { key, .. }
            | Self::Skip { key, .. }
            | Self::Undo { key, .. } => key.as_deref(),
        }
    }

    /// Carries it out; whether something was recorded.
    fn carry_out(&self, study: &mut Study, participant: &str) -> Result<bool, Refusal> {
        let key = self.key();
        match self {
            Self::Ask { .. } => return Ok(false),
            Self::Tell { duel, answer, timing, .. } => {
                tell(study, participant, (*duel, (*answer).into()), key, timing.as_ref())?
            }
            Self::TellAbout { options, answer, .. } => {
                study.tell_about(participant, options, (*answer).into(), key)?
            }
            Self::Skip { duel, timing, .. } => {
                tell(study, participant, (*duel, Answer::Skip), key, timing.as_ref())?
            }
            Self::Undo { duel, .. } => {
                check_last(study, participant, *duel)?;
                study.undo(participant, key)?
            }
        };
        Ok(true)
    }
}

fn tell(
    study: &mut Study,
    participant: &str,
    (duel, answer): (u32, Answer),
    key: Option<&str>,
    timing: Option<&Timing>,
) -> Result<Told, rather_study::Error> {
    match timing {
        Some(timing) => study.tell_timed(participant, Some(duel), answer, key, timing),
        None => study.tell(participant, Some(duel), answer, key),
    }
}

/// Whether the last answer is that to `duel`: whoever clicks on an old page must not take back another answer.
fn check_last(study: &mut Study, participant: &str, duel: Option<u32>) -> Result<(), Refusal> {
    let last =
        study.history(participant)?.entries.iter().rev().find(|entry| entry.source != Source::Imported);
    match (duel, last.and_then(|entry| entry.duel)) {
        (Some(wanted), found) if found != Some(wanted) => Err(Refusal::new(
            crate::refusal::Code::Conflict,
            format!("the answer to comparison {wanted} is not the last one any more; load the page again"),
        )),
        _ => Ok(()),
    }
}

/// Where a participant stands, before it is shown.
struct Stand {
    recorded: bool,
    ask: Ask,
    answers: u64,
    /// Duels of the kind of the open one that were answered: training, or all others, catch trials included.
    done: usize,
    can_undo: bool,
}

/// Who answers: `name`, or the only one who may.
///
/// # Errors
/// If it is not clear who is meant. Whether they may answer is seen when they do.
pub fn who(definition: &Definition, name: Option<&str>) -> Result<String, Refusal> {
    match (name, definition.participants.names.as_slice()) {
        (Some(name), _) => Ok(name.to_owned()),
        (None, []) => Ok(SOMEBODY.to_owned()),
        (None, [only]) => Ok(only.clone()),
        (None, names) => Err(rather_study::Error::WhichParticipant { known: names.to_vec() }.into()),
    }
}

/// Whether both sides of a duel could be shown: nobody can compare what is not there.
fn check_shown(
    study: &mut Study,
    participant: &str,
    duel: u32,
    failed: &dyn Fn(&Alternative) -> bool,
) -> Result<(), Refusal> {
    // An answer that is sent again is about a duel that is open no more.
    let open = study.history(participant)?.open.as_ref().filter(|open| open.number == duel);
    if open.is_some_and(|open| open.options().any(failed)) {
        return Err(Refusal::new(
            crate::refusal::Code::Conflict,
            format!(
                "comparison {duel} cannot be answered, since a side of it cannot be shown; skip it, or ask for it again"
            ),
        ));
    }
    Ok(())
}

/// Carries out a step of `participant`, whom `reader` answers for, and says where the participant stands. When this returns, what was said is on the disk.
///
/// # Errors
/// If the step does not fit the study or what has happened meanwhile.
pub async fn take(
    studio: &Studio,
    live: &Arc<Live>,
    (participant, reader): (&str, Reader),
    step: Step,
) -> Result<Turn, Refusal> {
    if step.key().is_some_and(|key| key.is_empty() || key.len() > LONGEST_KEY) {
        return Err(Refusal::invalid(format!("a key has from 1 to {LONGEST_KEY} bytes; send another")));
    }
    if live.presentation.paused {
        return paused(live, participant, &step).await;
    }
    let name = participant.to_owned();
    let (limit, activity) = (studio.config.limits.choosing, studio.registry.activity().clone());
    let (definition, shown) = (Arc::clone(&live.definition), Arc::clone(&live.presentation));
    let failed = studio.failures(live);
    let event = event(live, participant, &step);
    // An answer is acknowledged at once.
    let patience = if let Step::Ask { patience } = step { patience } else { Patience::None };
    let stand = live.answer(participant, move |study| {
        if let Step::Tell { duel, .. } = step {
            check_shown(study, &name, duel, &failed)?;
        }
        let recorded = step.carry_out(study, &name)?;
        stand(study, &name, (&definition, &shown), recorded, activity.share(limit))
    });
    let stand = stand.await?;
    if let Some(event) = event.filter(|_| stand.recorded) {
        let answers = usize::try_from(stand.answers).unwrap_or(usize::MAX);
        studio.webhooks.send(&live.presentation.webhook, &Event { answers, ..event });
    }
    if matches!(stand.ask, Ask::Duel(_)) {
        live.plan(participant);
    }
    let advice = advice(live, participant, &stand);
    show(studio, live, stand, advice, (reader, patience)).await
}

/// What is sent to the study's webhook after a step, if there is one and it takes such steps.
fn event(live: &Live, participant: &str, step: &Step) -> Option<Event> {
    let (event, duel, answer) = match step {
        Step::Ask { .. } => return None,
        Step::Tell { duel, answer, .. } => ("answered", Some(*duel), Some(*answer)),
        Step::TellAbout { answer, .. } => ("answered", None, Some(*answer)),
        Step::Skip { duel, .. } => ("skipped", Some(*duel), None),
        Step::Undo { duel, .. } => ("undone", *duel, None),
    };
    let answer = answer.map(|answer| Answer::from(answer).name().into_owned());
    let (study, participant) = (live.id.clone(), participant.to_owned());
    let event = Event { study, participant, event, duel, answer, answers: 0 };
    (!live.presentation.webhook.is_empty()).then_some(event)
}

/// Where a participant stands while nobody may answer.
async fn paused(live: &Live, participant: &str, step: &Step) -> Result<Turn, Refusal> {
    if !matches!(step, Step::Ask { .. }) {
        let problem = "this study is paused, and nothing was recorded; try again later";
        return Err(Refusal::new(crate::refusal::Code::Conflict, problem));
    }
    let name = participant.to_owned();
    let answers = live.answer(participant, move |study| Ok(study.history(&name)?.answers())).await?;
    Ok(Turn { answers: usize::try_from(answers).unwrap_or(usize::MAX), paused: true, ..Turn::default() })
}

/// Why one might stop now, as far as is known: finding out goes on in the background, and may be an answer or two behind.
fn advice(live: &Live, participant: &str, stand: &Stand) -> Option<String> {
    const BEHIND: u64 = 2;
    let advice = live.advices.last(participant)?;
    let fresh = stand.answers.abs_diff(advice.answers as u64) <= BEHIND
        || live.definition.participants.model == Pooling::Together;
    (fresh && advice.stop == Stop::GoodEnough)
        .then(|| "More answers would change little. You may stop here.".to_owned())
}

fn stand(
    study: &mut Study,
    participant: &str,
    (definition, shown): (&Definition, &Presentation),
    recorded: bool,
    limit: Duration,
) -> Result<Stand, Refusal> {
    if let Some(((left, right), check)) = checks::due(study.history(participant)?, definition, shown) {
        study.ask_check(participant, (&left, &right), check)?;
    }
    let ask = study.ask_within(participant, limit)?;
    let history = study.history(participant)?;
    let can_undo = history.entries.iter().any(|entry| entry.source != Source::Imported);
    let done = checks::done(history);
    Ok(Stand { recorded, ask, answers: history.answers(), done, can_undo })
}

/// Where the media of the comparisons that may follow the open one are, as far as these are chosen.
///
/// # Errors
/// If the participant may not answer, or the file cannot be read.
pub async fn ahead(studio: &Studio, live: &Arc<Live>, participant: &str) -> Result<Ahead, Refusal> {
    let name = participant.to_owned();
    let next = live.peek(move |study| Ok(study.successors(&name)?)).await?;
    let (soon, begun) = studio.ahead(live, &next.options);
    Ok(Ahead { soon, complete: next.complete && begun })
}

async fn show(
    studio: &Studio,
    live: &Arc<Live>,
    stand: Stand,
    advice: Option<String>,
    whose: (Reader, Patience),
) -> Result<Turn, Refusal> {
    let answers = usize::try_from(stand.answers).unwrap_or(usize::MAX);
    let (next, finished) = match stand.ask {
        Ask::Duel(asked) => (Some(duel(studio, live, asked, stand.done + 1, whose).await), false),
        Ask::Finished { .. } => (None, true),
    };
    Ok(Turn {
        recorded: stand.recorded,
        next,
        answers,
        can_undo: stand.can_undo,
        finished,
        advice,
        paused: false,
    })
}

async fn duel(
    studio: &Studio,
    live: &Arc<Live>,
    asked: Asked,
    number: usize,
    (reader, patience): (Reader, Patience),
) -> DuelView {
    let media = join_all(asked.options().map(|option| studio.media_view(live, option, patience))).await;
    // A duel that cannot be shown is no reason to refuse the request: it can be skipped.
    let unshown: Vec<_> = media.iter().map(|medium| medium.as_ref().err()).collect();
    let reference = besides::reference(studio, live, patience).await;
    let without = |unshown: &Unshown| format!("the reference cannot be shown: {}", unshown.reason(reader));
    let blocked = blocked(&unshown, reader).or_else(|| reference.as_ref().err().map(without));
    let wait = studio.wait(live, asked.options()).filter(|_| blocked.is_none());
    let medium = |media: Result<Option<MediaView>, _>| media.ok().flatten().filter(|_| blocked.is_none());
    let shown = asked.options().zip(media).enumerate();
    let mut options = shown.map(|(i, (option, media))| {
        let mut side = live.showing.side(&letter(i), option, medium(media));
        // What is hidden from whoever listens is not hidden from the program that renders.
        if reader == Reader::Operator {
            side.alternative = Some(option.clone());
        }
        side
    });
    let (left, right) = (options.next().unwrap_or_default(), options.next().unwrap_or_default());
    let others = options.collect();
    let training = asked.check == Some(Check::Training);
    let counted = live.definition.stop.answers.map(|n| checks::total(&live.presentation, n) as usize);
    DuelView {
        duel: asked.number,
        number,
        training,
        about_total: if training { Some(live.presentation.training as usize) } else { counted },
        question: live.definition.question.clone(),
        context: besides::context(studio, live, &asked.left).await,
        reference: reference.unwrap_or(None).filter(|_| blocked.is_none()),
        left,
        right,
        others,
        blocked,
        wait,
    }
}
