//! The second step: what varies, or the items.

use super::fields::{Errors, input, select, textarea, tick, upload};
use crate::form::{ParameterRow, StudyForm, Subject, VALUES};
use crate::view::{MediaKind, NewStudyPage};
use maud::{Markup, html};

/// Files that a drop zone takes, by kinds; all if none is named.
fn endings(kinds: &[MediaKind]) -> String {
    const ALL: [MediaKind; 6] = [
        MediaKind::Audio,
        MediaKind::Image,
        MediaKind::Video,
        MediaKind::Text,
        MediaKind::Pdf,
        MediaKind::Html,
    ];
    let of = |kind: &MediaKind| match kind {
        MediaKind::Audio => ".wav,.flac,.ogg,.oga,.mp3",
        MediaKind::Image => ".png,.jpg,.jpeg,.webp,.gif,.svg",
        MediaKind::Video => ".mp4,.webm,.m4v",
        MediaKind::Text => ".txt",
        MediaKind::Pdf => ".pdf",
        MediaKind::Html => ".html,.htm",
    };
    let kinds = if kinds.is_empty() { &ALL } else { kinds };
    kinds.iter().map(of).collect::<Vec<_>>().join(",")
}

/// Groups of fields, of which scripts show those of the chosen template.
pub(super) fn step(view: &NewStudyPage, errors: &Errors<'_>) -> Markup {
    let form = &view.form;
    html! {
        div.group data-shown-for="subject=parameters" { (parameters(view, errors)) }
        div.group data-shown-for="subject=sounds pictures texts pages items" { (items(view, errors)) }
        div.group data-shown-for="subject=suppressor" {
            (tick("both", "Tune the over-subtraction too, not only the floor", form.both))
            (upload("clip_file", "Your own recording", "A WAV file that begins with at least a quarter of a second of noise alone. \
                Without one, the program makes a noisy voice itself.", (".wav,audio/wav", false), errors))
            input type="hidden" name="clip" value=(form.clip);
            @if !form.clip.is_empty() { p.hint { "A recording was uploaded and is kept." } }
        }
        (reference(form, errors))
        (try_it(view))
    }
}

/// What may be heard or seen beside every comparison.
fn reference(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    let wrong = ["reference", "reference_file"].iter().any(|field| errors.of(field).is_some());
    html! {
        details.more open[wrong || !form.reference.is_empty()] {
            summary { "Reference: played or shown beside every comparison, never an answer" }
            (input("reference", "Reference", "The name of a file above, a web address, or of parameters a setting, such as gain = 5, rate = 2.",
                &form.reference, errors))
            // A file stands for the text of the field before it.
            (upload("reference_file", "or a file of its own", "", (&endings(&[]), false), errors))
        }
    }
}

fn parameters(view: &NewStudyPage, errors: &Errors<'_>) -> Markup {
    let form = &view.form;
    let commands = view.commands.iter().map(|name| (name.as_str(), name.as_str()));
    let renderers: Vec<(&str, &str)> =
        std::iter::once((VALUES, "the values themselves")).chain(commands).collect();
    html! {
        (parameter_rows(form, errors))
        @if view.commands.is_empty() {
            p.hint {
                "The values themselves are compared. A program of your own can turn them into a sound, a picture, a page or a text: \
                 it is named where the studio is started."
            }
        } @else {
            (select("renderer", "Shown as", "What your command makes of the values.", &renderers, &form.renderer, errors))
        }
    }
}

/// Runs the renderer before the study exists. Without scripts a window opens with what it makes.
fn try_it(view: &NewStudyPage) -> Markup {
    let ends = [("low", "Low"), ("middle", "Middle"), ("high", "High")];
    let all = if view.commands.is_empty() { "subject=suppressor" } else { "subject=parameters suppressor" };
    html! {
        div.try data-shown-for=(all) role="group" aria-labelledby="try-title" {
            p #try-title { strong { "Try it" } span.hint { " Runs the renderer at one setting; no study is created." } }
            div.actions {
                @for (at, text) in ends {
                    button type="submit" name="at" value=(at) formaction="/studies/new/try" formtarget="_blank" { (text) }
                }
            }
            div #tried aria-live="polite" {}
        }
    }
}

/// The fields that name columns of the table.
const COLUMNS: [&str; 2] = ["media", "within"];

fn items(view: &NewStudyPage, errors: &Errors<'_>) -> Markup {
    let form = &view.form;
    let limits =
        format!("Up to {} MB each, {} MB together.", view.largest_file >> 20, view.largest_upload >> 20);
    let hint = format!(
        "Each file is an item; items that are named below get the file of their name. Sounds: WAV, FLAC, Ogg, MP3. Pictures: PNG, JPEG, \
         WebP, GIF, SVG; videos: MP4, WebM. Texts: UTF-8, PDF. Pages: HTML. {limits}"
    );
    html! {
        div #drop .drop data-largest=(view.largest_file) data-together=(view.largest_upload) {
            @for subject in Subject::ALL.into_iter().filter(|s| s.is_of_items()) {
                input type="hidden" data-endings=(subject.name()) value=(endings(subject.files()));
            }
            (upload("media_files", "Files", &hint, (&endings(&[]), true), errors))
            p.drop-here hidden { "or drop them here" }
            ul #files aria-label="Chosen files" {}
        }
        (textarea("items", "Names", "One per line; or a CSV table with a header, whose first column is the name and whose others are features, \
            files or web addresses.", &form.items, 6, errors))
        (upload("items_file", "or a CSV file", "", (".csv,text/csv", false), errors))
        details.more open[COLUMNS.iter().any(|column| errors.of(column).is_some()) || !form.media.is_empty() || !form.within.is_empty()] {
            summary { "Columns: files, and what is compared with what" }
            (input("media", "Column of files", "With web addresses or the names of the files above. Leave this empty if only one column names files.",
                &form.media, errors))
            (input("within", "Compare only within the same", "A column, such as that of prompts: both sides of a comparison have the same value in it, which is shown above them. Leave this empty to compare any two.",
                &form.within, errors))
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
        ("log", "number, logarithmic"),
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
            (cell("choices", "Choices, separated by commas", &row.choices, "categorical"))
            (cell("unit", "Unit", &row.unit, numbers))
            button.quiet.small.remove type="button" hidden { "Remove" span.sr-only { " parameter " span.place { (i + 1) } } }
        }
    }
}
