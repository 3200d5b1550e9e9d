//! The options of a set on the page of a comparison: what each shows, and how it is called the best or the worst.
//!
//! `options` and its counterpart in `sides.js` must agree.

use maud::{Markup, html};

use super::duel::content;
use super::parts::key;
use crate::view::{AlternativeView, AnswerKind, DuelView, SetQuestion, letter};

/// The task in words: `Choose the best of four.`
pub(super) fn task(question: SetQuestion, options: usize) -> String {
    const NUMBERS: [&str; 13] = [
        "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let number = NUMBERS.get(options).copied().unwrap_or_default();
    match question {
        SetQuestion::Best => format!("Choose the best of {number}."),
        SetQuestion::BestAndWorst => format!("Choose the best and the worst of {number}."),
    }
}

/// All options.
pub(super) fn options(question: SetQuestion, duel: &DuelView) -> Markup {
    html! { @for (i, shown) in duel.options().enumerate() { (option(question, i, shown)) } }
}

fn option(question: SetQuestion, i: usize, shown: &AlternativeView) -> Markup {
    let letter = letter(i);
    html! {
        section.side.option data-option=(i + 1) aria-label=(letter) {
            h2.letter { (letter) }
            (content(&letter, shown))
            div.pick {
                @match question {
                    SetQuestion::Best => (best(i, &letter)),
                    SetQuestion::BestAndWorst => {
                        (radio("best", "Best", i, &letter))
                        (radio("worst", "Worst", i, &letter))
                    }
                }
            }
        }
    }
}

fn best(i: usize, letter: &str) -> Markup {
    let number = u8::try_from(i + 1).unwrap_or(u8::MAX);
    html! {
        button.answer type="submit" name="action" value=(AnswerKind::Best(number).name()) {
            span { "Best" span.sr-only { " is " (letter) } }
            @if i < 9 { (key(&number.to_string())) }
        }
    }
}

fn radio(name: &str, word: &str, i: usize, letter: &str) -> Markup {
    html! {
        label.toggle { input type="radio" name=(name) value=(i + 1); span { (word) span.sr-only { " is " (letter) } } }
    }
}

/// What sends the best and the worst together.
pub(super) fn send(question: SetQuestion, locked: bool) -> Markup {
    html! {
        @if question == SetQuestion::BestAndWorst {
            div.answers role="group" aria-label="Your answer" data-count="1" {
                button.answer #keep type="submit" name="action" value="extremes" disabled[locked] {
                    span { "Keep this answer" } (key("enter"))
                }
            }
        }
    }
}

/// The keys in words.
pub(super) fn keys(question: SetQuestion) -> Markup {
    html! {
        @match question {
            SetQuestion::Best => li { kbd { "1" } " A is the best, " kbd { "2" } " B, and so on" },
            SetQuestion::BestAndWorst => {
                li { kbd { "1" } " A, " kbd { "2" } " B, and so on: first the best, then the worst; once more takes it away" }
                li { kbd { "enter" } " keep this answer" }
            }
        }
    }
}
