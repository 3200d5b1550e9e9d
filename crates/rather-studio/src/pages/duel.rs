//! The page on which a person compares: two sides and the answers, or the options of a set, and nothing else to look at.
//!
//! The page is whole without scripts, but for instant switching between sounds. With them, `duel.js` draws the next duels
//! into the same elements (`sides` and its counterpart `sides.js` must agree).

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::{csrf, data, key, medium, parameters};
use super::{beside, panel, reference, set};
use crate::languages::Words;
use crate::view::{AlternativeView, AnswerKind, DuelPage, DuelStyle, DuelView, Frame, MediaKind};

/// The page of a comparison, or of the end of all of them.
pub fn duel(frame: &Frame, view: &DuelPage) -> Markup {
    let w = Words::of(&frame.language);
    let head = Head { title: &view.title, scripts: scripts(view), class: "comparing", ..Head::default() };
    let empty = DuelView::default();
    let open = view.turn.next.as_ref();
    page(
        frame,
        head,
        html! {
            (data("page", view))
            noscript { p.notice { "Without JavaScript sounds are played one by one, and keys do nothing." } }
            div.bench {
                div.work {
                    (top(view, open, w))
                    div #trouble .trouble role="alert" hidden {}
                    div #compare hidden[open.is_none()] { (compare(frame, view, open.unwrap_or(&empty), w)) }
                    (end(view, w))
                }
                @if let Some(path) = &view.panel { (panel::place(path)) }
            }
            @if view.panel.is_some() { (beside::panel(&view.study)) }
            p #status .sr-only role="status" {}
        },
    )
}

/// What the page runs; the panel comes second, since it listens to the first.
fn scripts(view: &DuelPage) -> &'static [&'static str] {
    if view.panel.is_some() { &["duel.js", "panel.js"] } else { &["duel.js"] }
}

fn top(view: &DuelPage, open: Option<&DuelView>, w: Words) -> Markup {
    let total = open.and_then(|d| d.about_total);
    html! {
        div.duel-top {
            p.eyebrow { (view.title) }
            p.count #count { @if let Some(d) = open { (count(d, w)) } }
            progress #progress max=(total.unwrap_or(1).max(1)) value=(view.turn.answers) hidden[total.is_none()]
                aria-label=(w.say("Answers given")) {}
        }
    }
}

/// `Comparison 7 of about 15`.
fn count(duel: &DuelView, w: Words) -> String {
    match duel.about_total {
        Some(total) if duel.training => {
            w.fill("Training {} of {}: this does not count", &[&duel.number, &total])
        }
        Some(total) if duel.number <= total => w.fill("Comparison {} of about {}", &[&duel.number, &total]),
        _ => w.fill("Comparison {}", &[&duel.number]),
    }
}

fn compare(frame: &Frame, view: &DuelPage, open: &DuelView, w: Words) -> Markup {
    let kind = kind(open);
    html! {
        h1 #question tabindex="-1" { (open.question) }
        div #context .context hidden[open.context.is_none()] { @if let Some(context) = &open.context { (reference::shared(context)) } }
        (reference::place(open.reference.as_ref(), w))
        div #advice .advice hidden[view.turn.advice.is_none()] {
            p #advice-text { (w.say(view.turn.advice.as_deref().unwrap_or_default())) }
            @if let Some(result) = &view.result { a.button href=(result) { "See the result" } }
        }
        form #duel method="post" action=(view.page) {
            (csrf(frame))
            input type="hidden" name="participant" value=(view.participant);
            input type="hidden" name="duel" value=(open.duel);
            // Without scripts an answer to a duel is counted once anyway: the duel has one answer.
            input type="hidden" name="key" value=(format!("form-{}-{}", open.duel, view.turn.answers));
            (blocked(view, open, w))
            p #wait .loading role="status" hidden[open.wait.is_none()] { (open.wait.map(|seconds| wait(seconds, w)).unwrap_or_default()) }
            @match view.style.set {
                Some(question) => {
                    p #task .task { (set::task(question, open.options().count())) }
                    div #pair .pair.of-set data-kind=(kind) hidden[open.blocked.is_some()] { (set::options(question, open)) }
                }
                None => div #pair .pair data-kind=(kind) hidden[open.blocked.is_some()] { (sides(open)) },
            }
            (transport("", w))
            p #unheard .loading hidden {}
            div #zoom .zoom role="group" aria-label=(w.say("Zoom")) hidden {
                button #zoom-in .small type="button" { span { (w.say("Enlarge")) } (key("+")) }
                button #zoom-out .small type="button" { span { (w.say("Reduce")) } (key("−")) }
                button #zoom-whole .small type="button" { span { (w.say("Whole")) } (key("0")) }
            }
            button #flip .flip type="button" aria-pressed="false" hidden { (w.say("One at a time")) }
            @match view.style.set {
                Some(question) => (set::send(question, open.blocked.is_some())),
                None => (answers(view, open.blocked.is_some(), w)),
            }
            (after(view, w))
        }
        (keys(view, w))
    }
}

