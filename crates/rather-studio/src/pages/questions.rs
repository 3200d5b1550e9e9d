//! The questions that a participant answers at the end.

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::csrf;
use crate::languages::Words;
use crate::questionnaire::Question;
use crate::view::{Frame, QuestionsPage};

/// The page of questions.
pub fn questions(frame: &Frame, view: &QuestionsPage) -> Markup {
    let w = Words::of(&frame.language);
    let head = Head { title: &view.title, class: "narrow", ..Head::default() };
    page(
        frame,
        head,
        html! {
            h1 { (w.say("A few last questions")) }
            form.stack method="post" action=(view.send) {
                (csrf(frame))
                @for (i, asked) in view.questions.iter().enumerate() { (question(i, asked, w)) }
                div.actions { button.primary type="submit" { (w.say("Send")) } }
            }
        },
    )
}

fn question(i: usize, asked: &Question, w: Words) -> Markup {
    let name = format!("q{i}");
    html! {
        @if asked.choices.is_empty() {
            div.field {
                label for=(name) { (asked.question) @if asked.optional { span.hint { " " (w.say("(may be left open)")) } } }
                input id=(name) name=(name) maxlength="2000" autocomplete="off" required[!asked.optional];
            }
        } @else {
            fieldset.choice {
                legend { (asked.question) @if asked.optional { span.hint { " " (w.say("(may be left open)")) } } }
                @for choice in &asked.choices {
                    label { input type="radio" name=(name) value=(choice) required[!asked.optional]; span { (choice) } }
                }
            }
        }
    }
}
