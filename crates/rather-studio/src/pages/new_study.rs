//! The page on which a study is made.

use maud::{Markup, html};
use rather::acquisition::{Acquisition, Goal};

use super::frame::{Head, page};
use super::parts::csrf;
use crate::form::{ParameterRow, StudyForm, Subject, VALUES};
use crate::view::{FieldError, Frame, NewStudyPage};

/// Acquisition functions for people: name, words.
fn acquisitions() -> Vec<(String, &'static str)> {
    let useful = Acquisition::all().filter(|a| a.goal() != Goal::Baseline);
    useful.map(|a| (a.to_string(), a.title())).collect()
}

/// Opponents for people.
const OPPONENTS: [(&str, &str); 3] =
    [("winner", "the winner of the last comparison"), ("best", "the best so far"), ("any", "anything")];

/// Whose answers are learned from.
const LEARNING: [(&str, &str); 3] = [
    ("separate", "from each person\u{2019}s own answers"),
    ("collaborative", "each person\u{2019}s preferences, from all answers (collaborative)"),
    ("together", "one pooled model of all answers"),
];

/// How answers are taken in.
const INFERENCES: [(&str, &str); 2] = [
    ("ep", "all together (expectation propagation)"),
    ("streaming", "one after the other, online (streaming)"),
];

/// What may be answered.
const ANSWERS: [(&str, &str); 5] = [
    ("sides", "one of the two"),
    ("ties", "one of the two, or no preference"),
    ("graded", "a little or much better, or no preference"),
    ("best", "of more than two, the best"),
    ("best and worst", "of more than two, the best and the worst"),
];

const OPTIONS: [(&str, &str); 11] = [
    ("2", "2, which are compared"),
    ("3", "3"),
    ("4", "4"),
    ("5", "5"),
    ("6", "6"),
    ("7", "7"),
    ("8", "8"),
    ("9", "9"),
    ("10", "10"),
    ("11", "11"),
    ("12", "12"),
];

/// Distances between checks.
const EVERY: [(&str, &str); 4] =
    [("0", "never"), ("20", "every 20th"), ("10", "every 10th"), ("5", "every 5th")];

/// The page of the form, with what is wrong beside each field.
pub fn new_study(frame: &Frame, view: &NewStudyPage) -> Markup {
    let head = Head { title: "New study", scripts: &["form.js"], class: "making", here: "/studies/new" };
    let (form, errors) = (&view.form, Errors(&view.errors));
    page(
        frame,
        head,
        html! {
            h1 { "New study" }
            (summary(&errors))
            form #study.stack method="post" action="/studies/new" enctype="multipart/form-data" {
                (csrf(frame))
                (radio_row("how", "How", &[("form", "Fill in a form", !form.as_toml), ("toml", "Write TOML", form.as_toml)]))
                div data-shown-for="how=form" {
                    (what_it_is(form, &errors))
                    (subject(view, &errors))
                    (duels(form, &errors))
                    (people(form, &errors))
                }
                div data-shown-for="how=toml" { (toml(form, &errors)) }
                div.actions { button.primary type="submit" { "Make the study" } a.quiet.link href="/" { "Cancel" } }
            }
        },
    )
}

/// What is wrong, by field.
struct Errors<'a>(&'a [FieldError]);

impl<'a> Errors<'a> {
    fn of(&self, field: &str) -> Option<&'a str> {
        self.0.iter().find(|e| e.field == field).map(|e| e.error.as_str())
    }
}

fn summary(errors: &Errors<'_>) -> Markup {
    html! {
        @if !errors.0.is_empty() {
            div.trouble role="alert" {
                p { "The study was not made yet:" }
                ul {
                    @for e in errors.0 {
                        li { @if e.field.is_empty() { (e.error) } @else { a href=(format!("#{}", e.field)) { (e.error) } } }
                    }
                }
            }
        }
    }
}

/// A field: label, hint, error, and the control that `control` makes of its attributes.
fn field(
    id: &str,
    label: &str,
    hint: &str,
    errors: &Errors<'_>,
    control: impl FnOnce(&Described<'_>) -> Markup,
) -> Markup {
    let error = errors.of(id);
    let mut ids = Vec::new();
    if !hint.is_empty() {
        ids.push(format!("{id}-hint"));
    }
    if error.is_some() {
        ids.push(format!("{id}-error"));
    }
    let described =
        Described { by: (!ids.is_empty()).then(|| ids.join(" ")), invalid: error.map(|_| "true") };
    html! {
        div.field {
            label for=(id) { (label) }
            @if !hint.is_empty() { p.hint id=(format!("{id}-hint")) { (hint) } }
            @if let Some(error) = error { p.error id=(format!("{id}-error")) { (error) } }
            (control(&described))
        }
    }
}

struct Described<'a> {
    by: Option<String>,
    invalid: Option<&'a str>,
}

