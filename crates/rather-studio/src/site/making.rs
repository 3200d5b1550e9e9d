//! The page on which a study is made.

use super::parameter;
use super::visit::{Visit, show};
use crate::access::Operator;
use crate::extract::{Query, read_error};
use crate::form::{StudyForm, Subject};
use crate::pages;
use crate::presentation::Presentation;
use crate::refusal::{Code, Refusal};
use crate::render::Media;
use crate::studio::App;
use crate::view::{FieldError, NewStudyPage};
use axum::Extension;
use axum::extract::multipart::{Field, MultipartRejection};
use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use std::collections::HashMap;

/// More files at once are a mistake.
const MOST_FILES: usize = 1000;
/// A longer name is a mistake.
const LONGEST_NAME: usize = 200;

/// What was sent.
#[derive(Debug, Default)]
struct Sent {
    csrf: String,
    fields: Vec<(String, String)>,
    media: Vec<(String, Media)>,
    errors: Vec<FieldError>,
}

pub(super) async fn page(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    query: Query<HashMap<String, String>>,
) -> Response {
    let subject = match parameter(&query, "subject").as_deref() {
        Some("suppressor") => Subject::Suppressor,
        Some("items") => Subject::Items,
        _ => Subject::Parameters,
    };
    form(&app, &visit, StudyForm { subject, ..StudyForm::default() }, Vec::new())
}

fn form(app: &App, visit: &Visit, form: StudyForm, errors: Vec<FieldError>) -> Response {
    let commands =
        app.registry.commands().names().into_iter().filter(|name| name != crate::render::setup::SUPPRESSOR);
    let view =
        NewStudyPage { form, errors, commands: commands.collect(), largest_upload: app.config.limits.upload };
    show(pages::new_study(&visit.0.frame(app), &view), &[])
}

