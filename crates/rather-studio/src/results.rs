//! What a study has found, put together for a page and for programs.

use crate::figures::picture::{self, Picture};
use crate::figures::{Theme, of_study};
use crate::headline::Headline;
use crate::presentation::Presentation;
use crate::refusal::{Code, Refusal};
use crate::registry::Live;
use crate::showing::Showing;
use crate::studio::{App, Patience};
use crate::summaries;
use crate::summaries::time;
use crate::turns::who;
use crate::view::{
    AlternativeView, AnswerKind, AnswerView, BestView, Certainty, Consistency, FigureView, RankedView,
    ResultView,
};
use crate::window::Window;
use rather_study::analysis::advice::{Advice, Ranked, Stop};
use rather_study::analysis::consistency::Consistency as Found;
use rather_study::definition::{Answers, Pooling, Subject};
use rather_study::history::{Entry, Source};
use rather_study::study::{Place, Snapshot};
use rather_study::{Alternative, Study};
use std::sync::Arc;

/// Which parts of the long lists of a result are shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// Of the ranking.
    pub ranking: Window,
    /// Of the answers.
    pub history: Window,
    /// Of the participants.
    pub people: Window,
}

/// What is learned from the answers of a participant.
struct Learned {
    advice: Option<Arc<Advice>>,
    headline: Headline,
    picture: Option<Picture>,
    /// A part of the ranking, and how long that is in all.
    ranking: (Vec<RankedView>, usize),
    consistency: Option<Consistency>,
    notes: Vec<String>,
    open: Option<Vec<Alternative>>,
}

/// The result of `participant`, or of the only one there is.
///
/// # Errors
/// If there is no such participant, or the file cannot be read.
pub async fn of(
    app: &App,
    live: &Arc<Live>,
    participant: Option<&str>,
    parts: Shown,
) -> Result<ResultView, Refusal> {
    // Counted before the rest is read: what comes in between is news then.
    let changes = live.counts().await?.changes;
    let study = summaries::of(live).await?;
    let participants = summaries::participants(app, live).await?;
    let known: Vec<String> = participants.iter().map(|p| p.name.clone()).collect();
    let shown = match participant {
        Some(name) => name.to_owned(),
        // Whoever answered last is not known here: the first who has answered at all.
        None => participants.iter().find(|p| p.answers > 0).map_or_else(
            || who(&live.definition, None).unwrap_or_else(|_| known[0].clone()),
            |p| p.name.clone(),
        ),
    };
    let (name, own) = (shown.clone(), Arc::clone(live));
    let learned = live.look(move |study| learned(study, &own, &name, parts.ranking)).await?;
    let (history, history_total) = history(live, &known, parts.history).await?;
    let (ranking, ranking_total) = learned.ranking;
    let (best, certainty) = match &learned.advice {
        Some(advice) => {
            let media = app.media_view(live, &advice.recommended, Patience::Text).await.unwrap_or(None);
            let best = best(&live.showing, &advice.recommended, learned.headline, media);
            (Some(best), Some(certainty(advice)))
        }
        None => (None, None),
    };
    let together = live.definition.participants.model == Pooling::Together;
    let mut notes = learned.notes;
    notes.extend(live.showing.note());
    let unreadable = Presentation::of(&live.definition).err();
    notes.extend(unreadable.map(|e| sentence(&format!("{e}; the study is shown as if it were not there"))));
    Ok(ResultView {
        changes,
        question: live.definition.question.clone(),
        people_offset: parts.people.offset.min(participants.len()),
        participants,
        participant: (!together).then(|| shown.clone()),
        figures: figures(live, &shown, learned.advice.is_some()),
        best,
        certainty,
        picture: learned.picture,
        may_change: true,
        origin: crate::reach::origin(&app.config, app.address),
        doors: crate::doors::of(app, live, &shown).await?,
        comparisons: live.definition.stop.answers,
        webhook: live.presentation.webhook.clone(),
        exports: exports(&live.id, study.answers),
        ranking,
        ranking_offset: parts.ranking.offset.min(ranking_total),
        ranking_total,
        next: learned
            .open
            .map(|options| options.iter().map(|option| open_side(&live.showing, option)).collect()),
        graded: live.definition.answers == Answers::Graded,
        history,
        history_offset: parts.history.offset.min(history_total),
        history_total,
        consistency: learned.consistency,
        notes,
        study,
    })
}

