//! From segments to sound: curves of all parameters, then folds and noise through the tract.

use super::Character;
use super::phone::Segment;
use super::pitch::{flutter, melody};
use super::resonator::{BandPass, Resonator};
use super::sentence::Speech;
use super::source::Folds;
use super::track::{STEP, between, glide};
use rand_chacha::ChaCha8Rng;
use rather_numerics::random;

/// Formants above the third, and bandwidths of all, in Hz: they colour the voice and never move.
const UPPER: [f64; 5] = [3500.0, 4500.0, 5500.0, 6500.0, 7500.0];
const WIDTHS: [f64; 8] = [85.0, 105.0, 150.0, 220.0, 300.0, 400.0, 500.0, 600.0];
/// A formant above this is left out: near half the sampling rate a digital resonator and its mirror image
/// pile up.
const HIGHEST: f64 = 7_000.0;
/// How fast formants move, and how fast voice and noise come and go: time constants in milliseconds.
const MOVE: f64 = 16.0;
const FADE: f64 = 6.0;
const BURST: f64 = 2.0;
/// Breath that comes with every voiced sound.
const BREATHY: f64 = 0.008;

/// All parameters at every millisecond.
struct Tracks {
    formants: [Vec<f64>; 3],
    damping: Vec<f64>,
    voice: Vec<f64>,
    breath: Vec<f64>,
    friction: Vec<f64>,
    /// Centre and width of the noise: they jump, while its amplitude is small.
    band: Vec<[f64; 2]>,
}

/// The sound of `speech`, unscaled.
pub(super) fn synthesise(speech: &Speech, character: Character, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let tracks = tracks(speech, character.formants);
    let melody = melody(speech);
    let mut tract = Tract::new(character.formants);
    let mut sound = Vec::with_capacity(melody.len() * STEP);
    for ms in 0..melody.len() {
        tract.place_noise(tracks.band[ms]);
        let flutter = flutter(ms as f64);
        for n in 0..STEP {
            let pitch = character.pitch * between(&melody, ms, n) * flutter;
            sound.push(tract.step(&tracks, ms, n, pitch, rng));
        }
    }
    sound
}

fn tracks(speech: &Speech, scale: f64) -> Tracks {
    let length = speech.milliseconds();
    let mut tracks = Tracks {
        formants: [vec![0.0; length], vec![0.0; length], vec![0.0; length]],
        damping: vec![1.0; length],
        voice: vec![0.0; length],
        breath: vec![0.0; length],
        friction: vec![0.0; length],
        band: vec![[3000.0, 3000.0]; length],
    };
    let mut at = 0.0;
    for (i, segment) in speech.segments.iter().enumerate() {
        let targets = targets(&speech.segments[i..]);
        let (from, to) = (at as usize, ((at + segment.length) as usize).min(length));
        for ms in from..to {
            let along = (ms as f64 - at) / segment.length;
            for (track, [start, end]) in tracks.formants.iter_mut().zip(targets) {
                track[ms] = (scale * (start + (end - start) * along)).ln();
            }
            tracks.damping[ms] = segment.damping;
            tracks.voice[ms] = segment.voice;
            tracks.breath[ms] = segment.breath + BREATHY * segment.voice;
            tracks.friction[ms] = segment.friction.amplitude;
            tracks.band[ms] = [segment.friction.centre, segment.friction.width];
        }
        at += segment.length;
    }
    tracks.formants.iter_mut().for_each(|track| glide(track, MOVE));
    tracks.formants.iter_mut().flatten().for_each(|f| *f = f.exp());
    glide(&mut tracks.damping, FADE);
    glide(&mut tracks.voice, FADE);
    glide(&mut tracks.breath, FADE);
    glide(&mut tracks.friction, BURST);
    tracks
}

/// Where each formant starts and ends in the first of `segments`; breath has the formants of what follows.
fn targets(segments: &[Segment]) -> [[f64; 2]; 3] {
    let own = segments[0].formants;
    let [start, end] = own
        .or_else(|| segments.iter().find_map(|s| s.formants.map(|[start, _]| [start, start])))
        .unwrap_or([[500.0, 1500.0, 2500.0]; 2]);
    [0, 1, 2].map(|f| [start[f], end[f]])
}

/// Folds, formants in cascade, and noise beside them.
struct Tract {
    folds: Folds,
    /// The three that move.
    formants: [Resonator; 3],
    upper: Vec<Resonator>,
    noise: [BandPass; 2],
    last: f64,
}

impl Tract {
    fn new(scale: f64) -> Self {
        let upper = UPPER
            .iter()
            .zip(&WIDTHS[3..])
            .filter(|(centre, _)| *centre * scale < HIGHEST)
            .map(|(centre, width)| Resonator::at(centre * scale, *width))
            .collect();
        Self {
            folds: Folds::new(),
            formants: Default::default(),
            upper,
            noise: Default::default(),
            last: 0.0,
        }
    }

    fn place_noise(&mut self, [centre, width]: [f64; 2]) {
        self.noise.iter_mut().for_each(|band| band.tune(centre, width));
    }

    /// One sample, `n` samples into a millisecond.
    ///
    /// Formants move with every sample: in steps, the strong low harmonics would crackle in the weak high ones.
    fn step(&mut self, tracks: &Tracks, ms: usize, n: usize, pitch: f64, rng: &mut ChaCha8Rng) -> f64 {
        let noise = random::normal(rng);
        // Breath flows while the folds are apart, in the first half of a cycle.
        let apart = if self.folds.phase() < 0.5 { 1.3 } else { 0.7 };
        let mut sound = between(&tracks.voice, ms, n) * self.folds.step(pitch)
            + between(&tracks.breath, ms, n) * apart * noise;
        let damping = between(&tracks.damping, ms, n);
        for ((formant, track), width) in self.formants.iter_mut().zip(&tracks.formants).zip(WIDTHS) {
            formant.tune(between(track, ms, n), width * damping);
            sound = formant.step(sound);
        }
        sound = self.upper.iter_mut().fold(sound, |x, formant| formant.step(x));
        // Sound leaves the lips as the change of flow.
        let radiated = sound - self.last;
        self.last = sound;
        let friction = self.noise.iter_mut().fold(noise, |x, band| band.step(x));
        radiated + between(&tracks.friction, ms, n) * friction
    }
}

#[cfg(test)]
mod tests {
    use super::super::phone::segments;
    use super::*;
    use crate::quality::active_rms;

    /// A steady phone's level in dB.
    fn level(name: &str, pitch: f64) -> f64 {
        let mut segments = segments(name).expect("a phone");
        segments.last_mut().expect("a segment").length = 1000.0;
        let speech = Speech { segments, sentences: Vec::new() };
        let sound = synthesise(&speech, Character { pitch, formants: 1.0 }, &mut random::stream(1, 0));
        20.0 * active_rms(&sound).log10()
    }

    /// As in speech: vowels alike, hisses of s and sh some 10 to 20 dB below, f and th another 8 or more.
    #[test]
    fn phones_have_the_levels_of_speech() {
        for pitch in [110.0, 200.0] {
            let open = level("AA", pitch);
            for name in ["IY", "UW", "AH", "EH", "OW"] {
                assert!((level(name, pitch) - open).abs() < 6.0, "{name}");
            }
            for name in ["S", "SH"] {
                assert!((-21.0..-9.0).contains(&(level(name, pitch) - open)), "{name}");
            }
            for name in ["F", "TH"] {
                assert!((-32.0..-20.0).contains(&(level(name, pitch) - open)), "{name}");
            }
        }
    }
}
