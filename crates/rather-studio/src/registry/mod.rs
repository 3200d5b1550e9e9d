//! The studies of the file, by id.

mod activity;
mod advice;
mod lane;
mod live;
mod planner;

pub use activity::Activity;
pub use live::{Counts, Live, Standing};

use crate::config::Limits;
use crate::presentation::Presentation;
use crate::refusal::{Code, Refusal};
use crate::render::setup::{Commands, SUPPRESSOR};
use crate::render::suppressor::Suppressor;
use crate::render::{Format, Media, Renderer};
use crate::security::seal::Sealer;
use crate::security::secret::hash;
use crate::showing::Showing;
use crate::tables::Tables;
use crate::{Config, Error};
use data_encoding::HEXLOWER;
use live::Place;
use lru::LruCache;
use rather_study::store::{Amendment, Store};
use rather_study::{Definition, Study};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Studies that are kept open. Each costs a few threads.
const MOST_OPEN: NonZeroUsize = NonZeroUsize::new(100).unwrap();
/// Studies of one name are numbered up to here.
const MOST_ALIKE: usize = 10_000;
/// Ids, and the names that are ids as they are, have at most this many characters.
const LONGEST_ID: usize = 80;

/// The studies of the file.
#[derive(Debug)]
pub struct Registry {
    path: PathBuf,
    limits: Limits,
    commands: Commands,
    tables: Arc<Tables>,
    sealer: Sealer,
    activity: Activity,
    store: Mutex<Store>,
    open: Mutex<LruCache<String, Arc<Live>>>,
    /// Held while a study gets its name: two of one title must not share one.
    making: Mutex<()>,
    /// The built-in renderer on its own sound, which takes a moment to make.
    suppressor: OnceLock<Arc<Suppressor>>,
}

impl Registry {
    /// Opens the file of studies, making it if there is none.
    ///
    /// # Errors
    /// If it is none, or cannot be made.
    pub fn open(config: &Config) -> Result<Self, Error> {
        if let Some(folder) =
            config.data.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        {
            std::fs::create_dir_all(folder)
                .map_err(|e| Error::File { path: folder.to_path_buf(), reason: e.to_string() })?;
        }
        let store = Store::open_or_create(&config.data)?;
        for notice in store.notices()? {
            eprintln!("warning: {notice}");
        }
        // Many threads write, for hours.
        store.start_log();
        let tables = Tables::open(&config.data)?;
        let sealer = Sealer::new(&tables.secret()?);
        Ok(Self {
            path: config.data.clone(),
            limits: config.limits,
            commands: config.commands.clone(),
            tables: Arc::new(tables),
            sealer,
            activity: Activity::default(),
            store: Mutex::new(store),
            open: Mutex::new(LruCache::new(MOST_OPEN)),
            making: Mutex::new(()),
            suppressor: OnceLock::new(),
        })
    }

    /// The studio's own tables.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// The commands that the operator set up.
    pub fn commands(&self) -> &Commands {
        &self.commands
    }

