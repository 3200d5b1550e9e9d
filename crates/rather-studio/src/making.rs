//! Whether a study can be made: what only the studio knows to be wrong with a definition.

use crate::presentation::Presentation;
use crate::render::Renderer;
use crate::render::media::{Format, Media};
use crate::render::setup::SUPPRESSOR;
use crate::render::suppressor::{Suppressor, coordinates};
use crate::showing::{check_media, check_reference};
use crate::studio::App;
use crate::view::FieldError;
use rather_study::definition::Subject;
use rather_study::space::{Range, Space};
use rather_study::{Alternative, Definition, Setting, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Whether a study of this definition, with these files, can be shown.
///
/// # Errors
/// The first thing that is wrong, with the field of the form that it stands in.
pub fn check(
    app: &App,
    definition: &Definition,
    presentation: &Presentation,
    files: &[(String, Media)],
) -> Result<(), FieldError> {
    definition.check().map_err(|fault| wrong("", fault.to_string()))?;
    let formats: BTreeMap<String, Format> =
        files.iter().map(|(name, media)| (name.clone(), media.format)).collect();
    check_reference(presentation, &formats).map_err(|e| wrong("reference", e))?;
    match presentation.renderer.as_deref() {
        None => check_media(definition, presentation, &formats).map_err(|e| wrong("media_files", e)),
        Some(SUPPRESSOR) => check_suppressor(definition, presentation, files),
        Some(name) => check_command(app, definition, name),
    }
}

/// How long creating a study waits for its renderer. One that takes longer by its own limit is given the benefit of the doubt.
const PATIENCE: Duration = Duration::from_secs(40);

/// Tries the renderer of a study at both ends: the lowest and the highest of every range, the first and the last of its choices or
/// items.
///
/// # Errors
/// If it fails on one of them.
pub async fn try_out(
    app: &App,
    definition: &Definition,
    presentation: &Presentation,
) -> Result<(), FieldError> {
    let command =
        presentation.renderer.as_ref().and_then(|name| Some((name, app.registry.commands().get(name)?)));
    let Some((name, renderer)) = command else { return Ok(()) };
    let ends = match &definition.subject {
        Subject::Items(items) => {
            items.keys.first().into_iter().chain(items.keys.last()).cloned().map(Alternative::Item).collect()
        }
        Subject::Parameters(space) => [0.0, 1.0].map(|end| Alternative::Setting(at(space, end))).to_vec(),
    };
    let tried: Vec<_> = ends
        .into_iter()
        .map(|end: Alternative| {
            let renderer = Arc::clone(&renderer);
            tokio::task::spawn_blocking(move || renderer.render(&end).map_err(|error| (end, error)))
        })
        .collect();
    let deadline = tokio::time::Instant::now() + PATIENCE;
    for run in tried {
        if let Ok(Ok(Err((end, error)))) = tokio::time::timeout_at(deadline, run).await {
            let name = rather_io::quote(name);
            let end = if matches!(end, Alternative::Item(_)) {
                rather_io::quote(&end.to_string())
            } else {
                end.to_string()
            };
            return Err(wrong(
                "renderer",
                format!("the renderer {name} was tried on {end} and failed: {error}"),
            ));
        }
    }
    Ok(())
}

/// What the renderer of a study that does not exist yet makes of the setting at a place of all ranges, from 0 to 1.
///
/// # Errors
/// If there is none, or it fails.
pub async fn rendered(
    app: &App,
    definition: &Definition,
    files: &[(String, Media)],
    place: f64,
) -> Result<Media, FieldError> {
    let presentation = Presentation::of(definition).map_err(|e| wrong("", e))?;
    let (Subject::Parameters(space), Some(name)) = (&definition.subject, &presentation.renderer) else {
        return Err(wrong("renderer", "the values themselves are compared; there is nothing to render"));
    };
    check(app, definition, &presentation, files)?;
    let clip = files.iter().find(|(other, _)| Some(other) == presentation.clip.as_ref());
    let clip = clip.map(|(_, media)| media.bytes.clone());
    let (command, setting) = (app.registry.commands().get(name), Alternative::Setting(at(space, place)));
    let run = tokio::task::spawn_blocking(move || match (command, clip) {
        (Some(command), _) => command.render(&setting).map_err(|e| e.to_string()),
        (None, Some(clip)) => {
            let suppressor = Suppressor::on(&clip).map_err(|e| e.to_string())?;
            suppressor.render(&setting).map_err(|e| e.to_string())
        }
        (None, None) => Suppressor::built_in().render(&setting).map_err(|e| e.to_string()),
    });
    let rendered = run.await.unwrap_or_else(|_| Err("it failed".to_owned()));
    rendered.map_err(|e| wrong("renderer", format!("the renderer {} failed: {e}", rather_io::quote(name))))
}

fn check_suppressor(
    definition: &Definition,
    presentation: &Presentation,
    files: &[(String, Media)],
) -> Result<(), FieldError> {
    let Subject::Parameters(space) = &definition.subject else {
        return Err(wrong("subject", "the suppressor has settings of parameters, not items"));
    };
    for end in [0.0, 1.0] {
        coordinates(&at(space, end)).map_err(|e| wrong("subject", e))?;
    }
    let Some(name) = &presentation.clip else { return Ok(()) };
    let Some((_, media)) = files.iter().find(|(other, _)| other == name) else {
        return Err(wrong(
            "clip_file",
            format!("the recording {} was not sent along; choose it again", rather_io::quote(name)),
        ));
    };
    Suppressor::on(&media.bytes).map(|_| ()).map_err(|e| wrong("clip_file", e.to_string()))
}

fn check_command(app: &App, definition: &Definition, name: &str) -> Result<(), FieldError> {
    let Some(renderer) = app.registry.commands().get(name) else {
        let known = rather_io::list(&app.registry.commands().names());
        let name = rather_io::quote(name);
        return Err(wrong(
            "renderer",
            format!("there is no renderer {name} in this studio; there are {known}"),
        ));
    };
    let fits = |alternative: &Alternative| {
        let problem =
            |e| wrong("renderer", format!("the renderer {} cannot be used: {e}", rather_io::quote(name)));
        renderer.fits(alternative).map_err(problem)
    };
    match &definition.subject {
        Subject::Items(items) => items.keys.iter().try_for_each(|key| fits(&Alternative::Item(key.clone()))),
        Subject::Parameters(space) => {
            settings(space).into_iter().try_for_each(|s| fits(&Alternative::Setting(s)))
        }
    }
}

/// Settings in which every choice of every parameter stands at least once.
fn settings(space: &Space) -> Vec<Setting> {
    let middle = at(space, 0.5);
    let mut all = vec![middle.clone()];
    for (i, parameter) in space.parameters.iter().enumerate() {
        let Range::Categorical { choices } = &parameter.range else { continue };
        for choice in choices {
            let mut setting = middle.clone();
            setting.values[i].1 = Value::Text(choice.clone());
            all.push(setting);
        }
    }
    all
}

/// The setting with every coordinate at `u`.
pub fn at(space: &Space, u: f64) -> Setting {
    let value = |range: &Range| match range {
        Range::Categorical { choices } => {
            let choice = if u < 1.0 { choices.first() } else { choices.last() };
            Value::Text(choice.cloned().unwrap_or_default())
        }
        other => other.value(u),
    };
    Setting { values: space.parameters.iter().map(|p| (p.name.clone(), value(&p.range))).collect() }
}

fn wrong(field: &str, error: impl Into<String>) -> FieldError {
    FieldError { field: field.to_owned(), error: error.into(), file: None }
}
