//! A clip to tune by ear: what a study of the suppressor's settings needs, from a setting to a sound file.

use crate::clip::Clip;
use crate::error::Error;
use crate::hearing::Hearing;
use crate::level::{Level, limit, set_levels};
use crate::listener::{Listener, Taste};
use crate::noise::Noise;
use crate::notice::{Notice, notices};
use crate::quality::{Quality, quality};
use crate::scene::{OPENING, PEAK, Scene, peak};
use crate::setting::Setting;
use crate::suppressor::{Analysis, Suppressor};
use crate::voice::Voice;
use crate::wav;
use rather_numerics::random;
use std::sync::{Arc, OnceLock};

/// Stream of random numbers for the noise.
const NOISE: u64 = 0x6e6f;

/// A recording that stays below holds nothing, even with 24 bits.
const NOTHING: f64 = 1e-7;

/// What a built-in clip holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Who speaks, what, and in which noise.
    pub seed: u64,
    /// The kind of noise.
    pub noise: Noise,
    /// The signal-to-noise ratio in dB.
    pub snr_db: f64,
    /// About how long the speech lasts.
    pub seconds: f64,
    /// What the simulated listener minds.
    pub taste: Taste,
}

impl Default for Options {
    /// Seven and a half seconds of speech in shaped noise at 5 dB, and a listener who wants both quiet and
    /// clear speech.
    fn default() -> Self {
        Self { seed: 1, noise: Noise::Shaped, snr_db: 5.0, seconds: 7.5, taste: Taste::BALANCED }
    }
}

/// A clip whose suppressor is tuned over the unit interval (floor alone) or the unit square
/// (over-subtraction, floor); see [`Setting::at`].
///
/// # Examples
/// ```
/// use rather_audio::demo::Demo;
///
/// let demo = Demo::new(1);
/// let sound = demo.render(&[0.4, 0.3])?; // a WAV file
/// assert_eq!(&sound[..4], b"RIFF");
///
/// let untreated = demo.utility(&[0.0])?.expect("a scene of our own has a listener");
/// let treated = demo.utility(&[0.3])?.expect("a scene of our own has a listener");
/// assert!(treated > untreated);
/// # Ok::<(), rather_audio::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Demo {
    analysis: Arc<Analysis>,
    seconds: f64,
    notices: Vec<Notice>,
    known: Option<Known>,
}

/// What is known of a scene of our own.
#[derive(Debug, Clone)]
struct Known {
    scene: Scene,
    hearing: Arc<Hearing>,
    taste: Taste,
    /// For one coordinate and two; each takes a grid of settings to make.
    listeners: [OnceLock<Listener>; 2],
}

impl Demo {
    /// The built-in voice of a seed in shaped noise at 5 dB, about 8 s.
    pub fn new(seed: u64) -> Self {
        Self::with(&Options { seed, ..Options::default() }).expect("the built-in scene is within all limits")
    }

    /// A built-in clip with another noise, ratio, length or listener.
    ///
    /// # Errors
    /// A signal-to-noise ratio beyond ±100 dB; a length that makes the clip too short or too long.
    pub fn with(options: &Options) -> Result<Self, Error> {
        let Options { seed, noise, snr_db, seconds, taste } = *options;
        if !(1.0..=crate::clip::LONGEST - 5.0).contains(&seconds) {
            let requirement = "between 1 and 55 s";
            return Err(Error::Range { what: "the length of the speech", requirement, value: seconds });
        }
        let speech = Voice::new(seed).speak(seconds);
        let noise = noise.samples(OPENING + speech.len(), &mut random::stream(seed, NOISE));
        Ok(Self::of_scene(Scene::mix(&speech, &noise, snr_db)?, taste))
    }

    /// A scene of one's own: speech and noise are known, so there is a simulated listener too.
    pub fn of_scene(scene: Scene, taste: Taste) -> Self {
        let analysis = Suppressor::new().analyse(scene.mixture());
        let hearing = Arc::new(Hearing::new(&scene, &analysis));
        let seconds = scene.mixture().seconds();
        let known = Known { scene, hearing, taste, listeners: Default::default() };
        Self { analysis: Arc::new(analysis), seconds, notices: Vec::new(), known: Some(known) }
    }