    /// What opens sealed addresses.
    pub fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// How much is going on.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of all studies that were not put away. Reads the file: not for the server's threads.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn names(&self) -> Result<Vec<String>, Refusal> {
        let mut names = self.store.lock().unwrap_or_else(PoisonError::into_inner).studies()?;
        let archived = self.tables.archived()?;
        names.retain(|name| !archived.contains(name));
        Ok(names)
    }

    /// The archived studies: names, titles and numbers of answers. Reads the file: not for the server's threads.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn archived(&self) -> Result<Vec<(String, String, usize)>, Refusal> {
        let (all, archived) = (self.names_of_all()?, self.tables.archived()?);
        let kept = all.into_iter().filter(|name| archived.contains(name));
        let titled = |name: String| {
            let mut study = Study::open(&self.path, Some(&name))?;
            let title = study.definition().title.clone();
            let mut answers = 0;
            for participant in study.participants()? {
                answers += study.history(&participant)?.answers();
            }
            let answers = usize::try_from(answers).unwrap_or(usize::MAX);
            Ok((name.clone(), if title.is_empty() { name } else { title }, answers))
        };
        kept.map(titled).collect()
    }

    /// Brings the archived study with this id back.
    ///
    /// # Errors
    /// If there is none, or that cannot be written.
    pub async fn restore(self: &Arc<Self>, id: &str) -> Result<(), Refusal> {
        let (registry, id) = (Arc::clone(self), id.to_owned());
        let work = move || {
            let archived = registry.tables.archived()?;
            let name = archived.into_iter().find(|name| id_of(name) == id);
            let name = name.ok_or_else(|| Refusal::not_found("archived study"))?;
            Ok(registry.tables.restore(&name)?)
        };
        blocking(work).await
    }

    /// The study with this id.
    ///
    /// # Errors
    /// If there is none, it was put away, or the file cannot be read.
    pub async fn study(self: &Arc<Self>, id: &str) -> Result<Arc<Live>, Refusal> {
        if let Some(live) = self.open.lock().unwrap_or_else(PoisonError::into_inner).get(id) {
            return Ok(Arc::clone(live));
        }
        if id.len() > LONGEST_ID {
            return Err(Refusal::not_found("study"));
        }
        let (registry, id) = (Arc::clone(self), id.to_owned());
        blocking(move || registry.load(&id)).await
    }

    /// The study of this name.
    ///
    /// # Errors
    /// As [`Registry::study`].
    pub async fn named(self: &Arc<Self>, name: &str) -> Result<Arc<Live>, Refusal> {
        self.study(&id_of(name)).await
    }

    fn load(&self, id: &str) -> Result<Arc<Live>, Refusal> {
        let name = self
            .names()?
            .into_iter()
            .find(|name| id_of(name) == id)
            .ok_or_else(|| Refusal::not_found("study"))?;
        let study = Study::open(&self.path, Some(&name))?;
        let live = Arc::new(self.live(&study)?);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have opened it in the meantime: all must have the same threads.
        Ok(Arc::clone(open.get_or_insert(id.to_owned(), || live)))
    }

    fn live(&self, study: &Study) -> Result<Live, Refusal> {
        let definition = Arc::new(study.definition().clone());
        // What another program wrote there may mean nothing here.
        let presentation = Arc::new(Presentation::of(&definition).unwrap_or_default());
        let uploads = self.tables.uploads(study.name())?;
        let suppressor = self.suppressor(study.name(), &presentation)?;
        let showing = Showing::new(
            study.name(),
            definition,
            Arc::clone(&presentation),
            self.sealer.clone(),
            uploads,
            (&self.commands, suppressor),
        );
        let waiting = self.limits.waiting;
        let place = Place { path: self.path.clone(), waiting, activity: self.activity.clone() };
        Ok(Live::new(id_of(study.name()), study, presentation, showing, place))
    }

    /// The suppressor on the study's sound, if the study wants it.
    fn suppressor(
        &self,
        study: &str,
        presentation: &Presentation,
    ) -> Result<Option<Arc<dyn Renderer>>, Refusal> {
        if presentation.renderer.as_deref() != Some(SUPPRESSOR) {
            return Ok(None);
        }
        let own =
            presentation.clip.as_ref().map(|name| self.tables.upload(study, name)).transpose()?.flatten();
        Ok(Some(match own {
            Some(wav) => Arc::new(Suppressor::on(&wav).map_err(Error::Sound)?),
            None => Arc::clone(self.suppressor.get_or_init(|| Arc::new(Suppressor::built_in())))
                as Arc<dyn Renderer>,
        }))
    }

    /// Makes a study with its files and returns it. Its name is made of its title.
    ///
    /// # Errors
    /// If the definition is wrong or the file cannot be written.
    pub async fn create(
        self: &Arc<Self>,
        definition: Definition,
        files: Vec<(String, Media)>,
    ) -> Result<Arc<Live>, Refusal> {
        let registry = Arc::clone(self);
        let name = blocking(move || registry.make(&definition, &files)).await?;
        self.named(&name).await
    }

    /// Makes a study; waits for the disk.
    ///
    /// # Errors
    /// As [`Registry::create`].
    pub fn make(&self, definition: &Definition, files: &[(String, Media)]) -> Result<String, Refusal> {
        let base = slug(&definition.title);
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        for i in 1..=MOST_ALIKE {
            let name = if i == 1 { base.clone() } else { format!("{base}-{i}") };
            // Files first: a study is there as soon as it has a name.
            if self.names_of_all()?.contains(&name) {
                continue;
            }
            self.tables.keep(&name, files.iter().map(|(name, media)| (name.as_str(), media)))?;
            match Study::create(&self.path, &name, definition) {
                Ok(_) => return Ok(name),
                Err(rather_study::Error::StudyExists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Refusal::new(Code::Conflict, "there are too many studies of this title; choose another"))
    }

    /// Whether the file has no study, not even one that was put away.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn is_new(&self) -> Result<bool, Error> {
        Ok(self.store.lock().unwrap_or_else(PoisonError::into_inner).studies()?.is_empty())
    }

    /// Writes a complete copy of the file to `to`, which does not exist. Waits for the disk.
    ///
    /// # Errors
    /// If the file cannot be read or the copy cannot be written.
    pub fn backup(&self, to: &Path) -> Result<(), Refusal> {
        // A connection of its own: the copy may take a while.
        rather_study::store::backup(&Store::open(&self.path)?, to, false)?;
        Ok(())
    }

    /// Moves what the write-ahead log holds into the file, if nobody is at work. Waits for the disk.
    pub fn checkpoint(&self) {
        if self.activity.is_idle() {
            // What cannot be moved now is moved later; it is safe where it is.
            let _ = self.store.lock().unwrap_or_else(PoisonError::into_inner).checkpoint();
        }
    }

    /// Ends all threads that have the file open, after what they were given to do, and moves the write-ahead log into the file.
    pub fn close(&self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.activity.end();
        self.checkpoint();
    }

    fn names_of_all(&self) -> Result<Vec<String>, Refusal> {
        Ok(self.store.lock().unwrap_or_else(PoisonError::into_inner).studies()?)
    }

    /// Changes what may change about a study, and opens it anew.
    ///
    /// # Errors
    /// If the change makes no sense, or that cannot be written.
    pub async fn amend(self: &Arc<Self>, live: &Live, change: Amendment) -> Result<Arc<Live>, Refusal> {
        let (registry, name) = (Arc::clone(self), live.name.clone());
        let work = move || {
            let mut store = registry.store.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(store.amend(&name, &change)?)
        };
        blocking(work).await?;
        self.open.lock().unwrap_or_else(PoisonError::into_inner).pop(&live.id);
        self.named(&live.name).await
    }

    /// Makes a study like another one, with its files and without its answers.
    ///
    /// # Errors
    /// If that cannot be read or written.
    pub async fn copy(self: &Arc<Self>, live: &Live) -> Result<Arc<Live>, Refusal> {
        let mut definition = (*live.definition).clone();
        let presentation = Presentation { demo: false, paused: false, ..(*live.presentation).clone() };
        definition.presentation = presentation.entries();
        definition.title = format!("{} (copy)", crate::summaries::title(live));
        let (tables, name) = (Arc::clone(&self.tables), live.name.clone());
        let files = blocking(move || {
            let read = |(file, format): (String, Format)| {
                let bytes = tables.upload(&name, &file)?.unwrap_or_default();
                Ok((file, Media { format, bytes: bytes.into() }))
            };
            tables.uploads(&name)?.into_iter().map(read).collect()
        });
        let files = files.await?;
        self.create(definition, files).await
    }

    /// Deletes the archived study with this id, for good.
    ///
    /// # Errors
    /// If there is none, or that cannot be written.
    pub async fn delete(self: &Arc<Self>, id: &str) -> Result<(), Refusal> {
        let (registry, id) = (Arc::clone(self), id.to_owned());
        let work = move || {
            let archived = registry.tables.archived()?;
            let name = archived.into_iter().find(|name| id_of(name) == id);
            let name = name.ok_or_else(|| Refusal::not_found("archived study"))?;
            registry.store.lock().unwrap_or_else(PoisonError::into_inner).delete(&name)?;
            Ok(registry.tables.forget(&name)?)
        };
        blocking(work).await
    }

    /// Puts a study away: its answers stay in the file.
    ///
    /// # Errors
    /// If that cannot be written.
    pub async fn archive(self: &Arc<Self>, live: &Live) -> Result<(), Refusal> {
        let (tables, name) = (Arc::clone(&self.tables), live.name.clone());
        blocking(move || Ok(tables.archive(&name)?)).await?;
        self.open.lock().unwrap_or_else(PoisonError::into_inner).pop(&live.id);
        Ok(())
    }
}

