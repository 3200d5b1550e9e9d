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
use crate::view::{FieldError, MediaKind, NewStudyPage};
use axum::extract::multipart::{Field, MultipartRejection};
use axum::extract::{Multipart, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use serde_json::json;
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
    /// The file of the reference, which is no item.
    reference: Option<String>,
    errors: Vec<FieldError>,
}

pub(super) async fn page(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    query: Query<HashMap<String, String>>,
) -> Response {
    let subject = Subject::named(&parameter(&query, "subject").unwrap_or_default());
    form(&app, &visit, StudyForm { subject, ..StudyForm::default() }, Vec::new())
}

fn form(app: &App, visit: &Visit, form: StudyForm, errors: Vec<FieldError>) -> Response {
    let commands =
        app.registry.commands().names().into_iter().filter(|name| name != crate::render::setup::SUPPRESSOR);
    let (limits, commands) = (&app.config.limits, commands.collect());
    let (largest_upload, largest_file) = (limits.upload, limits.file);
    let view = NewStudyPage { form, errors, commands, largest_upload, largest_file };
    show(pages::new_study(&visit.0.frame(app), &view), &[])
}

pub(super) async fn make(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    headers: HeaderMap,
    body: Result<Multipart, MultipartRejection>,
) -> Result<Response, Refusal> {
    let filled = fill(&app, &visit, body).await?;
    let Filled { form: filled, media, mut errors, .. } = filled;
    let made = if errors.is_empty() {
        make_of(&app, &filled, media).await?
    } else {
        // All that is wrong at once; where files are wrong, items that lack them are no news.
        let others = filled.definition().err().unwrap_or_default();
        errors.extend(others.into_iter().filter(|other| !["items", "media"].contains(&other.field.as_str())));
        keep_clip(&app, &filled, &media, errors)
    };
    // Scripts stay on their page, where the files are that were chosen.
    let by_script = headers.get(header::ACCEPT).is_some_and(|accept| accept == "application/json");
    Ok(match (made, by_script) {
        (Ok(page), false) => Redirect::to(&page).into_response(),
        (Ok(page), true) => (StatusCode::CREATED, Json(json!({ "page": page }))).into_response(),
        (Err(errors), true) => wrong(errors),
        (Err(errors), false) => {
            (StatusCode::UNPROCESSABLE_ENTITY, form(&app, &visit, filled, errors)).into_response()
        }
    })
}

/// What is wrong, for a script.
fn wrong(errors: Vec<FieldError>) -> Response {
    (StatusCode::UNPROCESSABLE_ENTITY, Json(json!({ "errors": errors }))).into_response()
}

/// What the renderer makes of the lowest, the middle or the highest setting, before there is a study.
pub(super) async fn try_out(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    body: Result<Multipart, MultipartRejection>,
) -> Result<Response, Refusal> {
    let Filled { form, media, errors, at } = fill(&app, &visit, body).await?;
    if !errors.is_empty() {
        return Ok(wrong(keep_clip::<()>(&app, &form, &media, errors).err().unwrap_or_default()));
    }
    let _: Result<(), _> = keep_clip(&app, &form, &media, Vec::new());
    let u = match at.as_str() {
        "low" => 0.0,
        "high" => 1.0,
        _ => 0.5,
    };
    match form.definition() {
        Err(errors) => Ok(wrong(errors)),
        Ok(definition) => match crate::making::rendered(&app, &definition, &media, u).await {
            Ok(media) => Ok(super::files::served(media, "no-store")),
            Err(error) => Ok(wrong(vec![error])),
        },
    }
}

/// The study that a form means, as text.
pub(super) async fn as_toml(
    State(app): State<App>,
    _: Operator,
    Extension(visit): Extension<Visit>,
    body: Result<Multipart, MultipartRejection>,
) -> Result<Response, Refusal> {
    let Filled { form, errors, .. } = fill(&app, &visit, body).await?;
    let definition = if errors.is_empty() { form.definition() } else { Err(errors) };
    Ok(match definition {
        Ok(definition) => definition.to_toml().into_response(),
        Err(errors) => wrong(errors),
    })
}

/// A form that was sent, with its files.
struct Filled {
    form: StudyForm,
    media: Vec<(String, Media)>,
    errors: Vec<FieldError>,
    /// At which setting the renderer is to be tried.
    at: String,
}