fn input(id: &str, label: &str, hint: &str, value: &str, errors: &Errors<'_>) -> Markup {
    field(id, label, hint, errors, |d| {
        html! { input id=(id) name=(id) value=(value) autocomplete="off" aria-describedby=[&d.by] aria-invalid=[d.invalid]; }
    })
}

fn textarea(id: &str, label: &str, hint: &str, value: &str, rows: u8, errors: &Errors<'_>) -> Markup {
    field(id, label, hint, errors, |d| {
        html! {
            // A line break right after the tag is dropped by browsers: this one keeps a first line that is empty.
            textarea id=(id) name=(id) rows=(rows) spellcheck="false" aria-describedby=[&d.by] aria-invalid=[d.invalid] {
                "\n" (value)
            }
        }
    })
}

fn select(
    id: &str,
    label: &str,
    hint: &str,
    options: &[(&str, &str)],
    chosen: &str,
    errors: &Errors<'_>,
) -> Markup {
    field(id, label, hint, errors, |d| {
        html! {
            select id=(id) name=(id) aria-describedby=[&d.by] aria-invalid=[d.invalid] {
                @for (value, text) in options { option value=(value) selected[*value == chosen] { (text) } }
                @if !options.iter().any(|(value, _)| *value == chosen) { option value=(chosen) selected { (chosen) } }
            }
        }
    })
}

fn upload(id: &str, label: &str, hint: &str, accept: &str, many: bool) -> Markup {
    field(id, label, hint, &Errors(&[]), |d| {
        html! { input id=(id) name=(id) type="file" accept=(accept) multiple[many] aria-describedby=[&d.by]; }
    })
}

fn tick(id: &str, label: &str, ticked: bool) -> Markup {
    html! { label.toggle { input id=(id) name=(id) type="checkbox" value="yes" checked[ticked]; (label) } }
}

fn radio_row(name: &str, legend: &str, options: &[(&str, &str, bool)]) -> Markup {
    html! {
        fieldset.choice {
            legend { (legend) }
            @for (value, text, chosen) in options {
                label { input type="radio" name=(name) value=(value) checked[*chosen]; span { (text) } }
            }
        }
    }
}

fn what_it_is(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    html! {
        (input("title", "Title", "", &form.title, errors))
        (input("question", "Question", "What the participant is asked.", &form.question, errors))
    }
}

fn subject(view: &NewStudyPage, errors: &Errors<'_>) -> Markup {
    let form = &view.form;
    let limit = format!("up to {} MB together", view.largest_upload / (1 << 20));
    let is = |subject| form.subject == subject;
    let commands = view.commands.iter().map(|name| (name.as_str(), name.as_str()));
    let renderers: Vec<(&str, &str)> = std::iter::once((VALUES, "its values")).chain(commands).collect();
    html! {
        (radio_row("subject", "What is compared?", &[
            ("parameters", "Settings of parameters", is(Subject::Parameters)),
            ("items", "Items of a list", is(Subject::Items)),
            ("suppressor", "The built-in noise suppressor", is(Subject::Suppressor)),
        ]))
        div.group data-shown-for="subject=parameters" {
            (parameter_rows(form, errors))
            @if !view.commands.is_empty() {
                (select("renderer", "Shown as", "Commands were configured when the studio was started.", &renderers, &form.renderer, errors))
            }
        }
        div.group data-shown-for="subject=items" {
            (textarea("items", "Items", "One a line; or a CSV table with a header, whose first column is the name and whose others are features.",
                &form.items, 6, errors))
            (upload("items_file", "or a CSV file", "", ".csv,text/csv", false))
            (input("media", "Column of media", "The column with web addresses or the names of uploaded files. Leave this empty if the table has one column with the files’ names.",
                &form.media, errors))
            (upload("media_files", "Media to upload", &format!("Sounds (WAV, FLAC, Ogg, MP3), pictures (PNG, JPEG, WebP, GIF) or texts, {limit}. Without items, each file is one; \
                items without a table get the file of their name."),
                ".wav,.flac,.ogg,.oga,.mp3,.png,.jpg,.jpeg,.webp,.gif,.txt,.html", true))
        }
        div.group data-shown-for="subject=suppressor" {
            (tick("both", "Tune the over-subtraction too, not only the floor", form.both))
            (upload("clip_file", "Your own recording", "A WAV file that begins with at least a quarter of a second of noise alone. \
                Without one, the program makes a noisy voice itself.", ".wav,audio/wav", false))
            input type="hidden" name="clip" value=(form.clip);
            @if !form.clip.is_empty() { p.hint { "A recording was uploaded and is kept." } }
        }
    }
}

