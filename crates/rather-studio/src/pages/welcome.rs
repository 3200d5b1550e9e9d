//! What a participant reads, and agrees to, before the first comparison.

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::{csrf, data};
use crate::languages::Words;
use crate::view::{Frame, WelcomePage};

/// What the page brings along for its script.
#[derive(serde::Serialize)]
struct Brought<'a> {
    words: &'a std::collections::BTreeMap<String, String>,
}

/// The page before the first comparison.
pub fn welcome(frame: &Frame, view: &WelcomePage) -> Markup {
    let w = Words::of(&frame.language);
    let scripts: &[&str] = if view.volume_check { &["volume.js"] } else { &[] };
    let head = Head { title: &view.title, scripts, class: "narrow", ..Head::default() };
    page(
        frame,
        head,
        html! {
            (data("page", &Brought { words: w.texts() }))
            h1 { (view.title) }
            @if !view.instructions.is_empty() { div.instructions { (view.instructions) } }
            form.stack method="post" action=(view.begin) {
                (csrf(frame))
                @if view.volume_check { (volume(w)) }
                @if !view.consent.is_empty() {
                    label.toggle.consent { input type="checkbox" name="consent" value="yes" required; span { (view.consent) } }
                }
                div.actions { button.primary type="submit" { (w.say("Begin")) } }
            }
        },
    )
}

/// A sound to set the volume by, and the test for headphones; without scripts there is neither.
fn volume(w: Words) -> Markup {
    html! {
        section #volume aria-labelledby="volume-title" hidden {
            h2 #volume-title { (w.say("Set the volume")) }
            p { (w.say("Put on your headphones, play the noise, and turn the volume up until it is comfortable. Leave it there.")) }
            div.actions { button #noise type="button" aria-pressed="false" { (w.say("Play the noise")) } }
            h2 { (w.say("Test your headphones")) }
            p { (w.say("Six times you hear three tones, one of which is softer than the others. Which one?")) }
            div.actions { button #tones type="button" { (w.say("Play the tones")) } span #tones-count .hint role="status" {} }
            div #which .actions role="group" aria-label=(w.say("The softest tone")) hidden {
                @for tone in 1..=3 { button type="button" data-tone=(tone) { (tone) } }
            }
            p #tones-said role="status" {}
            input #headphones type="hidden" name="headphones" value="";
        }
        noscript { p.notice { "Without JavaScript the volume cannot be tested here." } }
    }
}
