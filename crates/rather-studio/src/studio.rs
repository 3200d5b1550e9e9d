//! What all requests share.

use crate::Config;
use crate::Error;
use crate::refusal::Refusal;
use crate::registry::{Live, Registry, blocking};
use crate::render::cache::{Cache, Key};
use crate::render::flac::packed;
use crate::render::{Format, Media, Renderer};
use crate::security::guesses::Guesses;
use crate::security::host::Hosts;
use crate::security::secret::{Secret, hash};
use crate::security::session::Session;
use crate::showing::{Exhibit, Medium};
use crate::unshown::Unshown;
use crate::view::{MediaKind, MediaView};
use crate::webhook::Webhooks;
use lru::LruCache;
use rather_study::Alternative;
use std::collections::HashSet;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// Fresh links that can be shown once more.
const MOST_LINKS: NonZeroUsize = NonZeroUsize::new(1000).unwrap();
/// How long.
const LINK_SHOWN: Duration = Duration::from_secs(3600);
/// Recordings of forms that went back.
const MOST_DRAFTS: NonZeroUsize = NonZeroUsize::new(4).unwrap();
/// What part of the memory for rendered media is added for packed sounds.
const PACKED: usize = 2;
/// Renderings that may wait.
const MOST_RENDERINGS: usize = 200;

/// How long may be waited for a renderer, where a medium is shown that is not there yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Until it is there: it is told what it is, or why it cannot be shown.
    Full,
    /// For texts, which stand in the page; others are fetched by it.
    Text,
    /// Not at all: the browser fetches it.
    None,
}

/// Who waits for less than this is told nothing.
const NOTICED: Duration = Duration::from_secs(3);

/// What all requests share.
#[derive(Debug)]
pub struct Studio {
    /// What the operator decided.
    pub config: Config,
    /// Where it listens really: a port of 0 has become one.
    pub address: SocketAddr,
    /// The studies.
    pub registry: Arc<Registry>,
    /// The names it answers to.
    pub hosts: Hosts,
    /// The key of sessions.
    pub key: Secret,
    /// Who sent wrong tokens.
    pub guesses: Guesses,
    /// The queue of calls of webhooks.
    pub webhooks: Webhooks,
    cache: Arc<Cache>,
    /// Sounds as they are sent.
    packed: Arc<Cache>,
    links: Mutex<LruCache<(String, String), (String, Instant)>>,
    drafts: Mutex<LruCache<String, Media>>,
    /// Sessions that were ended before their time.
    ended: Mutex<HashSet<[u8; 16]>>,
    stop: watch::Sender<bool>,
}

/// How requests get at it.
pub type App = Arc<Studio>;

impl Studio {
    /// Opens the studies. Waits for the disk.
    ///
    /// # Errors
    /// If the configuration is none, or the file cannot be used.
    pub fn open(config: Config, address: SocketAddr) -> Result<Self, Error> {
        config.check()?;
        let registry = Arc::new(Registry::open(&config)?);
        let bound: &[u8] = config.token.as_ref().map_or(&[], |token| token.fingerprint());
        let key = registry.tables().secret()?.derive("session", bound);
        let hosts = Hosts::new(address, config.public.clone());
        let at_once = std::thread::available_parallelism().map_or(2, usize::from);
        let cache = Arc::new(Cache::new(config.limits.cache, at_once, MOST_RENDERINGS));
        let packed = Arc::new(Cache::new(config.limits.cache / PACKED, at_once, MOST_RENDERINGS));
        let links = Mutex::new(LruCache::new(MOST_LINKS));
        let drafts = Mutex::new(LruCache::new(MOST_DRAFTS));
        let ended = Mutex::new(registry.tables().ended_sessions(now())?);
        let stop = watch::Sender::new(false);
        Ok(Self {
            config,
            address,
            registry,
            hosts,
            key,
            guesses: Guesses::default(),
            webhooks: Webhooks::default(),
            cache,
            packed,
            links,
            drafts,
            ended,
            stop,
        })
    }