/// What is recommended to a participant, and how sure that is.
///
/// # Errors
/// As [`of`].
pub async fn recommendation(
    app: &App,
    live: &Arc<Live>,
    participant: Option<&str>,
) -> Result<(Option<BestView>, Option<Certainty>), Refusal> {
    let name = who(&live.definition, participant)?;
    let own = Arc::clone(live);
    let look = move |study: &mut Study| {
        let Some(advice) = own.advices.now(study, &name)? else { return Ok(None) };
        let (headline, _) = drawn(&study.snapshot(&name)?, &advice, &[], &own)?;
        Ok(Some((advice, headline)))
    };
    let Some((advice, headline)) = live.look(look).await? else { return Ok((None, None)) };
    let media = app.media_view(live, &advice.recommended, Patience::Text).await.unwrap_or(None);
    Ok((Some(best(&live.showing, &advice.recommended, headline, media)), Some(certainty(&advice))))
}

/// The figures of a participant's result; there are none before the first answer.
fn figures(live: &Live, participant: &str, answered: bool) -> Vec<FigureView> {
    if !answered {
        return Vec::new();
    }
    let whose = percent_encoding::utf8_percent_encode(participant, percent_encoding::NON_ALPHANUMERIC);
    of_study::views(&live.definition, |kind| {
        format!("/studies/{}/figures/{kind}.svg?participant={whose}", live.id)
    })
}

/// A figure as SVG.
///
/// # Errors
/// If there is no such figure, or no such participant.
pub async fn figure(
    live: &Arc<Live>,
    participant: &str,
    kind: &str,
    width: Option<f64>,
    theme: Theme,
) -> Result<String, Refusal> {
    let (low, high) = rather_plot::Look::WIDTHS;
    if width.is_some_and(|width| !(low..=high).contains(&width)) {
        return Err(Refusal::invalid(format!("the width must be from {low} to {high} pixels")));
    }
    let (own, name, kind) = (Arc::clone(live), participant.to_owned(), kind.to_owned());
    let work = move |study: &mut Study| {
        let advice = own.advices.now(study, &name)?.ok_or_else(|| no_figure("before the first answer"))?;
        let open = study.history(&name)?.open.clone();
        let context = of_study::Context {
            units: &own.presentation.units,
            best: &advice.recommended,
            next: open.as_ref().map(|open| (&open.left, &open.right)),
        };
        let drawing = of_study::drawing(&kind, &study.snapshot(&name)?, &context)?;
        let drawing = drawing.ok_or_else(|| no_figure("of this kind"))?;
        drawing.svg(width, theme).map_err(|e| Refusal::internal(&e))
    };
    live.look(work).await
}

fn no_figure(which: &str) -> Refusal {
    Refusal::new(
        Code::NotFound,
        format!("this study has no figure {which}; the result lists those there are"),
    )
}

fn learned(study: &mut Study, live: &Live, participant: &str, window: Window) -> Result<Learned, Refusal> {
    let open = study.history(participant)?.open.as_ref().map(|open| open.options().cloned().collect());
    let mut notes = study.notes();
    let Some(advice) = live.advices.now(study, participant)? else {
        let ranking = (Vec::new(), 0);
        let (headline, picture) = (Headline::default(), None);
        return Ok(Learned { advice: None, headline, picture, ranking, consistency: None, notes, open });
    };
    let consistency = study.consistency(participant)?;
    let connectivity = study.connectivity(participant)?;
    if !connectivity.is_connected() {
        notes.push(sentence(&connectivity.sentence()));
    }
    let consistency = consistent(&consistency, advice.answers, &live.showing);
    let snapshot = study.snapshot(participant)?;
    let (headline, picture) = drawn(&snapshot, &advice, &[], live)?;
    let ranking = match &live.definition.subject {
        Subject::Items(items) => {
            let total = items.keys.len();
            (snapshot.ranking(window.of(total)).into_iter().map(of_item).collect(), total)
        }
        Subject::Parameters(_) => {
            let places = with_recommended(&advice, &snapshot)?;
            let total = places.len();
            (places[window.of(total)].iter().map(|place| of_setting(&live.showing, place)).collect(), total)
        }
    };
    Ok(Learned { advice: Some(advice), headline, picture, ranking, consistency, notes, open })
}

