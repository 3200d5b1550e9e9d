//! How alternatives of a study are shown: from settings and items to what a page needs.

use crate::figures::numbers::{Fineness, with_unit};
use crate::presentation::Presentation;
use crate::reference::Reference;
use crate::render::setup::{Commands, SUPPRESSOR};
use crate::render::{Format, Renderer};
use crate::security::seal::Sealer;
use crate::view::{AlternativeView, ContextView, MediaKind, MediaView, ParameterView};
use rather::features::ColumnValues;
use rather_study::definition::{Items, Subject};
use rather_study::{Alternative, Definition, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known about showing a study.
#[derive(Debug)]
pub struct Showing {
    study: String,
    definition: Arc<Definition>,
    presentation: Arc<Presentation>,
    sealer: Sealer,
    source: Source,
    uploads: BTreeMap<String, Format>,
    /// Of media elsewhere.
    origins: Vec<String>,
}

/// Where media come from.
#[derive(Debug)]
enum Source {
    /// There are none: settings and names are what is compared.
    Nowhere,
    /// A column of the items holds addresses or names of uploads.
    Column(usize),
    /// A renderer makes them.
    Renderer(Arc<dyn Renderer>),
    /// The renderer that the study names is not set up.
    Missing(String),
}

/// What has a medium.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Exhibit {
    /// An alternative.
    Alternative(Alternative),
    /// A file that belongs to none: a reference, a prompt.
    File(String),
}

/// Where a medium is.
#[derive(Debug, Clone)]
pub enum Medium {
    /// At another place of the web.
    Elsewhere {
        /// What kind its address promises.
        kind: MediaKind,
        /// Where.
        url: String,
    },
    /// Among the study's uploads.
    Upload {
        /// What it was called.
        name: String,
        /// What its bytes are.
        format: Format,
    },
    /// It is to be rendered.
    Rendered(Arc<dyn Renderer>),
}

impl Showing {
    /// Of a study with these uploads; `suppressor` is the built-in renderer on the study's sound.
    pub fn new(
        study: &str,
        definition: Arc<Definition>,
        presentation: Arc<Presentation>,
        sealer: Sealer,
        uploads: BTreeMap<String, Format>,
        renderers: (&Commands, Option<Arc<dyn Renderer>>),
    ) -> Self {
        let source = match (&presentation.renderer, &presentation.media, &definition.subject) {
            (Some(name), ..) => {
                let (commands, suppressor) = renderers;
                let found = if name == SUPPRESSOR { suppressor } else { commands.get(name) };
                found.map_or_else(|| Source::Missing(name.clone()), Source::Renderer)
            }
            (None, Some(name), Subject::Items(items)) => {
                match items.columns.iter().position(|c| c.name == *name) {
                    Some(column) => Source::Column(column),
                    None => Source::Nowhere,
                }
            }
            _ => Source::Nowhere,
        };
        let origins = origins(&definition, &presentation, &source);
        Self { study: study.to_owned(), definition, presentation, sealer, source, uploads, origins }
    }

    /// Where the medium of an alternative is; `None` if it has none.
    pub fn medium(&self, alternative: &Alternative) -> Option<Medium> {
        match (&self.source, &self.definition.subject, alternative) {
            (Source::Renderer(renderer), ..) => Some(Medium::Rendered(Arc::clone(renderer))),
            (Source::Column(column), Subject::Items(items), Alternative::Item(key)) => {
                self.file(&text_of(items, *column, key)?)
            }
            _ => None,
        }
    }

    /// Where a file of this name is, or what an address leads to; `None` if a text is neither.
    pub fn file(&self, text: &str) -> Option<Medium> {
        medium_of(text, &self.uploads)
    }

    /// What is worth knowing about the media: a sentence, if something is missing.
    pub fn note(&self) -> Option<String> {
        match &self.source {
            Source::Missing(name) => Some(format!(
                "The renderer {} is not set up where this studio was started; values are shown instead.",
                rather_io::quote(name)
            )),
            _ => {
                let file = self.presentation.reference.as_ref().and_then(Reference::file)?;
                let missing = format!(
                    "The reference {} is not among the files of this study; comparisons are shown without it.",
                    rather_io::quote(file)
                );
                self.file(file).is_none().then_some(missing)
            }
        }
    }

    /// The origins of media elsewhere, which pages of this study may load from.
    pub fn origins(&self) -> &[String] {
        &self.origins
    }

    /// The path at which this studio serves a medium.
    pub fn url(&self, exhibit: &Exhibit) -> String {
        let text = serde_json::to_string(&(&self.study, exhibit)).unwrap_or_default();
        format!("/media/{}", self.sealer.seal(&text))
    }

    /// An alternative as a side of a duel, called `letter`; `media` is what there is to see or hear.
    pub fn side(&self, letter: &str, alternative: &Alternative, media: Option<MediaView>) -> AlternativeView {
        // What is compared must be shown: without media that is the setting or the name. A medium that failed hides them
        // all the same.
        let blind = self.hides(alternative);
        let label = match alternative {
            Alternative::Item(key) if !blind => key.clone(),
            _ => letter.to_owned(),
        };
        let parameters = if blind { Vec::new() } else { self.parameters(alternative) };
        AlternativeView { label, media, parameters, alternative: (!blind).then(|| alternative.clone()) }
    }

