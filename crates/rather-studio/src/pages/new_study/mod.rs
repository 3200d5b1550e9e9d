//! The page on which a study is created: a template, and three steps.
//!
//! Without scripts all steps stand one below the other. With them `steps.js` shows one at a time and sends the form, so that nothing that
//! was typed or chosen is lost when something is wrong with it.

mod answers;
mod fields;
mod items;

use self::fields::{Errors, input, radio_row, textarea, upload};
use super::frame::{Head, page};
use super::parts::csrf;
use crate::form::{StudyForm, Subject};
use crate::view::{Frame, NewStudyPage};
use maud::{Markup, html};

/// What each template is, for people.
fn described(subject: Subject) -> (&'static str, &'static str) {
    match subject {
        Subject::Parameters => ("My command", "Settings of a program, a recipe or a machine"),
        Subject::Sounds => ("Sound files", "Two play in turn, without a gap"),
        Subject::Pictures => ("Pictures, videos", "Side by side, or one at a time"),
        Subject::Texts => ("Texts", "Essays, answers, drafts"),
        Subject::Items => ("Names or samples", "What is before you: teas, perfumes, ideas"),
        Subject::Pages => ("Web pages", "HTML files, each in a frame of its own"),
        Subject::Suppressor => ("Noise suppressor", "Built in, to try on a recording"),
    }
}

/// The names of the steps.
const STEPS: [&str; 3] = ["What is compared", "Settings or items", "Answers and people"];

/// The page of the form, with what is wrong beside each field.
pub fn new_study(frame: &Frame, view: &NewStudyPage) -> Markup {
    let scripts = &["form.js", "files.js", "steps.js"];
    let head = Head { title: "New study", scripts, class: "making", here: "/studies/new" };
    let (form, errors) = (&view.form, Errors(&view.errors));
    page(
        frame,
        head,
        html! {
            h1 { "New study" }
            div #summary { (summary(&errors)) }
            form #study.stack method="post" action="/studies/new" enctype="multipart/form-data" {
                (csrf(frame))
                // The button that the enter key presses in a field is the first one.
                button type="submit" hidden {}
                (radio_row("how", "How", &[("form", "Fill in a form", !form.as_toml), ("toml", "Write it as TOML", form.as_toml)]))
                div.steps data-shown-for="how=form" {
                    ol #steps hidden {
                        @for (i, name) in STEPS.iter().enumerate() {
                            li { button type="button" data-to=(i) { span.place aria-hidden="true" { (i + 1) } (name) } }
                        }
                    }
                    (step(0, html! { (what_it_is(form, &errors)) }))
                    (step(1, items::step(view, &errors)))
                    (step(2, answers::step(form, &errors)))
                }
                div data-shown-for="how=toml" { (toml(form, &errors)) }
                div.actions {
                    button #back type="button" hidden { "Back" }
                    button #continue .primary type="button" hidden { "Continue" }
                    button #create .primary type="submit" { "Create study" }
                    button #as-toml .quiet type="submit" formaction="/studies/new/toml" formtarget="_blank" { "Show as TOML" }
                    a.quiet.link href="/" { "Cancel" }
                }
            }
            p #status .sr-only role="status" {}
        },
    )
}

/// A step of the form.
fn step(i: usize, fields: Markup) -> Markup {
    html! {
        section.step data-step=(i) aria-labelledby=(format!("step-{i}")) {
            h2 id=(format!("step-{i}")) tabindex="-1" { span.place aria-hidden="true" { (i + 1) } (STEPS[i]) }
            (fields)
        }
    }
}

fn summary(errors: &Errors<'_>) -> Markup {
    html! {
        @if !errors.0.is_empty() {
            div.trouble role="alert" {
                p { "The study was not created yet:" }
                ul {
                    @for e in errors.0 {
                        li { @if e.field.is_empty() { (e.error) } @else { a href=(format!("#{}", e.field)) { (e.error) } } }
                    }
                }
            }
        }
    }
}

fn what_it_is(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    html! {
        fieldset.templates {
            legend { "Begin with" }
            @for subject in Subject::ALL {
                @let (name, what) = described(subject);
                label {
                    input type="radio" name="subject" value=(subject.name()) checked[subject == form.subject];
                    span { strong { (name) } span.hint { (what) } }
                }
            }
        }
        (input("title", "Title", "", &form.title, errors))
        (input("question", "Question", "What the participant is asked.", &form.question, errors))
    }
}

fn toml(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    html! {
        (textarea("toml", "Definition", "The same as for the command \u{201c}rather study new\u{201d}.", &form.toml, 14, errors))
        (upload("toml_file", "or a TOML file", "", (".toml,text/plain", false), errors))
    }
}