/// The settings that were compared, and the recommendation among them, the best first.
fn with_recommended(advice: &Advice, snapshot: &Snapshot) -> Result<Vec<Ranked>, Refusal> {
    let (mut places, best) = (advice.ranking.clone(), &advice.recommended);
    if !places.iter().any(|place| place.alternative == *best) {
        for utility in snapshot.utilities(std::slice::from_ref(best))? {
            let at = places.partition_point(|place| place.utility.mean > utility.mean);
            let alternative = best.clone();
            places.insert(at, Ranked { alternative, utility, probability_best: None, duels: 0 });
        }
    }
    Ok(places)
}

/// So many of the first places are looked at for items that are about as good as the best.
const LOOKED_AT: usize = 50;

/// The sentence, and the picture if parameters are compared, with marks where `pair` lies.
pub(crate) fn drawn(
    snapshot: &Snapshot,
    advice: &Advice,
    pair: &[Alternative],
    live: &Live,
) -> Result<(Headline, Option<Picture>), Refusal> {
    let (best, units) = (&advice.recommended, &live.presentation.units);
    if let Some((picture, ranges)) = picture::of(snapshot, best, pair, units)? {
        return Ok((Headline::of_setting(&ranges), Some(picture)));
    }
    Ok((Headline::of_item(best, &snapshot.ranking(0..LOOKED_AT), live.definition.stop.regret), None))
}

/// How the answers fit together; a few say nothing about the person yet, unless some of them were asked for that.
fn consistent(found: &Found, answers: usize, showing: &Showing) -> Option<Consistency> {
    let (repeats, catches) = (&found.repeats, found.catches.as_ref());
    // Items by their names, settings as they are written elsewhere on the page.
    let name = |alternative: &Alternative| match alternative {
        Alternative::Item(key) => rather_io::quote(key),
        Alternative::Setting(_) => showing.line(alternative),
    };
    // The first sentence is about repeats, of which there are often none.
    let silent = usize::from(repeats.repeats == 0);
    (answers >= FEW || repeats.repeats > 0 || catches.is_some()).then(|| Consistency {
        repeats: repeats.repeats,
        agreed: repeats.agreed,
        catches: catches.map_or(0, |c| c.answered),
        passed: catches.map_or(0, |c| c.noticed),
        sentences: found.sentences_with(&name).iter().skip(silent).map(|s| sentence(s)).collect(),
    })
}

/// With fewer answers than this nothing is said about how they fit together.
const FEW: usize = 5;

/// With a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

pub(crate) fn best(
    showing: &Showing,
    alternative: &Alternative,
    headline: Headline,
    media: Option<crate::view::MediaView>,
) -> BestView {
    let item = match alternative {
        Alternative::Item(key) => Some(key.clone()),
        Alternative::Setting(_) => None,
    };
    let Headline { value, others } = headline;
    let parameters = showing.parameters(alternative);
    let (copy, alternative) = (alternative.to_string(), Some(alternative.clone()));
    BestView { alternative, item, parameters, media, copy, value, others }
}

pub(crate) fn certainty(advice: &Advice) -> Certainty {
    let probability = advice.probability_good_enough;
    let next = match (advice.stop, advice.more_answers) {
        (Stop::Finished, _) => "all answers are given",
        (Stop::GoodEnough, _) => "more answers would change little",
        (Stop::GoOn, Some(1)) => "about one more answer should settle it",
        (Stop::GoOn, Some(more)) => &format!("about {more} more answers should settle it"),
        (Stop::GoOn, None) => "it takes many more answers to settle it",
    };
    Certainty {
        probability: Some(probability),
        probability_best: advice.probability_best,
        expected_regret: Some(advice.expected_regret),
        regret_at_most: Some(advice.regret_at_most),
        more: advice.more_answers,
        settled: advice.stop != Stop::GoOn,
        sentence: format!(
            "Nothing is noticeably better with a probability of {}; {next}.",
            percent(probability)
        ),
    }
}