pub(super) async fn make(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    body: Result<Multipart, MultipartRejection>,
) -> Result<Response, Refusal> {
    let body = body
        .map_err(|_| Refusal::new(Code::Unsupported, "send the form as browsers do (multipart/form-data)"))?;
    let sent = read(body, app.config.limits.file).await?;
    visit.0.check_form(&app, &sent.csrf)?;
    let mut filled = StudyForm::read(sent.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let mut media = sent.media;
    if !filled.clip.is_empty() && !media.iter().any(|(name, _)| *name == filled.clip) {
        // Sent before, when something else was wrong.
        match app.draft(&filled.clip) {
            Some(clip) => media.push((filled.clip.clone(), clip)),
            None => filled.clip.clear(),
        }
    }
    let mut errors = sent.errors;
    let files: Vec<String> =
        media.iter().map(|(name, _)| name.clone()).filter(|name| *name != filled.clip).collect();
    errors.extend(filled.give_files(&files).err());
    let errors = if errors.is_empty() { make_of(&app, &filled, media).await? } else { Err(errors) };
    match errors {
        Ok(path) => Ok(Redirect::to(&path).into_response()),
        Err(errors) => {
            Ok((StatusCode::UNPROCESSABLE_ENTITY, form(&app, &visit, filled, errors)).into_response())
        }
    }
}

/// Makes the study that a form means; where to go then, or what is wrong with it.
async fn make_of(
    app: &App,
    form: &StudyForm,
    media: Vec<(String, Media)>,
) -> Result<Result<String, Vec<FieldError>>, Refusal> {
    let definition = match form.definition() {
        Ok(definition) => definition,
        Err(errors) => return Ok(keep_clip(app, form, &media, errors)),
    };
    let presentation = Presentation::of(&definition).map_err(Refusal::invalid)?;
    let checked = tokio::task::spawn_blocking({
        let (app, definition, media) = (app.clone(), definition.clone(), media.clone());
        let presentation = presentation.clone();
        move || crate::making::check(&app, &definition, &presentation, &media)
    });
    let checked = match checked.await.map_err(|e| Refusal::internal(&e))? {
        Ok(()) => crate::making::try_out(app, &definition, &presentation).await,
        wrong => wrong,
    };
    if let Err(error) = checked {
        return Ok(keep_clip(app, form, &media, vec![error]));
    }
    let invited = definition.participants.names.clone();
    let live = app.registry.create(definition, media).await?;
    for name in &invited {
        crate::api::invite_to(app, &live, name).await?;
    }
    let page = if invited.is_empty() { "duel" } else { "result#people" };
    Ok(Ok(format!("/studies/{}/{page}", live.id)))
}

/// Keeps the recording of a form that goes back, so that it need not be sent again.
fn keep_clip(
    app: &App,
    form: &StudyForm,
    media: &[(String, Media)],
    errors: Vec<FieldError>,
) -> Result<String, Vec<FieldError>> {
    if let Some((name, clip)) = media.iter().find(|(name, _)| *name == form.clip) {
        app.keep_draft(name, clip.clone());
    }
    Err(errors)
}

async fn read(mut body: Multipart, most: usize) -> Result<Sent, Refusal> {
    let mut sent = Sent::default();
    loop {
        let field = body.next_field().await.map_err(|e| read_error(e.status()))?;
        let Some(field) = field else { return Ok(sent) };
        let name = field.name().unwrap_or_default().to_owned();
        match field.file_name().map(base_name) {
            None => {
                let text = field.text().await.map_err(|e| read_error(e.status()))?;
                if name == "csrf" {
                    sent.csrf = text;
                } else {
                    sent.fields.push((name, text));
                }
            }
            Some(file) => {
                let bytes = bytes(field, most, &file).await?;
                if !file.is_empty() && !bytes.is_empty() {
                    sent.take_file(name, file, bytes)?;
                }
            }
        }
    }
}

impl Sent {
    fn take_file(&mut self, field: String, file: String, bytes: Vec<u8>) -> Result<(), Refusal> {
        if self.media.len() >= MOST_FILES || file.len() > LONGEST_NAME {
            return Err(Refusal::new(
                Code::TooLarge,
                "these are too many files, or one has a very long name; send less at once",
            ));
        }
        match field.as_str() {
            "toml_file" => self.take_text("toml", &field, bytes),
            "items_file" => self.take_text("items", &field, bytes),
            "clip_file" | "media_files" => match Media::of(bytes) {
                Some(media) => {
                    if field == "clip_file" {
                        self.fields.push(("clip".to_owned(), file.clone()));
                    }
                    self.media.push((file, media));
                }
                None => {
                    let file = rather_io::quote(&file);
                    let error = format!(
                        "{file} is none of WAV, FLAC, Ogg, MP3, PNG, JPEG, GIF, WebP, HTML and text, despite its name"
                    );
                    self.errors.push(FieldError { field, error });
                }
            },
            _ => {}
        }
        Ok(())
    }

    /// A file stands for the text of a field; it comes after the field, which it replaces.
    fn take_text(&mut self, name: &str, field: &str, bytes: Vec<u8>) {
        match String::from_utf8(bytes) {
            Ok(text) => self.fields.push((name.to_owned(), text.trim_start_matches('\u{feff}').to_owned())),
            Err(_) => {
                let error = "the file is not UTF-8 text; save it as UTF-8".to_owned();
                self.errors.push(FieldError { field: field.to_owned(), error });
            }
        }
    }
}

/// The bytes of a file, which must not be too many.
async fn bytes(mut field: Field<'_>, most: usize, name: &str) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|e| read_error(e.status()))? {
        if bytes.len() + chunk.len() > most {
            let name = rather_io::quote(name);
            return Err(Refusal::new(
                Code::TooLarge,
                format!("{name} has more than {} MB; send a smaller file", most >> 20),
            ));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// A file's name without the folders that some browsers send. It is a name in a table, never one of a file here.
fn base_name(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or_default().trim().to_owned()
}