    /// Begins to stop: nobody is let in any more.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Turns true when the studio stops.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    /// Keeps a fresh link in memory, so that the operator can see it.
    pub fn remember_link(&self, study: &str, participant: &str, path: String) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.put((study.to_owned(), participant.to_owned()), (path, Instant::now()));
    }

    /// The link of a participant, if it is fresh.
    pub fn fresh_link(&self, study: &str, participant: &str) -> Option<String> {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let (path, made) = links.get(&(study.to_owned(), participant.to_owned()))?;
        (made.elapsed() < LINK_SHOWN).then(|| path.clone())
    }

    /// Keeps a recording whose form goes back for something else, for a while.
    pub fn keep_draft(&self, name: &str, media: Media) {
        self.drafts.lock().unwrap_or_else(PoisonError::into_inner).put(name.to_owned(), media);
    }

    /// Whether a session was ended before its time.
    pub fn has_ended(&self, session: &Session) -> bool {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).contains(&session.name())
    }

    /// Ends a session: its cookie is worth nothing any more.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub async fn end(self: &Arc<Self>, session: &Session) -> Result<(), Refusal> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(session.name());
        let (tables, name, ends) = (Arc::clone(self.registry.tables()), session.name(), session.ends);
        blocking(move || Ok(tables.end_session(name, ends)?)).await
    }

    /// A recording whose form went back.
    pub fn draft(&self, name: &str) -> Option<Media> {
        self.drafts.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// What is served at a sealed address; `flac` if whoever asks takes sounds as FLAC.
    ///
    /// # Errors
    /// If it is no such address, there is nothing, or it cannot be rendered.
    pub async fn served(&self, address: &str, flac: bool) -> Result<Media, Refusal> {
        let (live, exhibit) = self.unseal(address).await?;
        // The same address has the same content.
        let key = hash(address.as_bytes());
        if let Some(packed) = self.packed.get(&key).filter(|_| flac) {
            return Ok(packed);
        }
        let media = self.exhibited(&live, &exhibit).await?;
        if !flac || media.format != Format::Wav {
            return Ok(media);
        }
        let plain = media.clone();
        Ok(self.packed.made(key, move || Ok(packed(media))).await.unwrap_or(plain))
    }

    /// What there is to see or hear, as bytes.
    ///
    /// # Errors
    /// If there is nothing, or it cannot be rendered.
    async fn exhibited(&self, live: &Arc<Live>, exhibit: &Exhibit) -> Result<Media, Unshown> {
        match exhibit {
            Exhibit::Alternative(alternative) => self.media(live, alternative).await,
            Exhibit::File(name) => match live.showing.file(name) {
                Some(Medium::Upload { name, format }) => self.upload(live, name, format).await,
                _ => Err(Refusal::not_found("file").into()),
            },
        }
    }

    /// An uploaded file.
    async fn upload(&self, live: &Live, name: String, format: Format) -> Result<Media, Unshown> {
        let (tables, study) = (Arc::clone(self.registry.tables()), live.name.clone());
        let bytes = blocking(move || Ok(tables.upload(&study, &name)?)).await?;
        Ok(Media { format, bytes: bytes.ok_or_else(|| Refusal::not_found("file"))?.into() })
    }

    async fn media(&self, live: &Arc<Live>, alternative: &Alternative) -> Result<Media, Unshown> {
        match live.showing.medium(alternative) {
            Some(Medium::Rendered(renderer)) => {
                let rendered = self.cache.render(key(live, alternative), renderer, alternative.clone()).await;
                let media = rendered.map_err(|refused| Unshown::of(refused, live, alternative))?;
                live.rendered(media.format.kind());
                Ok(media)
            }
            Some(Medium::Upload { name, format }) => self.upload(live, name, format).await,
            Some(Medium::Elsewhere { .. }) | None => Err(Refusal::not_found("medium").into()),
        }
    }

    /// What tells whether rendering an alternative of a study failed when it was last tried.
    pub fn failures(&self, live: &Arc<Live>) -> impl Fn(&Alternative) -> bool + Send + use<> {
        let (cache, live) = (Arc::clone(&self.cache), Arc::clone(live));
        move |alternative| cache.failure(&key(&live, alternative)).is_some()
    }

    /// What there is to see or hear of an alternative, as a page shows it.
    ///
    /// # Errors
    /// If it must be rendered to know what it is, and cannot be.
    pub async fn media_view(
        &self,
        live: &Arc<Live>,
        alternative: &Alternative,
        patience: Patience,
    ) -> Result<Option<MediaView>, Unshown> {
        let Some(medium) = live.showing.medium(alternative) else { return Ok(None) };
        let kind = match medium {
            Medium::Elsewhere { kind, url } => {
                return Ok(Some(MediaView { kind, url: Some(url), text: None }));
            }
            Medium::Upload { format, .. } => format.kind(),
            Medium::Rendered(renderer) => match self.expected(live, (&renderer, alternative), patience) {
                Some(kind) => kind,
                // What is rendered first for anybody tells all others what to expect.
                None => {
                    let may_guess = patience != Patience::Full && live.kind().is_none();
                    tokio::select! {
                        biased;
                        media = self.media(live, alternative) => media?.format.kind(),
                        Some(kind) = live.first_kind(), if may_guess => kind,
                    }
                }
            },
        };
        let url = || Some(address(live, alternative));
        if kind != MediaKind::Text {
            return Ok(Some(MediaView { kind, url: url(), text: None }));
        }
        if patience == Patience::None && !self.is_there(live, alternative) {
            return Ok(Some(MediaView { kind, url: url(), text: None }));
        }
        let bytes = self.media(live, alternative).await?.bytes;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Some(MediaView { kind, url: None, text: Some(text) }))
    }

    /// A file that belongs to no alternative, as a page shows it; `None` if a text names none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn file_view(&self, live: &Arc<Live>, text: &str) -> Result<Option<MediaView>, Unshown> {
        let (name, format) = match live.showing.file(text) {
            Some(Medium::Upload { name, format }) => (name, format),
            Some(Medium::Elsewhere { kind, url }) => {
                return Ok(Some(MediaView { kind, url: Some(url), text: None }));
            }
            Some(Medium::Rendered(_)) | None => return Ok(None),
        };
        let kind = format.kind();
        if kind != MediaKind::Text {
            let url = live.showing.url(&Exhibit::File(name));
            return Ok(Some(MediaView { kind, url: Some(url), text: None }));
        }
        let bytes = self.upload(live, name, format).await?.bytes;
        Ok(Some(MediaView { kind, url: None, text: Some(String::from_utf8_lossy(&bytes).into_owned()) }))
    }

    /// Of which kind a medium will be that is fetched later: as far as that is known, and what failed before is tried at once.
    fn expected(
        &self,
        live: &Arc<Live>,
        (renderer, alternative): (&Arc<dyn Renderer>, &Alternative),
        patience: Patience,
    ) -> Option<MediaKind> {
        if let Some(kind) = renderer.kind() {
            return Some(kind);
        }
        let key = key(live, alternative);
        let kind =
            live.kind().filter(|_| patience != Patience::Full && self.cache.failure(&key).is_none())?;
        // Nobody waits for it here, but somebody will soon.
        self.cache.begin(key, Arc::clone(renderer), alternative.clone());
        Some(kind)
    }

    /// About how many seconds it takes until all of these can be shown, where somebody would notice.
    pub fn wait<'a>(
        &self,
        live: &Arc<Live>,
        alternatives: impl IntoIterator<Item = &'a Alternative>,
    ) -> Option<u64> {
        let missing = alternatives.into_iter().any(|alternative| !self.is_there(live, alternative));
        let wait = self.cache.wait().filter(|wait| missing && *wait >= NOTICED)?;
        Some(wait.as_secs_f64().ceil() as u64)
    }

    /// Whether a medium need not be waited for.
    fn is_there(&self, live: &Arc<Live>, alternative: &Alternative) -> bool {
        !matches!(live.showing.medium(alternative), Some(Medium::Rendered(_)))
            || self.cache.get(&key(live, alternative)).is_some()
    }

    /// Where media of alternatives that may be asked next are, so that a browser fetches them early. What must be rendered is begun while nobody
    /// else waits for the renderers; whether all of it is done or begun.
    pub fn ahead(&self, live: &Arc<Live>, alternatives: &[Alternative]) -> (Vec<String>, bool) {
        let mut soon = Vec::new();
        for alternative in alternatives {
            match live.showing.medium(alternative) {
                None => {}
                Some(Medium::Elsewhere { url, .. }) => soon.push(url),
                Some(Medium::Upload { .. }) => soon.push(address(live, alternative)),
                Some(Medium::Rendered(renderer)) => {
                    if !self.cache.begin_if_idle(key(live, alternative), &renderer, alternative) {
                        return (soon, false);
                    }
                    soon.push(address(live, alternative));
                }
            }
        }
        (soon, true)
    }

    /// What a sealed address means.
    ///
    /// # Errors
    /// If it was not sealed here, or its study is not there any more.
    async fn unseal(&self, address: &str) -> Result<(Arc<Live>, Exhibit), Refusal> {
        let text = self.registry.sealer().open(address).ok_or_else(|| Refusal::not_found("medium"))?;
        let (study, exhibit): (String, Exhibit) =
            serde_json::from_str(&text).map_err(|_| Refusal::not_found("medium"))?;
        Ok((self.registry.named(&study).await?, exhibit))
    }
}

/// Where the medium of an alternative is served.
fn address(live: &Live, alternative: &Alternative) -> String {
    live.showing.url(&Exhibit::Alternative(alternative.clone()))
}

/// Under which rendered media are kept.
fn key(live: &Live, alternative: &Alternative) -> Key {
    hash(serde_json::to_string(&(&live.name, alternative)).unwrap_or_default().as_bytes())
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
