//! The fields of a form: a label, a hint, what is wrong, and a control.

use crate::view::FieldError;
use maud::{Markup, html};

/// What is wrong, by field.
pub(super) struct Errors<'a>(pub(super) &'a [FieldError]);

impl<'a> Errors<'a> {
    pub(super) fn of(&self, field: &str) -> Option<&'a str> {
        self.0.iter().find(|e| e.field == field).map(|e| e.error.as_str())
    }
}

/// A field: label, hint, error, and the control that `control` makes of its attributes.
pub(super) fn field(
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

pub(super) struct Described<'a> {
    pub(super) by: Option<String>,
    pub(super) invalid: Option<&'a str>,
}

pub(super) fn input(id: &str, label: &str, hint: &str, value: &str, errors: &Errors<'_>) -> Markup {
    field(id, label, hint, errors, |d| {
        html! { input id=(id) name=(id) value=(value) autocomplete="off" aria-describedby=[&d.by] aria-invalid=[d.invalid]; }
    })
}

pub(super) fn textarea(
    id: &str,
    label: &str,
    hint: &str,
    value: &str,
    rows: u8,
    errors: &Errors<'_>,
) -> Markup {
    field(id, label, hint, errors, |d| {
        html! {
            // A line break right after the tag is dropped by browsers: this one keeps a first line that is empty.
            textarea id=(id) name=(id) rows=(rows) spellcheck="false" aria-describedby=[&d.by] aria-invalid=[d.invalid] {
                "\n" (value)
            }
        }
    })
}

pub(super) fn select(
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

/// Files to choose, with what is wrong with them.
pub(super) fn upload(
    id: &str,
    label: &str,
    hint: &str,
    (accept, many): (&str, bool),
    errors: &Errors<'_>,
) -> Markup {
    field(id, label, hint, errors, |d| {
        html! { input id=(id) name=(id) type="file" accept=(accept) multiple[many] aria-describedby=[&d.by] aria-invalid=[d.invalid]; }
    })
}

pub(super) fn tick(id: &str, label: &str, ticked: bool) -> Markup {
    html! { label.toggle { input id=(id) name=(id) type="checkbox" value="yes" checked[ticked]; (label) } }
}

pub(super) fn radio_row(name: &str, legend: &str, options: &[(&str, &str, bool)]) -> Markup {
    html! {
        fieldset.choice {
            legend { (legend) }
            @for (value, text, chosen) in options {
                label { input type="radio" name=(name) value=(value) checked[*chosen]; span { (text) } }
            }
        }
    }
}
