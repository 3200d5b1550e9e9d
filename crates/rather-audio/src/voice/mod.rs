//! A built-in voice: a source-filter synthesiser that speaks a few sentences of its own, the same for a seed.
//!
//! A pulse train with a falling pitch and noise go through formant resonators that glide from sound to sound,
//! after Klatt, "Software for a cascade/parallel formant synthesizer" (Journal of the Acoustical Society of
//! America, 1980). It needs no program, recording or licence, and has what a suppressor can damage: voice,
//! hisses, bursts, soft endings and pauses.

mod phone;
mod pitch;
mod resonator;
mod sentence;
mod source;
mod synthesis;
mod track;

use crate::clip::LONGEST;
use rather_numerics::random;

/// Stream of random numbers for who speaks.
const CHARACTER: u64 = 0x766f;
/// Streams of random numbers for breath, and for the choice of sentences.
const BREATH: u64 = CHARACTER + 1;
const SENTENCES: u64 = CHARACTER + 2;

/// Who speaks: the pitch in Hz and the size of the formants relative to a grown man's.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Character {
    pitch: f64,
    formants: f64,
}

/// A voice; another for every seed.
#[derive(Debug, Clone)]
pub struct Voice {
    seed: u64,
    character: Character,
}

impl Voice {
    /// The voice of a seed: low or high, at one of many pitches.
    pub fn new(seed: u64) -> Self {
        let mut rng = random::stream(seed, CHARACTER);
        let high = random::uniform(&mut rng) < 0.5;
        let (pitch, formants) = if high { (190.0, 1.13) } else { (132.0, 1.02) };
        let character = Character {
            pitch: pitch * (1.0 + 0.12 * (random::uniform(&mut rng) - 0.5)),
            formants: formants * (1.0 + 0.06 * (random::uniform(&mut rng) - 0.5)),
        };
        Self { seed, character }
    }

    /// Speaks whole sentences with pauses between them for about `seconds`, from one sentence to a minute; at
    /// 16 kHz, with a power of 1 while it speaks at full level.
    ///
    /// # Examples
    /// ```
    /// let speech = rather_audio::voice::Voice::new(1).speak(7.5);
    /// assert!((speech.len() as f64 / 16_000.0 - 7.5).abs() < 0.5);
    /// ```
    pub fn speak(&self, seconds: f64) -> Vec<f64> {
        let seconds = if seconds.is_nan() { 0.0 } else { seconds.clamp(0.0, LONGEST) };
        let speech = sentence::compose(seconds, &mut random::stream(self.seed, SENTENCES));
        let mut samples =
            synthesis::synthesise(&speech, self.character, &mut random::stream(self.seed, BREATH));
        let level = crate::quality::active_rms(&samples).max(f64::MIN_POSITIVE);
        samples.iter_mut().for_each(|x| *x /= level);
        samples
    }
}