    /// A recording of one's own, as a WAV file; see [`wav::read`] for the kinds. The noise is learned from
    /// the first 0.25 s: [`notices`](Self::notices) says so when the clip seems to open with speech. Nobody
    /// knows the clean speech, so there is no simulated listener.
    ///
    /// # Errors
    /// As [`wav::read`], and a sound of silence alone.
    pub fn from_wav(bytes: &[u8]) -> Result<Self, Error> {
        let recording = wav::read(bytes)?;
        let highest = peak(recording.clip.samples().iter().copied());
        if highest < NOTHING {
            return Err(Error::Silent);
        }
        let notices = notices(&recording);
        let clip: Clip = recording.clip.scaled(PEAK / highest);
        let analysis = Arc::new(Suppressor::new().analyse(&clip));
        Ok(Self { analysis, seconds: clip.seconds(), notices, known: None })
    }

    /// How long the clip lasts.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// What is worth knowing about a recording before tuning by it.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The parts of a built-in clip; `None` for a recording of one's own.
    pub fn scene(&self) -> Option<&Scene> {
        self.known.as_ref().map(|known| &known.scene)
    }

    /// The samples at a setting, at 16 kHz. All settings keep time with the clip.
    ///
    /// # Errors
    /// A wrong number of coordinates, or one outside 0 to 1.
    pub fn samples(&self, theta: &[f64]) -> Result<Vec<f64>, Error> {
        Ok(self.analysis.render(&Setting::at(theta)?))
    }

    /// The sound at a setting, as a WAV file of 16 bits, mono, 16 kHz. All settings are played by the same
    /// factor.
    ///
    /// # Errors
    /// A wrong number of coordinates, or one outside 0 to 1.
    pub fn render(&self, theta: &[f64]) -> Result<Vec<u8>, Error> {
        let mut samples = self.samples(theta)?;
        limit(&mut samples);
        Ok(wav::write(&samples))
    }

    /// The two sounds of a duel, as WAV files with their levels set for each other.
    ///
    /// # Errors
    /// A wrong number of coordinates, or one outside 0 to 1.
    pub fn render_pair(&self, first: &[f64], second: &[f64], level: Level) -> Result<[Vec<u8>; 2], Error> {
        let (mut first, mut second) = (self.samples(first)?, self.samples(second)?);
        set_levels(&mut first, &mut second, level);
        Ok([wav::write(&first), wav::write(&second)])
    }

    /// The simulated listener's utility of a setting, 0 to 4 probit units over settings with as many
    /// coordinates; `None` for a recording of one's own.
    ///
    /// # Errors
    /// A wrong number of coordinates, or one outside 0 to 1.
    pub fn utility(&self, theta: &[f64]) -> Result<Option<f64>, Error> {
        Setting::at(theta)?;
        self.listener(theta.len()).map(|listener| listener.utility(theta)).transpose()
    }

    /// The simulated listener for settings of one coordinate or two; `None` for others, and for a recording
    /// of one's own. Made when first asked for, by listening to a grid of settings.
    pub fn listener(&self, dimensions: usize) -> Option<&Listener> {
        let known = self.known.as_ref()?;
        let place = known.listeners.get(dimensions.checked_sub(1)?)?;
        Some(place.get_or_init(|| {
            Listener::new(self.analysis.clone(), known.hearing.clone(), known.taste, dimensions)
                .expect("one coordinate or two")
        }))
    }

    /// How near the sound at a setting is to the clean speech; `None` for a recording of one's own.
    ///
    /// # Errors
    /// A wrong number of coordinates, or one outside 0 to 1.
    pub fn quality(&self, theta: &[f64]) -> Result<Option<Quality>, Error> {
        let treated = self.samples(theta)?;
        self.known.as_ref().map(|known| quality(known.scene.clean(), &treated)).transpose()
    }
}