fn parameter_rows(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    // Without scripts rows cannot be added: some empty ones are there, which scripts remove.
    let spare = 4_usize.saturating_sub(form.parameters.len());
    let empty = ParameterRow::default();
    let rows =
        form.parameters.iter().map(|row| (row, false)).chain(std::iter::repeat_n((&empty, true), spare));
    html! {
        div #parameters {
            @for (i, (row, spare)) in rows.enumerate() { (parameter_row(i, row, spare, errors)) }
        }
        button #add-parameter .small type="button" hidden { "Add a parameter" }
    }
}

fn parameter_row(i: usize, row: &ParameterRow, spare: bool, errors: &Errors<'_>) -> Markup {
    let cell = |part: &str, label: &str, value: &str, kinds: &str| {
        let id = format!("parameter-{part}-{i}");
        let error = errors.of(&id);
        html! {
            div.field data-part=(part) data-kinds=(kinds) {
                label for=(id) { (label) }
                input id=(id) name=(format!("parameter-{part}")) value=(value) autocomplete="off" aria-invalid=[error.map(|_| "true")]
                    aria-describedby=[error.map(|_| format!("{id}-error"))];
                @if let Some(error) = error { p.error id=(format!("{id}-error")) { (error) } }
            }
        }
    };
    let ranges = [
        ("float", "number"),
        ("log", "number, by ratios"),
        ("integer", "whole number"),
        ("categorical", "choice"),
    ];
    let id = format!("parameter-range-{i}");
    let numbers = "float log integer";
    html! {
        fieldset.parameter data-spare=[spare.then_some("yes")] {
            legend { "Parameter " span.place { (i + 1) } }
            (cell("name", "Name", &row.name, ""))
            div.field data-part="range" {
                label for=(id) { "Values" }
                select id=(id) name="parameter-range" {
                    @for (value, text) in ranges { option value=(value) selected[value == row.range] { (text) } }
                }
            }
            (cell("low", "From", &row.low, numbers))
            (cell("high", "To", &row.high, numbers))
            (cell("step", "Step", &row.step, "float"))
            (cell("choices", "Choices, with commas", &row.choices, "categorical"))
            (cell("unit", "Unit", &row.unit, numbers))
            button.quiet.small.remove type="button" hidden { "Remove" span.sr-only { " parameter " span.place { (i + 1) } } }
        }
    }
}

/// The fields of [`duels`] that are hidden at first.
const HOW: [&str; 7] = ["acquisition", "opponent", "half_life", "inference", "drift", "repeats", "catches"];

fn duels(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    let acquisitions = acquisitions();
    let acquisitions: Vec<(&str, &str)> =
        acquisitions.iter().map(|(name, words)| (&**name, *words)).collect();
    html! {
        (input("duels", "Number of comparisons", "For each participant; empty for no limit.", &form.duels, errors))
        (select("options", "Options of a question", "Of more than two items of a list the best is asked, or the best and the worst.", &OPTIONS, &form.options, errors))
        (select("answers", "What may be answered", "", &ANSWERS, &form.answers, errors))
        fieldset.ticks {
            legend { "The page of a comparison" }
            (tick("blind", "Hide settings and names", form.blind))
            (tick("restart", "Start sounds over at each switch", form.restart))
            (tick("loudness", "Play both sounds equally loud", form.loudness))
            (tick("hear_both", "Take an answer only when both sounds were played", form.hear_both))
        }
        details.more open[HOW.iter().any(|f| errors.of(f).is_some())] {
            summary { "How comparisons are chosen and checked, and how the model is learned" }
            (select("acquisition", "The next comparison is", "", &acquisitions, &form.acquisition, errors))
            (select("opponent", "against", "", &OPPONENTS, &form.opponent, errors))
            (input("half_life", "Half-life of answers", "An answer counts half after so many others. Leave this empty for all to count the same.",
                &form.half_life, errors))
            (select("inference", "Answers are processed", "", &INFERENCES, &form.inference, errors))
            (input("drift", "Drift of preferences, in answers", "For preferences that drift, with streaming: the correlation of a utility with its earlier value halves in so many answers. Leave this empty if they do not.",
                &form.drift, errors))
            (select("repeats", "Repeat an earlier comparison", "To measure how consistent answers are.", &EVERY, &form.repeats, errors))
            (select("catches", "Show the same on both sides", "Catch trials: no preference is right.", &EVERY, &form.catches, errors))
        }
    }
}

fn people(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    html! {
        details.more open[!form.participants.is_empty() || errors.of("participants").is_some()] {
            summary { "Participants" }
            (textarea("participants", "Names", "One a line; each gets a link. Leave this empty to answer yourself, or to make links later.",
                &form.participants, 3, errors))
            (select("learning", "Learn", "With everyone\u{2019}s answers, the tenth person needs fewer comparisons than the first.", &LEARNING, &form.learning, errors))
        }
    }
}

fn toml(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    html! {
        (textarea("toml", "Definition", "The same as for the command \u{201c}rather study new\u{201d}.", &form.toml, 14, errors))
        (upload("toml_file", "or a TOML file", "", ".toml,text/plain", false))
    }
}