/// How long it takes until there is something to see or hear.
fn wait(seconds: u64, w: Words) -> String {
    w.fill("Others are waiting, too: it takes about {} seconds until both can be shown.", &[&seconds])
}

/// What there is to see or hear: `audio`, `image`, `video`, `text`, `html`, `pdf` or `values`; of a set, whose sounds are played one by one, `sounds`.
fn kind(duel: &DuelView) -> &'static str {
    match duel.left.media.as_ref().map(|m| m.kind) {
        Some(MediaKind::Audio) if !duel.others.is_empty() => "sounds",
        Some(MediaKind::Audio) => "audio",
        Some(MediaKind::Image) => "image",
        Some(MediaKind::Html) => "html",
        Some(MediaKind::Video) => "video",
        Some(MediaKind::Pdf) => "pdf",
        Some(MediaKind::Text) => "text",
        None => "values",
    }
}

/// Both sides.
fn sides(duel: &DuelView) -> Markup {
    html! { (side("A", "left", &duel.left)) (side("B", "right", &duel.right)) }
}

fn side(letter: &str, name: &str, alternative: &AlternativeView) -> Markup {
    html! {
        section.side data-side=(name) aria-label=(letter) {
            h2.letter { (letter) }
            (content(letter, alternative))
        }
    }
}

/// What an option is called and what there is to see or hear of it.
pub(super) fn content(letter: &str, alternative: &AlternativeView) -> Markup {
    html! {
        @if alternative.label != letter && !alternative.label.is_empty() { p.label { (alternative.label) } }
        @if let Some(media) = &alternative.media { (medium(media, letter)) }
        (parameters(&alternative.parameters))
    }
}

/// The player of two sounds; scripts show it. `of` sets the names of its parts apart from those of another player.
pub(super) fn transport(of: &str, w: Words) -> Markup {
    html! {
        div id={ (of) "transport" } .transport role="group" aria-label=(w.say("Player")) hidden {
            button .play id={ (of) "play" } type="button" { span id={ (of) "play-label" } { (w.say("Play")) } (key("space")) }
            input id={ (of) "position" } type="range" min="0" max="1" step="0.01" value="0" aria-label=(w.say("Position"));
            output .clock id={ (of) "clock" } for={ (of) "position" } { "0:00" }
            div.toggles {
                label.toggle { input id={ (of) "loop" } type="checkbox" checked; (w.say("Loop")) }
                label.toggle { input id={ (of) "restart" } type="checkbox"; (w.say("Start over at each switch")) }
            }
        }
        p id={ (of) "loading" } .loading hidden { (w.say("Loading …")) }
    }
}

/// Why there is no answering, and a way to try again: without scripts, to load the page.
fn blocked(view: &DuelPage, open: &DuelView, w: Words) -> Markup {
    html! {
        div #blocked .trouble role="alert" hidden[open.blocked.is_none()] {
            p #blocked-text { (open.blocked.as_deref().unwrap_or_default()) }
            p { (w.say("This cannot be answered. Skip it, or try again.")) }
            div.actions { a #again .button href=(view.page) { (w.say("Try again")) } }
        }
    }
}

fn answers(view: &DuelPage, locked: bool, w: Words) -> Markup {
    let style = &view.style;
    html! {
        div.answers role="group" aria-label=(w.say("Your answer")) data-count=(style.answers.len()) data-numbers[style.is_of_numbers()] {
            @for (place, &answer) in (1..).zip(&style.answers) {
                @let Offer { text, spoken, key: pressed } = offer(answer, place, style, w);
                button.answer type="submit" name="action" value=(answer.name()) data-answer=(answer.name()) data-key=[&pressed]
                    disabled[locked] {
                    span { (text) @if let Some(spoken) = spoken { span.sr-only { ", " (spoken) } } }
                    @if let Some(pressed) = &pressed { (key(pressed)) }
                }
            }
        }
    }
}

/// A button.
struct Offer {
    text: String,
    /// What it says to who does not see it, where that is more.
    spoken: Option<String>,
    /// The key that presses it.
    key: Option<String>,
}

/// The last place in a row that has a key.
const LAST_KEY: usize = 9;