    /// Whether whoever compares an alternative may not know which it is.
    pub fn hides(&self, alternative: &Alternative) -> bool {
        self.presentation.blind && self.medium(alternative).is_some()
    }

    /// What an item shares with all that it is compared with: the prompt that it answers, and the like.
    pub fn context(&self, alternative: &Alternative) -> Option<ContextView> {
        let Alternative::Item(key) = alternative else { return None };
        let (name, value) = self.definition.shared(key)?;
        let unit = self.presentation.units.get(name).cloned().unwrap_or_default();
        Some(ContextView { name: name.to_owned(), value, unit, media: None })
    }

    /// The setting, or the item's features, for people.
    pub fn parameters(&self, alternative: &Alternative) -> Vec<ParameterView> {
        let view = |name: &str, value: &Value| ParameterView {
            name: name.to_owned(),
            value: value.to_string(),
            unit: self.presentation.units.get(name).cloned().unwrap_or_default(),
        };
        match (alternative, &self.definition.subject) {
            (Alternative::Setting(setting), _) => {
                setting.values.iter().map(|(name, value)| view(name, value)).collect()
            }
            (Alternative::Item(key), Subject::Items(items)) => {
                let hidden = [self.presentation.media.as_deref(), self.definition.within.as_deref()];
                let Some(row) = items.keys.iter().position(|other| other == key) else { return Vec::new() };
                let shown =
                    items.columns.iter().filter(|column| !hidden.contains(&Some(column.name.as_str())));
                shown.map(|column| view(&column.name, &value_of(&column.values, row))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// An alternative in one line, with units, as finely as its place in a range is seen.
    pub fn line(&self, alternative: &Alternative) -> String {
        let setting = match alternative {
            Alternative::Item(key) => return key.clone(),
            Alternative::Setting(setting) => setting,
        };
        let one = |(name, value): &(String, Value)| {
            let unit = self.presentation.units.get(name).map_or("", String::as_str);
            format!("{name} {}", with_unit(&self.short(name, value), unit))
        };
        setting.values.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// The value of a parameter to a few digits.
    fn short(&self, name: &str, value: &Value) -> String {
        let Subject::Parameters(space) = &self.definition.subject else { return value.to_string() };
        match (space.parameters.iter().find(|p| p.name == name), value.number()) {
            (Some(parameter), Some(x)) => Fineness::of(&parameter.range).write(x),
            _ => value.to_string(),
        }
    }
}

fn value_of(values: &ColumnValues, row: usize) -> Value {
    match values {
        ColumnValues::Numeric(x) => Value::Float(x[row]),
        ColumnValues::Text(x) => Value::Text(x[row].clone()),
    }
}

fn text_of(items: &Items, column: usize, key: &str) -> Option<String> {
    let row = items.keys.iter().position(|other| other == key)?;
    Some(value_of(&items.columns.get(column)?.values, row).to_string())
}

/// The texts of a column, in the order of the items.
fn texts_of(items: &Items, column: usize) -> impl Iterator<Item = String> {
    let values = items.columns.get(column).map(|column| &column.values);
    values.into_iter().flat_map(|values| (0..items.keys.len()).map(|row| value_of(values, row).to_string()))
}

/// The origins of all media elsewhere: of items, of what they are compared within, and of the reference.
fn origins(definition: &Definition, presentation: &Presentation, source: &Source) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    if let Subject::Items(items) = &definition.subject {
        let within = items.columns.iter().position(|c| Some(&c.name) == definition.within.as_ref());
        let media = if let Source::Column(column) = source { Some(*column) } else { None };
        texts.extend(media.iter().flat_map(|&column| texts_of(items, column)));
        // A prompt that has an address in it is a text.
        let files = |text: &String| medium_of(text, &BTreeMap::new()).is_some();
        texts.extend(within.iter().flat_map(|&column| texts_of(items, column)).filter(files));
    }
    texts.extend(presentation.reference.as_ref().and_then(Reference::file).map(str::to_owned));
    let mut origins: Vec<String> = texts.iter().filter_map(|text| origin_of(text)).collect();
    origins.sort();
    origins.dedup();
    origins
}

/// What a text of the column of media means.
fn medium_of(text: &str, uploads: &BTreeMap<String, Format>) -> Option<Medium> {
    if let Some(&format) = uploads.get(text) {
        return Some(Medium::Upload { name: text.to_owned(), format });
    }
    origin_of(text)?;
    // The kind is told by the ending; a server elsewhere is not asked.
    let path = text.split(['?', '#']).next().unwrap_or(text);
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let kind = Format::named(&ending)?.kind();
    matches!(kind, MediaKind::Audio | MediaKind::Image | MediaKind::Video)
        .then(|| Medium::Elsewhere { kind, url: text.to_owned() })
}

/// Scheme and host of an address elsewhere, if it is plain enough to stand in a policy.
fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if !matches!(scheme.as_str(), "http" | "https")
        || url.chars().any(|c| c.is_whitespace() || c.is_control())
    {
        return None;
    }
    let host = rest.split(['/', '?', '#']).next()?.to_ascii_lowercase();
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b);
    (!host.is_empty() && host.bytes().all(plain)).then(|| format!("{scheme}://{host}"))
}

/// What is wrong with the column of media, if anything: the first item whose medium is neither an upload nor an address.
///
/// # Errors
/// The sentence.
pub fn check_media(
    definition: &Definition,
    presentation: &Presentation,
    uploads: &BTreeMap<String, Format>,
) -> Result<(), String> {
    let (Subject::Items(items), Some(name)) = (&definition.subject, &presentation.media) else {
        return Ok(());
    };
    let Some(column) = items.columns.iter().position(|column| column.name == *name) else {
        return Err(format!("there is no column {} in the table of items", rather_io::quote(name)));
    };
    for (key, text) in items.keys.iter().zip(texts_of(items, column)) {
        if medium_of(&text, uploads).is_none() {
            let what = format!("the medium {} of {}", rather_io::quote(&text), rather_io::quote(key));
            return Err(no_medium(&what));
        }
    }
    Ok(())
}

/// What is wrong with the file of a reference, if anything.
///
/// # Errors
/// The sentence.
pub fn check_reference(
    presentation: &Presentation,
    uploads: &BTreeMap<String, Format>,
) -> Result<(), String> {
    match presentation.reference.as_ref().and_then(Reference::file) {
        Some(file) if medium_of(file, uploads).is_none() => {
            Err(no_medium(&format!("the reference {}", rather_io::quote(file))))
        }
        _ => Ok(()),
    }
}

fn no_medium(what: &str) -> String {
    format!(
        "{what} is neither an uploaded file nor an address (https://…) that ends in wav, flac, ogg, mp3, png, jpg, gif, webp, \
         svg, mp4 or webm"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::security::secret::Secret;
    use rather::features::Column;

    fn showing(presentation: Presentation) -> Showing {
        let text = |name: &str, values: [&str; 3]| Column {
            name: name.into(),
            values: ColumnValues::Text(values.map(str::to_owned).to_vec()),
        };
        let media = text("file", ["a.wav", "https://Sounds.example/x/b.MP3?x=1", "c.txt"]);
        let colour = text("colour", ["red", "red", "blue"]);
        let mut definition = Definition::of_items(["a", "b", "c"]);
        if let Subject::Items(items) = &mut definition.subject {
            items.columns = vec![media, colour];
        }
        let uploads = [("a.wav".to_owned(), Format::Wav)].into();
        let sealer = Sealer::new(&Secret::from_bytes([1; 32]));
        Showing::new(
            "s",
            Arc::new(definition),
            Arc::new(presentation),
            sealer,
            uploads,
            (&Commands::default(), None),
        )
    }

    fn item(key: &str) -> Alternative {
        Alternative::Item(key.to_owned())
    }

    #[test]
    fn media_are_uploads_or_elsewhere() {
        let showing = showing(Presentation { media: Some("file".into()), ..Presentation::default() });
        assert!(matches!(showing.medium(&item("a")), Some(Medium::Upload { format: Format::Wav, .. })));
        assert!(matches!(showing.medium(&item("b")), Some(Medium::Elsewhere { kind: MediaKind::Audio, .. })));
        assert!(showing.medium(&item("c")).is_none());
        assert_eq!(showing.origins(), ["https://sounds.example"]);
        let error =
            check_media(&showing.definition, &showing.presentation, &[("a.wav".into(), Format::Wav)].into());
        assert!(error.unwrap_err().starts_with("the medium \"c.txt\" of \"c\" is neither"));
    }

    #[test]
    fn blind_sides_tell_nothing_unless_there_is_nothing_else() {
        let media = || Some(MediaView { kind: MediaKind::Audio, url: Some("/media/x".into()), text: None });
        let blind = showing(Presentation { media: Some("file".into()), ..Presentation::default() });
        let side = blind.side("A", &item("a"), media());
        assert_eq!((side.label.as_str(), side.parameters.len()), ("A", 0));
        assert_eq!(blind.side("A", &item("a"), None).label, "A");
        let side = blind.side("A", &item("c"), None);
        assert_eq!((side.label.as_str(), side.parameters.len()), ("c", 1));
        let open =
            showing(Presentation { blind: false, media: Some("file".into()), ..Presentation::default() });
        let side = open.side("B", &item("c"), media());
        assert_eq!((side.label.as_str(), side.parameters[0].value.as_str()), ("c", "blue"));
    }

    #[test]
    fn what_is_no_plain_address_is_none() {
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://a b/x.png",
            "https://x';script-src *//a.png",
            "//x/a.png",
            "data:image/png;base64,AAAA",
        ] {
            assert_eq!(origin_of(url), None, "{url}");
        }
    }

    #[test]
    fn a_missing_renderer_is_said() {
        let showing = showing(Presentation { renderer: Some("synth".into()), ..Presentation::default() });
        assert!(showing.note().unwrap().contains("\"synth\" is not set up"));
        assert!(showing.medium(&item("a")).is_none());
    }
}