/// Runs what waits for the disk outside the server's threads.
///
/// # Errors
/// What `work` returns.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|e| Err(Refusal::internal(&e)))
}

/// The id of a study in addresses: its name if that is plain, else made of it.
pub fn id_of(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    if !name.is_empty() && name.len() <= LONGEST_ID && name.bytes().all(plain) {
        return name.to_owned();
    }
    format!("{}-{}", slug(name), HEXLOWER.encode(&hash(name.as_bytes())[..6]))
}

/// A title as a plain name: letters, digits and single dashes.
fn slug(title: &str) -> String {
    const LONGEST: usize = 40;
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    slug.truncate(LONGEST);
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "study".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry() -> (tempfile::TempDir, Arc<Registry>) {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::local(folder.path().join("data/s.db"));
        let registry = Arc::new(Registry::open(&config).unwrap());
        (folder, registry)
    }

    #[test]
    fn ids_are_plain_and_differ() {
        assert_eq!(id_of("tea-2"), "tea-2");
        assert_ne!(id_of("tea 2"), id_of("tea/2"));
        assert!(id_of("../../etc/passwd").starts_with("etc-passwd-"));
        assert_eq!(slug("  Which *tea*, please?  "), "which-tea-please");
        assert_eq!(slug("茶"), "study");
    }

    #[tokio::test]
    async fn studies_of_one_title_are_numbered_and_can_be_put_away() {
        let (_folder, registry) = registry();
        let definition = Definition { title: "My tea".into(), ..Definition::of_items(["a", "b"]) };
        let first = registry.create(definition.clone(), Vec::new()).await.unwrap();
        let second = registry.create(definition, Vec::new()).await.unwrap();
        assert_eq!((first.id.as_str(), second.id.as_str()), ("my-tea", "my-tea-2"));
        assert!(Arc::ptr_eq(&registry.study("my-tea").await.unwrap(), &first));
        registry.archive(&first).await.unwrap();
        assert_eq!(registry.study("my-tea").await.unwrap_err().code, Code::NotFound);
        assert_eq!(registry.names().unwrap(), ["my-tea-2"]);
        assert_eq!(registry.archived().unwrap(), [("my-tea".to_owned(), "My tea".to_owned(), 0)]);
        for unknown in ["", "x", "../s.db", &"a".repeat(10_000)] {
            assert_eq!(registry.study(unknown).await.unwrap_err().code, Code::NotFound);
            assert_eq!(registry.restore(unknown).await.unwrap_err().code, Code::NotFound);
        }
        registry.restore("my-tea").await.unwrap();
        assert_eq!(registry.study("my-tea").await.unwrap().name, "my-tea");
    }

    #[tokio::test]
    async fn a_study_of_the_command_line_is_found_by_its_id() {
        let (_folder, registry) = registry();
        drop(Study::create(registry.path(), "green & black", &Definition::of_items(["a", "b"])).unwrap());
        let live = registry.named("green & black").await.unwrap();
        assert_eq!(registry.study(&live.id).await.unwrap().name, "green & black");
    }
}