/// What a button says, and the key that presses it: where there is more in a row than which side is better, its place from 1.
fn offer(answer: AnswerKind, place: usize, style: &DuelStyle, w: Words) -> Offer {
    use AnswerKind as A;
    let number = |side: &str, number: u8| {
        (format!("{side} +{number}"), Some(w.fill("{} is better by {}", &[&side, &number])))
    };
    let words = |text: &str| (w.say(text).to_string(), None);
    let (text, spoken) = match (answer, style.is_graded()) {
        (A::MuchLeft, _) => words("A is much better"),
        (A::Left, true) => words("A is a little better"),
        (A::Left, false) => words("A is better"),
        (A::Tie, _) => words("No preference"),
        (A::Right, true) => words("B is a little better"),
        (A::Right, false) => words("B is better"),
        (A::MuchRight, _) => words("B is much better"),
        (A::LeftBy(by), _) => number("A", by),
        (A::RightBy(by), _) => number("B", by),
        // Of a set, buttons stand in the options.
        (A::Best(_) | A::BestAndWorst(..), _) => words(""),
    };
    let key = match answer {
        _ if style.is_graded() || style.is_of_numbers() => (place <= LAST_KEY).then(|| place.to_string()),
        A::Left => Some("1".to_owned()),
        A::Right => Some("2".to_owned()),
        _ => Some("=".to_owned()),
    };
    Offer { text, spoken, key }
}

fn after(view: &DuelPage, w: Words) -> Markup {
    html! {
        div.after {
            button #undo .quiet type="submit" name="action" value="undo" disabled[!view.turn.can_undo] {
                span { (w.say("Undo")) } (key("U"))
            }
            button #skip .quiet type="submit" name="action" value="skip" { span { (w.say("Skip")) } (key("S")) }
            @if let Some(result) = &view.result { a.quiet.link #result href=(result) { "Result so far" } }
        }
    }
}

/// The keys in words, for who cannot see them on the buttons, and a way to turn them off (WCAG 2.1.4).
fn keys(view: &DuelPage, w: Words) -> Markup {
    let style = &view.style;
    html! {
        details.keys {
            summary { (w.say("Keys")) }
            ul {
                @if let Some(question) = style.set { (set::keys(question)) }
                li hidden[style.set.is_some()] {
                    @for (place, &answer) in (1..).zip(&style.answers) {
                        @let Offer { text, key, .. } = offer(answer, place, style, w);
                        @if let Some(key) = key {
                            @if place > 1 { ", " }
                            kbd { (key) } " " (text)
                        }
                    }
                }
                li.for-sound { kbd { "space" } " " (w.say("play or pause")) ", " kbd { "←" } " " (w.say("hear A")) ", " kbd { "→" } " " (w.say("hear B")) }
                li.for-pictures { kbd { "+" } " enlarge all pictures in step, " kbd { "−" } " reduce, " kbd { "0" } " whole" }
                li.for-sight { kbd { "←" } " A, " kbd { "→" } " B, where one is shown at a time" }
                li.for-reference { kbd { (reference::KEY) } " " (w.say("hear or see the reference")) }
                li {
                    kbd { "U" } " " (w.say("undo")) ", " kbd { "S" } " " (w.say("skip"))
                    @if view.panel.is_some() { ", " kbd { "R" } " what was learned" }
                }
            }
            label.toggle { input #shortcuts type="checkbox" checked; (w.say("Use these keys")) }
        }
    }
}

fn end(view: &DuelPage, w: Words) -> Markup {
    html! {
        div #end .end hidden[view.turn.next.is_some()] {
            h1 #end-title tabindex="-1" { @if view.turn.paused { (w.say("Paused")) } @else { (w.say("Thank you")) } }
            p.lead #end-text {
                @match view.turn.answers {
                    0 if view.turn.paused => (w.say("This study is paused. Come back later.")),
                    0 => (w.say("There is nothing to compare here.")),
                    1 => (w.say("Your answer is kept.")),
                    n => (w.fill("Your {} answers are kept.", &[&n])),
                }
            }
            @if let (Some(questions), false) = (&view.questions, view.turn.paused) {
                div #questions .actions { a.button.primary href=(questions) { (w.say("Answer the last questions")) } }
            }
            @if !view.thanks.is_empty() { p.thanks { (view.thanks) } }
            div.actions {
                @if let Some(result) = &view.result { a.button.primary href=(result) { "See the result" } }
                @if !view.redirect.is_empty() && view.questions.is_none() { a.button.primary href=(view.redirect) rel="noreferrer" { (w.say("Continue")) } }
                button #end-undo .quiet type="submit" form="duel" name="action" value="undo" disabled[!view.turn.can_undo] {
                    (w.say("Undo the last answer"))
                }
            }
        }
    }
}