async fn fill(
    app: &App,
    visit: &Visit,
    body: Result<Multipart, MultipartRejection>,
) -> Result<Filled, Refusal> {
    let body = body
        .map_err(|_| Refusal::new(Code::Unsupported, "send the form as browsers do (multipart/form-data)"))?;
    let sent = read(body, app.config.limits.file).await?;
    visit.0.check_form(app, &sent.csrf)?;
    let mut filled = StudyForm::read(sent.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let at = sent.fields.iter().find(|(name, _)| name == "at").map_or("", |(_, at)| at).to_owned();
    let mut media = sent.media;
    if !filled.clip.is_empty() && !media.iter().any(|(name, _)| *name == filled.clip) {
        // Sent before, when something else was wrong.
        match app.draft(&filled.clip) {
            Some(clip) => media.push((filled.clip.clone(), clip)),
            None => filled.clip.clear(),
        }
    }
    let mut errors = sent.errors;
    errors.extend(twice(&media, sent.reference.as_deref()));
    let beside = |name: &String| *name == filled.clip || Some(name) == sent.reference.as_ref();
    let own: Vec<&(String, Media)> = media.iter().filter(|(name, _)| !beside(name)).collect();
    let prompts = filled.prompts();
    let items = own.iter().filter(|(name, _)| !prompts.contains(name));
    errors.extend(items.filter_map(|(name, media)| other_kind(&filled, name, media)));
    if errors.is_empty() {
        let files: Vec<String> = own.iter().map(|(name, _)| name.clone()).collect();
        errors.extend(filled.give_files(&files).err());
    }
    Ok(Filled { form: filled, media, errors, at })
}

/// What is wrong with the file of a reference that is called as another one.
fn twice(media: &[(String, Media)], reference: Option<&str>) -> Option<FieldError> {
    let alike = media.iter().filter(|(name, _)| Some(name.as_str()) == reference).count();
    let name = reference.filter(|_| alike > 1)?;
    let error = format!("another file is called {}, too; rename one", rather_io::quote(name));
    Some(FieldError { field: "reference_file".to_owned(), error, file: Some(name.to_owned()) })
}

/// What is wrong with a file of another kind than the template's.
fn other_kind(form: &StudyForm, name: &str, media: &Media) -> Option<FieldError> {
    let wanted = form.subject.files();
    let word = |kind: MediaKind| match kind {
        MediaKind::Audio => "a sound",
        MediaKind::Image => "a picture",
        MediaKind::Text => "a text",
        MediaKind::Video => "a video",
        MediaKind::Pdf => "a PDF file",
        MediaKind::Html => "a page",
    };
    let found = media.format.kind();
    if form.as_toml || wanted.is_empty() || wanted.contains(&found) {
        return None;
    }
    let quoted = rather_io::quote(name);
    let error = format!(
        "{quoted} is {}, not {}; remove it, or begin with another template",
        word(found),
        word(wanted[0])
    );
    Some(FieldError { field: "media_files".to_owned(), error, file: Some(name.to_owned()) })
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
fn keep_clip<T>(
    app: &App,
    form: &StudyForm,
    media: &[(String, Media)],
    errors: Vec<FieldError>,
) -> Result<T, Vec<FieldError>> {
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
                let bytes = bytes(field, most).await?;
                // A field in which nothing was chosen is a file without a name.
                if !file.is_empty() {
                    sent.take_file(name, file, bytes, most)?;
                }
            }
        }
    }
}

impl Sent {
    fn take_file(
        &mut self,
        field: String,
        file: String,
        bytes: Option<Vec<u8>>,
        most: usize,
    ) -> Result<(), Refusal> {
        let quoted = rather_io::quote(&file);
        let bytes = match bytes {
            Some(bytes) if !bytes.is_empty() => bytes,
            found => {
                let error = match found {
                    Some(_) => format!("{quoted} is empty; choose another file"),
                    None => format!("{quoted} has more than {} MB; choose a smaller file", most >> 20),
                };
                self.errors.push(FieldError { field, error, file: Some(file) });
                return Ok(());
            }
        };
        if self.media.len() >= MOST_FILES || file.len() > LONGEST_NAME {
            return Err(Refusal::new(
                Code::TooLarge,
                "these are too many files, or one has a very long name; send less at once",
            ));
        }
        match field.as_str() {
            "toml_file" => self.take_text("toml", &field, bytes),
            "items_file" => self.take_text("items", &field, bytes),
            "clip_file" | "reference_file" | "media_files" => match Media::of(bytes) {
                Ok(media) => {
                    if field == "clip_file" {
                        self.fields.push(("clip".to_owned(), file.clone()));
                    }
                    if field == "reference_file" {
                        self.fields.push(("reference".to_owned(), file.clone()));
                        self.reference = Some(file.clone());
                    }
                    self.media.push((file, media));
                }
                Err(problem) => {
                    let error = format!("{quoted} {problem}");
                    self.errors.push(FieldError { field, error, file: Some(file) });
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
                self.errors.push(FieldError { field: field.to_owned(), error, file: None });
            }
        }
    }
}

/// The bytes of a file; `None` if these are too many.
async fn bytes(mut field: Field<'_>, most: usize) -> Result<Option<Vec<u8>>, Refusal> {
    let (mut bytes, mut fits) = (Vec::new(), true);
    while let Some(chunk) = field.chunk().await.map_err(|e| read_error(e.status()))? {
        fits = fits && bytes.len() + chunk.len() <= most;
        // The rest is read, so that the fields that follow are not lost.
        if fits {
            bytes.extend_from_slice(&chunk);
        }
    }
    Ok(fits.then_some(bytes))
}

/// A file's name without the folders that some browsers send. It is a name in a table, never one of a file here.
fn base_name(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or_default().trim().to_owned()
}