/// In per cent; never none or all, as nothing here is certain.
pub fn percent(p: f64) -> String {
    match p {
        p if p > 0.99 => "over 99\u{202f}%".to_owned(),
        p if p < 0.01 => "under 1\u{202f}%".to_owned(),
        p => format!("{:.0}\u{202f}%", 100.0 * p),
    }
}

pub(crate) fn of_item(place: Place) -> RankedView {
    let Place { item, utility, compared } = place;
    let alternative = Some(Alternative::Item(item.clone()));
    RankedView {
        label: item,
        mean: utility.mean,
        low: utility.low,
        high: utility.high,
        compared,
        alternative,
    }
}

fn of_setting(showing: &Showing, ranked: &Ranked) -> RankedView {
    RankedView {
        label: showing.line(&ranked.alternative),
        mean: ranked.utility.mean,
        low: ranked.utility.low,
        high: ranked.utility.high,
        compared: ranked.duels > 0,
        alternative: Some(ranked.alternative.clone()),
    }
}

/// The open duel, told in full: whoever reads a result does not listen blind.
fn open_side(showing: &Showing, alternative: &Alternative) -> AlternativeView {
    AlternativeView {
        label: showing.line(alternative),
        media: None,
        parameters: showing.parameters(alternative),
        alternative: Some(alternative.clone()),
    }
}

/// A part of all answers of `participants`, the last first, and how many there are.
///
/// # Errors
/// If the file cannot be read.
pub async fn history(
    live: &Arc<Live>,
    participants: &[String],
    window: Window,
) -> Result<(Vec<AnswerView>, usize), Refusal> {
    let (showing, participants) = (Arc::clone(&live.showing), participants.to_vec());
    let work = move |study: &mut Study| {
        // Where each answer is: whose, whether it was taken back, which. Only those of the window are put into words.
        let mut all = Vec::new();
        for (whose, name) in participants.iter().enumerate() {
            let history = study.history(name)?;
            for (undone, entries) in [(false, &history.entries), (true, &history.taken_back)] {
                all.extend(entries.iter().enumerate().map(|(i, entry)| (entry.event, whose, undone, i)));
            }
        }
        all.sort_by_key(|(event, ..)| std::cmp::Reverse(*event));
        let mut shown = Vec::new();
        for &(event, whose, undone, i) in &all[window.of(all.len())] {
            let name = &participants[whose];
            let history = study.history(name)?;
            let entries = if undone { &history.taken_back } else { &history.entries };
            // Somebody may have taken it back in the meantime.
            let Some(entry) = entries.get(i) else { continue };
            let last = history.entries.iter().rfind(|entry| entry.source != Source::Imported);
            let can_undo = !undone && last.is_some_and(|last| last.event == event);
            shown.push(AnswerView { undone, can_undo, ..answer(&showing, name, entry) });
        }
        Ok((shown, all.len()))
    };
    live.look(work).await
}

fn answer(showing: &Showing, participant: &str, entry: &Entry) -> AnswerView {
    AnswerView {
        duel: entry.duel.unwrap_or(0),
        time: time(entry.time),
        participant: participant.to_owned(),
        left: showing.line(&entry.left),
        right: showing.line(&entry.right),
        others: entry.others.iter().map(|other| showing.line(other)).collect(),
        options: entry.options().cloned().collect(),
        answer: AnswerKind::of(entry.answer),
        undone: false,
        check: entry.check.is_some(),
        can_undo: false,
    }
}

/// Where the answers can be taken away to.
fn exports(id: &str, answers: usize) -> Vec<(String, String)> {
    if answers == 0 {
        return Vec::new();
    }
    let path = |format: &str| format!("{}/studies/{id}/export?format={format}", crate::api::ROOT);
    vec![("CSV".to_owned(), path("csv&spreadsheet=true")), ("JSON Lines".to_owned(), path("jsonl"))]
}
